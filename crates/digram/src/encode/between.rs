//! Text that is cut at tokens: at added ones, and a word at user-defined pieces.
//!
//! Each line of code may be a stretch of its own between two such, and so short that its few words would wait
//! for each other. So stretches are laid one behind the other, each is split by itself, and their words are
//! looked up as those of one text are; where a stretch ends, the token that follows it has its place. (Not so
//! where something is done to each word, or patterns look behind.)
//!
//! Of a long text, each thread has a share of what it is cut into; only a long stretch is shared itself.

use std::mem::take;

use super::heard::{EACH, HEARD_EVERY};
use super::pieces::Pieces;
use super::pipeline::Scratch;
use super::policy::Matchers;
use super::rows::Together;
use super::sink::Sink;
use super::{Piece, Tokenizer, stretches};
use crate::components::added::{Matcher, Section};
use crate::error::Result;
use crate::monitor::Monitor;

/// Longer stretches have enough words of their own.
const SHORT: usize = 2048;
/// Two threads may work on a longer section.
const LONG: usize = 2 * stretches::BYTES;
/// Of so many bytes for each thread the work is shared: their start is a hundredth of it.
const SHARE: usize = 1 << 20;

/// What is cut.
#[derive(Clone, Copy)]
struct Task<'a> {
    tokenizer: &'a Tokenizer,
    /// Whether it is a word: then stretches are not split.
    is_word: bool,
    /// Whether stretches are collected; else each is encoded by itself.
    collects: bool,
    monitor: &'a Monitor<'a>,
}

/// What is found in a section of a text.
#[derive(Clone, Copy)]
enum Level<'a> {
    /// It is to be normalized, and there may be tokens in what it is then.
    Raw(&'a Matchers),
    /// There are no more tokens in it.
    Last,
}

/// A part of it, as it is encoded by a thread.
struct Cut<'a, S> {
    task: Task<'a>,
    scratch: &'a mut Scratch,
    sink: &'a mut S,
    together: Together,
}

