//! How a run ends: exit codes, and failures with what was looked for, what was found, and what to
//! do.

use std::{fmt, io};

use stepscope_analysis::AnalysisError;
use stepscope_storage::{OpenSessionError, StorageError};

/// Exit codes, the same for every command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Success, including when the reader closed the pipe.
    Fine = 0,
    /// Something in Stepscope or the system failed.
    Failure = 1,
    /// The command line requests something that does not exist.
    Usage = 2,
    /// Nothing usable at the path.
    Path = 3,
    /// A requested check did not pass.
    Check = 4,
}

/// Why a command gave no answer. Printed once, by [`crate::run`].
#[derive(Debug)]
pub(crate) enum Failure {
    /// A sentence, and what to do about it.
    Told {
        /// Exit code.
        exit: Exit,
        /// A sentence without a trailing period.
        message: String,
        /// What to do; empty if nothing.
        hint: String,
    },
    /// The reader closed our output.
    BrokenPipe,
}

impl Failure {
    /// A failure without a hint.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self::Told {
            exit,
            message: message.into(),
            hint: String::new(),
        }
    }

    /// Names the session, of several, in which it occurred.
    fn of_session(self, name: &str) -> Self {
        match self {
            Self::Told {
                exit,
                message,
                hint,
            } => Self::Told {
                exit,
                message: format!("{name}: {message}"),
                hint,
            },
            Self::BrokenPipe => self,
        }
    }

    /// Adds a hint about what to do.
    pub(crate) fn hint(self, text: impl Into<String>) -> Self {
        match self {
            Self::Told { exit, message, .. } => Self::Told {
                exit,
                message,
                hint: text.into(),
            },
            Self::BrokenPipe => self,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Told { message, .. } => formatter.write_str(message),
            Self::BrokenPipe => formatter.write_str("the pipe was closed"),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::BrokenPipe,
            _ => Self::new(Exit::Failure, error.to_string()),
        }
    }
}

impl From<StorageError> for Failure {
    fn from(error: StorageError) -> Self {
        let hint = error.hint().unwrap_or_default();
        Self::new(Exit::Path, error.to_string()).hint(hint)
    }
}

impl From<OpenSessionError> for Failure {
    fn from(error: OpenSessionError) -> Self {
        match error {
            OpenSessionError::Unread(error) => Self::from(error),
            _ => Self::new(Exit::Path, error.to_string()).hint(error.hint()),
        }
    }
}

impl From<AnalysisError> for Failure {
    fn from(error: AnalysisError) -> Self {
        let exit = match error {
            AnalysisError::Options(_)
            | AnalysisError::NothingSelected { .. }
            | AnalysisError::TooFewSessions { .. } => Exit::Usage,
            AnalysisError::OfSession { session, source } => {
                return Self::from(*source).of_session(&session);
            }
            AnalysisError::NoEvents { .. } => {
                return Self::new(Exit::Path, error.to_string())
                    .hint("stepscope heap PATH shows what was alive and who allocated it");
            }
            AnalysisError::NeverRan { .. } => {
                return Self::new(Exit::Path, error.to_string()).hint(
                    "stepscope buffers PATH shows their memory, stepscope graph PATH what they compute",
                );
            }
            AnalysisError::Changed(_) => {
                return Self::new(Exit::Failure, error.to_string()).hint(AnalysisError::REOPEN);
            }
            _ => Exit::Failure,
        };
        Self::new(exit, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selection_without_match_is_a_usage_error() {
        let error = AnalysisError::NothingSelected {
            what: "--device 9".to_owned(),
            available: "0 CPU:0".to_owned(),
        };
        let Failure::Told { exit, message, .. } = Failure::from(error) else {
            panic!("expected a failure with a message");
        };
        assert_eq!(exit, Exit::Usage);
        assert_eq!(message, "--device 9 matches nothing; available: 0 CPU:0");
    }

    #[test]
    fn a_closed_pipe_is_told_to_nobody() {
        let error = io::Error::from(io::ErrorKind::BrokenPipe);
        assert!(matches!(Failure::from(error), Failure::BrokenPipe));
    }
}
