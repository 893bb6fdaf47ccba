//! The `steps` report as tables.

use super::columns::{self, ROWS};
use super::report::StepsReport;
use crate::cell::{Declared, Table};
use crate::format;
use crate::note::Note;
use crate::overview::{StepSource, StepTime};
use crate::registry::Report;

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

/// Step time in words: mean and spread.
pub(crate) fn step_time_lines(time: &StepTime) -> Vec<(String, String)> {
    let source = match time.source {
        StepSource::StepLine => "recorded by the device",
        StepSource::Annotation => "annotated",
        StepSource::Cadence => "from the device's cadence",
        StepSource::ProgramRuns => "inferred from program runs",
    };
    let duration = format::duration_ps;
    let spread = format!(
        "median {}, {} to {}, σ {}",
        duration(time.median),
        duration(time.min as f64),
        duration(time.max as f64),
        duration(time.stddev),
    );
    if time.count == 1 {
        let one = format!("{} of 1 step ({source})", duration(time.mean));
        return vec![("Step time".to_owned(), one)];
    }
    vec![
        (
            "Step time".to_owned(),
            format!(
                "{} mean of {} ({source})",
                duration(time.mean),
                format::counted(time.count, "step")
            ),
        ),
        ("Spread".to_owned(), spread),
    ]
}
