//! Library kernels, copies, and memsets between two known ops: which of the ops between them may
//! have launched which, in order.

use stepscope_hlo::CollectiveKind;

use super::candidates::{Contents, Node, NodeWork, OpKind, ScopeOp};
use crate::vendor::graphs::LibraryWork;

/// Maximum number of node-op combinations to try for one graph.
const MAX_CELLS: usize = 1 << 24;
/// Maximum within one gap; with more, only those near the diagonal are tried.
const MAX_GAP_CELLS: usize = 1 << 22;
/// The minimum width of such a diagonal.
const MIN_WIDTH: usize = 64;

/// The remaining work budget of one graph.
#[derive(Debug)]
pub(super) struct Cells {
    left: usize,
}

impl Default for Cells {
    fn default() -> Self {
        Self { left: MAX_CELLS }
    }
}

impl Cells {
    pub(super) const fn are_used_up(&self) -> bool {
        self.left == 0
    }

    fn take(&mut self, count: usize) -> bool {
        self.left = self.left.saturating_sub(count);
        self.left > 0
    }
}

/// How well a node fits an op; `None` if it cannot be one of its kernels.
#[expect(
    clippy::match_same_arms,
    reason = "a table: each row is one pair of kinds"
)]
fn fit(node: &Node, op: &ScopeOp) -> Option<i32> {
    use LibraryWork as Work;
    let is_size = |bytes: u64| op.bytes.0 == bytes || op.bytes.1 == bytes;
    match (node.work, op.kind) {
        (
            NodeWork::Own {
                symbol,
                is_further: true,
            },
            _,
        ) => (op.symbol == Some(symbol)).then_some(8),
        (_, OpKind::Done) => None,
        (NodeWork::Own { .. }, OpKind::Custom) => Some(1),
        (NodeWork::Own { .. }, _) => None,
        (NodeWork::Copy(Some(bytes)), OpKind::Copy) => is_size(bytes).then_some(8),
        (NodeWork::Copy(None), OpKind::Copy) => Some(4),
        (NodeWork::Copy(None), OpKind::Fusion(Contents::Slice)) => Some(5),
        (NodeWork::Copy(Some(bytes)), OpKind::Fusion(_)) => is_size(bytes).then_some(5),
        (NodeWork::Copy(Some(bytes)), OpKind::Control) => (bytes <= 8).then_some(2),
        (NodeWork::Copy(_), OpKind::Collective(_) | OpKind::Custom) => Some(2),
        (NodeWork::Copy(_), OpKind::Attention | OpKind::Sort | OpKind::Matmul) => Some(1),
        (NodeWork::Fill(Some(bytes)), OpKind::Fusion(contents)) => {
            let is_constant = contents == Contents::Constant;
            is_size(bytes).then_some(if is_constant { 6 } else { 3 })
        }
        (NodeWork::Fill(None), OpKind::Fusion(Contents::Constant)) => Some(4),
        (
            NodeWork::Fill(_),
            OpKind::Matmul
            | OpKind::Convolution
            | OpKind::Attention
            | OpKind::Sort
            | OpKind::Custom,
        ) => Some(2),
        (NodeWork::Copy(_) | NodeWork::Fill(_), _) => None,
        (NodeWork::Library(work), kind) => match (work, kind) {
            (Work::Matmul, OpKind::Matmul)
            | (Work::Convolution, OpKind::Convolution)
            | (Work::Attention, OpKind::Attention)
            | (Work::Sort, OpKind::Sort)
            | (Work::Control, OpKind::Control) => Some(6),
            (Work::Collective(work), OpKind::Collective(kind)) => collective_fit(work, kind),
            (Work::Collective(_) | Work::Control, _)
            | (_, OpKind::Collective(_) | OpKind::Control | OpKind::Done) => None,
            (Work::Matmul, OpKind::Convolution) => Some(5),
            (Work::FollowUp, OpKind::Matmul | OpKind::Convolution) => Some(4),
            (Work::Other, OpKind::Custom) => Some(4),
            (_, OpKind::Custom) | (Work::Other, OpKind::Sort | OpKind::Attention) => Some(3),
            (Work::Matmul, OpKind::Attention) => Some(2),
            _ => None,
        },
    }
}

#[expect(
    clippy::match_same_arms,
    reason = "a table: each row is one pair of kinds"
)]
fn collective_fit(work: Option<CollectiveKind>, op: CollectiveKind) -> Option<i32> {
    use CollectiveKind as Kind;
    match (work, op) {
        (None, _) => Some(5),
        (Some(work), op) if work == op => Some(6),
        // Libraries implement these as pairs of sends and receives.
        (Some(Kind::Permute), Kind::AllToAll | Kind::Send | Kind::Receive) => Some(5),
        _ => None,
    }
}

/// The score for an op having any kernel.
const FIRST: i32 = 3;
/// Which way nodes and ops are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Forward,
    Backward,
}

