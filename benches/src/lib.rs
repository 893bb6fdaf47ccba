//! Benchmarks: one file per stage in `benches/`, and the `peers` program, which runs the product
//! beside other profilers. Method and results: `docs/internals/benchmarks.md`.
//!
//! Machines differ and are busy, so what counts are ratios within one run: [`paired`] takes turns
//! and compares the rounds one by one.

pub mod floor;
pub mod input;
pub mod paired;
pub mod random;
