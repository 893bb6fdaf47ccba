//! Builds the tree from ops and sums it.

use std::borrow::Cow;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use stepscope_model::hlo::name_stack;
use stepscope_model::{SaturatingSum as _, Session};

use super::TreeBy;
use super::duplicates::likeness;
use crate::views::ops::{Measured, Peaks, Roofline, Work, is_async_half, roofline};

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Group(&'static str),
    Duplicates,
    /// Position among the ops.
    Op(usize),
    Idle,
}

pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) children: Vec<usize>,
    pub(super) sums: Sums,
    /// The op with the largest self time at or below this node: the first one added, since ops are
    /// sorted by self time.
    pub(super) largest: usize,
    pub(super) duplicate_count: u32,
    /// Whether all ops at or below this node belong to one program.
    pub(super) has_one_program: bool,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    pub(super) occurrences: i64,
    pub(super) total_ps: i64,
    pub(super) self_ps: i64,
    pub(super) work: Option<Work>,
    /// Whether any op has a rate.
    pub(super) is_rated: bool,
    pub(super) wasted_ps: Option<i64>,
}

/// Nodes; the first is the root, which is not shown.
pub(super) struct Tree<'a> {
    pub(super) session: &'a Session,
    pub(super) ops: &'a [Measured],
    pub(super) nodes: Vec<Node>,
    peaks: Peaks,
    /// Σ self time and idle time.
    pub(super) whole_ps: i64,
}

impl<'a> Tree<'a> {
    pub(super) fn new(
        session: &'a Session,
        ops: &'a [Measured],
        by: TreeBy,
        peaks: &Peaks,
        idle_ps: Option<i64>,
    ) -> Self {
        let self_ps: i64 = ops.iter().map(|op| op.row.self_ps).saturating_sum();
        let mut tree = Self {
            session,
            ops,
            nodes: vec![Node::new(Kind::Group("root"), String::new(), 0)],
            peaks: *peaks,
            whole_ps: self_ps.saturating_add(idle_ps.unwrap_or(0)),
        };
        tree.fill(by);
        tree.sum();
        if let Some(idle_ps) = idle_ps {
            let idle = tree.add(0, Kind::Idle, "idle", 0);
            let sums = &mut tree.nodes[idle].sums;
            (sums.self_ps, sums.total_ps) = (idle_ps, idle_ps);
        }
        tree
    }

