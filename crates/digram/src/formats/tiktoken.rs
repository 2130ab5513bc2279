//! `.tiktoken`: a token a line, in base64, and its rank, which is its id.
//!
//! The split pattern and the special tokens are not in the file: the caller knows them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hashbrown::HashSet;
use std::io::Write;

use super::cannot::{self, Cannot};
use super::{Contents, Files, Known, Loaded, lines, only, ranks, special, spell};
use crate::components::{AddedToken, ByteLevel, Decoder, PreTokenizer};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::model::{Model, Rule, Units};
use crate::threads;
use crate::vocabulary::{Token, Tokens, Traits, Vocabulary};

const NAME: &str = "tiktoken";
/// How a token without bytes is written.
const EMPTY: &str = "=";
/// Two threads read a file of so many bytes: to start one takes as long as to read some thousands.
const LONG: usize = 100_000;

/// Whether a file looks like this: the first lines are base64 and a number.
pub(super) fn recognizes(bytes: &[u8]) -> bool {
    let Some(lines) = lines::beginning(bytes) else { return false };
    let mut entries = lines.iter().filter(|line| !line.is_empty()).peekable();
    let mut bytes = Vec::new();
    entries.peek().is_some() && entries.all(|line| entry(line, &mut bytes).is_some())
}

/// Writes the bytes of a line's token behind others; returns its rank. Where that is `None` some may
/// have been written.
fn entry(line: &str, bytes: &mut Vec<u8>) -> Option<u32> {
    let (token, rank) = line.split_at(memchr::memchr(b' ', line.as_bytes())?);
    let rank = rank.get(1..)?;
    // Whisper's files end with an empty token, whose base64 is padding alone.
    if token != EMPTY {
        let before = bytes.len();
        STANDARD.decode_vec(token, bytes).ok().filter(|()| bytes.len() > before)?;
    }
    let is_number = !rank.is_empty() && rank.bytes().all(|byte| byte.is_ascii_digit());
    rank.parse().ok().filter(|_| is_number)
}

/// Reads a file; `known` must hold the pattern.
pub(super) fn read(files: &Files, known: &Known) -> Result<Loaded> {
    let Some(pattern) = &known.pattern else {
        return Err(Error::Value(
            "a .tiktoken file does not hold its split pattern; pass it, and the special tokens: \
             load(path, pattern=\"cl100k\", special_tokens={\"<|endoftext|>\": 100257})"
                .into(),
        ));
    };
    let mut tokens = ordinary(lines::text(only(files, NAME)?)?, &known.limits)?;
    let added = specials(&tokens, &known.special_tokens);
    for added in &added {
        tokens.push(added.id, Traits::ADDED_ONLY, added.content.as_bytes());
    }
    let vocabulary = tokens.vocabulary()?;
    check_unlike(&vocabulary)?;
    check_bytes(&vocabulary).map_or(Ok(()), |missing| Err(Error::Format(missing)))?;
    let model = Model {
        ignore_merges: true,
        added_tokens: added,
        pre_tokenizer: Some(over_bytes(pattern)),
        decoder: Some(Decoder::ByteLevel(ByteLevel::alphabet_only())),
        ..Model::new(vocabulary, Units::Bytes, Rule::Ranks)
    };
    Ok(Loaded { model, training: None })
}

/// The tokens of a file. A long one is read by two threads, from both halves, unless something is wrong with it:
/// then it is read again for which line comes first.
fn ordinary(text: &str, limits: &Limits) -> Result<Tokens> {
    let tokens = by_halves(text).map_or_else(|| listed(text), Ok)?;
    if let Some((id, bytes)) = tokens.largest() {
        let name = format!("{:?}", lines::shortened(&String::from_utf8_lossy(bytes)));
        limits.check_id(id, tokens.len(), &name)?;
    }
    Ok(tokens)
}

fn by_halves(text: &str) -> Option<Tokens> {
    let middle = text.len() / 2;
    let end = memchr::memchr(b'\n', &text.as_bytes()[middle..])?;
    if text.len() < LONG || threads::available(None) == 1 {
        return None;
    }
    let (first, second) = text.split_at(middle + end + 1);
    // what ends a text is dropped, of a line no more than what ends a line
    if first[first.trim_end_matches(['\r', '\n']).len()..].contains("\r\r") {
        return None;
    }
    let (second, first) = threads::beside(|| listed(second), || listed(first));
    let mut tokens = first.ok()?;
    tokens.append(&second.ok()?);
    Some(tokens)
}

