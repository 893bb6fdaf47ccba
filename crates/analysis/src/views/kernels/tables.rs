//! The `kernels` report as tables.

use super::columns::{
    self, DURATIONS, LAUNCHES, MATRIX_OPS, ROWS, STEPS, STREAMS, TRANSFER_SIZES, TRANSFERS,
};
use super::report::KernelsReport;
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::attribution;
use crate::telling::format;
use crate::telling::{Declared, DeclaredColumn, Table};

impl KernelsReport {
    fn launch_tables(&self) -> [Table; 4] {
        [
            Table::of(
                "durations",
                "Kernels by duration",
                DURATIONS,
                &self.durations,
            ),
            Table::of("launches", "Launches", LAUNCHES, &self.launches),
            Table::of("steps", "Launch time by step", STEPS, &self.steps),
            Table::of("streams", "Streams", STREAMS, &self.streams),
        ]
    }

    fn copy_tables(&self) -> [Table; 3] {
        [
            Table::of(
                "matrix_ops",
                "Matrix units by op",
                MATRIX_OPS,
                &self.matrix_ops,
            ),
            Table::of("transfers", "Copies", TRANSFERS, &self.transfers),
            Table::of(
                "transfer_sizes",
                "Copies by size",
                TRANSFER_SIZES,
                &self.transfer_sizes,
            ),
        ]
    }
}

impl Report for KernelsReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn figures() -> Vec<DeclaredColumn> {
        DeclaredColumn::figures::<Self>(columns::FIGURES)
    }

    fn tables(&self) -> Vec<Table> {
        let mut kernels = Table::of("rows", "Kernels", ROWS, &self.rows);
        kernels.row_count = self.row_count;
        let mut tables = vec![kernels];
        tables.extend(self.launch_tables());
        tables.extend(self.copy_tables());
        tables
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        let mut lines = vec![("Kernels".to_owned(), self.row_count.to_string())];
        // Without kernels, no time was measured.
        if self.total_ps > 0 {
            let total = format::duration_ps(self.total_ps as f64);
            lines.push(("Σ kernel time".to_owned(), total));
        }
        if let Some(covered) = attribution::sentence(&self.attribution) {
            lines.push(("Attributed to HLO ops".to_owned(), covered));
        }
        if let Some((ratio, time)) = self.tiny_ratio.zip(self.tiny_time_ratio) {
            let (ratio, time) = (format::percent(ratio), format::percent(time));
            lines.push((
                "Shorter than 0.1 ms".to_owned(),
                format!("{ratio} of launches, {time} of the time"),
            ));
        }
        if let Some(ratio) = self.matrix_ratio.filter(|&ratio| ratio > 0.0) {
            lines.push(("On matrix units".to_owned(), format::percent(ratio)));
        }
        lines
    }
}
