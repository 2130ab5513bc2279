//! Which patterns the word masks can run, told from the pattern itself.
//!
//! The published patterns are made of the same few clauses. A pattern is recognized if its syntax
//! tree is that of clauses known here, in an order known here: each alternative is looked up as
//! it is written, and the whole is parsed and compared where the spelling differs. Anything else
//! runs on the automaton, which needs to know nothing.

use once_cell::race::OnceBox;
use regex_syntax::ast::{self, Ast};
use regex_syntax::hir::Hir;
use std::ops::Range;

use super::patterns::Linear;

/// What tells the members of the family apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each stands for one clause of a pattern")]
pub(super) struct Rules {
    /// Whether any character but a letter, a number or a newline may begin a word of letters;
    /// otherwise a space may, and one of numbers as well.
    pub prefixed: bool,
    /// Whether a word ends where a capital follows a small letter, and marks are letters.
    pub cased: bool,
    /// Whether marks are letters, and no others.
    pub marked: bool,
    pub digits: Digits,
    pub contractions: Contractions,
    pub tail: Tail,
    /// Whether blanks up to the last newline of a run are a word.
    pub lines: bool,
    /// Whether the blanks that end a text are one word.
    pub end: bool,
}

/// How many numbers make a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Digits {
    All,
    One,
    UpToTwo,
    UpToThree,
}

/// Where `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` and `'d` are told from other quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contractions {
    Nowhere,
    /// At the beginning of a word, which they are then alone.
    Before(Fold),
    /// At the end of a word of letters.
    Behind(Fold),
}

/// Which letters count as the small ones of a contraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fold {
    /// The small ones.
    Nothing,
    /// Capitals as well.
    Ascii,
    /// Capitals, and the long s.
    Unicode,
}

/// What a word of other characters takes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tail {
    Nothing,
    Newlines,
    NewlinesAndSlashes,
}

/// A part of a pattern, alternatives with nothing to choose between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clause {
    Contraction(Fold),
    Letters { prefixed: bool, marked: bool },
    Cased { contractions: Contractions },
    Numbers { spaced: bool, digits: Digits },
    Others { tail: Tail, marked: bool },
    End,
    Lines,
}

/// Clauses as they are published.
const CLAUSES: [(&str, Clause); 24] = [
    (r"'s|'t|'re|'ve|'m|'ll|'d", Clause::Contraction(Fold::Nothing)),
    (r"'(?:[sdmt]|ll|ve|re)", Clause::Contraction(Fold::Nothing)),
    (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)", Clause::Contraction(Fold::Unicode)),
    (r"'(?i:[sdmt]|ll|ve|re)", Clause::Contraction(Fold::Unicode)),
    (
        r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])",
        Clause::Contraction(Fold::Ascii),
    ),
    (r" ?\p{L}+", Clause::Letters { prefixed: false, marked: false }),
    (r"[^\r\n\p{L}\p{N}]?\p{L}+", Clause::Letters { prefixed: true, marked: false }),
    (r" ?[\p{L}\p{M}]+", Clause::Letters { prefixed: false, marked: true }),
    // a mark before letters is one of them, so that it may be a prefix as well
    (r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+", Clause::Letters { prefixed: true, marked: true }),
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        Clause::Cased { contractions: Contractions::Behind(Fold::Unicode) },
    ),
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*",
        Clause::Cased { contractions: Contractions::Nowhere },
    ),
    (r" ?\p{N}+", Clause::Numbers { spaced: true, digits: Digits::All }),
    (r"\p{N}{1,3}", Clause::Numbers { spaced: false, digits: Digits::UpToThree }),
    (r"\p{N}{1,2}", Clause::Numbers { spaced: false, digits: Digits::UpToTwo }),
    (r"\p{N}", Clause::Numbers { spaced: false, digits: Digits::One }),
    (r" ?[^\s\p{L}\p{N}]+", others(Tail::Nothing, false)),
    (r" ?[^\s\p{L}\p{N}]+[\r\n]*", others(Tail::Newlines, false)),
    (r" ?[^\s\p{L}\p{N}]+[\r\n/]*", others(Tail::NewlinesAndSlashes, false)),
    (r" ?[^\s\p{L}\p{M}\p{N}]+", others(Tail::Nothing, true)),
    (r" ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*", others(Tail::Newlines, true)),
    (r" ?[^\s\p{L}\p{M}\p{N}]+[\r\n/]*", others(Tail::NewlinesAndSlashes, true)),
    (r"\s+\z", Clause::End),
    (r"\s*[\r\n]+", Clause::Lines),
    (r"\s*[\r\n]", Clause::Lines),
];

