//! A line in the making: events serialized one behind the other.

use stepscope_wire::{
    Cursor, close_message, open_message, push_bytes, push_signed, push_varint, varint_len,
};

use super::indices::PlaneIndex;
use super::tables::{Tables, Value};

/// Number of an event in its line, and its tag.
const EVENT: u32 = 4;
const EVENT_TAG: u8 = 0x22;
/// Tag of a line in its plane.
const LINE_TAG: u8 = 0x1a;
/// Tags of the first fields of an event.
const METADATA_TAG: u8 = 0x08;
const OFFSET_TAG: u8 = 0x10;
const DURATION_TAG: u8 = 0x18;

/// Stats of arrows to add to an event: its position in the line, whether the arrow leaves it, its id.
pub(crate) type EventArrow = (u32, bool, u64);

/// Context type of arrows that come from other traces.
const ARROW_KIND: i64 = 1000;

/// A line in the making.
pub(crate) struct Line {
    pub(crate) plane: PlaneIndex,
    pub(crate) id: i64,
    pub(crate) name: String,
    body: Vec<u8>,
    pub(crate) count: u64,
    is_sorted: bool,
    last_start: i64,
    pub(crate) first_start: i64,
    pub(crate) last_end: i64,
    /// Sorted.
    pub(crate) arrows: Vec<EventArrow>,
    /// What owns each event, in the order of [`Line::placed`]: a position in `owner_stats` from 1, or 0.
    /// Empty where nothing does.
    pub(crate) owners: Vec<u32>,
    /// Stats that events get from their owners.
    pub(crate) owner_stats: Vec<Vec<u8>>,
}

/// One serialized event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed {
    pub(crate) metadata: i64,
    pub(crate) start: i64,
    pub(crate) duration: i64,
    /// Of its message in the body of the line.
    pub(crate) from: usize,
    pub(crate) to: usize,
}

impl Placed {
    pub(crate) const fn end(&self) -> i64 {
        self.start.saturating_add(self.duration)
    }
}

/// Stats of the event being written.
pub(crate) struct EventStats<'a> {
    out: &'a mut Vec<u8>,
    tables: &'a mut Tables,
}

impl EventStats<'_> {
    /// Adds a stat by its name.
    #[inline]
    pub(crate) fn add(&mut self, name: &[u8], value: Value<'_>) {
        let id = self.tables.stat(name);
        self.tables.write_stat(self.out, 4, id, value);
    }

    /// Adds stats that were written before.
    pub(crate) fn add_written(&mut self, stats: &[u8]) {
        self.out.extend_from_slice(stats);
    }
}

