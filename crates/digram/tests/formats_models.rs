//! Models made in memory: each comes back from `tokenizer.json` as it was, or is refused with a
//! reason; and it encodes as before.

use digram::components::{AddedToken, ByteLevel, Decoder, PreTokenizer};
use digram::encode::{Special, Tokenizer};
use digram::formats::{Files, Known, read, write};
use digram::model::{EndOfWord, Merge, Model, Order, Rule, Units, Unknown};
use digram::monitor::{Monitor, Nobody};
use digram::vocabulary::{Token, Vocabulary};
use proptest::prelude::*;

/// Choices that a model is made from.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "choices that do not depend on each other")]
struct Plan {
    units: Units,
    marker: Option<(&'static str, bool)>,
    letters: &'static str,
    /// Whether all other bytes are tokens too, after the merged ones.
    all_bytes: bool,
    pairs: Vec<(usize, usize)>,
    rule: usize,
    /// Contents, and whether each is outside the vocabulary, plain text in it, or neither.
    specials: Vec<(&'static str, u8)>,
    specials_first: bool,
    has_unknown: bool,
    ignore_merges: bool,
}

fn plans() -> impl Strategy<Value = Plan> {
    let markers =
        [None, Some(("</w>", true)), Some(("</w>", false)), Some(("_", true)), Some(("é", false))];
    let specials = prop::sample::select(&["<s>", "é", "<|end|>", "Ġ", "ab", "x漢y", "«»"][..]);
    (
        prop::sample::select(&[Units::Bytes, Units::Chars][..]),
        prop::sample::select(markers.to_vec()),
        prop::sample::select(&["ab", "a_b", "ab</w>", "aé漢 "][..]),
        prop::collection::vec((0..40_usize, 0..40_usize), 0..12),
        0..4_usize,
        prop::collection::vec((specials, 0..3_u8), 0..3),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(units, marker, letters, pairs, rule, specials, first, unknown, ignore)| {
            Plan {
                units,
                marker,
                letters,
                all_bytes: false,
                pairs,
                rule,
                specials,
                specials_first: first,
                has_unknown: unknown,
                ignore_merges: ignore,
            }
        })
}

/// The model of a plan, if there is one: ids in the order special, base, merged.
fn build(plan: &Plan) -> Option<Model> {
    let mut tokens = Vec::new();
    let mut added = Vec::new();
    if plan.specials_first {
        add_specials(plan, &mut tokens, &mut added);
    }
    let base = tokens.len();
    add_units(plan, &mut tokens);
    let merges = add_merges(plan, base, &mut tokens);
    for byte in (0..=255).filter(|_| plan.all_bytes) {
        if !tokens[base..].iter().any(|token| token.bytes == [byte]) {
            tokens.push(Token::new(tokens.len() as u32, [byte]));
        }
    }
    if !plan.specials_first {
        add_specials(plan, &mut tokens, &mut added);
    }
    let rule = match plan.rule {
        0 | 1 => Rule::Merges(merges),
        2 => Rule::Ranks,
        _ => Rule::Greedy(Order::LongestFirst),
    };
    let unknown = (plan.has_unknown && !added.is_empty())
        .then(|| Unknown { id: added[0].id, fuse: plan.ignore_merges });
    let level = ByteLevel::alphabet_only();
    let is_bytes = plan.units == Units::Bytes && plan.rule != 1;
    let model = Model {
        ignore_merges: plan.ignore_merges,
        unknown,
        end_of_word: plan
            .marker
            .map(|(marker, attached)| EndOfWord { marker: marker.into(), attached }),
        added_tokens: added,
        pre_tokenizer: is_bytes.then(|| PreTokenizer::ByteLevel(level.clone())),
        decoder: is_bytes.then_some(Decoder::ByteLevel(level)),
        ..Model::new(Vocabulary::new(tokens).ok()?, plan.units, rule)
    };
    model.checked().ok()
}

fn add_specials(plan: &Plan, tokens: &mut Vec<Token>, added: &mut Vec<AddedToken>) {
    for (content, place) in &plan.specials {
        if added.iter().any(|other| other.content == *content) {
            continue;
        }
        let id = tokens.len() as u32;
        let (added_only, literal) = (*place == 0, *place == 1);
        tokens.push(Token { added_only, literal, ..Token::new(id, *content) });
        added.push(AddedToken {
            id,
            content: (*content).into(),
            single_word: false,
            lstrip: false,
            rstrip: false,
            normalized: false,
            special: true,
        });
    }
}

fn add_units(plan: &Plan, tokens: &mut Vec<Token>) {
    let units: Vec<Vec<u8>> = match plan.units {
        Units::Bytes => plan.letters.bytes().map(|byte| vec![byte]).collect(),
        Units::Chars => plan.letters.chars().map(|letter| letter.to_string().into()).collect(),
    };
    for unit in &units {
        let is_new = |token: &Token| token.added_only || token.literal || token.bytes != *unit;
        if tokens.iter().all(is_new) {
            tokens.push(Token::new(tokens.len() as u32, unit.clone()));
        }
    }
    match plan.marker {
        None => {}
        Some((_, false)) => {
            tokens.push(Token { ends_word: true, ..Token::new(tokens.len() as u32, "") });
        }
        Some((_, true)) => {
            for unit in units {
                tokens.push(Token { ends_word: true, ..Token::new(tokens.len() as u32, unit) });
            }
        }
    }
}

fn add_merges(plan: &Plan, base: usize, tokens: &mut Vec<Token>) -> Vec<Merge> {
    let mut merges: Vec<Merge> = Vec::new();
    for (left, right) in &plan.pairs {
        let count = tokens.len() - base;
        let [left, right] = [base + left % count, base + right % count];
        let product = [&tokens[left].bytes[..], &tokens[right].bytes].concat();
        let ends_word = tokens[right].ends_word;
        let is_listed = |merge: &Merge| (merge.left, merge.right) == (left as u32, right as u32);
        if tokens[left].ends_word || merges.iter().any(is_listed) {
            continue;
        }
        let known = tokens[base..]
            .iter()
            .find(|token| token.bytes == product && token.ends_word == ends_word)
            .map(|token| token.id);
        let id = known.unwrap_or(tokens.len() as u32);
        if known.is_none() {
            tokens.push(Token { ends_word, ..Token::new(id, product) });
        }
        merges.push(Merge { left: left as u32, right: right as u32, merged: id });
    }
    merges
}

/// All that is the same after saving; an added token may be listed where it was not.
fn described(model: &Model) -> impl PartialEq + std::fmt::Debug + use<> {
    let v = &model.vocabulary;
    let tokens: Vec<_> =
        v.iter().map(|(id, bytes)| (id, bytes.to_vec(), v.ends_word(id))).collect();
    let rest = (model.units, model.ignore_merges, model.unknown.clone(), model.end_of_word.clone());
    (tokens, rest, model.rule.clone(), model.added_tokens.clone(), model.pre_tokenizer.clone())
}

fn ids(model: &Model, text: &str, special: &Special) -> Option<Vec<u32>> {
    let tokenizer = Tokenizer::new(model.clone()).expect("sound");
    tokenizer.encode(text, special, &Monitor::new(&Nobody)).ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn a_model_comes_back_as_it_was_or_is_refused(
        plan in plans(),
        texts in prop::collection::vec("[ab_é漢</w> >s]{0,12}", 4),
    ) {
        let Some(model) = build(&plan) else { return Ok(()) };
        let Ok(files) = write(&model, "tokenizer.json", None) else { return Ok(()) };
        let again = read(&Files::One(&files[0].1), None, &Known::default());
        let again = again.map_err(|error| TestCaseError::fail(error.to_string()))?.model;
        prop_assert_eq!(described(&again), described(&model));
        for text in texts {
            prop_assert_eq!(ids(&again, &text, &Special::Token), ids(&model, &text, &Special::Token));
        }
        prop_assert_eq!(&write(&again, "tokenizer.json", None).expect("as before")[0].1, &files[0].1);
    }

    #[test]
    fn a_file_of_ranks_gives_the_ids_of_the_model(
        plan in plans(),
        texts in prop::collection::vec("[ab_é漢</w> >s]{0,12}", 4),
    ) {
        let plan = Plan { units: Units::Bytes, marker: None, all_bytes: true, ..plan };
        let Some(model) = build(&plan) else { return Ok(()) };
        let Ok(files) = write(&model, "tiktoken", None) else { return Ok(()) };
        let specials = model.added_tokens.iter().map(|added| (added.content.clone(), Some(added.id)));
        let known = Known {
            pattern: model.pre_tokenizer.clone(),
            special_tokens: specials.collect(),
            ..Known::default()
        };
        let again = read(&Files::One(&files[0].1), Some("tiktoken"), &known);
        let again = again.map_err(|error| TestCaseError::fail(error.to_string()))?.model;
        for text in texts {
            prop_assert_eq!(ids(&again, &text, &Special::Token), ids(&model, &text, &Special::Token));
        }
    }
}
