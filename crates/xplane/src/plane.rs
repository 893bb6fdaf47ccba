//! XPlane and XLine: the rows of a profile.

use std::borrow::Cow;

use stepscope_wire::{Cursor, Value, WireError, lossy};

use crate::event::Events;
use crate::metadata::{
    EventMetadata, MetadataMap, StatMetadata, event_metadata_map, stat_metadata_map,
};
use crate::stat::{Stat, StatValue, Stats};

/// A plane: one device, the host's threads, or a table of programs.
#[derive(Debug, Clone, Default)]
pub struct Plane<'a> {
    /// Id; not unique.
    pub id: i64,
    /// Name, from which its role is known.
    pub name: Cow<'a, str>,
    /// Lines, in file order. Lines with equal ids are one row.
    pub lines: Vec<Line<'a>>,
    /// What events share.
    pub event_metadata: MetadataMap<EventMetadata<'a>>,
    /// What stats share.
    pub stat_metadata: MetadataMap<StatMetadata<'a>>,
    /// Fields that no plane has in that form: a sign that the message is no plane at all.
    pub mistyped_fields: usize,
    /// Entries of the tables above, until they are read.
    event_entries: Vec<&'a [u8]>,
    stat_entries: Vec<&'a [u8]>,
    message: &'a [u8],
}

/// A part of a plane that scanning leaves to be read, in any order or in parallel.
#[derive(Debug)]
pub enum Unread<'plane, 'a> {
    /// Event metadata: the table and its entries.
    Events(&'plane mut MetadataMap<EventMetadata<'a>>, Vec<&'a [u8]>),
    /// Stat metadata: the table and its entries.
    Stats(&'plane mut MetadataMap<StatMetadata<'a>>, Vec<&'a [u8]>),
}

impl Unread<'_, '_> {
    /// Reads it.
    pub fn read(self) {
        match self {
            Self::Events(table, entries) => *table = event_metadata_map(&entries),
            Self::Stats(table, entries) => *table = stat_metadata_map(&entries),
        }
    }
}

/// Tag of an event in its line: field 4, length-delimited.
const EVENT_TAG: u8 = 0x22;

/// A line: one thread, stream or kind of device event.
#[derive(Debug, Clone, Default)]
pub struct Line<'a> {
    /// Thread or stream number; may be negative.
    pub id: i64,
    /// Number to show instead, when not 0.
    pub display_id: i64,
    /// Name.
    pub name: Cow<'a, str>,
    /// Name to show instead, when not empty.
    pub display_name: Cow<'a, str>,
    /// Nanoseconds at which offsets of its events are 0.
    pub timestamp_ns: i64,
    /// Number of its events, the last one possibly cut off; known once the line is completed.
    pub event_count: usize,
    /// Where in the message the first event stands.
    events_at: usize,
    message: &'a [u8],
}

impl<'a> Plane<'a> {
    /// Decodes everything but the events. The error says where in the message decoding stopped.
    pub(crate) fn decode(message: &'a [u8]) -> (Self, Option<(usize, WireError)>) {
        let mut plane = Self {
            message,
            ..Self::default()
        };
        let mut damage = None;
        let mut cursor = Cursor::new(message);
        loop {
            let before = cursor.position();
            let field = match cursor.field() {
                Ok(Some(field)) => field,
                Ok(None) => break,
                Err(error) => {
                    damage = Some((before, error));
                    break;
                }
            };
            if let Value::Cut(_) = field.value {
                damage = Some((before, WireError::Truncated));
            }
            match (field.number, field.value) {
                (1, Value::Varint(id)) => plane.id = id.cast_signed(),
                (2, Value::Bytes(name) | Value::Cut(name)) => plane.name = lossy(name),
                (3, Value::Bytes(line) | Value::Cut(line)) => plane.lines.push(Line::decode(line)),
                (4, Value::Bytes(entry)) => plane.event_entries.push(entry),
                (5, Value::Bytes(entry)) => plane.stat_entries.push(entry),
                (4..=6, Value::Bytes(_) | Value::Cut(_)) | (7.., _) => {}
                _ => plane.mistyped_fields += 1,
            }
        }
        (plane, damage)
    }

