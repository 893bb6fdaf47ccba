//! The graph that is replayed: what happened as nodes, what waited for what as edges.
//!
//! ```text
//! stream 7   [ dot.1 ]·delay·[ dot.4 ]        node: a stretch of work, or an instant
//!               │ data          ▲             edge: the node starts no earlier than the other's
//! stream 14     └──▶[ all-red ]─┘                   end (or start) plus the edge's lag
//! ```
//!
//! A node starts at the latest of its edges plus its own *delay*, the gap that no known dependency
//! explains. Delays, durations and lags are measured; starts are not kept as weights.

use rustc_hash::FxHashMap;

/// Stands in for a label, track or node that does not exist.
pub(crate) const NONE: u32 = u32::MAX;

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// A stretch of an op, kernel or copy in which nothing nested runs.
    Work,
    /// A device arrives at a collective.
    Arrive,
    /// The last participant of a collective has arrived.
    Meet,
    /// A collective or an asynchronous op is done, as far as the device waits for it.
    Release,
    /// A stretch of a host thread.
    Host,
    /// A host thread continues after it waited.
    Resume,
    /// An instant: where a thread's recording or a step begins or ends.
    Mark,
}

/// Why a node waits for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeKind {
    /// The work before it on the same core or stream.
    Order,
    /// The call that launched it.
    Launch,
    /// The call that launched the first work of a program run.
    RunLaunch,
    /// The start of the asynchronous op, whose rest takes this long.
    Pair,
    /// The same, for an op that ended before the device needed it: it took at most this long.
    HiddenPair,
    /// The last arrival at a collective, whose transfer takes this long.
    Transfer,
    /// The same, for a collective that ended before the device needed it: at most this long.
    HiddenTransfer,
    /// One arrival at a collective.
    Arrival,
    /// The own arrival at a collective, or the own start of an asynchronous one.
    Own,
    /// An operand, from the program.
    Data,
    /// Work of another stream that ended just before, which suggests that it was waited for.
    Inferred,
    /// The work before it on the same device.
    Device,
    /// What the host thread did before.
    HostOrder,
    /// Work of a device that the host waited for.
    HostWait,
    /// Work of a device that ended while nothing of the host thread was recorded, so the thread most
    /// likely waited for it.
    Silent,
    /// Work of a device that the host may have waited for while little of it was recorded.
    Loose,
    /// A call on another thread that handed the work over.
    HandOver,
}

impl EdgeKind {
    /// Whether a change of the network changes its lag.
    pub(crate) const fn is_transfer(self) -> bool {
        matches!(self, Self::Transfer | Self::HiddenTransfer)
    }

    /// Whether it is guessed for a thread of which nothing was recorded. The work ended where the
    /// thread was cut, so that it delays nothing as recorded.
    const fn is_guess(self) -> bool {
        matches!(self, Self::Silent | Self::Loose)
    }

    /// Whether its lag is only an upper bound.
    pub(crate) const fn is_hidden(self) -> bool {
        matches!(self, Self::HiddenPair | Self::HiddenTransfer)
    }

    /// Whether it follows from the order of one lane, which contradicts no other.
    const fn is_order(self) -> bool {
        matches!(self, Self::Order | Self::HostOrder)
    }
}

/// Why a node started later than everything it is known to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The launch took this long to arrive.
    Launch,
    /// A short gap between two pieces of work.
    Short,
    /// The device paused although it had work.
    Pause,
    /// The host kept it waiting; see [`Graph::causes`].
    Host,
    /// A host thread took this long to continue after what it waited for.
    Wake,
    /// The recording begins.
    Origin,
}

/// One node, 56 bytes.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    /// Its recorded start on aligned clocks. Only weights follow from it: a replay does not read it.
    pub start_ps: i64,
    /// How long it takes.
    pub duration_ps: i64,
    /// The gap before it that no edge explains.
    pub delay_ps: i64,
    /// The same without inferred edges.
    pub sure_delay_ps: i64,
    /// Its label; `u32::MAX` without one.
    pub label: u32,
    /// Its track; `u32::MAX` for a meeting.
    pub track: u32,
    /// Its slice: the lane.
    pub lane: u32,
    /// Its slice: the position in the lane.
    pub index: u32,
    /// What it is.
    pub kind: NodeKind,
    /// Why it is delayed.
    pub why: Why,
}

impl Node {
    /// An instant without a label.
    pub(crate) fn instant(kind: NodeKind, track: u32, at_ps: i64) -> Self {
        Self {
            start_ps: at_ps,
            duration_ps: 0,
            delay_ps: 0,
            sure_delay_ps: 0,
            label: NONE,
            track,
            lane: NONE,
            index: NONE,
            kind,
            why: Why::Origin,
        }
    }

