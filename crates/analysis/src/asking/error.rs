//! Why a question has no answer.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use stepscope_model::Session;

use crate::measuring::selection::SelectionError;
use crate::telling::format;
use crate::telling::thresholds::ThresholdsError;

/// Why an analysis gave no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// The options are not of the analysis' form.
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
    /// The session is memory snapshots, and the question is of something else.
    #[error("a memory profile holds no events, so `{name}` has nothing to go by")]
    NoEvents {
        /// The analysis that was asked.
        name: &'static str,
    },
    /// The session is programs, and the question is of what happened when they ran.
    #[error("the HLO of programs holds no events, so `{name}` has nothing to go by")]
    NeverRan {
        /// The analysis that was asked.
        name: &'static str,
    },
    /// Too few sessions for a question about several.
    #[error("{name} needs at least {wanted} sessions; got {given}")]
    TooFewSessions {
        /// The comparison that was asked.
        name: &'static str,
        /// How many it needs.
        wanted: usize,
        /// How many there were.
        given: usize,
    },
    /// A question about several sessions failed at one of them.
    #[error("{session}: {source}")]
    OfSession {
        /// Name of the session.
        session: String,
        /// Why.
        source: Box<Self>,
    },
    /// A file of the session was written while it was open: figures would be made of a mixture.
    #[error("{0}")]
    Changed(String),
    /// A defect of ours.
    #[error("the analysis failed inside: {0}")]
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

    /// The error, saying at which of several sessions it came up.
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
