//! Analyses that judge one session: what can be trusted, and what to do first.

pub mod advice;
pub mod verdict;
