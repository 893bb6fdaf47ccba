//! A machine that is reached through a connection of `ssh`.

use std::process::Command;

use crate::exit::Failure;

/// A machine, and how its connection errors are reported.
pub(crate) struct Place {
    pub(crate) url: String,
    pub(crate) host: String,
    /// Builds a failure from URL, host, exit code, and standard error.
    pub(crate) failure: fn(&str, &str, Option<i32>, &str) -> Failure,
}

/// Builds the command that opens the connection, from `LOCAL:127.0.0.1:REMOTE`.
pub(crate) type Connect = dyn Fn(&str) -> Command + Send + Sync;
