//! Statistics of an area: a window of time on some tracks.

use rayon::prelude::*;
use stepscope_model::{Class, Session, Span, TrackId};

use super::area_counters::counters;
pub use super::area_keys::AreaKey;
use super::area_keys::Keys;
use super::area_report::{AreaReport, AreaRow};
use super::area_slices::{AreaSlice, add_up, most_sums, slice_count};

/// Bytes of memory that an answer needs at most, without making it: the durations of all its slices
/// are held, in vectors that grow by doubling; beside them the members of every possible row, of each
/// thread, and the names of rows twice.
pub fn most_bytes(session: &Session, window: Span, tracks: &[TrackId]) -> u64 {
    let slices = slice_count(session, window, tracks);
    let (rows, name_bytes) = Keys::most(session);
    let members = size_of::<Members>().saturating_mul(rows);
    let members = members.saturating_mul(most_sums(session, tracks));
    let rest = 2 * (size_of::<i64>() * slices + name_bytes) + size_of::<AreaRow>() * rows;
    members.saturating_add(rest) as u64
}

/// Statistics of the slices that overlap the window. Totals are clipped to it; the other statistics
/// are of whole slices, so that they are the same wherever the window ends. Tracks that are not in the
/// session are ignored. At most `limit` rows, 0 for all.
pub fn area(
    session: &Session,
    window: Span,
    tracks: &[TrackId],
    by: AreaKey,
    limit: usize,
) -> AreaReport {
    let keys = Keys::new(session, by);
    let empty = || vec![Members::default(); keys.names.len()];
    let add = |members: &mut Vec<Members>, slice: AreaSlice| {
        let key = keys.key(slice.track, slice.label, slice.start_ps);
        members[key].add(slice, session.label(slice.label).class);
    };
    let join = |mut members: Vec<Members>, others: Vec<Members>| {
        for (member, other) in members.iter_mut().zip(others) {
            member.join(other);
        }
        members
    };
    let members = add_up(session, window, tracks, empty, add, join);
    let length_ps = window.duration().0 as f64;
    let mut rows: Vec<AreaRow> = keys
        .names
        .par_iter()
        .zip(members)
        .filter_map(|(name, members)| members.row(name, length_ps))
        .collect();
    rows.sort_by(|a, b| b.total_ps.cmp(&a.total_ps).then_with(|| a.key.cmp(&b.key)));
    let row_count = rows.len();
    let count = rows.iter().map(|row| row.count).sum();
    if limit > 0 {
        rows.truncate(limit);
    }
    let (counters, counter_count) = counters(session, window, tracks);
    AreaReport {
        start_ps: window.start.0,
        end_ps: window.end.0,
        slice_count: count,
        rows,
        row_count,
        counters,
        counter_count,
    }
}

/// Slices of one row.
#[derive(Clone, Default)]
struct Members {
    /// Of whole slices.
    durations: Vec<i64>,
    /// Within the window.
    total_ps: i64,
    self_ps: i64,
    /// Class of the first slice on the first track.
    class: Option<(TrackId, usize, Class)>,
}

impl Members {
    fn add(&mut self, slice: AreaSlice, class: Class) {
        self.durations.push(slice.duration_ps);
        self.total_ps = self.total_ps.saturating_add(slice.total_ps);
        self.self_ps = self.self_ps.saturating_add(slice.self_ps);
        self.class.get_or_insert((slice.track, slice.lane, class));
    }

    fn join(&mut self, mut other: Self) {
        if self.durations.len() < other.durations.len() {
            std::mem::swap(&mut self.durations, &mut other.durations);
        }
        self.durations.append(&mut other.durations);
        self.total_ps = self.total_ps.saturating_add(other.total_ps);
        self.self_ps = self.self_ps.saturating_add(other.self_ps);
        let first = |a: &(TrackId, usize, Class)| (a.0, a.1);
        self.class = self.class.into_iter().chain(other.class).min_by_key(first);
    }

    fn row(mut self, key: &str, length_ps: f64) -> Option<AreaRow> {
        let (_, _, class) = self.class?;
        let count = self.durations.len();
        let durations = self.durations.iter().copied();
        let total_ps = self.total_ps;
        let whole_ps = durations.clone().fold(0, i64::saturating_add);
        let (min_ps, max_ps) = (durations.clone().min()?, durations.max()?);
        Some(AreaRow {
            key: key.to_owned(),
            class: class.name().to_owned(),
            count: i64::try_from(count).unwrap_or(i64::MAX),
            total_ps,
            self_ps: self.self_ps,
            min_ps,
            p50_ps: nearest_rank(&mut self.durations, 50),
            mean_ps: whole_ps as f64 / count as f64,
            p95_ps: nearest_rank(&mut self.durations, 95),
            max_ps,
            window_ratio: if length_ps > 0.0 {
                total_ps as f64 / length_ps
            } else {
                0.0
            },
        })
    }
}

/// The smallest value that at least `percent` % of the values do not exceed.
fn nearest_rank(values: &mut [i64], percent: usize) -> i64 {
    let rank = (values.len() * percent).div_ceil(100).max(1);
    *values.select_nth_unstable(rank - 1).1
}

#[cfg(test)]
#[path = "area_tests.rs"]
mod tests;
