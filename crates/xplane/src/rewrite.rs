//! A profile written again with other texts: every text goes through a [`Rewriter`], numbers stay as
//! they are, and what no field of a profile is known to hold is left out.
//!
//! Damage ends the message in which it stands, as it does for readers.

use std::collections::{HashMap, HashSet};

use stepscope_wire::{
    Cursor, Value, message_fields, number_fields, push_bytes, push_message, push_number,
    push_varint,
};

/// What a text of a profile is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TextPlace {
    /// Name of a plane.
    Plane,
    /// Name of a line: a thread, a stream.
    Line,
    /// Name of events.
    Event,
    /// Name of stats, which is also the value of those that refer to it.
    StatName,
    /// Value of a stat.
    StatValue,
    /// Name of a host.
    Host,
    /// An error or a warning of the profiler.
    Message,
}

/// What becomes of texts and bytes.
pub trait Rewriter {
    /// The text that stands in the place of one.
    fn text(&mut self, place: TextPlace, text: &[u8]) -> Vec<u8>;
    /// The bytes that stand in the place of a stat's, by the name of the stat; none leaves them out.
    fn bytes(&mut self, stat: &[u8], bytes: &[u8]) -> Option<Vec<u8>>;
    /// The number that stands in the place of one that says who or what somebody is; none for stats
    /// whose numbers are figures.
    fn identity(&mut self, stat: &[u8], number: u64) -> Option<u64> {
        let _ = (stat, number);
        None
    }
    /// Whether the numbers of a stat stay, by its name.
    fn keeps_numbers(&mut self, stat: &[u8]) -> bool {
        let _ = stat;
        true
    }
}

/// The profile with other texts.
pub fn rewrite(space: &[u8], rewriter: &mut dyn Rewriter) -> Vec<u8> {
    let mut out = Vec::with_capacity(space.len());
    each(space, &mut out, |number, value, out| match number {
        1 => push_message(out, number, |out| plane(value, rewriter, out)),
        2 | 3 => push_bytes(out, number, &rewriter.text(TextPlace::Message, value)),
        4 => push_bytes(out, number, &rewriter.text(TextPlace::Host, value)),
        _ => {}
    });
    out
}

/// Of a small message, the whole numbers in fields up to this one. No letter is the tag of a field
/// up to the twelfth, so a text in the place of a message gives next to nothing.
pub fn numbers_alone(message: &[u8], last_field: u32) -> Vec<u8> {
    let mut out = Vec::new();
    for (number, value) in number_fields(message) {
        if number <= last_field {
            push_number(&mut out, number, value);
        }
    }
    out
}

/// The same, and of the messages in some of its fields, and of those within these.
pub fn numbers_within(message: &[u8], last_field: u32, fields: &[u32]) -> Vec<u8> {
    let mut out = numbers_alone(message, last_field);
    for &number in fields {
        for inner in message_fields(message, number) {
            push_message(&mut out, number, |out| {
                out.extend(numbers_alone(inner, last_field));
                for number in 1..=last_field {
                    for innermost in message_fields(inner, number) {
                        push_bytes(out, number, &numbers_alone(innermost, last_field));
                    }
                }
            });
        }
    }
    out
}

/// Names of stats by their ids, as they were.
type Names<'a> = HashMap<i64, &'a [u8]>;

/// What the tables of a plane say.
struct Tables<'a> {
    names: Names<'a>,
    /// Ids of the metadata of events.
    events: HashSet<i64>,
}

fn plane(message: &[u8], rewriter: &mut dyn Rewriter, out: &mut Vec<u8>) {
    let tables = Tables {
        names: stat_names(message),
        events: event_ids(message),
    };
    let names = &tables.names;
    each_of(message, &[2, 3], out, |number, value, out| match number {
        2 => push_bytes(out, number, &rewriter.text(TextPlace::Plane, value)),
        3 => push_message(out, number, |out| line(value, names, rewriter, out)),
        4 => push_message(out, number, |out| {
            entry(value, out, |value, out| {
                event_metadata(value, &tables, rewriter, out);
            });
        }),
        5 => push_message(out, number, |out| {
            entry(value, out, |value, out| stat_metadata(value, rewriter, out));
        }),
        6 => push_message(out, number, |out| stat(value, names, rewriter, out)),
        _ => {}
    });
}

fn line(message: &[u8], names: &Names<'_>, rewriter: &mut dyn Rewriter, out: &mut Vec<u8>) {
    each_of(message, &[2, 11], out, |number, value, out| match number {
        2 | 11 => push_bytes(out, number, &rewriter.text(TextPlace::Line, value)),
        4 => push_message(out, number, |out| event(value, names, rewriter, out)),
        _ => {}
    });
}

fn event(message: &[u8], names: &Names<'_>, rewriter: &mut dyn Rewriter, out: &mut Vec<u8>) {
    each(message, out, |number, value, out| {
        if number == 4 {
            push_message(out, number, |out| stat(value, names, rewriter, out));
        }
    });
}