/// Writes stats ahead of the event they belong to.
pub(crate) fn written_stats(
    tables: &mut Tables,
    stats: impl FnOnce(&mut EventStats<'_>),
) -> Vec<u8> {
    let mut out = Vec::new();
    stats(&mut EventStats {
        out: &mut out,
        tables,
    });
    out
}

impl Line {
    pub(crate) fn new(plane: PlaneIndex, id: i64, name: &str) -> Self {
        Self {
            plane,
            id,
            name: name.to_owned(),
            body: Vec::new(),
            count: 0,
            is_sorted: true,
            last_start: i64::MIN,
            first_start: i64::MAX,
            last_end: i64::MIN,
            arrows: Vec::new(),
            owners: Vec::new(),
            owner_stats: Vec::new(),
        }
    }

    /// Adds an event; `stats` writes its stats.
    #[inline]
    pub(crate) fn event(
        &mut self,
        tables: &mut Tables,
        metadata: i64,
        start: i64,
        duration: i64,
        stats: impl FnOnce(&mut EventStats<'_>),
    ) {
        self.is_sorted &= start >= self.last_start;
        self.last_start = start;
        self.first_start = self.first_start.min(start);
        self.last_end = self.last_end.max(start.saturating_add(duration));
        self.count += 1;
        let body = open_message(&mut self.body, EVENT);
        push_signed(&mut self.body, 1, metadata);
        push_signed(&mut self.body, 2, start);
        push_signed(&mut self.body, 3, duration);
        stats(&mut EventStats {
            out: &mut self.body,
            tables,
        });
        close_message(&mut self.body, body);
    }

    /// Its events in the order of their starts, of equal ones the longest first.
    pub(crate) fn placed(&self) -> Vec<Placed> {
        let mut placed = Vec::with_capacity(usize::try_from(self.count).unwrap_or(0));
        let mut at = 0;
        while let Some((event, next)) = self.event_at(at) {
            placed.push(event);
            at = next;
        }
        if !self.is_sorted {
            placed.sort_by_key(|event| (event.start, std::cmp::Reverse(event.duration)));
        }
        placed
    }

    /// The event that begins at this place of the body, and where the next one begins.
    fn event_at(&self, at: usize) -> Option<(Placed, usize)> {
        let mut cursor = Cursor::new(self.body.get(at..)?);
        let message = cursor.tagged_bytes(EVENT_TAG)?;
        let to = at + cursor.position();
        let from = to - message.len();
        let mut head = Cursor::new(message);
        let metadata = head.tagged_number(METADATA_TAG)?;
        let start = head.tagged_number(OFFSET_TAG)?;
        let duration = head.tagged_number(DURATION_TAG)?;
        let event = Placed {
            metadata,
            start,
            duration,
            from,
            to,
        };
        Some((event, to))
    }

    /// The message of the line within its plane.
    pub(crate) fn into_message(mut self, tables: &mut Tables, zero_ps: i64) -> Vec<u8> {
        let is_as_written =
            self.is_sorted && zero_ps == 0 && self.arrows.is_empty() && self.owners.is_empty();
        let body = if is_as_written {
            std::mem::take(&mut self.body)
        } else {
            self.rewritten(tables, zero_ps)
        };
        drop(std::mem::take(&mut self.body));
        let mut head = Vec::new();
        if self.id != 0 {
            push_signed(&mut head, 1, self.id);
        }
        push_bytes(&mut head, 2, self.name.as_bytes());
        let mut message = Vec::with_capacity(body.len() + head.len() + 12);
        message.push(LINE_TAG);
        push_varint(&mut message, (head.len() + body.len()) as u64);
        message.extend_from_slice(&head);
        message.extend_from_slice(&body);
        message
    }

    /// The events sorted, moved in time, with their arrows.
    fn rewritten(&self, tables: &mut Tables, zero_ps: i64) -> Vec<u8> {
        let mut body = Vec::with_capacity(self.body.len() + 32 * self.arrows.len());
        let mut arrows = self.arrows.iter().peekable();
        let mut write = |index: usize, event: Placed| {
            let message = open_message(&mut body, EVENT);
            // Metadata, then the time, then stats as they were.
            let source = &self.body[event.from..event.to];
            let field = |value: i64| 1 + varint_len(value.cast_unsigned());
            let head = field(event.metadata);
            let stats = head + field(event.start) + field(event.duration);
            body.extend_from_slice(&source[..head]);
            push_signed(&mut body, 2, event.start.saturating_sub(zero_ps));
            push_signed(&mut body, 3, event.duration);
            body.extend_from_slice(source.get(stats..).unwrap_or_default());
            let owner = self.owners.get(index).map_or(0, |&owner| owner as usize);
            if let Some(stats) = owner.checked_sub(1).and_then(|at| self.owner_stats.get(at)) {
                body.extend_from_slice(stats);
            }
            while let Some(&&(_, leaves, id)) =
                arrows.peek().filter(|arrow| arrow.0 as usize == index)
            {
                arrows.next();
                let names: [&[u8]; 2] = if leaves {
                    [b"_pt", b"_p"]
                } else {
                    [b"_ct", b"_c"]
                };
                for (name, value) in names.into_iter().zip([ARROW_KIND, id.cast_signed()]) {
                    let name = tables.stat(name);
                    tables.write_stat(&mut body, 4, name, Value::Int(value));
                }
            }
            close_message(&mut body, message);
        };
        if self.is_sorted {
            let (mut at, mut index) = (0, 0);
            while let Some((event, next)) = self.event_at(at) {
                write(index, event);
                (at, index) = (next, index + 1);
            }
        } else {
            for (index, event) in self.placed().into_iter().enumerate() {
                write(index, event);
            }
        }
        body
    }
}