/// The tokens of these lines.
fn listed(text: &str) -> Result<Tokens> {
    let mut tokens = Tokens::with_room(text.len() / 16, text.len() / 2);
    for (number, line) in lines::numbered(text).filter(|(_, line)| !line.is_empty()) {
        let Some(rank) = entry(line, tokens.begin()) else {
            let line = lines::shortened(line);
            return Err(Error::Format(format!(
                "line {number}: {line:?} is not a token in base64, a space, and its rank"
            )));
        };
        // no text becomes a token without bytes
        let is_empty = tokens.begun() == 0;
        tokens.add(rank, Traits::LITERAL.only_if(is_empty));
    }
    Ok(tokens)
}

/// The special tokens; those without an id come after all others.
fn specials(tokens: &Tokens, known: &[(String, Option<u32>)]) -> Vec<AddedToken> {
    let given = known.iter().filter_map(|(_, id)| *id);
    let largest = tokens.largest().map(|(id, _)| id).into_iter().chain(given).max();
    let mut next = largest.map_or(0, |id| id.saturating_add(1));
    let mut added = Vec::with_capacity(known.len());
    for (content, id) in known {
        let id = id.unwrap_or(next);
        next = next.max(id.saturating_add(1));
        added.push(special(id, content));
    }
    added.sort_by_key(|token| token.id);
    added
}

/// Refuses two ranks for one token.
pub(super) fn check_unlike(vocabulary: &Vocabulary) -> Result<()> {
    if vocabulary.is_distinct() {
        return Ok(());
    }
    let twice = |(id, bytes): &(u32, &[u8])| {
        vocabulary.merges(*id) && vocabulary.id_of(bytes, false) != Some(*id)
    };
    let Some((id, bytes)) = vocabulary.iter().find(twice) else { return Ok(()) };
    let first = vocabulary.id_of(bytes, false).unwrap_or(id);
    let token = String::from_utf8_lossy(bytes);
    Err(Error::Format(format!("the token {token:?} has two ranks, {first} and {id}")))
}

/// Which single bytes are no tokens: tiktoken needs all of them.
fn check_bytes(vocabulary: &Vocabulary) -> Option<String> {
    let is_missing = |byte: &u8| vocabulary.id_of(&[*byte], false).is_none();
    let missing: Vec<_> = (0..=255).filter(is_missing).map(|byte| format!("{byte:02X}")).collect();
    let shown = missing.iter().take(8).map(String::as_str).collect::<Vec<_>>().join(" ");
    let more = if missing.len() > 8 { " …" } else { "" };
    let count = missing.len();
    (count > 0).then(|| format!("{count} of the 256 single bytes are no tokens: {shown}{more}"))
}

/// A pre-tokenizer that ends with the byte level.
pub(super) fn over_bytes(pattern: &PreTokenizer) -> PreTokenizer {
    let parts = cannot::parts(pattern);
    if parts.iter().any(|part| matches!(part, PreTokenizer::ByteLevel(_))) {
        return pattern.clone();
    }
    let byte_level = PreTokenizer::ByteLevel(ByteLevel::alphabet_only());
    PreTokenizer::Sequence {
        pretokenizers: parts.into_iter().cloned().chain([byte_level]).collect(),
    }
}

/// Writes a model whose ids are ranks.
///
/// The pattern and the special tokens are left out: that is how the format is.
pub(super) fn write(model: &Model, _: Option<&serde_json::Value>) -> Contents {
    let vocabulary = &model.vocabulary;
    let special = spell::unmet(model);
    let mut cannot = Cannot::new(NAME);
    cannot
        .add(cannot::no_bytes(model))
        .add(cannot::marker(model))
        .add(cannot::dropout(model))
        .add(cannot::always_added(model))
        .add(cannot::unused(model))
        .add(cannot::glossaries(model))
        .add(cannot::normalizer(model))
        .add(cannot::post_processor(model))
        .add(odd_token(model, &special))
        .check()?;
    cannot
        .add(cannot::matched_otherwise(model))
        .add(check_bytes(vocabulary))
        .add(ranks::why_not(&without(model, &special)?)?)
        .check()?;
    check_unlike(vocabulary)?;
    let mut file = Vec::with_capacity(20 * vocabulary.len());
    for (id, bytes) in vocabulary.iter() {
        let token = if bytes.is_empty() { EMPTY.into() } else { STANDARD.encode(bytes) };
        if bytes.is_empty() || (vocabulary.merges(id) && !special.contains(&id)) {
            writeln!(file, "{token} {id}").expect("writing to memory does not fail");
        }
    }
    Ok(vec![file])
}

