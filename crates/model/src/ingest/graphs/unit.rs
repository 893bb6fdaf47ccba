//! Launches of one graph combined: what all of them say about its nodes.
//!
//! A graph runs the same nodes every time, so a node that one launch lost is in another. If a node
//! runs something else than before, the graph was rebuilt, and a new unit starts.

use std::collections::BTreeMap;
use std::hash::{Hash as _, Hasher as _};

use rustc_hash::{FxHashMap, FxHasher};

use super::collect::{GraphKernel, Launch};
use crate::graphs::GraphDetail;
use crate::ids::{DeviceId, LabelId, OpId, ProgramId, StringId};
use crate::session::Session;
use crate::vendor::graphs::{LibraryWork, library_work};

/// Identity of a graph: launches that agree in all of this ran the same one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct GraphKey {
    pub(super) device: DeviceId,
    pub(super) program: Option<ProgramId>,
    pub(super) name: String,
    pub(super) graph: u64,
    pub(super) detail: GraphDetail,
}

impl GraphKey {
    pub(super) fn of(launch: &Launch) -> Self {
        Self {
            device: launch.device,
            program: launch.program,
            name: launch.name.clone(),
            graph: launch.graph,
            detail: launch.detail,
        }
    }
}

/// Launches that ran the same nodes.
#[derive(Debug, Default)]
pub(super) struct Unit {
    /// Positions of the launches.
    pub(super) launches: Vec<usize>,
    /// A label for each node, in the order in which the graph was built, or else in time order.
    pub(super) labels: Vec<LabelId>,
    /// Positions in `labels` by the recorded IDs of nodes; empty if none are recorded.
    pub(super) positions: BTreeMap<u64, usize>,
}

impl Unit {
    /// The position of the kernel with this number in its launch.
    pub(super) fn position(&self, kernel: &GraphKernel, number: usize) -> Option<usize> {
        match kernel.node.filter(|_| !self.positions.is_empty()) {
            Some(node) => self.positions.get(&node).copied(),
            None => Some(number),
        }
    }

    /// The ops that ran separately right before and after, in most launches.
    pub(super) fn neighbors(&self, launches: &[Launch]) -> (Option<OpId>, Option<OpId>) {
        let mut votes: BTreeMap<(Option<OpId>, Option<OpId>), usize> = BTreeMap::new();
        for &launch in &self.launches {
            *votes.entry(launches[launch].neighbors).or_default() += 1;
        }
        let best = votes.into_iter().max_by_key(|&(_, count)| count);
        best.map_or((None, None), |(neighbors, _)| neighbors)
    }
}

/// What must not change between launches: the kernel, or the bytes of a copy.
type NodeFacts = (StringId, Option<u64>);

fn facts(session: &Session, label: LabelId) -> NodeFacts {
    let label = &session.labels[label.index()];
    let bytes = label.transfer.and_then(|transfer| transfer.bytes);
    (label.name, bytes)
}

/// The units of one graph, whose launches are in time order.
pub(super) fn units(session: &Session, launches: &[Launch], own: &[usize]) -> Vec<Unit> {
    let Some(&first) = own.first() else {
        return Vec::new();
    };
    match launches[first].detail {
        GraphDetail::Nodes => by_nodes(session, launches, own),
        GraphDetail::Kernels | GraphDetail::Whole => by_time(session, launches, own),
    }
}

/// A node: what it runs, and when it first started in its launch.
struct Seen {
    label: LabelId,
    facts: NodeFacts,
    at: i64,
    /// By the launch that times most nodes.
    is_timed: bool,
}

fn by_nodes(session: &Session, launches: &[Launch], own: &[usize]) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut open = Unit::default();
    let mut nodes: BTreeMap<u64, Seen> = BTreeMap::new();
    for &number in own {
        let launch = &launches[number];
        let contradicts = launch.kernels.iter().any(|kernel| {
            let seen = kernel.node.and_then(|node| nodes.get(&node));
            seen.is_some_and(|seen| seen.facts != facts(session, kernel.label))
        });
        if contradicts {
            let unit = std::mem::take(&mut open);
            units.push(close(session, launches, unit, std::mem::take(&mut nodes)));
        }
        let begin = launch.kernels[0].start;
        for kernel in &launch.kernels {
            if let Some(node) = kernel.node {
                nodes.entry(node).or_insert_with(|| Seen {
                    label: kernel.label,
                    facts: facts(session, kernel.label),
                    at: kernel.start.saturating_sub(begin),
                    is_timed: false,
                });
            }
        }
        open.launches.push(number);
    }
    units.push(close(session, launches, open, nodes));
    units
}

fn close(
    session: &Session,
    launches: &[Launch],
    mut unit: Unit,
    mut nodes: BTreeMap<u64, Seen>,
) -> Unit {
    time_by_fullest(launches, &unit, &mut nodes);
    let is_control =
        |seen: &Seen| library_work(session.strings.get(seen.facts.0)) == LibraryWork::Control;
    let order = in_order(&nodes, nodes.values().any(is_control));
    unit.labels = order.iter().map(|node| nodes[node].label).collect();
    let positions = order.into_iter().enumerate();
    unit.positions = positions.map(|(position, node)| (node, position)).collect();
    unit
}

