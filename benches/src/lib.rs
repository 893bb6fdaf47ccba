//! Benchmarks: one file per stage in `benches/`, and the `peers` program, which compares the
//! product with other profilers. Method and results: `docs/internals/benchmarks.md`.
//!
//! Machines differ and are busy, so only ratios within one run count: [`paired`] alternates between
//! contestants and compares the rounds one by one.

pub mod damage;
pub mod exports;
pub mod floor;
pub mod growth;
pub mod input;
pub mod paired;
pub mod random;
