//! subword-nmt's `codes`, and OpenNMT's and fastBPE's: merges, best first, over characters.
//!
//! How a file marks the end of words is the matter of [`dialect`]. There are no ids in the file:
//! here special tokens come first, then the characters that the merges show, then what they make.

use foldhash::fast::FixedState;
use hashbrown::HashSet;
use std::borrow::Cow;
use std::collections::BTreeSet;

use super::cannot::{self, Cannot};
use super::dialect::{self, Dialect, MARKER};
use super::lines::MergeLine;
use super::spelled::{self, Index, Repeated, Spelling};
use super::{Contents, Files, Known, Loaded, filter, glossaries, lines, only, special, spell};
use crate::components::{
    AddedToken, Behavior, Decoder, Metaspace, Pattern, PreTokenizer, PrependScheme,
};
use crate::error::{Error, Result};
use crate::model::{EndOfWord, Merge, Model, Rule, Units, Unknown};

const NAME: &str = "subword-nmt";
/// What stands between words: subword-nmt strips line ends and splits at spaces.
const SPACES: &str = "[ \\r\\n]+";
/// What stands before each word where a file marks that.
const BEGINNING: Metaspace = Metaspace {
    replacement: dialect::BEGINNING,
    prepend_scheme: PrependScheme::Always,
    split: true,
};

/// Whether a file looks like this.
pub(super) fn recognizes(bytes: &[u8]) -> bool {
    lines::beginning(bytes).is_some_and(|lines| dialect::recognizes(&lines))
}

/// Reads a file.
pub(super) fn read(files: &Files, known: &Known) -> Result<Loaded> {
    let text = lines::text(only(files, NAME)?)?;
    let dialect = Dialect::of(text)?;
    check_pattern(&dialect, known)?;
    let text = dialect.respelled(text)?;
    let lines = dialect.merges(&text)?;
    let specials = specials(known)?;
    let end = dialect.end.as_ref();
    let begin = dialect.begin.as_ref().map(|_| dialect::BEGINNING);
    let alphabet: Vec<char> = begin.into_iter().chain(known.initial_alphabet.clone()).collect();
    let mut entries = entries(&lines, &specials, end, &alphabet);
    if !known.glossaries.is_empty() {
        glossaries::add_tokens(&mut entries, &dialect, &known.glossaries)?;
    }
    let merges = merges(&dialect, &lines, &Index::of(&entries, &known.limits)?)?;
    let spelling =
        Spelling { units: Units::Chars, end_of_word: end, prefix: None, ignore_merges: false };
    let vocabulary = spelling.vocabulary(&entries, &merges, &specials)?;
    let unknown = |token: &String| entries.iter().find(|(spelling, _)| spelling == token);
    let mut model = Model {
        unknown: known
            .unk_token
            .as_ref()
            .and_then(unknown)
            .map(|(_, id)| Unknown { id: *id, fuse: false }),
        added_tokens: specials,
        pre_tokenizer: Some(split(&dialect, known)),
        decoder: Some(decoder(&dialect)),
        end_of_word: dialect.end.clone(),
        glossaries: known.glossaries.clone(),
        ..Model::new(vocabulary, Units::Chars, Rule::Merges(merges))
    };
    if let Some(allowed) = &known.vocabulary {
        model.unused = filter::unused(&model, &dialect, &lines, allowed)?;
    }
    Ok(Loaded { model, training: None })
}

/// Without a marker the spaces between words would be lost, so the caller must want that.
fn check_pattern(dialect: &Dialect, known: &Known) -> Result<()> {
    if dialect.end.is_some() || dialect.begin.is_some() || known.pattern.is_some() {
        return Ok(());
    }
    Err(Error::Value(
        "the codes have no end-of-word marker, so what is between words cannot be told from the \
         tokens; say how text is split: load(path, pattern=\"spaces\") drops spaces and line ends"
            .into(),
    ))
}

fn merges(dialect: &Dialect, lines: &[MergeLine], index: &Index) -> Result<Vec<Merge>> {
    if !dialect.by_product {
        let pairs = lines.iter().map(|merge| (merge.left, merge.right));
        let place = |merge: usize| format!("line {}", lines[merge].line);
        return spelled::merges(index, pairs, "", Repeated::FirstCounts, place);
    }
    dialect::check_characters(lines, dialect.end.as_ref().map(|end| end.marker.as_str()))?;
    let merges = dialect::splits(index, lines)?;
    Ok(spelled::without_repeated(merges, Repeated::FirstCounts))
}

