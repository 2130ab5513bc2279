//! Any bytes as a file of whatever format they look like.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| digram_fuzz::load(data, None));
