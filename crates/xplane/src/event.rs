//! XEvent: one slice, instant, sample or aggregate on a line.

use stepscope_wire::{Cursor, Value, WireError};

use crate::stat::{Stat, Stats};

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

/// What stands at the beginning of an event, read on its own: for many events that is enough, and
/// the stats of many others repeat those of the event before.
#[derive(Debug, Clone, Copy)]
pub struct Head<'a> {
    event: Event<'a>,
    /// Its time was written first, as usual.
    has_offset: bool,
    cursor: Cursor<'a>,
}

/// Stats of an event as long as they are spelled the usual way, one behind the other.
#[derive(Debug, Clone)]
pub struct Tail<'a> {
    cursor: Cursor<'a>,
}

impl<'a> Head<'a> {
    /// Writers put the fields in the order of their numbers, so that order is tried, without a jump
    /// on the tag that the processor could not predict.
    #[inline]
    fn decode(message: &'a [u8]) -> Self {
        let mut cursor = Cursor::new(message);
        let metadata_id = cursor.tagged_number(METADATA_TAG).unwrap_or_default();
        let offset = cursor.tagged_number(OFFSET_TAG);
        let duration_ps = cursor.tagged_number(DURATION_TAG).unwrap_or_default();
        let event = Event {
            metadata_id,
            offset_ps: offset.unwrap_or_default(),
            duration_ps,
            occurrences: None,
            message,
        };
        Self {
            event,
            has_offset: offset.is_some(),
            cursor,
        }
    }

    /// Key in the plane's event metadata, unless an unusual writer puts it behind the stats.
    #[inline]
    pub fn metadata_id(&self) -> i64 {
        self.event.metadata_id
    }

    /// The event if its time stood at the beginning: stats, and whatever an unusual writer puts
    /// behind them, are passed over.
    #[inline]
    pub fn timed(&self) -> Option<Event<'a>> {
        self.has_offset.then_some(self.event)
    }

    /// What follows.
    #[inline]
    pub fn tail(&self) -> Tail<'a> {
        Tail {
            cursor: self.cursor,
        }
    }

    /// Reads the rest in a single pass, handing over each stat. What precedes damage is kept.
    #[inline]
    pub fn finish(mut self, visit: &mut impl FnMut(Stat<'a>)) -> Event<'a> {
        while let Some(stat) = self.cursor.tagged_bytes(STAT_TAG) {
            visit(Stat::new(stat));
        }
        if !self.cursor.is_at_end() {
            self.event.other_fields(&mut self.cursor, visit);
        }
        self.event
    }
}

impl<'a> Tail<'a> {
    /// Bytes that have not been read.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.cursor.rest()
    }

    /// Passes over these bytes if they come next.
    #[inline]
    pub fn pass_over(&mut self, bytes: &[u8]) -> bool {
        let is_next = self.cursor.rest().starts_with(bytes);
        if is_next {
            self.cursor.skip_to(self.cursor.position() + bytes.len());
        }
        is_next
    }
}

impl<'a> Iterator for Tail<'a> {
    type Item = Stat<'a>;

    /// None at the end, and at anything that is not a stat spelled the usual way.
    #[inline]
    fn next(&mut self) -> Option<Stat<'a>> {
        self.cursor.tagged_bytes(STAT_TAG).map(Stat::new)
    }
}

impl<'a> Event<'a> {
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
        if let (4, Value::Bytes(stat)) = (field.number, field.value) {
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
    first_other_field: Option<usize>,
    damage: Option<(usize, WireError)>,
}

impl<'a> Events<'a> {
    /// Events from a position in a line on.
    pub(crate) fn new(line: &'a [u8], position: usize) -> Self {
        let mut cursor = Cursor::new(line);
        cursor.skip_to(position);
        Self {
            cursor,
            first_other_field: None,
            damage: None,
        }
    }

    /// Where in the line the first field stands that was passed over because it is no event.
    pub(crate) fn first_other_field(&self) -> Option<usize> {
        self.first_other_field
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
        self.next_head().map(|head| head.finish(visit))
    }

    /// The next event, of which only the beginning is read.
    #[inline]
    pub fn next_head(&mut self) -> Option<Head<'a>> {
        if let Some(bytes) = self.cursor.tagged_bytes(EVENT_TAG) {
            return Some(Head::decode(bytes));
        }
        self.next_the_general_way()
    }

    #[cold]
    fn next_the_general_way(&mut self) -> Option<Head<'a>> {
        loop {
            let before = self.cursor.position();
            match self.cursor.field() {
                Ok(Some(field)) if field.number == 4 => match field.value {
                    Value::Bytes(bytes) => return Some(Head::decode(bytes)),
                    Value::Cut(_) => {
                        self.damage = Some((before, WireError::Truncated));
                        return None;
                    }
                    _ => {}
                },
                Ok(Some(_)) => {
                    self.first_other_field.get_or_insert(before);
                }
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
