//! Replays a graph: when every node starts, from what it waits for alone.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::effects::{Effects, Reading};
use super::graph::{Edge, EdgeKind, Elastic, Graph, Node, NodeKind, Why};

/// When every node starts and ends.
#[derive(Debug, Clone)]
pub struct Times {
    /// By node.
    pub start_ps: Vec<i64>,
    /// By node.
    pub end_ps: Vec<i64>,
}

/// By node, how much shorter it gets if late participants of collectives catch up.
#[derive(Debug, Default)]
pub(super) struct Catching {
    /// Stretches of host threads, and delays that a host causes.
    pub(super) host_ps: BTreeMap<u32, i64>,
    /// Work of devices.
    pub(super) work_ps: FxHashMap<u32, i64>,
}

/// The weights of a graph under a change.
pub struct Weights<'a> {
    graph: &'a Graph,
    effects: &'a Effects,
    reading: Reading,
    /// Time by which a node gets shorter because causes are gone.
    gone_ps: FxHashMap<u32, i64>,
    /// Time by which work gets shorter because late participants of collectives catch up.
    caught_ps: FxHashMap<u32, i64>,
}

impl<'a> Weights<'a> {
    /// The weights under `effects`.
    pub fn new(graph: &'a Graph, effects: &'a Effects, reading: Reading) -> Self {
        let mut gone_ps: FxHashMap<u32, i64> = FxHashMap::default();
        if effects.gone.contains(&true) {
            for one in &graph.causes {
                if effects.gone[usize::from(one.cause)] {
                    *gone_ps.entry(one.node).or_default() += one.time_ps;
                }
            }
        }
        Self {
            graph,
            effects,
            reading,
            gone_ps,
            caught_ps: FxHashMap::default(),
        }
    }

    /// The same where late participants catch up.
    pub(super) fn catching_up(mut self, catching: Catching) -> Self {
        for (node, time_ps) in catching.host_ps {
            let gone_ps = self.gone_ps.entry(node).or_default();
            *gone_ps = gone_ps.saturating_add(time_ps);
        }
        self.caught_ps = catching.work_ps;
        self
    }

    /// How long a node takes.
    pub fn duration_ps(&self, number: u32) -> i64 {
        let node = &self.graph.nodes[number as usize];
        if node.duration_ps == 0 {
            return 0;
        }
        if node.kind != NodeKind::Host {
            let factor = self.effects.work_factor(node.label, self.reading);
            let caught_ps = self.caught_ps.get(&number).copied().unwrap_or(0);
            return scaled(node.duration_ps - caught_ps, factor);
        }
        let elastic = self.graph.elastic.get(&number);
        let waited = |one: &Elastic| match self.reading {
            Reading::Most => one.time_ps,
            Reading::Likely => one.silent_ps,
            Reading::Least => 0,
        };
        let waited_ps = elastic.map_or(0, waited);
        (node.duration_ps - waited_ps - self.gone(number)).max(0)
    }

    /// The gap before a node.
    pub fn delay_ps(&self, number: u32) -> i64 {
        let node = &self.graph.nodes[number as usize];
        let delay_ps = match self.reading {
            Reading::Least => node.sure_delay_ps,
            _ => node.delay_ps,
        };
        if delay_ps == 0 || node.why == Why::Origin {
            return delay_ps;
        }
        if self.effects.launches_ahead && matches!(node.why, Why::Launch | Why::Wake) {
            return 0;
        }
        let is_launch = matches!(node.why, Why::Launch | Why::Short);
        if is_launch && self.effects.has_launches && self.effects.is_merged(node.label) {
            return 0;
        }
        // A pause before an op may be the op's own doing, or befall whatever runs next.
        let may_pause = node.why == Why::Pause && self.reading == Reading::Most;
        // The launch of a run is late for whatever op runs first.
        let begins_run = node.why == Why::Launch && {
            let mut edges = self.graph.edges_of(number).iter();
            edges.any(|edge| edge.kind == EdgeKind::RunLaunch)
        };
        let belongs_to_op = (is_launch && !begins_run) || may_pause;
        if belongs_to_op && node.kind != NodeKind::Mark && self.effects.is_removed(node.label) {
            return 0;
        }
        match node.why {
            Why::Host | Why::Launch => {
                // Causes are those of the longer delay; of the shorter one, the same share.
                let share = delay_ps as f64 / node.sure_delay_ps.max(1) as f64;
                delay_ps - scaled(self.gone(number), share).min(delay_ps)
            }
            _ => delay_ps,
        }
    }

    fn gone(&self, number: u32) -> i64 {
        if self.gone_ps.is_empty() {
            return 0;
        }
        self.gone_ps.get(&number).copied().unwrap_or(0)
    }

