//! Any bytes as a file of format gpt2.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| digram_fuzz::load(data, Some("gpt2")));
