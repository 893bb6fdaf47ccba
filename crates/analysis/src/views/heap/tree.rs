//! The flame tree: stacks merged from the outermost frame inwards.

use std::collections::BTreeMap;

use stepscope_model::StringId;

use super::amount::Pair;
use super::report::HeapFrameRow;
use super::tally::{Rows, Tally, name_or_unknown};

/// Maximum number of nodes in a report. Beyond that, the smallest are left out.
const NODES_MAX: usize = 50_000;

/// String numbers of a function's name and file.
type Key = (u32, u32);

/// One function below one path of functions.
#[derive(Default)]
struct Node {
    key: Key,
    total: Pair,
    own: Pair,
    /// The line that all stacks through the node share; none if they differ.
    line: Option<i64>,
    is_internal: bool,
    children: BTreeMap<Key, usize>,
}

/// All nodes; the first is the root, which is not a frame.
pub(super) struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    /// Merges the stacks. `is_internal` is by frame.
    pub(super) fn of(rows: &Rows<'_>, tally: &Tally, is_internal: &[bool]) -> Self {
        let mut tree = Self {
            nodes: vec![Node::default()],
        };
        for ((frames, _), stack) in &tally.stacks {
            let mut at = 0;
            tree.nodes[0].total += stack.amount;
            for &index in frames {
                let frame = rows.heap.frames[index as usize];
                let key = (frame.function.0, frame.file.0);
                at = tree.child(at, key, frame.line);
                let node = &mut tree.nodes[at];
                node.total += stack.amount;
                node.is_internal = is_internal[index as usize];
            }
            tree.nodes[at].own += stack.amount;
        }
        tree
    }

    fn child(&mut self, parent: usize, key: Key, line: i64) -> usize {
        if let Some(&known) = self.nodes[parent].children.get(&key) {
            let node = &mut self.nodes[known];
            node.line = node.line.filter(|&seen| seen == line);
            return known;
        }
        let new = self.nodes.len();
        self.nodes.push(Node {
            key,
            line: Some(line),
            ..Node::default()
        });
        self.nodes[parent].children.insert(key, new);
        new
    }

    /// The rows, depth first, larger siblings first, and their number without a limit.
    pub(super) fn rows(&self, rows: &Rows<'_>) -> (Vec<HeapFrameRow>, usize) {
        let count = self.nodes.len() - 1;
        let lightest = self.lightest(rows);
        let mut shown = Vec::with_capacity(count.min(NODES_MAX));
        let mut open: Vec<(usize, u32)> = vec![(0, 0)];
        while let Some((at, depth)) = open.pop() {
            let children = self.children(rows, at, lightest);
            if at > 0 {
                shown.push(self.row(rows, at, depth - 1, children.len()));
            }
            open.extend(children.into_iter().rev().map(|child| (child, depth + 1)));
        }
        (shown, count)
    }

    /// The weight that a node must reach to be shown. A node weighs at least as much as any of its
    /// children, so the ancestors of every shown node are shown too.
    fn lightest(&self, rows: &Rows<'_>) -> i64 {
        if self.nodes.len() <= NODES_MAX + 1 {
            return 0;
        }
        let mut weights: Vec<i64> = self
            .nodes
            .iter()
            .map(|node| node.total.weight(rows.by))
            .collect();
        weights.sort_unstable_by_key(|&weight| std::cmp::Reverse(weight));
        weights[NODES_MAX].saturating_add(1)
    }

    fn children(&self, rows: &Rows<'_>, at: usize, lightest: i64) -> Vec<usize> {
        let weight = |index: usize| self.nodes[index].total.weight(rows.by);
        let mut children: Vec<usize> = self.nodes[at]
            .children
            .values()
            .copied()
            .filter(|&child| weight(child) >= lightest)
            .collect();
        let text = |index: usize| {
            let (function, file) = self.nodes[index].key;
            let text = |id| rows.heap.text(StringId(id));
            (text(function), text(file))
        };
        children.sort_by(|&a, &b| {
            let heavier_first = weight(b).cmp(&weight(a));
            heavier_first.then_with(|| text(a).cmp(&text(b)))
        });
        children
    }

    fn row(&self, rows: &Rows<'_>, at: usize, depth: u32, child_count: usize) -> HeapFrameRow {
        let node = &self.nodes[at];
        let (function, file) = node.key;
        let text = |id| rows.heap.text(StringId(id));
        let (change_bytes, change_allocations) = rows.change(node.total);
        let (change_self_bytes, change_self_allocations) = rows.change(node.own);
        let line = node.line.filter(|&line| line != 0);
        HeapFrameRow {
            name: name_or_unknown(text(function)),
            source: match line {
                Some(line) if file != 0 => format!("{}:{line}", text(file)),
                _ => text(file).to_owned(),
            },
            depth,
            child_count: u32::try_from(child_count).unwrap_or(u32::MAX),
            is_internal: node.is_internal,
            total_bytes: node.total.now.bytes,
            self_bytes: node.own.now.bytes,
            total_allocations: node.total.now.allocations,
            self_allocations: node.own.now.allocations,
            change_bytes,
            change_allocations,
            change_self_bytes,
            change_self_allocations,
        }
    }
}
