//! By stack: the trees of all threads merged, bounded in size, and flattened depth first.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use stepscope_model::Session;

use super::collect::ThreadSums;
use super::columns::ROWS;
use super::names::NONE;
use super::report::RegionRow;
use super::rows::{Scribe, Sum};
use crate::asking::AnalysisError;
use crate::asking::order;
use crate::asking::selection::Selection;

/// Maximum number of nodes in a report. Beyond that, the smallest are combined as `(other)`.
const NODES_MAX: usize = 50_000;

struct Node {
    sum: Sum,
    parent: usize,
    children: Vec<usize>,
}

/// Stacks of all threads. The first node is the root, which is not a region.
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Number of nodes shown without a limit.
    count: usize,
}

impl Tree {
    /// Merges the stacks of threads: equal paths become one node, whatever thread they ran on.
    pub(super) fn of(session: &Session, threads: Vec<ThreadSums>) -> Self {
        let root = Node {
            sum: Sum::of(NONE),
            parent: 0,
            children: Vec::new(),
        };
        let mut nodes = vec![root];
        let mut known: FxHashMap<(usize, u32), usize> = FxHashMap::default();
        for thread in threads {
            let mut places: Vec<usize> = Vec::with_capacity(thread.entries.len());
            for entry in thread.entries {
                let parent = places.get(entry.parent as usize).copied().unwrap_or(0);
                let place = *known.entry((parent, entry.region)).or_insert_with(|| {
                    nodes.push(Node {
                        sum: Sum::of(entry.region),
                        parent,
                        children: Vec::new(),
                    });
                    nodes.len() - 1
                });
                places.push(place);
                nodes[place].sum.add(session, thread.track, entry.stats);
            }
        }
        let mut tree = Self { nodes, count: 0 };
        tree.keep_what_counts();
        tree
    }

    /// Removes stacks in which nothing counts. Children come after their parents.
    fn keep_what_counts(&mut self) {
        let mut counts = vec![false; self.nodes.len()];
        for at in (1..self.nodes.len()).rev() {
            let node = &self.nodes[at];
            counts[at] |= node.sum.stats.count > 0;
            let (parent, is_kept) = (node.parent, counts[at]);
            if is_kept {
                counts[parent] = true;
                self.nodes[parent].children.push(at);
                self.count += 1;
            }
        }
    }

    /// The rows, depth first, siblings by `--sort` or else the largest first, and their number without
    /// a limit.
    pub(super) fn rows(
        &self,
        scribe: &Scribe<'_>,
        selection: &Selection,
    ) -> Result<(Vec<RegionRow>, usize), AnalysisError> {
        let flat = Flat {
            tree: self,
            scribe,
            selection,
            is_kept: self.kept(selection),
        };
        let mut rows = Vec::new();
        let mut open = flat.below(0, 0)?;
        open.reverse();
        while let Some((node, mut row)) = open.pop() {
            if let Some(at) = node {
                let below = flat.below(at, row.depth + 1)?;
                row.child_count = u32::try_from(below.len()).unwrap_or(u32::MAX);
                open.extend(below.into_iter().rev());
            }
            rows.push(row);
        }
        Ok((rows, self.count))
    }

    /// For each node, whether it is listed. A limit keeps the largest. A node is at least as large as
    /// any node below it and comes first, so the result is a tree.
    fn kept(&self, selection: &Selection) -> Vec<bool> {
        let limit = selection.limit.filter(|&limit| limit > 0);
        let limit = limit.unwrap_or(NODES_MAX).min(NODES_MAX);
        let all = self.nodes.iter().flat_map(|node| &node.children);
        let mut order: Vec<usize> = all.copied().collect();
        if order.len() > limit {
            let weight = |node: usize| self.nodes[node].sum.stats.total_ps;
            order.sort_by_key(|&node| (Reverse(weight(node)), node));
            order.truncate(limit);
        }
        let mut is_kept = vec![false; self.nodes.len()];
        for node in order {
            is_kept[node] = true;
        }
        is_kept
    }

    /// The number of nodes at or below a node, their occurrences, and their self time.
    fn below(&self, node: usize) -> (u32, i64, i64) {
        let (mut nodes, mut count, mut self_ps) = (0u32, 0i64, 0i64);
        let mut open = vec![node];
        while let Some(at) = open.pop() {
            let stats = &self.nodes[at].sum.stats;
            nodes = nodes.saturating_add(1);
            count += stats.count;
            self_ps = self_ps.saturating_add(stats.self_ps);
            open.extend(&self.nodes[at].children);
        }
        (nodes, count, self_ps)
    }
}

/// Takes rows from the tree.
struct Flat<'a> {
    tree: &'a Tree,
    scribe: &'a Scribe<'a>,
    selection: &'a Selection,
    is_kept: Vec<bool>,
}

impl Flat<'_> {
    /// The rows directly below a node, with their nodes. The last row, without a node, combines all
    /// that are not listed.
    fn below(
        &self,
        at: usize,
        depth: u32,
    ) -> Result<Vec<(Option<usize>, RegionRow)>, AnalysisError> {
        let children = self.tree.nodes[at].children.iter().copied();
        let (kept, left_out): (Vec<usize>, Vec<usize>) =
            children.partition(|&child| self.is_kept[child]);
        let row = |child: usize| {
            let mut row = self.scribe.row(&self.tree.nodes[child].sum);
            row.depth = depth;
            row
        };
        let mut rows: Vec<(Option<usize>, RegionRow)> = kept
            .into_iter()
            .map(|child| (Some(child), row(child)))
            .collect();
        rows.sort_by(|(_, a), (_, b)| {
            let heavier_first = b.total_ps.cmp(&a.total_ps);
            heavier_first.then_with(|| (&a.name, &a.source).cmp(&(&b.name, &b.source)))
        });
        if let Some(sort) = &self.selection.sort {
            order::sort_rows_by(&mut rows, |(_, row)| row, sort, ROWS)?;
        }
        if !left_out.is_empty() {
            rows.push((None, self.other(&left_out, depth)));
        }
        Ok(rows)
    }

    fn other(&self, left_out: &[usize], depth: u32) -> RegionRow {
        let mut other = RegionRow {
            name: "(other)".to_owned(),
            kind: "other".to_owned(),
            depth,
            device_ps: Some(0),
            ..RegionRow::default()
        };
        for &child in left_out {
            let row = self.scribe.row(&self.tree.nodes[child].sum);
            let (nodes, count, self_ps) = self.tree.below(child);
            other.name_count = other.name_count.saturating_add(nodes);
            other.count += count;
            other.self_ps = other.self_ps.saturating_add(self_ps);
            other.total_ps = other.total_ps.saturating_add(row.total_ps);
            let device = other.device_ps.zip(row.device_ps);
            other.device_ps = device.map(|(sum, own)| sum.saturating_add(own));
        }
        other.ratio = self.scribe.ratio(other.self_ps);
        other
    }
}
