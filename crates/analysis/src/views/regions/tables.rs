//! The `regions` report as tables.

use super::columns::{self, ROWS, THREADS};
use super::report::RegionsReport;
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::{Declared, DeclaredColumn, Table};

impl Report for RegionsReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn figures() -> Vec<DeclaredColumn> {
        DeclaredColumn::figures::<Self>(columns::FIGURES)
    }

    fn tables(&self) -> Vec<Table> {
        let title = match self.by.as_str() {
            "stack" => "Region stacks",
            "thread" => "Regions by thread",
            _ => "Regions",
        };
        let mut regions = Table::of("rows", title, ROWS, &self.rows);
        if self.by == "thread" {
            for column in &mut regions.columns {
                column.is_essential |= column.key == "thread";
            }
        }
        vec![
            regions.with_row_count(self.row_count),
            Table::of("threads", "Threads", THREADS, &self.threads),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        let covered = if self.threads.is_empty() {
            "none recorded".to_owned()
        } else {
            let threads = format::counted(self.threads.len(), "thread");
            let covered = format::duration_ps(self.covered_ps as f64);
            format!("{covered} on {threads}")
        };
        let mut lines = vec![("In regions".to_owned(), covered)];
        if let Some(ratio) = self.device_ratio {
            lines.push((
                "Launches found".to_owned(),
                format!("{} of device time", format::percent(ratio)),
            ));
        }
        lines
    }
}
