//! Building one track: decode, split by device, nest, and find the places of arrow ends.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use bytemuck::TransparentWrapper as _;
use rustc_hash::FxHashMap;
use stepscope_xplane::{EventMetadata, Plane, Space, Stat, lossy};

use super::async_ops::Completed;
use super::decode::{Decoded, LineInput, RunKey, TrackKind, decode_track};
use super::deferred::Deferred;
use super::graph_events::GraphEvents;
use super::labels::{Labels, TrackContext};
use super::nest::{Keep, Nested, NestedLane, Nester, Slice, forget_rows};
use super::plan::TrackPlan;
use crate::flow::{Ends, FlowEnd};
use crate::ids::LabelId;
use crate::slices::{ColumnsMut, SliceBlock};
use crate::strings::Strings;
use crate::track::{CounterFacts, Origin, Samples, Track, TrackRole};
use crate::units::{Picos, Span};

/// Asynchronous ops of one thread that are kept apart while they go on side by side.
const MOST_APART: usize = 1024;

/// Slices of one track that belong together: the thread's own, or the ops that it ran for one
/// device.
pub(super) struct Piece {
    /// `device_ordinal` of the XLA:CPU device; none for the track's own slices.
    pub(super) ordinal: Option<i64>,
    pub(super) nested: Nested,
    /// The columns of this piece, if they are not in the track's block.
    pub(super) block: Option<Box<SliceBlock>>,
}

/// A track whose labels are not yet resolved.
pub(super) struct BuiltTrack {
    pub(super) decoded: Decoded,
    pub(super) pieces: Vec<Piece>,
    /// The columns of all pieces, except the track's own if they are deferred.
    pub(super) block: SliceBlock,
    /// Where the track can be decoded again, if anything of it may be deferred.
    source: Option<Arc<Deferred>>,
    /// What is not deferred of it.
    kept: Keep,
    /// Asynchronous ops of XLA:CPU whose ends are known.
    completed: Box<[Completed]>,
    /// Arrow ends, all in the track's own piece; empty if that is deferred.
    ends: Vec<FlowEnd>,
    /// The slices were not in time order in the file.
    pub(super) was_unsorted: bool,
}

