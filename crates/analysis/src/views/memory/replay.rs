//! Replays allocations by address to find what was alive at an event.

use rustc_hash::FxHashMap;
use stepscope_model::{AllocatorEvent, Picos};

/// An allocation in the window that was alive at the requested moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Alive {
    /// Position of its event.
    pub(super) event: usize,
    /// When it was freed, if that was recorded.
    pub(super) freed: Option<Picos>,
}

/// The last event in `range` after which the most bytes were taken. Of equal peaks, the last one has
/// the longest recording before it, so the least of what was alive is unknown.
pub(super) fn peak(events: &[AllocatorEvent], range: std::ops::Range<usize>) -> Option<usize> {
    range.max_by_key(|&index| events[index].taken())
}

/// The last event at or before a moment.
pub(super) fn last_until(events: &[AllocatorEvent], moment: Picos) -> Option<usize> {
    events
        .partition_point(|event| event.time <= moment)
        .checked_sub(1)
}

/// Allocations recorded up to and including event `at` and not freed by then, in time order.
///
/// If an address is allocated twice, it was freed in between without a record: the first is dropped.
pub(super) fn alive_at(events: &[AllocatorEvent], at: usize) -> Vec<Alive> {
    let mut open: FxHashMap<u64, usize> = FxHashMap::default();
    for (index, event) in events.iter().enumerate().take(at + 1) {
        if event.is_allocation {
            open.insert(event.address, index);
        } else {
            open.remove(&event.address);
        }
    }
    let mut freed: FxHashMap<u64, Picos> = FxHashMap::default();
    for event in events.iter().skip(at + 1) {
        if open.contains_key(&event.address) {
            freed.entry(event.address).or_insert(event.time);
        }
        if freed.len() == open.len() {
            break;
        }
    }
    let mut alive: Vec<Alive> = open
        .into_iter()
        .map(|(address, event)| Alive {
            event,
            freed: freed.get(&address).copied(),
        })
        .collect();
    alive.sort_by_key(|alive| alive.event);
    alive
}

/// Number of events that do not follow from the previous one: some are missing or out of order.
pub(super) fn inconsistencies(events: &[AllocatorEvent]) -> usize {
    let pairs = events.windows(2).filter(|pair| {
        let (before, after) = (pair[0], pair[1]);
        let change = if after.is_allocation {
            after.allocated
        } else {
            after.allocated.saturating_neg()
        };
        after.allocated > 0 && before.in_use.saturating_add(change) != after.in_use
    });
    pairs.count()
}
