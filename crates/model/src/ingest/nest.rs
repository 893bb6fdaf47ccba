//! Nesting: from slices in time order to nests of lanes. See [`crate::track`] for the picture.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::decode::Columns;
use crate::ids::LabelId;
use crate::track::Lane;

/// Nests tried before a slice goes to a row of its own. Real profiles need one or two.
const MAX_NESTS: usize = 16;

/// The lanes of one group of slices.
pub(super) struct Nested {
    pub(super) lanes: Vec<Lane>,
    pub(super) nests: Vec<Range<u32>>,
    /// The slices were not in time order in the file.
    pub(super) was_unsorted: bool,
    /// Slices that overlap others only in part and went to a nest of their own.
    pub(super) overlapping: usize,
}

/// All groups of a track, and where the slices that were asked for went.
pub(super) struct NestedGroups {
    pub(super) groups: Vec<Nested>,
    /// In the order they were asked for.
    pub(super) places: Vec<Place>,
}

/// Where a slice went within its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) lane: u32,
    pub(super) index: u32,
}

/// Nests slices that form one group.
pub(super) fn nest_all(mut columns: Columns) -> Nested {
    columns.groups = vec![0; columns.starts.len()];
    let empty = Nested {
        lanes: Vec::new(),
        nests: Vec::new(),
        was_unsorted: false,
        overlapping: 0,
    };
    nest(&mut columns, 1, &[])
        .groups
        .into_iter()
        .next()
        .unwrap_or(empty)
}

/// Sorts slices by start, longer first, and puts each into the first nest of its group where it is
/// contained in the slices that run there or follows them all. `wanted` are positions in `columns`
/// whose places are asked for, ascending.
///
/// Two passes: the first finds every slice's row, the second copies columns into lanes of exactly
/// the right size.
pub(super) fn nest(columns: &mut Columns, group_count: usize, wanted: &[u32]) -> NestedGroups {
    let order = sort(columns);
    let mut rows = Rows {
        groups: Vec::new(),
        counts: Vec::new(),
    };
    rows.groups.resize_with(group_count, GroupRows::default);
    let slices = columns
        .starts
        .iter()
        .zip(&columns.durations)
        .zip(&columns.groups);
    let row_of: Vec<u32> = slices
        .map(|((&start, &duration), &group)| {
            rows.place(usize::from(group), start, start.saturating_add(duration))
        })
        .collect();
    let places = places(&row_of, rows.counts.len(), order.as_deref(), wanted);
    let mut lanes = scatter(columns, &row_of, &rows.counts);
    let mut lane_of_row = vec![0u32; rows.counts.len()];
    let groups = rows.groups.iter().map(|group| {
        let (order, nests) = group.display_order();
        for (position, &row) in (0u32..).zip(&order) {
            lane_of_row[row as usize] = position;
        }
        let lanes = order
            .iter()
            .map(|&row| std::mem::take(&mut lanes[row as usize]))
            .collect();
        let overlapping = group.overlapping;
        Nested {
            lanes,
            nests,
            was_unsorted: false,
            overlapping,
        }
    });
    let mut groups: Vec<Nested> = groups.collect();
    if order.is_some()
        && let Some(first) = groups.first_mut()
    {
        first.was_unsorted = true;
    }
    let places = places.into_iter();
    let places = places.map(|(row, index)| Place {
        lane: lane_of_row[row as usize],
        index,
    });
    NestedGroups {
        groups,
        places: places.collect(),
    }
}

