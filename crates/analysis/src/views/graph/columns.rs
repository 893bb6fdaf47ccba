//! Columns of the tables of `graph`: titles, units, behavior, and how each is read from its row.
//! The meaning of each column is documented at the field of its row.

use rustc_hash::FxHashMap;

use super::report::{
    GraphEdge, GraphKernel, GraphKernelBlock, GraphMatch, GraphNode, GraphProgram,
};
use crate::telling::{Cell, Column, Declared, Field, Unit};

pub(super) const NODES: &[Field<GraphNode>] = &[
    Column::new("name", "Op", Unit::Text).of(|node| node.name.as_str().into()),
    Column::new("opcode", "Opcode", Unit::Text).of(|node| node.opcode.as_str().into()),
    Column::new("distance", "Hops", Unit::Count)
        .position()
        .of(|node| node.distance.into()),
    Column::new("self_ps", "Self", Unit::Picos)
        .sums()
        .of(|node| node.self_ps.into()),
    Column::new("shape", "Shape", Unit::Text).of(|node| node.shape.as_str().into()),
    Column::wide("scope", "Scope", Unit::Text).of(|node| node.scope.as_str().into()),
    Column::wide("source", "Source", Unit::Text).of(|node| node.source.as_str().into()),
    Column::wide("occurrences", "Count", Unit::Count)
        .sums()
        .of(|node| node.occurrences.into()),
    Column::wide("flops", "FLOPs per execution", Unit::Flops)
        .fractional()
        .of(|node| node.flops.into()),
    Column::wide("bytes", "Bytes per execution", Unit::Bytes)
        .fractional()
        .of(|node| node.bytes.into()),
    Column::wide("output_bytes", "Output bytes", Unit::Bytes).of(|node| node.output_bytes.into()),
    Column::wide("category", "Category", Unit::Text).of(|node| node.category.as_str().into()),
    Column::wide("class", "Class", Unit::Text).of(|node| node.class.as_str().into()),
    Column::wide("global_shape", "Global shape", Unit::Text)
        .of(|node| node.global_shape.as_str().into()),
    Column::wide("partition", "Partition", Unit::Text).of(|node| node.partition.as_str().into()),
    Column::wide("sharding", "Sharding", Unit::Text).of(|node| node.sharding.as_str().into()),
    Column::wide("computation", "Computation", Unit::Text)
        .of(|node| node.computation.as_str().into()),
    Column::wide("constants", "Constants", Unit::Text).of(|node| node.constants.join("; ").into()),
    Column::wide("calls", "Calls", Unit::Text).of(|node| node.calls.join(", ").into()),
    Column::wide("total_ps", "Total", Unit::Picos)
        .sums()
        .of(|node| node.total_ps.into()),
    Column::wide("hidden_operands", "Operands not shown", Unit::Count)
        .of(|node| node.hidden_operands.into()),
    Column::wide("hidden_users", "Users not shown", Unit::Count)
        .of(|node| node.hidden_users.into()),
    Column::wide("is_center", "Center", Unit::Flag).of(|node| node.is_center.into()),
    Column::wide("id", "Id", Unit::Count)
        .position()
        .of(|node| i64::from(node.id).into()),
];

pub(super) const EDGES: &[Field<GraphEdge, Names>] = &[
    Column::new("from", "From", Unit::Text)
        .means("Name of the node that produces the value.")
        .within(|edge, names| named(names, edge.from_id)),
    Column::new("to", "To", Unit::Text)
        .means("Name of the instruction that uses the value.")
        .within(|edge, names| named(names, edge.to_id)),
    Column::new("operand", "Operand", Unit::Count)
        .position()
        .of(|edge| i64::from(edge.operand).into()),
    Column::new("shape", "Shape", Unit::Text).of(|edge| edge.shape.as_str().into()),
    Column::new("bytes", "Bytes", Unit::Bytes).of(|edge| edge.bytes.into()),
    Column::wide("is_control", "Control only", Unit::Flag).of(|edge| edge.is_control.into()),
    Column::wide("from_id", "From id", Unit::Count)
        .position()
        .of(|edge| i64::from(edge.from_id).into()),
    Column::wide("to_id", "To id", Unit::Count)
        .position()
        .of(|edge| i64::from(edge.to_id).into()),
];

