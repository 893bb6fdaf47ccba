//! The `overview` report as tables.

use super::report::{IdleKind, OverviewReport, PartKind, StepBalance, VerdictKind};
use super::thresholds::DEFAULTS;
use crate::cell::{Cell, Column, Table, Unit};
use crate::format;
use crate::note::Note;
use crate::ops::op_table;
use crate::registry::Report;
use crate::steps::step_time_lines;

impl PartKind {
    /// The word in tables.
    pub const fn title(self) -> &'static str {
        match self {
            Self::DeviceCompute => "Device compute",
            Self::Collectives => "Collectives",
            Self::HostToDevice => "Host to device",
            Self::DeviceToHost => "Device to host",
            Self::DeviceToDevice => "Device to device",
            Self::PythonCallbacks => "Python callbacks",
            Self::InputWait => "Input wait",
            Self::Compilation => "Compilation",
            Self::HostOverhead => "Host overhead",
            Self::Idle => "Idle",
        }
    }

    /// The same in the middle of a sentence.
    pub fn in_sentence(self) -> String {
        match self {
            Self::PythonCallbacks => self.title().to_owned(),
            _ => self.title().to_lowercase(),
        }
    }
}

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

impl VerdictKind {
    /// The word in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Warning => "warning",
            Self::Bad => "bad",
            Self::Unknown => "unknown",
        }
    }
}