const fn others(tail: Tail, marked: bool) -> Clause {
    Clause::Others { tail, marked }
}

impl Fold {
    /// How many bytes of letters make a contraction with a quote before them; 0 if none do.
    pub fn contraction(self, letters: &[u8]) -> usize {
        let letter = |at: usize| {
            let byte = letters.get(at).copied().unwrap_or(0);
            if self == Self::Nothing { byte } else { byte.to_ascii_lowercase() }
        };
        match (letter(0), letter(1)) {
            (b's' | b'd' | b'm' | b't', _) => 1,
            (b'l', b'l') | (b'v' | b'r', b'e') => 2,
            _ if self == Self::Unicode && letters.starts_with("ſ".as_bytes()) => 2,
            _ => 0,
        }
    }
}

impl Rules {
    /// The rules of a pattern that is known to mean them.
    pub fn of(form: &Linear) -> Option<Self> {
        if !form.gives_back {
            return None;
        }
        let clauses = as_written(&form.head).or_else(|| as_parsed(&form.head))?;
        Self::of_clauses(&clauses)
    }

    fn of_clauses(clauses: &[Clause]) -> Option<Self> {
        let (before, rest) = match clauses {
            [Clause::Contraction(fold), rest @ ..] => (Some(Contractions::Before(*fold)), rest),
            rest => (None, rest),
        };
        let [
            letters,
            Clause::Numbers { spaced, digits },
            Clause::Others { tail, marked },
            rest @ ..,
        ] = rest
        else {
            return None;
        };
        let (prefixed, cased, contractions) = match *letters {
            Clause::Letters { prefixed, marked: own } if own == *marked => {
                (prefixed, false, before.unwrap_or(Contractions::Nowhere))
            }
            Clause::Cased { contractions } if before.is_none() && !marked => {
                (true, true, contractions)
            }
            _ => return None,
        };
        let (end, lines) = match rest {
            // `\s+(?!\S)`, which comes behind, says the same as the end.
            [] | [Clause::End] => (false, false),
            [Clause::Lines] => (false, true),
            [Clause::End, Clause::Lines] => (true, true),
            _ => return None,
        };
        let (digits, tail, marked) = (*digits, *tail, *marked);
        let known = prefixed != *spaced && prefixed == lines && (prefixed || tail == Tail::Nothing);
        known.then_some(Self { prefixed, cased, marked, digits, contractions, tail, lines, end })
    }
}

/// The clauses of a pattern that is spelled as they are.
fn as_written(pattern: &str) -> Option<Vec<Clause>> {
    let mut clauses = Vec::new();
    let mut rest = Some(pattern);
    while let Some(pattern) = rest {
        let begins = |spelling: &str| {
            let behind = pattern.strip_prefix(spelling);
            behind.is_some_and(|rest| rest.is_empty() || rest.starts_with('|'))
        };
        let known = CLAUSES.iter().filter(|(spelling, _)| begins(spelling));
        let &(spelling, clause) = known.max_by_key(|(spelling, _)| spelling.len())?;
        clauses.push(clause);
        rest = pattern[spelling.len()..].strip_prefix('|');
    }
    Some(clauses)
}

