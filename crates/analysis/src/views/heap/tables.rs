//! The `heap` report as tables.

use super::columns::{self, DEVICES, FUNCTIONS, KINDS, ROWS, SNAPSHOTS, TREE};
use super::report::HeapReport;
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::{Declared, DeclaredColumn, Table};

/// Columns that appear only when snapshots are compared.
const COMPARED: [&str; 3] = ["change_bytes", "change_allocations", "change"];

impl Report for HeapReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn figures() -> Vec<DeclaredColumn> {
        DeclaredColumn::figures::<Self>(columns::FIGURES)
    }

    fn tables(&self) -> Vec<Table> {
        let mut tables = vec![
            Table::of("rows", "Stacks", ROWS, &self.rows).with_row_count(self.row_count),
            Table::of(
                "functions",
                "Functions, including what they call",
                FUNCTIONS,
                &self.functions,
            )
            .with_row_count(self.function_count),
            Table::of("devices", "By device", DEVICES, &self.devices),
            Table::of("kinds", "By kind", KINDS, &self.kinds),
            Table::of(
                "tree",
                "Merged stacks, outermost frame first",
                TREE,
                &self.tree,
            )
            .with_row_count(self.tree_count),
        ];
        if self.against.is_none() {
            tables = tables
                .into_iter()
                .map(|table| table.without(&COMPARED))
                .collect();
        }
        tables.push(Table::of(
            "snapshots",
            "Snapshots",
            SNAPSHOTS,
            &self.snapshots,
        ));
        tables
    }

    fn unprinted(&self) -> &'static [&'static str] {
        // The headline already covers a single snapshot.
        if self.snapshots.len() > 1 {
            &[]
        } else {
            &["snapshots"]
        }
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        if self.snapshots.is_empty() {
            return Vec::new();
        }
        let mut lines = vec![
            ("Snapshot".to_owned(), self.snapshot.clone()),
            (
                "Alive".to_owned(),
                format!(
                    "{} in {}",
                    format::bytes(self.total_bytes as f64),
                    format::counted(self.total_allocations, "allocation")
                ),
            ),
        ];
        if let (Some(against), Some(bytes), Some(count)) =
            (&self.against, self.change_bytes, self.change_allocations)
        {
            lines.push(("Compared with".to_owned(), against.clone()));
            lines.push((
                "Change".to_owned(),
                format!("{} in {count:+} allocations", signed_bytes(bytes)),
            ));
        }
        lines
    }
}

fn signed_bytes(bytes: i64) -> String {
    let sign = if bytes > 0 { "+" } else { "" };
    format!("{sign}{}", format::bytes(bytes as f64))
}
