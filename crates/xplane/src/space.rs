//! XSpace: a whole profile file.

use std::borrow::Cow;

use stepscope_wire::{Cursor, Field, Value, WireError, lossy};

use crate::plane::{Plane, Unread};

/// A whole profile file.
#[derive(Debug, Clone, Default)]
pub struct Space<'a> {
    /// Planes, in file order. Planes with equal names are parts of one.
    pub planes: Vec<Plane<'a>>,
    /// Errors the profiler reported.
    pub errors: Vec<Cow<'a, str>>,
    /// Warnings the profiler reported, such as dropped events.
    pub warnings: Vec<Cow<'a, str>>,
    /// Host names; usually one.
    pub hostnames: Vec<Cow<'a, str>>,
    /// What could not be decoded.
    pub problems: Vec<Problem>,
    bytes: &'a [u8],
}

/// Something that could not be decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Byte offset in the file.
    pub offset: usize,
    /// Name of the plane, or empty outside planes.
    pub plane: String,
    /// What happened.
    pub kind: ProblemKind,
}

/// What happened to undecodable bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    /// The input ends within a message.
    Truncated,
    /// The bytes are not protobuf.
    Malformed,
}

impl From<WireError> for ProblemKind {
    fn from(error: WireError) -> Self {
        match error {
            WireError::Truncated => Self::Truncated,
            WireError::Malformed => Self::Malformed,
        }
    }
}

/// Whether bytes are whole fields of a profile to their end. Looks at their beginnings only.
///
/// ```
/// let space = b"\x0a\x0b\x12\x09/host:CPU";
/// assert!(stepscope_xplane::is_whole(space));
/// assert!(!stepscope_xplane::is_whole(&space[..9]));
/// ```
pub fn is_whole(bytes: &[u8]) -> bool {
    let mut cursor = Cursor::new(bytes);
    loop {
        match cursor.whole_field() {
            Ok(None) => return true,
            Ok(Some(_)) => {}
            Err(_) => return false,
        }
    }
}

impl<'a> Space<'a> {
    /// Looks at the whole file without decoding events. Never fails: what cannot be read is in
    /// `problems`, and a file that is no profile has no planes with a name.
    ///
    /// ```
    /// let space = stepscope_xplane::Space::scan(b"\x0a\x0b\x12\x09/host:CPU");
    /// assert_eq!(space.planes[0].name, "/host:CPU");
    /// assert!(space.problems.is_empty());
    /// ```
    pub fn scan(bytes: &'a [u8]) -> Self {
        let mut space = Self::outline(bytes);
        let unread = space.planes.iter_mut().flat_map(Plane::unread);
        unread.for_each(Unread::read);
        space
    }

    /// Like [`Space::scan`], but the metadata tables are left empty: [`Plane::unread`] says what has
    /// to be read, so that it can be done in parallel.
    pub fn outline(bytes: &'a [u8]) -> Self {
        let mut space = Self {
            bytes,
            ..Self::default()
        };
        let mut cursor = Cursor::new(bytes);
        loop {
            let before = cursor.position();
            match cursor.field() {
                Ok(Some(field)) => space.add_field(field, before),
                Ok(None) => break,
                Err(error) => {
                    space.add_problem(before, "", error);
                    break;
                }
            }
        }
        space
    }

    fn add_field(&mut self, field: Field<'a>, before: usize) {
        let (bytes, is_cut) = match field.value {
            Value::Bytes(bytes) => (bytes, false),
            Value::Cut(bytes) => (bytes, true),
            _ => return,
        };
        match field.number {
            1 => return self.add_plane(bytes, is_cut, before),
            2 => self.errors.push(lossy(bytes)),
            3 => self.warnings.push(lossy(bytes)),
            4 => self.hostnames.push(lossy(bytes)),
            _ => {}
        }
        if is_cut {
            self.add_problem(before, "", WireError::Truncated);
        }
    }

    fn add_plane(&mut self, message: &'a [u8], is_cut: bool, before: usize) {
        let (plane, damage) = Plane::decode(message);
        if let Some((offset, error)) = damage {
            let offset = self.offset_of(message) + offset;
            self.add_problem(offset, &plane.name, error);
        } else if is_cut {
            self.add_problem(before, &plane.name, WireError::Truncated);
        }
        self.planes.push(plane);
    }

    fn add_problem(&mut self, offset: usize, plane: &str, error: WireError) {
        self.problems.push(Problem {
            offset,
            plane: plane.to_owned(),
            kind: error.into(),
        });
    }

    /// Where a part of the file stands, given a slice that one of its views returned.
    pub fn offset_of(&self, part: &[u8]) -> usize {
        (part.as_ptr() as usize).saturating_sub(self.bytes.as_ptr() as usize)
    }
}
