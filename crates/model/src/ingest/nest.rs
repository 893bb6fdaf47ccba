//! Nesting: from slices in time order to nests of lanes. See [`crate::track`] for the picture.
//!
//! Slices are put into the row of their depth as they are decoded, in memory that the next track of
//! the thread uses again; at the end all rows are copied into one block of exactly the right size.
//! Where slices turn out not to be in time order, all are sorted and placed anew.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::flow::{FlowEnd, FlowKey};
use crate::slices::{ColumnsMut, SliceBlock};
use crate::track::Lane;

/// Nests tried before a slice goes to a row of its own. Real profiles need one or two.
const MAX_NESTS: usize = 16;
/// Rows whose memory is kept for the next track.
const KEPT_ROWS: usize = 256;

/// A slice on its way into a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slice {
    pub(super) start: i64,
    pub(super) duration: i64,
    /// Number of its label key.
    pub(super) label: u32,
    /// Ordinal of its event, ascending from slice to slice.
    pub(super) event: u32,
}

/// The lanes of one group of slices, as ranges of the block.
pub(super) struct Nested {
    pub(super) lanes: Vec<Range<usize>>,
    pub(super) nests: Vec<Range<u32>>,
    /// Slices that overlap others only in part and went to a nest of their own.
    pub(super) overlapping: usize,
}

/// All groups of a track.
pub(super) struct NestedGroups {
    pub(super) block: SliceBlock,
    pub(super) groups: Vec<Nested>,
    /// The slices were not in time order in the file.
    pub(super) was_unsorted: bool,
    pub(super) ends: Vec<FlowEnd>,
}

impl NestedGroups {
    /// The lanes and nests of slices that form one group.
    pub(super) fn into_lanes(self) -> (Vec<Lane>, Vec<Range<u32>>) {
        let block = Arc::new(self.block);
        let group = self.groups.into_iter().next();
        let (ranges, nests) = group.map_or_else(Default::default, |it| (it.lanes, it.nests));
        let lanes = ranges.into_iter();
        let lanes = lanes.map(|range| Lane::new(Arc::clone(&block), range));
        (lanes.collect(), nests)
    }
}

thread_local! {
    /// Memory of rows that are done with, the largest last: fresh memory has to be cleared by the
    /// system, page by page.
    static SPARE_ROWS: RefCell<Vec<Vec<Slice>>> = const { RefCell::new(Vec::new()) };
    /// Memory of arrow ends that are done with.
    static SPARE_ENDS: RefCell<Vec<FlowEnd>> = const { RefCell::new(Vec::new()) };
}

/// Gives the memory of this thread's rows back, once all tracks are built.
pub(super) fn forget_rows() {
    SPARE_ROWS.take();
    SPARE_ENDS.take();
}

/// Takes slices, puts each into the first nest of its group where it is contained in the slices that
/// run there or follows them all.
#[derive(Default)]
pub(super) struct Nester {
    rows: Rows,
    /// Start and duration of the last slice.
    last: (i64, i64),
    was_unsorted: bool,
    /// Once out of order, slices only pile up, with their groups.
    pile: Vec<(u16, Slice)>,
    /// Arrow ends; their lanes are rows until the end.
    ends: Vec<FlowEnd>,
    /// Where the last slice went: row and position in it.
    last_place: (u32, u32),
}

impl Nester {
    /// One without slices, in memory that was used before.
    pub(super) fn new() -> Self {
        Self {
            ends: SPARE_ENDS.take(),
            ..Self::default()
        }
    }

    /// Adds a slice to a group.
    #[inline]
    pub(super) fn push(&mut self, group: u16, slice: Slice) {
        let (start, duration) = self.last;
        let is_sorted = start < slice.start || (start == slice.start && duration >= slice.duration);
        if !is_sorted && !self.was_unsorted && self.rows.count > 0 {
            self.was_unsorted = true;
        }
        self.last = (slice.start, slice.duration);
        if self.was_unsorted {
            self.pile.push((group, slice));
        } else {
            self.last_place = self.rows.push(group, slice);
        }
    }

