//! What a catalog in a bucket needs of the bucket.

use std::fmt::Debug;

use bytes::Bytes;
use stepscope_remote::{BucketFolder, RemoteError, Stored, Whole};

/// Objects by name, of which each is written whole.
pub trait Objects: Debug + Send + Sync {
    /// Where they are, without credentials.
    fn url(&self) -> &str;

    /// Those below a name, in the order of names; nothing is no error.
    ///
    /// # Errors
    ///
    /// They cannot be listed.
    fn list(&self, below: &str) -> Result<Vec<Stored>, RemoteError>;

    /// Some of them, each up to a size; `None` for one that is not there.
    fn read(&self, names: &[String], most_bytes: u64) -> Vec<Result<Option<Whole>, RemoteError>>;

    /// Writes one. Returns its version.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    fn write(&self, name: &str, bytes: Bytes) -> Result<String, RemoteError>;

    /// Deletes some; one that is not there is no error.
    ///
    /// # Errors
    ///
    /// They cannot be deleted.
    fn remove(&self, names: &[String]) -> Result<(), RemoteError>;
}

impl Objects for BucketFolder {
    fn url(&self) -> &str {
        self.url()
    }

    fn list(&self, below: &str) -> Result<Vec<Stored>, RemoteError> {
        self.list(below)
    }

    fn read(&self, names: &[String], most_bytes: u64) -> Vec<Result<Option<Whole>, RemoteError>> {
        self.read(names, most_bytes)
    }

    fn write(&self, name: &str, bytes: Bytes) -> Result<String, RemoteError> {
        self.write(name, bytes)
    }

    fn remove(&self, names: &[String]) -> Result<(), RemoteError> {
        self.remove(names)
    }
}
