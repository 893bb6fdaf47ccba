//! Divisions of the devices of a program into sets, each kept once under a number.

use rustc_hash::FxHashMap;

/// Divisions that are kept apart, each a number per device.
const MAX_DIVISIONS: usize = 1024;

/// Number of a division; 0, which all begin with, is the one in which all devices are in one set.
pub(crate) type DivisionId = u32;

/// Divisions of the devices into sets, each kept once.
#[derive(Debug)]
pub(crate) struct Divisions {
    pub(crate) device_count: usize,
    /// The division in which no two devices are in one set.
    pub(crate) all_differ: DivisionId,
    /// For each division the set of each device, numbered in the order of their first device.
    sets: Vec<Vec<u32>>,
    by_sets: FxHashMap<Vec<u32>, DivisionId>,
    together: FxHashMap<(DivisionId, DivisionId), DivisionId>,
    /// Whether one more had to be given up.
    pub(crate) is_full: bool,
}

impl Divisions {
    pub(crate) fn new(device_count: usize) -> Self {
        let mut divisions = Self {
            device_count,
            all_differ: 0,
            sets: Vec::new(),
            by_sets: FxHashMap::default(),
            together: FxHashMap::default(),
            is_full: false,
        };
        divisions.intern(&vec![0; device_count]);
        let all: Vec<usize> = (0..device_count).collect();
        divisions.all_differ = divisions.intern(&all);
        divisions
    }

    /// The set of each device.
    pub(crate) fn sets(&self, id: DivisionId) -> &[u32] {
        self.sets.get(id as usize).map_or(&[], Vec::as_slice)
    }

    /// Number of sets.
    pub(crate) fn set_count(&self, id: DivisionId) -> usize {
        let last = self.sets(id).iter().max();
        last.map_or(1, |&last| last as usize + 1)
    }

    /// The division in which devices with equal keys are in one set.
    pub(crate) fn intern<K: std::hash::Hash + Eq>(&mut self, keys: &[K]) -> DivisionId {
        let mut numbers: FxHashMap<&K, u32> = FxHashMap::default();
        let sets: Vec<u32> = keys
            .iter()
            .map(|key| {
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                *numbers.entry(key).or_insert(next)
            })
            .collect();
        if let Some(&known) = self.by_sets.get(&sets) {
            return known;
        }
        if self.sets.len() >= MAX_DIVISIONS {
            self.is_full = true;
            return 0;
        }
        let id = u32::try_from(self.sets.len()).unwrap_or(u32::MAX);
        self.sets.push(sets.clone());
        self.by_sets.insert(sets, id);
        id
    }

    /// Devices that are in one set of both are in one set.
    pub(crate) fn both(&mut self, left: DivisionId, right: DivisionId) -> DivisionId {
        if left == right || right == 0 {
            return left;
        }
        if left == 0 {
            return right;
        }
        let pair = (left.min(right), left.max(right));
        if let Some(&known) = self.together.get(&pair) {
            return known;
        }
        let keys: Vec<(u32, u32)> = self
            .sets(left)
            .iter()
            .copied()
            .zip(self.sets(right).iter().copied())
            .collect();
        let id = self.intern(&keys);
        self.together.insert(pair, id);
        id
    }
}
