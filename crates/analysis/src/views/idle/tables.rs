//! The `idle` report as tables.

use super::columns::{self, BUCKETS, CAUSES, DEVICES, ROWS, STEPS};
use super::report::IdleReport;
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::{Declared, Table};
use stepscope_model::SaturatingSum as _;

impl IdleReport {
    /// Whether a listed gap is in a step.
    pub(super) fn has_gaps_in_steps(&self) -> bool {
        self.steps.iter().any(|step| step.gap_count > 0)
    }
}

impl Report for IdleReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn tables(&self) -> Vec<Table> {
        vec![
            Table::of("causes", "Why devices wait", CAUSES, &self.causes),
            Table::of("rows", "Longest gaps", ROWS, &self.rows).with_row_count(self.row_count),
            Table::of("devices", "Devices", DEVICES, &self.devices),
            Table::of("buckets", "Gaps by length", BUCKETS, &self.buckets),
            Table::of("steps", "Steps", STEPS, &self.steps),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn unprinted(&self) -> &'static [&'static str] {
        // A note says so.
        if self.has_gaps_in_steps() {
            &[]
        } else {
            &["steps"]
        }
    }

    fn headline(&self) -> Vec<(String, String)> {
        let window: i64 = self
            .devices
            .iter()
            .map(|row| row.window_ps)
            .saturating_sum();
        let idle: i64 = self.devices.iter().map(|row| row.idle_ps).saturating_sum();
        let gaps: usize = self.devices.iter().map(|row| row.gap_count).sum();
        if window == 0 {
            return Vec::new();
        }
        let places = match gaps {
            0 if idle == 0 => String::new(),
            0 => format!(", in gaps shorter than {}", self.min_gaps().join(" or ")),
            _ => format!(", in {}", format::counted(gaps, "gap")),
        };
        let mut lines = vec![(
            "Idle".to_owned(),
            format!(
                "{} of {} on {}{places}",
                format::percent(idle as f64 / window as f64),
                format::duration_ps(window as f64),
                format::counted(self.devices.len(), "device"),
            ),
        )];
        if let Some(first) = self.causes.first() {
            lines.push((
                "Main cause".to_owned(),
                format!(
                    "{}: {}",
                    first.meaning,
                    format::percent(first.window_ratio.unwrap_or(0.0))
                ),
            ));
        }
        lines
    }
}
