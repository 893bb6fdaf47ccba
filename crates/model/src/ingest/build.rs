//! Building one track: decode, split by device, nest, and find the places of arrow ends.

use std::borrow::Cow;
use std::collections::BTreeMap;

use bytemuck::TransparentWrapper as _;
use stepscope_xplane::{Space, lossy};

use super::decode::{Decoded, LineInput, TrackKind, decode_track};
use super::labels::{Labels, TrackContext};
use super::nest::{Nested, Nester};
use super::plan::TrackPlan;
use crate::flow::FlowEnd;
use crate::ids::LabelId;
use crate::slices::SliceBlock;
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
    /// The columns of all pieces.
    pub(super) block: SliceBlock,
    /// Arrow ends, all in the track's own piece.
    pub(super) ends: Vec<FlowEnd>,
    /// The slices were not in time order in the file.
    pub(super) was_unsorted: bool,
}

/// Decodes and nests one track. Runs in parallel with others.
pub(super) fn build_track(lines: &[LineInput<'_>], kind: TrackKind) -> BuiltTrack {
    let mut sink = Nester::default();
    let decoded = decode_track(lines, kind, &mut sink);
    let nested = sink.finish(decoded.ordinals.len() + 1);
    // The track's own slices are the first group.
    let ordinals = decoded.ordinals.iter().copied().map(Some);
    let pieces = std::iter::once(None).chain(ordinals).zip(nested.groups);
    let pieces = pieces.map(|(ordinal, nested)| Piece { ordinal, nested });
    BuiltTrack {
        ends: nested.ends,
        pieces: pieces.collect(),
        block: nested.block,
        was_unsorted: nested.was_unsorted,
        decoded,
    }
}

impl BuiltTrack {
    /// Ordinals of the XLA:CPU devices this track ran ops for.
    pub(super) fn ordinals(&self) -> impl Iterator<Item = i64> {
        self.pieces.iter().filter_map(|piece| piece.ordinal)
    }

    /// Replaces the numbers of label keys by the labels they stand for.
    pub(super) fn apply_labels(&mut self, ids: &[LabelId]) {
        let ids = LabelId::peel_slice(ids);
        for label in self.block.columns_mut().labels {
            *label = ids[*label as usize];
        }
    }

    /// The label of each key, in the order of the keys.
    pub(super) fn resolve_labels(
        &self,
        space: &Space<'_>,
        plan: &TrackPlan,
        labels: &mut Labels,
    ) -> Vec<LabelId> {
        let context = TrackContext {
            role: plan.role,
            is_device: plan.device.is_some(),
        };
        let keys = self.decoded.keys.iter();
        keys.map(|key| labels.resolve(space, &self.decoded, &key, context))
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
    let mut by_metadata: BTreeMap<(u32, i64), Vec<(i64, f64)>> = BTreeMap::new();
    for &(plane, metadata, time, value) in &decoded.samples {
        let samples = by_metadata.entry((plane, metadata)).or_default();
        samples.push((time, value));
    }
    // Planes of one name number their counters each for itself.
    let mut counters: BTreeMap<Cow<'_, str>, Vec<(i64, f64)>> = BTreeMap::new();
    for ((plane, metadata), mut samples) in by_metadata {
        let entry = space.planes[plane as usize].event_metadata.get(metadata);
        let name = entry.map(|entry| lossy(entry.short_name()));
        let name = name.unwrap_or_else(|| format!("counter {metadata}").into());
        counters.entry(name).or_default().append(&mut samples);
    }
    let tracks = counters.into_iter().map(|(name, mut samples)| {
        samples.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
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
