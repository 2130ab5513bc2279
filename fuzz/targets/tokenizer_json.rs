//! Any bytes as a file of format tokenizer.json.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| digram_fuzz::load(data, Some("tokenizer.json")));
