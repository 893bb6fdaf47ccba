//! The `graph` report as tables.

use super::columns::{self, EDGES, KERNELS, MATCHES, NODES, Names, PROGRAMS};
use super::report::GraphReport;
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::{Declared, Table};

/// Maximum number of characters of the op's text above the tables.
const OP_TEXT: usize = 100;

impl Report for GraphReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn tables(&self) -> Vec<Table> {
        let nodes = self.nodes.iter();
        let names: Names = nodes.map(|node| (node.id, node.name.clone())).collect();
        let edges = self.edges.iter().map(|edge| (edge, &names));
        vec![
            Table::of("nodes", "Around the op", NODES, &self.nodes),
            Table::of("matches", "Found", MATCHES, &self.matches).with_row_count(self.match_count),
            Table::within("edges", "Edges", EDGES, edges),
            Table::of("kernels", "Kernels in custom calls", KERNELS, &self.kernels)
                .with_row_count(self.kernel_count),
            Table::of("programs", "Programs", PROGRAMS, &self.programs),
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
            // The whole text is in `details`, and printed by `--text short`.
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
