//! Counters by name, and their samples.

use crate::measuring::selection::Selected;
use stepscope_model::{DeviceId, HostId, Picos, Session, Track, TrackId, TrackRole};

/// Tracks of one counter: those with the same name on the same device.
pub(super) struct Family<'a> {
    pub(super) name: &'a str,
    pub(super) host: HostId,
    pub(super) device: Option<DeviceId>,
    pub(super) tracks: Vec<(TrackId, &'a Track)>,
}

/// Counters, sorted by device and name.
pub(super) fn groups<'a>(session: &'a Session, selected: &Selected<'_>) -> Vec<Family<'a>> {
    let is_selected = |track: &Track| match track.device {
        Some(device) => selected.has_device(device),
        None => selected.hosts.contains(&track.host),
    };
    let mut tracks: Vec<(TrackId, &Track)> = session
        .track_ids()
        .map(|id| (id, session.track(id)))
        .filter(|(_, track)| track.role == TrackRole::Counter && is_selected(track))
        .filter(|(_, track)| selected.matches(&[session.text(track.name)]))
        .collect();
    let key = |track: &Track| {
        (
            track.device.map_or(u32::MAX, |device| device.0),
            track.host,
            track.name,
        )
    };
    tracks.sort_by(|(a_id, a), (b_id, b)| {
        let names = || session.text(a.name).cmp(session.text(b.name));
        let (device_a, host_a, _) = key(a);
        let (device_b, host_b, _) = key(b);
        (device_a, host_a)
            .cmp(&(device_b, host_b))
            .then_with(names)
            .then_with(|| a_id.cmp(b_id))
    });
    tracks
        .chunk_by(|(_, a), (_, b)| key(a) == key(b))
        .filter_map(|tracks| {
            let (_, first) = tracks.first()?;
            Some(Family {
                name: session.text(first.name),
                host: first.host,
                device: first.device,
                tracks: tracks.to_vec(),
            })
        })
        .collect()
}

/// One sample: time, value, and the exact integer value if recorded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sample {
    pub(super) time: i64,
    pub(super) value: f64,
    pub(super) exact: Option<u64>,
}

/// Samples of a counter in the selected time, sorted by time. Values that are not finite are skipped.
pub(super) fn samples(selected: &Selected<'_>, group: &Family<'_>) -> Vec<Sample> {
    let windows = group
        .device
        .filter(|_| !selected.is_all_time())
        .map(|device| selected.windows(device));
    let is_within = |time: i64| match (&windows, &selected.time) {
        (Some(windows), _) => {
            let mut windows = windows.iter();
            windows.any(|window| window.start.0 <= time && time < window.end.0)
        }
        (None, Some(times)) => times.contains_instant(Picos(time)),
        (None, None) => true,
    };
    let mut found = Vec::new();
    for (_, track) in &group.tracks {
        let Some(samples) = &track.samples else {
            continue;
        };
        for (index, (&time, &value)) in samples.times.iter().zip(&samples.values).enumerate() {
            if value.is_finite() && is_within(time) {
                let exact = samples.exact.get(index).copied();
                found.push(Sample { time, value, exact });
            }
        }
    }
    found.sort_by_key(|sample| sample.time);
    found
}
