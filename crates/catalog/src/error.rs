//! What can go wrong with a catalog.

use std::io;

use stepscope_remote::RemoteError;

/// Why something cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// The folder cannot be written.
    #[error("the catalog cannot be written: {0}")]
    Io(#[from] io::Error),
    /// A summary cannot be written as text.
    #[error("a summary cannot be written: {0}")]
    Text(#[from] serde_json::Error),
    /// The bucket does not do what was asked, or the URL names none.
    #[error("the catalog cannot be used: {0}")]
    Bucket(#[from] RemoteError),
}

impl CatalogError {
    /// What to do about it; may be empty.
    pub fn hint(&self) -> &str {
        match self {
            Self::Bucket(error) => &error.hint,
            Self::Io(_) | Self::Text(_) => "",
        }
    }
}
