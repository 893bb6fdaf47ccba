//! The `hosts` report as tables.

use super::columns::{self, BLAME, CLOCKS, DEVICES, ROWS, STEPS};
use super::report::HostsReport;
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::steps::step_time_lines;
use crate::telling::{Declared, Table};

impl Report for HostsReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn tables(&self) -> Vec<Table> {
        let mut hosts = Table::of("rows", "Hosts", ROWS, &self.rows);
        hosts.row_count = self.row_count;
        vec![
            hosts,
            Table::of("blame", "Who was late, and why", BLAME, &self.blame),
            Table::of("devices", "Devices", DEVICES, &self.devices),
            Table::of("steps", "Steps", STEPS, &self.steps),
            Table::of("clocks", "Clocks", CLOCKS, &self.clocks),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn unprinted(&self) -> &'static [&'static str] {
        // A single clock has nothing to compare with.
        if self.clocks.len() > 1 {
            &[]
        } else {
            &["clocks"]
        }
    }

    fn headline(&self) -> Vec<(String, String)> {
        let mut lines: Vec<(String, String)> =
            self.step_time_ps.iter().flat_map(step_time_lines).collect();
        if let Some(worst) = self.blame.first() {
            lines.push((
                "Most waited for".to_owned(),
                format!(
                    "{} {}, {} in {}: {}",
                    worst.host,
                    worst.device,
                    format::duration_ps(worst.caused_ps as f64),
                    format::counted(worst.step_count, "step"),
                    match worst.activity.as_str() {
                        "" => "cause not recorded",
                        activity => activity,
                    }
                ),
            ));
        }
        lines
    }
}