    /// An arrow ends at the slice that was added last.
    pub(super) fn end_of_last(&mut self, key: FlowKey, event: u32) {
        let (lane, index) = self.last_place;
        self.ends.push(FlowEnd {
            key,
            event,
            lane,
            index,
        });
    }

    /// The lanes of all groups; there are `group_count`, some may have no slices.
    pub(super) fn finish(mut self, group_count: usize) -> NestedGroups {
        if self.was_unsorted {
            self.start_over();
        }
        let rows = &mut self.rows;
        let group_count = group_count.max(rows.groups.len());
        rows.groups.resize_with(group_count, GroupRows::default);
        let mut block = SliceBlock::zeroed(rows.count);
        let mut lane_of_row = vec![0u32; rows.slices.len()];
        let mut filled = 0;
        let mut columns = block.columns_mut();
        let groups = rows.groups.iter().map(|group| {
            let (order, nests) = group.display_order();
            let mut lanes = Vec::with_capacity(order.len());
            for (position, &row) in (0u32..).zip(&order) {
                lane_of_row[row as usize] = position;
                let slices = &rows.slices[row as usize];
                let range = filled..filled + slices.len();
                fill(&mut columns, range.clone(), slices);
                filled = range.end;
                lanes.push(range);
            }
            Nested {
                lanes,
                nests,
                overlapping: group.overlapping,
            }
        });
        let groups = groups.collect();
        for end in &mut self.ends {
            end.lane = lane_of_row[end.lane as usize];
        }
        self.rows.recycle();
        let ends = self.ends.clone();
        self.ends.clear();
        SPARE_ENDS.set(self.ends);
        NestedGroups {
            block,
            groups,
            was_unsorted: self.was_unsorted,
            ends,
        }
    }

    /// Sorts all slices by start, then longer first, then file order, and places them again.
    fn start_over(&mut self) {
        let mut all = std::mem::take(&mut self.pile);
        let old_rows = std::mem::take(&mut self.rows);
        for (group, rows) in (0u16..).zip(&old_rows.groups) {
            for &row in &rows.display_order().0 {
                let slices = &old_rows.slices[row as usize];
                all.extend(slices.iter().map(|&slice| (group, slice)));
            }
        }
        old_rows.recycle();
        all.sort_by_key(|(_, slice)| (slice.start, Reverse(slice.duration), slice.event));
        let ends = self.ends.iter();
        let mut places: FxHashMap<u32, (u32, u32)> = ends.map(|end| (end.event, (0, 0))).collect();
        for (group, slice) in all {
            let place = self.rows.push(group, slice);
            if let Some(known) = places.get_mut(&slice.event) {
                *known = place;
            }
        }
        for end in &mut self.ends {
            (end.lane, end.index) = places.get(&end.event).copied().unwrap_or_default();
        }
    }
}

/// Copies slices into a range of the columns.
fn fill(columns: &mut ColumnsMut<'_>, range: Range<usize>, slices: &[Slice]) {
    let starts = columns.starts[range.clone()].iter_mut();
    let durations = columns.durations[range.clone()].iter_mut();
    let labels = columns.labels[range.clone()].iter_mut();
    let events = columns.events[range].iter_mut();
    let targets = starts.zip(durations).zip(labels).zip(events);
    for ((((start, duration), label), event), slice) in targets.zip(slices) {
        *start = slice.start;
        *duration = slice.duration;
        *label = slice.label;
        *event = slice.event;
    }
}

/// Rows of all groups being filled; a row is numbered over all groups.
#[derive(Default)]
struct Rows {
    groups: Vec<GroupRows>,
    /// Slices of each row.
    slices: Vec<Vec<Slice>>,
    /// Slices in all rows.
    count: usize,
}

/// Rows of one group.
#[derive(Default)]
struct GroupRows {
    /// The nest that nearly all slices go to.
    first: OpenNest,
    /// The others, for slices that overlap earlier ones in part.
    others: Vec<OpenNest>,
    /// Rows of slices that found no nest, by their last end.
    free: BinaryHeap<Reverse<(i64, u32)>>,
    overlapping: usize,
}

