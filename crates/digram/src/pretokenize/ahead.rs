//! Patterns that look ahead to the end of a stretch, in time linear in the text.
//!
//! Numbers are grouped from the right by `(?=(\d{3})+(?!\d))`, or by `\d{1,3}(?=(?:\d{3})*\b)`. At each digit
//! they look to the end of the number. That is told for all places of a number at once (`backward`), and kept while
//! the text is walked through (`Marks`).

use fancy_regex::{Expr, LookAround};
use regex_syntax::hir::ClassUnicode;

use super::backward::Backward;
use super::sets::{class, contains, runs};
use super::table::Table;

/// Longer patterns are not looked at: classes are put together for each of their parts.
const MOST_BYTES: usize = 4096;
/// So many characters may stand before the place from which a pattern looks ahead.
const MOST_BEFORE: usize = 64;

/// Characters of a class, of which as many as can be match, and look-ahead behind them.
pub(super) struct Ahead {
    before: Option<Repeated>,
    rest: Backward,
    /// The stretches out of which neither goes.
    stretches: Table,
}

/// `[…]{1,3}`.
struct Repeated {
    class: ClassUnicode,
    least: usize,
    most: usize,
}

/// The places of a stretch where look-ahead holds.
#[derive(Default)]
pub(super) struct Marks {
    from: usize,
    /// Where the stretch ends, which is such a place too.
    to: usize,
    /// A bit for each byte from `from` on.
    bits: Vec<u64>,
}

impl Ahead {
    /// One of a pattern, if it is such.
    pub fn of(pattern: &str) -> Option<Self> {
        if pattern.len() > MOST_BYTES {
            return None;
        }
        let tree = Expr::parse_tree(pattern).ok()?.expr;
        let (before, rest) = match bare(&tree) {
            Expr::LookAround(ahead, LookAround::LookAhead) => (None, Backward::of(ahead)?),
            Expr::Concat(parts) => {
                let [before, Expr::LookAround(ahead, LookAround::LookAhead)] = &parts[..] else {
                    return None;
                };
                (Some(repeated(bare(before))?), Backward::of(ahead)?)
            }
            _ => return None,
        };
        if before.is_none() && rest.may_be_empty() {
            return None;
        }
        let mut characters = rest.characters();
        if let Some(before) = &before {
            characters.union(&before.class);
        }
        if characters.ranges().is_empty() {
            return None;
        }
        Some(Self { before, rest, stretches: Table::of_parsed(&[runs(characters)])? })
    }

    /// The first match from `position` on, in a text of which `marks` are known.
    pub fn find(&self, text: &str, position: usize, marks: &mut Marks) -> Option<(usize, usize)> {
        let mut position = position;
        loop {
            if !marks.hold(position) {
                position = self.stretches.candidate(text.as_bytes(), position);
                let end = self.stretches.run(text.as_bytes(), position)?.end;
                marks.begin(position, end);
                self.rest.tell(text, position, end, |place| marks.set(place));
            }
            let found = match &self.before {
                None => marks.next(position).map(|place| (place, place)),
                Some(before) => before.find(text, position, marks),
            };
            if found.is_some() {
                return found;
            }
            position = marks.to;
        }
    }
}

impl Repeated {
    /// The first match from `position` on that begins within the stretch.
    fn find(&self, text: &str, position: usize, marks: &Marks) -> Option<(usize, usize)> {
        let stretch = &text[..marks.to];
        let mut start = position;
        while let Some(first) = stretch[start..].chars().next() {
            let mut found = None;
            let mut end = start;
            for (count, character) in (1..=self.most).zip(stretch[start..].chars()) {
                if !contains(&self.class, character) {
                    break;
                }
                end += character.len_utf8();
                if count >= self.least && marks.has(end) {
                    found = Some((start, end));
                }
            }
            if found.is_some() {
                return found;
            }
            start += first.len_utf8();
        }
        None
    }
}

impl Marks {
    /// Whether a place is in the stretch.
    pub fn hold(&self, place: usize) -> bool {
        (self.from..self.to).contains(&place)
    }

    fn begin(&mut self, from: usize, to: usize) {
        self.bits.clear();
        self.bits.resize((to - from) / 64 + 1, 0);
        (self.from, self.to) = (from, to);
    }

    fn set(&mut self, place: usize) {
        let bit = place - self.from;
        self.bits[bit / 64] |= 1 << (bit % 64);
    }

    fn has(&self, place: usize) -> bool {
        let bit = place - self.from;
        self.bits[bit / 64] >> (bit % 64) & 1 != 0
    }

    /// The first place from `place` on.
    fn next(&self, place: usize) -> Option<usize> {
        let bit = place - self.from;
        let mut word = self.bits[bit / 64] & (u64::MAX << (bit % 64));
        let mut at = bit / 64;
        while word == 0 {
            at += 1;
            word = *self.bits.get(at)?;
        }
        Some(self.from + 64 * at + word.trailing_zeros() as usize)
    }
}

