//! The `compare` report as tables.

use super::report::{
    CompareReport, ComparedKernel, ComparedMethod, ComparedOp, ComparedOpSide, Evidence,
    MethodUnit, SessionDifference, TimeDifference,
};
use crate::cell::{Cell, Column, Table, Unit};
use crate::format;
use crate::note::Note;
use crate::order::{SortColumn, SortValue};
use crate::registry::Report;

/// Columns that `--sort` knows.
pub(super) const SORT_COLUMNS: &[SortColumn<ComparedOp>] = &[
    ("step_difference_ps", |op| {
        SortValue::Float(Some(op.step_difference_ps))
    }),
    ("difference_ps", |op| {
        SortValue::Float(Some(op.time.difference_ps))
    }),
    ("baseline_ps", |op| {
        SortValue::Float(Some(op.time.baseline_ps))
    }),
    ("mean_ps", |op| SortValue::Float(Some(op.time.mean_ps))),
    ("ratio", |op| SortValue::Float(op.time.ratio)),
    ("matched", |op| SortValue::Text(&op.matched)),
    ("name", |op| SortValue::Text(name(op))),
];

const SESSIONS: &[Column] = &[
    Column::new("session", "Session", Unit::Text),
    Column::wide("devices", "Devices", Unit::Text),
    Column::new("step_count", "Steps", Unit::Count),
    Column::wide("typical_step_count", "Typical", Unit::Count),
    Column::new("step_ps", "Step", Unit::Picos).fractional(),
    Column::new("difference_ps", "Difference", Unit::Picos).fractional(),
    Column::new("ratio", "Change", Unit::Ratio),
    Column::new("evidence", "Noise", Unit::Text),
    Column::wide("busy_ratio", "Busy", Unit::Ratio),
    Column::wide("launch_count", "Launches", Unit::Count).fractional(),
    Column::wide("compilation_ps", "Compiling", Unit::Picos),
    Column::wide("memory_peak_bytes", "Memory peak", Unit::Bytes),
    Column::wide("collective_bytes", "Communicated", Unit::Bytes).fractional(),
    Column::wide("wall_step_ps", "Wall step", Unit::Picos).fractional(),
    Column::wide("training_wall_ps", "Training", Unit::Picos).fractional(),
    Column::wide("run_wall_ps", "Whole run", Unit::Picos).fractional(),
];

/// Columns of [`SESSIONS`] that are shown where a run recorded them.
const WALL_TIMES: [&str; 2] = ["wall_step_ps", "training_wall_ps"];

const CAUSES: &[Column] = &[
    Column::wide("session", "Session", Unit::Text),
    Column::wide("kind", "Kind", Unit::Text),
    Column::new("difference_ps", "Per step", Unit::Picos).fractional(),
    Column::wide("evidence", "Noise", Unit::Text),
    Column::new("text", "Why", Unit::Text),
];

const WATERFALL: &[Column] = &[
    Column::wide("session", "Session", Unit::Text),
    Column::new("title", "What", Unit::Text),
    Column::wide("kind", "Kind", Unit::Text),
    Column::new("part", "Part", Unit::Text),
    Column::new("difference_ps", "Difference", Unit::Picos).fractional(),
    Column::new("evidence", "Noise", Unit::Text),
];

const OPS: &[Column] = &[
    Column::wide("session", "Session", Unit::Text),
    Column::new("name", "Op", Unit::Text),
    Column::new("baseline_name", "Baseline", Unit::Text),
    Column::new("matched", "Matched", Unit::Text),
    Column::new("baseline_ps", "Before", Unit::Picos).fractional(),
    Column::new("mean_ps", "After", Unit::Picos).fractional(),
    Column::new("step_difference_ps", "Of step", Unit::Picos).fractional(),
    Column::new("evidence", "Noise", Unit::Text),
    Column::wide("low_ps", "Low", Unit::Picos).fractional(),
    Column::wide("high_ps", "High", Unit::Picos).fractional(),
    Column::wide("change", "Change", Unit::Text),
    Column::wide("source", "Source", Unit::Text),
    Column::wide("scope", "Scope", Unit::Text),
    Column::wide("program_id", "Program", Unit::Text),
    Column::wide("baseline_program_id", "Baseline program", Unit::Text),
];

