//! What sessions are built from, and why there may be none.

use std::sync::Arc;

use crate::profile_data::ProfileData;

/// One host's profile file.
pub struct HostInput {
    /// Host name.
    pub host: String,
    /// The file.
    pub bytes: Arc<dyn ProfileData>,
    /// Remarks of the file's reader, such as a truncated compressed stream.
    pub problem: Option<String>,
}

/// Why there is no session.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IngestError {
    /// No input at all.
    #[error("no profile file to read")]
    NoInput,
    /// None of the files is a profile.
    #[error("{host} is not an XSpace profile: {found}")]
    NotAProfile {
        /// Host name of the first file.
        host: String,
        /// What it looks like instead.
        found: String,
    },
    /// None of the files is a program.
    #[error("{name} is not an HLO program: {found}")]
    NotAProgram {
        /// Name of the first file.
        name: String,
        /// What it looks like instead.
        found: String,
    },
    /// None of the files is a memory profile.
    #[error("{name} is not a memory profile: {found}")]
    NotAMemoryProfile {
        /// Name of the first file.
        name: String,
        /// What it looks like instead.
        found: String,
    },
}