impl Report for OverviewReport {
    fn tables(&self) -> Vec<Table> {
        let ops = op_table("top_ops", "Top ops", &self.top_ops, self.top_ops.len());
        vec![
            parts(self),
            balance(self.step_balance.as_ref()),
            verdicts(self),
            ops,
            devices(self),
            steps(self),
            facts(self),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
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
        if let Some(ratio) = self.device_busy_ratio {
            lines.push(("Device busy".to_owned(), format::percent(ratio)));
        }
        lines
    }
}

fn parts(report: &OverviewReport) -> Table {
    let columns = [
        Column::new("part", "Part", Unit::Text),
        Column::new("mean_ps", "Mean", Unit::Picos).fractional(),
        Column::new("ratio", "Share", Unit::Ratio),
    ];
    let rows = report.step_parts.iter().map(|part| {
        vec![
            part.part.title().into(),
            part.mean_ps.into(),
            part.ratio.into(),
        ]
    });
    Table::new("step_parts", "The mean step", &columns, rows)
}

fn balance(balance: Option<&StepBalance>) -> Table {
    let columns = [
        Column::new("figure", "Figure", Unit::Text),
        Column::new("mean_ps", "Mean", Unit::Picos).fractional(),
        Column::new("ratio", "Of device step", Unit::Ratio),
        Column::new("mostly", "Mostly", Unit::Text),
    ];
    let rows = balance.into_iter().flat_map(|step| {
        let whole = [
            ("Host step time", step.host_step_ps, None),
            ("Device step time", Some(step.device_step_ps), None),
            (
                "Device idle time",
                Some(step.device_idle_ps),
                Some(step.device_idle_ratio),
            ),
        ];
        let whole = whole.map(|(title, mean_ps, ratio)| {
            vec![title.into(), mean_ps.into(), ratio.into(), Cell::from("")]
        });
        let causes = step.idle.iter().map(|share| {
            vec![
                format!("Idle: {}", share.kind.title().to_lowercase()).into(),
                share.mean_ps.into(),
                share.ratio.into(),
                share.mostly.as_str().into(),
            ]
        });
        whole.into_iter().chain(causes)
    });
    Table::new(
        "step_balance",
        "Host and devices in the mean step",
        &columns,
        rows,
    )
}

fn verdicts(report: &OverviewReport) -> Table {
    let columns = [
        Column::new("title", "Figure", Unit::Text),
        Column::wide("key", "Key", Unit::Text),
        Column::new("figure", "Value", Unit::Text),
        Column::new("verdict", "Verdict", Unit::Text),
        Column::new("thresholds", "Thresholds", Unit::Text),
        Column::wide("explanation", "How", Unit::Text),
        Column::wide("value", "As a number", Unit::Count).fractional(),
    ];
    let rows = report.verdicts.iter().map(|verdict| {
        let entry = DEFAULTS.iter().find(|entry| entry.key == verdict.key);
        let figure = verdict
            .value
            .zip(entry)
            .map(|(value, entry)| entry.figure(value));
        vec![
            verdict.title.as_str().into(),
            verdict.key.as_str().into(),
            figure.into(),
            verdict.verdict.name().into(),
            verdict.thresholds.as_str().into(),
            verdict.explanation.as_str().into(),
            verdict.value.into(),
        ]
    });
    Table::new("verdicts", "Verdicts", &columns, rows)
}

fn devices(report: &OverviewReport) -> Table {
    let columns = [
        Column::new("device", "Device", Unit::Text),
        Column::new("busy_ps", "Busy", Unit::Picos),
        Column::new("window_ps", "Window", Unit::Picos),
        Column::new("busy_ratio", "Busy share", Unit::Ratio),
    ];
    let rows = report.devices.iter().map(|device| {
        vec![
            device.device.as_str().into(),
            device.busy_ps.into(),
            device.window_ps.into(),
            device.busy_ratio.into(),
        ]
    });
    Table::new("devices", "Devices", &columns, rows)
}

fn steps(report: &OverviewReport) -> Table {
    let mut columns = vec![
        Column::new("step", "Step", Unit::Count),
        Column::wide("start_ps", "Start", Unit::Picos),
        Column::new("duration_ps", "Duration", Unit::Picos).fractional(),
    ];
    let keys = [
        "device_compute_ps",
        "collectives_ps",
        "host_to_device_ps",
        "device_to_host_ps",
        "device_to_device_ps",
        "python_callbacks_ps",
        "input_wait_ps",
        "compilation_ps",
        "host_overhead_ps",
        "idle_ps",
    ];
    let parts = crate::steps::parts::PARTS.iter().zip(keys);
    columns
        .extend(parts.map(|(part, key)| Column::wide(key, part.title(), Unit::Picos).fractional()));
    columns.push(Column::new("is_outlier", "Outlier", Unit::Flag));
    let rows = report.step_series.iter().map(|bar| {
        let mut row: Vec<Cell> = vec![bar.step.into(), bar.start_ps.into(), bar.duration_ps.into()];
        row.extend(bar.parts_ps.iter().map(|&part_ps| Cell::from(part_ps)));
        row.push(bar.is_outlier.into());
        row
    });
    Table::new("step_series", "Steps", &columns, rows)
}

fn facts(report: &OverviewReport) -> Table {
    let columns = [
        Column::new("name", "Fact", Unit::Text),
        Column::new("value", "Value", Unit::Text),
    ];
    let chips = report.environment.chips.iter().flat_map(|chip| {
        let peak = |rate: Option<f64>, unit: &str, source: &str| {
            let rate = rate.map_or_else(|| "unknown".to_owned(), |rate| format::rate(rate, unit));
            format!("{rate} ({source})")
        };
        [
            (
                format!("{} peak", chip.name),
                peak(
                    chip.peak_flops_per_second,
                    "FLOP/s",
                    &chip.peak_flops_source,
                ),
            ),
            (
                format!("{} memory bandwidth", chip.name),
                peak(chip.peak_bytes_per_second, "B/s", &chip.peak_bytes_source),
            ),
        ]
    });
    let facts = report.environment.facts.iter();
    let facts = facts.map(|fact| (fact.name.clone(), fact.value.clone()));
    let rows = chips
        .chain(facts)
        .map(|(name, value)| vec![name.into(), value.into()]);
    Table::new("environment", "Environment", &columns, rows)
}
