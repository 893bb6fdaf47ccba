//! XEvent: one slice, instant, sample or aggregate on a line.

use crate::stat::{Stat, Stats};
use crate::wire::{Cursor, Value, WireError};

/// One event. Its stats are decoded when iterated.
#[derive(Debug, Clone, Copy)]
pub struct Event<'a> {
    /// Key in the plane's event metadata.
    pub metadata_id: i64,
    /// Start relative to the line's timestamp. Meaningless for aggregated events.
    pub offset_ps: i64,
    /// Length; for aggregated events the sum over all occurrences.
    pub duration_ps: i64,
    /// How many occurrences an aggregated event stands for; none for ordinary events.
    pub occurrences: Option<i64>,
    message: &'a [u8],
}

impl<'a> Event<'a> {
    /// Decodes one event in a single pass, handing over each stat. What precedes damage is kept.
    #[inline]
    fn decode(message: &'a [u8], visit: &mut impl FnMut(Stat<'a>)) -> Self {
        let mut event = Self {
            metadata_id: 0,
            offset_ps: 0,
            duration_ps: 0,
            occurrences: None,
            message,
        };
        let mut cursor = Cursor::new(message);
        while let Ok(Some(field)) = cursor.field() {
            match (field.number, field.value) {
                (1, Value::Varint(id)) => event.metadata_id = id.cast_signed(),
                (2, Value::Varint(offset)) => event.offset_ps = offset.cast_signed(),
                (3, Value::Varint(duration)) => event.duration_ps = duration.cast_signed(),
                (4, Value::Bytes(stat, 0)) => visit(Stat::new(stat)),
                (5, Value::Varint(count)) => event.occurrences = Some(count.cast_signed()),
                _ => {}
            }
        }
        event
    }

    /// The event's own stats, in file order.
    pub fn stats(&self) -> Stats<'a> {
        Stats::new(self.message, 4)
    }
}

/// The events of a line, in file order.
#[derive(Debug, Clone)]
pub struct Events<'a> {
    cursor: Cursor<'a>,
    damage: Option<(usize, WireError)>,
}

impl<'a> Events<'a> {
    pub(crate) const fn new(line: &'a [u8]) -> Self {
        Self {
            cursor: Cursor::new(line),
            damage: None,
        }
    }

    /// Where in the line decoding had to stop, and whether because the input ended.
    pub fn damage(&self) -> Option<(usize, bool)> {
        self.damage
            .map(|(offset, error)| (offset, error == WireError::Truncated))
    }
}

impl<'a> Events<'a> {
    /// The next event, handing over each of its stats on the way: one pass over the bytes.
    #[inline]
    pub fn next_with(&mut self, visit: &mut impl FnMut(Stat<'a>)) -> Option<Event<'a>> {
        loop {
            let before = self.cursor.position();
            match self.cursor.field() {
                Ok(Some(field)) if field.number == 4 => match field.value {
                    Value::Bytes(bytes, 0) => return Some(Event::decode(bytes, visit)),
                    Value::Bytes(..) => {
                        self.damage = Some((before, WireError::Truncated));
                        return None;
                    }
                    _ => {}
                },
                Ok(Some(_)) => {}
                Ok(None) => return None,
                Err(error) => {
                    self.damage.get_or_insert((before, error));
                    return None;
                }
            }
        }
    }
}

impl<'a> Iterator for Events<'a> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        self.next_with(&mut |_| {})
    }
}
