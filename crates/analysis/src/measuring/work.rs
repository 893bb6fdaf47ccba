//! Work of devices: which slices count as work, and how long a device was busy.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;
use stepscope_model::{Class, DeviceId, Label, LabelId, Picos, Session, Span, Track, TrackId};

use crate::measuring::interval::{Intervals, append};

/// Level of a label that does not count.
pub const NO_LEVEL: u8 = u8::MAX;

/// Fewer ops than these, such as a single call of a function, say little about a program.
pub(crate) const MIN_OPS: i64 = 20;

/// Whether the device recorded any work, at any time.
pub(crate) fn has_worked(session: &Session, device: DeviceId) -> bool {
    let mut tracks = session.work_tracks(device);
    tracks.any(|(_, track)| track.slice_count() > 0)
}

/// For each label, whether it is work.
pub fn work_labels(session: &Session) -> Vec<bool> {
    let labels = session.labels.iter();
    labels.map(|label| label.kind.is_work()).collect()
}

/// For each label, whether it keeps a device busy: all work except Python callbacks, for which the
/// device waits.
pub fn busy_labels(session: &Session) -> Vec<bool> {
    let labels = session.labels.iter();
    labels
        .map(|label| label.kind.is_work() && !is_callback(label))
        .collect()
}

/// Whether it is device work that calls Python.
pub(crate) fn is_callback(label: &Label) -> bool {
    label.kind.is_work() && label.class == Class::Python
}

/// All work that keeps devices busy, as unions: computed once per session and kept, or with many
/// hosts computed for whoever asks.
pub struct AllWork {
    labels: Vec<bool>,
    /// By device; empty with many hosts.
    kept: Vec<Intervals>,
}

impl AllWork {
    /// Computes or reuses the work of the session.
    pub fn of(session: &Session) -> Arc<Self> {
        session.memo.get_or_compute(|| {
            let labels = busy_labels(session);
            let mut devices: Vec<DeviceId> = session.device_ids().collect();
            if session.has_many_hosts() {
                devices.clear();
            }
            let of_device =
                |&device: &DeviceId| work_intervals(session, device, &[EVERYTHING], &labels);
            let kept = devices.par_iter().map(of_device).collect();
            Self { labels, kept }
        })
    }

    /// All work of a device.
    pub fn of_device(&self, session: &Session, device: DeviceId) -> Cow<'_, Intervals> {
        match self.kept.get(device.index()) {
            Some(own) => Cow::Borrowed(own),
            None => Cow::Owned(work_intervals(session, device, &[EVERYTHING], &self.labels)),
        }
    }

    /// Work of a device within windows, which may overlap.
    pub fn within(&self, session: &Session, device: DeviceId, windows: &[Span]) -> Intervals {
        let several = |windows: &[Span]| Intervals::union_of(windows.to_vec());
        match (self.kept.get(device.index()), windows) {
            (Some(own), [one]) => own.clip(*one),
            (Some(own), windows) => own.intersect(&several(windows)),
            (None, windows) => {
                let windows = several(windows);
                work_intervals(session, device, windows.spans(), &self.labels)
            }
        }
    }
}

/// How much of each span the intervals of its device cover, in the order of the spans. What is looked
/// up of a device is found once for all of its spans, as it may have to be decoded.
pub(crate) fn lengths_within<'a>(
    spans: &[(DeviceId, Span)],
    of_device: impl Fn(DeviceId) -> Cow<'a, Intervals> + Sync,
) -> Vec<i64> {
    let of_devices = positions_by(spans, |(device, _)| *device);
    let found = of_devices.into_par_iter().flat_map_iter(|(device, own)| {
        let covered = of_device(device);
        let length = |position: usize| (position, covered.duration_within(spans[position].1).0);
        own.into_iter().map(length).collect::<Vec<_>>()
    });
    let mut lengths_ps = vec![0; spans.len()];
    for (position, length_ps) in found.collect::<Vec<(usize, i64)>>() {
        lengths_ps[position] = length_ps;
    }
    lengths_ps
}