/// Row and position in it of each wanted slice.
fn places(
    row_of: &[u32],
    row_count: usize,
    order: Option<&[u32]>,
    wanted: &[u32],
) -> Vec<(u32, u32)> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut found = vec![(0, 0); wanted.len()];
    let mut filled = vec![0u32; row_count];
    // Wanted positions ascend, with repeats, in file order; `order` tells where they went.
    let mut next_wanted: Vec<u32> = Vec::new();
    if let Some(order) = order {
        let mut first_use = vec![u32::MAX; row_of.len()];
        for (use_number, &slice) in wanted.iter().enumerate().rev() {
            first_use[slice as usize] = u32::try_from(use_number).unwrap_or(u32::MAX);
        }
        next_wanted = order
            .iter()
            .map(|&slice| first_use[slice as usize])
            .collect();
    }
    let mut cursor = 0;
    for (index, &row) in row_of.iter().enumerate() {
        let position = filled[row as usize];
        filled[row as usize] += 1;
        let mut use_number = match order {
            Some(_) => next_wanted[index] as usize,
            None => cursor,
        };
        let slice = order.map_or(index, |order| order[index] as usize);
        while wanted
            .get(use_number)
            .is_some_and(|&wanted| wanted as usize == slice)
        {
            found[use_number] = (row, position);
            use_number += 1;
        }
        cursor = use_number.min(wanted.len());
    }
    found
}

/// Copies columns into one lane a row.
fn scatter(columns: &Columns, row_of: &[u32], counts: &[usize]) -> Vec<Lane> {
    let mut lanes: Vec<Lane> = counts
        .iter()
        .map(|&count| lane_with_capacity(count))
        .collect();
    for (index, &row) in row_of.iter().enumerate() {
        let lane = &mut lanes[row as usize];
        lane.starts.push(columns.starts[index]);
        lane.durations.push(columns.durations[index]);
        lane.labels.push(LabelId(columns.labels[index]));
        lane.events.push(columns.events[index]);
    }
    lanes
}

fn lane_with_capacity(count: usize) -> Lane {
    Lane {
        starts: Vec::with_capacity(count),
        durations: Vec::with_capacity(count),
        labels: Vec::with_capacity(count),
        events: Vec::with_capacity(count),
    }
}

/// Sorts by start, then longer first, then file order. Returns where slices came from when any moved.
fn sort(columns: &mut Columns) -> Option<Vec<u32>> {
    fn permuted<T: Copy>(values: &[T], order: &[u32]) -> Vec<T> {
        order.iter().map(|&index| values[index as usize]).collect()
    }
    let is_sorted = (1..columns.starts.len()).all(|index| {
        let (before, start) = (columns.starts[index - 1], columns.starts[index]);
        before < start
            || (before == start && columns.durations[index - 1] >= columns.durations[index])
    });
    if is_sorted {
        return None;
    }
    let count = u32::try_from(columns.starts.len()).unwrap_or(u32::MAX);
    let mut order: Vec<u32> = (0..count).collect();
    order.sort_by_key(|&index| {
        let index = index as usize;
        (columns.starts[index], Reverse(columns.durations[index]))
    });
    columns.starts = permuted(&columns.starts, &order);
    columns.durations = permuted(&columns.durations, &order);
    columns.labels = permuted(&columns.labels, &order);
    columns.events = permuted(&columns.events, &order);
    columns.groups = permuted(&columns.groups, &order);
    Some(order)
}

/// Rows of all groups being filled; a row is numbered over all groups.
struct Rows {
    groups: Vec<GroupRows>,
    /// Slices in each row.
    counts: Vec<usize>,
}

/// Rows of one group.
#[derive(Default)]
struct GroupRows {
    /// For each nest the slices that run at the moment, outermost first, and the rows of its depths.
    nests: Vec<OpenNest>,
    /// Rows of slices that found no nest, by their last end.
    free: BinaryHeap<Reverse<(i64, u32)>>,
    overlapping: usize,
}

#[derive(Default)]
struct OpenNest {
    ends: Vec<i64>,
    rows: Vec<u32>,
}

impl Rows {
    /// The row of a slice; slices come in time order.
    #[inline]
    fn place(&mut self, group: usize, start: i64, end: i64) -> u32 {
        let group = &mut self.groups[group];
        for number in 0..MAX_NESTS {
            if number == group.nests.len() {
                group.nests.push(OpenNest::default());
            }
            let nest = &mut group.nests[number];
            while nest.ends.last().is_some_and(|&open| open <= start) {
                nest.ends.pop();
            }
            if nest.ends.last().is_none_or(|&open| end <= open) {
                let depth = nest.ends.len();
                nest.ends.push(end);
                group.overlapping += usize::from(number > 0);
                if let Some(&row) = nest.rows.get(depth) {
                    self.counts[row as usize] += 1;
                    return row;
                }
                let row = new_row(&mut self.counts);
                nest.rows.push(row);
                return row;
            }
        }
        group.overlapping += 1;
        let free = group
            .free
            .peek()
            .filter(|Reverse((last, _))| *last <= start)
            .copied();
        let row = match free {
            Some(Reverse((_, row))) => {
                group.free.pop();
                self.counts[row as usize] += 1;
                row
            }
            None => new_row(&mut self.counts),
        };
        group.free.push(Reverse((end, row)));
        row
    }
}

