//! Copies of an op on one side that are runs of one op on the other: an unrolled loop, and the same loop
//! rolled up.
//!
//! ```text
//! layer_0/mlp/dot   1 run  ┐
//! layer_1/mlp/dot   1 run  ├  while/body/mlp/dot   3 runs
//! layer_2/mlp/dot   1 run  ┘
//! ```
//!
//! Work is equal: copies × runs is the same on both sides. What belongs together has the same pass, the
//! same end of its scope and the same shape, dimensions of 1 aside, because a loop slices them off.

use std::collections::BTreeMap;

use stepscope_model::hlo::name_stack::{Pass, components};

use super::nodes::{Node, arrays, hash};

/// Nodes of both sides that do the same work in another number of runs.
pub(super) struct Group {
    pub(super) sides: [Vec<usize>; 2],
}

/// What nodes of a group have in common, the strictest first.
struct Likeness {
    has_opcode: bool,
    has_source: bool,
    /// Components of the scope, counted from its end.
    components: usize,
}

const LIKENESSES: [Likeness; 4] = [
    likeness(true, true, 2),
    likeness(true, true, 1),
    likeness(true, false, 2),
    likeness(false, true, 1),
];

const fn likeness(has_opcode: bool, has_source: bool, components: usize) -> Likeness {
    Likeness {
        has_opcode,
        has_source,
        components,
    }
}

/// Numbers of runs that differ by less than this share are the same.
pub(super) const SAME_RUNS: f64 = 0.02;

/// The groups among the nodes that ran and are free.
pub(super) fn groups(sides: [&[Node]; 2], is_free: impl Fn(usize, usize) -> bool) -> Vec<Group> {
    let mut is_taken = sides.map(|nodes| vec![false; nodes.len()]);
    let mut found = Vec::new();
    for likeness in &LIKENESSES {
        let mut alike: BTreeMap<u64, [Vec<usize>; 2]> = BTreeMap::new();
        for (side, nodes) in sides.into_iter().enumerate() {
            for (index, node) in nodes.iter().enumerate() {
                let is_open = !is_taken[side][index] && is_free(side, index);
                if is_open && node.item.is_some() && node.pass != Pass::Unknown {
                    let key = key(node, likeness);
                    alike.entry(key).or_default()[side].push(index);
                }
            }
        }
        for members in alike.into_values() {
            for group in divided(sides, &members) {
                for (is_taken, members) in is_taken.iter_mut().zip(&group.sides) {
                    for &index in members {
                        is_taken[index] = true;
                    }
                }
                found.push(group);
            }
        }
    }
    found
}

fn key(node: &Node, likeness: &Likeness) -> u64 {
    let scope = components(&node.scope);
    let named: Vec<&str> = scope
        .into_iter()
        .filter(|component| !is_around(component))
        .collect();
    let end = &named[named.len().saturating_sub(likeness.components)..];
    let sizes: Vec<Vec<&str>> = arrays(&node.shape)
        .map(|sizes| sizes.filter(|size| *size != "1").collect())
        .collect();
    hash(&(
        if likeness.has_opcode {
            node.opcode.as_str()
        } else {
            ""
        },
        if likeness.has_source {
            node.source.as_str()
        } else {
            ""
        },
        node.pass,
        end,
        sizes,
    ))
}

/// Components of a scope that say what runs an op, not what it does.
fn is_around(component: &str) -> bool {
    matches!(component, "while" | "body" | "cond" | "closed_call") || component.ends_with(')')
}

/// Members that do equal work in another number of runs, as one group for each op of the side with fewer.
fn divided(sides: [&[Node]; 2], members: &[Vec<usize>; 2]) -> Vec<Group> {
    let runs = [0, 1].map(|side| same_runs(sides[side], &members[side]));
    let [Some(left), Some(right)] = runs else {
        return Vec::new();
    };
    let counts = [members[0].len(), members[1].len()];
    let work = [counts[0] as f64 * left, counts[1] as f64 * right];
    let (few, many) = if counts[0] < counts[1] {
        (0, 1)
    } else {
        (1, 0)
    };
    let is_same_work = (work[0] - work[1]).abs() <= SAME_RUNS * work[0].max(work[1]);
    if !is_same_work || counts[0] == counts[1] || !counts[many].is_multiple_of(counts[few]) {
        return Vec::new();
    }
    let mut groups: Vec<Group> = members[few]
        .iter()
        .map(|&index| {
            let mut sides = [Vec::new(), Vec::new()];
            sides[few].push(index);
            Group { sides }
        })
        .collect();
    for (place, &index) in places(sides[many], &members[many], counts[few])
        .into_iter()
        .zip(&members[many])
    {
        groups[place].sides[many].push(index);
    }
    groups
}

/// How often each of the nodes runs, if it is equally often.
fn same_runs(nodes: &[Node], members: &[usize]) -> Option<f64> {
    let first = nodes[*members.first()?].runs;
    let same = |&index: &usize| (nodes[index].runs - first).abs() <= SAME_RUNS * first;
    (first > 0.0 && members.iter().all(same)).then_some(first)
}

/// Which of the ops of the other side each copy belongs to: its place among those of its scope, if every
/// scope has as many; else among all, one copy after the other.
fn places(nodes: &[Node], members: &[usize], count: usize) -> Vec<usize> {
    let mut of_scope: BTreeMap<&str, usize> = BTreeMap::new();
    let within: Vec<usize> = members
        .iter()
        .map(|&index| {
            let seen = of_scope.entry(nodes[index].scope.as_str()).or_default();
            *seen += 1;
            *seen - 1
        })
        .collect();
    if of_scope.values().all(|seen| *seen == count) {
        return within;
    }
    (0..members.len()).map(|at| at % count).collect()
}