/// The positions of the rows with each key, such as a device, by key.
pub(crate) fn positions_by<R, K: Ord>(rows: &[R], key: impl Fn(&R) -> K) -> Vec<(K, Vec<usize>)> {
    let mut found: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    for (position, row) in rows.iter().enumerate() {
        found.entry(key(row)).or_default().push(position);
    }
    found.into_iter().collect()
}

/// All times.
pub(crate) const EVERYTHING: Span = Span {
    start: Picos(i64::MIN),
    end: Picos::MAX,
};

/// The union of the times within the windows at which the device did work whose label counts.
///
/// `labels` says for each label whether it counts; labels that are not work must be `false`.
pub fn work_intervals(
    session: &Session,
    device: DeviceId,
    windows: &[Span],
    labels: &[bool],
) -> Intervals {
    let level_of: Vec<u8> = labels
        .iter()
        .map(|&counts| if counts { 0 } else { NO_LEVEL })
        .collect();
    let mut spans = vec![Vec::new()];
    for (_, track) in session.work_tracks(device) {
        add_levels(&track, &level_of, windows, &mut spans);
    }
    Intervals::union_of_sorted(spans.pop().unwrap_or_default())
}

/// [`add_levels`] of a thread that is read once: see [`Session::track_in_passing`].
pub(crate) fn add_levels_in_passing(
    session: &Session,
    track: TrackId,
    level_of: &[u8],
    windows: &[Span],
    spans: &mut [Vec<Vec<Span>>],
) {
    let counts = |label: LabelId| usize::from(level_of[label.index()]) < spans.len();
    if let Some(track) = session.track_having(track, counts) {
        add_levels(&track, level_of, windows, spans);
    }
}

/// Sorts a track's slices into levels. For each nest, `spans[level]` receives a list of the times at
/// which a slice of that level runs, clipped to the windows.
///
/// Slices nested in a slice of the same level add nothing and are dropped early, so deep stacks cost
/// one check per slice.
pub fn add_levels(track: &Track, level_of: &[u8], windows: &[Span], spans: &mut [Vec<Vec<Span>>]) {
    if !track.may_have(|label| usize::from(level_of[label.index()]) < spans.len()) {
        return;
    }
    for nest in &track.nests {
        let mut covered: Vec<Vec<Span>> = vec![Vec::new(); spans.len()];
        for number in nest.clone() {
            let lane = &track.lanes[number as usize];
            let (starts, durations) = (lane.starts(), lane.durations());
            let labels = lane.labels();
            let mut positions = vec![0usize; spans.len()];
            let mut fresh: Vec<Vec<Span>> = vec![Vec::new(); spans.len()];
            for &window in windows {
                for index in lane.overlapping(window) {
                    let level = level_of[labels[index].index()];
                    let Some(outer) = covered.get(level as usize) else {
                        continue;
                    };
                    let start = Picos(starts[index]);
                    let end = start + Picos(durations[index]);
                    let Some(span) = Span { start, end }.intersection(window) else {
                        continue;
                    };
                    let level = level as usize;
                    let position = &mut positions[level];
                    while outer
                        .get(*position)
                        .is_some_and(|outer| outer.end < span.end)
                    {
                        *position += 1;
                    }
                    let is_nested = outer
                        .get(*position)
                        .is_some_and(|outer| outer.start <= span.start);
                    if !is_nested {
                        let fresh = &mut fresh[level];
                        if fresh.is_empty() {
                            fresh.reserve(lane.len() - index);
                        }
                        append(fresh, span);
                    }
                }
            }
            for (outer, fresh) in covered.iter_mut().zip(fresh) {
                merge(outer, fresh);
            }
        }
        for (lists, covered) in spans.iter_mut().zip(covered) {
            if !covered.is_empty() {
                lists.push(covered);
            }
        }
    }
}

fn merge(outer: &mut Vec<Span>, fresh: Vec<Span>) {
    if outer.is_empty() {
        *outer = fresh;
    } else if !fresh.is_empty() {
        *outer = Intervals::union_of_sorted(vec![std::mem::take(outer), fresh]).into_spans();
    }
}
