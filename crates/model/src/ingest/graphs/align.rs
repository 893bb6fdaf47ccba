//! Which op each node of a graph executes: names first, then the order between names.
//!
//! ```text
//! nodes    loop_add_1   sm90_gemm   splitK   MemcpyD2D 64   loop_mul_3
//!              │            └────┬────┘          │              │
//! ops      loop_add.1        gemm.2            copy.5       loop_mul.3
//!          exact name        between anchors                exact name
//! ```
//!
//! A node is assigned to an op only if the earliest and the latest way to place the nodes over the
//! ops agree: ambiguous nodes stay open.

use rustc_hash::{FxHashMap, FxHashSet};

use super::candidates::{Node, NodeWork, OpKind, Scope, ScopeOp};
use super::library::{Cells, Order, assign};
use super::sequence::{common, longest_ascending};
use crate::attribution::Attribution;
use crate::graphs::OpenReason;
use crate::vendor::graphs::LibraryWork;

/// The result for a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Op(u32, Attribution),
    Open(OpenReason),
}

impl Found {
    pub(super) const fn op(self) -> Option<u32> {
        match self {
            Self::Op(op, _) => Some(op),
            Self::Open(_) => None,
        }
    }
}

/// A node whose op and place in the scope are known.
#[derive(Debug, Clone, Copy)]
struct Anchor {
    node: usize,
    place: usize,
}

/// Finds the op of each node. Nodes are in the order in which the graph was built, unless they are
/// only `by_time`: then neighbors may be swapped.
pub(super) fn align(nodes: &[Node], scope: &Scope, by_time: bool) -> Vec<Found> {
    let mut found: Vec<Found> = nodes
        .iter()
        .map(|node| match node.known {
            Some((op, how)) => Found::Op(op, how),
            None => Found::Open(OpenReason::NothingFits),
        })
        .collect();
    let anchors = anchors(nodes, scope, by_time);
    let mut cells = Cells::default();
    let mut before: Option<Anchor> = None;
    for after in anchors.iter().copied().map(Some).chain([None]) {
        let first = before.map_or(0, |anchor| anchor.node + 1);
        let last = after.map_or(nodes.len(), |anchor| anchor.node);
        if nodes[first..last].iter().any(|node| node.known.is_none()) {
            let how = match (before, after, scope.is_bounded) {
                (None, None, _) | (None, _, false) | (_, None, false) => Attribution::ByOrder,
                _ => Attribution::BetweenAnchors,
            };
            let mut gap = gap(scope, before, after);
            let is_own = |anchor: &Anchor| nodes[anchor.node].is_own();
            if let (Some(last), Some(_)) = (gap.last_mut(), after.filter(is_own)) {
                *last = last.due();
            }
            if let (Some(first), Some(_)) = (gap.first_mut(), before.filter(is_own)) {
                *first = first.done();
            }
            let open = &mut found[first..last];
            fill(&nodes[first..last], &gap, how, open, &mut cells);
        }
        before = after;
    }
    found
}

/// Known nodes with their positions. A name may occur in the scope twice (the condition of a loop
/// runs before it and within): the next position after the last anchor is used.
fn anchors(nodes: &[Node], scope: &Scope, by_time: bool) -> Vec<Anchor> {
    let mut places: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for (place, op) in scope.ops.iter().enumerate() {
        places.entry(op.instruction).or_default().push(place);
    }
    let mut anchors = Vec::new();
    let mut last = 0;
    for (node, known) in nodes.iter().enumerate() {
        let Some(own) = known.known.and_then(|(op, _)| places.get(&op)) else {
            continue;
        };
        let next = own.partition_point(|&place| place < last);
        let place = own.get(next).or_else(|| own.first()).copied();
        last = place.unwrap_or(last);
        anchors.extend(place.map(|place| Anchor { node, place }));
    }
    if by_time {
        let order: Vec<usize> = anchors.iter().map(|anchor| anchor.place).collect();
        let kept = longest_ascending(&order);
        anchors = kept.into_iter().map(|index| anchors[index]).collect();
    }
    anchors
}

/// The ops between two anchors, including both: they may have further kernels. If the order goes
/// back, a loop started over, or another sequence starts.
fn gap(scope: &Scope, before: Option<Anchor>, after: Option<Anchor>) -> Vec<ScopeOp> {
    let all = &scope.ops;
    let from = before.map_or(0, |anchor| anchor.place);
    let to = after.map_or(all.len(), |anchor| (anchor.place + 1).min(all.len()));
    if from < to {
        return all[from..to].to_vec();
    }
    let next = scope.starts.partition_point(|&start| start <= from);
    let tail = scope.starts.get(next).copied().unwrap_or(all.len());
    let own = scope.starts.partition_point(|&start| start < to);
    let head = own.checked_sub(1).map_or(0, |own| scope.starts[own]);
    all[from..tail]
        .iter()
        .chain(&all[head..to])
        .copied()
        .collect()
}

