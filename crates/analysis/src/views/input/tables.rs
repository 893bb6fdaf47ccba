//! The `input` report as tables.

use super::columns::{self, BOUNDS, CAUSES, HOSTS, ROWS, STAGES};
use super::report::InputReport;
use super::{VerdictKind, has_input};
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::{Declared, Table};

impl Report for InputReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn tables(&self) -> Vec<Table> {
        let mut tables = vec![
            Table::of("rows", "Steps", ROWS, &self.rows),
            Table::of("bounds", "What bounds the step", BOUNDS, &self.bounds),
            Table::of("causes", "Why devices wait for input", CAUSES, &self.causes),
            Table::of("hosts", "Hosts", HOSTS, &self.hosts),
            Table::of("stages", "Stages", STAGES, &self.stages),
        ];
        tables[0].row_count = self.row_count;
        tables
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn unprinted(&self) -> &'static [&'static str] {
        // A note says so.
        if has_input(&self.hosts) {
            &[]
        } else {
            &["rows", "hosts"]
        }
    }

    fn conclusion(&self) -> Option<&str> {
        Some(&self.conclusion)
    }

    fn headline(&self) -> Vec<(String, String)> {
        let share = |key: &str| {
            let bound = self.bounds.iter().find(|bound| bound.key == key)?;
            let ratio = bound.ratio?;
            let with = match self.between_steps {
                Some(_) if key == "input" => " with what passes between steps",
                _ => "",
            };
            let text = format!(
                "{} of the step ({}{with}; good below {}, bad from {})",
                format::percent(ratio),
                bound.verdict.name(),
                format::percent(bound.low_ratio),
                format::percent(bound.high_ratio)
            );
            Some((bound.title.clone(), text))
        };
        let mut lines: Vec<(String, String)> = share("input").into_iter().collect();
        if let Some(between) = &self.between_steps {
            let text = format!(
                "{} more ({} of the time from step to step)",
                format::duration_ps(between.input_ps),
                format::percent(between.ratio)
            );
            lines.push(("Input between steps".to_owned(), text));
        }
        let mut bounds = self.bounds.iter();
        if bounds.any(|bound| bound.key == "idle" && bound.verdict != VerdictKind::Good) {
            lines.extend(share("idle"));
        }
        if let Some(worst) = self.hosts.first().filter(|_| self.hosts.len() > 1) {
            let usual = format::duration_ps(worst.input_median_ps);
            let mean = format::duration_ps(worst.input_mean_ps);
            lines.push((
                "Longest".to_owned(),
                format!(
                    "{}: {usual} in its median step, {mean} on average",
                    worst.host
                ),
            ));
        }
        lines
    }
}
