//! Building one track: decode, split by device, nest, and find the places of arrow ends.

use std::collections::BTreeMap;

use stepscope_xplane::{Space, lossy};

use super::decode::{ClockChoice, Decoded, LineInput, decode_track};
use super::labels::{Labels, TrackContext, is_cpu_op};
use super::nest::{Grouping, Nested, nest};
use super::plan::TrackPlan;
use crate::flow::FlowKey;
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
    pub(super) ends: Vec<(FlowKey, u32, u32)>,
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
    // The track's own slices are the first group.
    let mut groups: Vec<Option<i64>> = ordinals.clone();
    groups.push(None);
    groups.sort_unstable();
    groups.dedup();
    let group_of_label: Vec<usize> = ordinals
        .iter()
        .map(|ordinal| groups.binary_search(ordinal).unwrap_or(0))
        .collect();
    let columns = std::mem::take(&mut decoded.columns);
    let wanted: Vec<u32> = decoded.endpoints.iter().map(|end| end.slice).collect();
    let nested = nest(
        columns,
        &Grouping {
            count: groups.len(),
            of_label: &group_of_label,
        },
        &wanted,
    );
    let ends = std::mem::take(&mut decoded.endpoints)
        .into_iter()
        .zip(nested.places);
    let ends = ends
        .map(|(end, place)| (end.key, place.lane, place.index))
        .collect();
    let pieces = groups.into_iter().zip(nested.groups);
    let pieces = pieces
        .map(|(ordinal, nested)| Piece { ordinal, nested })
        .collect();
    BuiltTrack {
        decoded,
        pieces,
        ends,
    }
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
