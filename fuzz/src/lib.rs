//! What the fuzz targets share: bytes become a model or an error, and a model is used.

use digram::components::{Behavior, Pattern, PreTokenizer};
use digram::encode::{Special, Tokenizer};
use digram::formats::{self, FORMATS, Files, Known};
use digram::model::Model;
use digram::monitor::{Monitor, Nobody};

/// Between the two files of a pair; neither holds it.
const BETWEEN: u8 = 0x1E;

/// Reads `data` as a file of `format` (or of the one recognized), with and without what a caller
/// may know, and uses what comes out.
pub fn load(data: &[u8], format: Option<&str>) {
    for known in [knowing(), Known::default()] {
        let pair = data.iter().position(|&byte| byte == BETWEEN).filter(|_| format == Some("gpt2"));
        let files = match pair {
            Some(at) => Files::Two { vocab: &data[..at], merges: &data[at + 1..] },
            None => Files::One(data),
        };
        if let Ok(loaded) = formats::read(&files, format, &known) {
            keep(&loaded.model);
            run(loaded.model);
        }
    }
}

fn knowing() -> Known {
    let split = PreTokenizer::Split {
        pattern: Pattern::Regex(r"\S+|\s+".into()),
        behavior: Behavior::Isolated,
        invert: false,
    };
    let special_tokens = vec![("<s>".into(), None), ("<t>".into(), None)];
    Known { pattern: Some(split), special_tokens, ..Known::default() }
}

/// Every format writes the model or says why not; what `tokenizer.json` writes, it reads.
fn keep(model: &Model) {
    for format in FORMATS {
        drop(formats::write(model, format.name, None));
    }
    if let Ok(files) = formats::write(model, "tokenizer.json", None) {
        let again = formats::read(&Files::One(&files[0].1), None, &Known::default());
        let again = again.unwrap_or_else(|error| panic!("written and not read: {error}")).model;
        assert!(again.rule == model.rule && again.units == model.units, "another model comes back");
    }
}

fn run(model: Model) {
    let Ok(tokenizer) = Tokenizer::new(model) else { return };
    let monitor = Monitor::new(&Nobody);
    for text in ["", "a", " ab  é\u{301}|中12!? _b <s>", "\0\u{10FFFF}ab"] {
        for special in [Special::Text, Special::Token] {
            if let Ok(ids) = tokenizer.encode(text, &special, &monitor) {
                drop(tokenizer.decode(&ids, false, &Monitor::silent()));
                drop(tokenizer.process(&ids, Some(&ids)));
            }
        }
    }
    let ids: Vec<u32> = tokenizer.model().vocabulary.iter().map(|(id, _)| id).take(100).collect();
    drop(tokenizer.decode(&ids, true, &Monitor::silent()));
}
