//! A part of a profile as a profile: planes and events are left out, everything else is copied byte
//! by byte.

use stepscope_wire::{Cursor, Value, push_bytes};

/// Which parts of a profile are kept. Positions are those in [`Space`](crate::Space): of planes in
/// the file, of lines in their plane, of events in their line.
pub trait Part {
    /// The plane is kept.
    fn has_plane(&mut self, plane: usize) -> bool;
    /// All of the line is kept, so that its events need not be asked for one by one.
    fn has_whole_line(&mut self, plane: usize, line: usize) -> bool;
    /// The event is kept. Asked for in the order of the file.
    fn has_event(&mut self, plane: usize, line: usize, event: usize) -> bool;
}

/// The part of a profile, plane by plane, handed to `out`. A line without an event that is kept is
/// left out. Damage ends the message in which it stands, as it does for readers.
///
/// # Errors
///
/// Those of `out`.
pub fn select<E>(
    space: &[u8],
    part: &mut dyn Part,
    out: &mut dyn FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut position = 0;
    let mut copied = Vec::new();
    let mut fields = RawFields::of(space);
    while let Some((number, raw, value)) = fields.next() {
        copied.clear();
        match value {
            Some(value) if number == PLANE => {
                if part.has_plane(position) {
                    plane(value, position, part, &mut copied);
                }
                position += 1;
            }
            _ => copied.extend_from_slice(raw),
        }
        out(&copied)?;
    }
    Ok(())
}

const PLANE: u32 = 1;
const LINE: u32 = 3;
const EVENT: u32 = 4;

fn plane(message: &[u8], position: usize, part: &mut dyn Part, out: &mut Vec<u8>) {
    let mut plane = Vec::with_capacity(message.len());
    let mut lines = 0;
    let mut fields = RawFields::of(message);
    while let Some((number, raw, value)) = fields.next() {
        match value {
            Some(value) if number == LINE => {
                if part.has_whole_line(position, lines) {
                    push_bytes(&mut plane, LINE, value);
                } else {
                    line(value, (position, lines), part, &mut plane);
                }
                lines += 1;
            }
            _ => plane.extend_from_slice(raw),
        }
    }
    push_bytes(out, PLANE, &plane);
}

fn line(message: &[u8], at: (usize, usize), part: &mut dyn Part, out: &mut Vec<u8>) {
    let mut line = Vec::new();
    let (mut events, mut kept) = (0, 0_usize);
    let mut fields = RawFields::of(message);
    while let Some((number, raw, value)) = fields.next() {
        if number == EVENT && value.is_some() {
            let is_kept = part.has_event(at.0, at.1, events);
            events += 1;
            if !is_kept {
                continue;
            }
            kept += 1;
        }
        line.extend_from_slice(raw);
    }
    if kept > 0 {
        push_bytes(out, LINE, &line);
    }
}

/// The whole fields of a message: number, bytes, and the value of those that have a length. A value
/// that is cut off is given as far as it goes, and ends the message.
struct RawFields<'a> {
    cursor: Cursor<'a>,
}

/// A field's number, its bytes as they stand, and the value of one that has a length.
type Field<'a> = (u32, &'a [u8], Option<&'a [u8]>);

impl<'a> RawFields<'a> {
    const fn of(message: &'a [u8]) -> Self {
        Self {
            cursor: Cursor::new(message),
        }
    }

    fn next(&mut self) -> Option<Field<'a>> {
        let begin = self.cursor.position();
        let field = self.cursor.field().ok()??;
        let raw = self.cursor.read_since(begin);
        match field.value {
            // Of a message that is cut off its beginning is there; of anything else nothing is.
            Value::Cut(value) if matches!(field.number, PLANE | LINE) => {
                Some((field.number, &[], Some(value)))
            }
            Value::Cut(_) => None,
            Value::Bytes(value) => Some((field.number, raw, Some(value))),
            _ => Some((field.number, raw, None)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Space;

    /// Keeps everything but one event.
    struct Without((usize, usize, usize));

    impl Part for Without {
        fn has_plane(&mut self, _: usize) -> bool {
            true
        }
        fn has_whole_line(&mut self, plane: usize, line: usize) -> bool {
            (plane, line) != (self.0.0, self.0.1)
        }
        fn has_event(&mut self, plane: usize, line: usize, event: usize) -> bool {
            (plane, line, event) != self.0
        }
    }

    fn selected(space: &[u8], part: &mut dyn Part) -> Vec<u8> {
        let mut out = Vec::new();
        let written: Result<(), ()> = select(space, part, &mut |bytes| {
            out.extend_from_slice(bytes);
            Ok(())
        });
        written.unwrap();
        out
    }

    /// Two planes; the second has a line of two events and one of one.
    const SPACE: &[u8] = b"\x0a\x03\x12\x01a\
        \x0a\x15\x12\x01b\x1a\x0a\x08\x01\x22\x02\x10\x05\x22\x02\x10\x07\x1a\x04\x22\x02\x10\x09\
        \x22\x02h1";

    fn offsets(space: &[u8]) -> Vec<Vec<i64>> {
        let space = Space::scan(space);
        let lines = space.planes.iter().flat_map(|plane| &plane.lines);
        lines
            .map(|line| line.events().map(|event| event.offset_ps).collect())
            .collect()
    }

    #[test]
    fn events_are_left_out_and_the_rest_is_copied() {
        assert_eq!(offsets(SPACE), [vec![5, 7], vec![9]]);
        assert_eq!(selected(SPACE, &mut Without((9, 9, 9))), SPACE);
        let without = selected(SPACE, &mut Without((1, 0, 0)));
        assert_eq!(offsets(&without), [vec![7], vec![9]]);
        // A line without events is gone.
        let without = selected(SPACE, &mut Without((1, 1, 0)));
        assert_eq!(offsets(&without), [vec![5, 7]]);
        assert_eq!(Space::scan(&without).hostnames, ["h1"]);
    }

    #[test]
    fn any_cut_is_survived_and_keeps_what_readers_see() {
        for length in 0..=SPACE.len() {
            let cut = &SPACE[..length];
            let copied = selected(cut, &mut Without((9, 9, 9)));
            let some: Vec<_> = offsets(cut).into_iter().flatten().collect();
            let kept: Vec<_> = offsets(&copied).into_iter().flatten().collect();
            assert_eq!(kept, some, "{length}");
        }
    }
}
