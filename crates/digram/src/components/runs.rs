//! Where the characters of a text come from in another: told of runs of them, which are few where most of the
//! text is as it was.

use crate::error::Result;
use crate::memory;

/// Where something comes from: its start and its end, in code points of the text at first.
pub(crate) type Place = [u32; 2];

/// Characters that follow each other. If the first comes from a single one, the next comes from the one behind
/// that, and so on; else all come from the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// The first of them.
    pub at: u32,
    /// Where it comes from.
    pub from: Place,
}

impl Run {
    /// Whether each comes from a character of its own.
    pub fn is_moving(self) -> bool {
        self.from[1].wrapping_sub(self.from[0]) == 1
    }

    /// Where a character comes from that is in it.
    pub fn of(self, character: u32) -> Place {
        let moved = if self.is_moving() { character - self.at } else { 0 };
        self.from.map(|place| place + moved)
    }
}

/// The runs of so many characters, each with where it ends.
fn each(runs: &[Run], characters: u32) -> impl Iterator<Item = (Run, u32)> {
    let ends = runs.iter().skip(1).map(|next| next.at).chain([characters]);
    runs.iter().copied().zip(ends)
}

/// Where the characters of a text come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Runs(Vec<Run>);

impl Runs {
    /// Tells where the next characters come from, which begin with the one at `at`.
    pub fn add(&mut self, at: u32, from: Place) -> Result<()> {
        if self.0.last().is_some_and(|run| run.of(at) == from) {
            return Ok(());
        }
        memory::reserve(&mut self.0, 1)?;
        self.0.push(Run { at, from });
        Ok(())
    }

    /// The runs of so many characters, each with where it ends.
    pub fn each(&self, characters: u32) -> impl Iterator<Item = (Run, u32)> {
        each(&self.0, characters)
    }

    /// Tells it of characters that stand for some of another text, of which it is known where they come from.
    pub fn add_all(&mut self, others: &Self, at: u32, some: Place) -> Result<()> {
        others.along(some[0]).tell(self, at, some)
    }

    /// The runs from a character on, to be gone through.
    pub fn along(&self, character: u32) -> Along<'_> {
        let first = self.0.partition_point(|run| run.at <= character).saturating_sub(1);
        Along(&self.0[first..])
    }

    /// Where a character comes from.
    pub fn of(&self, character: u32) -> Option<Place> {
        let run = self.0.partition_point(|run| run.at <= character).checked_sub(1)?;
        Some(self.0[run].of(character))
    }

    /// Lets a character, which is the last one, come from some more behind it.
    pub fn widen_last(&mut self, last: u32, more: u32) -> Result<()> {
        let Some([start, end]) = self.of(last) else { return Ok(()) };
        self.cut(last);
        self.add(last, [start, end + more])
    }

    /// Leaves out all characters from one on.
    pub fn cut(&mut self, end: u32) {
        self.0.truncate(self.0.partition_point(|run| run.at < end));
    }

    /// Whether each character comes from that which has the same place.
    pub fn is_same(&self) -> bool {
        matches!(self.0.as_slice(), [] | [Run { at: 0, from: [0, 1] }])
    }

    /// Changes places in the text, in order, to where that comes from.
    pub fn map(&self, places: &mut [Place]) {
        let mut rest = places;
        for (run, next) in self.each(u32::MAX) {
            // what begins in this run: all that ends in it, and maybe one that ends behind
            let within = rest.iter().take_while(|place| place[1] <= next).count();
            let (own, others) = std::mem::take(&mut rest).split_at_mut(within);
            if run.is_moving() {
                let moved = run.from[0].wrapping_sub(run.at);
                own.iter_mut().flatten().for_each(|place| *place = place.wrapping_add(moved));
            } else {
                own.fill(run.from);
            }
            let across = others.iter().take_while(|place| place[0] < next).count();
            let (own, others) = others.split_at_mut(across);
            for [start, end] in own {
                *start = run.of(*start)[0];
                *end = self.of(*end - 1).map_or(*end, |last| last[1]);
            }
            rest = others;
        }
    }
}

/// Runs that are left of some.
pub(crate) struct Along<'a>(&'a [Run]);

impl Along<'_> {
    /// Tells others of characters that stand for some of these, none of which lies before those of the last time.
    pub fn tell(&mut self, others: &mut Runs, mut at: u32, [start, end]: Place) -> Result<()> {
        while self.0.get(1).is_some_and(|next| next.at <= start) {
            self.0 = &self.0[1..];
        }
        for (run, next) in each(self.0, end) {
            let begun = start.max(run.at);
            if begun >= end {
                break;
            }
            others.add(at, run.of(begun))?;
            at += next.min(end) - begun;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::tests::Random;

    /// Where some characters come from, one after the other.
    fn places(random: &mut Random, count: usize) -> Vec<Place> {
        let mut start = random.below(3) as u32;
        let place = |_| {
            start += [0, 1, 1, 1, 1, 1, 2][random.below(7)];
            [start, start + [1, 1, 1, 1, 1, 0, 3][random.below(7)]]
        };
        (0..count).map(place).collect()
    }

    fn runs(places: &[Place]) -> Runs {
        let mut runs = Runs::default();
        for (at, place) in (0..).zip(places) {
            runs.add(at, *place).expect("there is room");
        }
        runs
    }

    fn of(runs: &Runs, count: usize) -> Vec<Place> {
        (0..count as u32).filter_map(|at| runs.of(at)).collect()
    }

    #[test]
    fn runs_tell_of_each_character() {
        let mut random = Random(41);
        for count in (0..300).map(|round| round % 50) {
            let places = places(&mut random, count);
            let all = runs(&places);
            assert_eq!(of(&all, count), places);
            let (start, more) = (random.below(count + 1), random.below(9));
            let end = start + random.below(count + 1 - start);
            let mut others = runs(&places[..more.min(count)]);
            let some = [start as u32, end as u32];
            others.add_all(&all, more.min(count) as u32, some).expect("there is room");
            let expected = [&places[..more.min(count)], &places[start..end]].concat();
            assert_eq!(of(&others, expected.len()), expected);
            if count > 0 {
                let mut cut = all.clone();
                cut.cut(end as u32);
                assert_eq!(of(&cut, end), places[..end]);
            }
        }
    }

    #[test]
    fn places_are_changed_as_their_first_and_last_characters_tell() {
        let mut random = Random(43);
        for count in (1..400).map(|round| 1 + round % 60) {
            let places = places(&mut random, count);
            let (mut tokens, mut start) = (Vec::new(), 0);
            while start < count {
                let end = (start + 1 + random.below(5)).min(count);
                tokens.push([start as u32, end as u32]);
                // some share a character
                start = if random.below(4) == 0 { end - 1 } else { end };
                if start == count - 1 && end == count {
                    break;
                }
            }
            let expected: Vec<Place> = tokens
                .iter()
                .map(|token| [places[token[0] as usize][0], places[token[1] as usize - 1][1]])
                .collect();
            runs(&places).map(&mut tokens);
            assert_eq!(tokens, expected, "{places:?}");
        }
    }
}
