//! Building one track: decode, split by device, nest, and find the places of arrow ends.

use std::collections::BTreeMap;

use stepscope_xplane::{Space, lossy};

use super::decode::{ClockChoice, Columns, Decoded, EndpointKey, LineInput, decode_track};
use super::labels::{Labels, TrackContext, is_cpu_op};
use super::nest::{Nested, nest};
use super::plan::{TrackPlan, to_u32};
use crate::ids::LabelId;
use crate::strings::Strings;
use crate::track::{Origin, Samples, Track, TrackRole};

/// Slices of one track that belong together: the thread's own, or the ops it ran for one device.
pub(super) struct Piece {
    /// `device_ordinal` of the XLA:CPU device; none for the track's own slices.
    pub(super) ordinal: Option<i64>,
    pub(super) nested: Nested,
}

/// A track whose labels are not yet resolved.
pub(super) struct BuiltTrack {
    pub(super) decoded: Decoded,
    pub(super) pieces: Vec<Piece>,
    /// Arrow ends with the lane and position of their slice, all in the track's own piece.
    pub(super) ends: Vec<(EndpointKey, u32, u32)>,
}

/// Decodes and nests one track. Runs in parallel with others.
pub(super) fn build_track(
    lines: &[LineInput<'_>],
    clock: ClockChoice,
    is_host: bool,
    has_accelerator: bool,
) -> BuiltTrack {
    let mut decoded = decode_track(lines, clock);
    let ordinals: Vec<Option<i64>> = decoded
        .keys
        .iter()
        .map(|key| {
            let is_op = is_host && is_cpu_op(key, has_accelerator);
            is_op.then(|| key.ordinal.unwrap_or(0))
        })
        .collect();
    let columns = std::mem::take(&mut decoded.columns);
    let pieces: Vec<Piece> = split(columns, &ordinals)
        .into_iter()
        .map(|(ordinal, mut columns)| Piece {
            ordinal,
            nested: nest(&mut columns),
        })
        .collect();
    let ends = place_ends(&mut decoded, &pieces);
    BuiltTrack {
        decoded,
        pieces,
        ends,
    }
}

/// Splits slices by the device ordinal of their label; the track's own come first.
fn split(columns: Columns, ordinals: &[Option<i64>]) -> Vec<(Option<i64>, Columns)> {
    if ordinals.iter().all(Option::is_none) {
        return vec![(None, columns)];
    }
    let mut counts: BTreeMap<Option<i64>, usize> = BTreeMap::new();
    for &label in &columns.labels {
        *counts.entry(ordinals[label as usize]).or_default() += 1;
    }
    let mut parts: Vec<(Option<i64>, Columns)> = counts
        .iter()
        .map(|(&ordinal, &count)| (ordinal, Columns::with_capacity(count)))
        .collect();
    let part_of: Vec<usize> = ordinals
        .iter()
        .map(|ordinal| {
            parts
                .iter()
                .position(|part| part.0 == *ordinal)
                .unwrap_or(0)
        })
        .collect();
    for index in 0..columns.starts.len() {
        let part = &mut parts[part_of[columns.labels[index] as usize]].1;
        part.starts.push(columns.starts[index]);
        part.durations.push(columns.durations[index]);
        part.labels.push(columns.labels[index]);
        part.events.push(columns.events[index]);
    }
    parts
}

impl Columns {
    fn with_capacity(count: usize) -> Self {
        Self {
            starts: Vec::with_capacity(count),
            durations: Vec::with_capacity(count),
            labels: Vec::with_capacity(count),
            events: Vec::with_capacity(count),
        }
    }
}

/// Finds the slice of each arrow end by its event.
fn place_ends(decoded: &mut Decoded, pieces: &[Piece]) -> Vec<(EndpointKey, u32, u32)> {
    const NOWHERE: (u32, u32) = (u32::MAX, 0);
    let Some(own) = pieces.iter().find(|piece| piece.ordinal.is_none()) else {
        return Vec::new();
    };
    let Some(last) = decoded.endpoints.iter().map(|end| end.event).max() else {
        return Vec::new();
    };
    let mut places = vec![NOWHERE; last as usize + 1];
    for (lane_number, lane) in own.nested.lanes.iter().enumerate() {
        for (index, &event) in lane.events.iter().enumerate() {
            if let Some(place) = places.get_mut(event as usize) {
                *place = (to_u32(lane_number), to_u32(index));
            }
        }
    }
    std::mem::take(&mut decoded.endpoints)
        .into_iter()
        .map(|end| (end.key, places[end.event as usize]))
        .filter(|(_, place)| *place != NOWHERE)
        .map(|(key, (lane, index))| (key, lane, index))
        .collect()
}

impl BuiltTrack {
    /// Ordinals of the XLA:CPU devices this track ran ops for.
    pub(super) fn ordinals(&self) -> impl Iterator<Item = i64> {
        self.pieces.iter().filter_map(|piece| piece.ordinal)
    }

    /// The label of each key, in the order of the keys.
    pub(super) fn resolve_labels(
        &self,
        space: &Space<'_>,
        plan: &TrackPlan,
        has_accelerator: bool,
        labels: &mut Labels,
    ) -> Vec<LabelId> {
        let context = TrackContext {
            role: plan.role,
            is_device: plan.device.is_some(),
        };
        let is_op = |key| !context.is_device && is_cpu_op(key, has_accelerator);
        let keys = self.decoded.keys.iter();
        keys.map(|key| labels.resolve(space, &self.decoded, key, context, is_op(key)))
            .collect()
    }
}

/// One track per counter: samples share a line but are drawn apart.
pub(super) fn counter_tracks(
    space: &Space<'_>,
    plan: &TrackPlan,
    decoded: &Decoded,
    strings: &mut Strings,
) -> Vec<Track> {
    let mut counters: BTreeMap<(u32, i64), Vec<(i64, f64)>> = BTreeMap::new();
    for &(plane, metadata, time, value) in &decoded.samples {
        counters
            .entry((plane, metadata))
            .or_default()
            .push((time, value));
    }
    let tracks = counters
        .into_iter()
        .map(|((plane, metadata), mut samples)| {
            samples.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            let entry = space.planes[plane as usize].event_metadata.get(metadata);
            let name = entry
                .map(|entry| lossy(entry.short_name()))
                .unwrap_or_default();
            let (times, values) = samples.into_iter().unzip();
            Track {
                name: strings.intern(&name),
                host: plan.host,
                device: plan.device,
                role: TrackRole::Counter,
                line_id: plan.line_id,
                lanes: Vec::new(),
                nests: Vec::new(),
                samples: Some(Samples { times, values }),
                origin: Origin::default(),
            }
        });
    tracks.collect()
}
