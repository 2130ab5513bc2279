//! Decoders that change tokens as texts, each working on what the one before has left.

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
    parts: Vec<(Decoder, Option<Replacement>)>,
    /// How many times longer than its tokens a text may become.
    expansion: u64,
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
            Ok((part.clone(), replacement))
        };
        let parts = parts(decoder).into_iter().map(ready).collect::<Result<_>>()?;
        Ok(Self { parts, expansion })
    }

    /// What the tokens become. Fails where they grow beyond measure.
    pub fn decode(&self, tokens: Vec<String>) -> Result<Vec<String>> {
        let length = length(&tokens);
        let most = limits::most(length, self.expansion);
        let mut tokens = tokens;
        for (part, replacement) in &self.parts {
            tokens = match replacement {
                Some(replacement) => replaced(replacement, tokens, most)?,
                None => apply(part, tokens),
            };
            if self::length(&tokens) > most {
                return Err(limits::grows("decoder", length, self.expansion));
            }
        }
        Ok(tokens)
    }
}

fn length(tokens: &[String]) -> usize {
    tokens.iter().map(String::len).sum()
}

/// The tokens with everything replaced; those beyond `most` bytes in all are left out.
fn replaced(replacement: &Replacement, tokens: Vec<String>, most: usize) -> Result<Vec<String>> {
    let mut total = 0;
    let mut all = Vec::with_capacity(tokens.len());
    for token in tokens {
        let token = replacement.apply(&token, most)?.unwrap_or(token);
        total += token.len();
        all.push(token);
        if total > most {
            break;
        }
    }
    Ok(all)
}

fn apply(decoder: &Decoder, tokens: Vec<String>) -> Vec<String> {
    let each = |change: &dyn Fn(usize, &str) -> String| {
        tokens.iter().enumerate().map(|(place, token)| change(place, token)).collect()
    };
    match decoder {
        Decoder::ByteLevel(_) => vec![unspelled(&tokens)],
        Decoder::BPEDecoder { suffix } => {
            let last = tokens.len().saturating_sub(1);
            each(&|place, token| token.replace(suffix, if place == last { "" } else { " " }))
        }
        Decoder::Fuse => vec![tokens.concat()],
        Decoder::WordPiece { prefix, cleanup } => {
            each(&|place, token| word_piece(place, token, prefix, *cleanup))
        }
        Decoder::CTC { pad_token, word_delimiter_token, cleanup } => {
            ctc(tokens, pad_token, cleanup.then_some(word_delimiter_token))
        }
        Decoder::ByteFallback => byte_fallback(tokens),
        Decoder::Strip { content, start, stop } => {
            each(&|_, token| strip(token, *content, *start, *stop))
        }
        Decoder::Metaspace(metaspace) => each(&|place, token| blanks(place, token, metaspace)),
        // the last stands alone, and is another's work
        Decoder::Replace { .. } | Decoder::Sequence { .. } | Decoder::SentencePiece(_) => tokens,
    }
}

fn unspelled(tokens: &[String]) -> String {
    let bytes = |token: &String| aliases::unspell(token).unwrap_or_else(|| token.clone().into());
    let bytes: Vec<u8> = tokens.iter().flat_map(bytes).collect();
    String::from_utf8_lossy(&bytes).into_owned()
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

fn ctc(mut tokens: Vec<String>, pad: &str, delimiter: Option<&String>) -> Vec<String> {
    tokens.dedup();
    let heard = tokens.iter().map(|token| {
        let heard = token.replace(pad, "");
        delimiter.map_or(heard.clone(), |delimiter| cleaned(&heard).replace(delimiter, " "))
    });
    heard.filter(|token| !token.is_empty()).collect()
}

fn byte_fallback(tokens: Vec<String>) -> Vec<String> {
    let (mut texts, mut bytes) = (Vec::new(), Vec::new());
    for token in tokens {
        if let Some(byte) = byte_of(&token) {
            bytes.push(byte);
        } else {
            flush(&mut bytes, &mut texts);
            texts.push(token);
        }
    }
    flush(&mut bytes, &mut texts);
    texts
}

fn flush(bytes: &mut Vec<u8>, texts: &mut Vec<String>) {
    let bytes = std::mem::take(bytes);
    let length = bytes.len();
    match String::from_utf8(bytes) {
        Ok(text) => texts.extend((length > 0).then_some(text)),
        Err(_) => texts.extend(std::iter::repeat_n(REPLACEMENT.to_owned(), length)),
    }
}

/// The byte that a token like `<0xE2>` stands for.
fn byte_of(token: &str) -> Option<u8> {
    let digits = token.strip_prefix("<0x")?.strip_suffix('>')?;
    if digits.len() == 2 { u8::from_str_radix(digits, 16).ok() } else { None }
}

fn strip(token: &str, content: char, start: usize, stop: usize) -> String {
    let leading = token.chars().take(start).take_while(|&c| c == content).count();
    let kept: Vec<char> = token.chars().skip(leading).collect();
    let trailing = kept.iter().rev().take(stop).take_while(|&&c| c == content).count();
    kept[..kept.len() - trailing].iter().collect()
}

fn blanks(place: usize, token: &str, metaspace: &Metaspace) -> String {
    let is_put_before = place == 0 && metaspace.prepend_scheme != PrependScheme::Never;
    let shown = token.chars().filter(|&c| !(is_put_before && c == metaspace.replacement));
    shown.map(|c| if c == metaspace.replacement { ' ' } else { c }).collect()
}
