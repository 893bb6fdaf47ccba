//! Kernels of custom calls from arbitrary configurations.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stepscope_fuzz::kernels::check(bytes));