/// How text is split, with the mark of a word's beginning before each word where there is one.
fn split(dialect: &Dialect, known: &Known) -> PreTokenizer {
    let split = known.pattern.clone().unwrap_or_else(spaces);
    if dialect.begin.is_none() {
        return split;
    }
    let begin = PreTokenizer::Metaspace(Metaspace { split: false, ..BEGINNING });
    PreTokenizer::Sequence { pretokenizers: vec![split, begin] }
}

/// Words with one space between: where each ends, or else where each begins.
fn decoder(dialect: &Dialect) -> Decoder {
    match (&dialect.begin, &dialect.end) {
        (None, None) => Decoder::Fuse,
        (Some(_), None) => Decoder::Metaspace(BEGINNING),
        (begin, Some(end)) => {
            let ends = Decoder::BPEDecoder { suffix: end.marker.clone() };
            if begin.is_none() {
                return ends;
            }
            let pattern = Pattern::String(dialect::BEGINNING.into());
            let begins = Decoder::Replace { pattern, content: String::new() };
            Decoder::Sequence { decoders: vec![ends, begins] }
        }
    }
}

fn spaces() -> PreTokenizer {
    PreTokenizer::Split {
        pattern: Pattern::Regex(SPACES.into()),
        behavior: Behavior::Removed,
        invert: false,
    }
}

/// The special tokens with their ids, from 0; an unknown token not among them goes first.
fn specials(known: &Known) -> Result<Vec<AddedToken>> {
    let is_listed = |token: &String| known.special_tokens.iter().any(|(listed, _)| listed == token);
    let unlisted = known.unk_token.iter().filter(|token| !is_listed(token));
    let all = unlisted
        .map(|token| (token, None))
        .chain(known.special_tokens.iter().map(|(token, id)| (token, *id)));
    let specials = (0..).zip(all).map(|(next, (token, id))| match id {
        Some(id) if id != next => Err(Error::Value(format!(
            "special token {token:?} is given id {id}, but a codes file has no ids: special tokens \
             get theirs from 0 in the order given, this one {next}"
        ))),
        _ => Ok(special(next, token)),
    });
    specials.collect()
}

/// All tokens in the order of their ids.
fn entries<'a>(
    merges: &[MergeLine<'a>],
    specials: &[AddedToken],
    end: Option<&EndOfWord>,
    alphabet: &[char],
) -> Vec<(Cow<'a, str>, u32)> {
    let mut products = Vec::with_capacity(merges.len());
    let mut made = HashSet::with_capacity_and_hasher(merges.len(), FixedState::default());
    for merge in merges {
        let product = format!("{}{}", merge.left, merge.right);
        if made.insert(product.clone()) {
            products.push(product);
        }
    }
    let symbols = merges.iter().flat_map(|merge| [merge.left, merge.right]);
    let base = base(symbols.filter(|symbol| !made.contains(*symbol)), end, alphabet);
    let tokens = specials.iter().map(|special| special.content.clone()).chain(base).chain(products);
    tokens.zip(0..).map(|(token, id)| (Cow::Owned(token), id)).collect()
}

/// The base symbols: characters by code point, a separate marker among them; with an attached
/// marker all characters once more, ending a word.
fn base<'a>(
    symbols: impl Iterator<Item = &'a str>,
    end: Option<&EndOfWord>,
    alphabet: &[char],
) -> Vec<String> {
    let attached = end.filter(|end| end.attached).map(|end| end.marker.as_str());
    let separate = end.filter(|end| !end.attached).map(|end| end.marker.as_str());
    let mut plain: BTreeSet<String> = alphabet.iter().map(char::to_string).collect();
    let mut longer = BTreeSet::new();
    for symbol in symbols {
        let stem = attached.and_then(|marker| symbol.strip_suffix(marker));
        let stem = stem.filter(|stem| !stem.is_empty());
        let stem = stem.unwrap_or(symbol);
        if stem.chars().nth(1).is_none() {
            plain.insert(stem.to_owned());
        } else {
            longer.insert(symbol.to_owned()); // no merge makes it: the file was cut
        }
    }
    if let Some(marker) = separate {
        longer.remove(marker);
        plain.insert(marker.to_owned());
    }
    let ending = |marker| plain.iter().map(move |symbol| format!("{symbol}{marker}"));
    let ending: BTreeSet<_> = attached.into_iter().flat_map(ending).collect();
    plain.into_iter().chain(ending).chain(longer).collect()
}

