//! XEvent: one slice, instant, sample or aggregate on a line.

use crate::stat::{Stat, Stats};
use crate::wire::{Cursor, Value, WireError};

/// Tags of the fields: number · 8 + wire type.
const METADATA_TAG: u8 = 0x08;
const OFFSET_TAG: u8 = 0x10;
const DURATION_TAG: u8 = 0x18;
const STAT_TAG: u8 = 0x22;
/// Tag of an event in its line.
const EVENT_TAG: u8 = 0x22;

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
    ///
    /// Writers put the fields in the order of their numbers, so that order is tried first, without
    /// a jump on the tag that the processor could not predict; the rest takes the general way.
    #[inline]
    fn decode(
        message: &'a [u8],
        wants_stats: impl FnOnce(i64) -> bool,
        visit: &mut impl FnMut(Stat<'a>),
    ) -> Self {
        let mut event = Self {
            metadata_id: 0,
            offset_ps: 0,
            duration_ps: 0,
            occurrences: None,
            message,
        };
        let mut cursor = Cursor::new(message);
        if let Some(id) = cursor.tagged_number(METADATA_TAG) {
            event.metadata_id = id;
        }
        let offset = cursor.tagged_number(OFFSET_TAG);
        event.offset_ps = offset.unwrap_or_default();
        if let Some(duration) = cursor.tagged_number(DURATION_TAG) {
            event.duration_ps = duration;
        }
        if offset.is_some() && !wants_stats(event.metadata_id) {
            return event;
        }
        while let Some(stat) = cursor.tagged_bytes(STAT_TAG) {
            visit(Stat::new(stat));
        }
        if !cursor.is_at_end() {
            event.other_fields(&mut cursor, visit);
        }
        event
    }

    /// Fields in any order and spelling, to the end or to damage.
    #[cold]
    fn other_fields(&mut self, cursor: &mut Cursor<'a>, visit: &mut impl FnMut(Stat<'a>)) {
        while self.other_field(cursor, visit) {}
    }

    /// An event has a time or a number of occurrences: of both the last one written counts.
    fn set_offset(&mut self, offset_ps: i64) {
        self.offset_ps = offset_ps;
        self.occurrences = None;
    }

    /// One field; false ends the event.
    fn other_field(&mut self, cursor: &mut Cursor<'a>, visit: &mut impl FnMut(Stat<'a>)) -> bool {
        let Ok(Some(field)) = cursor.field() else {
            return false;
        };
        if let (4, Value::Bytes(stat, 0)) = (field.number, field.value) {
            visit(Stat::new(stat));
        }
        if let Value::Varint(value) = field.value {
            let value = value.cast_signed();
            match field.number {
                1 => self.metadata_id = value,
                2 => self.set_offset(value),
                3 => self.duration_ps = value,
                5 => self.occurrences = Some(value),
                _ => {}
            }
        }
        true
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
        self.next_wanted(|_| true, visit)
    }

    /// Like [`Events::next_with`], but events whose metadata id is not wanted are done once their
    /// time is read: stats, and whatever an unusual writer puts behind them, are passed over.
    #[inline]
    pub fn next_wanted(
        &mut self,
        wants_stats: impl FnOnce(i64) -> bool,
        visit: &mut impl FnMut(Stat<'a>),
    ) -> Option<Event<'a>> {
        if let Some(bytes) = self.cursor.tagged_bytes(EVENT_TAG) {
            return Some(Event::decode(bytes, wants_stats, visit));
        }
        self.next_the_general_way(visit)
    }

    #[cold]
    fn next_the_general_way(&mut self, visit: &mut impl FnMut(Stat<'a>)) -> Option<Event<'a>> {
        loop {
            let before = self.cursor.position();
            match self.cursor.field() {
                Ok(Some(field)) if field.number == 4 => match field.value {
                    Value::Bytes(bytes, 0) => return Some(Event::decode(bytes, |_| true, visit)),
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
