//! The work of one device as nodes: the order of its lanes, its asynchronous ops, its operands.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use rustc_hash::{FxHashMap, FxHashSet};
use stepscope_model::{
    DeviceId, LabelId, OpId, Picos, Session, SliceId, SliceKind, Span, TrackRole,
};

use super::graph::{Builder, EdgeKind, NONE, Node, NodeKind, Why};
use super::operands::Operands;
use super::segments::{Segment, of_track};
use crate::views::collectives::clocks::Clocks;

/// A done that takes longer than this waited for what it ends.
const DONE_PS: i64 = 1_000_000;
/// Work of a stream that starts more than this before the end of the work before runs beside it.
const EARLY_PS: i64 = 5_000_000;
/// Work that starts this soon after the end of other work of its device may have waited for it.
pub(super) const CLOSE_PS: i64 = 10_000_000;

/// What all devices are built from.
pub(super) struct Sources<'a> {
    pub(super) session: &'a Session,
    pub(super) clocks: &'a Clocks,
    pub(super) operands: &'a Operands,
    pub(super) is_work: &'a [bool],
    /// Slices of collectives that were matched over devices.
    pub(super) matched: &'a FxHashSet<SliceId>,
}

/// One device in the graph.
pub(super) struct DeviceNodes {
    pub(super) device: DeviceId,
    /// By start.
    pub(super) segments: Vec<Segment>,
}

/// When a device arrives at a collective and when it is done with it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    pub(super) arrival: u32,
    pub(super) release: u32,
    /// It ended before the device needed it.
    pub(super) is_hidden: bool,
}

/// Members of collectives by the slice that starts them.
pub(super) type Members = FxHashMap<SliceId, Member>;

impl Sources<'_> {
    /// The times of a device on aligned clocks.
    pub(super) fn aligned(&self, device: DeviceId, time_ps: i64) -> i64 {
        let host = self.session.device(device).host;
        self.clocks.aligned(host, Picos(time_ps)).0
    }

    /// Adds a device: its stretches, marks at `marks` (aligned, outside of all work), and edges.
    pub(super) fn add(
        &self,
        builder: &mut Builder,
        device: DeviceId,
        members: &mut Members,
    ) -> DeviceNodes {
        let mut tracks: Vec<Vec<Segment>> = Vec::new();
        for (id, track) in self.session.work_tracks(device) {
            let mut segments = of_track(id, &track, self.is_work);
            if track.role == TrackRole::Stream {
                end_at_next(&mut segments);
            }
            for one in &mut segments {
                one.start_ps = self.aligned(device, one.start_ps);
                one.end_ps = self.aligned(device, one.end_ps).max(one.start_ps);
            }
            if !segments.is_empty() {
                tracks.push(segments);
            }
        }
        let is_alone = tracks.len() < 2;
        let mut segments: Vec<Segment> = tracks.into_iter().flatten().collect();
        segments.sort_by_key(|one| (one.start_ps, one.end_ps));
        self.add_nodes(builder, &mut segments, members);
        add_order(builder, &segments);
        if !is_alone {
            self.add_operands(builder, &segments);
        }
        DeviceNodes { device, segments }
    }

    fn add_nodes(&self, builder: &mut Builder, segments: &mut [Segment], members: &mut Members) {
        let mut open: FxHashMap<OpId, VecDeque<(u32, SliceId)>> = FxHashMap::default();
        let is_begin: FxHashSet<OpId> = self.operands.begins.iter().flatten().copied().collect();
        for one in segments {
            let slice = SliceId {
                track: one.track,
                lane: one.lane,
                index: one.index,
            };
            let label = self.session.label(one.label);
            let op = label
                .op
                .filter(|_| label.kind == SliceKind::Op && one.is_whole);
            let begin = op.and_then(|op| self.operands.begins[op.index()]);
            let start = begin.and_then(|begin| open.get_mut(&begin)?.pop_front());
            if let Some((start, start_slice)) = start {
                add_done(builder, one, start, start_slice, members);
            } else if one.is_whole && self.matched.contains(&slice) && begin.is_none() {
                let is_start = op.is_some_and(|op| is_begin.contains(&op));
                if is_start {
                    add_work(builder, one, one.end_ps);
                } else {
                    one.entry = builder.add(Node {
                        kind: NodeKind::Arrive,
                        ..node(one, one.start_ps, one.start_ps)
                    });
                    one.exit = builder.add(Node {
                        kind: NodeKind::Release,
                        ..node(one, one.end_ps, one.end_ps)
                    });
                    let member = Member {
                        arrival: one.entry,
                        release: one.exit,
                        is_hidden: false,
                    };
                    members.insert(slice, member);
                }
            } else {
                add_work(builder, one, one.end_ps);
            }
            if let Some(op) = op.filter(|op| is_begin.contains(op)) {
                open.entry(op).or_default().push_back((one.exit, slice));
            }
        }
    }

    /// Edges from the last execution of each operand, where it had ended.
    fn add_operands(&self, builder: &mut Builder, segments: &[Segment]) {
        let mut last: Vec<u32> = vec![NONE; self.operands.producers.len()];
        for one in segments {
            let Some(op) = self.session.label(one.label).op else {
                continue;
            };
            for producer in &self.operands.producers[op.index()] {
                let from = last[producer.index()];
                let is_over =
                    |from: u32| builder.graph.nodes[from as usize].end_ps() <= one.start_ps;
                if from != NONE && is_over(from) {
                    builder.wait(one.entry, from, EdgeKind::Data, 0);
                }
            }
            last[op.index()] = one.exit;
        }
    }
}