/// Decodes and nests one track, deferring what it can. Runs in parallel with others.
pub(super) fn build_deferring(
    lines: &[LineInput<'_>],
    kind: TrackKind,
    deferred: Option<Deferred>,
) -> BuiltTrack {
    let keep = deferred.as_ref().map_or(Keep::All, |it| it.keep);
    let mut built = build_track(lines, kind, keep);
    built.source = deferred.map(Arc::new);
    built
}

/// Decodes and nests one track.
fn build_track(lines: &[LineInput<'_>], kind: TrackKind, mut keep: Keep) -> BuiltTrack {
    let mut sink = Nester::new(keep);
    let mut decoded = decode_track(lines, kind, &mut sink);
    if sink.is_in_vain() {
        keep = Keep::All;
        sink = Nester::new(keep);
        decoded = decode_track(lines, kind, &mut sink);
    }
    let nested = sink.finish(decoded.ordinals.len() + 1);
    // The track's own slices are the first group.
    let ordinals = decoded.ordinals.iter().copied().map(Some);
    let pieces = std::iter::once(None).chain(ordinals).zip(nested.groups);
    let pieces = pieces.map(|(ordinal, nested)| Piece {
        ordinal,
        nested,
        block: None,
    });
    BuiltTrack {
        ends: nested.ends,
        pieces: pieces.collect(),
        block: nested.block,
        source: None,
        kept: keep,
        completed: Box::default(),
        was_unsorted: nested.was_unsorted,
        decoded,
    }
}

impl BuiltTrack {
    /// Ordinals of the XLA:CPU devices this track ran ops for.
    pub(super) fn ordinals(&self) -> impl Iterator<Item = i64> {
        self.pieces.iter().filter_map(|piece| piece.ordinal)
    }

    /// Replaces the numbers of label keys by their labels.
    pub(super) fn apply_labels(&mut self, ids: &[LabelId]) {
        let ids = LabelId::peel_slice(ids);
        let own = self.pieces.iter_mut();
        let own = own.filter_map(|piece| piece.block.as_deref_mut());
        for block in own.chain([&mut self.block]) {
            for label in block.columns_mut().labels {
                *label = ids[*label as usize];
            }
        }
    }

    /// When the first op of XLA:CPU after a time began on this thread.
    pub(super) fn first_op_after(&self, after: i64) -> Option<i64> {
        let pieces = self.pieces.iter().filter(|piece| piece.ordinal.is_some());
        let lanes = pieces.flat_map(|piece| &piece.nested.lanes);
        let first = |lane: &NestedLane| {
            let starts = self.block.starts(lane.range.clone());
            let at = starts.partition_point(|&start| start <= after);
            starts.get(at).copied()
        };
        lanes.filter_map(first).min()
    }

    /// Sets the ends of asynchronous ops, which may then outlast what follows on their thread: they get
    /// nests of their own. Their runs last as long as they do.
    pub(super) fn complete(&mut self, ops: Box<[Completed]>) {
        self.completed = ops;
        for (group, piece) in (0u16..).zip(&mut self.pieces) {
            let own = self.completed.iter().filter(|op| op.group == group);
            let ends: FxHashMap<u32, i64> = own.map(|op| (op.event, op.end)).collect();
            if let Some(ordinal) = piece.ordinal.filter(|_| !ends.is_empty()) {
                let later = piece.complete(&self.block, &ends);
                outlast(&mut self.decoded.runs, ordinal, &later);
            }
        }
    }

    /// What the track's own slices are decoded from when they are first read, if they are deferred.
    pub(super) fn own_deferred(&self) -> Option<&Arc<Deferred>> {
        self.source
            .as_ref()
            .filter(|_| self.kept == Keep::AllButOwn)
    }

    /// Takes the arrow ends, all in the track's own piece.
    pub(super) fn take_ends(&mut self) -> Ends {
        match &self.source {
            Some(source) if self.kept != Keep::All => {
                let source = Arc::clone(source);
                Ends::deferred(move || source.ends())
            }
            _ => Ends::Found(std::mem::take(&mut self.ends)),
        }
    }

    /// Takes the events that are part of graphs. They are found again where the track's slices are.
    pub(super) fn take_graph_events(&mut self) -> GraphEvents {
        let found = std::mem::take(&mut self.decoded.graph_events);
        match &self.source {
            Some(source) if !found.is_empty() => GraphEvents::Deferred(Arc::clone(source)),
            _ => GraphEvents::Found(found),
        }
    }

    /// Forgets what two passes cannot defer, now that it is complete and has these labels: ops of
    /// XLA:CPU, which end on other threads, and slices out of order. All of it is decoded again when one
    /// of them is first read.
    pub(super) fn forget_kept(&mut self, ids: &Arc<[LabelId]>) {
        let Some(source) = self.source.clone() else {
            return;
        };
        let mut count = 0;
        let kept = self.kept;
        for piece in self.pieces.iter_mut().filter(|it| it.is_kept(kept)) {
            piece.block = None;
            for lane in &mut piece.nested.lanes {
                lane.range = count..count + lane.range.len();
                count = lane.range.end;
            }
        }
        if count == 0 {
            return;
        }
        let ids = Arc::clone(ids);
        let completed = std::mem::take(&mut self.completed);
        self.block = SliceBlock::deferred(count, move |mut columns| {
            let mut built = source.decode(|lines, kind| build_track(lines, kind, kept));
            built.complete(completed.clone());
            built.copy_kept(&mut columns, &ids);
            forget_rows();
        });
    }

    /// Copies all slices that are kept, lane by lane. If the file has changed since they were counted,
    /// what has no room is left out.
    fn copy_kept(&self, columns: &mut ColumnsMut<'_>, ids: &[LabelId]) {
        let mut at = 0;
        for piece in self.pieces.iter().filter(|it| it.is_kept(self.kept)) {
            for slice in piece.slices(&self.block) {
                let label = ids.get(slice.label as usize);
                if let (Some(label), true) = (label, at < columns.starts.len()) {
                    columns.starts[at] = slice.start;
                    columns.durations[at] = slice.duration;
                    columns.labels[at] = label.0;
                    columns.events[at] = slice.event;
                    at += 1;
                }
            }
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
        let numbered = (0u32..).zip(keys);
        numbered
            .map(|numbered| labels.resolve(space, &self.decoded, numbered, context))
            .collect()
    }
}

impl Piece {
    /// Whether its slices are among those that are kept.
    const fn is_kept(&self, kept: Keep) -> bool {
        self.ordinal.is_some() || !matches!(kept, Keep::AllButOwn)
    }

    /// Sets the ends of these events. Returns the new times of their slices.
    fn complete(&mut self, block: &SliceBlock, ends: &FxHashMap<u32, i64>) -> Vec<Span> {
        let mut slices = self.slices(block);
        for slice in &mut slices {
            if let Some(end) = ends.get(&slice.event) {
                slice.duration = end - slice.start;
            }
        }
        slices.sort_unstable_by_key(|slice| (slice.start, Reverse(slice.duration), slice.event));
        let mut later = Vec::new();
        // Ops that go on side by side contain neither each other nor what follows on their thread.
        let mut apart: Vec<i64> = Vec::new();
        let mut nester = Nester::new(Keep::All);
        for slice in slices {
            let Some(&end) = ends.get(&slice.event) else {
                nester.push(0, slice);
                continue;
            };
            let free = apart.iter().position(|&last| last <= slice.start);
            let number = free.unwrap_or_else(|| {
                if apart.len() < MOST_APART {
                    apart.push(end);
                }
                apart.len() - 1
            });
            apart[number] = end;
            later.push(Span::new(Picos(slice.start), Picos(end)));
            nester.push(u16::try_from(number + 1).unwrap_or(u16::MAX), slice);
        }
        let found = nester.finish(apart.len() + 1);
        let mut all = Nested {
            lanes: Vec::new(),
            nests: Vec::new(),
            overlapping: self.nested.overlapping,
        };
        for group in found.groups {
            let before = u32::try_from(all.lanes.len()).unwrap_or(u32::MAX);
            let nests = group.nests.into_iter();
            all.nests
                .extend(nests.map(|nest| nest.start + before..nest.end + before));
            all.lanes.extend(group.lanes);
        }
        self.nested = all;
        self.block = Some(Box::new(found.block));
        later
    }

    /// The slices of all lanes, from the piece's own columns or the track's.
    fn slices(&self, block: &SliceBlock) -> Vec<Slice> {
        let block = self.block.as_deref().unwrap_or(block);
        let mut slices = Vec::new();
        for lane in &self.nested.lanes {
            let range = || lane.range.clone();
            let times = block.starts(range()).iter().zip(block.durations(range()));
            let keys = block.labels(range()).iter().zip(block.events(range()));
            let slice =
                |((&start, &duration), (label, &event)): ((&i64, &i64), (&LabelId, &u32))| Slice {
                    start,
                    duration,
                    label: label.0,
                    event,
                };
            slices.extend(times.zip(keys).map(slice));
        }
        slices
    }
}

/// Extends the runs in which slices begin to the end of these.
fn outlast(runs: &mut FxHashMap<RunKey, Span>, ordinal: i64, slices: &[Span]) {
    let own = runs.iter_mut().filter(|(key, _)| key.ordinal == ordinal);
    let mut own: Vec<&mut Span> = own.map(|(_, span)| span).collect();
    own.sort_unstable_by_key(|span| span.start);
    for slice in slices {
        let after = own.partition_point(|span| span.start <= slice.start);
        if let Some(span) = after.checked_sub(1).map(|at| &mut *own[at])
            && slice.start <= span.end
        {
            span.end = span.end.max(slice.end);
        }
    }
}

/// One sample: time, value, and the exact value if it is an integer.
type Sample = (i64, f64, Option<u64>);

/// One track per counter: samples share a line but are shown separately.
pub(super) fn counter_tracks(
    space: &Space<'_>,
    plan: &TrackPlan,
    decoded: &Decoded,
    strings: &mut Strings,
) -> Vec<Track> {
    if decoded.samples.is_empty() {
        return Vec::new();
    }
    let mut by_metadata: BTreeMap<(u32, i64), Vec<Sample>> = BTreeMap::new();
    for &(plane, metadata, time, value) in &decoded.samples {
        let samples = by_metadata.entry((plane, metadata)).or_default();
        samples.push((time, value.as_f64(), value.as_u64()));
    }
    // Planes with the same name number their counters independently.
    let mut counters: BTreeMap<Cow<'_, str>, (Vec<Sample>, CounterFacts)> = BTreeMap::new();
    let on_events = facts_on_events(space, plan);
    for ((plane, metadata), mut samples) in by_metadata {
        let found = &space.planes[plane as usize];
        let entry = found.event_metadata.get(metadata);
        let name = entry.map(|entry| lossy(entry.short_name()));
        let name = name.filter(|name| !name.is_empty());
        let mut facts = on_events
            .get(&(plane, metadata))
            .cloned()
            .unwrap_or_default();
        for stat in entry.into_iter().flat_map(EventMetadata::stats) {
            read_fact(found, &stat, &mut facts);
        }
        let unnamed = || {
            facts
                .register
                .map_or(metadata.to_string(), |id| id.to_string())
        };
        let name = name.unwrap_or_else(|| format!("counter {}", unnamed()).into());
        let counter = counters.entry(name).or_default();
        counter.0.append(&mut samples);
        counter.1 = facts;
    }
    let tracks = counters
        .into_iter()
        .map(|(name, (mut samples, mut facts))| {
            samples.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            facts.line.clone_from(&plan.name);
            let exact: Option<Vec<u64>> = samples.iter().map(|sample| sample.2).collect();
            Track {
                name: strings.intern(&name),
                host: plan.host,
                process: plan.process,
                device: plan.device,
                role: TrackRole::Counter,
                line_id: plan.line_id,
                lanes: Vec::new(),
                nests: Vec::new(),
                labels: Arc::default(),
                samples: Some(Samples {
                    times: samples.iter().map(|sample| sample.0).collect(),
                    values: samples.iter().map(|sample| sample.1).collect(),
                    exact: exact.unwrap_or_default(),
                    facts,
                }),
                origin: Origin::default(),
            }
        });
    tracks.collect()
}

/// Facts that are stored with the first sample of each counter instead of its name.
fn facts_on_events(space: &Space<'_>, plan: &TrackPlan) -> BTreeMap<(u32, i64), CounterFacts> {
    let mut found: BTreeMap<(u32, i64), CounterFacts> = BTreeMap::new();
    for &(plane_position, line) in &plan.lines {
        let plane = &space.planes[plane_position as usize];
        let names = ["id", "description", "sets"];
        let is_recorded = plane.stat_metadata.iter().any(|metadata| {
            let name = lossy(metadata.name);
            let rest = name.strip_prefix("performance_counter_");
            rest.is_some_and(|rest| names.contains(&rest))
        });
        if !is_recorded {
            continue;
        }
        for event in plane.lines[line as usize].events() {
            let key = (plane_position, event.metadata_id);
            found.entry(key).or_insert_with(|| {
                let mut facts = CounterFacts::default();
                event
                    .stats()
                    .for_each(|stat| read_fact(plane, &stat, &mut facts));
                facts
            });
        }
    }
    found
}

fn read_fact(plane: &Plane<'_>, stat: &Stat<'_>, facts: &mut CounterFacts) {
    let value = stat.value();
    let text = || plane.stat_text(value).map(|text| lossy(text).into_owned());
    match plane.stat_name(stat).as_ref() {
        "performance_counter_id" => facts.register = value.as_int().map(i64::cast_unsigned),
        "performance_counter_description" => facts.description = text().unwrap_or_default(),
        "performance_counter_sets" => facts.sets = text().unwrap_or_default(),
        _ => {}
    }
}
