//! Nesting: from slices in time order to nests of lanes. See [`crate::track`] for the picture.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::decode::Columns;
use crate::ids::LabelId;
use crate::track::Lane;

/// Nests tried before a slice goes to a row of its own. Real profiles need one or two.
const MAX_NESTS: usize = 16;

/// The lanes of a track and where each slice went.
pub(super) struct Nested {
    pub(super) lanes: Vec<Lane>,
    pub(super) nests: Vec<Range<u32>>,
    /// The slices were not in time order in the file.
    pub(super) was_unsorted: bool,
    /// Slices that overlap others only in part and went to a nest of their own.
    pub(super) overlapping: usize,
}

/// Sorts slices by start, longer first, and puts each into the first nest where it is contained in
/// the slices that run there or follows them all.
pub(super) fn nest(columns: &mut Columns) -> Nested {
    let was_unsorted = sort(columns);
    let count = columns.starts.len();
    let mut rows = Rows::default();
    let mut places: Vec<u16> = Vec::new();
    let mut wide_places: Vec<u32> = Vec::new();
    for index in 0..count {
        let start = columns.starts[index];
        let place = rows.place(start, start.saturating_add(columns.durations[index]));
        if wide_places.is_empty()
            && let Ok(narrow) = u16::try_from(place)
        {
            places.push(narrow);
        } else {
            if wide_places.is_empty() {
                wide_places = places.iter().map(|&narrow| u32::from(narrow)).collect();
                places = Vec::new();
            }
            wide_places.push(place);
        }
    }
    let (order, nests) = rows.display_order();
    let mut lanes: Vec<Lane> = Vec::with_capacity(rows.counts.len());
    if rows.counts.len() == 1 {
        lanes.push(whole_lane(columns));
    } else {
        lanes.extend(
            order
                .iter()
                .map(|&row| lane_with_capacity(rows.counts[row])),
        );
        let mut position_of_row = vec![0u32; order.len()];
        for (position, &row) in order.iter().enumerate() {
            position_of_row[row] = u32::try_from(position).unwrap_or(u32::MAX);
        }
        for index in 0..count {
            let row = places
                .get(index)
                .map_or_else(|| wide_places[index] as usize, |&row| row.into());
            let lane = &mut lanes[position_of_row[row] as usize];
            lane.starts.push(columns.starts[index]);
            lane.durations.push(columns.durations[index]);
            lane.labels.push(LabelId(columns.labels[index]));
            lane.events.push(columns.events[index]);
        }
    }
    Nested {
        lanes,
        nests,
        was_unsorted,
        overlapping: rows.overlapping,
    }
}

/// All slices in one lane: the columns are moved, not copied.
fn whole_lane(columns: &mut Columns) -> Lane {
    let mut lane = Lane {
        starts: std::mem::take(&mut columns.starts),
        durations: std::mem::take(&mut columns.durations),
        labels: columns.labels.iter().map(|&label| LabelId(label)).collect(),
        events: std::mem::take(&mut columns.events),
    };
    columns.labels = Vec::new();
    lane.starts.shrink_to_fit();
    lane.durations.shrink_to_fit();
    lane.events.shrink_to_fit();
    lane
}

fn lane_with_capacity(count: usize) -> Lane {
    Lane {
        starts: Vec::with_capacity(count),
        durations: Vec::with_capacity(count),
        labels: Vec::with_capacity(count),
        events: Vec::with_capacity(count),
    }
}

/// Sorts by start, then longer first, then file order. Returns whether anything moved.
fn sort(columns: &mut Columns) -> bool {
    let is_sorted = (1..columns.starts.len()).all(|index| {
        let before = (
            columns.starts[index - 1],
            Reverse(columns.durations[index - 1]),
        );
        before <= (columns.starts[index], Reverse(columns.durations[index]))
    });
    if is_sorted {
        return false;
    }
    let count = u32::try_from(columns.starts.len()).unwrap_or(u32::MAX);
    let mut order: Vec<u32> = (0..count).collect();
    order.sort_by_key(|&index| {
        let index = index as usize;
        (columns.starts[index], Reverse(columns.durations[index]))
    });
    fn permuted<T: Copy>(values: &[T], order: &[u32]) -> Vec<T> {
        order.iter().map(|&index| values[index as usize]).collect()
    }
    columns.starts = permuted(&columns.starts, &order);
    columns.durations = permuted(&columns.durations, &order);
    columns.labels = permuted(&columns.labels, &order);
    columns.events = permuted(&columns.events, &order);
    true
}

