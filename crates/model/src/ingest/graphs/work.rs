//! Units of graphs with what their nodes say about their ops, ready to be aligned.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::candidates::Node;
use super::collect::{Collected, StandIns};
use super::nodes::Programs;
use super::unit::{GraphKey, Unit, units};
use crate::graphs::GraphDetail;
use crate::ids::ProgramId;
use crate::session::Session;

/// One unit of one graph, ready to be aligned.
pub(super) struct Work {
    pub(super) key: GraphKey,
    pub(super) unit: Unit,
    pub(super) nodes: Vec<Node>,
    /// The same for units that are known to be the same part of a program.
    pub(super) family: usize,
}

pub(super) fn prepare(
    session: &Session,
    collected: &Collected,
    stand_ins: &StandIns,
    programs: &Programs,
) -> Vec<Work> {
    let mut graphs: BTreeMap<GraphKey, Vec<usize>> = BTreeMap::new();
    for (position, launch) in collected.launches.iter().enumerate() {
        graphs
            .entry(GraphKey::of(launch))
            .or_default()
            .push(position);
    }
    let mut families: FxHashMap<(ProgramId, Family), usize> = FxHashMap::default();
    let mut work = Vec::new();
    for (key, own) in graphs {
        for unit in units(session, &collected.launches, &own) {
            let nodes = match key.program.filter(|_| key.detail != GraphDetail::Whole) {
                Some(program) => programs.nodes(session, program, &unit.labels, stand_ins),
                None => Vec::new(),
            };
            let first = nodes.iter().filter_map(|node| Some(node.known?.0)).min();
            let name = match (key.name.is_empty(), first) {
                (false, _) => Family::Named(key.name.clone()),
                (true, Some(op)) => Family::From(op),
                (true, None) => Family::Unknown(work.len()),
            };
            let next = families.len();
            let family = key.program.map_or(next, |program| {
                *families.entry((program, name)).or_insert(next)
            });
            work.push(Work {
                key: key.clone(),
                unit,
                nodes,
                family,
            });
        }
    }
    work
}

/// What identifies graphs as the same part of a program: one is built for each device, and again if
/// memory moves.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Family {
    Named(String),
    /// The first known op.
    From(u32),
    Unknown(usize),
}
