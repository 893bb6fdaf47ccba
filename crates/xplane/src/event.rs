//! XEvent: one slice, instant, sample or aggregate on a line.

use crate::stat::Stats;
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
    stats: &'a [u8],
}

impl<'a> Event<'a> {
    /// Decodes one event. What precedes damage is kept.
    #[inline]
    fn decode(bytes: &'a [u8]) -> Self {
        let mut event = Self {
            metadata_id: 0,
            offset_ps: 0,
            duration_ps: 0,
            occurrences: None,
            stats: &[],
        };
        let mut cursor = Cursor::new(bytes);
        loop {
            let before = cursor.position();
            let Ok(Some(field)) = cursor.field() else {
                return event;
            };
            match (field.number, field.value) {
                (1, Value::Varint(id)) => event.metadata_id = id.cast_signed(),
                (2, Value::Varint(offset)) => event.offset_ps = offset.cast_signed(),
                (3, Value::Varint(duration)) => event.duration_ps = duration.cast_signed(),
                (5, Value::Varint(count)) => event.occurrences = Some(count.cast_signed()),
                (4, Value::Bytes(..)) => {
                    event.stats = &bytes[before..];
                    event.decode_after_stats(cursor);
                    return event;
                }
                _ => {}
            }
        }
    }

    /// Fields may come in any order, but writers put stats behind the times. What follows the first
    /// stat is scanned only for the rare fields; stats are skipped by their length.
    #[inline]
    fn decode_after_stats(&mut self, mut cursor: Cursor<'a>) {
        while let Ok(Some(field)) = cursor.field() {
            if let Value::Varint(value) = field.value {
                match field.number {
                    1 => self.metadata_id = value.cast_signed(),
                    2 => self.offset_ps = value.cast_signed(),
                    3 => self.duration_ps = value.cast_signed(),
                    5 => self.occurrences = Some(value.cast_signed()),
                    _ => {}
                }
            }
        }
    }

    /// The event's own stats, in file order.
    #[inline]
    pub fn stats(&self) -> Stats<'a> {
        Stats::new(self.stats, 4)
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

impl<'a> Iterator for Events<'a> {
    type Item = Event<'a>;

    #[inline]
    fn next(&mut self) -> Option<Event<'a>> {
        loop {
            let before = self.cursor.position();
            match self.cursor.field() {
                Ok(Some(field)) if field.number == 4 => match field.value {
                    Value::Bytes(bytes, 0) => return Some(Event::decode(bytes)),
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
