//! A folder of a bucket that is written, too: whole objects, by their names below it.

use bytes::Bytes;

use crate::address::{Address, Scheme};
use crate::error::{RemoteError, RemoteErrorKind};
use crate::network;
use crate::stored::{Stored, Whole};

/// A folder of a bucket, whether or not anything is in it yet.
#[derive(Debug, Clone)]
pub struct BucketFolder {
    address: Address,
}

impl BucketFolder {
    /// The folder that a URL names. Asks nobody.
    ///
    /// # Errors
    ///
    /// [`RemoteErrorKind::Address`] for what is not in a bucket: web servers and machines are only read.
    pub fn at(url: &str) -> Result<Self, RemoteError> {
        let address = Address::parse(url)?;
        let reason = match address.scheme {
            Scheme::Web => "Stepscope reads from web servers and does not write to them",
            Scheme::Machine => "Stepscope reads from machines over ssh and does not write to them",
            Scheme::Amazon | Scheme::Google | Scheme::Azure => return Ok(Self { address }),
        };
        Err(
            RemoteError::new(RemoteErrorKind::Address, &address.url, reason).with_hint(
                "use a folder, or a bucket: s3://BUCKET/PATH, gs://BUCKET/PATH, az://CONTAINER/PATH",
            ),
        )
    }

    /// Its URL, without credentials.
    pub fn url(&self) -> &str {
        &self.address.url
    }

    /// What is in the folder below a name, in the order of names; nothing is no error.
    ///
    /// # Errors
    ///
    /// The bucket does not answer, or does not allow it.
    pub fn list(&self, below: &str) -> Result<Vec<Stored>, RemoteError> {
        network::stored(&self.address, below)
    }

    /// Objects as they are now, many at a time; `None` for those that are not there.
    pub fn read(
        &self,
        names: &[String],
        most_bytes: u64,
    ) -> Vec<Result<Option<Whole>, RemoteError>> {
        network::whole(&self.address, names, most_bytes)
    }

    /// Writes an object, which appears whole or not at all. Returns its version.
    ///
    /// # Errors
    ///
    /// The bucket does not answer, or does not allow it.
    pub fn write(&self, name: &str, bytes: Bytes) -> Result<String, RemoteError> {
        network::put(&self.address, name, bytes)
    }

    /// Deletes objects. What is not there is no error.
    ///
    /// # Errors
    ///
    /// The bucket does not answer, or does not allow it.
    pub fn remove(&self, names: &[String]) -> Result<(), RemoteError> {
        if names.is_empty() {
            return Ok(());
        }
        network::delete(&self.address, names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_in_a_bucket_is_written() {
        for url in [
            "s3://lab/x",
            "gs://lab",
            "az://box/x",
            "https://lab.s3.amazonaws.com/x",
        ] {
            assert_eq!(BucketFolder::at(url).expect(url).url(), url);
        }
        for url in [
            "https://me:pa55@host/x",
            "ssh://vm/x",
            "ftp://host/x",
            "s3://",
        ] {
            let error = BucketFolder::at(url).expect_err(url);
            assert_eq!(error.kind, RemoteErrorKind::Address);
            assert!(!error.to_string().contains("pa55"), "{error}");
        }
        let error = BucketFolder::at("ssh://vm/x").expect_err("a machine");
        assert!(error.hint.contains("s3://BUCKET"), "{}", error.hint);
    }
}
