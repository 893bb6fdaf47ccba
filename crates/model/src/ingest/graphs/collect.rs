//! Launches of graphs: which kernels belong together, their program and command buffer, and what
//! ran separately before and after.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::flow::{FlowKind, HostFlows};
use crate::graphs::GraphDetail;
use crate::ids::{DeviceId, LabelId, OpId, ProgramId, SliceId, TrackId};
use crate::ingest::graph_events::TrackEvents;
use crate::ingest::seen::GraphStats;
use crate::label::SliceKind;
use crate::session::{ProgramRun, Session};
use crate::track::TrackRole;
use crate::vendor::graphs::{command_buffer_name, launches_graph, names_command_buffer};

/// One launch of a graph on one device.
#[derive(Debug)]
pub(super) struct Launch {
    pub(super) device: DeviceId,
    pub(super) program: Option<ProgramId>,
    /// XLA's name for the graph; empty if unknown.
    pub(super) name: String,
    /// ID of the graph; 0 if none is recorded.
    pub(super) graph: u64,
    pub(super) detail: GraphDetail,
    /// In start order.
    pub(super) kernels: Vec<GraphKernel>,
    /// The ops that ran separately right before and after, within the same program run.
    pub(super) neighbors: (Option<OpId>, Option<OpId>),
}

/// One kernel, copy or memset of a launch.
#[derive(Debug, Clone, Copy)]
pub(super) struct GraphKernel {
    pub(super) slice: SliceId,
    pub(super) label: LabelId,
    pub(super) start: i64,
    pub(super) duration: i64,
    pub(super) node: Option<u64>,
}

/// What is known of a host whose kernels are looked at.
pub(in crate::ingest) struct OfHost<'a> {
    /// Its GPUs, with the positions of their streams.
    pub(in crate::ingest) gpus: &'a [(DeviceId, Vec<usize>)],
    pub(in crate::ingest) flows: &'a HostFlows,
    pub(in crate::ingest) events: &'a TrackEvents<'a>,
    /// Runs on its GPUs.
    pub(in crate::ingest) runs: &'a [ProgramRun],
}

/// The graphs of a host.
#[derive(Default)]
pub(super) struct Collected {
    pub(super) launches: Vec<Launch>,
    /// Ops that ran separately.
    pub(super) outside: BTreeSet<OpId>,
}

/// What the kernels of one launch have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum LaunchKey {
    Correlation(u64),
    Call(SliceId),
    /// Consecutive kernels with the name of a command buffer.
    Row(usize),
}

/// A slice of a stream.
struct StreamSlice {
    slice: SliceId,
    start: i64,
    duration: i64,
    label: LabelId,
    event: u32,
}

/// Whether a call that launches graphs was recorded.
pub(super) fn has_launches(session: &Session) -> bool {
    session.labels.iter().any(|label| {
        label.kind == SliceKind::Host && launches_graph(session.strings.get(label.name))
    })
}

/// By op: whether it is not an instruction but the name of a command buffer, or the call of one.
fn command_buffer_ops(session: &Session) -> Vec<bool> {
    let ops = session.ops.iter().map(|op| {
        let name = session.strings.get(op.name);
        let hlo = session.programs[op.program.index()].hlo.as_ref();
        let instruction = hlo.and_then(|hlo| hlo.instruction(name));
        match (instruction, hlo) {
            (Some(call), Some(hlo)) if call.opcode == "call" => {
                let mut called = hlo.called_computations(call);
                called.any(|called| names_command_buffer(&called.name))
            }
            (Some(_), _) => false,
            (None, _) => names_command_buffer(name),
        }
    });
    ops.collect()
}

/// Ops that are no instructions but stand for a whole command buffer.
pub(super) struct StandIns(Vec<bool>);

impl StandIns {
    /// Among all ops.
    pub(super) fn of(session: &Session) -> Self {
        Self(command_buffer_ops(session))
    }

    pub(super) fn has_any(&self) -> bool {
        self.0.contains(&true)
    }

