//! Benchmarks: one file per stage.
