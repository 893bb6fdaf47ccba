//! XEventMetadata and XStatMetadata: what events and stats with the same id share.

use stepscope_wire::{Cursor, Value};

use crate::stat::Stats;

/// What all events with one id share.
#[derive(Debug, Clone, Copy, Default)]
pub struct EventMetadata<'a> {
    /// Id.
    pub id: i64,
    /// Name; on TPU op lines the full HLO text.
    pub name: &'a [u8],
    /// Short name; empty means: use `name`.
    pub display_name: &'a [u8],
    message: &'a [u8],
}

impl<'a> EventMetadata<'a> {
    fn decode(id: i64, message: &'a [u8]) -> Self {
        let mut metadata = Self {
            id,
            message,
            ..Self::default()
        };
        let mut cursor = Cursor::new(message);
        while let Ok(Some(field)) = cursor.field() {
            match (field.number, field.value) {
                (2, Value::Bytes(name) | Value::Cut(name)) => metadata.name = name,
                (4, Value::Bytes(name) | Value::Cut(name)) => metadata.display_name = name,
                _ => {}
            }
        }
        metadata
    }

    /// Stats that hold for every event of this id.
    pub fn stats(&self) -> Stats<'a> {
        Stats::new(self.message, 5)
    }

    /// The short name if there is one, else the name.
    pub fn short_name(&self) -> &'a [u8] {
        if self.display_name.is_empty() {
            self.name
        } else {
            self.display_name
        }
    }
}

/// What all stats with one id share.
#[derive(Debug, Clone, Copy, Default)]
pub struct StatMetadata<'a> {
    /// Id.
    pub id: i64,
    /// Name; also the value of stats that refer to this id.
    pub name: &'a [u8],
}

impl<'a> StatMetadata<'a> {
    fn decode(id: i64, message: &'a [u8]) -> Self {
        let mut metadata = Self { id, name: &[] };
        let mut cursor = Cursor::new(message);
        while let Ok(Some(field)) = cursor.field() {
            if let (2, Value::Bytes(name) | Value::Cut(name)) = (field.number, field.value) {
                metadata.name = name;
            }
        }
        metadata
    }
}

/// A metadata table of a plane, looked up by id. Of entries with equal ids the last counts, as
/// protobuf maps demand.
#[derive(Debug, Clone)]
pub struct MetadataMap<T> {
    /// Sorted by id.
    entries: Vec<(i64, T)>,
    /// Ids are 0, 1, 2, … or 1, 2, 3, …: then an entry's position follows from its id.
    first_dense: Option<i64>,
}

impl<T> Default for MetadataMap<T> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            first_dense: None,
        }
    }
}

impl<T> MetadataMap<T> {
    fn new(mut entries: Vec<(i64, T)>) -> Self {
        if !entries.is_sorted_by(|left, right| left.0 < right.0) {
            entries = match by_position(entries) {
                Ok(sorted) => return Self::of_sorted(sorted),
                Err(entries) => entries,
            };
            entries.reverse();
            entries.sort_by_key(|entry| entry.0);
            entries.dedup_by_key(|entry| entry.0);
        }
        Self::of_sorted(entries)
    }

    fn of_sorted(entries: Vec<(i64, T)>) -> Self {
        let first = entries.first().map(|entry| entry.0);
        let last = entries.last().map(|entry| entry.0);
        let first_dense = first.zip(last).and_then(|(first, last)| {
            let width = i128::from(last) - i128::from(first) + 1;
            (width == entries.len() as i128).then_some(first)
        });
        Self {
            entries,
            first_dense,
        }
    }

    /// The entry with this id.
    #[inline]
    pub fn get(&self, id: i64) -> Option<&T> {
        if let Some(first) = self.first_dense {
            let position = usize::try_from(id.checked_sub(first)?).ok()?;
            return self.entries.get(position).map(|entry| &entry.1);
        }
        let position = self
            .entries
            .binary_search_by_key(&id, |entry| entry.0)
            .ok()?;
        Some(&self.entries[position].1)
    }

    /// All entries, by id.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &T> {
        self.entries.iter().map(|entry| &entry.1)
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// No entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// Values by id.
type Entries<T> = Vec<(i64, T)>;

/// How many positions a table may have for each entry.
const SLACK: usize = 4;

/// Entries in the order of their ids, the last of equals, without comparing them: writers count ids
/// up, and write them in the order of a hash table. Given back where ids are sparse.
fn by_position<T>(entries: Entries<T>) -> Result<Entries<T>, Entries<T>> {
    let limit = entries.len().saturating_mul(SLACK);
    let position = |id: i64| usize::try_from(id).ok().filter(|&slot| slot < limit);
    if !entries.iter().all(|entry| position(entry.0).is_some()) {
        return Err(entries);
    }
    let mut table: Vec<Option<(i64, T)>> = Vec::new();
    for entry in entries {
        let slot = position(entry.0).unwrap_or_default();
        if table.len() <= slot {
            table.resize_with(slot + 1, || None);
        }
        table[slot] = Some(entry);
    }
    Ok(table.into_iter().flatten().collect())
}

pub(crate) fn event_metadata_map<'a>(entries: &[&'a [u8]]) -> MetadataMap<EventMetadata<'a>> {
    decode_map(entries, EventMetadata::decode)
}

pub(crate) fn stat_metadata_map<'a>(entries: &[&'a [u8]]) -> MetadataMap<StatMetadata<'a>> {
    decode_map(entries, StatMetadata::decode)
}

/// Map entries are messages `{1: key, 2: value}`; a missing key is 0, a missing value empty.
fn decode_map<'a, T>(entries: &[&'a [u8]], decode: fn(i64, &'a [u8]) -> T) -> MetadataMap<T> {
    let decoded = entries.iter().map(|entry| {
        let (mut key, mut value) = (0, &[][..]);
        let mut cursor = Cursor::new(entry);
        while let Ok(Some(field)) = cursor.field() {
            match (field.number, field.value) {
                (1, Value::Varint(id)) => key = id.cast_signed(),
                (2, Value::Bytes(bytes) | Value::Cut(bytes)) => value = bytes,
                _ => {}
            }
        }
        (key, decode(key, value))
    });
    MetadataMap::new(decoded.collect())
}
