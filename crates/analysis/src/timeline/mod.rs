//! Placeholder while the computation is written.