    /// What is left to be read.
    pub fn unread(&mut self) -> [Unread<'_, 'a>; 2] {
        let events = std::mem::take(&mut self.event_entries);
        let stats = std::mem::take(&mut self.stat_entries);
        [
            Unread::Stats(&mut self.stat_metadata, stats),
            Unread::Events(&mut self.event_metadata, events),
        ]
    }

    /// Stats of the plane itself: capabilities, versions.
    pub fn stats(&self) -> Stats<'a> {
        Stats::new(self.message, 6)
    }

    /// The name of a stat; empty when the file has none.
    pub fn stat_name(&self, stat: &Stat<'_>) -> Cow<'a, str> {
        self.stat_metadata
            .get(stat.metadata_id)
            .map_or(Cow::Borrowed(""), |found| lossy(found.name))
    }

    /// A stat's value as text, references resolved. Numbers are not text.
    pub fn stat_text(&self, value: StatValue<'a>) -> Option<&'a [u8]> {
        match value {
            StatValue::Text(text) => Some(text),
            StatValue::Ref(id) => self
                .stat_metadata
                .get(id.cast_signed())
                .map(|found| found.name),
            _ => None,
        }
    }

    /// The value of the first of the stats with this name.
    pub fn find_stat(&self, mut stats: Stats<'a>, name: &str) -> Option<StatValue<'a>> {
        stats
            .find(|stat| self.stat_name(stat) == name)
            .map(|stat| stat.value())
    }
}

impl<'a> Line<'a> {
    /// Reads what stands before the first event. Writers put the shown name behind the events, which
    /// takes a walk over them: [`Line::complete`], or [`Line::complete_behind`] after another walk.
    pub fn decode(message: &'a [u8]) -> Self {
        let mut line = Self {
            message,
            ..Self::default()
        };
        let mut cursor = Cursor::new(message);
        loop {
            line.events_at = cursor.position();
            let is_event = matches!(cursor.peek(), Some(EVENT_TAG) | None);
            // An event whose tag is spelled otherwise shows in the count.
            if is_event || !line.header_field(&mut cursor) || line.event_count > 0 {
                return line;
            }
        }
    }

    /// It has an event, possibly cut off.
    pub fn has_events(&self) -> bool {
        self.event_count > 0 || self.message.get(self.events_at) == Some(&EVENT_TAG)
    }

    /// Counts the events, jumping from one to the next, and reads the header fields behind them.
    pub fn complete(&mut self) {
        self.event_count = 0;
        self.read_from(self.events_at);
    }

    /// Reads the header fields that stand behind the first event, once `events` of this line are at
    /// their end. They are not counted.
    pub fn complete_behind(&mut self, events: &Events<'a>) {
        if let Some(position) = events.first_other_field() {
            self.read_from(position);
        }
    }

    fn read_from(&mut self, position: usize) {
        let mut cursor = Cursor::new(self.message);
        cursor.skip_to(position);
        loop {
            while cursor.tagged_bytes(EVENT_TAG).is_some() {
                self.event_count += 1;
            }
            if !self.header_field(&mut cursor) {
                return;
            }
        }
    }

    /// One field that is no event spelled the usual way; false at the end and at damage.
    fn header_field(&mut self, cursor: &mut Cursor<'a>) -> bool {
        let Ok(Some(field)) = cursor.field() else {
            return false;
        };
        match (field.number, field.value) {
            (1, Value::Varint(id)) => self.id = id.cast_signed(),
            (2, Value::Bytes(name) | Value::Cut(name)) => self.name = lossy(name),
            (3, Value::Varint(timestamp)) => self.timestamp_ns = timestamp.cast_signed(),
            (4, Value::Bytes(_) | Value::Cut(_)) => self.event_count += 1,
            (10, Value::Varint(id)) => self.display_id = id.cast_signed(),
            (11, Value::Bytes(name) | Value::Cut(name)) => self.display_name = lossy(name),
            _ => {}
        }
        true
    }

    /// Its events, in file order.
    pub fn events(&self) -> Events<'a> {
        Events::new(self.message, self.events_at)
    }

    /// Bytes of the line.
    pub fn byte_len(&self) -> usize {
        self.message.len()
    }

    /// The line's bytes, to compute offsets in the file.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.message
    }

    /// The name to show.
    pub fn shown_name(&self) -> &str {
        if self.display_name.is_empty() {
            &self.name
        } else {
            &self.display_name
        }
    }
}
