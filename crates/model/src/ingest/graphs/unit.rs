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
            units.push(close(
                std::mem::take(&mut open),
                &std::mem::take(&mut nodes),
            ));
        }
        let begin = launch.kernels[0].start;
        for kernel in &launch.kernels {
            if let Some(node) = kernel.node {
                nodes.entry(node).or_insert_with(|| Seen {
                    label: kernel.label,
                    facts: facts(session, kernel.label),
                    at: kernel.start.saturating_sub(begin),
                });
            }
        }
        open.launches.push(number);
    }
    units.push(close(open, &nodes));
    units
}

fn close(mut unit: Unit, nodes: &BTreeMap<u64, Seen>) -> Unit {
    let order = in_order(nodes);
    unit.labels = order.iter().map(|node| nodes[node].label).collect();
    let positions = order.into_iter().enumerate();
    unit.positions = positions.map(|(position, node)| (node, position)).collect();
    unit
}

/// Nodes in the order in which the graph was built. An ID counts within one graph, whose number is
/// in its upper half; nested graphs that kept their own number go where they started.
fn in_order(nodes: &BTreeMap<u64, Seen>) -> Vec<u64> {
    let mut groups: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for &node in nodes.keys() {
        groups.entry(node >> 32).or_default().push(node);
    }
    let main = groups.iter().max_by_key(|(_, nodes)| nodes.len());
    let Some(main) = main.map(|(&group, _)| group) else {
        return Vec::new();
    };
    let main = groups.remove(&main).unwrap_or_default();
    let mut inserted: Vec<(usize, i64, Vec<u64>)> = groups
        .into_values()
        .map(|group| {
            let begin = group.iter().map(|node| nodes[node].at).min().unwrap_or(0);
            let before = main.iter().rposition(|node| nodes[node].at <= begin);
            (before.map_or(0, |before| before + 1), begin, group)
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
