//! The tree: built from op rows, flattened depth first.

use rustc_hash::FxHashMap;
use stepscope_model::Session;

use super::ScopeBy;
use super::columns::ROWS;
use super::combined::{Combined, shares};
use super::pieces::{Piece, divided, whole};
use super::report::ScopeRow;
use super::sums::Sums;
use crate::asking::AnalysisError;
use crate::asking::order;
use crate::asking::selection::Selection;
use crate::views::ops::Measured;

/// Nodes; the first is the root, which is not shown.
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
}

#[derive(Default)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) children: Vec<usize>,
    /// Sums at or below this node.
    pub(super) sums: Sums,
    /// Self time exactly at this node.
    pub(super) self_ps: i64,
    /// The paths that the combined ops of the node serve.
    pub(super) paths: Vec<String>,
}

/// Nodes by parent and by what distinguishes siblings: the name, or the paths for combined ops.
type Children = FxHashMap<(usize, String), usize>;

impl Tree {
    pub(super) fn new(
        session: &Session,
        ops: &[Measured],
        by: ScopeBy,
        combined: Combined,
    ) -> Self {
        let mut tree = Self {
            nodes: vec![Node::default()],
        };
        let mut children = Children::default();
        for op in ops {
            let shares = match combined {
                Combined::Divided => shares(session, op),
                Combined::Together => None,
            };
            let pieces = match &shares {
                Some(shares) => divided(&op.row, shares),
                None => vec![whole(&op.row, by)],
            };
            tree.add(pieces, &mut children);
        }
        tree
    }

    /// A tree of pieces, each of an op of its own.
    pub(super) fn of(pieces: Vec<Piece<'_>>) -> Self {
        let mut tree = Self {
            nodes: vec![Node::default()],
        };
        let mut children = Children::default();
        for piece in pieces {
            tree.add(vec![piece], &mut children);
        }
        tree
    }

    /// Adds the pieces of one op. A slice that is counted in several places is still one slice, so it
    /// counts once in their common ancestors.
    fn add(&mut self, pieces: Vec<Piece<'_>>, children: &mut Children) {
        let mut counted: Vec<usize> = Vec::new();
        for piece in pieces {
            let mut node = 0;
            let names = piece.place.iter();
            self.add_to(0, piece.sums, &mut counted);
            for (index, name) in names.enumerate() {
                let is_last = index + 1 == piece.place.len();
                let key = if is_last && !piece.paths.is_empty() {
                    piece.paths.join(";")
                } else {
                    name.to_string()
                };
                node = self.child(node, name, key, children);
                self.add_to(node, piece.sums, &mut counted);
            }
            self.nodes[node].self_ps = self.nodes[node].self_ps.saturating_add(piece.sums.total_ps);
            if self.nodes[node].paths.is_empty() {
                self.nodes[node].paths = piece.paths;
            }
        }
    }

    fn add_to(&mut self, node: usize, mut sums: Sums, counted: &mut Vec<usize>) {
        if counted.contains(&node) {
            sums.occurrences = 0;
        } else {
            counted.push(node);
        }
        self.nodes[node].sums.add(sums);
    }

    fn child(&mut self, parent: usize, name: &str, key: String, children: &mut Children) -> usize {
        if let Some(&child) = children.get(&(parent, key.clone())) {
            return child;
        }
        let child = self.nodes.len();
        let name = self.free_name(parent, name);
        self.nodes.push(Node {
            name,
            ..Node::default()
        });
        self.nodes[parent].children.push(child);
        children.insert((parent, key), child);
        child
    }

    /// A unique name among siblings, since several combined ops may serve the same number of paths.
    fn free_name(&self, parent: usize, name: &str) -> String {
        let is_taken = |name: &str| {
            let mut siblings = self.nodes[parent].children.iter();
            siblings.any(|&sibling| self.nodes[sibling].name == name)
        };
        if !name.starts_with("combined: ") || !is_taken(name) {
            return name.to_owned();
        }
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let mut free = numbered.filter(|name| !is_taken(name));
        free.next().unwrap_or_default()
    }

    /// Rows depth first, siblings by `--sort`. A limit keeps the rows with the largest totals, which
    /// always include their ancestors, so the result is a tree.
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
        order::sort_by(&mut order, sort, ROWS)?;
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

    /// The share of a time in that of the whole tree.
    fn share(&self, time_ps: i64) -> f64 {
        share(time_ps, self.nodes[0].sums.total_ps)
    }

    fn row(&self, node: usize, parent_path: &str, depth: u32, levels: u32) -> ScopeRow {
        let Node {
            name,
            children,
            sums,
            self_ps,
            paths,
        } = &self.nodes[node];
        // Time below the last level shown counts as self time of that level.
        let is_cut = depth + 1 >= levels;
        ScopeRow {
            path: joined(parent_path, name),
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
            ratio: self.share(sums.total_ps),
            forward_ps: sums.forward_ps,
            backward_ps: sums.backward_ps,
            rematerialized_ps: sums.rematerialized_ps,
            flops: sums.flops,
            bytes: sums.bytes,
            expected_ps: sums.expected_ps,
            times_expected: sums.times_expected(),
            estimated_ps: sums.estimated_ps,
            paths: paths.clone(),
        }
    }
}