/// Writes a model's merges; ids, special tokens and the unknown token are left out: that is how
/// the format is.
pub(super) fn write(model: &Model, _: Option<&serde_json::Value>) -> Contents {
    Cannot::new(NAME)
        .add((model.units == Units::Bytes).then_some("its units are bytes, not characters"))
        .add(cannot::no_merges(model))
        .add(cannot::ignore_merges(model))
        .add(cannot::characters_in_parts(model))
        .add(cannot::dropout(model))
        .add(dropped_unknown(model))
        .add(cannot::always_added(model))
        .add(cannot::matched_otherwise(model))
        .add(cannot::fuse_unk(model))
        .add(cannot::other_decoder(model, &Decoder::BPEDecoder { suffix: MARKER.into() }))
        .add(cannot::unused(model))
        .add(cannot::glossaries(model))
        .add(other_marker(model))
        .add(cannot::normalizer(model))
        .add(other_split(model))
        .add(cannot::post_processor(model))
        .check()?;
    let (Rule::Merges(merges), Some(end)) = (&model.rule, &model.end_of_word) else {
        unreachable!("refused above")
    };
    spell::entries(model, merges, &HashSet::new())?;
    let lines = spell::lines(model, merges, NAME)?;
    let version = match end.attached {
        true => "#version: 0.2\n",
        // as these codes have always been written, unless the beginning would not tell what they are
        false if recognizes(lines.as_bytes()) && !dialect::has_header(&lines) => "",
        false => "#version: 0.1\n",
    };
    Ok(vec![[version, &lines].concat().into_bytes()])
}

/// Characters left out where they are no token, which codes refuse unless they are opened with an unknown token.
fn dropped_unknown(model: &Model) -> Option<&'static str> {
    let drops = model.drops_unknown && model.unknown.is_none() && model.may_be_unknown();
    drops.then_some("it leaves unknown characters out (drops_unknown)")
}

fn other_marker(model: &Model) -> Option<String> {
    match &model.end_of_word {
        None => Some(format!("it has no end-of-word marker; the format's is {MARKER:?}")),
        Some(end) if end.marker == MARKER => None,
        Some(end) => Some(format!("its marker is {:?}; the format's is {MARKER:?}", end.marker)),
    }
}