/// The slices of a nest that run at the moment, outermost first, and the rows of its depths.
#[derive(Default)]
struct OpenNest {
    ends: Vec<i64>,
    rows: Vec<u32>,
}

impl Rows {
    /// Adds a slice; slices come in time order. Returns its row and position there.
    #[inline]
    fn push(&mut self, group: u16, slice: Slice) -> (u32, u32) {
        let group = usize::from(group);
        if group >= self.groups.len() {
            self.groups.resize_with(group + 1, GroupRows::default);
        }
        let end = slice.start.saturating_add(slice.duration);
        let row = self.groups[group].place(slice.start, end, &mut self.slices);
        let slices = &mut self.slices[row as usize];
        slices.push(slice);
        self.count += 1;
        (row, u32::try_from(slices.len() - 1).unwrap_or(u32::MAX))
    }

    /// Leaves the memory for the next track.
    fn recycle(mut self) {
        SPARE_ROWS.with_borrow_mut(|spare| {
            for mut slices in self.slices.drain(..) {
                if spare.len() < KEPT_ROWS {
                    slices.clear();
                    spare.push(slices);
                }
            }
            spare.sort_by_key(Vec::capacity);
        });
    }
}

fn new_row(rows: &mut Vec<Vec<Slice>>) -> u32 {
    let spare = SPARE_ROWS.with_borrow_mut(Vec::pop);
    rows.push(spare.unwrap_or_default());
    u32::try_from(rows.len() - 1).unwrap_or(u32::MAX)
}

impl OpenNest {
    /// The row of a slice, unless it overlaps a slice of the nest in part.
    #[inline]
    fn place(&mut self, start: i64, end: i64, rows: &mut Vec<Vec<Slice>>) -> Option<u32> {
        while let Some(&open) = self.ends.last() {
            if open > start {
                if open < end {
                    return None;
                }
                break;
            }
            self.ends.pop();
        }
        let depth = self.ends.len();
        self.ends.push(end);
        if let Some(&row) = self.rows.get(depth) {
            return Some(row);
        }
        let row = new_row(rows);
        self.rows.push(row);
        Some(row)
    }
}

impl GroupRows {
    /// The row of a slice.
    #[inline]
    fn place(&mut self, start: i64, end: i64, rows: &mut Vec<Vec<Slice>>) -> u32 {
        match self.first.place(start, end, rows) {
            Some(row) => row,
            None => self.place_elsewhere(start, end, rows),
        }
    }

    /// The row of a slice that overlaps one of the first nest.
    #[cold]
    fn place_elsewhere(&mut self, start: i64, end: i64, rows: &mut Vec<Vec<Slice>>) -> u32 {
        self.overlapping += 1;
        for nest in &mut self.others {
            if let Some(row) = nest.place(start, end, rows) {
                return row;
            }
        }
        if self.others.len() < MAX_NESTS - 1 {
            let row = new_row(rows);
            self.others.push(OpenNest {
                ends: vec![end],
                rows: vec![row],
            });
            return row;
        }
        self.place_alone(start, end, rows)
    }

    /// The row of a slice that found no nest.
    fn place_alone(&mut self, start: i64, end: i64, rows: &mut Vec<Vec<Slice>>) -> u32 {
        let free = self.free.peek().copied();
        let row = match free.filter(|Reverse((last, _))| *last <= start) {
            Some(Reverse((_, row))) => {
                self.free.pop();
                row
            }
            None => new_row(rows),
        };
        self.free.push(Reverse((end, row)));
        row
    }

