//! The tree: built from op rows, flattened depth first.

use rustc_hash::FxHashMap;

use super::path::{self, Pass};
use super::report::ScopeRow;
use super::{ScopeBy, key};
use crate::ops::OpRow;
use crate::order;
use crate::registry::AnalysisError;
use crate::selection::Selection;

use super::tables::SORT_COLUMNS;

/// Nodes; the first is the root, which is not shown.
pub(super) struct Tree {
    nodes: Vec<Node>,
}

struct Node {
    name: String,
    children: Vec<usize>,
    /// Sums at or below.
    sums: Sums,
    /// Self time exactly here.
    self_ps: i64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    occurrences: i64,
    total_ps: i64,
    forward_ps: i64,
    backward_ps: i64,
    rematerialised_ps: i64,
    flops: Option<f64>,
    bytes: Option<f64>,
}

impl Tree {
    pub(super) fn new(ops: &[OpRow], by: ScopeBy) -> Self {
        let root = Node {
            name: String::new(),
            children: Vec::new(),
            sums: Sums::default(),
            self_ps: 0,
        };
        let mut tree = Self { nodes: vec![root] };
        let mut children: FxHashMap<(usize, String), usize> = FxHashMap::default();
        for op in ops {
            let sums = Sums::of(op);
            let mut node = 0;
            tree.nodes[0].sums.add(sums);
            for name in place(op, by) {
                node = tree.child(node, name, &mut children);
                tree.nodes[node].sums.add(sums);
            }
            tree.nodes[node].self_ps += op.self_ps;
        }
        tree
    }

    fn child(
        &mut self,
        parent: usize,
        name: &str,
        children: &mut FxHashMap<(usize, String), usize>,
    ) -> usize {
        if let Some(&child) = children.get(&(parent, name.to_owned())) {
            return child;
        }
        let child = self.nodes.len();
        self.nodes.push(Node {
            name: name.to_owned(),
            children: Vec::new(),
            sums: Sums::default(),
            self_ps: 0,
        });
        self.nodes[parent].children.push(child);
        children.insert((parent, name.to_owned()), child);
        child
    }

    /// Rows depth first, siblings by `--sort`. A limit keeps the rows with the largest totals, whose
    /// ancestors are among them, so what is left is a tree.
    pub(super) fn rows(
        &self,
        selection: &Selection,
        depth: Option<u32>,
    ) -> Result<(Vec<ScopeRow>, usize), AnalysisError> {
        let mut rows = Vec::new();
        let sort = selection.sort.as_deref().unwrap_or("total_ps");
        let levels = depth.unwrap_or(u32::MAX).max(1);
        self.append_children(0, "", 0, levels, sort, &mut rows)?;
        let row_count = rows.len();
        if let Some(limit) = selection
            .limit
            .filter(|&limit| limit > 0 && limit < row_count)
        {
            let mut order: Vec<usize> = (0..row_count).collect();
            order.sort_by_key(|&index| (std::cmp::Reverse(rows[index].total_ps), index));
            let mut is_kept = vec![false; row_count];
            order[..limit]
                .iter()
                .for_each(|&index| is_kept[index] = true);
            let mut kept = is_kept.iter();
            rows.retain(|_| kept.next().copied().unwrap_or(false));
        }
        Ok((rows, row_count))
    }

    fn append_children(
        &self,
        parent: usize,
        path: &str,
        depth: u32,
        levels: u32,
        sort: &str,
        rows: &mut Vec<ScopeRow>,
    ) -> Result<(), AnalysisError> {
        let children = &self.nodes[parent].children;
        let mut siblings: Vec<(ScopeRow, usize)> = children
            .iter()
            .map(|&child| (self.row(child, path, depth, levels), child))
            .collect();
        siblings.sort_by(|(a, _), (b, _)| {
            b.total_ps
                .cmp(&a.total_ps)
                .then_with(|| a.name.cmp(&b.name))
        });
        let mut order: Vec<ScopeRow> = siblings.iter().map(|(row, _)| row.clone()).collect();
        order::sort_by(&mut order, sort, SORT_COLUMNS)?;
        let node_of: FxHashMap<&str, usize> = siblings
            .iter()
            .map(|(row, child)| (row.name.as_str(), *child))
            .collect();
        for row in order {
            let (node, path) = (node_of.get(row.name.as_str()).copied(), row.path.clone());
            rows.push(row);
            if let Some(node) = node.filter(|_| depth + 1 < levels) {
                self.append_children(node, &path, depth + 1, levels, sort, rows)?;
            }
        }
        Ok(())
    }

    fn row(&self, node: usize, parent_path: &str, depth: u32, levels: u32) -> ScopeRow {
        let Node {
            name,
            children,
            sums,
            self_ps,
        } = &self.nodes[node];
        // What lies below the last level shown is that level's own.
        let is_cut = depth + 1 >= levels;
        let total_ps = self.nodes[0].sums.total_ps;
        ScopeRow {
            path: match parent_path {
                "" => name.clone(),
                parent => format!("{parent}/{name}"),
            },
            name: name.clone(),
            depth,
            child_count: if is_cut {
                0
            } else {
                u32::try_from(children.len()).unwrap_or(u32::MAX)
            },
            occurrences: sums.occurrences,
            total_ps: sums.total_ps,
            self_ps: if is_cut { sums.total_ps } else { *self_ps },
            ratio: if total_ps > 0 {
                sums.total_ps as f64 / total_ps as f64
            } else {
                0.0
            },
            forward_ps: sums.forward_ps,
            backward_ps: sums.backward_ps,
            rematerialised_ps: sums.rematerialised_ps,
            flops: sums.flops,
            bytes: sums.bytes,
        }
    }
}