fn new_row(counts: &mut Vec<usize>) -> u32 {
    counts.push(1);
    u32::try_from(counts.len() - 1).unwrap_or(u32::MAX)
}

impl GroupRows {
    /// Rows nest by nest, and the range of each nest; a free row is a nest of its own.
    fn display_order(&self) -> (Vec<u32>, Vec<Range<u32>>) {
        let mut order = Vec::new();
        let mut ranges = Vec::new();
        let mut free: Vec<u32> = self.free.iter().map(|Reverse((_, row))| *row).collect();
        free.sort_unstable();
        let nests = self.nests.iter().map(|nest| nest.rows.clone());
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

    fn columns(spans: &[(i64, i64)]) -> Columns {
        Columns {
            starts: spans.iter().map(|span| span.0).collect(),
            durations: spans.iter().map(|span| span.1 - span.0).collect(),
            labels: vec![0; spans.len()],
            events: (0..u32::try_from(spans.len()).unwrap()).collect(),
            groups: Vec::new(),
        }
    }

    fn lanes(nested: &Nested) -> Vec<Vec<(i64, i64)>> {
        nested
            .lanes
            .iter()
            .map(|lane| {
                (0..lane.len())
                    .map(|i| (lane.starts[i], lane.end(i)))
                    .collect()
            })
            .collect()
    }

    #[test]
    fn contained_slices_go_one_lane_down() {
        let nested = nest_all(columns(&[(0, 10), (1, 4), (4, 9), (5, 6), (10, 12)]));
        assert_eq!(
            lanes(&nested),
            [vec![(0, 10), (10, 12)], vec![(1, 4), (4, 9)], vec![(5, 6)]]
        );
        assert_eq!(nested.nests, vec![0..3]);
        assert_eq!(nested.overlapping, 0);
    }

    #[test]
    fn a_partial_overlap_opens_another_nest() {
        let nested = nest_all(columns(&[(0, 10), (5, 15), (6, 9), (11, 14)]));
        assert_eq!(
            lanes(&nested),
            [vec![(0, 10), (11, 14)], vec![(6, 9)], vec![(5, 15)]]
        );
        assert_eq!(nested.nests, vec![0..2, 2..3]);
        assert_eq!(nested.overlapping, 1);
    }

    #[test]
    fn equal_spans_nest_in_file_order_and_longer_ones_are_parents() {
        let nested = nest_all(columns(&[(0, 4), (0, 4), (0, 9)]));
        assert!(nested.was_unsorted);
        assert_eq!(lanes(&nested), [vec![(0, 9)], vec![(0, 4)], vec![(0, 4)]]);
        assert_eq!(nested.lanes[1].events, [0]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_lanes_never_overlap(
            spans in prop::collection::vec((0i64..200, 0i64..60), 0..200),
        ) {
            let spans: Vec<_> = spans.iter().map(|&(start, length)| (start, start + length)).collect();
            let nested = nest_all(columns(&spans));
            let mut found: Vec<_> = lanes(&nested).concat();
            for lane in lanes(&nested) {
                for pair in lane.windows(2) {
                    prop_assert!(pair[0].1 <= pair[1].0);
                }
            }
            for range in &nested.nests {
                for lane in range.start + 1..range.end {
                    let parents = &lanes(&nested)[lane as usize - 1];
                    for child in &lanes(&nested)[lane as usize] {
                        let holders = parents.iter().filter(|p| p.0 <= child.0 && child.1 <= p.1);
                        prop_assert!(holders.count() >= 1);
                    }
                }
            }
            let mut expected = spans;
            expected.sort_unstable();
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
