//! Properties of the alignment, on random programs and graphs.

use proptest::prelude::*;

use super::align::{Found, align};
use super::candidates::{Contents, Node, NodeWork, OpKind, Scope, ScopeOp};
use crate::attribution::Attribution;
use crate::vendor::graphs::LibraryWork;

/// An op of a random program: its kind, and how many kernels it launches.
#[derive(Debug, Clone, Copy)]
enum RandomOp {
    /// A fusion with a name that nothing else has.
    Unique,
    /// A fusion with one of few kernels that several ops share.
    Shared(u32),
    Library(usize),
    Copy(u64),
}

fn random_op() -> impl Strategy<Value = RandomOp> {
    prop_oneof![
        3 => Just(RandomOp::Unique),
        2 => (0u32..4).prop_map(RandomOp::Shared),
        2 => (1usize..4).prop_map(RandomOp::Library),
        1 => (1u64..4).prop_map(|units| RandomOp::Copy(units * 64)),
    ]
}

/// Symbols of unique fusions lie above those that are shared.
const UNIQUE: u32 = 1000;

/// The scope of a program, and the nodes of its graph with the op of each.
fn drawn(ops: &[RandomOp]) -> (Scope, Vec<(u32, Node)>) {
    let mut scope = Scope {
        starts: vec![0],
        is_bounded: true,
        ..Scope::default()
    };
    let mut nodes = Vec::new();
    for (instruction, op) in (0u32..).zip(ops) {
        let node = |work, known| Node { work, known };
        let own = |symbol, is_only: bool| NodeWork::Own {
            symbol: if is_only { UNIQUE + symbol } else { symbol },
            is_further: false,
        };
        let (symbol, kind, bytes, made) = match *op {
            RandomOp::Unique => (
                Some(UNIQUE + instruction),
                OpKind::Fusion(Contents::Computed),
                4,
                vec![node(
                    own(instruction, true),
                    Some((instruction, Attribution::ExactName)),
                )],
            ),
            RandomOp::Shared(symbol) => (
                Some(symbol),
                OpKind::Fusion(Contents::Computed),
                4,
                vec![node(own(symbol, false), None)],
            ),
            RandomOp::Library(kernels) => (
                None,
                OpKind::Matmul,
                4,
                (0..kernels)
                    .map(|number| {
                        let work = match number {
                            0 => LibraryWork::Matmul,
                            _ => LibraryWork::FollowUp,
                        };
                        node(NodeWork::Library(work), None)
                    })
                    .collect(),
            ),
            RandomOp::Copy(bytes) => (
                None,
                OpKind::Copy,
                bytes,
                vec![node(NodeWork::Copy(Some(bytes)), None)],
            ),
        };
        scope.ops.push(ScopeOp {
            instruction,
            symbol,
            kind,
            bytes: (bytes, bytes),
        });
        nodes.extend(made.into_iter().map(|node| (instruction, node)));
    }
    (scope, nodes)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// A complete graph is found op for op: every kernel has its op.
    #[test]
    fn a_whole_graph_is_found(ops in prop::collection::vec(random_op(), 0..60)) {
        let (scope, drawn) = drawn(&ops);
        let nodes: Vec<Node> = drawn.iter().map(|&(_, node)| node).collect();
        let found = align(&nodes, &scope, false);
        for (&(op, _), found) in drawn.iter().zip(&found) {
            prop_assert_eq!(found.op(), Some(op));
        }
    }

    /// Whatever is lost, names stay correct, and the order is that of the program.
    #[test]
    fn lost_nodes_never_mislead_names_or_order(
        ops in prop::collection::vec(random_op(), 0..60),
        kept in prop::collection::vec(prop::bool::weighted(0.8), 200),
        by_time in any::<bool>(),
    ) {
        let (scope, drawn) = drawn(&ops);
        let drawn: Vec<(u32, Node)> = drawn
            .into_iter()
            .zip(kept.iter().chain(std::iter::repeat(&true)))
            .filter_map(|(node, &kept)| kept.then_some(node))
            .collect();
        let nodes: Vec<Node> = drawn.iter().map(|&(_, node)| node).collect();
        let found = align(&nodes, &scope, by_time);
        prop_assert_eq!(found.len(), nodes.len());
        let mut last = 0;
        for (&(op, node), found) in drawn.iter().zip(&found) {
            if node.known.is_some() {
                prop_assert_eq!(*found, Found::Op(op, Attribution::ExactName));
            }
            if let Some(found) = found.op() {
                prop_assert!(found >= last, "{} after {}", found, last);
                last = found;
                let kind = scope.ops[found as usize].kind;
                let fits = match node.work {
                    NodeWork::Own { symbol, .. } => {
                        scope.ops[found as usize].symbol == Some(symbol)
                    }
                    NodeWork::Library(_) => kind == OpKind::Matmul,
                    NodeWork::Copy(_) => kind != OpKind::Fusion(Contents::Constant),
                    NodeWork::Fill(_) => true,
                };
                prop_assert!(fits, "{:?} is no kernel of {:?}", node, kind);
            }
        }
    }

    /// Any nodes with any program: no panic, and no nonexistent op.
    #[test]
    fn anything_ends(
        ops in prop::collection::vec(random_op(), 0..40),
        others in prop::collection::vec(random_op(), 0..40),
        bounded in any::<bool>(),
    ) {
        let (mut scope, _) = drawn(&ops);
        scope.is_bounded = bounded;
        let (_, nodes) = drawn(&others);
        let nodes: Vec<Node> = nodes.into_iter().map(|(_, mut node)| {
            node.known = node.known.filter(|&(op, _)| (op as usize) < ops.len());
            node
        }).collect();
        let found = align(&nodes, &scope, !bounded);
        for found in found.into_iter().filter_map(Found::op) {
            prop_assert!((found as usize) < ops.len());
        }
    }
}

/// Ten thousand kernels without specific names, and as many with few names.
#[test]
fn large_graphs_take_no_longer_than_they_should() {
    let same = vec![RandomOp::Library(1); 10_000];
    let few: Vec<RandomOp> = (0..10_000).map(|i| RandomOp::Shared(i % 4)).collect();
    let mixed: Vec<RandomOp> = (0..10_000)
        .map(|i| match i % 3 {
            0 => RandomOp::Unique,
            1 => RandomOp::Library(2),
            _ => RandomOp::Shared(i % 4),
        })
        .collect();
    for ops in [same, few, mixed] {
        let (scope, drawn) = drawn(&ops);
        let nodes: Vec<Node> = drawn.iter().map(|&(_, node)| node).collect();
        let found = align(&nodes, &scope, false);
        let right = drawn
            .iter()
            .zip(&found)
            .filter(|((op, _), found)| found.op() == Some(*op))
            .count();
        assert_eq!(right, nodes.len());
    }
}