fn event_metadata(
    message: &[u8],
    tables: &Tables<'_>,
    rewriter: &mut dyn Rewriter,
    out: &mut Vec<u8>,
) {
    each(message, out, |number, value, out| match number {
        2 | 4 => push_bytes(out, number, &rewriter.text(TextPlace::Event, value)),
        5 => push_message(out, number, |out| {
            stat(value, &tables.names, rewriter, out);
        }),
        // Children: a text is a list of numbers, too, but of none that are there.
        6 => push_children(out, value, &tables.events),
        _ => {}
    });
}

fn push_children(out: &mut Vec<u8>, packed: &[u8], known: &HashSet<i64>) {
    let mut kept = Vec::new();
    let children = Value::Bytes(packed).numbers().map_while(Result::ok);
    for child in children.filter(|child| known.contains(&child.cast_signed())) {
        push_varint(&mut kept, child);
    }
    if !kept.is_empty() {
        push_bytes(out, 6, &kept);
    }
}

fn stat_metadata(message: &[u8], rewriter: &mut dyn Rewriter, out: &mut Vec<u8>) {
    each(message, out, |number, value, out| match number {
        2 | 3 => push_bytes(out, number, &rewriter.text(TextPlace::StatName, value)),
        _ => {}
    });
}

fn stat(message: &[u8], names: &Names<'_>, rewriter: &mut dyn Rewriter, out: &mut Vec<u8>) {
    let mut id = 0;
    let mut cursor = Cursor::new(message);
    while let Ok(Some(field)) = cursor.field() {
        if let (1, Value::Varint(value)) = (field.number, field.value) {
            id = value.cast_signed();
        }
    }
    let name = names.get(&id).copied().unwrap_or_default();
    let plain;
    let message = if rewriter.keeps_numbers(name) {
        message
    } else {
        plain = without_numbers(message);
        &plain
    };
    let renumbered = with_identities(message, name, rewriter);
    let message = renumbered.as_deref().unwrap_or(message);
    each(message, out, |number, value, out| match number {
        // A program may stand in a field of text.
        5 => match rewriter.bytes(name, value) {
            Some(bytes) => push_bytes(out, number, &bytes),
            None => push_bytes(out, number, &rewriter.text(TextPlace::StatValue, value)),
        },
        6 => {
            if let Some(bytes) = rewriter.bytes(name, value) {
                push_bytes(out, number, &bytes);
            }
        }
        _ => {}
    });
}

/// A stat with other numbers, if they are ids of persons or things.
fn with_identities(stat: &[u8], name: &[u8], rewriter: &mut dyn Rewriter) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(stat.len());
    let mut is_changed = false;
    let mut cursor = Cursor::new(stat);
    loop {
        let begin = cursor.position();
        let Ok(Some(field)) = cursor.field() else {
            return is_changed.then_some(out);
        };
        let other = match field.value {
            Value::Varint(number) if matches!(field.number, 3 | 4) => {
                rewriter.identity(name, number)
            }
            _ => None,
        };
        match other {
            Some(number) => push_number(&mut out, field.number, number),
            None => out.extend_from_slice(cursor.read_since(begin)),
        }
        is_changed |= other.is_some();
    }
}

/// A stat without its value, if that is a number: its id, its text, its bytes, its reference.
fn without_numbers(stat: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(stat.len());
    let mut cursor = Cursor::new(stat);
    loop {
        let begin = cursor.position();
        match cursor.field() {
            Ok(Some(field)) if matches!(field.number, 1 | 5 | 6 | 7) => {
                out.extend_from_slice(cursor.read_since(begin));
            }
            Ok(Some(_)) => {}
            _ => return out,
        }
    }
}

/// An entry of a map: the key stays.
fn entry(message: &[u8], out: &mut Vec<u8>, mut write_value: impl FnMut(&[u8], &mut Vec<u8>)) {
    each(message, out, |number, value, out| {
        if number == 2 {
            push_message(out, number, |out| write_value(value, out));
        }
    });
}

fn stat_names(plane: &[u8]) -> Names<'_> {
    let mut names = Names::new();
    let mut cursor = Cursor::new(plane);
    while let Ok(Some(field)) = cursor.field() {
        if let (5, Value::Bytes(entry) | Value::Cut(entry)) = (field.number, field.value) {
            let (id, metadata) = key_and_value(entry);
            names.insert(id, last_bytes(metadata, 2));
        }
    }
    names
}

fn event_ids(plane: &[u8]) -> HashSet<i64> {
    let mut ids = HashSet::new();
    let mut cursor = Cursor::new(plane);
    while let Ok(Some(field)) = cursor.field() {
        if let (4, Value::Bytes(entry) | Value::Cut(entry)) = (field.number, field.value) {
            ids.insert(key_and_value(entry).0);
        }
    }
    ids
}

fn key_and_value(entry: &[u8]) -> (i64, &[u8]) {
    let (mut id, mut metadata): (i64, &[u8]) = (0, &[]);
    let mut cursor = Cursor::new(entry);
    while let Ok(Some(field)) = cursor.field() {
        match (field.number, field.value) {
            (1, Value::Varint(value)) => id = value.cast_signed(),
            (2, Value::Bytes(bytes) | Value::Cut(bytes)) => metadata = bytes,
            _ => {}
        }
    }
    (id, metadata)
}