/// Takes times from the launch with the most nodes, for times of different launches say nothing about
/// each other where one lost its first kernels.
fn time_by_fullest(launches: &[Launch], unit: &Unit, nodes: &mut BTreeMap<u64, Seen>) {
    let own = unit.launches.iter().map(|&number| &launches[number]);
    let Some(fullest) = own.max_by_key(|launch| launch.kernels.len()) else {
        return;
    };
    let begin = fullest.kernels[0].start;
    for kernel in &fullest.kernels {
        let seen = kernel.node.and_then(|node| nodes.get_mut(&node));
        if let Some(seen) = seen.filter(|seen| !seen.is_timed) {
            (seen.at, seen.is_timed) = (kernel.start.saturating_sub(begin), true);
        }
    }
}

/// Nodes in the order in which the graph was built. An ID counts within one graph, whose number is
/// in its upper half. What took the place of a node goes where it started:
///
/// ```text
/// nested graph with a number of its own   7:0  7:1  9:0  9:1  7:3
/// nested graph that became part of it     7:0  7:1  7:4  7:5  7:3     7:2 is missing
/// ```
fn in_order(nodes: &BTreeMap<u64, Seen>, has_control: bool) -> Vec<u64> {
    let mut groups: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for &node in nodes.keys() {
        groups.entry(node >> 32).or_default().push(node);
    }
    let main = groups.iter().max_by_key(|(_, nodes)| nodes.len());
    let Some(main) = main.map(|(&group, _)| group) else {
        return Vec::new();
    };
    let mut main = groups.remove(&main).unwrap_or_default();
    let mut inserted: Vec<Vec<u64>> = groups.into_values().collect();
    // Bodies of loops and branches are appended like nested graphs, but belong at the end.
    if !has_control {
        let appended = main.split_off(appended_from(&main, nodes));
        inserted.extend(appended.into_iter().map(|node| vec![node]));
    }
    // When a node or any after it started first, which ascends: the nodes before the last that started
    // by some time are those where this is not later.
    let mut earliest: Vec<i64> = main.iter().map(|node| nodes[node].at).collect();
    for at in (1..earliest.len()).rev() {
        earliest[at - 1] = earliest[at - 1].min(earliest[at]);
    }
    let mut inserted: Vec<(usize, i64, Vec<u64>)> = inserted
        .into_iter()
        .map(|group| {
            let begin = group.iter().map(|node| nodes[node].at).min().unwrap_or(0);
            (earliest.partition_point(|&at| at <= begin), begin, group)
        })
        .collect();
    inserted.sort();
    let mut order = Vec::with_capacity(nodes.len());
    let mut inserted = inserted.into_iter().peekable();
    for at in 0..=main.len() {
        while let Some((_, _, group)) = inserted.next_if(|&(before, _, _)| before == at) {
            order.extend(group);
        }
        order.extend(main.get(at));
    }
    order
}

/// The position of the first node that an inlined graph brought, among the nodes of one group. Seen
/// with CUDA 13: an inlined graph leaves a hole in the numbers, and its nodes follow after all others,
/// although they run earlier.
///
/// ```text
/// by number   0  1  3  4  │  5  6  7      2 is missing
/// by time     0  1  5  6  7  3  4         7 → 3 goes back, and 5 6 7 follow one another
/// ```
fn appended_from(main: &[u64], nodes: &BTreeMap<u64, Seen>) -> usize {
    let is_hole = |pair: &[u64]| pair[1] != pair[0] + 1;
    let starts_late = main.first().is_some_and(|first| first & 0xffff_ffff != 0);
    let last_hole = main.windows(2).rposition(is_hole).map(|at| at + 1);
    let Some(last_hole) = last_hole.or(starts_late.then_some(0)) else {
        return main.len();
    };
    let timed = main.iter().copied().filter(|node| nodes[node].is_timed);
    let mut by_time: Vec<u64> = timed.collect();
    by_time.sort_by_key(|node| (nodes[node].at, *node));
    let mut first = None;
    // The first of the consecutive numbers that lead to the node.
    let mut run_start = by_time.first().copied().unwrap_or_default();
    for pair in by_time.windows(2) {
        if pair[1] < pair[0] && run_start >= main[last_hole] {
            first = Some(first.map_or(run_start, |first: u64| first.min(run_start)));
        }
        if pair[1] != pair[0] + 1 {
            run_start = pair[1];
        }
    }
    first.map_or(main.len(), |first| {
        main.partition_point(|&node| node < first)
    })
}

/// Launches with the same kernels in the same order.
fn by_time(session: &Session, launches: &[Launch], own: &[usize]) -> Vec<Unit> {
    let mut known: FxHashMap<(usize, u64), usize> = FxHashMap::default();
    let mut units: Vec<Unit> = Vec::new();
    for &number in own {
        let kernels = &launches[number].kernels;
        let mut hasher = FxHasher::default();
        for kernel in kernels {
            facts(session, kernel.label).hash(&mut hasher);
        }
        let unit = *known
            .entry((kernels.len(), hasher.finish()))
            .or_insert_with(|| {
                units.push(Unit {
                    labels: kernels.iter().map(|kernel| kernel.label).collect(),
                    ..Unit::default()
                });
                units.len() - 1
            });
        units[unit].launches.push(number);
    }
    units
}
