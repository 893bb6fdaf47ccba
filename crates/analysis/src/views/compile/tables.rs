//! The `compile` report as tables.

use super::columns::{self, FUNCTIONS, PASSES, ROWS};
use super::report::{CompilationRow, CompileReport};
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::{Declared, DeclaredColumn, Table};

impl Report for CompileReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn figures() -> Vec<DeclaredColumn> {
        DeclaredColumn::figures::<Self>(columns::FIGURES)
    }

    fn tables(&self) -> Vec<Table> {
        vec![
            Table::of("rows", "Compilations", ROWS, &self.rows).with_row_count(self.row_count),
            Table::of("functions", "Functions", FUNCTIONS, &self.functions),
            Table::of("passes", "Passes", PASSES, &self.passes),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        let Some(total_ps) = self.total_ps.filter(|&total| total > 0) else {
            return Vec::new();
        };
        let again: usize = self.functions.iter().map(|row| row.again_count).sum();
        let words = match again {
            0 => "none recompiled".to_owned(),
            again => format!("{again} recompiled"),
        };
        let times = format::counted(self.row_count, "time");
        // Of rows that were left out it is unknown.
        let compiled =
            if !self.rows.is_empty() && self.rows.iter().all(CompilationRow::is_only_traced) {
                format!("nothing; functions were traced {times}")
            } else {
                format!("{times}, {words}")
            };
        let in_steps = self.in_steps_ratio.map_or_else(String::new, |ratio| {
            format!(", {} of the mean step", format::percent(ratio))
        });
        vec![
            (
                "Compilation".to_owned(),
                format!(
                    "{}{} ({}; {})",
                    format::duration_ps(total_ps as f64),
                    in_steps,
                    self.verdict.name(),
                    self.threshold
                ),
            ),
            ("Compiled".to_owned(), compiled),
        ]
    }
}