/// An expression without the groups around it.
fn bare(expression: &Expr) -> &Expr {
    match expression {
        Expr::Group(inner) => bare(inner),
        other => other,
    }
}

fn once(character: &str, ignores_case: bool) -> Option<Repeated> {
    Some(Repeated { class: class(character, ignores_case)?, least: 1, most: 1 })
}

/// A character of a class so many times, as often as can be.
fn repeated(expression: &Expr) -> Option<Repeated> {
    match expression {
        Expr::Delegate { inner, casei } => once(inner, *casei),
        Expr::Literal { val, casei } if val.chars().nth(1).is_none() => {
            once(&regex_syntax::escape(val), *casei)
        }
        Expr::Repeat { child, lo, hi, greedy: true } if (1..=*hi).contains(lo) => {
            let one = repeated(bare(child)).filter(|one| one.most == 1)?;
            (*hi <= MOST_BEFORE).then_some(Repeated { least: *lo, most: *hi, ..one })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::backtracking::{bounded, find_slowly};
    use super::*;

    #[test]
    fn matches_are_those_of_the_backtracking_engine() {
        let before = ["", "1", "1{1,3}", "[1é]{2}", "(?i:A){1,2}"];
        let within = [
            "(111)+",
            "(?:11)*",
            "(?:1|aé)+",
            "1?",
            "(1{2,3}a?)+",
            "1",
            "(?:é?11){1,2}",
            "(?=1)1+",
            "a*1",
            "(?:)",
        ];
        let behind = [
            "",
            "1",
            "(?!1)",
            r"(?:[^1]|\z)",
            "(?=[^1]|\\z)",
            r"(?<=1)(?!1)",
            "(?<!a)",
            r"\z",
            "a",
            "(?!a|1)",
            r"(?:(?<=[1é])(?![1é])|(?<![1é])(?=[1é]))",
            "(?:a|1(?!1))",
            r"(?:\A|a)",
            r"\b",
            r"\B",
        ];
        let texts = texts();
        let mut known = 0;
        for before in before {
            for within in within {
                for behind in behind {
                    let pattern = format!("{before}(?={within}{behind})");
                    let Some(own) = Ahead::of(&pattern) else { continue };
                    known += 1;
                    let regex = bounded(&pattern, &pattern, 1 << 20).expect("compiles");
                    for text in &texts {
                        let mut marks = Marks::default();
                        for position in (0..=text.len()).filter(|&at| text.is_char_boundary(at)) {
                            let expected = find_slowly(&regex, text, position).expect("ends");
                            let found = own.find(text, position, &mut marks);
                            assert_eq!(found, expected, "{pattern} in {text:?} from {position}");
                        }
                    }
                }
            }
        }
        assert!(known > 300, "{known}");
    }

    #[test]
    fn published_patterns_are_such_and_others_are_not() {
        for pattern in [
            r"(?=(\d{3})+(?!\d))",
            r"\d{1,3}(?=(?:\d{3})*(?:(?<=\w)(?!\w)|(?<!\w)(?=\w)))",
            r"\p{N}{1,3}(?=(?:\p{N}{3})*(?:\P{N}|\z))",
            r"\d{1,3}(?=(?:\d{3})*\b)",
        ] {
            assert!(Ahead::of(pattern).is_some(), "{pattern}");
        }
        for pattern in [
            "(?=1)",
            "(?=1*)",
            r"(?=(1)\1)",
            "(?=1++2)",
            "(?=1+(?=1+2)3)",
            "1+?(?=2)",
            "1{1,3}",
            "(?=11)1",
            "1{1,99}(?=2)",
            "(?=1{99}2)",
            "(?=1{3,2}2)",
            "(?=(?:(?:(?:(?:(?:|){64}){64}){64}){64}){64}1+2)",
        ] {
            assert!(Ahead::of(pattern).is_none(), "{pattern}");
        }
        let all = |one: &dyn Fn(char) -> String| ('a'..='z').map(one).collect::<Vec<_>>();
        let letters = [all(&String::from), all(&|one| one.to_uppercase().to_string())].concat();
        let (letters, tests) = (letters.join("|"), all(&|one| format!("(?:(?={one})|)")).concat());
        for large in [format!("1(?=1(?:{letters}))"), format!("(?={tests}1+2)")] {
            assert!(Ahead::of(&large).is_none(), "{large}");
        }
    }

    /// All texts of up to six of some characters, and longer ones.
    fn texts() -> Vec<String> {
        let mut texts = vec!["1".repeat(200), "1".repeat(70) + "a" + &"11é".repeat(50)];
        let mut last = vec![String::new()];
        for _ in 0..6 {
            texts.extend(last.clone());
            let longer = |text: &String| ["a", "1", "é"].map(|next| text.clone() + next);
            last = last.iter().flat_map(longer).collect();
        }
        texts
    }
}
