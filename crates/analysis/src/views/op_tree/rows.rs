//! The tree as rows, depth first, and the ops that waste the most time.

use std::cmp::Reverse;

use stepscope_model::{MemoryLevel, OpId};

use super::build::{Kind, Node, Tree};
use super::columns::ROWS;
use super::report::{OpTreeLevel, OpTreeRow, OpTreeWaste};
use super::{OpTreeOptions, fused};
use crate::asking::AnalysisError;
use crate::asking::order;
use crate::views::ops::{Roofline, Work, is_async_half};
use crate::views::roofline::Choice;

/// Maximum number of ops listed as wasteful.
const MOST_WASTEFUL: usize = 20;

/// Collects the rows.
struct Flat<'a> {
    sort: &'a str,
    levels: u32,
    has_fused: bool,
    rows: Vec<OpTreeRow>,
}

/// Rows depth first, siblings by `--sort`. A limit keeps the nodes with the largest self time, which
/// always include their ancestors. Instructions are kept with their fusion.
pub(super) fn rows(
    tree: &Tree<'_>,
    options: &OpTreeOptions,
) -> Result<(Vec<OpTreeRow>, usize), AnalysisError> {
    let mut flat = Flat {
        sort: options.selection.sort.as_deref().unwrap_or("self_ps"),
        levels: options.depth.unwrap_or(u32::MAX).max(1),
        has_fused: options.fused == Choice::Include,
        rows: Vec::new(),
    };
    append_children(tree, 0, "", 0, &mut flat)?;
    let mut rows = flat.rows;
    let row_count = rows.len();
    let limit = options
        .selection
        .limit
        .filter(|&limit| limit > 0 && limit < row_count);
    if let Some(limit) = limit {
        let mut weight = 0;
        let weigh = |row: &OpTreeRow| {
            if row.kind != "instruction" {
                weight = row.self_ps;
            }
            weight
        };
        let weights: Vec<i64> = rows.iter().map(weigh).collect();
        let mut order: Vec<usize> = (0..row_count).collect();
        order.sort_by_key(|&index| (Reverse(weights[index]), index));
        let mut is_kept = vec![false; row_count];
        order[..limit]
            .iter()
            .for_each(|&index| is_kept[index] = true);
        let mut kept = is_kept.into_iter();
        rows.retain(|_| kept.next().unwrap_or(false));
    }
    Ok((rows, row_count))
}

fn append_children(
    tree: &Tree<'_>,
    parent: usize,
    path: &str,
    depth: u32,
    flat: &mut Flat<'_>,
) -> Result<(), AnalysisError> {
    let children = tree.nodes[parent].children.iter();
    let mut siblings: Vec<(usize, OpTreeRow)> = children
        .map(|&child| (child, row(tree, child, path, depth, flat.has_fused)))
        .collect();
    siblings.sort_by_key(|(node, row)| (row.kind == "idle", Reverse(row.self_ps), *node));
    order::sort_rows_by(&mut siblings, |(_, row)| row, flat.sort, ROWS)?;
    for (node, row) in siblings {
        let path = row.path.clone();
        flat.rows.push(row);
        if depth + 1 < flat.levels {
            append_children(tree, node, &path, depth + 1, flat)?;
            append_fused(tree, node, parent, &path, depth + 1, flat);
        }
    }
    Ok(())
}

/// Instructions of a fusion. For duplicates, only those of the first one.
fn append_fused(
    tree: &Tree<'_>,
    node: usize,
    parent: usize,
    path: &str,
    depth: u32,
    flat: &mut Flat<'_>,
) {
    let parent = &tree.nodes[parent];
    let is_repeated = parent.kind == Kind::Duplicates && parent.children.first() != Some(&node);
    let Some(op) = fusion(tree, &tree.nodes[node], flat.has_fused).filter(|_| !is_repeated) else {
        return;
    };
    let of_fusion = &tree.ops[tree.nodes[node].largest].row;
    let executions = of_fusion.executions as f64;
    for fused in fused::instructions(tree.session, op) {
        flat.rows.push(OpTreeRow {
            path: format!("{path} > {}", fused.name),
            program_id: of_fusion.program_id.clone(),
            class: of_fusion.class.clone(),
            op: fused.name.clone(),
            name: fused.name,
            category: fused.opcode,
            occurrences: of_fusion.occurrences,
            flops: fused.flops.map(|flops| flops * executions),
            expression: fused.expression,
            scope: fused.scope,
            source: fused.source,
            ..empty_row("instruction", depth)
        });
    }
}

/// The op of a node whose instructions are shown.
fn fusion(tree: &Tree<'_>, node: &Node, has_fused: bool) -> Option<OpId> {
    match node.kind {
        Kind::Op(position) if has_fused => tree.ops[position].op,
        _ => None,
    }
}

fn row(tree: &Tree<'_>, index: usize, parent_path: &str, depth: u32, has_fused: bool) -> OpTreeRow {
    let node = &tree.nodes[index];
    let (sums, rates) = (&node.sums, tree.rates(node));
    let fused = fusion(tree, node, has_fused).map_or(0, |op| fused::count(tree.session, op));
    let mut row = OpTreeRow {
        name: node.name.clone(),
        path: match parent_path {
            "" => node.name.clone(),
            parent => format!("{parent} > {}", node.name),
        },
        child_count: u32::try_from(node.children.len() + fused).unwrap_or(u32::MAX),
        duplicate_count: node.duplicate_count,
        occurrences: sums.occurrences,
        total_ps: sums.total_ps,
        self_ps: sums.self_ps,
        ratio: tree.share(sums.self_ps),
        flops: sums.work.and_then(|work| work.flops),
        bytes: sums.work.map(|work| work.bytes),
        flop_rate: rates.flop_rate,
        bandwidth: rates.bandwidth,
        compute_ratio: rates.compute_ratio,
        levels: levels(sums.work.as_ref(), &rates),
        best_ratio: rates.ratio,
        bound_by: rates.bound_by.to_owned(),
        wasted_ps: sums.wasted_ps,
        ..empty_row(kind_name(tree, node), depth)
    };
    if node.kind != Kind::Idle {
        describe(tree, &mut row, node);
    }
    row
}