pub(super) const MATCHES: &[Field<GraphMatch>] = &[
    Column::new("name", "Op", Unit::Text).of(|found| found.name.as_str().into()),
    Column::new("opcode", "Opcode", Unit::Text).of(|found| found.opcode.as_str().into()),
    Column::new("self_ps", "Self", Unit::Picos)
        .sums()
        .of(|found| found.self_ps.into()),
    Column::new("shape", "Shape", Unit::Text).of(|found| found.shape.as_str().into()),
    Column::wide("scope", "Scope", Unit::Text).of(|found| found.scope.as_str().into()),
    Column::wide("source", "Source", Unit::Text).of(|found| found.source.as_str().into()),
    Column::wide("computation", "Computation", Unit::Text)
        .of(|found| found.computation.as_str().into()),
    Column::wide("is_fused", "Fused", Unit::Flag).of(|found| found.is_fused.into()),
    Column::wide("found_in", "Found in", Unit::Text).of(|found| found.found_in.as_str().into()),
];

pub(super) const KERNELS: &[Field<GraphKernel>] = &[
    Column::new("op", "Op", Unit::Text).of(|kernel| kernel.op.as_str().into()),
    Column::new("kernel", "Kernel", Unit::Text).of(|kernel| kernel.kernel.as_str().into()),
    Column::new("language", "Language", Unit::Text).of(|kernel| kernel.language.as_str().into()),
    Column::new("grid", "Grid", Unit::Text).of(|kernel| kernel.grid.as_str().into()),
    Column::new("self_ps", "Self", Unit::Picos)
        .sums()
        .of(|kernel| kernel.self_ps.into()),
    Column::new("blocks", "Blocks", Unit::Text).of(|kernel| {
        let blocks: Vec<String> = kernel.blocks.iter().map(GraphKernelBlock::text).collect();
        blocks.join("; ").into()
    }),
    Column::wide("scratch", "Scratch", Unit::Text).of(|kernel| kernel.scratch.join("; ").into()),
    Column::wide("dimension_semantics", "Semantics", Unit::Text)
        .of(|kernel| kernel.dimension_semantics.join(", ").into()),
    Column::wide("flops", "FLOPs estimated", Unit::Flops)
        .fractional()
        .of(|kernel| kernel.flops.into()),
    Column::wide("bytes", "Bytes estimated", Unit::Bytes)
        .fractional()
        .of(|kernel| kernel.bytes.into()),
    Column::wide("transcendentals", "Transcendentals estimated", Unit::Count)
        .fractional()
        .of(|kernel| kernel.transcendentals.into()),
    Column::wide("vmem_bytes", "VMEM", Unit::Bytes).of(|kernel| kernel.vmem_bytes.into()),
    Column::wide("vmem_limit_bytes", "VMEM limit", Unit::Bytes)
        .of(|kernel| kernel.vmem_limit_bytes.into()),
    Column::wide("warps", "Warps", Unit::Count).of(|kernel| kernel.warps.into()),
    Column::wide("stages", "Stages", Unit::Count).of(|kernel| kernel.stages.into()),
    Column::wide("source", "Source", Unit::Text).of(|kernel| kernel.source.as_str().into()),
    Column::wide("scope", "Scope", Unit::Text).of(|kernel| kernel.scope.as_str().into()),
    Column::wide("unknown", "Unknown", Unit::Text).of(|kernel| kernel.unknown.as_str().into()),
];

pub(super) const PROGRAMS: &[Field<GraphProgram>] = &[
    Column::new("program", "Program", Unit::Text).of(|program| program.program.as_str().into()),
    Column::new("instruction_count", "Instructions", Unit::Count)
        .of(|program| program.instruction_count.into()),
    Column::new("self_ps", "Self", Unit::Picos)
        .sums()
        .of(|program| program.self_ps.into()),
    Column::wide("program_id", "Program id", Unit::Text)
        .of(|program| program.program_id.as_str().into()),
];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![
        Declared::of("nodes", NODES),
        Declared::of("edges", EDGES),
        Declared::of("matches", MATCHES),
        Declared::of("kernels", KERNELS),
        Declared::of("programs", PROGRAMS),
    ]
}

/// Names of nodes by id.
pub(super) type Names = FxHashMap<u32, String>;

fn named(names: &Names, id: u32) -> Cell {
    let name = names.get(&id).cloned();
    name.unwrap_or_else(|| format!("#{id}")).into()
}
