//! Measuring: what is read from a session, each figure by one function.
//!
//! Nothing here knows options, reports or text for people, except for the words of a selection.

pub mod activity;
pub mod busy;
pub(crate) mod communication;
pub mod environment;
pub mod interval;
pub(crate) mod levels;
pub(crate) mod pauses;
pub mod selection;
pub mod steps;
pub mod totals;
pub(crate) mod windows;
pub mod work;
