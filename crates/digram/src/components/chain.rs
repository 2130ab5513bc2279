//! Decoders that change tokens as texts, each working on what the one before has left.
//!
//! Tokens pass through as they come. Each decoder waits for no more than it must know: the end of
//! a token, whether another token follows, or the end of a run of bytes. To decode a whole list is
//! to let it pass through, so that a stream says what the whole says.

mod steady;

use super::decoder::{Decoder, parts};
use super::replace::Replacement;
use super::{Metaspace, PrependScheme};
use crate::aliases;
use crate::error::Result;
use crate::limits;

/// What stands where bytes are no UTF-8.
const REPLACEMENT: &str = "\u{FFFD}";

/// English spacing that word pieces lose, in the order in which it is mended.
const CLEANED: [(&str, &str); 11] = [
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
];

/// Decoders, ready to run one after the other.
pub(crate) struct Chain {
    parts: Vec<Part>,
    /// How many times longer than its tokens a text may become.
    expansion: u64,
}

struct Part {
    decoder: Decoder,
    replacement: Option<Replacement>,
}

/// What the decoders of a chain wait with.
#[derive(Clone, Default)]
pub(crate) struct Waiting {
    states: Vec<State>,
    /// Bytes of all tokens so far.
    length: usize,
    /// Bytes of all text so far.
    made: usize,
}

/// What one decoder waits with.
#[derive(Clone, Default)]
struct State {
    /// How many tokens have ended.
    place: usize,
    /// The token that has not ended yet.
    token: String,
    /// The token before it, where that matters.
    before: Option<String>,
    /// Bytes that are no text yet.
    bytes: Vec<u8>,
    /// How many characters are stripped at the beginning, `None` behind it.
    stripped: Option<usize>,
    /// How many characters may have to be stripped at the end.
    trailing: usize,
    /// Bytes that have come in.
    received: usize,
}

/// What passes from one decoder to the next.
#[derive(Clone, Copy)]
enum Event<'a> {
    Text(&'a str),
    /// A token ends.
    End,
    /// No token follows.
    Finish,
}

/// The decoders behind, with what they wait with, and where the text goes.
struct Next<'a> {
    parts: &'a [Part],
    states: &'a mut [State],
    text: &'a mut String,
    made: &'a mut usize,
    bound: Bound,
}

/// How much all decoders together may make of tokens of a length.
#[derive(Clone, Copy)]
struct Bound {
    length: usize,
    expansion: u64,
}

impl Bound {
    fn most(self) -> usize {
        limits::most(self.length, self.expansion)
    }

    /// Counts what is handed on. Fails where it grows beyond measure.
    fn count(self, count: &mut usize, more: usize) -> Result<()> {
        *count += more;
        if *count <= self.most() {
            return Ok(());
        }
        Err(limits::grows("decoder", self.length, self.expansion))
    }
}

impl Chain {
    /// Fails where a pattern does not compile.
    pub fn new(decoder: &Decoder, expansion: u64) -> Result<Self> {
        let regexes = limits::regexes_of_decoder(decoder).max(1);
        let ready = |part: &Decoder| {
            let replacement = match part {
                Decoder::Replace { pattern, content } => {
                    Some(Replacement::one_of(pattern, content.clone(), regexes)?)
                }
                _ => None,
            };
            Ok(Part { decoder: part.clone(), replacement })
        };
        let parts = parts(decoder).into_iter().map(ready).collect::<Result<_>>()?;
        Ok(Self { parts, expansion })
    }

    /// Appends to `text` what is certain with one more token.
    pub fn push(&self, token: &str, waiting: &mut Waiting, text: &mut String) -> Result<()> {
        waiting.length += token.len();
        self.first(waiting, text).send_token(token)
    }

    /// Appends to `text` what is left.
    pub fn finish(&self, waiting: &mut Waiting, text: &mut String) -> Result<()> {
        self.first(waiting, text).send(Event::Finish)
    }

