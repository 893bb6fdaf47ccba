//! The attack list, as far as it reaches the server: what is tried, and what must come of it. Files
//! are attacked in `crates/storage/tests/hostile`, the command line in `crates/cli/tests`.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[expect(dead_code, reason = "the tests of the routes use the rest")]
#[path = "../http/common.rs"]
mod common;
mod limits;
#[cfg(unix)]
mod queries;
mod rewritten;
mod security;