fn last_bytes(message: &[u8], number: u32) -> &[u8] {
    let mut found: &[u8] = &[];
    let mut cursor = Cursor::new(message);
    while let Ok(Some(field)) = cursor.field() {
        if let Value::Bytes(bytes) | Value::Cut(bytes) = field.value
            && field.number == number
        {
            found = bytes;
        }
    }
    found
}

/// Copies numbers as they stand and hands what has a length to `rewritten`, cut or not.
fn each(message: &[u8], out: &mut Vec<u8>, rewritten: impl FnMut(u32, &[u8], &mut Vec<u8>)) {
    each_of(message, &[1, 2, 3, 4, 5, 6], out, rewritten);
}

/// The same; of other fields than `even_cut`, only what is whole: readers drop the rest, and written
/// with the length that it has, it would become whole.
fn each_of(
    message: &[u8],
    even_cut: &[u32],
    out: &mut Vec<u8>,
    mut rewritten: impl FnMut(u32, &[u8], &mut Vec<u8>),
) {
    let mut cursor = Cursor::new(message);
    loop {
        let begin = cursor.position();
        match cursor.field() {
            Ok(Some(field)) => match field.value {
                Value::Bytes(value) => rewritten(field.number, value, out),
                Value::Cut(value) if even_cut.contains(&field.number) => {
                    rewritten(field.number, value, out);
                }
                Value::Varint(_) | Value::Fixed64(_) => {
                    out.extend_from_slice(cursor.read_since(begin));
                }
                Value::Cut(_) | Value::Fixed32(_) | Value::Group => {}
            },
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Space;

    struct Upper;

    impl Rewriter for Upper {
        fn text(&mut self, _: TextPlace, text: &[u8]) -> Vec<u8> {
            text.to_ascii_uppercase()
        }
        fn bytes(&mut self, stat: &[u8], bytes: &[u8]) -> Option<Vec<u8>> {
            (stat == b"kept").then(|| bytes.to_vec())
        }
    }

    #[test]
    fn texts_change_and_numbers_stay() {
        // A plane "ab" of id 7 with a stat metadata 300 "kept" and two stats.
        let mut metadata = vec![8, 0xac, 2, 18, 6, 18, 4];
        metadata.extend_from_slice(b"kept");
        let mut plane = vec![
            8,
            7,
            18,
            2,
            b'a',
            b'b',
            42,
            u8::try_from(metadata.len()).unwrap(),
        ];
        plane.extend_from_slice(&metadata);
        plane.extend_from_slice(&[50, 6, 8, 0xac, 2, 50, 1, 9]);
        plane.extend_from_slice(&[50, 5, 8, 1, 50, 1, 9]);
        plane.extend_from_slice(&[50, 4, 8, 1, 32, 5]);
        let mut space = vec![10, u8::try_from(plane.len()).unwrap()];
        space.extend_from_slice(&plane);
        space.extend_from_slice(&[34, 2, b'h', b'1']);
        let written = rewrite(&space, &mut Upper);
        let read = Space::scan(&written);
        assert_eq!(read.planes[0].name, "AB");
        assert_eq!(read.hostnames, ["H1"]);
        assert_eq!(read.planes[0].stat_metadata.get(300).unwrap().name, b"KEPT");
        let values: Vec<_> = read.planes[0].stats().map(|stat| stat.value()).collect();
        assert_eq!(
            values,
            [
                crate::StatValue::Bytes(&[9]),
                crate::StatValue::None,
                crate::StatValue::Int(5)
            ]
        );
        // The plane's number stays.
        assert!(written.windows(2).any(|pair| pair == [8, 7]));
    }

    #[test]
    fn of_a_message_the_numbers_stay() {
        // 2: 300, 5: "ab", 7: 1
        let message = [16, 0xac, 2, 42, 2, b'a', b'b', 56, 1];
        assert_eq!(numbers_alone(&message, 7), [16, 0xac, 2, 56, 1]);
        assert_eq!(numbers_alone(&message, 4), [16, 0xac, 2]);
        // A text that reads like fixed fields and numbers.
        assert_eq!(numbers_within(b"qnnnrnorz 8a8b8c", 3, &[2, 14]), b"");
    }

    #[test]
    fn an_event_that_is_cut_stays_away() {
        // A line with two events; the second says that it is longer than what is left.
        let line = [34, 4, 8, 1, 24, 5, 34, 9, 8, 1, 24, 5];
        let mut plane = vec![26, 20];
        plane.extend_from_slice(&line);
        let mut space = vec![10, 30];
        space.extend_from_slice(&plane);
        let count = |space: &[u8]| {
            let read = Space::scan(space);
            read.planes[0].lines[0].events().count()
        };
        let written = rewrite(&space, &mut Upper);
        assert_eq!([count(&space), count(&written)], [1, 1]);
    }

    #[test]
    fn any_cut_is_survived() {
        let space = b"\x0a\x0b\x12\x09/host:CPU\x22\x02h1";
        for length in 0..space.len() {
            rewrite(&space[..length], &mut Upper);
        }
    }
}
