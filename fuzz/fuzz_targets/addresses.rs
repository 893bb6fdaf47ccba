//! Addresses from arbitrary text.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stepscope_fuzz::addresses::check(bytes));
