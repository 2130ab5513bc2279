//! Repeated groups that may be empty, as groups that are not: how Oniguruma reads them, written so
//! that every engine does.
//!
//! There a group that matched nothing ends its repetition, be more due or not. Let a group match, in
//! order, `A`, nothing, and `B`, where `A` and `B` are never empty; let `R` be its repetition, and
//! `R'` the same with one time less. What goes on stands behind what is not empty only:
//!
//! * `(A||B){m,n}` is `A R'||B R'`, whatever `m` is; without `B` that is `A{0,n}`, and without `A`
//!   it is `B{0,n}?`.
//! * `(A||B)*` is `A R||B R`, and that is `A*(B A*)*?`.
//! * Lazy and due, `(A||B){m,n}?` is `A R'||B R'`; no more due, it is `(A|B){0,n}?`.

use regex_syntax::ast::{self, Ast, Repetition, RepetitionKind, RepetitionRange};

/// Patterns do not grow longer than this.
pub(super) const MOST_BYTES: usize = 1 << 12;
/// What has ways before nothing and behind is written out so often at most.
const MOST_TIMES: u32 = 16;

/// A pattern of groups rewritten, if its engine reads it in a way of its own. `None` where it looks
/// around or sets flags, or would grow long.
pub(super) fn rewritten(pattern: &str) -> Option<String> {
    let parsed = ast::parse::Parser::new().parse(pattern).ok()?;
    Some(Ways::of(&parsed, pattern)?.text)
}

/// What a pattern matches, in order of preference; each text may be followed.
#[derive(Clone, Default)]
struct Ways {
    /// All of it.
    text: String,
    /// Before nothing: what is never empty.
    before: Vec<String>,
    /// Whether nothing is matched then.
    empty: bool,
    /// And what comes after; nothing else where it is not.
    behind: Vec<String>,
}

impl Ways {
    /// `None` where it looks around, sets flags, or grows long.
    fn of(pattern: &Ast, text: &str) -> Option<Self> {
        let of = |part: &Ast| Self::of(part, text);
        match pattern {
            Ast::Empty(_) => Some(Self::nothing()),
            Ast::Flags(_) | Ast::Assertion(_) => None,
            Ast::Group(group) if group.flags().is_some_and(|f| !f.items.is_empty()) => None,
            Ast::Group(group) => of(&group.ast),
            Ast::Alternation(parts) => {
                let all = parts.asts.iter().try_fold(Self::default(), |all, part| {
                    Some(all.or(of(part)?)).filter(Self::is_short)
                });
                all.map(Self::written)
            }
            Ast::Concat(parts) => {
                parts.asts.iter().rev().try_fold(Self::nothing(), |rest, part| {
                    Some(of(part)?.then(rest)).filter(Self::is_short)
                })
            }
            Ast::Repetition(repetition) => of(&repetition.ast)?.repeated_as(repetition),
            one => {
                let (start, end) = (one.span().start.offset, one.span().end.offset);
                Some(Self::one(text.get(start..end)?.to_owned()))
            }
        }
    }

    fn is_short(&self) -> bool {
        let each = self.before.iter().chain(&self.behind).chain([&self.text]);
        each.map(String::len).sum::<usize>() <= MOST_BYTES
    }

    fn nothing() -> Self {
        Self { empty: true, ..Self::default() }
    }

    fn one(way: String) -> Self {
        Self { text: way.clone(), before: vec![way], ..Self::default() }
    }

    /// The same, where all of it is written as the ways are.
    fn written(self) -> Self {
        let nothing = vec![String::new(); usize::from(self.empty)];
        let text = any_of(&[&*self.before, &nothing, &self.behind].concat());
        Self { text, ..self }
    }

    fn or(mut self, other: Self) -> Self {
        if self.empty {
            self.behind.extend(other.before.into_iter().chain(other.behind));
            return self;
        }
        self.before.extend(other.before);
        Self { before: self.before, ..other }
    }