const PARTS: &[Column] = &[
    Column::wide("session", "Session", Unit::Text),
    Column::new("part", "Part", Unit::Text),
    Column::new("baseline_ps", "Before", Unit::Picos).fractional(),
    Column::new("mean_ps", "After", Unit::Picos).fractional(),
    Column::new("difference_ps", "Difference", Unit::Picos).fractional(),
    Column::wide("low_ps", "Low", Unit::Picos).fractional(),
    Column::wide("high_ps", "High", Unit::Picos).fractional(),
    Column::new("evidence", "Noise", Unit::Text),
];

const PROGRAMS: &[Column] = &[
    Column::wide("session", "Session", Unit::Text),
    Column::new("baseline", "Baseline", Unit::Text),
    Column::new("other", "Program", Unit::Text),
    Column::new("matched", "Matched", Unit::Text),
    Column::wide("baseline_instructions", "Before", Unit::Count),
    Column::wide("other_instructions", "After", Unit::Count),
    Column::new("added_count", "Added", Unit::Count),
    Column::new("removed_count", "Removed", Unit::Count),
    Column::new("changed_count", "Changed", Unit::Count),
];

const ENVIRONMENT: &[Column] = &[
    Column::wide("session", "Session", Unit::Text),
    Column::new("name", "Fact", Unit::Text),
    Column::new("baseline", "Baseline", Unit::Text),
    Column::new("other", "Session", Unit::Text),
];

const METHODS: &[Column] = &[
    Column::new("method", "Method", Unit::Text),
    Column::new("device_ps", "Device time", Unit::Picos).fractional(),
    Column::new("ratio", "Of first", Unit::Ratio),
    Column::new("unit", "Per", Unit::Text),
    Column::new("count", "Times", Unit::Count),
    Column::new("launch_count", "Launches", Unit::Count).fractional(),
    Column::wide("kernel_count", "Kernels", Unit::Count),
    Column::new("mean_launch_ps", "Mean launch", Unit::Picos).fractional(),
];

const KERNELS: &[Column] = &[
    Column::wide("method", "Method", Unit::Text),
    Column::new("kernel", "Kernel", Unit::Text),
    Column::new("baseline_count", "Launches before", Unit::Count).fractional(),
    Column::new("count", "Launches after", Unit::Count).fractional(),
    Column::new("baseline_ps", "Before", Unit::Picos).fractional(),
    Column::new("mean_ps", "After", Unit::Picos).fractional(),
    Column::new("difference_ps", "Difference", Unit::Picos).fractional(),
];

impl MethodUnit {
    /// The word in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Run => "run",
            Self::Capture => "capture",
        }
    }
}

impl Evidence {
    /// The word in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BeyondNoise => "beyond",
            Self::WithinNoise => "within",
            Self::TooFewSteps => "too few steps",
        }
    }
}

/// Causes of each difference that stand above the tables.
const HEADLINE_CAUSES: usize = 6;

