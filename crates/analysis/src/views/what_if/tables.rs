//! The `what_if` report as tables.

use super::columns::{self, FIGURES, KINDS, LANES, ROWS, STEPS};
use super::report::WhatIfReport;
use crate::asking::Report;
use crate::telling::{Declared, DeclaredColumn, Note, Table, format};

impl Report for WhatIfReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn figures() -> Vec<DeclaredColumn> {
        DeclaredColumn::figures::<Self>(FIGURES)
    }

    fn tables(&self) -> Vec<Table> {
        let title = match self.changes.as_slice() {
            [] => "Largest single causes, if each were gone",
            _ => "Changes",
        };
        let rows = Table::of("rows", title, ROWS, &self.rows).with_row_count(self.row_count);
        let mut tables = vec![rows];
        if !self.changes.is_empty() {
            tables.push(Table::of("kinds", "The critical path", KINDS, &self.kinds));
            tables.push(Table::of("steps", "Steps", STEPS, &self.steps));
        }
        if let Some(picture) = &self.picture {
            let title = match picture.step {
                Some(step) => format!("Devices in step {step}"),
                None => "Devices".to_owned(),
            };
            tables.push(Table::of("lanes", &title, LANES, &picture.lanes));
        }
        tables
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        let (Some(step), Some(before)) = (self.step_ps, self.before_ps) else {
            return Vec::new();
        };
        let time = format::duration_ps;
        let has_gaps = (before - step).abs() > 1e-3 * step;
        let mut lines = Vec::new();
        if let (Some(changed), Some(after), Some(low), Some(high)) = (
            self.changed_step_ps,
            self.after_ps,
            self.low_ps,
            self.high_ps,
        ) {
            lines.push((
                "Step".to_owned(),
                format!("{} → {}", time(step), time(changed)),
            ));
            let gain = if before > 0.0 {
                (before - after) / before
            } else {
                0.0
            };
            let bounds = if high - low > 1e-3 * before {
                format!("; the recording allows {} to {}", time(low), time(high))
            } else {
                String::new()
            };
            let title = if has_gaps { "With gaps" } else { "Gain" };
            lines.push((
                title.to_owned(),
                format!(
                    "{} → {} per step, {} {}{bounds}",
                    time(before),
                    time(after),
                    format::percent(gain.abs()),
                    if gain < 0.0 { "longer" } else { "shorter" },
                ),
            ));
        } else {
            lines.push(("Step".to_owned(), time(step)));
            if has_gaps {
                lines.push(("With gaps".to_owned(), format!("{} per step", time(before))));
            }
        }
        lines.push((
            "Replay".to_owned(),
            format!(
                "gives every step within {}",
                format::percent(self.error_ratio)
            ),
        ));
        lines
    }
}