    /// Whether an op is one; those that are found from HLO are not.
    pub(super) fn contains(&self, op: OpId) -> bool {
        self.0.get(op.index()).copied().unwrap_or(false)
    }
}

impl Collected {
    /// The launches on the GPUs of one host.
    pub(super) fn of(session: &Session, stand_ins: &StandIns, host: &OfHost<'_>) -> Self {
        let mut collected = Self::default();
        for (device, _) in host.gpus {
            collected.add(session, stand_ins, host, *device);
        }
        collected
    }

    /// Adds the launches on one device.
    fn add(
        &mut self,
        session: &Session,
        stand_ins: &StandIns,
        host: &OfHost<'_>,
        device: DeviceId,
    ) {
        let (runs, flows, events) = (host.runs, host.flows, host.events);
        let own = runs.iter().filter(|run| run.device == device);
        let own = own.map(|run| (run.span.start.0, run.span.end.0));
        let mut runs: Vec<(i64, i64)> = own.collect();
        runs.sort_unstable();
        let run_of = |at: i64| {
            let next = runs.partition_point(|run| run.0 <= at);
            let run = next.checked_sub(1).map(|run| runs[run])?;
            (at < run.1).then_some(run.0)
        };
        let first_launch = self.launches.len();
        let mut known: FxHashMap<LaunchKey, usize> = FxHashMap::default();
        let mut row = Row::default();
        // The last op that ran separately, and the launches since.
        let mut last: Option<(OpId, i64)> = None;
        let mut since: Vec<usize> = Vec::new();
        for slice in stream_slices(session, device) {
            let label = &session.labels[slice.label.index()];
            let recorded = recorded(events, &slice);
            let op = label.op.filter(|&op| !stand_ins.contains(op));
            let is_named = label.op.is_some() && op.is_none();
            let call = launch_call(session, flows, slice.slice);
            let Some(key) = row.key(
                &slice,
                recorded,
                call,
                is_named.then_some(label.op).flatten(),
            ) else {
                if let Some(op) = op {
                    self.outside.insert(op);
                    for launch in since.drain(..) {
                        let begin = self.launches[launch].kernels[0].start;
                        if run_of(begin) == run_of(slice.start) {
                            self.launches[launch].neighbors.1 = Some(op);
                        }
                    }
                    last = Some((op, slice.start));
                }
                continue;
            };
            let number = *known.entry(key).or_insert_with(|| {
                let before = last.filter(|&(_, at)| run_of(at) == run_of(slice.start));
                self.launches.push(Launch {
                    device,
                    program: None,
                    name: String::new(),
                    graph: 0,
                    detail: GraphDetail::Nodes,
                    kernels: Vec::new(),
                    neighbors: (before.map(|(op, _)| op), None),
                });
                since.push(self.launches.len() - 1);
                self.launches.len() - 1
            });
            self.launches[number].add(session, &slice, recorded, call, is_named);
        }
        for launch in &mut self.launches[first_launch..] {
            if launch.detail == GraphDetail::Nodes
                && launch.kernels.iter().any(|kernel| kernel.node.is_none())
            {
                launch.detail = GraphDetail::Kernels;
            }
        }
    }
}

impl Launch {
    fn add(
        &mut self,
        session: &Session,
        slice: &StreamSlice,
        recorded: Option<(Option<u64>, GraphStats)>,
        call: Option<SliceId>,
        is_named: bool,
    ) {
        let label = &session.labels[slice.label.index()];
        let stats = recorded.map(|(_, stats)| stats).unwrap_or_default();
        self.program = self.program.or(label.program);
        if self.name.is_empty()
            && let Some(op) = label.op.filter(|_| is_named)
        {
            let name = session.strings.get(session.ops[op.index()].name);
            command_buffer_name(name).clone_into(&mut self.name);
        }
        if self.name.is_empty()
            && self.kernels.is_empty()
            && let Some(name) = call.and_then(|call| named_by_host(session, call, self.program))
        {
            name.clone_into(&mut self.name);
        }
        if self.graph == 0 {
            self.graph = stats.graph;
        }
        if stats.is_whole {
            self.detail = GraphDetail::Whole;
        }
        self.kernels.push(GraphKernel {
            slice: slice.slice,
            label: slice.label,
            start: slice.start,
            duration: slice.duration,
            node: stats.node,
        });
    }
}

