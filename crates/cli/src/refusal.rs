//! Failures for callers that are not the command line: Python.

use crate::exit::{Exit, Failure};

/// Why a request was refused: nothing was written or read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// A sentence.
    pub message: String,
    /// What to do about it; empty if nothing.
    pub hint: String,
    /// An option requests something that does not exist.
    pub is_usage: bool,
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        let message = failure.to_string();
        match failure {
            Failure::Told { exit, hint, .. } => Self {
                message,
                hint,
                is_usage: exit == Exit::Usage,
            },
            Failure::BrokenPipe => Self {
                message,
                hint: String::new(),
                is_usage: false,
            },
        }
    }
}
