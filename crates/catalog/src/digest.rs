//! Digests of texts and bytes, as names.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// Bytes of a digest in a name: enough that nobody finds two contents with one name.
const BYTES: usize = 16;

/// A digest of parts, each with its length, so that `ab`, `c` differs from `a`, `bc`.
#[derive(Default)]
pub(crate) struct Digest(Sha256);

impl Digest {
    /// Adds a text.
    pub(crate) fn add(&mut self, text: &str) {
        self.add_bytes(text.as_bytes());
    }

    /// Adds bytes.
    pub(crate) fn add_bytes(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// The digest, in hexadecimal.
    pub(crate) fn text(self) -> String {
        let mut text = String::with_capacity(2 * BYTES);
        for byte in self.0.finalize().iter().take(BYTES) {
            // Writing to a text never fails.
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

/// The digest of bytes alone.
pub(crate) fn digest(bytes: &[u8]) -> String {
    let mut digest = Digest::default();
    digest.add_bytes(bytes);
    digest.text()
}

/// Whether a name is what a digest can be.
pub(crate) fn is_digest(name: &str) -> bool {
    let is_letter = |letter: u8| matches!(letter, b'0'..=b'9' | b'a'..=b'f');
    name.len() == 2 * BYTES && name.bytes().all(is_letter)
}
