//! The server from outside, without a socket: what it answers and what it rejects.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod areas;
mod capture;
mod common;
mod fuzzed;
mod incidents;
mod preview;
mod routes;