    /// Its recorded end.
    pub fn end_ps(&self) -> i64 {
        self.start_ps.saturating_add(self.duration_ps)
    }
}

/// One edge: the node that is waited for, and how.
#[derive(Debug, Clone, Copy)]
pub struct Edge {
    /// What has to happen before.
    pub from: u32,
    /// Whether its start counts instead of its end.
    pub is_from_start: bool,
    /// Why.
    pub kind: EdgeKind,
    /// Least time between the two.
    pub lag_ps: i64,
}

/// Time of one node by cause: of a host thread's stretch, or of a device's delay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CauseTime {
    /// The node.
    pub node: u32,
    /// Position of the cause, in the order of priority.
    pub cause: u8,
    /// The time.
    pub time_ps: i64,
}

/// Time of a host thread that gets shorter if what it may have waited for does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elastic {
    /// The time of which nothing was recorded.
    pub time_ps: i64,
    /// The part of it in which the thread most likely waited.
    pub silent_ps: i64,
}

/// A graph, built once per session.
#[derive(Debug, Default)]
pub struct Graph {
    /// All nodes.
    pub nodes: Vec<Node>,
    /// Edges by the node that waits: those of node `n` are `first[n]..first[n + 1]`.
    pub edges: Vec<Edge>,
    /// See `edges`.
    pub first: Vec<u32>,
    /// Every node after all that it waits for.
    pub order: Vec<u32>,
    /// Sorted by node.
    pub causes: Vec<CauseTime>,
    /// Host stretches in which the thread may have waited for a device.
    pub elastic: FxHashMap<u32, Elastic>,
    /// Dependencies that the recording contradicts in a circle; they are left out.
    pub dropped: usize,
    /// Launches recorded after what they launched began.
    pub late_launches: usize,
    /// Launches in all.
    pub launches: usize,
    /// Collectives whose participants left before the last one arrived.
    pub early_leaves: usize,
    /// Collectives that were matched over devices.
    pub meetings: usize,
}

impl Graph {
    /// What a node waits for.
    pub fn edges_of(&self, node: u32) -> &[Edge] {
        let first = self.first[node as usize] as usize;
        let end = self.first[node as usize + 1] as usize;
        &self.edges[first..end]
    }

    /// Time of a node by cause.
    pub(crate) fn causes_of(&self, node: u32) -> &[CauseTime] {
        let first = self.causes.partition_point(|one| one.node < node);
        let end = self.causes.partition_point(|one| one.node <= node);
        &self.causes[first..end]
    }
}

/// A graph while it is built.
#[derive(Default)]
pub(crate) struct Builder {
    pub(crate) graph: Graph,
    /// For each node: the recorded time of the latest that it waits for; none yet: the minimum.
    latest: Vec<i64>,
    edges: Vec<(u32, Edge)>,
}

impl Builder {
    /// Adds a node.
    pub(crate) fn add(&mut self, node: Node) -> u32 {
        self.graph.nodes.push(node);
        self.latest.push(i64::MIN);
        u32::try_from(self.graph.nodes.len() - 1).unwrap_or(NONE)
    }

    /// Makes `to` wait for the end of `from`.
    pub(crate) fn wait(&mut self, to: u32, from: u32, kind: EdgeKind, lag_ps: i64) {
        let at = self.graph.nodes[from as usize].end_ps();
        self.push(to, from, kind, lag_ps, at, false);
    }

    fn push(&mut self, to: u32, from: u32, kind: EdgeKind, lag_ps: i64, at: i64, start: bool) {
        if !kind.is_guess() {
            let latest = &mut self.latest[to as usize];
            *latest = (*latest).max(at.saturating_add(lag_ps));
        }
        let edge = Edge {
            from,
            is_from_start: start,
            kind,
            lag_ps,
        };
        self.edges.push((to, edge));
    }

    /// The recorded time of the latest that a node waits for so far.
    pub(crate) fn latest(&self, node: u32) -> Option<i64> {
        Some(self.latest[node as usize]).filter(|&latest| latest != i64::MIN)
    }

    /// Sorts edges by node, finds an order, and measures delays.
    pub(crate) fn finish(mut self) -> Graph {
        self.latest = Vec::new();
        let edges = std::mem::take(&mut self.edges);
        self.graph.sort(edges);
        self.graph.arrange();
        self.graph.measure_delays();
        self.graph
    }
}

