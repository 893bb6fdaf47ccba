//! All slices of one name: how long they are, and those around a moment.

use rayon::prelude::*;
use stepscope_model::{Lane, Session, SliceId, TrackId};

use super::labels::{all_lanes, position};
use super::search::search_slice;
use super::slice_report::{OccurrenceBar, OccurrencesReport};

/// Bars of the histogram.
const BAR_COUNT: usize = 48;

/// Durations that span more than this factor are divided by ratio.
const WIDE_FACTOR: f64 = 30.0;

/// What is asked about the slices of a name.
#[derive(Debug, Clone, Copy)]
pub struct Around {
    /// The moment around which slices are listed.
    pub start_ps: i64,
    /// The duration that is compared with all.
    pub duration_ps: i64,
    /// Slices that are listed at most: half of them from before the moment, if there are so many.
    pub limit: usize,
}

/// All slices with exactly this name, on all tracks.
pub fn occurrences(session: &Session, name: &str, around: Around) -> OccurrencesReport {
    let is_named: Vec<bool> = session
        .labels
        .par_iter()
        .map(|label| session.text(label.name) == name)
        .collect();
    let found = all_lanes(session)
        .into_par_iter()
        .map(|lane| Found::in_lane(&is_named, lane, around))
        .reduce(Found::default, |one, other| one.and(other, around.limit));
    report(session, found, around)
}

/// The slices of a name in one lane or in several.
#[derive(Default)]
struct Found {
    durations: Vec<i64>,
    /// How many begin before the moment.
    before_count: i64,
    /// The last of them with their starts, and the first of the others.
    before: Vec<(i64, SliceId)>,
    after: Vec<(i64, SliceId)>,
}

impl Found {
    fn in_lane(is_named: &[bool], lane: (TrackId, u32, Lane), around: Around) -> Self {
        let (track, number, lane) = lane;
        let matching = lane.labels().iter().enumerate();
        let all: Vec<usize> = matching
            .filter(|(_, label)| is_named[label.index()])
            .map(|(index, _)| index)
            .collect();
        let split = all.partition_point(|&index| lane.starts()[index] < around.start_ps);
        let (before, after) = all.split_at(split);
        let listed = |indices: &[usize]| -> Vec<(i64, SliceId)> {
            let slices = indices.iter().map(|&index| {
                let lane_index = position(index);
                let slice = SliceId {
                    track,
                    lane: number,
                    index: lane_index,
                };
                (lane.starts()[index], slice)
            });
            slices.collect()
        };
        Self {
            durations: all.iter().map(|&index| lane.durations()[index]).collect(),
            before_count: count(before.len()),
            before: listed(&before[before.len().saturating_sub(around.limit)..]),
            after: listed(&after[..after.len().min(around.limit)]),
        }
    }

    /// Those of both, each side sorted by time and cut to the limit.
    fn and(mut self, mut other: Self, limit: usize) -> Self {
        self.durations.append(&mut other.durations);
        self.before_count += other.before_count;
        self.before.append(&mut other.before);
        self.before.sort_unstable();
        self.before.drain(..self.before.len().saturating_sub(limit));
        self.after.append(&mut other.after);
        self.after.sort_unstable();
        self.after.truncate(limit);
        self
    }
}

fn report(session: &Session, mut found: Found, around: Around) -> OccurrencesReport {
    // One side may have fewer than its half; the other one then has more.
    let half = around.limit / 2;
    let after = around.limit - half.min(found.before.len());
    found.after.truncate(after);
    let before = around.limit - found.after.len();
    found
        .before
        .drain(..found.before.len().saturating_sub(before));
    let durations = &mut found.durations;
    durations.par_sort_unstable();
    let first_position = found.before_count - count(found.before.len());
    OccurrencesReport {
        slice_count: count(durations.len()),
        median_ps: percentile(durations, 50),
        p95_ps: percentile(durations, 95),
        shorter_count: count(durations.partition_point(|&ps| ps < around.duration_ps)),
        bars: histogram(durations),
        first_position,
        slices: (found.before.into_iter().chain(found.after))
            .map(|(start, slice)| search_slice(session, start, slice))
            .collect(),
    }
}

/// The nearest-rank percentile of sorted durations; 0 without any.
fn percentile(sorted: &[i64], percent: usize) -> i64 {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0)
}

/// Sorted durations in bars of equal width from the shortest to the longest, or of equal ratio if they
/// span a large factor.
fn histogram(sorted: &[i64]) -> Vec<OccurrenceBar> {
    let (Some(&least), Some(&most)) = (sorted.first(), sorted.last()) else {
        return Vec::new();
    };
    let (least, most) = (least as f64, most as f64);
    let is_wide = least > 0.0 && most / least > WIDE_FACTOR;
    let edge = |bar: usize| {
        let share = bar as f64 / BAR_COUNT as f64;
        if is_wide {
            least * (most / least).powf(share)
        } else {
            least + (most - least) * share
        }
    };
    let mut begin = 0;
    (0..BAR_COUNT)
        .map(|bar| {
            let to_ps = edge(bar + 1);
            // The last one has both its ends.
            let end = if bar + 1 == BAR_COUNT {
                sorted.len()
            } else {
                sorted.partition_point(|&ps| (ps as f64) < to_ps)
            };
            let bar = OccurrenceBar {
                from_ps: edge(bar),
                to_ps,
                slice_count: count(end - begin),
            };
            begin = end;
            bar
        })
        .collect()
}

fn count(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
#[path = "occurrences_tests.rs"]
mod tests;