    fn then(self, rest: Self) -> Self {
        let text = self.text + &rest.text;
        let followed = |ways: Vec<String>| {
            let before = ways.into_iter().map(|way| way + &rest.text).collect();
            Self { before, ..Self::default() }
        };
        let (first, last) = (followed(self.before), followed(self.behind));
        Self { text, ..if self.empty { first.or(rest).or(last) } else { first } }
    }

    /// As a sign of repetition says.
    fn repeated_as(&self, repetition: &Repetition) -> Option<Self> {
        let is_interval = |kind: &RepetitionKind| matches!(kind, RepetitionKind::Range(_));
        let means_another = match (&repetition.op.kind, &*repetition.ast) {
            (RepetitionKind::ZeroOrOne, Ast::Repetition(_)) => true,
            (RepetitionKind::OneOrMore, Ast::Repetition(inner)) => {
                !(inner.greedy && is_interval(&inner.op.kind))
            }
            _ => false,
        };
        let (least, most) = match &repetition.op.kind {
            _ if means_another => return None,
            RepetitionKind::ZeroOrOne => (0, Some(1)),
            RepetitionKind::ZeroOrMore => (0, None),
            RepetitionKind::OneOrMore => (1, None),
            RepetitionKind::Range(RepetitionRange::AtLeast(least)) => (*least, None),
            RepetitionKind::Range(RepetitionRange::Bounded(least, most)) => (*least, Some(*most)),
            RepetitionKind::Range(RepetitionRange::Exactly(times)) if !repetition.greedy => {
                let so_often = self.repeated(*times, Some(*times), true)?;
                return so_often.repeated(0, Some(1), true);
            }
            RepetitionKind::Range(RepetitionRange::Exactly(times)) => (*times, Some(*times)),
        };
        self.repeated(least, most, repetition.greedy)
    }

    /// So many times, by the rules above.
    fn repeated(&self, least: u32, most: Option<u32>, greedy: bool) -> Option<Self> {
        let all = [&*self.before, &*self.behind].concat();
        if most == Some(0) || all.is_empty() {
            return Some(Self::nothing());
        }
        let some =
            |ways: &[String], least: u32, lazy: &str| Self::one(times(ways, least, most, lazy));
        let repeated = if !self.empty && least > 0 {
            some(&all, least, if greedy { "" } else { "?" })
        } else if greedy && self.behind.is_empty() {
            some(&all, 1, "").or(Self::nothing())
        } else if least == 0 && !greedy || greedy && self.before.is_empty() {
            Self::nothing().or(some(&all, 1, "?"))
        } else {
            let rest = self.one_less(least, most, greedy)?;
            let not_empty = |before: &Vec<String>| {
                Self { before: before.clone(), ..Self::default() }.then(rest.clone())
            };
            not_empty(&self.before).or(Self::nothing()).or(not_empty(&self.behind))
        };
        Some(repeated.written()).filter(Self::is_short)
    }

    /// What follows one that is not empty, where some ways are before nothing and some behind.
    fn one_less(&self, least: u32, most: Option<u32>, greedy: bool) -> Option<Self> {
        if most.is_none() && greedy {
            let (before, behind) = (any_of(&self.before), any_of(&self.behind));
            return Some(Self::one(format!("{before}*(?:{behind}{before}*)*?")));
        }
        if least.max(most.unwrap_or(0)) > MOST_TIMES {
            return None;
        }
        self.repeated(least.saturating_sub(1), most.map(|most| most - 1), greedy)
    }
}

/// One of some patterns, which may be repeated.
fn any_of(ways: &[String]) -> String {
    format!("(?:{})", ways.join("|"))
}

/// What is never empty, so many times. A single number is no sign: `?` behind means another thing.
fn times(ways: &[String], least: u32, most: Option<u32>, lazy: &str) -> String {
    let one = any_of(ways);
    match (least, most) {
        (1, Some(1)) => one,
        (_, None) => format!("{one}{{{least},}}{lazy}"),
        (_, Some(most)) => format!("{one}{{{least},{most}}}{lazy}"),
    }
}