fn other_split(model: &Model) -> Option<&'static str> {
    let splits = model.pre_tokenizer.as_ref();
    let is_same = splits.is_some_and(|split| cannot::is_split(split, SPACES, Behavior::Removed));
    (!is_same).then_some("it does not split at spaces and line ends alone (pattern \"spaces\")")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(file: &str, known: &Known) -> Result<Model> {
        let files = Files::One(file.as_bytes());
        super::super::read(&files, Some(NAME), known).map(|loaded| loaded.model)
    }

    fn spellings(model: &Model) -> Vec<String> {
        (0..model.vocabulary.ids() as u32).map(|id| model.spelling(id)).collect()
    }

    #[test]
    fn version_2_has_both_forms_of_each_character() {
        let known = Known {
            unk_token: Some("<unk>".into()),
            initial_alphabet: vec!['z'],
            ..Known::default()
        };
        let file = "#version: 0.2\nb a\nba b</w>\nb a\n";
        let model = load(file, &known).expect("sound");
        let expected = ["<unk>", "a", "b", "z", "a</w>", "b</w>", "z</w>", "ba", "bab</w>"];
        assert_eq!(spellings(&model), expected);
        assert_eq!(model.unknown, Some(Unknown { id: 0, fuse: false }));
        assert!(model.vocabulary.literal(0) && model.vocabulary.ends_word(8));
        let written = write(&model, None).expect("holds it");
        assert_eq!(String::from_utf8_lossy(&written[0]), "#version: 0.2\nb a\nba b</w>\n");
    }

    #[test]
    fn without_version_the_marker_is_a_symbol() {
        let model = load("t </w>\nz t</w>\n", &Known::default()).expect("sound");
        assert_eq!(spellings(&model), ["</w>", "t", "z", "t</w>", "zt</w>"]);
        assert!(model.vocabulary.ends_word(0) && model.vocabulary.bytes(0).is_empty());
        let written = write(&model, None).expect("holds it");
        assert_eq!(String::from_utf8_lossy(&written[0]), "t </w>\nz t</w>\n");
    }

    #[test]
    fn text_that_spells_the_marker_is_text() {
        let file = "#version: 0.2\n< /\n</ w\n</w >\n";
        let model = load(file, &Known::default()).expect("sound");
        let ids = |spelling| spellings(&model).iter().position(|s| s == spelling).expect("listed");
        assert!(!model.vocabulary.ends_word(ids("</w>") as u32));
    }

    #[test]
    fn opennmt_merges_whatever_joins_to_a_product() {
        let file = "v3;false;true;false;<w>;_\na b\nc _\nb c_\nab c_\n";
        let model = load(file, &Known::default()).expect("sound");
        let expected = ["_", "a", "b", "c", "ab", "c_", "bc_", "abc_"];
        assert_eq!(spellings(&model), expected);
        let Rule::Merges(merges) = &model.rule else { panic!("a list") };
        let pairs: Vec<_> = merges.iter().map(|m| (m.left, m.right)).collect();
        // the last product has two splits
        assert_eq!(pairs, [(1, 2), (3, 0), (2, 5), (1, 6), (4, 5)]);
        assert_eq!(model.decoder, Some(Decoder::BPEDecoder { suffix: "_".into() }));
        let message = load("v3;false;true;false;<w>;_\ne\u{301} t\n", &Known::default());
        let message = message.err().expect("refused").to_string();
        assert!(message.starts_with("line 2: \"e\\u{301}\" is made by no merge"), "{message}");
    }

    #[test]
    fn without_a_marker_the_pattern_must_be_given() {
        let file = "v3;false;false;false;<w>;</w>\na b\n";
        let message = load(file, &Known::default()).err().expect("refused").to_string();
        assert!(message.contains("load(path, pattern=\"spaces\")"), "{message}");
        let known = Known { pattern: Some(spaces()), ..Known::default() };
        let model = load(file, &known).expect("sound");
        assert_eq!(spellings(&model), ["a", "b", "ab"]);
        assert_eq!((model.end_of_word, model.decoder), (None, Some(Decoder::Fuse)));
    }

    #[test]
    fn counts_are_left_out() {
        let model = load("b a 21\nba b</w> 4\n", &Known::default()).expect("sound");
        let written = write(&model, None).expect("holds it");
        assert_eq!(String::from_utf8_lossy(&written[0]), "#version: 0.2\nb a\nba b</w>\n");
    }

    #[test]
    fn faults_are_named() {
        let refusal = |file| load(file, &Known::default()).err().expect("refused").to_string();
        let message = refusal("#version: 0.2\na b\na b 17\n");
        assert_eq!(message, "line 3: \"a b 17\" is not two symbols with one space between");
        let message = refusal("#version: 0.2\n< /\na <\na </w>\n");
        assert_eq!(message, "\"a</w>\" is listed twice, as 5 and 9");
        let given = Known { special_tokens: vec![("<s>".into(), Some(5))], ..Known::default() };
        let message = load("a </w>\n", &given).err().expect("refused").to_string();
        assert!(message.contains("is given id 5, but a codes file has no ids"), "{message}");
        let known = Known { special_tokens: vec![("a".into(), None)], ..Known::default() };
        let message = load("a </w>\n", &known).err().expect("refused").to_string();
        assert_eq!(message, "\"a\" is listed twice, as 0 and 2");
    }

    #[test]
    fn what_it_cannot_hold_is_told() {
        let model = load("#version: 0.2\na b\n", &Known::default()).expect("sound");
        let other = Model {
            end_of_word: Some(EndOfWord { marker: "_".into(), attached: true }),
            pre_tokenizer: None,
            ..model.clone()
        };
        let message = write(&other, None).expect_err("refused").to_string();
        for part in ["its marker is \"_\"", "does not split at spaces"] {
            assert!(message.contains(part), "{message}");
        }
        let token = |id, text: &str| crate::vocabulary::Token::new(id, text);
        let tokens = vec![token(0, " "), token(1, "a"), token(2, " a")];
        let vocabulary = crate::vocabulary::Vocabulary::new(tokens).expect("unique ids");
        let rule = Rule::Merges(vec![Merge { left: 0, right: 1, merged: 2 }]);
        let message = write(&Model { vocabulary, rule, ..model }, None).expect_err("refused");
        assert!(message.to_string().starts_with("token 0 is \" \"; a symbol of the format"));
    }
}
