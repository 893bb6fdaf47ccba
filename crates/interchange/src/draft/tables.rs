//! What the events of one plane share: names, stat names and texts, each written once.

use rustc_hash::FxHashMap;
use stepscope_wire::{push_bytes, push_fixed64, push_message, push_number, push_signed};

/// Texts longer than this stand in their event rather than in a table: they rarely repeat.
const LONGEST_SHARED_TEXT: usize = 512;
/// Tables stop growing here, so that a trace of nothing but distinct texts is held once, not twice.
const MOST_TABLE_BYTES: usize = 256 << 20;

/// The value of a stat.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'a> {
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(&'a [u8]),
}

/// Metadata of one plane as it grows.
#[derive(Default)]
pub(crate) struct Tables {
    events: FxHashMap<Box<[u8]>, i64>,
    /// Serialized metadata of events, by id from 1.
    event_entries: Vec<u8>,
    event_count: i64,
    /// Names and texts of stats, by id from 1.
    stats: FxHashMap<Box<[u8]>, u64>,
    stat_entries: Vec<u8>,
    table_bytes: usize,
}

impl Tables {
    /// The id of an event's name.
    #[inline]
    pub(crate) fn event(&mut self, name: &[u8]) -> i64 {
        match self.events.get(name) {
            Some(&id) => id,
            None => self.add_event(name, name, &[]),
        }
    }

    /// The id of an event that has stats in common with all events of that `key`.
    pub(crate) fn event_with(
        &mut self,
        key: &[u8],
        name: &[u8],
        display_name: &[u8],
        stats: &[(&[u8], Value<'_>)],
    ) -> i64 {
        if let Some(&id) = self.events.get(key) {
            return id;
        }
        let mut rest = Vec::new();
        if !display_name.is_empty() {
            push_bytes(&mut rest, 4, display_name);
        }
        for &(stat, value) in stats {
            let id = self.stat(stat);
            self.write_stat(&mut rest, 5, id, value);
        }
        self.add_event(key, name, &rest)
    }

    /// A stat of this name occurs.
    pub(crate) fn has_stat(&self, name: &[u8]) -> bool {
        self.stats.contains_key(name)
    }

    /// Names of events by id; those with stats in common begin their keys with it.
    pub(crate) fn event_names(&self) -> FxHashMap<i64, Vec<u8>> {
        let names = self.events.iter().map(|(key, &id)| {
            let name = key.split(|&byte| byte == 0).next().unwrap_or_default();
            (id, name.to_vec())
        });
        names.collect()
    }

    fn add_event(&mut self, key: &[u8], name: &[u8], rest: &[u8]) -> i64 {
        self.event_count += 1;
        let id = self.event_count;
        self.events.insert(key.into(), id);
        self.table_bytes += key.len() + name.len();
        push_message(&mut self.event_entries, 4, |out| {
            push_signed(out, 1, id);
            push_message(out, 2, |out| {
                push_signed(out, 1, id);
                push_bytes(out, 2, name);
                out.extend_from_slice(rest);
            });
        });
        id
    }

    /// The id of a stat's name, or of a text.
    #[inline]
    pub(crate) fn stat(&mut self, name: &[u8]) -> u64 {
        match self.stats.get(name) {
            Some(&id) => id,
            None => self.add_stat(name),
        }
    }

    fn add_stat(&mut self, name: &[u8]) -> u64 {
        let id = self.stats.len() as u64 + 1;
        self.stats.insert(name.into(), id);
        self.table_bytes += name.len();
        push_message(&mut self.stat_entries, 5, |out| {
            push_number(out, 1, id);
            push_message(out, 2, |out| {
                push_number(out, 1, id);
                push_bytes(out, 2, name);
            });
        });
        id
    }

    /// Writes a stat into an event or its metadata.
    #[inline]
    pub(crate) fn write_stat(&mut self, out: &mut Vec<u8>, field: u32, id: u64, value: Value<'_>) {
        let reference = match value {
            Value::Text(text) => self.shared_text(text),
            _ => None,
        };
        push_message(out, field, |out| {
            push_number(out, 1, id);
            match (value, reference) {
                (_, Some(reference)) => push_number(out, 7, reference),
                (Value::Int(value), _) => push_signed(out, 4, value),
                (Value::Uint(value), _) => push_number(out, 3, value),
                (Value::Double(value), _) => push_fixed64(out, 2, value.to_bits()),
                (Value::Text(text), _) => push_bytes(out, 5, text),
            }
        });
    }

    fn shared_text(&mut self, text: &[u8]) -> Option<u64> {
        if text.len() > LONGEST_SHARED_TEXT {
            return None;
        }
        if let Some(&id) = self.stats.get(text) {
            return Some(id);
        }
        (self.table_bytes < MOST_TABLE_BYTES).then(|| self.add_stat(text))
    }

    /// The serialized tables of a plane.
    pub(crate) fn into_parts(self) -> [Vec<u8>; 2] {
        [self.event_entries, self.stat_entries]
    }
}
