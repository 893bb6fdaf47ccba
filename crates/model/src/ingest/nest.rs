//! Nesting: from slices in time order to nests of lanes. See [`crate::track`] for the picture.
//!
//! Slices are put into the row of their depth as they are decoded, in memory that the thread reuses
//! for its next track; at the end all rows are copied into one block of exactly the right size. If
//! slices turn out not to be in time order, all are sorted and placed again. Deferred slices
//! ([`Keep`]) are placed and counted, which is all that the session's outline needs; on first use
//! they are placed again and written directly to their destination.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::flow::{FlowEnd, FlowKey};
use crate::ids::LabelId;
use crate::slices::{ColumnsMut, SliceBlock};
use crate::track::Lane;
use crate::units::{Picos, Span};

/// Nests to try before a slice goes to a separate row. Real profiles need one or two.
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

/// Which slices are kept, and whether their arrow ends are. The others, of the first group, are
/// counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Keep {
    /// All, with their ends.
    #[default]
    All,
    /// All, without their ends.
    Slices,
    /// Those of every group except the first, which are the thread's own; no ends.
    AllButOwn,
}

/// The lanes of one group of slices, as ranges of the block.
pub(super) struct Nested {
    pub(super) lanes: Vec<NestedLane>,
    pub(super) nests: Vec<Range<u32>>,
    /// Slices that partially overlap others and went to a separate nest.
    pub(super) overlapping: usize,
}

/// A lane as a range of its block.
#[derive(Debug, Clone)]
pub(super) struct NestedLane {
    pub(super) range: Range<usize>,
    /// From the first start to the last end.
    pub(super) hull: Span,
    /// Number of its row, ascending in the order in which the rows of a group began.
    pub(super) row: u32,
}

/// All groups of a track.
pub(super) struct NestedGroups {
    /// The kept slices. Lanes of other slices are ranges of a future block.
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
        let (lanes, nests) = group.map_or_else(Default::default, |it| (it.lanes, it.nests));
        let lanes = lanes.into_iter().map(|lane| lane.of_block(&block));
        (lanes.collect(), nests)
    }
}

impl NestedLane {
    pub(super) fn of_block(self, block: &Arc<SliceBlock>) -> Lane {
        Lane::new(Arc::clone(block), self.range, self.hull)
    }
}

thread_local! {
    /// Memory of finished rows, the largest last: the system has to clear fresh memory page by
    /// page.
    static SPARE_ROWS: RefCell<Vec<Vec<Slice>>> = const { RefCell::new(Vec::new()) };
    /// Memory of finished arrow ends.
    static SPARE_ENDS: RefCell<Vec<FlowEnd>> = const { RefCell::new(Vec::new()) };
}

/// Frees the memory of this thread's rows, once all tracks are built.
pub(super) fn forget_rows() {
    SPARE_ROWS.take();
    SPARE_ENDS.take();
}

/// Takes slices, and puts each into the first nest of its group in which it is contained in the
/// running slices or follows them all.
#[derive(Default)]
pub(super) struct Nester<'a> {
    keep: Keep,
    rows: Rows,
    /// A second pass, for slices of the first group; it skips others.
    again: Option<Again<'a>>,
    /// Start and duration of the last slice.
    last: (i64, i64),
    was_unsorted: bool,
    /// Once out of order, slices are only collected, with their groups.
    pile: Vec<(u16, Slice)>,
    /// Arrow ends; their lanes are rows until the end.
    ends: Vec<FlowEnd>,
    /// Where the last slice went: row and position in it.
    last_place: (u32, u32),
}

/// The purpose of a second pass.
enum Again<'a> {
    Slices(Target<'a>),
    Ends,
}

/// Columns for the slices of the first group, and the next position of each row.
pub(super) struct Target<'a> {
    pub(super) columns: ColumnsMut<'a>,
    /// For each row, in start order, the range that is still to be filled.
    pub(super) rows: Vec<Range<usize>>,
    /// The label of each key.
    pub(super) labels: &'a [LabelId],
}

impl Target<'_> {
    /// Writes a slice. If the file has changed since its slices were counted, slices without a
    /// place are skipped.
    fn put(&mut self, row: u32, slice: Slice) {
        let range = self.rows.get_mut(row as usize);
        let label = self.labels.get(slice.label as usize);
        let (Some(position), Some(label)) = (range.and_then(Iterator::next), label) else {
            return;
        };
        self.columns.starts[position] = slice.start;
        self.columns.durations[position] = slice.duration;
        self.columns.labels[position] = label.0;
        self.columns.events[position] = slice.event;
    }
}