/// Consecutive kernels with the same command buffer name.
#[derive(Default)]
struct Row {
    op: Option<OpId>,
    number: usize,
}

impl Row {
    /// The launch of a slice; `None` if it is not part of a graph.
    fn key(
        &mut self,
        slice: &StreamSlice,
        recorded: Option<(Option<u64>, GraphStats)>,
        call: Option<SliceId>,
        named: Option<OpId>,
    ) -> Option<LaunchKey> {
        if named != self.op {
            (self.op, self.number) = (named, self.number + 1);
        }
        match (recorded, call) {
            (Some((Some(correlation), _)), _) => Some(LaunchKey::Correlation(correlation)),
            (_, Some(call)) => Some(LaunchKey::Call(call)),
            // Without launch IDs, each slice that mentions a graph is a separate launch.
            (Some(_), None) if named.is_none() => Some(LaunchKey::Call(slice.slice)),
            _ => named.map(|_| LaunchKey::Row(self.number)),
        }
    }
}

/// What a slice recorded about graphs: ID of the launch, and the rest.
fn recorded(events: &TrackEvents<'_>, slice: &StreamSlice) -> Option<(Option<u64>, GraphStats)> {
    let event = events.get(slice.slice.track, slice.event)?;
    Some((event.correlation, event.stats))
}

/// The host call that launched the graph of a slice.
fn launch_call(session: &Session, flows: &HostFlows, slice: SliceId) -> Option<SliceId> {
    let launch = flows
        .to_slice(slice)
        .find(|flow| flow.kind == FlowKind::Launch)?;
    launches_graph(host_name(session, launch.from)).then_some(launch.from)
}

fn host_name(session: &Session, slice: SliceId) -> &str {
    let lane = &session.tracks[slice.track.index()].lanes[slice.lane as usize];
    let label = lane.labels()[slice.index as usize];
    session.strings.get(session.labels[label.index()].name)
}

/// The command buffer of a launch, according to the host slices around it.
fn named_by_host(session: &Session, call: SliceId, program: Option<ProgramId>) -> Option<&str> {
    let track = &session.tracks[call.track.index()];
    let hlo = program.and_then(|program| session.programs[program.index()].hlo.as_ref());
    let lane = &track.lanes[call.lane as usize];
    let start = lane.span(call.index as usize).start;
    let around: Vec<(u32, u32)> = track.running_at(start).collect();
    around.into_iter().rev().find_map(|(lane, index)| {
        let label = track.lanes[lane as usize].labels()[index as usize];
        let name = session.labels[label.index()].name;
        let text = command_buffer_name(session.strings.get(name));
        let is_call = || {
            let call = hlo.and_then(|hlo| hlo.instruction(text));
            call.is_some_and(|call| call.opcode == "call")
        };
        (names_command_buffer(text) || is_call()).then_some(text)
    })
}

/// All slices of a device's streams, by start.
fn stream_slices(session: &Session, device: DeviceId) -> Vec<StreamSlice> {
    let mut found = Vec::new();
    for (position, track) in session.tracks.iter().enumerate() {
        if track.device != Some(device) || track.role != TrackRole::Stream {
            continue;
        }
        for (lane_number, lane) in (0..).zip(&track.lanes) {
            for index in 0..lane.len() {
                let label = lane.labels()[index];
                if !session.labels[label.index()].kind.is_work() {
                    continue;
                }
                found.push(StreamSlice {
                    slice: SliceId {
                        track: TrackId::from_index(position),
                        lane: lane_number,
                        index: u32::try_from(index).unwrap_or(u32::MAX),
                    },
                    start: lane.starts()[index],
                    duration: lane.span(index).duration().0,
                    label,
                    event: lane.events()[index],
                });
            }
        }
    }
    found.sort_unstable_by_key(|slice| (slice.start, slice.slice));
    found
}