/// A token that is neither ordinary nor special, or both.
pub(super) fn odd_token(model: &Model, special: &HashSet<u32>) -> Option<String> {
    let vocabulary = &model.vocabulary;
    let added: HashSet<u32> = model.added_tokens.iter().map(|added| added.id).collect();
    vocabulary.iter().filter(|(_, bytes)| !bytes.is_empty()).find_map(|(id, _)| {
        let is_ordinary = vocabulary.merges(id) && !special.contains(&id);
        let what = match (is_ordinary, added.contains(&id)) {
            (true, true) => "a special token and an ordinary one",
            (false, false) => "neither a special token nor made by merging",
            _ => return None,
        };
        Some(format!("{:?} (id {id}) is {what}", model.spelling(id)))
    })
}

/// The model as it is without the special tokens `left_out` in its vocabulary.
pub(super) fn without(model: &Model, left_out: &HashSet<u32>) -> Result<Model> {
    let vocabulary = &model.vocabulary;
    let tokens = vocabulary.iter().map(|(id, bytes)| Token {
        added_only: !vocabulary.merges(id) || left_out.contains(&id),
        ..Token::new(id, bytes)
    });
    let kept = Vocabulary::new(tokens.collect())?;
    let model = Model {
        ignore_merges: model.ignore_merges,
        ..Model::new(kept, model.units, model.rule.clone())
    };
    Ok(model)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components::{Behavior, Pattern};

    fn pattern() -> PreTokenizer {
        PreTokenizer::Split {
            pattern: Pattern::Regex(r"\S+|\s+".into()),
            behavior: Behavior::Isolated,
            invert: false,
        }
    }

    fn known(special_tokens: &[(&str, Option<u32>)]) -> Known {
        let special_tokens = special_tokens.iter().map(|(s, id)| ((*s).to_owned(), *id)).collect();
        Known { pattern: Some(pattern()), special_tokens, ..Known::default() }
    }

    /// All single bytes, then `more`.
    fn file(more: &[(&[u8], u32)]) -> Vec<u8> {
        let mut file = Vec::new();
        for byte in 0..=255 {
            writeln!(file, "{} {byte}", STANDARD.encode([byte])).expect("memory");
        }
        for (token, rank) in more {
            writeln!(file, "{} {rank}", STANDARD.encode(token)).expect("memory");
        }
        file
    }

    fn load(file: &[u8], known: &Known) -> Result<Model> {
        super::super::read(&Files::One(file), Some(NAME), known).map(|loaded| loaded.model)
    }

    fn refusal(file: &[u8], known: &Known) -> String {
        load(file, known).err().expect("refused").to_string()
    }

    #[test]
    fn ranks_are_ids_and_holes_stay() {
        let bytes = file(&[(b"ab", 256), (b"abc", 258)]);
        let model = load(&bytes, &known(&[("<|e|>", Some(257)), ("<|f|>", None)])).expect("sound");
        assert_eq!(model.vocabulary.bytes(258), b"abc");
        let added: Vec<_> = model.added_tokens.iter().map(|a| (a.id, a.content.as_str())).collect();
        assert_eq!(added, [(257, "<|e|>"), (259, "<|f|>")]);
        assert!(model.ignore_merges && model.rule == Rule::Ranks);
        assert_eq!(model.pre_tokenizer, Some(over_bytes(&pattern())));
        assert_eq!(write(&model, None).expect("holds it"), [bytes]);
    }

    #[test]
    fn a_missing_pattern_names_the_remedy() {
        let message = refusal(&file(&[]), &Known::default());
        assert!(message.contains("load(path, pattern=\"cl100k\""), "{message}");
    }

    #[test]
    fn lines_that_are_no_entries_are_named() {
        for line in ["== 256", " 256", "YWI= x", "YWI=", "YWI 256", "YWI= +256", "YWI=  256"] {
            let bytes = [file(&[]), line.into()].concat();
            let message = refusal(&bytes, &known(&[]));
            assert!(message.starts_with(&format!("line 257: {line:?} is not")), "{message}");
        }
    }

    #[test]
    fn both_halves_of_a_long_file_are_one_list() {
        let words: Vec<_> = (256..20_000).map(|rank: u32| (format!("w{rank}"), rank)).collect();
        let entries: Vec<(&[u8], u32)> = words.iter().map(|(w, r)| (w.as_bytes(), *r)).collect();
        let swapped: Vec<_> = entries.iter().map(|&(word, rank)| (word, rank ^ 1)).collect();
        for (entries, end) in [(&entries, "\n"), (&entries, "\r\n"), (&swapped, "\n\n")] {
            let text = String::from_utf8(file(entries)).expect("ASCII").replace('\n', end);
            let tokens = ordinary(&text, &Limits::default()).expect("sound");
            assert!(text.len() > LONG && tokens.len() == 20_000);
            let vocabulary = tokens.vocabulary().expect("sound");
            assert!(entries.iter().all(|&(word, rank)| vocabulary.bytes(rank) == word));
            let halves = by_halves(&text).is_some();
            assert_eq!(halves, threads::available(None) > 1);
            // of the lines in the middle, one ends the first half
            let middle = text[..text.len() / 2].split_inclusive(end).count() - 1;
            for line in [3, middle - 1, middle, middle + 1, 19_000] {
                let mut lines: Vec<_> = text.split_inclusive(end).collect();
                lines[line] = "YQ== 70000\r\r\n";
                let error = ordinary(&lines.concat(), &Limits::default()).err().expect("refused");
                let number = 1 + line * end.matches('\n').count();
                let expected = format!("line {number}: \"YQ== 70000\\r\" is not");
                assert!(error.to_string().starts_with(&expected), "{error}");
            }
        }
    }

    #[test]
    fn contradictions_are_named() {
        let message = refusal(&file(&[(b"ab", 256), (b"ab", 257)]), &known(&[]));
        assert_eq!(message, "the token \"ab\" has two ranks, 256 and 257");
        let message = refusal(&file(&[(b"ab", 255)]), &known(&[]));
        assert!(message.starts_with("id 255 is given to"), "{message}");
        let message = refusal(&file(&[]), &known(&[("<s>", Some(7))]));
        assert!(message.starts_with("id 7 is given to"), "{message}");
        let message = refusal(b"YQ== 0\n", &known(&[]));
        assert!(
            message.starts_with("255 of the 256 single bytes are no tokens: 00 01"),
            "{message}"
        );
        let message = refusal(b"YQ== 4000000\n", &known(&[]));
        assert!(
            message
                .starts_with("\"a\" has id 4000000, which is too large for 1 tokens; the limit id"),
            "{message}"
        );
    }

    #[test]
    fn what_it_cannot_hold_is_told() {
        let model = load(&file(&[(b"ab", 256)]), &known(&[])).expect("sound");
        let marked = Model {
            end_of_word: Some(crate::model::EndOfWord { marker: "</w>".into(), attached: true }),
            normalizer: Some(crate::components::Normalizer::NFC),
            decoder: None,
            ..model.clone()
        };
        let message = write(&marked, None).expect_err("refused").to_string();
        for part in ["end-of-word marker \"</w>\"", "a normalizer (NFC)", "no decoder"] {
            assert!(message.contains(part), "{message}");
        }
        let wrong = Model { rule: Rule::Merges(Vec::new()), ..model };
        let message = write(&wrong, None).expect_err("refused").to_string();
        assert!(
            message.contains("\"ab\" (id 256) is not what its own bytes merge to"),
            "{message}"
        );
    }

    #[test]
    fn a_token_without_bytes_is_padding_alone() {
        let lines: Vec<String> =
            (0..=255_u8).map(|byte| format!("{} {byte}\n", STANDARD.encode([byte]))).collect();
        let file = format!("{}= 256\n", lines.concat());
        let loaded = read(&Files::One(file.as_bytes()), &known(&[])).expect("sound");
        assert_eq!(loaded.model.vocabulary.bytes(256), b"");
        assert!(loaded.model.vocabulary.literal(256));
        let model = loaded.model.checked().expect("sound");
        assert_eq!(write(&model, None).expect("holds it")[0], file.as_bytes());
    }
}
