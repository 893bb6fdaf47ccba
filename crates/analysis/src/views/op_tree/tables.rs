//! The `op_tree` report as tables.

use super::columns::{self, ROWS, WASTED};
use super::report::OpTreeReport;
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::{Declared, DeclaredColumn, Table};
use crate::views::ops::beside;

impl Report for OpTreeReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn figures() -> Vec<DeclaredColumn> {
        DeclaredColumn::figures::<Self>(columns::FIGURES)
    }

    fn tables(&self) -> Vec<Table> {
        vec![
            Table::of("rows", "Op tree", ROWS, &self.rows).with_row_count(self.row_count),
            Table::of("wasted", "Most wasted time", WASTED, &self.wasted),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        let mut lines = vec![(
            "Σ self time".to_owned(),
            format::duration_ps(self.self_ps as f64),
        )];
        if let Some(idle_ps) = self.idle_ps {
            lines.push(("Idle".to_owned(), format::duration_ps(idle_ps as f64)));
        }
        if let Some(wasted_ps) = self.wasted_ps {
            let share = format::percent(wasted_ps as f64 / self.self_ps.max(1) as f64);
            let wasted = format::duration_ps(wasted_ps as f64);
            lines.push((
                "Wasted".to_owned(),
                format!(
                    "{wasted}, {share} of self time{}",
                    beside(self.flops_unknown_ratio)
                ),
            ));
        }
        lines
    }
}