/// Worse than everything.
const NEVER: i32 = i32::MIN / 2;

/// How the best path to a cell was reached, as bits of one byte.
mod step {
    /// The last op has none of the nodes.
    pub(super) const SKIP_OP: u8 = 0;
    /// The last node has no op.
    pub(super) const SKIP_NODE: u8 = 1;
    /// The last node is a kernel of the last op.
    pub(super) const MATCH: u8 = 2;
    /// Which of these.
    pub(super) const CHOICE: u8 = 3;
    /// If the last node is a kernel of the last op: so is the node before it.
    pub(super) const CONTINUES: u8 = 4;
}

/// The op of each node, in order, with the best total fit; of equal results the one whose ops come
/// first. A library op may have several consecutive nodes, others have one. A memset prepares what
/// follows: it is the first of its op's nodes.
pub(super) fn assign(
    nodes: &[Node],
    ops: &[ScopeOp],
    order: Order,
    cells: &mut Cells,
) -> Vec<Option<usize>> {
    if nodes.is_empty() || ops.is_empty() {
        return vec![None; nodes.len()];
    }
    let band = Band::of(nodes.len(), ops.len());
    if !cells.take(nodes.len() * band.width) {
        return vec![None; nodes.len()];
    }
    let mut steps = vec![step::SKIP_NODE; nodes.len() * band.width];
    // Best sums for all nodes up to one, by the ops up to one; and those where that node is a kernel
    // of that op.
    let mut best = vec![0; ops.len() + 1];
    let mut matched = vec![NEVER; ops.len() + 1];
    for (row, node) in nodes.iter().enumerate() {
        let columns = band.columns(row);
        // Cells left of the band are not reached in this row.
        let mut left = if columns.start == 1 { 0 } else { NEVER };
        let mut diagonal = best[columns.start - 1];
        best[columns.start - 1] = left;
        for column in columns.clone() {
            let op = &ops[column - 1];
            let above = best[column];
            let (mut own, mut choice) = (NEVER, step::SKIP_NODE);
            if let Some(fit) = fit(node, op) {
                let first = diagonal + FIRST;
                let is_first = order == Order::Forward && is_fill(node);
                let next = if op.kind.has_several() && !is_first {
                    matched[column]
                } else {
                    NEVER
                };
                own = first.max(next) + fit;
                if next > first {
                    choice |= step::CONTINUES;
                }
            }
            let is_first = order == Order::Backward && is_fill(node);
            matched[column] = if is_first { NEVER } else { own };
            let sum = left.max(above).max(own);
            let continues = choice & step::CONTINUES;
            choice = if sum == left {
                step::SKIP_OP
            } else if sum == own {
                step::MATCH
            } else {
                step::SKIP_NODE
            };
            steps[row * band.width + (column - columns.start)] = choice | continues;
            (diagonal, best[column], left) = (above, sum, sum);
        }
        // Columns that the next row reads first were not better in this one.
        let next = band.columns(row + 1).end.min(best.len());
        best[columns.end..next.max(columns.end)].fill(left);
    }
    walk_back(nodes.len(), ops.len(), &band, &steps)
}

const fn is_fill(node: &Node) -> bool {
    matches!(node.work, NodeWork::Fill(_))
}

fn walk_back(nodes: usize, ops: usize, band: &Band, steps: &[u8]) -> Vec<Option<usize>> {
    let mut found = vec![None; nodes];
    let (mut row, mut column) = (nodes, ops);
    while row > 0 && column > 0 {
        let columns = band.columns(row - 1);
        if column < columns.start {
            row -= 1;
            continue;
        }
        column = column.min(columns.end - 1);
        let mut step = steps[(row - 1) * band.width + (column - columns.start)];
        match step & step::CHOICE {
            step::SKIP_OP => column -= 1,
            step::MATCH => {
                found[row - 1] = Some(column - 1);
                while step & step::CONTINUES != 0 && row > 1 {
                    row -= 1;
                    found[row - 1] = Some(column - 1);
                    let columns = band.columns(row - 1);
                    if !columns.contains(&column) {
                        break;
                    }
                    step = steps[(row - 1) * band.width + (column - columns.start)];
                }
                (row, column) = (row - 1, column - 1);
            }
            _ => row -= 1,
        }
    }
    found
}

/// The cells to try: all, or those near the diagonal.
struct Band {
    nodes: usize,
    ops: usize,
    width: usize,
}

impl Band {
    fn of(nodes: usize, ops: usize) -> Self {
        let width = (MAX_GAP_CELLS / nodes.max(1)).max(MIN_WIDTH).min(ops);
        Self { nodes, ops, width }
    }

    /// Columns of a row, counted from 1.
    fn columns(&self, row: usize) -> std::ops::Range<usize> {
        let free = self.ops - self.width;
        let last = (self.nodes - 1).max(1);
        let start = 1 + free * row / last;
        start..start + self.width
    }
}