impl Tokenizer {
    /// Encodes a text that is cut at added tokens.
    pub(super) fn encode_cut_text(
        &self,
        text: &str,
        matchers: &Matchers,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<()> {
        let collects = self.encodes_many()
            && !self.splitter.rewrites()
            && self.splitter.splits_alike_behind_others();
        let task = Task { tokenizer: self, is_word: false, collects, monitor };
        let mut cut = Cut::new(task, scratch, sink);
        match &matchers.raw {
            Some(matcher) => cut.sections((text, true), matcher, Level::Raw(matchers))?,
            None => cut.piece(Piece::Text(text, true), Level::Raw(matchers))?,
        }
        cut.finish()
    }

    /// Encodes a word, which is cut at user-defined pieces.
    pub(super) fn encode_between(
        &self,
        word: &str,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<()> {
        let task = Task { tokenizer: self, is_word: true, collects: true, monitor };
        let mut cut = Cut::new(task, scratch, sink);
        match &self.user_defined {
            Some(matcher) => cut.sections((word, false), matcher, Level::Last)?,
            None => cut.piece(Piece::Text(word, false), Level::Last)?,
        }
        cut.finish()
    }
}

impl<'a, S: Sink> Cut<'a, S> {
    fn new(task: Task<'a>, scratch: &'a mut Scratch, sink: &'a mut S) -> Self {
        let mut together = take(&mut scratch.together);
        together.clear();
        Self { task, scratch, sink, together }
    }

    /// Encodes what a matcher cuts a text into, on several threads if that is worth it.
    fn sections(&mut self, text: (&str, bool), matcher: &Matcher, level: Level) -> Result<()> {
        let workers = stretches::useful(text.0.len(), self.scratch.workers);
        if workers == 1 {
            return matcher.sections(text.0, self.task.monitor, |one| {
                self.piece(Piece::of(one, text), level)
            });
        }
        self.encode_collected()?;
        let (mut some, mut begun) = (Vec::new(), 0);
        matcher.sections(text.0, self.task.monitor, |section| {
            let is_long = section.end - section.start > LONG;
            if is_long || section.end - begun + EACH * some.len() > workers.saturating_mul(SHARE) {
                self.shares(&take(&mut some), text, level)?;
                begun = section.start;
            }
            if !is_long {
                some.push(section);
                return Ok(());
            }
            begun = section.end;
            self.piece(Piece::of(section, text), level)?;
            self.encode_collected()
        })?;
        self.shares(&some, text, level)
    }

    /// Has each thread encode a share of some sections of a text, which follow each other.
    fn shares(&mut self, some: &[Section], text: (&str, bool), level: Level) -> Result<()> {
        let (Some(first), Some(last)) = (some.first(), some.last()) else { return Ok(()) };
        let bytes = last.end - first.start;
        let workers = stretches::useful(bytes, self.scratch.workers);
        let border = |index: usize| {
            let end = first.start + bytes / workers * index;
            if index == workers { some.len() } else { some.partition_point(|one| one.end <= end) }
        };
        let Task { tokenizer, monitor, .. } = self.task;
        let (task, room) = (self.task, tokenizer.density.room(bytes / workers));
        let work = |index: usize, scratch: &mut Scratch, sink: &mut S| {
            let mut cut = Cut::new(task, scratch, sink);
            let mut own = some[border(index)..border(index + 1)].iter();
            own.try_for_each(|&one| cut.piece(Piece::of(one, text), level))?;
            cut.finish()
        };
        tokenizer.run_into((workers, room), self.scratch, self.sink, monitor, work)
    }

    /// Encodes a piece, or takes it in.
    fn piece(&mut self, piece: Piece, level: Level) -> Result<()> {
        match (piece, level) {
            (Piece::Text(text, is_first), Level::Raw(matchers)) => {
                self.normalized((text, is_first), matchers)
            }
            (piece, _) => self.collect(piece),
        }
    }

    /// Encodes what lies between tokens that are matched in raw text.
    fn normalized(&mut self, text: (&str, bool), matchers: &Matchers) -> Result<()> {
        let Task { tokenizer, monitor, .. } = self.task;
        monitor.check()?;
        let (text, is_first) = tokenizer.normalize(text)?;
        match &matchers.normalized {
            Some(matcher) => self.sections((&text, is_first), matcher, Level::Last),
            None => self.collect(Piece::Text(&text, is_first)),
        }
    }

    /// Takes a piece in, and encodes those that are there once they are enough; or encodes it, and those before
    /// it, if it is long.
    fn collect(&mut self, piece: Piece) -> Result<()> {
        let Task { tokenizer, is_word, collects, monitor } = self.task;
        match piece {
            Piece::Added(id) if collects => self.together.add_token(id),
            Piece::Text(text, _) if collects && text.len() <= SHORT => {
                self.together.add_stretch(text);
            }
            Piece::Added(id) => {
                self.sink.reserve(1)?;
                self.sink.ids(&[id]);
            }
            Piece::Text(text, is_first) => {
                self.encode_collected()?;
                let Self { scratch, sink, .. } = self;
                if !is_word {
                    return tokenizer.encode_words((text, is_first), scratch, *sink, monitor);
                }
                let whole = Pieces { starts: &[0], ends: &[text.len() as u32], parts: &[] };
                return tokenizer.encode_pieces(text, whole, scratch, *sink, monitor);
            }
        }
        if self.together.text().len() + EACH * self.together.len() < HEARD_EVERY {
            return Ok(());
        }
        self.encode_collected()
    }

    /// Encodes the stretches that are collected, which then are so no longer.
    fn encode_collected(&mut self) -> Result<()> {
        let Task { tokenizer, is_word, monitor, .. } = self.task;
        let Self { scratch, sink, together, .. } = self;
        if together.len() > 0 {
            let splitter = if is_word { &tokenizer.unsplit } else { &tokenizer.splitter };
            tokenizer.encode_rows(together, splitter, scratch, *sink, monitor)?;
            together.clear();
        }
        Ok(())
    }

    /// Encodes what is left.
    fn finish(mut self) -> Result<()> {
        self.encode_collected()?;
        self.scratch.together = self.together;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Special;
    use super::super::tests::{CL100K, Random, model, with_added};
    use super::*;
    use crate::components::added::Matcher;
    use crate::components::special;
    use crate::merge::Room;
    use crate::model::{Kind, Model, Piece as Scored, Rule, Scores, Units, Unknown};
    use crate::vocabulary::{Token, Vocabulary};

    const THREADS: [usize; 3] = [2, 3, 7];

    #[test]
    fn threads_share_what_lies_between_added_tokens_and_nobody_sees_it() {
        let (mut random, monitor) = (Random(61), Monitor::silent());
        for pattern in [Some(CL100K), None] {
            let plain = model(&mut random, true, pattern);
            let first = plain.vocabulary.ids() as u32;
            let added: Vec<_> = (first..).zip(["22", "é中", "\n", "the"]).collect();
            let added: Vec<_> = added.into_iter().map(|(id, text)| special(id, text)).collect();
            let tokenizer = Tokenizer::new(with_added(plain, &added)).expect("the model is sound");
            // a long stretch that two threads share, one of many, and thousands of short ones
            let stretch = |length: usize| " a中ไทย".repeat(length / 14);
            let some = |random: &mut Random| random.text(90_000);
            let texts = [
                some(&mut random) + &stretch(600_000) + &some(&mut random),
                stretch(200_000) + "22" + &stretch(200_000) + "\n\n" + &stretch(100_000),
                "22".repeat(200_000),
                random.text(900_000),
            ];
            for text in &texts {
                let encode = |threads| {
                    let ids = tokenizer.encode_by(text, &Special::Token, threads, &monitor);
                    ids.expect("all bytes are there")
                };
                let alone = encode(1);
                for threads in THREADS {
                    assert!(encode(threads) == alone, "{pattern:?}, {threads} threads");
                }
                let count = tokenizer.count(text, &Special::Token, &monitor);
                assert_eq!(count.expect("all bytes are there"), alone.len());
            }
        }
    }

    /// A model by scores of letters and random pieces, of which some are user-defined.
    fn by_scores(random: &mut Random, fuse: bool) -> Model {
        let mut texts: Vec<String> = ["?", "a", "b", "c", "é", " "].map(String::from).into();
        while texts.len() < 90 {
            let text: String = (0..2 + random.below(4))
                .map(|_| ["a", "b", "c", "é", " "][random.below(5)])
                .collect();
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        let kind = |id: u32| match id {
            0 => Kind::Unknown,
            1..70 => Kind::Normal,
            _ => Kind::UserDefined,
        };
        let pieces =
            (0..90).map(|id| Scored { id, score: -f32::from(id as u16), kind: kind(id) }).collect();
        let tokens = (0..).zip(&texts).map(|(id, text)| Token {
            literal: id == 0 || id >= 70,
            ..Token::new(id, text.as_bytes())
        });
        let vocabulary = Vocabulary::new(tokens.collect()).expect("ids are distinct");
        let scores = Scores { pieces, ..Scores::default() };
        Model {
            unknown: Some(Unknown { id: 0, fuse }),
            ..Model::new(vocabulary, Units::Chars, Rule::Scores(scores))
        }
    }

    #[test]
    fn a_word_cut_at_user_defined_pieces_has_the_ids_that_its_stretches_have_alone() {
        let (mut random, monitor) = (Random(67), Monitor::silent());
        for round in 0..12 {
            let model = by_scores(&mut random, round % 2 == 0);
            let texts = (70..90)
                .map(|id| (id, String::from_utf8_lossy(model.vocabulary.bytes(id)).into_owned()));
            let matcher = Matcher::of_texts(texts.collect()).expect("few").expect("some");
            let tokenizer = Tokenizer::new(model).expect("the model is sound");
            for length in [0, 1, 7, 60, 3_000, 40_000, 500_000] {
                let letters = if length > 10_000 {
                    ["a", "b", "é", "c", " ", "c"]
                } else {
                    ["a", "b", "é", "c", " ", "z"]
                };
                let text: String = (0..length).map(|_| letters[random.below(6)]).collect();
                let (mut expected, mut room) = (Vec::new(), Room::default());
                let merger = &tokenizer.merger;
                let done = matcher.sections(&text, &monitor, |section| {
                    if let Some(id) = section.id {
                        expected.push(id);
                        return Ok(());
                    }
                    let stretch = &text[section.start..section.end];
                    merger.merge(stretch, &tokenizer.model, &mut room, &mut expected, &monitor)
                });
                done.expect("unknown characters are unknown");
                merger.fuse(&mut expected, 0);
                for threads in [1, 3] {
                    let ids = tokenizer.encode_by(&text, &Special::Text, threads, &monitor);
                    let ids = ids.expect("unknown characters are unknown");
                    assert!(ids == expected, "{round}, {threads} threads: {length} characters");
                }
            }
        }
    }
}