    fn first<'a>(&'a self, waiting: &'a mut Waiting, text: &'a mut String) -> Next<'a> {
        let start = || State { stripped: Some(0), ..State::default() };
        let Waiting { states, length, made } = waiting;
        states.resize_with(self.parts.len(), start);
        let bound = Bound { length: *length, expansion: self.expansion };
        Next { parts: &self.parts, states, text, made, bound }
    }
}

impl Next<'_> {
    /// Lets an event pass through all that is left.
    fn send(&mut self, event: Event) -> Result<()> {
        let Some((part, parts)) = self.parts.split_first() else {
            if let Event::Text(text) = event {
                self.bound.count(self.made, text.len())?;
                self.text.push_str(text);
            }
            return Ok(());
        };
        let (state, states) = self.states.split_first_mut().expect("a state for each part");
        if let Event::Text(text) = event {
            self.bound.count(&mut state.received, text.len())?;
        }
        let bound = self.bound;
        let mut next = Next { parts, states, text: self.text, made: self.made, bound };
        state.pass(part, event, &mut next)
    }

    fn send_token(&mut self, token: &str) -> Result<()> {
        self.send(Event::Text(token))?;
        self.send(Event::End)
    }
}

impl State {
    fn pass(&mut self, part: &Part, event: Event, next: &mut Next) -> Result<()> {
        match (&part.decoder, event) {
            (Decoder::Fuse, Event::Text(_)) => next.send(event),
            (Decoder::Fuse, Event::End) => Ok(()),
            (Decoder::Fuse, Event::Finish) => {
                next.send(Event::End)?;
                next.send(event)
            }
            (&Decoder::Strip { content, start, stop }, Event::Text(text)) => {
                self.strip(text, content, (start, stop), next)
            }
            (Decoder::Strip { .. }, Event::End) => {
                (self.stripped, self.trailing) = (Some(0), 0);
                next.send(event)
            }
            (_, Event::Text(text)) => {
                self.token.push_str(text);
                Ok(())
            }
            (_, Event::End) => {
                let token = std::mem::take(&mut self.token);
                self.end(part, token, next)?;
                self.place += 1;
                Ok(())
            }
            (_, Event::Finish) => {
                self.finish(&part.decoder, next)?;
                next.send(event)
            }
        }
    }

    /// A token has ended.
    fn end(&mut self, part: &Part, token: String, next: &mut Next) -> Result<()> {
        match &part.decoder {
            Decoder::ByteLevel(_) => {
                self.bytes.extend(aliases::unspell(&token).unwrap_or_else(|| token.into()));
                next.send(Event::Text(&complete(&mut self.bytes)))
            }
            Decoder::BPEDecoder { suffix } => match self.before.replace(token) {
                Some(before) => next.send_token(&before.replace(suffix, " ")),
                None => Ok(()),
            },
            Decoder::CTC { pad_token, word_delimiter_token, cleanup } => {
                if self.before.as_ref() == Some(&token) {
                    return Ok(());
                }
                let heard = heard(&token, pad_token, cleanup.then_some(word_delimiter_token));
                self.before = Some(token);
                if heard.is_empty() { Ok(()) } else { next.send_token(&heard) }
            }
            Decoder::ByteFallback => {
                if let Some(byte) = byte_of(&token) {
                    self.bytes.push(byte);
                    return Ok(());
                }
                self.flush(next)?;
                next.send_token(&token)
            }
            Decoder::WordPiece { prefix, cleanup } => {
                next.send_token(&word_piece(self.place, &token, prefix, *cleanup))
            }
            Decoder::Metaspace(metaspace) => {
                next.send_token(&blanks(self.place, &token, metaspace))
            }
            _ => {
                let most = next.bound.most();
                let apply = |replacement: &Replacement| replacement.apply(&token, most);
                let replaced = part.replacement.as_ref().map(apply).transpose()?;
                next.send_token(&replaced.flatten().unwrap_or(token))
            }
        }
    }

