//! The critical path of a step: from its end back to its start, over what each instant waited for.
//!
//! ```text
//! device 0   [ dot ]        [ all-reduce ][ add ]
//! device 1   [ dot   ][ mul ]▲ arrives last
//! path       ═══════════════════════════════════     the lengths of its pieces sum to the step
//! ```

use serde::Serialize;
use stepscope_model::{Class, Session};
use ts_rs::TS;

use super::graph::{Edge, EdgeKind, Graph, NodeKind, Why};
use super::run::{Times, Weights, scaled};
use super::steps::StepOn;
use crate::measuring::activity::{CAUSES, Cause};
use crate::measuring::levels::{device_levels, part_of_level};
use crate::measuring::steps::PartKind;

/// What a step waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum WaitKind {
    /// A device computes.
    Compute,
    /// Devices communicate.
    Collective,
    /// A device copies.
    Copy,
    /// A host does something before it launches the next work or ends the step.
    Host,
    /// A launch takes its time to arrive at the device.
    Launch,
    /// Nothing that was recorded explains the gap.
    Idle,
}

/// All kinds, in display order.
pub const WAIT_KINDS: [WaitKind; 6] = [
    WaitKind::Compute,
    WaitKind::Collective,
    WaitKind::Copy,
    WaitKind::Host,
    WaitKind::Launch,
    WaitKind::Idle,
];

impl WaitKind {
    /// The name on the wire and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Collective => "collective",
            Self::Copy => "copy",
            Self::Host => "host",
            Self::Launch => "launch",
            Self::Idle => "idle",
        }
    }

    /// The title that people see.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Compute => "Compute",
            Self::Collective => "Collective",
            Self::Copy => "Copy",
            Self::Host => "Host",
            Self::Launch => "Launch",
            Self::Idle => "Idle",
        }
    }

    /// What it means, as a phrase.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Compute => "a device computes",
            Self::Collective => "devices communicate",
            Self::Copy => "a device copies",
            Self::Host => "a host does something before it launches the next work",
            Self::Launch => "a launch is on its way to the device",
            Self::Idle => "a gap that nothing recorded explains",
        }
    }
}

/// One piece of a critical path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Its kind.
    pub kind: WaitKind,
    /// From, on aligned clocks.
    pub from_ps: i64,
    /// To, on aligned clocks.
    pub to_ps: i64,
    /// The node whose work or delay it is.
    pub node: u32,
    /// What is between: work, or why there is none.
    pub what: What,
}

/// What happens in a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// The work of the node.
    Work,
    /// What the host did.
    Cause(Cause),
    /// The launch was on its way.
    Launch,
    /// A gap without a known cause.
    Gap,
    /// The device paused although it had work.
    Pause,
    /// A thread continued this long after what it waited for.
    Wake,
}

/// The kinds of all labels, found once.
pub struct Kinds(Vec<WaitKind>);

impl Kinds {
    /// The kind of each label.
    pub fn of(session: &Session) -> Self {
        let levels = device_levels(session);
        let kind = |(label, level): (&stepscope_model::Label, u8)| {
            // A span of an asynchronous op has no level; its start and done have.
            if label.class == Class::Collective {
                return WaitKind::Collective;
            }
            match part_of_level(level) {
                Some(PartKind::Collectives) => WaitKind::Collective,
                Some(
                    PartKind::DeviceToDevice | PartKind::HostToDevice | PartKind::DeviceToHost,
                ) => WaitKind::Copy,
                Some(PartKind::PythonCallbacks) => WaitKind::Host,
                _ if label.class == Class::Copy => WaitKind::Copy,
                _ => WaitKind::Compute,
            }
        };
        Self(session.labels.iter().zip(levels).map(kind).collect())
    }

    /// The kind of a label; idle without one.
    pub fn kind(&self, label: u32) -> WaitKind {
        self.0
            .get(label as usize)
            .copied()
            .unwrap_or(WaitKind::Idle)
    }
}

/// The pieces of a step's critical path, in order. They sum to the step's replayed length.
pub fn critical_path(
    graph: &Graph,
    weights: &Weights<'_>,
    times: &Times,
    kinds: &Kinds,
    step: &StepOn,
) -> Vec<Piece> {
    let mut walk = Walk {
        graph,
        weights,
        kinds,
        stop_ps: step.begin.at(times),
        now_ps: step.end.at(times),
        pieces: Vec::new(),
    };
    let (mut node, mut is_start) = (step.end.node, step.end.is_start);
    let base = step.end.base(times);
    walk.work(node, base);
    while walk.now_ps > walk.stop_ps {
        if !is_start {
            walk.own(node, times.start_ps[node as usize]);
        }
        let Some((ready_ps, edge)) = weights.ready(node, times) else {
            walk.back_to(walk.stop_ps, node, WaitKind::Idle, What::Gap);
            break;
        };
        walk.delay(node, ready_ps);
        walk.edge(node, &edge, times);
        node = edge.from;
        is_start = edge.is_from_start;
    }
    walk.pieces.reverse();
    walk.pieces
}