/// Assigns ops to the nodes of a gap, if both placements agree.
fn fill(nodes: &[Node], ops: &[ScopeOp], how: Attribution, found: &mut [Found], cells: &mut Cells) {
    // A further kernel of a library call belongs with the kernel before it.
    let leading: Vec<usize> = (0..nodes.len())
        .filter(|&node| nodes[node].known.is_none() && !is_follow_up(nodes, node))
        .collect();
    let own: Vec<Node> = leading.iter().map(|&node| nodes[node]).collect();
    let early = one_way(&own, ops, Order::Forward, cells);
    let back_nodes: Vec<Node> = own.iter().rev().copied().collect();
    let back_ops: Vec<ScopeOp> = ops.iter().rev().copied().collect();
    let mut late = one_way(&back_nodes, &back_ops, Order::Backward, cells);
    late.reverse();
    for ((&node, early), late) in leading.iter().zip(early).zip(late) {
        let late = late.map(|place| ops.len() - 1 - place);
        let op = |place: usize| ops[place].instruction;
        found[node] = match (early.map(op), late.map(op)) {
            (Some(early), Some(late)) if early == late => Found::Op(early, how),
            (None, None) if cells.are_used_up() => Found::Open(OpenReason::TooMany),
            (None, None) => Found::Open(OpenReason::NothingFits),
            _ => Found::Open(OpenReason::SeveralFit),
        };
    }
    follow(nodes, ops, how, found);
}

/// Assigns further kernels of library calls to the op of the kernel before, unless that may be
/// missing: an op without kernels follows.
fn follow(nodes: &[Node], ops: &[ScopeOp], how: Attribution, found: &mut [Found]) {
    let used: FxHashSet<u32> = found.iter().filter_map(|found| found.op()).collect();
    let places: FxHashMap<u32, usize> = ops
        .iter()
        .enumerate()
        .map(|(place, op)| (op.instruction, place))
        .collect();
    let is_next_lost = |op: u32| {
        let from = places.get(&op).map_or(ops.len(), |place| place + 1);
        let mut behind = ops[from..].iter();
        let next = behind.find(|op| {
            used.contains(&op.instruction)
                || matches!(op.kind, OpKind::Matmul | OpKind::Convolution)
        });
        next.is_some_and(|op| !used.contains(&op.instruction))
    };
    for node in 0..nodes.len() {
        if nodes[node].known.is_none() && is_follow_up(nodes, node) {
            found[node] = match found[node - 1] {
                Found::Op(op, _) if is_next_lost(op) => Found::Open(OpenReason::SeveralFit),
                Found::Op(op, _) => Found::Op(op, how),
                open @ Found::Open(_) => open,
            };
        }
    }
}

/// The kernel can only belong to the call of the one before.
fn is_follow_up(nodes: &[Node], node: usize) -> bool {
    let is_library = |work| {
        matches!(
            work,
            NodeWork::Library(
                LibraryWork::FollowUp
                    | LibraryWork::Matmul
                    | LibraryWork::Convolution
                    | LibraryWork::Other
            )
        )
    };
    nodes[node].work == NodeWork::Library(LibraryWork::FollowUp)
        && node > 0
        && nodes[node - 1].known.is_none()
        && is_library(nodes[node - 1].work)
}

/// The position of each node's op, placed as early as possible.
fn one_way(nodes: &[Node], ops: &[ScopeOp], order: Order, cells: &mut Cells) -> Vec<Option<usize>> {
    let symbols = nodes
        .iter()
        .enumerate()
        .filter_map(|(at, node)| match node.work {
            NodeWork::Own {
                symbol,
                is_further: false,
            } => Some((at, symbol)),
            _ => None,
        });
    let (node_places, node_symbols): (Vec<usize>, Vec<u32>) = symbols.unzip();
    let symbols = ops.iter().enumerate();
    let symbols = symbols.filter_map(|(at, op)| Some((at, op.symbol?)));
    let (op_places, op_symbols): (Vec<usize>, Vec<u32>) = symbols.unzip();
    let pairs = common(&node_symbols, &op_symbols);
    let mut found = vec![None; nodes.len()];
    let (mut node_from, mut op_from) = (0, 0);
    let pairs = pairs
        .into_iter()
        .map(|(node, op)| (node_places[node], op_places[op]));
    for (node, op) in pairs.chain([(nodes.len(), ops.len())]) {
        // The ops at both ends may have further kernels.
        let op_to = (op + 1).min(ops.len());
        let mut candidates = ops[op_from..op_to].to_vec();
        own_kernels(&mut candidates, order, node_from > 0, op < ops.len());
        let between = assign(&nodes[node_from..node], &candidates, order, cells);
        for (at, place) in between.into_iter().enumerate() {
            found[node_from + at] = place.map(|place| op_from + place);
        }
        if let Some(named) = found.get_mut(node) {
            *named = Some(op);
        }
        (node_from, op_from) = (node + 1, op);
    }
    found
}

/// The ops at both ends, where they are known to have a kernel of their own there.
fn own_kernels(ops: &mut [ScopeOp], order: Order, has_first: bool, has_last: bool) {
    let is_forward = order == Order::Forward;
    if let (Some(last), true) = (ops.last_mut(), has_last) {
        *last = if is_forward { last.due() } else { last.done() };
    }
    if let (Some(first), true) = (ops.first_mut(), has_first) {
        *first = if is_forward {
            first.done()
        } else {
            first.due()
        };
    }
}
