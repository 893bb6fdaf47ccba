//! Items that count as one: copies of an op that are runs of one op on the other side.

use std::collections::{BTreeMap, BTreeSet};

use super::items::Item;

/// Sums of items, on both sides.
#[derive(Default)]
pub(super) struct Joined {
    /// By position of the first of the items.
    sums: [BTreeMap<usize, Item>; 2],
    /// Positions of the others.
    further: [BTreeSet<usize>; 2],
}

impl Joined {
    /// The sums of groups of items, which are in the same part of a step.
    pub(super) fn of(items: [&[Item]; 2], groups: impl Iterator<Item = [Vec<usize>; 2]>) -> Self {
        let mut joined = Self::default();
        for group in groups {
            for (side, members) in group.iter().enumerate() {
                joined.add(side, items[side], members);
            }
        }
        joined
    }

    /// Whether an item is counted with another one.
    pub(super) fn is_further(&self, side: usize, item: usize) -> bool {
        self.further[side].contains(&item)
    }

    /// The sum that an item is the first of.
    pub(super) fn sum(&self, side: usize, item: usize) -> Option<&Item> {
        self.sums[side].get(&item)
    }

    fn add(&mut self, side: usize, items: &[Item], members: &[usize]) {
        let [first, further @ ..] = members else {
            return;
        };
        if further.is_empty() {
            return;
        }
        let sum = Item::sum(members.iter().map(|&item| &items[item]));
        self.sums[side].extend(sum.map(|sum| (*first, sum)));
        self.further[side].extend(further);
    }
}