/// A time as a share of another; 0 of nothing.
pub(super) fn share(time_ps: i64, whole_ps: i64) -> f64 {
    match whole_ps {
        whole_ps if whole_ps > 0 => time_ps as f64 / whole_ps as f64,
        _ => 0.0,
    }
}

/// The path of a child.
pub(super) fn joined(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}/{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::ops::{OpRow, Roofline};

    fn tree(ops: &[Measured], by: ScopeBy, combined: Combined) -> Tree {
        Tree::new(&Session::default(), ops, by, combined)
    }

    fn op(name: &str, scope: &str, source: &str, self_ps: i64) -> Measured {
        Measured {
            row: row(name, scope, source, self_ps),
            op: None,
            program: None,
            devices: Vec::new(),
            work: None,
            roofline: Roofline::default(),
        }
    }

    fn row(name: &str, scope: &str, source: &str, self_ps: i64) -> OpRow {
        OpRow {
            program: String::new(),
            program_id: String::new(),
            name: name.to_owned(),
            category: "loop fusion".to_owned(),
            category_source: "hlo".to_owned(),
            attribution: "recorded".to_owned(),
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
            operand_type: String::new(),
            peak_flops_per_second: None,
            expected_ps: None,
            times_expected: None,
            expectation: String::new(),
            cost_source: String::new(),
            scope: scope.to_owned(),
            source: source.to_owned(),
            is_rematerialized: false,
        }
    }

    fn model() -> Vec<Measured> {
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
        let tree = tree(&model(), ScopeBy::Scope, Combined::Together);
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
        let without = &rows[7];
        assert_eq!((without.forward_ps, without.backward_ps), (0, 0));
        for row in &rows[..7] {
            let passes = row.forward_ps + row.backward_ps + row.rematerialized_ps;
            assert_eq!(passes, row.total_ps, "{}", row.path);
        }
    }

    #[test]
    fn depth_and_limit_leave_a_tree() {
        let tree = tree(&model(), ScopeBy::Scope, Combined::Together);
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
        let tree = tree(&model(), ScopeBy::Source, Combined::Together);
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

    const COMBINED: &str = "jit(f)/(transpose(jvp(layer_0))/attn/dot_general:transpose(jvp(layer_1))/mlp/add:\
         jvp()/reduce_sum)";

    #[test]
    fn a_combined_op_stands_under_what_its_paths_share() {
        let mut ops = model();
        ops.push(op("all-reduce", COMBINED, "", 10));
        ops.push(op("all-reduce.1", "jit(f)/(a/x:b/y:c/z)", "", 3));
        let tree = tree(&ops, ScopeBy::Scope, Combined::Together);
        let (rows, _) = tree.rows(&Selection::default(), None).expect("no options");
        let named = |name: &str| rows.iter().find(|row| row.name == name).expect("a row");
        let combined = named("combined: 3 paths");
        assert_eq!((combined.depth, combined.total_ps), (1, 10));
        assert_eq!((combined.backward_ps, combined.estimated_ps), (10, 0));
        assert_eq!(
            combined.paths,
            [
                "jit(f)/layer_0/attn/dot_general",
                "jit(f)/layer_1/mlp/add",
                "jit(f)/reduce_sum"
            ]
        );
        let other = named("combined: 3 paths (2)");
        assert_eq!((other.total_ps, other.paths.len()), (3, 3));
        assert!(named("layer_0").paths.is_empty());
    }

    #[test]
    fn divided_parts_sum_to_the_op_and_count_it_once() {
        let mut ops = model();
        ops.push(op("all-reduce", COMBINED, "", 10));
        let tree = tree(&ops, ScopeBy::Scope, Combined::Divided);
        let (rows, _) = tree.rows(&Selection::default(), None).expect("no options");
        let at = |path: &str| rows.iter().find(|row| row.path == path).expect("a row");
        assert_eq!(at("jit(f)").total_ps, 105);
        assert_eq!(at("jit(f)").estimated_ps, 10);
        // Three ops before, twice each, and the combined one.
        assert_eq!(at("jit(f)").occurrences, 8);
        assert_eq!(at("jit(f)/layer_0").total_ps, 83);
        assert_eq!(at("jit(f)/layer_0").backward_ps, 53);
        assert_eq!(at("jit(f)/layer_1/mlp/add").total_ps, 19);
        assert_eq!(at("jit(f)/reduce_sum").forward_ps, 3);
        assert!(rows.iter().all(|row| row.paths.is_empty()));
        assert_eq!(rows.iter().map(|row| row.self_ps).sum::<i64>(), 110);
    }
}
