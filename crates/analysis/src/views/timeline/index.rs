//! Summaries that keep tiles and searches fast, computed once per session, lazily and in parallel.
//!
//! ```text
//! a lane                [ 32 slices ][ 32 slices ][ 32 slices ]…
//! start of the block      ps           ps           ps
//! sum before the block    0            Σ            Σ Σ
//! longest in the block    ps, which    ps, which    ps, which
//! ```
//!
//! 28 bytes per 32 slices, so less than a byte per slice.

use std::ops::Range;
use std::sync::OnceLock;

use rayon::prelude::*;
use stepscope_model::{Lane, Session, TrackId};

use super::labels::{self, LabelTotal, position};

/// Slices per block.
const BLOCK: usize = 32;

/// Groups shorter than this are summed slice by slice, without the blocks.
pub(super) const DIRECT_GROUP: usize = 2 * BLOCK;

/// Summaries of one session, owned by the owner of the session. Cheap to create; filled on demand.
pub struct TimelineIndex {
    lanes: Vec<Vec<OnceLock<LaneIndex>>>,
    label_totals: OnceLock<Vec<LabelTotal>>,
    op_texts: OnceLock<Vec<String>>,
}

impl TimelineIndex {
    /// An empty index. It must only be used with this session.
    pub fn new(session: &Session) -> Self {
        let lanes = session
            .tracks
            .iter()
            .map(|track| track.lanes.iter().map(|_| OnceLock::new()).collect())
            .collect();
        Self {
            lanes,
            label_totals: OnceLock::new(),
            op_texts: OnceLock::new(),
        }
    }

    /// Computes everything that tiles and searches would otherwise compute on first use; with many
    /// hosts only what does not keep the slices of all of them in memory.
    pub fn fill(&self, session: &Session) {
        if session.has_many_hosts() {
            self.op_texts(session);
            return;
        }
        let all: Vec<_> = self.lanes.iter().zip(&session.tracks).collect();
        all.into_par_iter().for_each(|(cells, track)| {
            for (cell, lane) in cells.iter().zip(&track.lanes) {
                if lane.len() >= DIRECT_GROUP {
                    cell.get_or_init(|| LaneIndex::new(lane));
                }
            }
        });
        self.label_totals(session);
        self.op_texts(session);
    }

    /// Bytes held by the summaries of lanes.
    pub fn size_bytes(&self) -> usize {
        let filled = self.lanes.iter().flatten().filter_map(OnceLock::get);
        filled.map(LaneIndex::size_bytes).sum()
    }

    /// The cell of one lane; none for a lane that is not in the session.
    pub(super) fn cell(&self, track: TrackId, lane: usize) -> Option<&OnceLock<LaneIndex>> {
        self.lanes.get(track.index())?.get(lane)
    }

    /// Occurrences and total time of every label.
    pub(super) fn label_totals(&self, session: &Session) -> &[LabelTotal] {
        self.label_totals
            .get_or_init(|| labels::label_totals(session))
    }

    /// The text of every op that a search examines in addition to its name.
    pub(super) fn op_texts(&self, session: &Session) -> &[String] {
        self.op_texts.get_or_init(|| labels::op_texts(session))
    }
}

/// Block summaries of one lane, as columns. A zoomed-out tile scans them in order and examines
/// individual slices only at the edges of pixels.
pub(super) struct LaneIndex {
    /// Start of the first slice of each block.
    starts: Vec<i64>,
    /// Sum of the durations before each block, and of all at the end.
    sums_before: Vec<i64>,
    /// Longest duration of each block.
    longest_ps: Vec<i64>,
    /// The first slice of that duration.
    longest: Vec<u32>,
}

impl LaneIndex {
    pub(super) fn new(lane: &Lane) -> Self {
        let block_count = lane.len().div_ceil(BLOCK);
        let mut index = Self {
            starts: lane.starts().iter().copied().step_by(BLOCK).collect(),
            sums_before: Vec::with_capacity(block_count + 1),
            longest_ps: Vec::with_capacity(block_count),
            longest: Vec::with_capacity(block_count),
        };
        let mut sum = 0i64;
        for (block, durations) in lane.durations().chunks(BLOCK).enumerate() {
            index.sums_before.push(sum);
            let summary = Summary::of(durations);
            sum = sum.wrapping_add(summary.sum);
            index.longest_ps.push(summary.longest_ps);
            let longest = block * BLOCK + summary.first_longest(durations);
            index.longest.push(position(longest));
        }
        index.sums_before.push(sum);
        index
    }

    /// For each instant, the first slice of the range that starts at or after it, or the end of the
    /// range. Instants must be sorted.
    ///
    /// The block to search follows from the blocks alone, so the processor can fetch slices for
    /// several instants in parallel. Counting reads a whole block, while a binary search would wait
    /// for memory at each step.
    pub(super) fn first_from_each(
        &self,
        lane: &Lane,
        range: Range<usize>,
        instants: &[i64],
    ) -> Vec<usize> {
        let (blocks, rest) = lane.starts().as_chunks::<BLOCK>();
        let mut next = range.start / BLOCK + 1;
        let first_from = |&instant: &i64| {
            next = gallop(&self.starts, next, self.starts.len(), instant);
            let before = match blocks.get(next - 1) {
                Some(block) => block.iter().filter(|&&start| start < instant).count(),
                None => rest.iter().filter(|&&start| start < instant).count(),
            };
            ((next - 1) * BLOCK + before).clamp(range.start, range.end)
        };
        instants.iter().map(first_from).collect()
    }