    /// The least time between what an edge joins; none if the edge does not count.
    pub fn lag_ps(&self, to: &Node, edge: &Edge) -> Option<i64> {
        match edge.kind {
            EdgeKind::Inferred | EdgeKind::Silent if self.reading == Reading::Least => None,
            EdgeKind::Loose if self.reading != Reading::Most => None,
            EdgeKind::HostWait | EdgeKind::Silent | EdgeKind::Loose
                if self.effects.launches_ahead =>
            {
                None
            }
            EdgeKind::Launch if self.effects.is_merged(to.label) => None,
            // What the host did before it launched this, it did before the next launch, too: where threads
            // may have waited for this, nothing else would keep that time. Never the launch of a run: its
            // other work would no longer wait for the host.
            EdgeKind::Launch
                if self.reading == Reading::Most && self.effects.is_removed(to.label) =>
            {
                None
            }
            EdgeKind::Transfer | EdgeKind::HiddenTransfer | EdgeKind::Arrival
                if self.effects.is_removed(to.label) =>
            {
                None
            }
            // How long the launch took to arrive matters only if the device has nothing else to do.
            EdgeKind::Launch | EdgeKind::RunLaunch
                if self.effects.launches_ahead && to.why == Why::Launch =>
            {
                let delay_ps = match self.reading {
                    Reading::Least => to.sure_delay_ps,
                    _ => to.delay_ps,
                };
                Some(edge.lag_ps.saturating_add(delay_ps))
            }
            kind if kind.is_hidden() && self.reading == Reading::Most => Some(0),
            kind if kind.is_transfer() => {
                Some(scaled(edge.lag_ps, self.effects.transfer_factor(to.label)))
            }
            EdgeKind::Pair | EdgeKind::HiddenPair => {
                let factor = self.effects.rest_factor(to.label, self.reading);
                Some(scaled(edge.lag_ps, factor))
            }
            _ => Some(edge.lag_ps),
        }
    }

    /// Replays the graph.
    pub fn replay(&self) -> Times {
        let count = self.graph.nodes.len();
        let mut times = Times {
            start_ps: vec![0; count],
            end_ps: vec![0; count],
        };
        for &number in &self.graph.order {
            let ready_ps = self.ready(number, &times).map_or(0, |(at, _)| at);
            let start_ps = ready_ps.saturating_add(self.delay_ps(number));
            times.start_ps[number as usize] = start_ps;
            times.end_ps[number as usize] = start_ps.saturating_add(self.duration_ps(number));
        }
        times
    }

    /// When everything that a node waits for is over, and the edge that is last.
    pub fn ready(&self, number: u32, times: &Times) -> Option<(i64, Edge)> {
        let node = &self.graph.nodes[number as usize];
        let edges = self.graph.edges_of(number);
        let at = |edge: &Edge| {
            let lag_ps = self.lag_ps(node, edge)?;
            let from = edge.from as usize;
            let base = if edge.is_from_start {
                times.start_ps[from]
            } else {
                times.end_ps[from]
            };
            Some((base.saturating_add(lag_ps), *edge))
        };
        // Of several that end together, the first recorded edge: the order of the lane.
        edges
            .iter()
            .filter_map(at)
            .reduce(|best, next| if next.0 > best.0 { next } else { best })
    }
}

/// A time scaled by a factor, rounded to picoseconds.
#[expect(
    clippy::cast_possible_truncation,
    clippy::float_cmp,
    reason = "saturation is intended, and 1 is exact"
)]
pub(super) fn scaled(time_ps: i64, factor: f64) -> i64 {
    if factor == 1.0 {
        return time_ps;
    }
    (time_ps as f64 * factor).round() as i64
}

/// Latest end of every node with which no `limit` gets later; none if nothing depends on it.
pub(crate) fn latest_ends(weights: &Weights<'_>, limits: &[(u32, bool, i64)]) -> Vec<Option<i64>> {
    let graph = weights.graph;
    let mut latest: Vec<Option<i64>> = vec![None; graph.nodes.len()];
    let tighten = |known: &mut Option<i64>, limit: i64| {
        *known = Some(known.map_or(limit, |known| known.min(limit)));
    };
    for &(node, is_start, at_ps) in limits {
        let end = if is_start {
            at_ps.saturating_add(weights.duration_ps(node))
        } else {
            at_ps
        };
        tighten(&mut latest[node as usize], end);
    }
    for &number in graph.order.iter().rev() {
        let Some(end) = latest[number as usize] else {
            continue;
        };
        let before = end - weights.duration_ps(number) - weights.delay_ps(number);
        let node = &graph.nodes[number as usize];
        for edge in graph.edges_of(number) {
            let Some(lag_ps) = weights.lag_ps(node, edge) else {
                continue;
            };
            let mut limit = before - lag_ps;
            if edge.is_from_start {
                limit += weights.duration_ps(edge.from);
            }
            tighten(&mut latest[edge.from as usize], limit);
        }
    }
    latest
}
