//! Requests to the server from arbitrary text.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stepscope_fuzz::requests::check(bytes));
