//! What packets of one writer share: interned names and texts, defaults.

use rustc_hash::FxHashMap;
use stepscope_wire::{Fields, Value};

use super::fields::{interned, packet};

/// The state of one writer.
#[derive(Default)]
pub(super) struct Sequence {
    pub(super) categories: Interned,
    pub(super) names: Interned,
    pub(super) annotation_names: Interned,
    pub(super) texts: Interned,
    pub(super) default_track: Option<u64>,
    pub(super) default_clock: u64,
    pub(super) extra_tracks: Vec<u64>,
    pub(super) extra_double_tracks: Vec<u64>,
}

/// Empty places that a table may have from the start.
const SPARE: usize = 1024;

/// Texts by number. Writers count up from one, so small numbers are positions.
#[derive(Default)]
pub(super) struct Interned {
    dense: Vec<Option<Box<[u8]>>>,
    /// Entries of `dense` that are filled: it is at most twice as long, and a little.
    filled: usize,
    sparse: FxHashMap<u64, Box<[u8]>>,
}

impl Interned {
    fn insert(&mut self, id: u64, text: &[u8]) {
        let position = usize::try_from(id).unwrap_or(usize::MAX);
        let is_dense = position < self.dense.len() || position <= 2 * self.filled + SPARE;
        if is_dense {
            if self.dense.len() <= position {
                self.dense.resize(position + 1, None);
            }
            let known = self.dense[position].replace(text.into());
            self.filled += usize::from(known.is_none());
            // It was far away before the table grew past it.
            if known.is_none() {
                self.sparse.remove(&id);
            }
        } else {
            self.sparse.insert(id, text.into());
        }
    }

    #[inline]
    pub(super) fn get(&self, id: u64) -> Option<&[u8]> {
        let position = usize::try_from(id).unwrap_or(usize::MAX);
        match self.dense.get(position) {
            Some(Some(found)) => Some(found),
            _ => self.sparse.get(&id).map(AsRef::as_ref),
        }
    }

    fn add(&mut self, entry: &[u8]) {
        let (mut id, mut text): (u64, &[u8]) = (0, &[]);
        for field in Fields::of(entry) {
            match field.number {
                1 => id = field.value.number(),
                2 => text = field.value.bytes(),
                _ => {}
            }
        }
        self.insert(id, text);
    }
}

impl Sequence {
    pub(super) fn intern(&mut self, data: &[u8]) {
        for field in Fields::of(data) {
            match field.number {
                interned::CATEGORIES => self.categories.add(field.value.bytes()),
                interned::EVENT_NAMES => self.names.add(field.value.bytes()),
                interned::ANNOTATION_NAMES => self.annotation_names.add(field.value.bytes()),
                interned::ANNOTATION_TEXTS => self.texts.add(field.value.bytes()),
                _ => {}
            }
        }
    }

    pub(super) fn set_defaults(&mut self, defaults: &[u8]) {
        for field in Fields::of(defaults) {
            match field.number {
                packet::CLOCK_ID => self.default_clock = field.value.number(),
                packet::TRACK_EVENT => {
                    (self.extra_tracks, self.extra_double_tracks) = (Vec::new(), Vec::new());
                    for field in Fields::of(field.value.bytes()) {
                        match field.number {
                            11 => self.default_track = Some(field.value.number()),
                            31 => self.extra_tracks.extend(numbers(field.value)),
                            45 => self.extra_double_tracks.extend(numbers(field.value)),
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

/// The numbers of a repeated field, to the last or to damage.
pub(super) fn numbers(value: Value<'_>) -> impl Iterator<Item = u64> {
    value.numbers().map_while(Result::ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_far_apart_make_no_table_of_holes() {
        let mut texts = Interned::default();
        for step in 0..10_000 {
            texts.insert(step * 1024, b"far");
        }
        assert!(texts.dense.len() <= 4 * SPARE, "{}", texts.dense.len());
        assert_eq!(texts.get(9_999 * 1024), Some(&b"far"[..]));
        assert_eq!(texts.get(1), None);
        let mut texts = Interned::default();
        texts.insert(5000, b"first");
        for id in 1..20_000 {
            if id != 5000 {
                texts.insert(id, b"near");
            }
        }
        assert_eq!(
            texts.get(5000),
            Some(&b"first"[..]),
            "the table grew past it"
        );
        texts.insert(5000, b"again");
        assert_eq!(texts.get(5000), Some(&b"again"[..]));
        assert!(texts.sparse.is_empty() && texts.filled == 19_999);
    }
}
