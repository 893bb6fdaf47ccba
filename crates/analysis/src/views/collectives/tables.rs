//! The `collectives` report as tables.

use super::columns::{self, DEVICES, GROUPS, INSTANCES, RENDEZVOUS, ROWS, SHARDINGS, STEPS};
use super::report::{CollectiveDeviceRow, CollectivesReport};
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::{Declared, DeclaredColumn, Table};
use stepscope_model::SaturatingSum as _;

impl Report for CollectivesReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn figures() -> Vec<DeclaredColumn> {
        DeclaredColumn::figures::<Self>(columns::FIGURES)
    }

    fn tables(&self) -> Vec<Table> {
        vec![
            Table::of("rows", "Collectives, summed over devices", ROWS, &self.rows)
                .with_row_count(self.row_count),
            Table::of(
                "groups",
                "Groups, summed over devices",
                GROUPS,
                &self.groups,
            ),
            Table::of("devices", "Devices", DEVICES, &self.devices),
            Table::of("steps", "Steps, mean over devices", STEPS, &self.steps),
            Table::of(
                "instances",
                "Occurrences over all participants",
                INSTANCES,
                &self.instances,
            )
            .with_row_count(self.instance_count),
            Table::of(
                "rendezvous",
                "Exchanges with the host and with other slices",
                RENDEZVOUS,
                &self.rendezvous,
            ),
            Table::of(
                "shardings",
                "Sharding of inputs and outputs",
                SHARDINGS,
                &self.shardings,
            )
            .with_row_count(self.sharding_count),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn unprinted(&self) -> &'static [&'static str] {
        // A note says so.
        if self.steps.iter().any(|step| step.total_ps > 0.0) {
            &[]
        } else {
            &["steps"]
        }
    }

    fn headline(&self) -> Vec<(String, String)> {
        if self.rows.is_empty() {
            return Vec::new();
        }
        let mut lines = Vec::new();
        let ratios = self.devices.iter().filter(|device| device.total_ps > 0);
        let count = ratios.clone().count().max(1) as f64;
        let mean =
            |of: fn(&CollectiveDeviceRow) -> f64| ratios.clone().map(of).sum::<f64>() / count;
        let ratio = mean(|device| device.exposed_ratio.unwrap_or(0.0));
        lines.push((
            "Exposed communication".to_owned(),
            format!(
                "{} of {} per device, {} of its time",
                format::duration_ps(mean(|device| device.exposed_ps as f64)),
                format::duration_ps(mean(|device| device.total_ps as f64)),
                format::percent(ratio)
            ),
        ));
        let waits: Vec<i64> = self
            .devices
            .iter()
            .filter_map(|device| device.wait_ps)
            .collect();
        if !waits.is_empty() {
            let wait_ps = waits.iter().saturating_sum() as f64 / waits.len() as f64;
            lines.push((
                "Waiting for the last participant".to_owned(),
                format!("{} per device", format::duration_ps(wait_ps)),
            ));
        }
        if let Some(link) = self.link_bandwidth {
            let text = format!("{} ({})", format::rate(link, "B/s"), self.link_source);
            lines.push(("Link".to_owned(), text));
        }
        lines
    }
}