impl Report for CompareReport {
    fn tables(&self) -> Vec<Table> {
        vec![
            sessions(self),
            waterfall(self),
            parts(self),
            ops(self),
            methods(self),
            kernels(self),
            causes(self),
            programs(self),
            environment(self),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn only_wide(&self) -> Vec<&'static str> {
        // Of whole sessions both repeat what the others say, unless other kernels ran.
        let are_scopes = self.methods.iter().any(|method| !method.scope.is_empty());
        if are_scopes || self.kernels.iter().any(has_other_count) {
            return Vec::new();
        }
        vec!["methods", "kernels"]
    }

    fn headline(&self) -> Vec<(String, String)> {
        let mut lines: Vec<(String, String)> = Vec::new();
        if let Some(baseline) = self.sessions.first() {
            lines.push(("Baseline".to_owned(), baseline.name.clone()));
        }
        let scoped = self
            .methods
            .iter()
            .filter(|method| !method.scope.is_empty());
        lines.extend(scoped.map(|method| ("Scope".to_owned(), told(method))));
        for difference in &self.differences {
            lines.push(("Result".to_owned(), difference.conclusion.clone()));
            if let Some(all) = all_steps(self, difference) {
                lines.push(("All steps".to_owned(), all));
            }
            let causes = difference.causes.iter().take(HEADLINE_CAUSES);
            lines.extend(causes.map(|cause| ("Why".to_owned(), cause.text.clone())));
        }
        lines
    }
}

/// `logs: tad: 4.500 ms of device time per run in 30.0 launches, 145.2 % of the first`
fn told(method: &ComparedMethod) -> String {
    let time = format::duration_ps(method.device_ps);
    let against = method.ratio.map_or_else(String::new, |ratio| {
        format!(", {} of the first", format::percent(ratio))
    });
    format!(
        "{}: {time} of device time per {} in {:.1} launches{against}",
        method.name,
        method.unit.name(),
        method.launch_count
    )
}

/// Where outliers make the mean of all steps another story.
fn all_steps(report: &CompareReport, difference: &SessionDifference) -> Option<String> {
    let [a, b] = [0, difference.session].map(|index| &report.sessions[index]);
    if a.step_count == a.typical_step_count && b.step_count == b.typical_step_count {
        return None;
    }
    let (before, after) = (a.all_steps_ps?, b.all_steps_ps?);
    Some(format!(
        "{} instead of {}, outlier steps included",
        format::duration_ps(after),
        format::duration_ps(before)
    ))
}

/// The kernel is launched more or less often than in the first method.
fn has_other_count(kernel: &ComparedKernel) -> bool {
    const LEAST_SHARE: f64 = 0.05;
    let (before, after) = (kernel.baseline_count, kernel.count);
    (after - before).abs() > LEAST_SHARE * before.max(after)
}

fn name(op: &ComparedOp) -> &str {
    let side = op.other.as_ref().or(op.baseline.as_ref());
    side.map_or("", |side| side.name.as_str())
}

fn title(report: &CompareReport, session: usize) -> Cell {
    report.sessions[session].name.as_str().into()
}

fn sessions(report: &CompareReport) -> Table {
    let rows = report.sessions.iter().enumerate().map(|(index, session)| {
        let of_session = |one: &&SessionDifference| one.session == index;
        let difference = report.differences.iter().find(of_session);
        let step = difference.and_then(|one| one.step.as_ref());
        vec![
            session.name.as_str().into(),
            session.devices.as_str().into(),
            session.step_count.into(),
            session.typical_step_count.into(),
            session.step_ps.into(),
            step.map(|step| step.difference_ps).into(),
            step.and_then(|step| step.ratio).into(),
            step.map(|step| step.evidence.name()).into(),
            session.busy_ratio.into(),
            session.launch_count.into(),
            session.compilation_ps.into(),
            session.memory_peak_bytes.into(),
            session.collective_bytes.into(),
            session.wall_step_ps.into(),
            session.training_wall_ps.into(),
            session.run_wall_ps.into(),
        ]
    });
    let mut table = Table::new("sessions", "Sessions", SESSIONS, rows);
    let mut sessions = report.sessions.iter();
    if sessions.any(|one| one.wall_step_ps.or(one.training_wall_ps).is_some()) {
        for column in &mut table.columns {
            column.is_essential |= WALL_TIMES.contains(&column.key);
        }
    }
    table
}

fn methods(report: &CompareReport) -> Table {
    let rows = report.methods.iter().map(|method| {
        vec![
            method.name.as_str().into(),
            method.device_ps.into(),
            method.ratio.into(),
            method.unit.name().into(),
            method.count.into(),
            method.launch_count.into(),
            method.kernel_count.into(),
            method.mean_launch_ps.into(),
        ]
    });
    Table::new("methods", "Methods", METHODS, rows)
}

fn kernels(report: &CompareReport) -> Table {
    let rows = report.kernels.iter().map(|kernel| {
        vec![
            report.methods[kernel.method].name.as_str().into(),
            kernel.name.as_str().into(),
            kernel.baseline_count.into(),
            kernel.count.into(),
            kernel.baseline_ps.into(),
            kernel.mean_ps.into(),
            kernel.difference_ps.into(),
        ]
    });
    let title = "Kernels of each method against the first";
    Table::new("kernels", title, KERNELS, rows).with_row_count(report.kernel_count)
}

fn causes(report: &CompareReport) -> Table {
    let rows = report.differences.iter().flat_map(|difference| {
        difference.causes.iter().map(|cause| {
            vec![
                title(report, difference.session),
                cause.kind.as_str().into(),
                cause.difference_ps.into(),
                cause.evidence.map(Evidence::name).into(),
                cause.text.as_str().into(),
            ]
        })
    });
    Table::new("causes", "Why", CAUSES, rows)
}

fn waterfall(report: &CompareReport) -> Table {
    let rows = report.differences.iter().flat_map(|difference| {
        difference.waterfall.iter().map(|bar| {
            vec![
                title(report, difference.session),
                bar.title.as_str().into(),
                bar.kind.name().into(),
                bar.part.map(crate::overview::PartKind::title).into(),
                bar.difference_ps.into(),
                bar.evidence.name().into(),
            ]
        })
    });
    let title = "Difference of the mean step, as a sum";
    Table::new("waterfall", title, WATERFALL, rows)
}

fn time(time: &TimeDifference) -> [Cell; 3] {
    [
        time.baseline_ps.into(),
        time.mean_ps.into(),
        time.difference_ps.into(),
    ]
}

fn ops(report: &CompareReport) -> Table {
    let text = |side: Option<&ComparedOpSide>, read: fn(&ComparedOpSide) -> &str| -> Cell {
        side.map(read).into()
    };
    let rows = report.ops.iter().map(|op| {
        let (baseline, other) = (op.baseline.as_ref(), op.other.as_ref());
        let [before, after, _] = time(&op.time);
        vec![
            title(report, op.session),
            text(other, |side| &side.name),
            text(baseline, |side| &side.name),
            op.matched.as_str().into(),
            before,
            after,
            op.step_difference_ps.into(),
            op.time.evidence.name().into(),
            op.time.low_ps.into(),
            op.time.high_ps.into(),
            op.change.as_str().into(),
            text(other.or(baseline), |side| &side.source),
            text(other.or(baseline), |side| &side.scope),
            text(other, |side| &side.program_id),
            text(baseline, |side| &side.program_id),
        ]
    });
    Table::new("ops", "Ops", OPS, rows).with_row_count(report.op_count)
}

fn parts(report: &CompareReport) -> Table {
    let rows = report.differences.iter().flat_map(|difference| {
        let parts = difference.parts.iter();
        let used = parts.filter(|part| part.time.baseline_ps > 0.0 || part.time.mean_ps > 0.0);
        used.map(|part| {
            let [before, after, change] = time(&part.time);
            vec![
                title(report, difference.session),
                part.part.title().into(),
                before,
                after,
                change,
                part.time.low_ps.into(),
                part.time.high_ps.into(),
                part.time.evidence.name().into(),
            ]
        })
    });
    Table::new("parts", "Parts of a typical step", PARTS, rows)
}

fn programs(report: &CompareReport) -> Table {
    let rows = report.differences.iter().flat_map(|difference| {
        difference.programs.iter().map(|program| {
            vec![
                title(report, difference.session),
                program.baseline.as_str().into(),
                program.other.as_str().into(),
                program.matched.as_str().into(),
                program.baseline_instructions.into(),
                program.other_instructions.into(),
                program.added_count.into(),
                program.removed_count.into(),
                program.changed_count.into(),
            ]
        })
    });
    Table::new("programs", "Programs", PROGRAMS, rows)
}

fn environment(report: &CompareReport) -> Table {
    let rows = report.differences.iter().flat_map(|difference| {
        difference.environment.iter().map(|fact| {
            vec![
                title(report, difference.session),
                fact.name.as_str().into(),
                fact.baseline.as_str().into(),
                fact.other.as_str().into(),
            ]
        })
    });
    Table::new("environment", "Environment", ENVIRONMENT, rows)
}