    /// Sum of the durations in a range of the lane, and its longest slice (the first one on a tie).
    /// Uses whole blocks where possible.
    pub(super) fn summary(&self, lane: &Lane, range: Range<usize>) -> (i64, usize) {
        let first_block = range.start.div_ceil(BLOCK);
        let end_block = range.end / BLOCK;
        if first_block >= end_block {
            return direct_summary(lane, range);
        }
        let head = range.start..first_block * BLOCK;
        let tail = end_block * BLOCK..range.end;
        let head_summary = Summary::of(&lane.durations()[head.clone()]);
        let tail_summary = Summary::of(&lane.durations()[tail.clone()]);
        let blocks = Summary::of(&self.longest_ps[first_block..end_block]);
        let blocks_sum = self.sums_before[end_block].wrapping_sub(self.sums_before[first_block]);
        let sum = head_summary
            .sum
            .wrapping_add(blocks_sum)
            .wrapping_add(tail_summary.sum);
        let longest_ps = head_summary
            .longest_ps
            .max(blocks.longest_ps)
            .max(tail_summary.longest_ps);
        let longest = if head_summary.longest_ps == longest_ps {
            head.start + head_summary.first_longest(&lane.durations()[head])
        } else if blocks.longest_ps == longest_ps {
            let block = blocks.first_longest(&self.longest_ps[first_block..end_block]);
            self.longest[first_block + block] as usize
        } else {
            tail.start + tail_summary.first_longest(&lane.durations()[tail])
        };
        (sum, longest)
    }

    fn size_bytes(&self) -> usize {
        let times = self.starts.len() + self.sums_before.len() + self.longest_ps.len();
        times * 8 + self.longest.len() * 4
    }
}

/// The same as [`LaneIndex::summary`], slice by slice. The range is not empty.
pub(super) fn direct_summary(lane: &Lane, range: Range<usize>) -> (i64, usize) {
    let durations = &lane.durations()[range.clone()];
    let summary = Summary::of(durations);
    (summary.sum, range.start + summary.first_longest(durations))
}

/// Sum and longest of some durations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Summary {
    sum: i64,
    /// -1 if there are no durations.
    longest_ps: i64,
}

impl Summary {
    /// Slices of a lane do not overlap, so their sum does not overflow.
    fn of(durations: &[i64]) -> Self {
        // Four at a time, so that one comparison does not wait for the last.
        let mut sums = [0i64; 4];
        let mut longest = [-1i64; 4];
        let (fours, rest) = durations.as_chunks::<4>();
        for four in fours {
            for lane in 0..4 {
                sums[lane] = sums[lane].wrapping_add(four[lane]);
                longest[lane] = longest[lane].max(four[lane]);
            }
        }
        for &duration in rest {
            sums[0] = sums[0].wrapping_add(duration);
            longest[0] = longest[0].max(duration);
        }
        Self {
            sum: sums.into_iter().fold(0, i64::wrapping_add),
            longest_ps: longest.into_iter().fold(-1, i64::max),
        }
    }

    /// Position of the longest duration, the first one on a tie.
    fn first_longest(self, durations: &[i64]) -> usize {
        let found = durations.iter().position(|&ps| ps == self.longest_ps);
        found.unwrap_or(0)
    }
}

/// The first position in `first..end` whose value is not below `bound`, or `end`. Fast if it is near
/// `first`.
pub(super) fn gallop(sorted: &[i64], first: usize, end: usize, bound: i64) -> usize {
    let mut low = first;
    let mut step = 1;
    while low + step <= end && sorted[low + step - 1] < bound {
        low += step;
        step *= 2;
    }
    let high = (low + step - 1).min(end);
    low + sorted[low..high].partition_point(|&value| value < bound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use stepscope_model::LabelId;

    fn lane_of(durations: &[i64]) -> Lane {
        let mut end = 0;
        let starts = durations.iter().map(|duration| {
            end += duration;
            end - duration
        });
        let starts: Vec<i64> = starts.collect();
        let events: Vec<u32> = (0..).take(starts.len()).collect();
        let labels: Vec<LabelId> = events.iter().copied().map(LabelId).collect();
        Lane::from_columns(&starts, durations, &labels, &events)
    }

    proptest! {
        #[test]
        fn blocks_answer_like_slices(
            durations in prop::collection::vec(0i64..50, 1..700),
            ends in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
        ) {
            let lane = lane_of(&durations);
            let (a, b) = (ends.0.index(lane.len() + 1), ends.1.index(lane.len() + 1));
            let range = a.min(b)..a.max(b);
            let index = LaneIndex::new(&lane);
            if !range.is_empty() {
                let instants = [0, 1, 100, 100, 1000, 10_000];
                let found = index.first_from_each(&lane, range.clone(), &instants);
                let gallop = |&instant| gallop(lane.starts(), range.start, range.end, instant);
                prop_assert_eq!(found, instants.iter().map(gallop).collect::<Vec<_>>());
                let sum: i64 = lane.durations()[range.clone()].iter().sum();
                let longest = range.clone().rev().max_by_key(|&slice| lane.durations()[slice]);
                let expected = (sum, longest.expect("the range is not empty"));
                prop_assert_eq!(index.summary(&lane, range.clone()), expected);
                prop_assert_eq!(direct_summary(&lane, range), expected);
            }
        }
    }
}
