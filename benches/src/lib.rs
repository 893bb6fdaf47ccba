//! Benchmarks: one file per stage in `benches/`, the `peers` program, which compares the product with
//! other profilers, and the `many` program, which asks it about many hosts and many runs. Method and results: `docs/internals/benchmarks.md`.
//!
//! Machines differ and are busy, so only ratios within one run count: [`paired`] alternates between
//! contestants and compares the rounds one by one.

pub mod child;
pub mod damage;
pub mod exports;
pub mod floor;
pub mod growth;
pub mod http;
pub mod input;
pub mod logs;
pub mod paired;
pub mod random;
