//! Why an analysis returned no report.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use stepscope_model::Session;

use crate::measuring::selection::SelectionError;
use crate::telling::format;
use crate::telling::thresholds::ThresholdsError;

/// Why an analysis returned no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// The options are invalid.
    #[error("{0}")]
    Options(String),
    /// A selection matches nothing.
    #[error("{what} matches nothing; available: {available}")]
    NothingSelected {
        /// The option and its value.
        what: String,
        /// What could have been selected.
        available: String,
    },
    /// The session contains only memory snapshots, but the analysis needs events.
    #[error("`{name}` needs recorded events, but a memory profile has none")]
    NoEvents {
        /// The requested analysis.
        name: &'static str,
    },
    /// The session contains only programs, but the analysis needs events.
    #[error("`{name}` needs recorded events, but the HLO of programs has none")]
    NeverRan {
        /// The requested analysis.
        name: &'static str,
    },
    /// Too few sessions for a comparison.
    #[error("{name} needs at least {wanted} sessions; got {given}")]
    TooFewSessions {
        /// The requested comparison.
        name: &'static str,
        /// How many it needs.
        wanted: usize,
        /// How many were given.
        given: usize,
    },
    /// A comparison failed for one of its sessions.
    #[error("{session}: {source}")]
    OfSession {
        /// Name of the session.
        session: String,
        /// The cause.
        source: Box<Self>,
    },
    /// A file of the session was written while it was open: figures would be made of a mixture.
    #[error("{0}")]
    Changed(String),
    /// A bug in Stepscope.
    #[error("internal error in the analysis: {0}")]
    Internal(String),
}

impl AnalysisError {
    /// What to do about [`Changed`](Self::Changed).
    pub const REOPEN: &str = "open the session again, once nothing writes the file any more";

    /// Refuses a session whose files were written since it was opened.
    pub fn if_changed(session: &Session) -> Result<(), Self> {
        session
            .changed()
            .map_or(Ok(()), |why| Err(Self::Changed(why)))
    }

    /// An answer that was computed while nobody wrote the files of the session; otherwise
    /// [`Changed`](Self::Changed), whatever came out.
    pub fn unless_changed<T>(
        session: &Session,
        compute: impl FnOnce() -> Result<T, Self>,
    ) -> Result<T, Self> {
        Self::if_changed(session)?;
        // Code that meets bytes which change under it may stop in any way.
        let computed = catch_unwind(AssertUnwindSafe(compute));
        Self::if_changed(session)?;
        computed.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// The error without the name of the session in which it occurred.
    #[must_use]
    pub fn cause(self) -> Self {
        match self {
            Self::OfSession { source, .. } => source.cause(),
            error => error,
        }
    }

    /// Adds the name of the session in which the error occurred.
    #[must_use]
    pub fn of_session(self, name: &str) -> Self {
        Self::OfSession {
            session: name.to_owned(),
            source: Box::new(self),
        }
    }
}

impl From<SelectionError> for AnalysisError {
    fn from(error: SelectionError) -> Self {
        match error {
            SelectionError::Invalid(text) => Self::Options(text),
            SelectionError::NoTime { what, recorded } => Self::NothingSelected {
                what,
                available: format!(
                    "{} to {}",
                    format::duration_ps(recorded.start.0 as f64),
                    format::duration_ps(recorded.end.0 as f64)
                ),
            },
            SelectionError::Nothing { what, available } => {
                Self::NothingSelected { what, available }
            }
        }
    }
}

impl From<ThresholdsError> for AnalysisError {
    fn from(error: ThresholdsError) -> Self {
        Self::Options(error.to_string())
    }
}
