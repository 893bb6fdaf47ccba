//! What is computed once per session so that tiles and searches stay fast, lazily and in parallel.
//!
//! ```text
//! durations of a lane   [ 64 slices ][ 64 slices ][ 64 slices ]…
//! sum before the block    0            Σ            Σ Σ           one i64 per block
//! longest in the block    (ps, index)  (ps, index)  (ps, index)   12 bytes per block
//! ```
//!
//! Twenty bytes per 64 slices, so a third of a byte per slice.

use std::ops::Range;
use std::sync::OnceLock;

use rayon::prelude::*;
use stepscope_model::{Lane, Session, TrackId};

use super::search::{self, LabelTotal};

/// Slices per block.
const BLOCK: usize = 64;

/// Groups shorter than this are summed slice by slice, without the blocks.
pub(super) const DIRECT_GROUP: usize = 4 * BLOCK;

/// Summaries of one session, owned by whoever holds the session. Cheap to make; filled on demand.
pub struct TimelineIndex {
    lanes: Vec<Vec<OnceLock<LaneIndex>>>,
    label_totals: OnceLock<Vec<LabelTotal>>,
    op_texts: OnceLock<Vec<String>>,
}

impl TimelineIndex {
    /// An index with nothing in it yet. It must be used with this session only.
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

    /// Computes everything that tiles and searches would compute on first need.
    pub fn fill(&self, session: &Session) {
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
        filled
            .map(|index| index.sums_before.len() * 8 + index.longest.len() * 12)
            .sum()
    }

    /// The cell of one lane; none for a lane that the session has not.
    pub(super) fn cell(&self, track: TrackId, lane: usize) -> Option<&OnceLock<LaneIndex>> {
        self.lanes.get(track.index())?.get(lane)
    }

    /// Occurrences and total time of every label.
    pub(super) fn label_totals(&self, session: &Session) -> &[LabelTotal] {
        self.label_totals
            .get_or_init(|| search::label_totals(session))
    }

    /// What a search looks at in every op beside its name.
    pub(super) fn op_texts(&self, session: &Session) -> &[String] {
        self.op_texts.get_or_init(|| search::op_texts(session))
    }
}

/// Block summaries of one lane.
pub(super) struct LaneIndex {
    /// Sum of the durations before each block, and of all at the end.
    sums_before: Vec<i64>,
    /// Longest duration of each block, and the first slice that has it.
    longest: Vec<(i64, u32)>,
}

impl LaneIndex {
    pub(super) fn new(lane: &Lane) -> Self {
        let block_count = lane.len().div_ceil(BLOCK);
        let mut sums_before = Vec::with_capacity(block_count + 1);
        let mut longest = Vec::with_capacity(block_count);
        let mut sum = 0i64;
        for (block, durations) in lane.durations.chunks(BLOCK).enumerate() {
            sums_before.push(sum);
            let summary = Summary::of(durations, block * BLOCK);
            sum = sum.saturating_add(summary.sum);
            longest.push((summary.longest_ps, position(summary.longest)));
        }
        sums_before.push(sum);
        Self {
            sums_before,
            longest,
        }
    }

    /// The same as [`Summary::of`] for a range of the lane, by whole blocks where it can.
    pub(super) fn summary(&self, lane: &Lane, range: Range<usize>) -> Summary {
        let first_block = range.start.div_ceil(BLOCK);
        let end_block = range.end / BLOCK;
        if first_block >= end_block {
            return Summary::of(&lane.durations[range.clone()], range.start);
        }
        let head = range.start..first_block * BLOCK;
        let tail = end_block * BLOCK..range.end;
        let mut summary = Summary::of(&lane.durations[head.clone()], head.start);
        for &(longest_ps, longest) in &self.longest[first_block..end_block] {
            if longest_ps > summary.longest_ps {
                summary.longest_ps = longest_ps;
                summary.longest = longest as usize;
            }
        }
        let blocks = self.sums_before[end_block] - self.sums_before[first_block];
        summary.sum = summary.sum.saturating_add(blocks);
        summary.join(&Summary::of(&lane.durations[tail.clone()], tail.start))
    }
}

/// Sum and longest of a run of slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) sum: i64,
    pub(super) longest_ps: i64,
    /// The first slice of that duration.
    pub(super) longest: usize,
}

impl Summary {
    /// Slice by slice; `first` is the position of the first one in the lane.
    pub(super) fn of(durations: &[i64], first: usize) -> Self {
        let mut summary = Self {
            sum: 0,
            longest_ps: -1,
            longest: first,
        };
        for (offset, &duration) in durations.iter().enumerate() {
            summary.sum = summary.sum.saturating_add(duration);
            if duration > summary.longest_ps {
                summary.longest_ps = duration;
                summary.longest = first + offset;
            }
        }
        summary
    }

    fn join(mut self, later: &Self) -> Self {
        self.sum = self.sum.saturating_add(later.sum);
        if later.longest_ps > self.longest_ps {
            self.longest_ps = later.longest_ps;
            self.longest = later.longest;
        }
        self
    }
}

/// A position in a lane as it travels; lanes hold fewer than 2^32 slices.
pub(super) fn position(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use stepscope_model::LabelId;

    use super::*;

    fn lane_of(durations: Vec<i64>) -> Lane {
        let mut start = 0;
        let mut lane = Lane::default();
        for duration in durations {
            lane.starts.push(start);
            lane.durations.push(duration);
            lane.labels.push(LabelId(0));
            lane.events.push(0);
            start += duration;
        }
        lane
    }

    proptest! {
        #[test]
        fn blocks_answer_like_slices(
            durations in prop::collection::vec(0i64..50, 1..700),
            ends in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
        ) {
            let lane = lane_of(durations);
            let (a, b) = (ends.0.index(lane.len() + 1), ends.1.index(lane.len() + 1));
            let range = a.min(b)..a.max(b);
            let expected = Summary::of(&lane.durations[range.clone()], range.start);
            prop_assert_eq!(LaneIndex::new(&lane).summary(&lane, range), expected);
        }
    }
}
