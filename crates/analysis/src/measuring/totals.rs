//! Time by label, from one pass over the work lanes. All analyses of ops build on it.

use std::sync::Arc;

use rayon::prelude::*;
use stepscope_model::{DeviceId, LabelId, Session, Span, Track, TrackId, TrackRole};

use crate::measuring::interval::Intervals;
use crate::measuring::selection::Selected;
use crate::measuring::work::positions_by;

/// How often slices ran and how long they took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Number of slices.
    pub occurrences: i64,
    /// Sum of durations.
    pub total_ps: i64,
    /// Sum of (duration − nested children).
    pub self_ps: i64,
    /// Shortest duration.
    pub min_ps: i64,
    /// Longest duration.
    pub max_ps: i64,
}

/// Totals of one stream, of the ops of one device, or of its aggregated events, sorted by label.
#[derive(Debug, Clone)]
pub struct WorkTotals {
    /// Device the work ran on.
    pub device: DeviceId,
    /// The stream of a GPU; none for ops, which XLA:CPU runs on many threads, and for aggregated events.
    pub stream: Option<TrackId>,
    /// Labels that occur, with their totals.
    pub labels: Vec<(LabelId, Totals)>,
}

impl Totals {
    /// Adds one slice.
    pub(crate) fn add(&mut self, duration_ps: i64, self_ps: i64) {
        let one = Self {
            occurrences: 1,
            total_ps: duration_ps,
            self_ps,
            min_ps: duration_ps,
            max_ps: duration_ps,
        };
        self.merge(one);
    }

    /// Adds the totals of other slices.
    pub fn merge(&mut self, other: Self) {
        if other.occurrences == 0 {
            return;
        }
        let is_first = self.occurrences == 0;
        self.min_ps = if is_first {
            other.min_ps
        } else {
            self.min_ps.min(other.min_ps)
        };
        self.max_ps = self.max_ps.max(other.max_ps);
        self.occurrences = self.occurrences.saturating_add(other.occurrences);
        self.total_ps = self.total_ps.saturating_add(other.total_ps);
        self.self_ps = self.self_ps.saturating_add(other.self_ps);
    }
}

/// Totals of the selected work: slices on work tracks of the selected devices that start within the
/// selected steps and times and whose label matches `--program` and `--match`. Aggregated events count
/// only if neither steps nor times are selected. Sorted by device and stream, aggregated events
/// last. The totals of a whole session are computed once.
pub fn work_totals(session: &Session, selected: &Selected<'_>) -> Arc<Vec<WorkTotals>> {
    if selected.is_everything() {
        return session.memo.get_or_compute(|| add_up(session, selected));
    }
    Arc::new(add_up(session, selected))
}

fn add_up(session: &Session, selected: &Selected<'_>) -> Vec<WorkTotals> {
    let labels = work_labels(session, selected);
    let of_device = |&device: &DeviceId| {
        let windows = disjoint(selected.windows(device));
        let tracks = session.work_tracks(device);
        let (streams, ops): (Vec<TrackId>, Vec<TrackId>) = tracks
            .map(|(track, _)| track)
            .partition(|&track| session.track(track).role == TrackRole::Stream);
        let of_tracks = |tracks: &[TrackId]| -> Vec<Vec<(LabelId, Totals)>> {
            let tracks = tracks.par_iter().map_init(
                || vec![Totals::default(); session.labels.len()],
                |dense, &track| {
                    add_track(dense, &session.track_in_passing(track), &windows, &labels);
                    drain(dense)
                },
            );
            tracks.collect()
        };
        let of_streams = streams.iter().copied().map(Some).zip(of_tracks(&streams));
        let of_ops = std::iter::once((None, merged(&of_tracks(&ops))));
        let all = of_streams.chain(of_ops);
        let totals = all.map(|(stream, labels)| WorkTotals {
            device,
            stream,
            labels,
        });
        totals.collect::<Vec<_>>()
    };
    let devices = selected.devices.par_iter();
    let mut totals: Vec<WorkTotals> = devices.flat_map_iter(of_device).collect();
    if selected.is_all_time() {
        totals.extend(aggregated(session, selected, &labels));
    }
    totals.retain(|totals| !totals.labels.is_empty());
    totals
}

/// The work of one step on one device, by label.
pub(crate) struct StepTotals {
    /// Position of the window among those given.
    pub(crate) row: usize,
    /// Labels that occur, ascending, with their totals.
    pub(crate) labels: Vec<(LabelId, Totals)>,
}

