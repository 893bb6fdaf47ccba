//! The `memory` report as tables.

use super::columns::{self, ALLOCATORS, ROWS, SNAPSHOTS, STEPS};
use super::report::MemoryReport;
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::{Declared, Table};

impl Report for MemoryReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn tables(&self) -> Vec<Table> {
        let alive = match self.at_ps {
            Some(at) => format!("Alive at {}", format::duration_ps(at as f64)),
            None => "Alive at the peak".to_owned(),
        };
        vec![
            Table::of("allocators", "Allocators", ALLOCATORS, &self.allocators),
            Table::of("rows", &alive, ROWS, &self.rows).with_row_count(self.row_count),
            Table::of("steps", "Steps", STEPS, &self.steps),
            Table::of("snapshots", "Snapshots", SNAPSHOTS, &self.snapshots),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        let devices = self.allocators.iter().filter(|row| !row.device.is_empty());
        // The first one on a tie, as in `overview`.
        let fullest = devices.reduce(|fullest, row| {
            if row.peak_ratio > fullest.peak_ratio {
                row
            } else {
                fullest
            }
        });
        let Some(row) = fullest else {
            return Vec::new();
        };
        let mut lines = vec![(
            "Peak".to_owned(),
            format!(
                "{} of {} on {}",
                format::bytes(row.peak_bytes as f64),
                format::bytes(row.capacity_bytes as f64),
                row.device
            ),
        )];
        if row.recorded_peak_bytes > row.peak_bytes {
            lines.push((
                "Since process start".to_owned(),
                format::bytes(row.recorded_peak_bytes as f64),
            ));
        }
        let growing = self.allocators.iter().filter(|row| row.is_growing);
        for row in growing {
            let slope = row.growth_bytes_per_step.unwrap_or(0.0);
            lines.push((
                format!("{} grows", row.allocator),
                format!("{} per step", format::bytes(slope)),
            ));
        }
        lines
    }
}
