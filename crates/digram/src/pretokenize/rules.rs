//! Which patterns the word masks can run, told from the pattern itself.
//!
//! The published patterns are made of the same few clauses. A pattern is recognized if its syntax
//! tree is that of clauses known here, in an order known here: each alternative is looked up as
//! it is written, and the whole is parsed and compared where the spelling differs. Anything else
//! runs on the automaton, which needs to know nothing.

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
    Letters { prefixed: bool },
    Cased { contractions: Contractions },
    Numbers { spaced: bool, digits: Digits },
    Others(Tail),
    End,
    Lines,
}

/// Clauses as they are published.
const CLAUSES: [(&str, Clause); 18] = [
    (r"'s|'t|'re|'ve|'m|'ll|'d", Clause::Contraction(Fold::Nothing)),
    (r"'(?:[sdmt]|ll|ve|re)", Clause::Contraction(Fold::Nothing)),
    (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)", Clause::Contraction(Fold::Unicode)),
    (r"'(?i:[sdmt]|ll|ve|re)", Clause::Contraction(Fold::Unicode)),
    (
        r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])",
        Clause::Contraction(Fold::Ascii),
    ),
    (r" ?\p{L}+", Clause::Letters { prefixed: false }),
    (r"[^\r\n\p{L}\p{N}]?\p{L}+", Clause::Letters { prefixed: true }),
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
    (r"\p{N}", Clause::Numbers { spaced: false, digits: Digits::One }),
    (r" ?[^\s\p{L}\p{N}]+", Clause::Others(Tail::Nothing)),
    (r" ?[^\s\p{L}\p{N}]+[\r\n]*", Clause::Others(Tail::Newlines)),
    (r" ?[^\s\p{L}\p{N}]+[\r\n/]*", Clause::Others(Tail::NewlinesAndSlashes)),
    (r"\s+\z", Clause::End),
    (r"\s*[\r\n]+", Clause::Lines),
    (r"\s*[\r\n]", Clause::Lines),
];

impl Rules {
    /// The rules of a pattern that is known to mean them.
    pub fn of(form: &Linear) -> Option<Self> {
        if !form.gives_back {
            return None;
        }
        let mut clauses = Vec::new();
        let mut rest = Some(form.head.as_str());
        while let Some(pattern) = rest {
            let (spelling, clause) = first_clause(pattern)?;
            clauses.push(clause);
            rest = pattern[spelling.len()..].strip_prefix('|');
        }
        Self::of_clauses(&clauses)
    }

    fn of_clauses(clauses: &[Clause]) -> Option<Self> {
        let (before, rest) = match clauses {
            [Clause::Contraction(fold), rest @ ..] => (Some(Contractions::Before(*fold)), rest),
            rest => (None, rest),
        };
        let [letters, Clause::Numbers { spaced, digits }, Clause::Others(tail), blanks @ ..] = rest
        else {
            return None;
        };
        let (prefixed, cased, contractions) = match *letters {
            Clause::Letters { prefixed } => {
                (prefixed, false, before.unwrap_or(Contractions::Nowhere))
            }
            Clause::Cased { contractions } if before.is_none() => (true, true, contractions),
            _ => return None,
        };
        let (end, lines) = match blanks {
            // `\s+(?!\S)`, which comes behind, says the same as the end.
            [] | [Clause::End] => (false, false),
            [Clause::Lines] => (false, true),
            [Clause::End, Clause::Lines] => (true, true),
            _ => return None,
        };
        let (digits, tail) = (*digits, *tail);
        let known = prefixed != *spaced && prefixed == lines && (prefixed || tail == Tail::Nothing);
        known.then_some(Self { prefixed, cased, digits, contractions, tail, lines, end })
    }
}

/// The longest clause that a pattern begins with, as it is spelled there.
fn first_clause(pattern: &str) -> Option<(&'static str, Clause)> {
    let begins = |spelling: &str| {
        pattern.strip_prefix(spelling).is_some_and(|rest| rest.is_empty() || rest.starts_with('|'))
    };
    let known = CLAUSES.iter().filter(|(spelling, _)| begins(spelling));
    known.copied().max_by_key(|(spelling, _)| spelling.len())
}