impl Graph {
    fn sort(&mut self, edges: Vec<(u32, Edge)>) {
        let mut first = vec![0u32; self.nodes.len() + 1];
        for (to, _) in &edges {
            first[*to as usize + 1] += 1;
        }
        for position in 1..first.len() {
            first[position] += first[position - 1];
        }
        let mut next = first.clone();
        let nothing = Edge {
            from: NONE,
            is_from_start: false,
            kind: EdgeKind::Order,
            lag_ps: 0,
        };
        let mut sorted = vec![nothing; edges.len()];
        for (to, edge) in edges {
            let place = &mut next[to as usize];
            sorted[*place as usize] = edge;
            *place += 1;
        }
        self.edges = sorted;
        self.first = first;
    }

    /// Kahn's order. Edges of a circle can only stem from clocks that disagree: those that do not
    /// follow from the order of a lane are dropped and counted.
    fn arrange(&mut self) {
        if self.try_arrange() {
            return;
        }
        let mut is_placed = vec![false; self.nodes.len()];
        for &node in &self.order {
            is_placed[node as usize] = true;
        }
        let mut kept = Vec::with_capacity(self.edges.len());
        for to in 0..self.nodes.len() {
            let node = u32::try_from(to).unwrap_or(NONE);
            for &edge in self.edges_of(node) {
                let is_circular = !is_placed[to] && !is_placed[edge.from as usize];
                if is_circular && !edge.kind.is_order() {
                    continue;
                }
                kept.push((node, edge));
            }
        }
        self.dropped = self.edges.len() - kept.len();
        self.sort(kept);
        self.try_arrange();
    }

    fn try_arrange(&mut self) -> bool {
        let count = self.nodes.len();
        let mut followers = vec![0u32; count + 1];
        for edge in &self.edges {
            followers[edge.from as usize + 1] += 1;
        }
        for position in 1..followers.len() {
            followers[position] += followers[position - 1];
        }
        let mut next = followers.clone();
        let mut targets = vec![0u32; self.edges.len()];
        let mut waits_for = vec![0u32; count];
        for (node, waits) in waits_for.iter_mut().enumerate() {
            let node = u32::try_from(node).unwrap_or(NONE);
            let edges = self.first[node as usize] as usize..self.first[node as usize + 1] as usize;
            *waits = u32::try_from(edges.len()).unwrap_or(NONE);
            for edge in &self.edges[edges] {
                let place = &mut next[edge.from as usize];
                targets[*place as usize] = node;
                *place += 1;
            }
        }
        let mut order: Vec<u32> = (0..u32::try_from(count).unwrap_or(NONE))
            .filter(|&node| waits_for[node as usize] == 0)
            .collect();
        order.reserve(count - order.len());
        let mut done = 0;
        while let Some(&node) = order.get(done) {
            done += 1;
            let own = followers[node as usize] as usize..followers[node as usize + 1] as usize;
            for &target in &targets[own] {
                let left = &mut waits_for[target as usize];
                *left -= 1;
                if *left == 0 {
                    order.push(target);
                }
            }
        }
        self.order = order;
        self.order.len() == count
    }

    /// Delay = recorded start − the latest that the node waits for. Never negative: where the
    /// recording contradicts a dependency, the replay is late, and admission sees it.
    fn measure_delays(&mut self) {
        for node in 0..self.nodes.len() {
            let edges = self.first[node] as usize..self.first[node + 1] as usize;
            let (mut latest, mut sure) = (None::<(i64, EdgeKind)>, None::<i64>);
            for edge in &self.edges[edges] {
                let from = &self.nodes[edge.from as usize];
                let at = if edge.is_from_start {
                    from.start_ps
                } else {
                    from.end_ps()
                };
                let at = at.saturating_add(edge.lag_ps);
                if edge.kind.is_guess() {
                    continue;
                }
                if latest.is_none_or(|(known, _)| at > known) {
                    latest = Some((at, edge.kind));
                }
                if edge.kind != EdgeKind::Inferred {
                    sure = Some(sure.map_or(at, |known: i64| known.max(at)));
                }
            }
            let own = &mut self.nodes[node];
            let delay = |after: i64| own.start_ps.saturating_sub(after).max(0);
            let (delay_ps, sure_delay_ps) = (
                delay(latest.map_or(0, |(at, _)| at)),
                delay(sure.unwrap_or(0)),
            );
            own.delay_ps = delay_ps;
            own.sure_delay_ps = sure_delay_ps;
            own.why = match (own.kind, latest) {
                (_, None) => Why::Origin,
                (NodeKind::Resume, _) => Why::Wake,
                (_, Some((_, EdgeKind::Launch | EdgeKind::RunLaunch))) => Why::Launch,
                _ => Why::Short,
            };
        }
    }
}