/// Fills in what a node takes from its op, or from the largest of its ops.
fn describe(tree: &Tree<'_>, row: &mut OpTreeRow, node: &Node) {
    let largest = &tree.ops[node.largest];
    row.class.clone_from(&largest.row.class);
    if node.has_one_program {
        row.program_id.clone_from(&largest.row.program_id);
    }
    if !matches!(node.kind, Kind::Op(_) | Kind::Duplicates) {
        return;
    }
    row.category.clone_from(&largest.row.category);
    row.op.clone_from(&largest.row.name);
    row.scope.clone_from(&largest.row.scope);
    row.source.clone_from(&largest.row.source);
    row.cost_source.clone_from(&largest.row.cost_source);
    row.expression = largest
        .op
        .map(|op| expression(tree, op))
        .unwrap_or_default();
}

fn expression(tree: &Tree<'_>, op: OpId) -> String {
    let session = tree.session;
    let op = session.op(op);
    let recorded = session.text(op.expression);
    if !recorded.is_empty() {
        return recorded.to_owned();
    }
    let hlo = session.program(op.program).hlo.as_ref();
    let text = hlo.and_then(|hlo| Some(hlo.text(hlo.instruction(session.text(op.name))?)));
    text.unwrap_or_default()
}

fn kind_name(tree: &Tree<'_>, node: &Node) -> &'static str {
    match node.kind {
        Kind::Group(name) => name,
        Kind::Duplicates => "duplicates",
        Kind::Idle => "idle",
        Kind::Op(position) => match tree.ops[position].row.category.as_str() {
            "kernel" => "kernel",
            "transfer" => "transfer",
            _ => "op",
        },
    }
}

/// The ops that waste the most time, with duplicates combined.
pub(super) fn wasted(tree: &Tree<'_>) -> Vec<OpTreeWaste> {
    let mut is_inside = vec![false; tree.nodes.len()];
    for node in tree
        .nodes
        .iter()
        .filter(|node| node.kind == Kind::Duplicates)
    {
        node.children
            .iter()
            .for_each(|&child| is_inside[child] = true);
    }
    let is_candidate = |index: usize| {
        matches!(tree.nodes[index].kind, Kind::Duplicates | Kind::Op(_)) && !is_inside[index]
    };
    let candidates = (0..tree.nodes.len()).filter(|&index| is_candidate(index));
    let mut found: Vec<(i64, usize)> = candidates
        .filter_map(|index| Some((tree.nodes[index].sums.wasted_ps?, index)))
        .filter(|(wasted_ps, _)| *wasted_ps > 0)
        .collect();
    found.sort_by_key(|&(wasted_ps, index)| (Reverse(wasted_ps), index));
    found.truncate(MOST_WASTEFUL);
    let rows = found
        .into_iter()
        .map(|(_, node)| waste(tree, &tree.nodes[node]));
    rows.collect()
}

fn waste(tree: &Tree<'_>, node: &Node) -> OpTreeWaste {
    let rates = tree.rates(node);
    let row = &tree.ops[node.largest].row;
    let wasted_ps = node.sums.wasted_ps.unwrap_or(0);
    let bound_by = if is_async_half(&row.category) {
        "waiting"
    } else {
        rates.bound_by
    };
    OpTreeWaste {
        name: node.name.clone(),
        duplicate_count: node.duplicate_count,
        program_id: row.program_id.clone(),
        category: row.category.clone(),
        class: row.class.clone(),
        self_ps: node.sums.self_ps,
        best_ratio: rates.ratio,
        bound_by: bound_by.to_owned(),
        wasted_ps,
        ratio: tree.share(wasted_ps),
        source: row.source.clone(),
    }
}

fn levels(work: Option<&Work>, rates: &Roofline) -> Vec<OpTreeLevel> {
    let Some(work) = work else { return Vec::new() };
    let known = MemoryLevel::ALL
        .iter()
        .filter_map(|&level| Some((level, rates.level_ratios[level.index()]?)));
    known
        .map(|(level, ratio)| OpTreeLevel {
            level: level.name().to_owned(),
            bytes: work.traffic.get(level),
            ratio,
        })
        .collect()
}

fn empty_row(kind: &str, depth: u32) -> OpTreeRow {
    OpTreeRow {
        kind: kind.to_owned(),
        name: String::new(),
        path: String::new(),
        depth,
        child_count: 0,
        duplicate_count: 1,
        program_id: String::new(),
        op: String::new(),
        category: String::new(),
        class: String::new(),
        occurrences: 0,
        total_ps: 0,
        self_ps: 0,
        ratio: 0.0,
        flops: None,
        bytes: None,
        flop_rate: None,
        bandwidth: None,
        compute_ratio: None,
        levels: Vec::new(),
        best_ratio: None,
        bound_by: String::new(),
        wasted_ps: None,
        expression: String::new(),
        scope: String::new(),
        source: String::new(),
        cost_source: String::new(),
    }
}
