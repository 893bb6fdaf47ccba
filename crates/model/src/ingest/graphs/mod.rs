//! Ops of kernels that were launched by CUDA and HIP graphs (XLA's command buffers).
//!
//! Such kernels name no op: one call launched them all. Which op a kernel executes follows from the
//! program's schedule, since XLA builds a graph by walking over it:
//!
//! ```text
//! collect   launches: kernels of one call, with program, command buffer, and neighbors
//! unit      launches of one graph combined, node by node
//! work      units with what their nodes say about their ops
//! schedule  ops of the program that launch kernels, in order, and what their kernels are called
//! scope     the part of the schedule that the graph is
//! align     nodes to ops: by name, then by order between names
//! apply     labels with their ops
//! ```
//!
//! Ambiguous nodes are left open, with a reason. Run time is proportional to the number of kernels,
//! and sessions without graphs are skipped.

mod align;
mod apply;
mod candidates;
mod collect;
mod library;
mod nodes;
mod schedule;
mod scope;
mod sequence;
#[cfg(test)]
mod tests;
mod unit;
mod work;

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use align::{Found, align};
use apply::{Apply, Given};
pub(super) use collect::OfHost;
use collect::{Collected, Launch, StandIns, has_launches};
use nodes::Programs;
use scope::{Surroundings, scope};
use work::{Work, prepare};

use crate::graphs::{GraphDetail, OpenReason};
use crate::ids::ProgramId;
use crate::session::Session;

/// Finds the ops of kernels launched by graphs, and reports in [`Session::graphs`] how: host by host,
/// from what the same host recorded, so that no more than one host's kernels are in memory.
pub(super) struct Attributor {
    stand_ins: StandIns,
    programs: Programs,
    given: Given,
}

impl Attributor {
    /// `None` if no event, call, or op mentions graphs.
    pub(super) fn of(session: &Session, has_events: bool) -> Option<Self> {
        let stand_ins = StandIns::of(session);
        let is_any = has_events || stand_ins.has_any() || has_launches(session);
        is_any.then(|| Self {
            stand_ins,
            programs: Programs::of(session),
            given: Given::of(session),
        })
    }

    /// The kernels of one host. Returns how many got an op that named none before.
    pub(super) fn host(&mut self, session: &mut Session, host: &OfHost<'_>) -> usize {
        let mut collected = Collected::of(session, &self.stand_ins, host);
        if collected.launches.is_empty() {
            return 0;
        }
        self.programs.add_launching(session, &mut collected);
        let work = prepare(session, &collected, &self.stand_ins, &self.programs);
        let results = solve(&collected, &self.programs, &work);
        Apply::new(session, &collected, &mut self.given).run(&work, results)
    }
}

/// What is known about a program's ops before aligning.
#[derive(Default)]
struct Known {
    /// Ops that ran separately.
    outside: FxHashSet<u32>,
    /// Ops that are known to be part of a graph, and the graph's family.
    claimed: FxHashMap<u32, usize>,
}

fn known(collected: &Collected, programs: &Programs, work: &[Work]) -> BTreeMap<ProgramId, Known> {
    let mut known: BTreeMap<ProgramId, Known> = BTreeMap::new();
    for &op in &collected.outside {
        if let Some((program, instruction)) = programs.instruction_of(op) {
            known
                .entry(program)
                .or_default()
                .outside
                .insert(instruction);
        }
    }
    for work in work {
        let Some(program) = work.key.program else {
            continue;
        };
        let known = known.entry(program).or_default();
        for (op, _) in work.nodes.iter().filter_map(|node| node.known) {
            known.claimed.entry(op).or_insert(work.family);
        }
    }
    for known in known.values_mut() {
        // The first run of a program goes op by op: then what ran separately may also be in graphs.
        let Known { outside, claimed } = known;
        if outside.iter().any(|op| claimed.contains_key(op)) {
            outside.clear();
        }
    }
    known
}

/// The op of each node of each unit.
fn solve(collected: &Collected, programs: &Programs, work: &[Work]) -> Vec<Vec<Found>> {
    let known = known(collected, programs, work);
    let mut results: Vec<Vec<Found>> = work
        .iter()
        .map(|work| one(&collected.launches, programs, work, &known))
        .collect();
    contradictions(work, &mut results);
    results
}

fn one(
    launches: &[Launch],
    programs: &Programs,
    work: &Work,
    known: &BTreeMap<ProgramId, Known>,
) -> Vec<Found> {
    let all = |reason| vec![Found::Open(reason); work.unit.labels.len()];
    if work.key.detail == GraphDetail::Whole {
        return all(OpenReason::Whole);
    }
    let Some(program) = work.key.program else {
        return all(OpenReason::NoProgram);
    };
    let Some(kernels) = programs.kernels(program) else {
        return all(OpenReason::NoHlo);
    };
    let (before, after) = work.unit.neighbors(launches);
    let own = |op| {
        let (of, instruction) = programs.instruction_of(op)?;
        (of == program).then_some(instruction)
    };
    let empty = Known::default();
    let known = known.get(&program).unwrap_or(&empty);
    let around = Surroundings {
        name: &work.key.name,
        outside: &known.outside,
        claimed: &known.claimed,
        family: work.family,
        neighbors: (before.and_then(own), after.and_then(own)),
    };
    let by_time = work.key.detail == GraphDetail::Kernels;
    match scope(&work.nodes, kernels, &around) {
        Some(scope) => align(&work.nodes, &scope, by_time),
        None => all(OpenReason::NoPlace),
    }
    .into_iter()
    .zip(&work.nodes)
    .map(|(found, node)| match node.known {
        // A unique name identifies its op wherever the graph is.
        Some((op, how)) => Found::Op(op, how),
        None => found,
    })
    .collect()
}

/// Nodes assigned to different ops in two units of the same graph, each by order: neither is kept.
fn contradictions(work: &[Work], results: &mut [Vec<Found>]) {
    let mut first = 0;
    while first < work.len() {
        let key = &work[first].key;
        let count = work[first..]
            .iter()
            .take_while(|work| work.key == *key)
            .count();
        let mut ops: FxHashMap<u64, Option<u32>> = FxHashMap::default();
        for (work, results) in work[first..first + count].iter().zip(&results[first..]) {
            for (&node, &position) in &work.unit.positions {
                let Some(op) = results[position].op() else {
                    continue;
                };
                let entry = ops.entry(node).or_insert(Some(op));
                if *entry != Some(op) {
                    *entry = None;
                }
            }
        }
        for (work, results) in work[first..first + count].iter().zip(&mut results[first..]) {
            for (node, &position) in &work.unit.positions {
                let is_known = work
                    .nodes
                    .get(position)
                    .is_some_and(|node| node.known.is_some());
                if ops.get(node) == Some(&None) && !is_known {
                    results[position] = Found::Open(OpenReason::Disagree);
                }
            }
        }
        first += count;
    }
}
