//! Bytes inside a page: gzip, then base64.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use rayon::prelude::*;

/// The size of a key, its quotes, and its comma, in addition to the text of its value.
const AROUND_BYTES: usize = 6;

/// The bytes as text, as small as gzip makes them: a report is written once and sent often.
pub(super) fn packed(bytes: &[u8]) -> io::Result<String> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(STANDARD.encode(encoder.finish()?))
}

/// Several texts, each under its key.
pub(super) fn all<T: AsRef<str> + Send>(
    texts: impl Iterator<Item = (String, T)>,
) -> io::Result<Vec<(String, String)>> {
    let texts: Vec<(String, T)> = texts.collect();
    let packed = texts
        .into_par_iter()
        .map(|(key, text)| Ok((key, packed(text.as_ref().as_bytes())?)));
    packed.collect()
}

/// The size of an entry in the file.
pub(super) const fn entry_bytes(key: &str, value: &str) -> u64 {
    (key.len() + value.len() + AROUND_BYTES) as u64
}
