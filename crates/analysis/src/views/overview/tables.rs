//! The `overview` report as tables.

use super::columns::{
    self, BalanceLine, DEVICES, ENVIRONMENT, STEP_BALANCE, STEP_PARTS, STEP_SERIES, VERDICTS,
};
use super::headline;
use super::report::{IdleKind, OverviewReport, StepBalance};
use crate::asking::Report;
use crate::measuring::environment::Fact;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::steps::step_time_lines;
use crate::telling::{Declared, DeclaredColumn, Table};
use crate::views::ops::op_table;

impl IdleKind {
    /// The word in tables.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Input => "Input",
            Self::Compilation => "Compilation",
            Self::KernelLaunch => "Kernel launch",
            Self::AllOthers => "All others",
        }
    }
}

impl Report for OverviewReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn figures() -> Vec<DeclaredColumn> {
        DeclaredColumn::figures::<Self>(columns::FIGURES)
    }

    fn tables(&self) -> Vec<Table> {
        vec![
            Table::of("step_parts", "Mean step", STEP_PARTS, &self.step_parts),
            Table::of(
                "step_balance",
                "Host and device time in the mean step",
                STEP_BALANCE,
                &balance(self.step_balance.as_ref()),
            ),
            Table::of("verdicts", "Verdicts", VERDICTS, &self.verdicts),
            op_table("top_ops", "Top ops", &self.top_ops, self.top_ops.len()),
            Table::of("devices", "Devices", DEVICES, &self.devices),
            Table::of("step_series", "Steps", STEP_SERIES, &self.step_series),
            Table::of("environment", "Environment", ENVIRONMENT, &facts(self)),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn conclusion(&self) -> Option<&str> {
        Some(&self.headline)
    }

    fn headline(&self) -> Vec<(String, String)> {
        let mut lines = vec![
            ("Session".to_owned(), self.session.clone()),
            (
                "Captured".to_owned(),
                format::duration_ps(self.duration_ps as f64),
            ),
            ("Devices".to_owned(), self.environment.devices.clone()),
        ];
        lines.extend(self.step_time_ps.iter().flat_map(step_time_lines));
        if !self.headline.is_empty() {
            lines.push(("Where".to_owned(), self.headline.clone()));
        }
        if let Some(ratio) = self.device_busy_ratio {
            let (count, all) = (self.device_busy_count, self.devices.len());
            let of = if count < all {
                format!(" (mean of {count} of {all} devices; a note names the others)")
            } else {
                String::new()
            };
            // Parts of the step are of its own time, and this is of more.
            let window = if headline::between(self.step_time_ps.as_ref()).is_empty() {
                ""
            } else {
                " of the time from the first step to the last"
            };
            let busy = format!("{}{window}{of}", format::percent(ratio));
            lines.push(("Device busy".to_owned(), busy));
        }
        if let Some((mfu, rest)) = self.mfu_in_words() {
            lines.push(("MFU".to_owned(), format!("{mfu} {rest}")));
        }
        lines
    }
}

fn balance(balance: Option<&StepBalance>) -> Vec<BalanceLine> {
    let line = |figure: &str, mean_ps, ratio| BalanceLine {
        figure: figure.to_owned(),
        mean_ps,
        ratio,
        mostly: String::new(),
    };
    let lines = balance.into_iter().flat_map(|step| {
        let whole = [
            line("Host step time", step.host_step_ps, None),
            line("Device step time", Some(step.device_step_ps), None),
            line(
                "Device idle time",
                Some(step.device_idle_ps),
                Some(step.device_idle_ratio),
            ),
        ];
        let causes = step.idle.iter().map(|share| BalanceLine {
            figure: format!("Idle: {}", share.kind.title().to_lowercase()),
            mean_ps: Some(share.mean_ps),
            ratio: Some(share.ratio),
            mostly: share.mostly.clone(),
        });
        whole.into_iter().chain(causes)
    });
    lines.collect()
}

fn facts(report: &OverviewReport) -> Vec<Fact> {
    let chips = report.environment.chips.iter().flat_map(|chip| {
        let peak = |name: String, rate: Option<f64>, unit: &str, source: &str| {
            let rate = rate.map_or_else(|| "unknown".to_owned(), |rate| format::rate(rate, unit));
            Fact {
                name,
                value: format!("{rate} ({source})"),
            }
        };
        [
            peak(
                format!("{} peak", chip.name),
                chip.peak_flops_per_second,
                "FLOP/s",
                &chip.peak_flops_source,
            ),
            peak(
                format!("{} memory bandwidth", chip.name),
                chip.peak_bytes_per_second,
                "B/s",
                &chip.peak_bytes_source,
            ),
        ]
    });
    chips
        .chain(report.environment.facts.iter().cloned())
        .collect()
}
