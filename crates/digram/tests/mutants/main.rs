//! Mutants of every format: sound files, changed where their structure is. Each gives a model that
//! works or an error, in little time and little memory, and the same from run to run.
//!
//! A format is a row of [`FORMATS`]: its samples, and how they are taken apart and put together.

mod json;
mod lines;
mod random;
mod tagged;

use digram::components::{Behavior, Pattern, PreTokenizer};
use digram::encode::{Special, Tokenizer};
use digram::formats::{Files, Known, open, read, write};
use digram::monitor::{Monitor, Nobody};
use peak_alloc::PeakAlloc;
use random::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const MUTANTS: usize = 1500;
/// Far more than any small file needs, on a machine that does other things too.
const SLOW: Duration = Duration::from_secs(3);
/// What a file may make the process hold: so many times its size, and so much besides.
const TIMES: usize = 20;
const BESIDES: usize = 64 << 20;

/// A format: the folder of its samples, its name where it must be told, and how it is changed.
struct Row {
    samples: &'static str,
    format: Option<&'static str>,
    mutate: fn(&[u8], &mut Random) -> Vec<u8>,
}

const FORMATS: &[Row] = &[
    Row { samples: "tokenizer_json", format: Some("tokenizer.json"), mutate: json::mutate },
    Row { samples: "tekken", format: Some("tekken"), mutate: json::mutate },
    Row { samples: "tiktoken", format: Some("tiktoken"), mutate: lines::mutate },
    Row { samples: "subword_nmt", format: Some("subword-nmt"), mutate: lines::mutate },
    Row { samples: "gpt2", format: Some("gpt2"), mutate: json::mutate_pair },
    Row { samples: "gguf", format: Some("gguf"), mutate: tagged::mutate_gguf },
    Row { samples: "sentencepiece", format: None, mutate: tagged::mutate_protobuf },
];

/// The small files that fuzzing begins with, in a fixed order.
fn samples(folder: &str) -> Vec<Vec<u8>> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(folder);
    let entries = std::fs::read_dir(&corpus).expect("fuzz/corpus is in the tree");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("readable")).collect()
}

fn knowing() -> [Known; 2] {
    let split = PreTokenizer::Split {
        pattern: Pattern::Regex(r"\S+|\s+".into()),
        behavior: Behavior::Isolated,
        invert: false,
    };
    let special_tokens = vec![("<s>".into(), None), ("<t>".into(), None)];
    [Known { pattern: Some(split), special_tokens, ..Known::default() }, Known::default()]
}

/// Loads and uses a file; whether a model came of it.
fn survives(file: &[u8], format: Option<&str>) -> bool {
    let between = file.iter().position(|&byte| byte == 0x1E).filter(|_| format == Some("gpt2"));
    let files = match between {
        Some(at) => Files::Two { vocab: &file[..at], merges: &file[at + 1..] },
        None => Files::One(file),
    };
    let loaded = knowing().map(|known| open(&files, format, &known).map(|(tok, _)| use_it(&tok)));
    loaded.iter().any(Result::is_ok)
}

fn use_it(tokenizer: &Tokenizer) {
    let monitor = Monitor::new(&Nobody);
    for text in ["", "a", " ab  é\u{301}|中12!? _b <s>", "\0\u{10FFFF}ab"] {
        if let Ok(ids) = tokenizer.encode(text, &Special::Token, &monitor) {
            drop(tokenizer.decode(&ids, false, &Monitor::silent()));
            drop(tokenizer.process(&ids, Some(&ids)));
        }
    }
    let ids = tokenizer.model().vocabulary.iter().map(|(id, _)| id).take(50);
    drop(tokenizer.decode(&ids.collect::<Vec<_>>(), true, &Monitor::silent()));
    if let Ok(files) = write(tokenizer.model(), "tokenizer.json", None) {
        let again = read(&Files::One(&files[0].1), None, &Known::default());
        again.unwrap_or_else(|error| panic!("it was written, and is not read: {error}"));
    }
}

/// What is wrong with how a file is taken, if anything, and whether it gave a model.
fn fault(file: &[u8], format: Option<&str>) -> (Option<String>, bool) {
    MEMORY.reset_peak_usage();
    let (before, start) = (MEMORY.current_usage(), Instant::now());
    let survived = catch_unwind(AssertUnwindSafe(|| survives(file, format)));
    let (held, taken) = (MEMORY.peak_usage() - before, start.elapsed());
    let fault = if survived.is_err() {
        Some("it panics".to_owned())
    } else if taken > SLOW {
        Some(format!("it takes {taken:?}"))
    } else if held > TIMES * file.len() + BESIDES {
        Some(format!("it holds {held} bytes"))
    } else {
        None
    };
    (fault, survived.unwrap_or(false))
}

// One test, as memory is measured for the whole process.
#[test]
fn every_mutant_gives_a_model_or_an_error() {
    for row in FORMATS {
        let samples = samples(row.samples);
        let mut random = Random::new(2026);
        let mut models = 0;
        for number in 0..MUTANTS {
            let sample = &samples[number % samples.len()];
            let mutant = (row.mutate)(sample, &mut random);
            let (fault, is_model) = fault(&mutant, row.format);
            let shown = String::from_utf8_lossy(&mutant[..mutant.len().min(3000)]).into_owned();
            assert_eq!(fault, None, "{} {number}: {shown:?}", row.samples);
            models += usize::from(is_model);
        }
        // mutants that are all refused at the door, or never, would test nothing
        let mixed = row.format.is_none() || (MUTANTS / 50..MUTANTS).contains(&models);
        assert!(mixed, "{}: {models} of {MUTANTS} mutants are models", row.samples);
    }
}
