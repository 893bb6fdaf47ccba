//! The `counters` report as tables.

use super::columns::{self, ROWS, UTILIZATION};
use super::report::CountersReport;
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::{Declared, Table};

impl Report for CountersReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn tables(&self) -> Vec<Table> {
        vec![
            Table::of("rows", "Counters", ROWS, &self.rows).with_row_count(self.row_count),
            Table::of(
                "utilization",
                "Utilization of units",
                UTILIZATION,
                &self.utilization,
            ),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        vec![("Counters".to_owned(), self.row_count.to_string())]
    }
}
