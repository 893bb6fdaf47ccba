//! Why nothing was written.

use std::io;

use stepscope_analysis::AnalysisError;

/// Why a report was not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// An option is wrong, or the session has no answers at all.
    #[error("{0}")]
    Analysis(#[from] AnalysisError),
    /// The bytes could not be written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// This build has no Parquet.
    #[error("this build of Stepscope does not write Parquet; build it with `--features parquet`")]
    NoParquet,
    /// The page without answers does not match this version.
    #[error("this build does not include the report page")]
    NoPage,
    /// Not even the smallest report fits.
    #[error("the report needs at least {least_bytes} bytes, but only {most_bytes} are allowed")]
    TooSmall {
        /// The size with only the overview.
        least_bytes: u64,
        /// The maximum size.
        most_bytes: u64,
    },
}