/// The clauses of a pattern whose syntax tree is theirs.
fn as_parsed(pattern: &str) -> Option<Vec<Clause>> {
    static KNOWN: OnceBox<Vec<(usize, Hir)>> = OnceBox::new();
    let known = KNOWN.get_or_init(|| {
        let parsed = |spelling| Some((alternatives(spelling)?.len(), parse(spelling)?));
        Box::new(
            CLAUSES.iter().map(|(spelling, _)| parsed(spelling).expect("they parse")).collect(),
        )
    });
    let alternatives = alternatives(pattern)?;
    let (mut at, mut clauses, mut spellings) = (0, Vec::new(), Vec::new());
    while at < alternatives.len() {
        let is = |(count, tree): &(usize, Hir)| {
            let Some(last) = alternatives.get(at + count - 1) else { return false };
            parse(&pattern[alternatives[at].start..last.end]).is_some_and(|own| own == *tree)
        };
        let found = known.iter().position(is)?;
        clauses.push(CLAUSES[found].1);
        spellings.push(CLAUSES[found].0);
        at += known[found].0;
    }
    // A flag may reach from one alternative into the next.
    (parse(pattern)? == parse(&spellings.join("|"))?).then_some(clauses)
}

fn parse(pattern: &str) -> Option<Hir> {
    regex_syntax::parse(pattern).ok()
}

/// Where the alternatives of a pattern stand.
fn alternatives(pattern: &str) -> Option<Vec<Range<usize>>> {
    let place = |tree: &Ast| tree.span().start.offset..tree.span().end.offset;
    let tree = ast::parse::Parser::new().parse(pattern).ok()?;
    Some(match &tree {
        Ast::Alternation(all) => all.asts.iter().map(place).collect(),
        one => vec![place(one)],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pretokenize::GPT2;
    use crate::pretokenize::patterns::linear;

    const QWEN2: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

    fn rules(pattern: &str) -> Option<Rules> {
        Rules::of(&linear(pattern).expect("has no look-around but the tail"))
    }

    #[test]
    fn a_pattern_is_known_however_it_is_spelled() {
        let qwen2 = rules(QWEN2).expect("known");
        assert_eq!(
            (qwen2.digits, qwen2.contractions),
            (Digits::One, Contractions::Before(Fold::Unicode))
        );
        for (written, otherwise) in [
            (r"\p{N}|", r"(?:\p{N})|"),
            (r"\p{N}|", r"\p{N}{1}|"),
            (r"[^\r\n\p{L}\p{N}]?", r"[^\p{L}\n\p{Number}\r]{0,1}"),
            (r"[^\s\p{L}\p{N}]", r"[^\p{L}\s\pN]"),
            (r"(?i:'s|", r"(?i:'S|"),
            (r"\s*[\r\n]+", r"\s*(?:\r|\n)+"),
        ] {
            let pattern = QWEN2.replacen(written, otherwise, 1);
            assert_ne!(pattern, QWEN2);
            assert_eq!(rules(&pattern), Some(qwen2), "{pattern}");
        }
    }

    #[test]
    fn a_pattern_that_means_something_else_is_not_known() {
        for (written, otherwise) in [
            (r"\p{N}|", r"\p{Nd}|"),
            (r"\p{N}|", r"\p{N}{1,4}|"),
            (r"\p{N}|", ""),
            (r"\p{N}|", r"\p{N}||"),
            (r"|\p{N}", r"|\p{N}|\p{N}"),
            (r"[\r\n]*|", r"[\r\n]*?|"),
            (r"\p{L}+|", r"[\p{L}\p{M}]+|"),
            (r"(?i:'s|", r"(?i:'z|"),
            (r"(?i:'s|", r"(?i)(?:'s|"),
            (r"\s*[\r\n]+|", r"\s*[\r\n]+|\s+\z|"),
            (r"|\s+(?!\S)|\s+", r"|\s+"),
        ] {
            let pattern = QWEN2.replacen(written, otherwise, 1);
            assert_ne!(pattern, QWEN2);
            assert_eq!(rules(&pattern), None, "{pattern}");
        }
        assert!(rules(GPT2).is_some());
        let apart = GPT2.replace(r" ?\p{N}+", r"\p{N}+");
        assert_eq!(rules(&apart), None);
    }
}
