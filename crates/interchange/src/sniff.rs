//! Which format some first bytes have.

use stepscope_wire::{Cursor, Value, number_fields};

use crate::Format;
use crate::perfetto::fields::packet;

/// The format of a trace by its first bytes; none for a profile and for anything else.
///
/// A profile begins with a line feed, the tag of its first plane, and a length that may be any
/// character, so what follows a bracket is looked at too.
pub fn sniff(head: &[u8]) -> Option<Format> {
    if is_json(head) {
        Some(Format::Chrome)
    } else if is_perfetto(head) {
        Some(Format::Perfetto)
    } else {
        None
    }
}

fn is_json(head: &[u8]) -> bool {
    let head = head
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(head)
        .trim_ascii_start();
    let (open, rest) = match head.split_first() {
        Some((open @ (b'{' | b'['), rest)) => (*open, rest.trim_ascii_start()),
        _ => return false,
    };
    match (open, rest.first()) {
        (b'{', next) => matches!(next, Some(b'"' | b'}')),
        (_, next) => matches!(next, Some(b'{' | b']') | None),
    }
}

/// Numbers of fields that packets have and planes have not: timestamp, sequence, flags, user.
const PACKET_NUMBERS: [u32; 6] = [3, 8, 10, 13, 41, 58];

/// Packets of a trace begin like planes of a profile, which have six fields at most and of these a
/// single number, the first.
fn is_perfetto(head: &[u8]) -> bool {
    let mut cursor = Cursor::new(head);
    while cursor.peek() == Some(packet::TAG) {
        let Ok(Some(field)) = cursor.field() else {
            return false;
        };
        let (Value::Bytes(message) | Value::Cut(message)) = field.value else {
            return false;
        };
        let numbers = number_fields(message);
        if numbers
            .iter()
            .any(|(number, _)| PACKET_NUMBERS.contains(number))
        {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_of_all_dialects() {
        for head in [
            "{\"traceEvents\": [",
            "[{\"ph\"",
            "[\n  {",
            "\u{feff}{}",
            "[",
            "  [ ]",
        ] {
            assert_eq!(sniff(head.as_bytes()), Some(Format::Chrome), "{head}");
        }
        for head in [
            "",
            "{",
            "[1, 2]",
            "hello",
            "{x",
            "\n{\x12\x09/host:CPU",
            "\n[\x08\x01",
        ] {
            assert_eq!(sniff(head.as_bytes()), None, "{head:?}");
        }
    }

    #[test]
    fn packets_are_no_planes() {
        // A timestamp and a sequence.
        assert_eq!(sniff(&[0x0a, 4, 0x40, 5, 0x50, 1]), Some(Format::Perfetto));
        // A plane with an id and a name.
        assert_eq!(sniff(&[0x0a, 5, 0x08, 1, 0x12, 1, b'x']), None);
    }
}