    /// Groups first, to count the duplicates under each parent; then ops.
    fn fill(&mut self, by: TreeBy) {
        let (session, ops) = (self.session, self.ops);
        let likenesses: Vec<Option<u64>> =
            ops.par_iter().map(|op| likeness(session, op.op?)).collect();
        let mut groups: FxHashMap<(usize, Cow<'_, str>), usize> = FxHashMap::default();
        let mut alike: FxHashMap<(usize, u64), u32> = FxHashMap::default();
        let mut parents: Vec<usize> = Vec::with_capacity(ops.len());
        for (position, op) in ops.iter().enumerate() {
            let mut parent = 0;
            for (kind, name) in place(op, by) {
                let group = *groups
                    .entry((parent, name.clone()))
                    .or_insert_with(|| self.add(parent, Kind::Group(kind), &name, position));
                let largest = self.nodes[group].largest;
                self.nodes[group].has_one_program &= ops[largest].program == op.program;
                parent = group;
            }
            if let Some(likeness) = likenesses[position] {
                *alike.entry((parent, likeness)).or_default() += 1;
            }
            parents.push(parent);
        }
        let mut merged: FxHashMap<(usize, u64), usize> = FxHashMap::default();
        for (position, mut parent) in parents.into_iter().enumerate() {
            let name = &ops[position].row.name;
            let key = likenesses[position].map(|likeness| (parent, likeness));
            let count = key.and_then(|key| alike.get(&key)).copied().unwrap_or(1);
            if let Some(key) = key.filter(|_| count > 1) {
                parent = *merged
                    .entry(key)
                    .or_insert_with(|| self.add(parent, Kind::Duplicates, name, position));
                self.nodes[parent].duplicate_count = count;
            }
            let node = self.add(parent, Kind::Op(position), name, position);
            self.nodes[node].sums = Sums::of(&ops[position], &self.peaks);
        }
    }

    fn add(&mut self, parent: usize, kind: Kind, name: &str, largest: usize) -> usize {
        let node = self.nodes.len();
        self.nodes.push(Node::new(kind, name.to_owned(), largest));
        self.nodes[parent].children.push(node);
        node
    }

    /// Sums from the leaves up: a child always comes after its parent.
    fn sum(&mut self) {
        let mut parent_of = vec![0; self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            node.children
                .iter()
                .for_each(|&child| parent_of[child] = index);
        }
        // Nodes of duplicates are added after groups, but children still come after their parents.
        for index in (1..self.nodes.len()).rev() {
            let sums = self.nodes[index].sums;
            self.nodes[parent_of[index]].sums.add(&sums);
        }
    }

    pub(super) fn wasted_ps(&self) -> Option<i64> {
        self.nodes[0].sums.wasted_ps
    }

    /// The rates of a single op are those of `ops`. The rates of other nodes are work ÷ self time.
    pub(super) fn rates(&self, node: &Node) -> Roofline {
        if let Kind::Op(position) = node.kind {
            return self.ops[position].roofline;
        }
        match &node.sums.work {
            Some(work) if node.sums.is_rated => roofline(work, node.sums.self_ps, &self.peaks),
            _ => Roofline::default(),
        }
    }

    /// Part ÷ everything, including idle time.
    pub(super) fn share(&self, part_ps: i64) -> f64 {
        if self.whole_ps > 0 {
            part_ps as f64 / self.whole_ps as f64
        } else {
            0.0
        }
    }
}

impl Node {
    fn new(kind: Kind, name: String, largest: usize) -> Self {
        Self {
            kind,
            name,
            children: Vec::new(),
            sums: Sums::default(),
            largest,
            duplicate_count: 1,
            has_one_program: true,
        }
    }
}

impl Sums {
    fn of(op: &Measured, peaks: &Peaks) -> Self {
        let row = &op.row;
        let has_peak = peaks.flops.is_some() || peaks.levels.iter().any(Option::is_some);
        let wasted_ps = match op.roofline.ratio {
            Some(ratio) => Some(unused_ps(row.self_ps, ratio)),
            None if has_peak && is_async_half(&row.category) => Some(row.self_ps),
            None => None,
        };
        Self {
            occurrences: row.occurrences,
            total_ps: row.total_ps,
            self_ps: row.self_ps,
            work: op.work,
            is_rated: op.roofline.flop_rate.is_some(),
            wasted_ps,
        }
    }

    fn add(&mut self, other: &Self) {
        self.occurrences = self.occurrences.saturating_add(other.occurrences);
        self.total_ps = self.total_ps.saturating_add(other.total_ps);
        self.self_ps = self.self_ps.saturating_add(other.self_ps);
        if let Some(work) = &other.work {
            self.work.get_or_insert_default().add(work);
        }
        self.is_rated |= other.is_rated;
        if let Some(wasted_ps) = other.wasted_ps {
            self.wasted_ps = Some(self.wasted_ps.unwrap_or(0).saturating_add(wasted_ps));
        }
    }
}

/// The part of the time that full utilization would save.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a part of a time that fits"
)]
fn unused_ps(self_ps: i64, ratio: f64) -> i64 {
    (self_ps as f64 * (1.0 - ratio.clamp(0.0, 1.0))).round() as i64
}

/// The path of an op from the root down. An op that serves several scopes is placed in the nearest
/// scope that contains them all.
fn place(op: &Measured, by: TreeBy) -> Vec<(&'static str, Cow<'_, str>)> {
    let row = &op.row;
    let program = match row.program.as_str() {
        "" => "(no program)",
        name => name,
    };
    let category = match row.category.as_str() {
        "" => "(no category)",
        name => name,
    };
    match by {
        TreeBy::Program => vec![("program", program.into()), ("category", category.into())],
        TreeBy::Category => vec![("category", category.into())],
        TreeBy::Scope => {
            let merged = name_stack::merged(&row.scope);
            if merged.paths.is_empty() {
                return vec![
                    ("scope", "(no scope)".into()),
                    ("category", category.into()),
                ];
            }
            let label = merged.label();
            let scopes = merged.common.into_iter().map(Cow::from);
            let scopes = scopes.chain(label.map(Cow::from));
            scopes.map(|name| ("scope", name)).collect()
        }
    }
}
