//! Which part of a program a graph is: a computation that XLA made for it, or a part of the
//! schedule between ops that ran separately.

use rustc_hash::{FxHashMap, FxHashSet};

use super::candidates::{Node, NodeWork, Scope};
use super::schedule::{Kernels, NestedOpcode};

/// What is known about a graph's neighborhood.
#[derive(Debug)]
pub(super) struct Surroundings<'a> {
    /// XLA's name for the graph: the op that was recorded for its kernels, or its host slice.
    pub(super) name: &'a str,
    /// Ops of the program that ran separately.
    pub(super) outside: &'a FxHashSet<u32>,
    /// Ops that are known to be part of a graph, and of which one.
    pub(super) claimed: &'a FxHashMap<u32, usize>,
    /// This graph.
    pub(super) family: usize,
    /// The op that most often ran separately right before its launches, and the one right after.
    pub(super) neighbors: (Option<u32>, Option<u32>),
}

impl Surroundings<'_> {
    /// Whether the op is not part of the graph: it ran separately, or in another graph.
    fn excludes(&self, op: u32) -> bool {
        let claimed = self.claimed.get(&op);
        self.outside.contains(&op) || claimed.is_some_and(|&family| family != self.family)
    }
}

/// The candidate ops for nodes of a graph; `None` if unknown.
pub(super) fn scope(nodes: &[Node], kernels: &Kernels, around: &Surroundings<'_>) -> Option<Scope> {
    if let Some(sequence) = kernels.command_buffer(around.name) {
        return Some(whole(kernels, sequence));
    }
    let known: FxHashSet<u32> = nodes.iter().filter_map(|n| Some(n.known?.0)).collect();
    let sequence = if known.is_empty() {
        let neighbors = [around.neighbors.0, around.neighbors.1];
        let place = neighbors.into_iter().flatten().next();
        let place = place.and_then(|op| kernels.places.get(&op));
        place
            .map(|place| place.0)
            .or_else(|| by_symbols(nodes, kernels))?
    } else {
        by_known(&known, kernels)?
    };
    if kernels.sequences[sequence].is_command_buffer {
        return Some(whole(kernels, sequence));
    }
    Some(stretch(&known, kernels, around, sequence))
}

/// All of a sequence.
fn whole(kernels: &Kernels, sequence: usize) -> Scope {
    let count = kernels.sequences[sequence].ops.len();
    let mut scope = Scope {
        is_bounded: true,
        ..Scope::default()
    };
    unfold(kernels, sequence, 0..count, &mut scope);
    scope
}

/// The outermost sequence that contains known ops; of several, the one with the most.
fn by_known(known: &FxHashSet<u32>, kernels: &Kernels) -> Option<usize> {
    let mut counts: FxHashMap<usize, usize> = FxHashMap::default();
    for place in known.iter().filter_map(|op| kernels.places.get(op)) {
        *counts.entry(place.0).or_default() += 1;
    }
    let best = counts.into_iter().min_by_key(|&(sequence, count)| {
        let depth = kernels.sequences[sequence].depth;
        (depth, usize::MAX - count, sequence)
    });
    best.map(|(sequence, _)| sequence)
}

/// The sequence with the most kernels; `None` if two have equally many.
fn by_symbols(nodes: &[Node], kernels: &Kernels) -> Option<usize> {
    let symbols: FxHashSet<u32> = nodes
        .iter()
        .filter_map(|node| match node.work {
            NodeWork::Own { symbol, .. } => Some(symbol),
            _ => None,
        })
        .collect();
    let shared = kernels.sequences.iter().map(|sequence| {
        let own: FxHashSet<u32> = sequence.ops.iter().filter_map(|op| op.symbol).collect();
        own.intersection(&symbols).count()
    });
    let shared: Vec<usize> = shared.collect();
    let most = *shared.iter().max()?;
    let mut with_most = (0..shared.len()).filter(|&sequence| shared[sequence] == most);
    let found = with_most.next()?;
    let is_only = with_most.next().is_none();
    (is_only && (most > 0 || kernels.sequences.len() == 1)).then_some(found)
}

