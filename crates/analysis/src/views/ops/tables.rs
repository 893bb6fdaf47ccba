//! The `ops` report as tables.

use super::columns::{self, DEVICES, REGIONS, ROWS};
use super::report::{OpRow, OpsReport};
use super::unknown::beside;
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::attribution;
use crate::telling::format;
use crate::telling::{Declared, DeclaredColumn, Table};

/// Ops as a table, which `overview` also uses for its top ops.
pub(crate) fn op_table(key: &'static str, title: &str, rows: &[OpRow], row_count: usize) -> Table {
    Table::of(key, title, ROWS, rows).with_row_count(row_count)
}

impl Report for OpsReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn figures() -> Vec<DeclaredColumn> {
        DeclaredColumn::figures::<Self>(columns::FIGURES)
    }

    fn tables(&self) -> Vec<Table> {
        vec![
            op_table("rows", "Ops", &self.rows, self.row_count),
            Table::of("devices", "Devices", DEVICES, &self.devices),
            Table::of("regions", "Regions within ops", REGIONS, &self.regions),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        let mut lines = vec![
            ("Ops".to_owned(), self.row_count.to_string()),
            (
                "Σ self time".to_owned(),
                format::duration_ps(self.total_self_ps as f64),
            ),
        ];
        let has_flops = self.rows.iter().any(|row| row.flops.is_some());
        let unknown = beside(self.flops_unknown_ratio);
        if let Some(unknown) = unknown.strip_prefix("; ").filter(|_| has_flops) {
            lines.push(("FLOPs".to_owned(), unknown.to_owned()));
        }
        if let Some(covered) = attribution::sentence(&self.attribution) {
            lines.push(("Attributed to HLO ops".to_owned(), covered));
        }
        lines
    }
}
