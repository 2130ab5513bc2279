//! The replacements that `SentencePiece` knows by name, told from Unicode.
//!
//! Each character with a compatibility form is replaced by it (NFKC). So is each spelling of a
//! composed character by single characters: one for each part of its full decomposition (NFKD),
//! the part itself or any that decomposes to it. `nmt_` makes blanks spaces and leaves out control
//! characters; `_cf` folds case, one character to one, of all that is replaced, too.

use std::collections::{BTreeMap, HashMap};

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::decompose_compatible;

use crate::error::{Error, Result};

/// What is replaced, and by what.
pub type Rules = BTreeMap<String, String>;

/// The names of the rules.
const NAMES: [&str; 4] = ["nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf"];
/// The tables of normal forms and case used here are older than those that the rules are made by:
/// the one character of Unicode 17 with a compatibility form.
const SINCE: (char, char) = ('\u{A7F1}', 'S');
/// Pairs of letters that are new in Unicode 17, the first of them and the letter it folds to, and how many.
const FOLDED_SINCE: [(u32, u32, u32); 4] =
    [(0xA7CE, 0xA7CF, 1), (0xA7D2, 0xA7D3, 1), (0xA7D4, 0xA7D5, 1), (0x16EA0, 0x16EBB, 25)];

/// The rules of a name. Fails where there are none.
pub fn named(name: &str) -> Result<Rules> {
    if !NAMES.contains(&name) {
        let known = NAMES.map(|name| format!("'{name}'")).join(", ");
        return Err(Error::Value(format!(
            "rules are '{name}'; they are one of {known}, or a mapping of texts to texts"
        )));
    }
    let mut rules = compatibility();
    if name.starts_with("nmt_") {
        rules.remove("\u{FF5E}");
        rules.extend(blanks_and_controls());
    }
    if name.ends_with("_cf") {
        fold(&mut rules);
    }
    Ok(rules)
}

/// NFKC, character by character and for each spelling of one.
fn compatibility() -> Rules {
    let mut rules = Rules::new();
    // the characters that decompose to one other, by that other
    let mut alike: HashMap<char, Vec<char>> = HashMap::new();
    let mut composed: Vec<(Vec<char>, char)> = Vec::new();
    for character in '\u{1}'..=char::MAX {
        let mut parts = Vec::new();
        decompose_compatible(character, |part| parts.push(part));
        if character == SINCE.0 {
            parts = vec![SINCE.1];
        }
        if parts == [character] {
            continue;
        }
        let form: String = parts.iter().copied().nfc().collect();
        if let [part] = parts[..] {
            alike.entry(part).or_default().push(character);
        } else if let Some(form) = alone(&form) {
            composed.push((parts, form));
        }
        if !form.chars().eq([character]) {
            rules.insert(character.into(), form);
        }
    }
    for (parts, form) in composed {
        let mut spellings = vec![String::new()];
        for part in parts {
            let others = alike.get(&part).map_or(&[][..], Vec::as_slice);
            let spelled = || std::iter::once(&part).chain(others);
            spellings = spellings
                .iter()
                .flat_map(|begun| spelled().map(move |next| format!("{begun}{next}")))
                .collect();
        }
        rules.extend(spellings.into_iter().map(|spelling| (spelling, form.into())));
    }
    rules
}

/// The character that is all of a text.
fn alone(text: &str) -> Option<char> {
    let mut characters = text.chars();
    characters.next().filter(|_| characters.next().is_none())
}

/// What text for translation is cleaned of.
fn blanks_and_controls() -> impl Iterator<Item = (String, String)> {
    let blanks = "\t\n\u{C}\r\u{61C}\u{1680}\u{200B}\u{200C}\u{200E}\u{200F}\u{2028}\u{2029}\u{2581}\u{FEFF}\u{FFFD}";
    let controls = ('\u{1}'..='\u{1F}').filter(|control| !blanks.contains(*control));
    let controls = controls.chain(['\u{7F}', '\u{8F}', '\u{9F}']);
    blanks
        .chars()
        .map(|blank| (blank, " "))
        .chain(controls.map(|control| (control, "")))
        .map(|(from, to)| (from.into(), to.into()))
}

/// Folds the case of all that is replaced, and of characters that were not.
fn fold(rules: &mut Rules) {
    for form in rules.values_mut() {
        *form = form.chars().map(folded).collect();
    }
    for character in '\u{1}'..=char::MAX {
        let other = folded(character);
        if other != character {
            rules.entry(character.into()).or_insert_with(|| other.into());
        }
    }
}

/// The character that one is folded to: itself, mostly.
fn folded(character: char) -> char {
    let code = u32::from(character);
    let newer =
        FOLDED_SINCE.iter().find(|(first, _, count)| (*first..first + count).contains(&code));
    let other = match newer {
        Some((first, to, _)) => Some(to + (code - first)),
        None => unicode_case_mapping::case_folded(character).map(std::num::NonZeroU32::get),
    };
    other.and_then(char::from_u32).unwrap_or(character)
}