/// From the known ops of a graph outwards, up to ops that are not part of it.
fn stretch(
    known: &FxHashSet<u32>,
    kernels: &Kernels,
    around: &Surroundings<'_>,
    sequence: usize,
) -> Scope {
    let ops = &kernels.sequences[sequence].ops;
    let place = |op: &u32| kernels.places.get(op).filter(|place| place.0 == sequence);
    let own = known.iter().filter_map(place).map(|place| place.1);
    let (first, last) = (own.clone().min(), own.max());
    let before = around.neighbors.0.as_ref().and_then(place).map(|p| p.1);
    let after = around.neighbors.1.as_ref().and_then(place).map(|p| p.1);
    // Neighbors from the previous or next run are useless.
    let before = before.filter(|&at| first.is_none_or(|first| at < first));
    let after = after.filter(|&at| last.is_none_or(|last| at > last));
    let (before, after) = match (before, after) {
        (Some(b), Some(a)) if b >= a => (None, None),
        both => both,
    };
    let (Some(first), Some(last)) = (first, last) else {
        // Nothing inside is known: everything between the neighbors.
        let from = before.map_or(0, |at| at + 1);
        let to = after.unwrap_or(ops.len());
        let mut scope = Scope {
            is_bounded: before.is_some() && after.is_some()
                || around.outside.is_empty() && kernels.sequences.len() == 1,
            ..Scope::default()
        };
        unfold(kernels, sequence, from..to, &mut scope);
        return scope;
    };
    let last = last + 1;
    let is_outside = |at: usize| around.excludes(ops[at].instruction);
    let from = (before.map_or(0, |at| at + 1)..first)
        .rev()
        .find(|&at| is_outside(at))
        .map_or(before.map_or(0, |at| at + 1), |at| at + 1);
    let end = after.unwrap_or(ops.len());
    let to = (last..end).find(|&at| is_outside(at)).unwrap_or(end);
    let mut scope = Scope {
        is_bounded: true,
        ..Scope::default()
    };
    unfold(kernels, sequence, from..to, &mut scope);
    scope
}

/// A part of a sequence as a graph contains it: the condition of a loop runs once before the loop;
/// bodies that the graph runs by itself follow after everything else, in the order of their ops.
fn unfold(kernels: &Kernels, sequence: usize, range: std::ops::Range<usize>, scope: &mut Scope) {
    let mut later = vec![(sequence, range)];
    let mut next = 0;
    let mut seen: FxHashSet<usize> = FxHashSet::default();
    while let Some((sequence, range)) = later.get(next).cloned() {
        next += 1;
        scope.starts.push(scope.ops.len());
        inline(kernels, sequence, range, scope, &mut later, &mut seen);
    }
}

fn inline(
    kernels: &Kernels,
    sequence: usize,
    range: std::ops::Range<usize>,
    scope: &mut Scope,
    later: &mut Vec<(usize, std::ops::Range<usize>)>,
    seen: &mut FxHashSet<usize>,
) {
    let own = &kernels.sequences[sequence];
    for at in range {
        let all = |number: usize| 0..kernels.sequences[number].ops.len();
        let Some(nested) = own.nested.get(&at) else {
            scope.ops.push(own.ops[at]);
            continue;
        };
        match (nested.opcode, nested.sequences.as_slice()) {
            (NestedOpcode::Call, called) => {
                for &number in called {
                    // A separate graph is not part of this one.
                    if !kernels.sequences[number].is_command_buffer && seen.insert(number) {
                        inline(kernels, number, all(number), scope, later, seen);
                    }
                }
            }
            (NestedOpcode::While, &[body, condition]) => {
                if seen.insert(condition) {
                    inline(kernels, condition, all(condition), scope, later, seen);
                }
                scope.ops.push(own.ops[at]);
                if seen.insert(body) {
                    later.push((body, all(body)));
                    later.push((condition, all(condition)));
                }
            }
            (_, branches) => {
                scope.ops.push(own.ops[at]);
                let new = branches.iter().filter(|&&number| seen.insert(number));
                later.extend(new.map(|&number| (number, all(number))));
            }
        }
    }
}