impl<'a> Nester<'a> {
    /// A nester without slices, in reused memory.
    pub(super) fn new(keep: Keep) -> Self {
        Self {
            keep,
            ends: SPARE_ENDS.take(),
            ..Self::default()
        }
    }

    /// A nester that writes the slices of the first group to their destination; they are in time
    /// order.
    pub(super) fn into_target(target: Target<'a>) -> Self {
        Self {
            again: Some(Again::Slices(target)),
            ..Self::default()
        }
    }

    /// A nester that finds the arrow ends of the first group, whose slices are in time order.
    pub(super) fn for_ends() -> Self {
        Self {
            again: Some(Again::Ends),
            ..Self::default()
        }
    }

    /// Whether slices must be sorted, which a second pass cannot do: then all must be kept.
    pub(super) fn is_in_vain(&self) -> bool {
        self.was_unsorted && self.keep != Keep::All
    }

    /// Adds a slice to a group.
    #[inline]
    pub(super) fn push(&mut self, group: u16, slice: Slice) {
        if let Some(again) = &mut self.again {
            if group == 0 {
                self.last_place = self.rows.push(0, slice, false);
                if let Again::Slices(target) = again {
                    target.put(self.last_place.0, slice);
                }
            }
            return;
        }
        let (start, duration) = self.last;
        let is_sorted = start < slice.start || (start == slice.start && duration >= slice.duration);
        if !is_sorted && !self.was_unsorted && self.rows.count > 0 {
            self.was_unsorted = true;
        }
        self.last = (slice.start, slice.duration);
        if self.was_unsorted {
            self.pile.push((group, slice));
        } else {
            let is_kept = group > 0 || self.keep != Keep::AllButOwn;
            self.last_place = self.rows.push(group, slice, is_kept);
        }
    }

    /// An arrow ends at the slice that was added last.
    pub(super) fn end_of_last(&mut self, key: FlowKey, event: u32) {
        let is_wanted = match self.again {
            Some(Again::Ends) => true,
            Some(Again::Slices(_)) => false,
            None => self.keep == Keep::All,
        };
        if !is_wanted {
            return;
        }
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
        let kept = rows.all.iter().map(|row| row.slices.len()).sum();
        let mut block = SliceBlock::zeroed(kept);
        let mut lane_of_row = vec![0u32; rows.all.len()];
        let mut filled = 0;
        let mut columns = block.columns_mut();
        let mut groups = Vec::with_capacity(group_count);
        for (number, group) in rows.groups.iter().enumerate() {
            let (order, nests) = group.display_order();
            let is_kept = number > 0 || self.keep != Keep::AllButOwn;
            let mut begin = if is_kept { filled } else { 0 };
            let mut lanes = Vec::with_capacity(order.len());
            for (position, &number) in (0u32..).zip(&order) {
                lane_of_row[number as usize] = position;
                let row = &rows.all[number as usize];
                let range = begin..begin + row.count;
                if is_kept {
                    fill(&mut columns, range.clone(), &row.slices);
                }
                begin = range.end;
                let hull = Span::new(Picos(row.first_start), Picos(row.last_end));
                lanes.push(NestedLane {
                    range,
                    hull,
                    row: number,
                });
            }
            if is_kept {
                filled = begin;
            }
            groups.push(Nested {
                lanes,
                nests,
                overlapping: group.overlapping,
            });
        }
        for end in &mut self.ends {
            end.lane = lane_of_row[end.lane as usize];
        }
        self.rows.recycle();
        let mut ends = std::mem::take(&mut self.ends);
        if ends.len() < ends.capacity() / 2 {
            let exact = ends.clone();
            ends.clear();
            SPARE_ENDS.set(std::mem::replace(&mut ends, exact));
        }
        NestedGroups {
            block,
            groups,
            was_unsorted: self.was_unsorted,
            ends,
        }
    }

    /// The arrow ends found by a second pass.
    pub(super) fn finish_ends(mut self) -> Vec<FlowEnd> {
        let mut lane_of_row = vec![0u32; self.rows.all.len()];
        if let Some(group) = self.rows.groups.first() {
            for (position, row) in (0u32..).zip(group.display_order().0) {
                lane_of_row[row as usize] = position;
            }
        }
        for end in &mut self.ends {
            end.lane = lane_of_row[end.lane as usize];
        }
        self.ends
    }

