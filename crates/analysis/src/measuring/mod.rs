//! Measuring: figures read from a session, each computed by one function.
//!
//! Nothing here knows options, reports or text for people, except for the syntax of selections.

pub mod activity;
pub mod busy;
pub(crate) mod callbacks;
pub(crate) mod communication;
pub(crate) mod compiled_calls;
pub(crate) mod completions;
pub mod environment;
pub(crate) mod frames;
pub(crate) mod host_copies;
pub mod interval;
pub(crate) mod launch_calls;
pub(crate) mod lead;
pub(crate) mod levels;
pub(crate) mod long_launches;
pub(crate) mod long_loop;
pub(crate) mod occupation;
pub(crate) mod other_loops;
pub(crate) mod pauses;
pub(crate) mod relays;
pub(crate) mod repeats;
pub mod selection;
pub mod steps;
pub(crate) mod tails;
pub mod totals;
pub(crate) mod unrecorded;
pub(crate) mod warm_up;
pub(crate) mod windows;
pub mod work;
pub mod workload;