    /// Rows nest by nest, and the range of each nest; a free row is a nest of its own.
    fn display_order(&self) -> (Vec<u32>, Vec<Range<u32>>) {
        let mut order = Vec::new();
        let mut ranges = Vec::new();
        let mut free: Vec<u32> = self.free.iter().map(|Reverse((_, row))| *row).collect();
        free.sort_unstable();
        let nests = std::iter::once(&self.first).chain(&self.others);
        let nests = nests.map(|nest| nest.rows.clone());
        for rows in nests.chain(free.into_iter().map(|row| vec![row])) {
            let first = u32::try_from(order.len()).unwrap_or(u32::MAX);
            order.extend(rows);
            let last = u32::try_from(order.len()).unwrap_or(u32::MAX);
            if last > first {
                ranges.push(first..last);
            }
        }
        (order, ranges)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Nests spans of one group, asking for the place of each.
    fn nest(spans: &[(i64, i64)]) -> NestedGroups {
        let mut nester = Nester::new();
        for (event, &(start, end)) in (0u32..).zip(spans) {
            let duration = end - start;
            nester.push(
                0,
                Slice {
                    start,
                    duration,
                    label: 0,
                    event,
                },
            );
            nester.end_of_last(FlowKey::Correlation(u64::from(event)), event);
        }
        nester.finish(1)
    }

    fn lanes(nested: &NestedGroups) -> Vec<Vec<(i64, i64)>> {
        let lanes = nested.groups[0].lanes.iter();
        let lane = |range: &Range<usize>| {
            let starts = nested.block.starts(range.clone()).iter();
            let durations = nested.block.durations(range.clone()).iter();
            starts
                .zip(durations)
                .map(|(start, duration)| (*start, start + duration))
                .collect()
        };
        lanes.map(lane).collect()
    }

    #[test]
    fn contained_slices_go_one_lane_down() {
        let nested = nest(&[(0, 10), (1, 4), (4, 9), (5, 6), (10, 12)]);
        assert_eq!(
            lanes(&nested),
            [vec![(0, 10), (10, 12)], vec![(1, 4), (4, 9)], vec![(5, 6)]]
        );
        assert_eq!(nested.groups[0].nests, vec![0..3]);
        assert_eq!(nested.groups[0].overlapping, 0);
    }

    #[test]
    fn a_partial_overlap_opens_another_nest() {
        let nested = nest(&[(0, 10), (5, 15), (6, 9), (11, 14)]);
        assert_eq!(
            lanes(&nested),
            [vec![(0, 10), (11, 14)], vec![(6, 9)], vec![(5, 15)]]
        );
        assert_eq!(nested.groups[0].nests, vec![0..2, 2..3]);
        assert_eq!(nested.groups[0].overlapping, 1);
    }

    #[test]
    fn equal_spans_nest_in_file_order_and_longer_ones_are_parents() {
        let nested = nest(&[(0, 4), (0, 4), (0, 9)]);
        assert!(nested.was_unsorted);
        assert_eq!(lanes(&nested), [vec![(0, 9)], vec![(0, 4)], vec![(0, 4)]]);
        assert_eq!(nested.block.events(nested.groups[0].lanes[1].clone()), [0]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_lanes_never_overlap(
            spans in prop::collection::vec((0i64..200, 0i64..60), 0..200),
        ) {
            let spans: Vec<_> = spans.iter().map(|&(start, length)| (start, start + length)).collect();
            let nested = nest(&spans);
            let mut found: Vec<_> = lanes(&nested).concat();
            for lane in lanes(&nested) {
                for pair in lane.windows(2) {
                    prop_assert!(pair[0].1 <= pair[1].0);
                }
            }
            for range in &nested.groups[0].nests {
                for lane in range.start + 1..range.end {
                    let parents = &lanes(&nested)[lane as usize - 1];
                    for child in &lanes(&nested)[lane as usize] {
                        let holders = parents.iter().filter(|p| p.0 <= child.0 && child.1 <= p.1);
                        prop_assert!(holders.count() >= 1);
                    }
                }
            }
            for (end, span) in nested.ends.iter().zip(&spans) {
                prop_assert_eq!(lanes(&nested)[end.lane as usize][end.index as usize], *span);
            }
            let mut expected = spans;
            expected.sort_unstable();
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
