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

/// Texts by number. Writers count up from one, so small numbers are positions.
#[derive(Default)]
pub(super) struct Interned {
    dense: Vec<Option<Box<[u8]>>>,
    sparse: FxHashMap<u64, Box<[u8]>>,
}

impl Interned {
    fn insert(&mut self, id: u64, text: &[u8]) {
        let position = usize::try_from(id).unwrap_or(usize::MAX);
        if position <= self.dense.len() + 1024 {
            if self.dense.len() <= position {
                self.dense.resize(position + 1, None);
            }
            self.dense[position] = Some(text.into());
        } else {
            self.sparse.insert(id, text.into());
        }
    }

    #[inline]
    pub(super) fn get(&self, id: u64) -> Option<&[u8]> {
        let position = usize::try_from(id).unwrap_or(usize::MAX);
        match self.dense.get(position) {
            Some(found) => found.as_deref(),
            None => self.sparse.get(&id).map(AsRef::as_ref),
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
