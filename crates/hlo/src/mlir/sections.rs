//! The sections of MLIR bytecode.

use super::bytes::Bytes;

/// Why bytes are not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// They are not MLIR bytecode.
    NotBytecode,
    /// A version of the format that is not known.
    Version(u64),
    /// The bytes contradict the format, or end early.
    Damaged,
}

/// The sections that are read.
#[derive(Debug, Default)]
pub(super) struct Sections<'a> {
    pub(super) strings: Option<&'a [u8]>,
    pub(super) dialects: Option<&'a [u8]>,
    pub(super) attributes: Option<&'a [u8]>,
    pub(super) sizes: Option<&'a [u8]>,
    pub(super) ops: Option<&'a [u8]>,
}

/// The version of the format, and the sections.
pub(super) fn sections(data: &[u8]) -> Result<(u64, Sections<'_>), Refusal> {
    let rest = data.strip_prefix(b"ML\xefR").ok_or(Refusal::NotBytecode)?;
    let mut bytes = Bytes::new(rest);
    let version = bytes.number().ok_or(Refusal::Damaged)?;
    bytes.text().ok_or(Refusal::Damaged)?;
    let mut found = Sections::default();
    while !bytes.is_empty() {
        let (id, section) = bytes.section().ok_or(Refusal::Damaged)?;
        let place = match id {
            0 => &mut found.strings,
            1 => &mut found.dialects,
            2 => &mut found.attributes,
            3 => &mut found.sizes,
            4 => &mut found.ops,
            _ => continue,
        };
        *place = Some(section);
    }
    Ok((version, found))
}
