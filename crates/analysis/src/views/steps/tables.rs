//! The `steps` report as tables.

use super::columns::{self, ROWS};
use super::report::StepsReport;
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::steps::step_time_lines;
use crate::telling::{Declared, Table};

impl Report for StepsReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn tables(&self) -> Vec<Table> {
        vec![Table::of("rows", "Steps", ROWS, &self.rows).with_row_count(self.row_count)]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        self.step_time_ps.iter().flat_map(step_time_lines).collect()
    }
}
