//! A file piece by piece, for those who have only the beginning of each.

use stepscope_wire::{Cursor, Value, lossy};

/// A field of a file: a plane, or one of the few texts beside them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Its length, in bytes of the file; the next one follows.
    pub length: u64,
    /// Of a plane its name, which may be empty.
    pub plane: Option<String>,
}

impl Piece {
    /// Reads what stands at the beginning of a piece. None where `head` is too short to tell, or
    /// the bytes are not those of a profile.
    ///
    /// ```
    /// use stepscope_xplane::Piece;
    ///
    /// // 4,000 bytes of a plane, of which only the first are here.
    /// let piece = Piece::at(b"\x0a\xa0\x1f\x12\x09/host:CPU\x1a").unwrap();
    /// assert_eq!(piece.length, 4003);
    /// assert_eq!(piece.plane.as_deref(), Some("/host:CPU"));
    /// ```
    pub fn at(head: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(head);
        let tag = cursor.varint().ok()?;
        if tag & 7 != 2 {
            let mut whole = Cursor::new(head);
            whole.field().ok()??;
            return Some(Self {
                length: whole.position() as u64,
                plane: None,
            });
        }
        let content = cursor.varint().ok()?;
        let length = (cursor.position() as u64).checked_add(content)?;
        let rest = cursor.rest();
        let available = usize::try_from(content).map_or(rest.len(), |count| count.min(rest.len()));
        let plane = match tag >> 3 {
            0 => return None,
            1 => Some(plane_name(&rest[..available], available as u64 == content)?),
            _ => None,
        };
        Some(Self { length, plane })
    }
}

/// The name of a plane by its beginning. Writers put it before what is long.
fn plane_name(message: &[u8], is_whole: bool) -> Option<String> {
    let mut cursor = Cursor::new(message);
    loop {
        if cursor.is_at_end() {
            return is_whole.then(String::new);
        }
        if let Some(name) = cursor.tagged_bytes(NAME_TAG) {
            return Some(lossy(name).into_owned());
        }
        let before_long = matches!(cursor.peek(), Some(tag) if tag < NAME_TAG);
        if !before_long && !is_whole {
            return None;
        }
        cursor.field().ok()??;
    }
}

/// Field 2, length-delimited.
const NAME_TAG: u8 = 0x12;

/// Tables of a plane's names are looked for at this many places, at most.
const MAX_PLACES: usize = 64;

/// Names of a plane's stats out of the last bytes of its message, where writers put them. None
/// where `tail` does not hold the whole table: then a longer one may.
///
/// ```text
/// plane   … lines │ names of events │ names of stats │ stats of the plane
/// tail                       └─────────────────────────────────────────┘
/// ```
pub fn stat_names_at_end(tail: &[u8]) -> Option<Vec<&[u8]>> {
    let places = memchr_all(tail, EVENT_NAME_TAG);
    let is_entry = |&at: &usize| {
        let mut cursor = Cursor::new(&tail[at + 1..]);
        cursor
            .whole_bytes()
            .is_some_and(|entry| named(entry).is_some())
    };
    places
        .filter(is_entry)
        .take(MAX_PLACES)
        .find_map(|at| stat_names(&tail[at..]))
}

fn memchr_all(bytes: &[u8], wanted: u8) -> impl Iterator<Item = usize> {
    let all = bytes.iter().enumerate();
    all.filter(move |(_, byte)| **byte == wanted)
        .map(|(at, _)| at)
}

/// Reads tables to the end of a plane: names of events, then names of stats, then its own stats.
fn stat_names(tables: &[u8]) -> Option<Vec<&[u8]>> {
    let (mut names, mut last) = (Vec::new(), 4);
    let mut cursor = Cursor::new(tables);
    while let Some(field) = cursor.field().ok()? {
        let Value::Bytes(entry) = field.value else {
            return None;
        };
        if field.number < last {
            return None;
        }
        last = field.number;
        match field.number {
            4 => _ = named(entry)?,
            5 => names.push(named(entry)?),
            _ => {}
        }
    }
    Some(names)
}

/// The name in an entry of a table: a key, and a message that repeats the key as its first number
/// and has its name as its second field. None where it is no such entry.
fn named(entry: &[u8]) -> Option<&[u8]> {
    let mut cursor = Cursor::new(entry);
    let key = cursor.tagged_number(0x08).unwrap_or(0);
    let message = cursor.tagged_bytes(NAME_TAG)?;
    if !cursor.is_at_end() {
        return None;
    }
    let mut cursor = Cursor::new(message);
    let id = cursor.tagged_number(0x08).unwrap_or(0);
    let name = cursor.tagged_bytes(NAME_TAG).unwrap_or_default();
    let is_whole = cursor.is_at_end() || cursor.field().is_ok();
    (id == key && is_whole).then_some(name)
}

/// Field 4 of a plane, length-delimited.
const EVENT_NAME_TAG: u8 = 0x22;
