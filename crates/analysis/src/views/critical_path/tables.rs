//! The `critical_path` report as tables.

use super::columns::{self, FIGURES, KINDS, OPS, ROWS, SCOPES, STEPS, WAITS};
use super::report::CriticalPathReport;
use crate::asking::Report;
use crate::telling::{Declared, DeclaredColumn, Note, Table, format};

impl Report for CriticalPathReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn figures() -> Vec<DeclaredColumn> {
        DeclaredColumn::figures::<Self>(FIGURES)
    }

    fn tables(&self) -> Vec<Table> {
        let shown = match self.shown_step {
            Some(step) => format!("What step {step} waited for, in order"),
            None if self.step_count > 1 => "What the steps waited for, in order".to_owned(),
            None => "What the recording waited for, in order".to_owned(),
        };
        vec![
            Table::of("kinds", "What steps wait for", KINDS, &self.kinds),
            Table::of("waits", "What the slice waited for", WAITS, &self.waits),
            Table::of("rows", &shown, ROWS, &self.rows).with_row_count(self.row_count),
            Table::of("ops", "Ops: time on the path, and slack", OPS, &self.ops)
                .with_row_count(self.op_count),
            Table::of("scopes", "Scopes on the path", SCOPES, &self.scopes),
            Table::of("steps", "Steps", STEPS, &self.steps),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        let Some(path_ps) = self.path_ps.filter(|_| self.is_admitted) else {
            return Vec::new();
        };
        let shares = self.kinds.iter().filter(|row| row.ratio > 0.0);
        let shares: Vec<String> = shares
            .map(|row| format!("{} {}", row.kind.name(), format::percent(row.ratio)))
            .collect();
        let why = Some(("Slice".to_owned(), self.why.clone()));
        let mut lines: Vec<(String, String)> =
            why.into_iter().filter(|(_, why)| !why.is_empty()).collect();
        lines.extend([
            (
                "Path".to_owned(),
                format!(
                    "{}, mean of {}",
                    format::duration_ps(path_ps),
                    format::counted(self.step_count, "step")
                ),
            ),
            ("Waits for".to_owned(), shares.join(", ")),
            (
                "Replay".to_owned(),
                format!(
                    "gives every step within {}",
                    format::percent(self.error_ratio)
                ),
            ),
        ]);
        lines
    }
}