impl DeviceNodes {
    /// The first stretch that starts at or after a time.
    pub(super) fn first_from(&self, time_ps: i64) -> Option<&Segment> {
        let position = self.segments.partition_point(|one| one.start_ps < time_ps);
        self.segments.get(position)
    }

    /// The last end of work within a stretch of time, and the node that is over then.
    pub(super) fn last_within(&self, from_ps: i64, until_ps: i64) -> Option<(i64, u32)> {
        let first = self.segments.partition_point(|one| one.start_ps < from_ps);
        let begun = self.segments[first..].iter();
        let begun = begun.take_while(|one| one.start_ps < until_ps);
        let ends = begun.map(|one| (one.end_ps, one.exit));
        ends.filter(|end| end.0 <= until_ps).max()
    }

    /// Edges from the work that ended last before a stretch that nothing else explains: certain on
    /// a device that runs a program in order, inferred between the streams of a GPU.
    pub(super) fn add_device_order(&self, builder: &mut Builder, is_gpu: bool) {
        last_ended(&self.segments, |one, ended, end_ps| {
            let latest = builder.latest(one.entry);
            let is_explained = latest.is_some_and(|latest| {
                latest >= end_ps || one.start_ps.saturating_sub(latest) <= CLOSE_PS
            });
            let is_close = one.start_ps.saturating_sub(end_ps) <= CLOSE_PS;
            match (is_explained, latest, is_gpu) {
                (true, ..) => {}
                (_, None, _) | (_, _, false) => builder.wait(one.entry, ended, EdgeKind::Device, 0),
                (_, Some(_), true) if is_close => {
                    builder.wait(one.entry, ended, EdgeKind::Inferred, 0);
                }
                _ => {}
            }
        });
    }
}

impl Sources<'_> {
    /// Program runs that came one after another stay in this order. XLA:CPU runs the ops of a device
    /// on several threads, each of which knows only its own order.
    ///
    /// ```text
    /// thread 1   [ run 1 ]             [ run 2 ]
    /// thread 2     [ run 1  ]            [ run 2 ]
    ///                        └─ barrier ─┘
    /// ```
    pub(super) fn add_run_order(&self, builder: &mut Builder, on: &DeviceNodes) {
        let mut runs: Vec<&[Segment]> = Vec::new();
        let mut rest = on.segments.as_slice();
        for run in self.runs(on.device) {
            let before = rest.partition_point(|one| one.start_ps < run.start.0);
            let within = rest[before..].partition_point(|one| one.start_ps < run.end.0);
            let (own, after) = rest[before..].split_at(within);
            runs.extend((!own.is_empty()).then_some(own));
            rest = after;
        }
        for pair in runs.windows(2) {
            add_barrier(builder, pair[0], pair[1]);
        }
    }

    /// The runs of a device, by start; those that overlap are one.
    fn runs(&self, device: DeviceId) -> Vec<Span> {
        let runs = self.session.program_runs.iter();
        let mut own: Vec<Span> = runs
            .filter(|run| run.device == device)
            .map(|run| run.span)
            .collect();
        own.sort_unstable();
        let mut apart: Vec<Span> = Vec::new();
        for run in own {
            match apart.last_mut().filter(|last| run.start < last.end) {
                Some(last) => *last = last.hull(run),
                None => apart.push(run),
            }
        }
        let aligned = |time: Picos| Picos(self.aligned(device, time.0));
        let spans = apart
            .iter()
            .map(|run| Span::new(aligned(run.start), aligned(run.end)));
        spans.collect()
    }
}