/// Totals of the selected work in each window, which is on one device: of the slices that start there,
/// as in [`work_totals`]. In the order of the windows; windows without work are omitted.
pub(crate) fn totals_within(
    session: &Session,
    selected: &Selected<'_>,
    windows: &[(DeviceId, Span)],
) -> Vec<StepTotals> {
    let labels = work_labels(session, selected);
    let labels = &labels;
    // With many hosts, the work of a device is decoded once for all of its windows.
    let of_devices = positions_by(windows, |(device, _)| *device);
    let totals = of_devices.into_par_iter().flat_map_iter(|(device, rows)| {
        let tracks: Vec<_> = session.work_tracks(device).collect();
        let mut dense = vec![Totals::default(); session.labels.len()];
        rows.into_iter().map(move |row| {
            for (_, track) in &tracks {
                add_track(&mut dense, track, &[windows[row].1], labels);
            }
            StepTotals {
                row,
                labels: drain(&mut dense),
            }
        })
    });
    let mut totals: Vec<StepTotals> = totals.collect();
    totals.sort_by_key(|totals| totals.row);
    totals.retain(|totals| !totals.labels.is_empty());
    totals
}

/// For each label, whether it is work and selected.
pub fn work_labels(session: &Session, selected: &Selected<'_>) -> Vec<bool> {
    let mut labels = selected.labels();
    for (is_counted, label) in labels.iter_mut().zip(&session.labels) {
        *is_counted &= label.kind.is_work();
    }
    labels
}

/// Joins overlapping windows, which would count a slice twice.
fn disjoint(windows: Vec<Span>) -> Vec<Span> {
    Intervals::union_of(windows).spans().to_vec()
}

fn add_track(dense: &mut [Totals], track: &Track, windows: &[Span], labels: &[bool]) {
    for (number, lane) in track.lanes.iter().enumerate() {
        let (label_of, durations) = (lane.labels(), lane.durations());
        for &window in windows {
            let range = lane.starting_in(window);
            track.for_each_self_time(number, range, |index, self_ps| {
                let label = label_of[index].index();
                if labels[label] {
                    dense[label].add(durations[index], self_ps);
                }
            });
        }
    }
}

/// One list of several, each sorted by label: XLA:CPU runs the ops of a device on many threads.
fn merged(lists: &[Vec<(LabelId, Totals)>]) -> Vec<(LabelId, Totals)> {
    let mut all = lists.concat();
    all.sort_by_key(|&(label, _)| label);
    all.dedup_by(|next, first| {
        let is_same = next.0 == first.0;
        if is_same {
            first.1.merge(next.1);
        }
        is_same
    });
    all.shrink_to_fit();
    all
}

/// Moves the labels that occurred out of the scratch table and leaves it empty.
fn drain(dense: &mut [Totals]) -> Vec<(LabelId, Totals)> {
    let mut found = Vec::new();
    for (index, totals) in dense.iter_mut().enumerate() {
        if totals.occurrences > 0 {
            found.push((LabelId::from_index(index), std::mem::take(totals)));
        }
    }
    found.shrink_to_fit();
    found
}

/// Totals of aggregated events. Only their sum is recorded: it counts as self time, and the mean is
/// used for both the shortest and the longest duration.
fn aggregated(session: &Session, selected: &Selected<'_>, labels: &[bool]) -> Vec<WorkTotals> {
    let mut found = Vec::new();
    for &device in &selected.devices {
        let of_device = session.aggregates.iter().filter(|aggregate| {
            aggregate.device == Some(device)
                && aggregate.occurrences > 0
                && labels[aggregate.label.index()]
        });
        let mut dense: Vec<(LabelId, Totals)> = of_device
            .map(|aggregate| {
                let total_ps = aggregate.duration.0;
                let mean_ps = total_ps / aggregate.occurrences;
                let totals = Totals {
                    occurrences: aggregate.occurrences,
                    total_ps,
                    self_ps: total_ps,
                    min_ps: mean_ps,
                    max_ps: mean_ps,
                };
                (aggregate.label, totals)
            })
            .collect();
        dense.sort_by_key(|&(label, _)| label);
        found.push(WorkTotals {
            device,
            stream: None,
            labels: dense,
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_merge_like_one_pass() {
        let mut all = Totals::default();
        let (mut left, mut right) = (Totals::default(), Totals::default());
        for (index, &(duration, own)) in [(5, 5), (3, 1), (9, 4)].iter().enumerate() {
            all.add(duration, own);
            if index < 1 {
                left.add(duration, own);
            } else {
                right.add(duration, own);
            }
        }
        left.merge(right);
        left.merge(Totals::default());
        assert_eq!(left, all);
        assert_eq!((all.min_ps, all.max_ps, all.self_ps), (3, 9, 10));
    }

    #[test]
    fn lists_of_several_threads_become_one() {
        let one = |duration_ps| {
            let mut totals = Totals::default();
            totals.add(duration_ps, duration_ps);
            totals
        };
        let (first, second) = (LabelId(1), LabelId(4));
        let lists = vec![
            vec![(second, one(2))],
            vec![(first, one(7)), (second, one(3))],
        ];
        let merged = merged(&lists);
        let sums = merged
            .iter()
            .map(|(label, totals)| (*label, totals.total_ps));
        assert_eq!(sums.collect::<Vec<_>>(), [(first, 7), (second, 5)]);
        assert_eq!((merged[1].1.min_ps, merged[1].1.max_ps), (2, 3));
    }
}