    /// No token follows.
    fn finish(&mut self, decoder: &Decoder, next: &mut Next) -> Result<()> {
        match decoder {
            Decoder::ByteLevel(_) => {
                let rest = std::mem::take(&mut self.bytes);
                next.send_token(&String::from_utf8_lossy(&rest))
            }
            Decoder::BPEDecoder { suffix } => match self.before.take() {
                Some(last) => next.send_token(&last.replace(suffix, "")),
                None => Ok(()),
            },
            Decoder::ByteFallback => self.flush(next),
            _ => Ok(()),
        }
    }

    /// A run of bytes ends: it is text as a whole, or each byte is none.
    fn flush(&mut self, next: &mut Next) -> Result<()> {
        let bytes = std::mem::take(&mut self.bytes);
        match std::str::from_utf8(&bytes) {
            Ok("") => Ok(()),
            Ok(text) => next.send_token(text),
            Err(_) => bytes.iter().try_for_each(|_| next.send_token(REPLACEMENT)),
        }
    }

    /// Leaves out a character at the beginning of a token, and keeps it back where it may be the
    /// end.
    fn strip(
        &mut self,
        text: &str,
        content: char,
        (start, stop): (usize, usize),
        next: &mut Next,
    ) -> Result<()> {
        let mut kept = String::with_capacity(text.len());
        for character in text.chars() {
            if character == content && self.stripped.is_some_and(|stripped| stripped < start) {
                self.stripped = self.stripped.map(|stripped| stripped + 1);
                continue;
            }
            self.stripped = None;
            if character == content && self.trailing < stop {
                self.trailing += 1;
                continue;
            }
            if character != content {
                kept.extend(std::iter::repeat_n(content, self.trailing));
                self.trailing = 0;
            }
            kept.push(character);
        }
        next.send(Event::Text(&kept))
    }
}

/// The text of all bytes but those that may begin a character; what is none becomes U+FFFD.
fn complete(bytes: &mut Vec<u8>) -> String {
    let incomplete = match bytes.utf8_chunks().last() {
        Some(last)
            if std::str::from_utf8(last.invalid()).is_err_and(|e| e.error_len().is_none()) =>
        {
            last.invalid().len()
        }
        _ => 0,
    };
    let rest = bytes.split_off(bytes.len() - incomplete);
    String::from_utf8_lossy(&std::mem::replace(bytes, rest)).into_owned()
}

fn word_piece(place: usize, token: &str, prefix: &str, cleanup: bool) -> String {
    let piece = match token.strip_prefix(prefix) {
        _ if place == 0 => token.to_owned(),
        Some(rest) => rest.to_owned(),
        None => format!(" {token}"),
    };
    if cleanup { cleaned(&piece) } else { piece }
}

fn cleaned(text: &str) -> String {
    CLEANED.iter().fold(text.to_owned(), |text, (spaced, mended)| text.replace(spaced, mended))
}

fn heard(token: &str, pad: &str, delimiter: Option<&String>) -> String {
    let heard = token.replace(pad, "");
    match delimiter {
        Some(delimiter) => cleaned(&heard).replace(delimiter, " "),
        None => heard,
    }
}

/// The byte that a token like `<0xE2>` stands for.
fn byte_of(token: &str) -> Option<u8> {
    let digits = token.strip_prefix("<0x")?.strip_suffix('>')?;
    if digits.len() == 2 { u8::from_str_radix(digits, 16).ok() } else { None }
}

fn blanks(place: usize, token: &str, metaspace: &Metaspace) -> String {
    let is_put_before = place == 0 && metaspace.prepend_scheme != PrependScheme::Never;
    let shown = token.chars().filter(|&c| !(is_put_before && c == metaspace.replacement));
    shown.map(|c| if c == metaspace.replacement { ' ' } else { c }).collect()
}