/// Makes what a run begins with, on each track, wait for all that ended the run before.
fn add_barrier(builder: &mut Builder, before: &[Segment], after: &[Segment]) {
    let mut lasts: BTreeMap<u32, &Segment> = BTreeMap::new();
    for one in before {
        let last = lasts.entry(one.track.0).or_insert(one);
        if one.end_ps >= last.end_ps {
            *last = one;
        }
    }
    let mut firsts: BTreeMap<u32, &Segment> = BTreeMap::new();
    for one in after {
        firsts.entry(one.track.0).or_insert(one);
    }
    let Some(end_ps) = lasts.values().map(|one| one.end_ps).max() else {
        return;
    };
    let track = before[0].track.0;
    let barrier = builder.add(Node::instant(NodeKind::Mark, track, end_ps));
    for last in lasts.values() {
        builder.wait(barrier, last.exit, EdgeKind::Device, 0);
    }
    for first in firsts.values().filter(|one| one.start_ps >= end_ps) {
        builder.wait(first.entry, barrier, EdgeKind::Device, 0);
    }
}

/// Work of a stream that begins a little before the work before it ended: its launch says that it may
/// (programmatic dependent launch). It waited for that work all the same, so what both took counts for
/// the later one.
///
/// ```text
/// recorded   [ kernel 1    ]            counted   [ kernel 1  ]
///                        [ kernel 2 ]                         [ kernel 2 ]
/// ```
fn end_at_next(segments: &mut [Segment]) {
    for next in 1..segments.len() {
        let (before, after) = segments.split_at_mut(next);
        let (Some(one), Some(next)) = (before.last_mut(), after.first()) else {
            continue;
        };
        let overlap_ps = one.end_ps - next.start_ps;
        let shorter_ps = (one.end_ps - one.start_ps).min(next.end_ps - next.start_ps);
        if overlap_ps > 0 && overlap_ps <= EARLY_PS && overlap_ps <= shorter_ps / 2 {
            one.end_ps = next.start_ps;
        }
    }
}

/// Calls `visit` for each stretch with the exit and end of the one that ended last before it began.
fn last_ended<'a>(
    segments: impl IntoIterator<Item = &'a Segment>,
    mut visit: impl FnMut(&'a Segment, u32, i64),
) {
    let mut running: BinaryHeap<Reverse<(i64, u32)>> = BinaryHeap::new();
    let mut ended = None;
    for one in segments {
        while running
            .peek()
            .is_some_and(|Reverse((end, _))| *end <= one.start_ps)
        {
            ended = running.pop();
        }
        if let Some(Reverse((end, exit))) = ended {
            visit(one, exit, end);
        }
        running.push(Reverse((one.end_ps, one.exit)));
    }
}

fn add_order(builder: &mut Builder, segments: &[Segment]) {
    let mut by_track: BTreeMap<u32, Vec<&Segment>> = BTreeMap::new();
    for one in segments {
        by_track.entry(one.track.0).or_default().push(one);
    }
    for own in by_track.into_values() {
        last_ended(own, |one, ended, _| {
            builder.wait(one.entry, ended, EdgeKind::Order, 0);
        });
    }
}

fn node(one: &Segment, start_ps: i64, end_ps: i64) -> Node {
    Node {
        start_ps,
        duration_ps: end_ps - start_ps,
        delay_ps: 0,
        sure_delay_ps: 0,
        label: label_number(one.label),
        track: one.track.0,
        lane: one.lane,
        index: one.index,
        kind: NodeKind::Work,
        why: Why::Short,
    }
}

fn label_number(label: LabelId) -> u32 {
    u32::try_from(label.index()).unwrap_or(NONE)
}

fn add_work(builder: &mut Builder, one: &mut Segment, end_ps: i64) {
    one.entry = builder.add(node(one, one.start_ps, end_ps));
    one.exit = one.entry;
}

/// A done: it takes a moment of its own, and is over when what it ends is over.
fn add_done(
    builder: &mut Builder,
    one: &mut Segment,
    start: u32,
    start_slice: SliceId,
    members: &mut Members,
) {
    let Span { start: from, end } = Span::new(Picos(one.start_ps), Picos(one.end_ps));
    let is_hidden = (end - from).0 <= DONE_PS;
    let own_end = if is_hidden { end.0 } else { from.0 + DONE_PS };
    one.entry = builder.add(node(one, from.0, own_end));
    one.exit = builder.add(Node {
        kind: NodeKind::Release,
        ..node(one, end.0, end.0)
    });
    builder.wait(one.exit, one.entry, EdgeKind::Order, 0);
    let member = Member {
        arrival: start,
        release: one.exit,
        is_hidden,
    };
    members.insert(start_slice, member);
}

/// The recorded span of a device's work.
pub(super) fn hull(segments: &[Segment]) -> Option<(i64, i64)> {
    let first = segments.first()?.start_ps;
    let last = segments.iter().map(|one| one.end_ps).max()?;
    Some((first, last))
}
