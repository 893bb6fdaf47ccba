//! Why nothing was written.

use std::io;

use stepscope_analysis::AnalysisError;

/// Why a report was not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// An option is wrong, or the session has no answer at all.
    #[error("{0}")]
    Analysis(#[from] AnalysisError),
    /// The bytes could not be written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The page without the answers is not the one that this version fills.
    #[error("this build does not include the report page")]
    NoPage,
    /// Not even the smallest report fits.
    #[error("the report needs at least {least_bytes} bytes, but only {most_bytes} are allowed")]
    TooSmall {
        /// What it takes with nothing but the overview.
        least_bytes: u64,
        /// What it may take.
        most_bytes: u64,
    },
}