/// Rows being filled.
#[derive(Default)]
struct Rows {
    /// For each nest the ends of the slices that run at the moment, outermost first, with the rows
    /// of its depths.
    nests: Vec<OpenNest>,
    /// Rows of slices that found no nest, by their last end.
    free: BinaryHeap<Reverse<(i64, u32)>>,
    /// Slices in each row.
    counts: Vec<usize>,
    overlapping: usize,
}

#[derive(Default)]
struct OpenNest {
    ends: Vec<i64>,
    rows: Vec<u32>,
}

impl Rows {
    /// The row of a slice; slices come in time order.
    fn place(&mut self, start: i64, end: i64) -> u32 {
        for number in 0..MAX_NESTS {
            if number == self.nests.len() {
                self.nests.push(OpenNest::default());
            }
            let nest = &mut self.nests[number];
            while nest.ends.last().is_some_and(|&open| open <= start) {
                nest.ends.pop();
            }
            if nest.ends.last().is_none_or(|&open| end <= open) {
                let depth = nest.ends.len();
                nest.ends.push(end);
                self.overlapping += usize::from(number > 0);
                let row = nest.rows.get(depth).copied();
                return match row {
                    Some(row) => self.count(row),
                    None => self.new_nest_row(number),
                };
            }
        }
        self.overlapping += 1;
        let free = self
            .free
            .peek()
            .filter(|Reverse((last, _))| *last <= start)
            .copied();
        let row = match free {
            Some(Reverse((_, row))) => {
                self.free.pop();
                self.count(row)
            }
            None => self.new_row(),
        };
        self.free.push(Reverse((end, row)));
        row
    }

    fn count(&mut self, row: u32) -> u32 {
        self.counts[row as usize] += 1;
        row
    }

    fn new_row(&mut self) -> u32 {
        self.counts.push(1);
        u32::try_from(self.counts.len() - 1).unwrap_or(u32::MAX)
    }

    fn new_nest_row(&mut self, nest: usize) -> u32 {
        let row = self.new_row();
        self.nests[nest].rows.push(row);
        row
    }

    /// Rows nest by nest, and the range of each nest; a free row is a nest of its own.
    fn display_order(&self) -> (Vec<usize>, Vec<Range<u32>>) {
        let mut order = Vec::with_capacity(self.counts.len());
        let mut ranges = Vec::new();
        let mut free: Vec<u32> = self.free.iter().map(|Reverse((_, row))| *row).collect();
        free.sort_unstable();
        let nests = self.nests.iter().map(|nest| nest.rows.clone());
        for rows in nests.chain(free.into_iter().map(|row| vec![row])) {
            let first = u32::try_from(order.len()).unwrap_or(u32::MAX);
            order.extend(rows.iter().map(|&row| row as usize));
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
        let nested = nest(&mut columns(&[(0, 10), (1, 4), (4, 9), (5, 6), (10, 12)]));
        assert_eq!(
            lanes(&nested),
            [vec![(0, 10), (10, 12)], vec![(1, 4), (4, 9)], vec![(5, 6)]]
        );
        assert_eq!(nested.nests, vec![0..3]);
        assert_eq!(nested.overlapping, 0);
    }

    #[test]
    fn a_partial_overlap_opens_another_nest() {
        let nested = nest(&mut columns(&[(0, 10), (5, 15), (6, 9), (11, 14)]));
        assert_eq!(
            lanes(&nested),
            [vec![(0, 10), (11, 14)], vec![(6, 9)], vec![(5, 15)]]
        );
        assert_eq!(nested.nests, vec![0..2, 2..3]);
        assert_eq!(nested.overlapping, 1);
    }

    #[test]
    fn equal_spans_nest_in_file_order_and_longer_ones_are_parents() {
        let nested = nest(&mut columns(&[(0, 4), (0, 4), (0, 9)]));
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
            let nested = nest(&mut columns(&spans));
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
