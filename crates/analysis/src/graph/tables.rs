//! The `graph` report as tables.

use rustc_hash::FxHashMap;

use super::report::{GraphMatch, GraphNode, GraphReport};
use crate::cell::{Cell, Column, Table, Unit};
use crate::format;
use crate::note::Note;
use crate::registry::Report;

const NODE_COLUMNS: &[Column] = &[
    Column::new("name", "Op", Unit::Text),
    Column::new("opcode", "Opcode", Unit::Text),
    Column::new("distance", "Hops", Unit::Count),
    Column::new("self_ps", "Self", Unit::Picos),
    Column::new("shape", "Shape", Unit::Text),
    Column::wide("scope", "Scope", Unit::Text),
    Column::wide("source", "Source", Unit::Text),
    Column::wide("occurrences", "Count", Unit::Count),
    Column::wide("flops", "Work per execution", Unit::Flops).fractional(),
    Column::wide("bytes", "Bytes per execution", Unit::Bytes).fractional(),
    Column::wide("output_bytes", "Bytes of value", Unit::Bytes),
    Column::wide("category", "Category", Unit::Text),
    Column::wide("class", "Class", Unit::Text),
    Column::wide("sharding", "Sharding", Unit::Text),
    Column::wide("computation", "Computation", Unit::Text),
    Column::wide("constants", "Constants", Unit::Text),
    Column::wide("calls", "Calls", Unit::Text),
    Column::wide("total_ps", "Total", Unit::Picos),
    Column::wide("hidden_operands", "Operands not shown", Unit::Count),
    Column::wide("hidden_users", "Users not shown", Unit::Count),
    Column::wide("is_center", "Asked for", Unit::Flag),
    Column::wide("id", "Id", Unit::Count),
];

const EDGE_COLUMNS: &[Column] = &[
    Column::new("from", "From", Unit::Text),
    Column::new("to", "To", Unit::Text),
    Column::new("operand", "Operand", Unit::Count),
    Column::new("shape", "Shape", Unit::Text),
    Column::new("bytes", "Bytes", Unit::Bytes),
    Column::wide("is_control", "Order only", Unit::Flag),
    Column::wide("from_id", "From id", Unit::Count),
    Column::wide("to_id", "To id", Unit::Count),
];

const MATCH_COLUMNS: &[Column] = &[
    Column::new("name", "Op", Unit::Text),
    Column::new("opcode", "Opcode", Unit::Text),
    Column::new("self_ps", "Self", Unit::Picos),
    Column::new("shape", "Shape", Unit::Text),
    Column::wide("scope", "Scope", Unit::Text),
    Column::wide("source", "Source", Unit::Text),
    Column::wide("computation", "Computation", Unit::Text),
    Column::wide("is_fused", "Fused", Unit::Flag),
    Column::wide("found_in", "Found in", Unit::Text),
];

const PROGRAM_COLUMNS: &[Column] = &[
    Column::new("program", "Program", Unit::Text),
    Column::new("instruction_count", "Instructions", Unit::Count),
    Column::new("self_ps", "Self", Unit::Picos),
    Column::wide("program_id", "Program id", Unit::Text),
];

fn node_cells(node: &GraphNode) -> Vec<Cell> {
    vec![
        node.name.as_str().into(),
        node.opcode.as_str().into(),
        node.distance.into(),
        node.self_ps.into(),
        node.shape.as_str().into(),
        node.scope.as_str().into(),
        node.source.as_str().into(),
        node.occurrences.into(),
        node.flops.into(),
        node.bytes.into(),
        node.output_bytes.into(),
        node.category.as_str().into(),
        node.class.as_str().into(),
        node.sharding.as_str().into(),
        node.computation.as_str().into(),
        node.constants.join("; ").into(),
        node.calls.join(", ").into(),
        node.total_ps.into(),
        node.hidden_operands.into(),
        node.hidden_users.into(),
        node.is_center.into(),
        i64::from(node.id).into(),
    ]
}

fn match_cells(found: &GraphMatch) -> Vec<Cell> {
    vec![
        found.name.as_str().into(),
        found.opcode.as_str().into(),
        found.self_ps.into(),
        found.shape.as_str().into(),
        found.scope.as_str().into(),
        found.source.as_str().into(),
        found.computation.as_str().into(),
        found.is_fused.into(),
        found.found_in.as_str().into(),
    ]
}

/// Characters of the op's text above the tables.
const OP_TEXT: usize = 100;

impl Report for GraphReport {
    fn tables(&self) -> Vec<Table> {
        let nodes = self.nodes.iter();
        let names: FxHashMap<u32, &str> = nodes.map(|node| (node.id, node.name.as_str())).collect();
        let name = |id: u32| -> Cell {
            let name = names.get(&id).copied();
            name.map_or_else(|| format!("#{id}"), str::to_owned).into()
        };
        let edges = self.edges.iter().map(|edge| {
            vec![
                name(edge.from_id),
                name(edge.to_id),
                i64::from(edge.operand).into(),
                edge.shape.as_str().into(),
                edge.bytes.into(),
                edge.is_control.into(),
                i64::from(edge.from_id).into(),
                i64::from(edge.to_id).into(),
            ]
        });
        let programs = self.programs.iter().map(|program| {
            vec![
                program.program.as_str().into(),
                program.instruction_count.into(),
                program.self_ps.into(),
                program.program_id.as_str().into(),
            ]
        });
        let nodes = self.nodes.iter().map(node_cells);
        let matches = self.matches.iter().map(match_cells);
        let mut found = Table::new("matches", "Found", MATCH_COLUMNS, matches);
        found.row_count = self.match_count;
        vec![
            Table::new("nodes", "Around the op", NODE_COLUMNS, nodes),
            found,
            Table::new("edges", "Edges", EDGE_COLUMNS, edges),
            Table::new("programs", "Programs", PROGRAM_COLUMNS, programs),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn document(&self) -> Option<&str> {
        let texts = [self.dot.as_str(), self.text.as_str()];
        texts.into_iter().find(|text| !text.is_empty())
    }

    fn headline(&self) -> Vec<(String, String)> {
        if self.program.is_empty() {
            return Vec::new();
        }
        let size = format!(
            "{} ({} in {})",
            self.program,
            format::counted(self.instruction_count, "instruction"),
            format::counted(self.computation_count, "computation"),
        );
        let mut lines = vec![("Program".to_owned(), size)];
        if let Some(details) = &self.details {
            // The whole text is in `details`, and with `--text short` on its own.
            lines.push((
                "Op".to_owned(),
                format::shortened_to(&details.text, OP_TEXT),
            ));
        }
        if self.match_count > 0 {
            lines.push(("Found".to_owned(), self.match_count.to_string()));
        }
        lines
    }
}