/// Walks back in time; `now_ps` is how far it came.
struct Walk<'a> {
    graph: &'a Graph,
    weights: &'a Weights<'a>,
    kinds: &'a Kinds,
    stop_ps: i64,
    now_ps: i64,
    pieces: Vec<Piece>,
}

impl Walk<'_> {
    fn back_to(&mut self, to_ps: i64, node: u32, kind: WaitKind, what: What) {
        let from_ps = to_ps.max(self.stop_ps);
        if from_ps < self.now_ps {
            self.pieces.push(Piece {
                kind,
                from_ps,
                to_ps: self.now_ps,
                node,
                what,
            });
            self.now_ps = from_ps;
        }
    }

    fn work(&mut self, node: u32, to_ps: i64) {
        let kind = self.kinds.kind(self.graph.nodes[node as usize].label);
        let what = match kind {
            WaitKind::Idle => What::Gap,
            _ => What::Work,
        };
        self.back_to(to_ps, node, kind, what);
    }

    /// A node's own time.
    fn own(&mut self, node: u32, start_ps: i64) {
        if self.graph.nodes[node as usize].kind == NodeKind::Host {
            let duration_ps = self.graph.nodes[node as usize].duration_ps;
            self.by_cause(node, start_ps, duration_ps);
        } else {
            self.work(node, start_ps);
        }
    }

    /// The gap before a node.
    fn delay(&mut self, node: u32, ready_ps: i64) {
        let own = &self.graph.nodes[node as usize];
        match own.why {
            Why::Pause => self.back_to(ready_ps, node, WaitKind::Idle, What::Pause),
            Why::Wake => self.back_to(ready_ps, node, WaitKind::Idle, What::Wake),
            Why::Host | Why::Launch => self.by_cause(node, ready_ps, own.sure_delay_ps),
            Why::Short | Why::Origin => {
                self.back_to(ready_ps, node, WaitKind::Idle, What::Gap);
            }
        }
    }

    /// Time until now by cause, in proportion to what was recorded; the rest is not explained.
    fn by_cause(&mut self, node: u32, to_ps: i64, recorded_ps: i64) {
        let length_ps = self.now_ps - to_ps;
        let share = length_ps as f64 / recorded_ps.max(1) as f64;
        for one in self.graph.causes_of(node).iter().rev() {
            let cause = CAUSES[usize::from(one.cause)];
            let kind = match cause {
                Cause::Unknown | Cause::Device => WaitKind::Idle,
                _ => WaitKind::Host,
            };
            let piece_ps = scaled(one.time_ps, share);
            let until = self.now_ps.saturating_sub(piece_ps).max(to_ps);
            self.back_to(until, node, kind, What::Cause(cause));
        }
        let own = &self.graph.nodes[node as usize];
        let (kind, what) = match (own.kind, own.why) {
            (NodeKind::Host, _) if self.graph.causes_of(node).is_empty() => {
                (WaitKind::Host, What::Cause(Cause::Unknown))
            }
            (NodeKind::Host, _) => (WaitKind::Idle, What::Gap),
            (_, Why::Launch) => (WaitKind::Launch, What::Launch),
            _ => (WaitKind::Idle, What::Gap),
        };
        self.back_to(to_ps, node, kind, what);
    }

    /// The time between a node and what it waits for, apart from its delay.
    fn edge(&mut self, node: u32, edge: &Edge, times: &Times) {
        let from = edge.from as usize;
        let base = if edge.is_from_start {
            times.start_ps[from]
        } else {
            times.end_ps[from]
        };
        match edge.kind {
            EdgeKind::Launch | EdgeKind::RunLaunch => {
                self.back_to(base, node, WaitKind::Launch, What::Launch);
            }
            EdgeKind::Silent | EdgeKind::Loose | EdgeKind::HandOver | EdgeKind::HostWait => {
                self.back_to(base, node, WaitKind::Idle, What::Wake);
            }
            _ => self.work(node, base),
        }
        debug_assert!(
            self.weights
                .lag_ps(&self.graph.nodes[node as usize], edge)
                .is_some()
        );
    }
}