    /// Sorts all slices by start, then longer first, then file order, and places them again.
    fn start_over(&mut self) {
        let mut all = std::mem::take(&mut self.pile);
        let old_rows = std::mem::take(&mut self.rows);
        for (group, rows) in (0u16..).zip(&old_rows.groups) {
            for &row in &rows.display_order().0 {
                let slices = &old_rows.all[row as usize].slices;
                all.extend(slices.iter().map(|&slice| (group, slice)));
            }
        }
        old_rows.recycle();
        all.sort_by_key(|(_, slice)| (slice.start, Reverse(slice.duration), slice.event));
        let ends = self.ends.iter();
        let mut places: FxHashMap<u32, (u32, u32)> = ends.map(|end| (end.event, (0, 0))).collect();
        for (group, slice) in all {
            let place = self.rows.push(group, slice, true);
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
    all: Vec<Row>,
    /// Slices in all rows.
    count: usize,
}

/// A row being filled.
#[derive(Default)]
struct Row {
    /// Its slices, unless they are only counted.
    slices: Vec<Slice>,
    count: usize,
    first_start: i64,
    last_end: i64,
}

/// Rows of one group.
#[derive(Default)]
struct GroupRows {
    /// The nest that nearly all slices go to.
    first: OpenNest,
    /// The others, for slices that partially overlap earlier ones.
    others: Vec<OpenNest>,
    /// Rows of slices that found no nest, by their last end.
    free: BinaryHeap<Reverse<(i64, u32)>>,
    overlapping: usize,
}

/// The slices of a nest that are currently running, outermost first, and the rows of its depths.
#[derive(Default)]
struct OpenNest {
    ends: Vec<i64>,
    rows: Vec<u32>,
}

impl Rows {
    /// Adds a slice, in time order. Returns its row and position there.
    #[inline]
    fn push(&mut self, group: u16, slice: Slice, is_kept: bool) -> (u32, u32) {
        let group = usize::from(group);
        if group >= self.groups.len() {
            self.groups.resize_with(group + 1, GroupRows::default);
        }
        let end = slice.start.saturating_add(slice.duration);
        let number = self.groups[group].place(slice.start, end, &mut self.all);
        let row = &mut self.all[number as usize];
        let position = row.count;
        if position == 0 {
            row.begin(slice.start, is_kept);
        }
        if is_kept {
            row.slices.push(slice);
        }
        row.last_end = end;
        row.count += 1;
        self.count += 1;
        (number, u32::try_from(position).unwrap_or(u32::MAX))
    }

    /// Leaves the memory for the next track.
    fn recycle(self) {
        SPARE_ROWS.with_borrow_mut(|spare| {
            let slices = self.all.into_iter().map(|row| row.slices);
            for mut slices in slices.filter(|slices| slices.capacity() > 0) {
                if spare.len() < KEPT_ROWS {
                    slices.clear();
                    spare.push(slices);
                }
            }
            spare.sort_by_key(Vec::capacity);
        });
    }
}

impl Row {
    #[cold]
    fn begin(&mut self, start: i64, is_kept: bool) {
        self.first_start = start;
        if is_kept {
            let spare = SPARE_ROWS.with_borrow_mut(Vec::pop);
            self.slices = spare.unwrap_or_default();
        }
    }
}

fn new_row(rows: &mut Vec<Row>) -> u32 {
    rows.push(Row::default());
    u32::try_from(rows.len() - 1).unwrap_or(u32::MAX)
}

impl OpenNest {
    /// The row of a slice, unless it partially overlaps a slice of the nest.
    #[inline]
    fn place(&mut self, start: i64, end: i64, rows: &mut Vec<Row>) -> Option<u32> {
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
    fn place(&mut self, start: i64, end: i64, rows: &mut Vec<Row>) -> u32 {
        match self.first.place(start, end, rows) {
            Some(row) => row,
            None => self.place_elsewhere(start, end, rows),
        }
    }

    /// The row of a slice that overlaps one of the first nest.
    #[cold]
    fn place_elsewhere(&mut self, start: i64, end: i64, rows: &mut Vec<Row>) -> u32 {
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
    fn place_alone(&mut self, start: i64, end: i64, rows: &mut Vec<Row>) -> u32 {
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

    /// Rows nest by nest, and the range of each nest; a free row is a separate nest.
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
#[path = "nest_tests.rs"]
mod tests;
