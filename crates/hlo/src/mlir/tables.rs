//! The tables of a module: strings, names of ops, and where attributes and types are.

use super::bytes::Bytes;
use super::sections::Sections;

/// What the sections before the ops hold.
#[derive(Debug)]
pub(super) struct Tables<'a> {
    pub(super) strings: Vec<&'a [u8]>,
    /// With their dialects: `func.return`.
    pub(super) op_names: Vec<String>,
    pub(super) attributes: Vec<Entry<'a>>,
    pub(super) types: Vec<Entry<'a>>,
}

/// One attribute or type, not decoded yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'a> {
    pub(super) form: EntryForm,
    pub(super) bytes: &'a [u8],
}

/// How an attribute or type is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryForm {
    /// As text in MLIR's assembly, up to a zero.
    Assembly,
    /// As the builtin dialect does.
    Builtin,
    /// As another dialect does; its content is unknown.
    Other,
}

impl<'a> Tables<'a> {
    pub(super) fn read(version: u64, sections: &Sections<'a>) -> Option<Self> {
        let strings = strings(sections.strings?)?;
        let (dialects, op_names) = dialects(version, sections.dialects?, &strings)?;
        let (attributes, types) = entries(sections.sizes?, sections.attributes?, &dialects)?;
        Some(Self {
            strings,
            op_names,
            attributes,
            types,
        })
    }
}

/// Count, lengths from last to first with their zeros, texts.
pub(super) fn strings(section: &[u8]) -> Option<Vec<&[u8]>> {
    let mut bytes = Bytes::new(section);
    let lengths = bytes.list(|bytes| usize::try_from(bytes.number()?).ok())?;
    let text = |length| {
        let text = bytes.take(length)?;
        Some(text.strip_suffix(&[0]).unwrap_or(text))
    };
    lengths.into_iter().rev().map(text).collect()
}

/// The names of dialects, and of ops with their dialects.
fn dialects<'a>(
    version: u64,
    section: &[u8],
    strings: &[&'a [u8]],
) -> Option<(Vec<&'a [u8]>, Vec<String>)> {
    let string = |index: u64| strings.get(usize::try_from(index).ok()?).copied();
    let mut bytes = Bytes::new(section);
    let dialects = bytes.list(|bytes| {
        let name = bytes.number()?;
        // Versions of dialects have been stored since version 1.
        if version == 0 {
            return string(name);
        }
        if name & 1 == 1 {
            bytes.section()?;
        }
        string(name >> 1)
    })?;
    if version >= 4 {
        bytes.number()?;
    }
    let mut names = Vec::new();
    while !bytes.is_empty() {
        let dialect = dialects.get(bytes.index()? as usize)?;
        let dialect = String::from_utf8_lossy(dialect);
        let of_dialect = bytes.list(|bytes| {
            let name = bytes.number()?;
            // Since version 5 the lowest bit says whether the op was registered.
            let name = string(if version >= 5 { name >> 1 } else { name })?;
            Some(format!("{dialect}.{}", String::from_utf8_lossy(name)))
        })?;
        names.extend(of_dialect);
    }
    Some((dialects, names))
}

/// Attributes and types: their sizes in groups by dialect, attributes first.
fn entries<'a>(
    sizes: &[u8],
    mut data: &'a [u8],
    dialects: &[&[u8]],
) -> Option<(Vec<Entry<'a>>, Vec<Entry<'a>>)> {
    let mut bytes = Bytes::new(sizes);
    let (attribute_count, type_count) = (bytes.index()?, bytes.index()?);
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let dialect = dialects.get(bytes.index()? as usize)?;
        let group = bytes.list(|bytes| {
            let size = bytes.number()?;
            let (own, rest) = data.split_at_checked(usize::try_from(size >> 1).ok()?)?;
            data = rest;
            let form = match (size & 1, *dialect) {
                (0, _) => EntryForm::Assembly,
                (_, b"builtin") => EntryForm::Builtin,
                _ => EntryForm::Other,
            };
            Some(Entry { form, bytes: own })
        })?;
        all.extend(group);
    }
    let is_whole = all.len() as u64 == u64::from(attribute_count) + u64::from(type_count);
    let types = is_whole.then(|| all.split_off(attribute_count as usize))?;
    Some((all, types))
}
