//! Traces of Chrome and Perfetto from arbitrary bytes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stepscope_fuzz::traces::check(bytes));