impl Sums {
    fn of(op: &OpRow) -> Self {
        let pass = if op.is_rematerialised {
            Pass::Rematerialised
        } else {
            path::pass(&op.scope)
        };
        let in_pass = |wanted: Pass| if pass == wanted { op.self_ps } else { 0 };
        let executions = op.executions as f64;
        Self {
            occurrences: op.occurrences,
            total_ps: op.self_ps,
            forward_ps: in_pass(Pass::Forward),
            backward_ps: in_pass(Pass::Backward),
            rematerialised_ps: in_pass(Pass::Rematerialised),
            flops: op.flops.map(|flops| flops * executions),
            bytes: op.bytes.map(|bytes| bytes * executions),
        }
    }

    fn add(&mut self, other: Self) {
        let sum = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
        self.occurrences += other.occurrences;
        self.total_ps += other.total_ps;
        self.forward_ps += other.forward_ps;
        self.backward_ps += other.backward_ps;
        self.rematerialised_ps += other.rematerialised_ps;
        self.flops = sum(self.flops, other.flops);
        self.bytes = sum(self.bytes, other.bytes);
    }
}

/// Where an op stands in the tree. Work without a name stack stands with its category under
/// `(no scope)`.
fn place(op: &OpRow, by: ScopeBy) -> Vec<&str> {
    let text = key(op, by);
    let category = if op.category.is_empty() {
        op.class.as_str()
    } else {
        op.category.as_str()
    };
    match by {
        ScopeBy::Scope => {
            let components = path::components(text);
            if components.is_empty() {
                vec!["(no scope)", category]
            } else {
                components
            }
        }
        ScopeBy::Source if text.is_empty() => vec!["(no source)", category],
        ScopeBy::Source => match text.rsplit_once(':') {
            Some((file, line)) => vec![file, line],
            None => vec![text],
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn op(name: &str, scope: &str, source: &str, self_ps: i64) -> OpRow {
        OpRow {
            program: String::new(),
            program_id: String::new(),
            name: name.to_owned(),
            category: "loop fusion".to_owned(),
            class: "compute".to_owned(),
            device: String::new(),
            occurrences: 2,
            executions: 2,
            total_ps: self_ps,
            self_ps,
            self_ratio: 0.0,
            flops: Some(10.0),
            bytes: None,
            flop_rate: None,
            bandwidth: None,
            bound_by: String::new(),
            roofline_ratio: None,
            cost_source: String::new(),
            scope: scope.to_owned(),
            source: source.to_owned(),
            is_rematerialised: false,
        }
    }

    fn model() -> Vec<OpRow> {
        vec![
            op("a", "jit(f)/jvp(layer_0)/attn/dot_general", "m.py:7", 30),
            op(
                "b",
                "jit(f)/transpose(jvp(layer_0))/attn/dot_general",
                "m.py:7",
                50,
            ),
            op("c", "jit(f)/jvp(layer_1)/mlp/add", "m.py:9", 15),
            op("d", "", "", 5),
        ]
    }

    fn outline(rows: &[ScopeRow]) -> Vec<String> {
        let line = |row: &ScopeRow| format!("{} {} {}", row.depth, row.name, row.total_ps);
        rows.iter().map(line).collect()
    }

    #[test]
    fn passes_meet_and_parents_sum_their_children() {
        let tree = Tree::new(&model(), ScopeBy::Scope);
        let (rows, count) = tree.rows(&Selection::default(), None).expect("no options");
        assert_eq!(count, 9);
        assert_eq!(
            outline(&rows)[..4],
            [
                "0 jit(f) 95",
                "1 layer_0 80",
                "2 attn 80",
                "3 dot_general 80"
            ]
        );
        assert_eq!(outline(&rows)[7..], ["0 (no scope) 5", "1 loop fusion 5"]);
        let attention = &rows[2];
        assert_eq!((attention.forward_ps, attention.backward_ps), (30, 50));
        assert_eq!((attention.occurrences, attention.flops), (4, Some(40.0)));
        assert_eq!(rows[3].path, "jit(f)/layer_0/attn/dot_general");
        let own: i64 = rows.iter().map(|row| row.self_ps).sum();
        assert_eq!(own, 100);
    }

    #[test]
    fn depth_and_limit_leave_a_tree() {
        let tree = Tree::new(&model(), ScopeBy::Scope);
        let (rows, _) = tree
            .rows(&Selection::default(), Some(2))
            .expect("no options");
        assert_eq!(
            outline(&rows),
            [
                "0 jit(f) 95",
                "1 layer_0 80",
                "1 layer_1 15",
                "0 (no scope) 5",
                "1 loop fusion 5"
            ]
        );
        assert_eq!(rows.iter().map(|row| row.self_ps).sum::<i64>(), 100);
        let selection = Selection {
            limit: Some(3),
            ..Selection::default()
        };
        let (rows, count) = tree.rows(&selection, None).expect("no options");
        assert_eq!((rows.len(), count), (3, 9));
        assert_eq!(outline(&rows), ["0 jit(f) 95", "1 layer_0 80", "2 attn 80"]);
    }

    #[test]
    fn by_source_groups_lines_by_file() {
        let tree = Tree::new(&model(), ScopeBy::Source);
        let (rows, _) = tree.rows(&Selection::default(), None).expect("no options");
        assert_eq!(
            outline(&rows),
            [
                "0 m.py 95",
                "1 7 80",
                "1 9 15",
                "0 (no source) 5",
                "1 loop fusion 5"
            ]
        );
    }
}
