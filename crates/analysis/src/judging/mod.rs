//! Analyses that judge one session: which figures to trust, and what to change first.

pub mod advice;
pub mod verdict;
