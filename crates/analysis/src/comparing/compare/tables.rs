//! The `compare` report as tables.

use super::columns::{
    self, CAUSES, ENVIRONMENT, KERNELS, METHODS, OPS, PARTS, PROGRAMS, SESSIONS, WATERFALL,
};
use super::report::{
    CompareReport, ComparedKernel, ComparedMethod, ComparedSession, Evidence, MethodUnit,
    SessionDifference, TimeDifference,
};
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::{Declared, Field, Table};

/// Columns of [`SESSIONS`] that are shown only if a run recorded them.
const WALL_TIMES: [&str; 2] = ["wall_step_ps", "training_wall_ps"];

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

/// Maximum number of causes of a difference that are shown above the tables.
const HEADLINE_CAUSES: usize = 6;

impl Report for CompareReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn tables(&self) -> Vec<Table> {
        vec![
            sessions(self),
            self.within(
                "waterfall",
                "Difference of the mean typical step by cause",
                WATERFALL,
                |one| &one.waterfall,
            ),
            self.within(
                "outliers",
                "What outlier steps add to the mean over all steps",
                WATERFALL,
                |one| &one.outliers,
            ),
            self.parts(),
            Table::within("ops", "Ops", OPS, self.ops.iter().map(|op| (op, self)))
                .with_row_count(self.op_count),
            Table::of("methods", "Methods", METHODS, &self.methods),
            kernels(self),
            self.within("causes", "Why", CAUSES, |one| &one.causes),
            self.within("programs", "Programs", PROGRAMS, |one| &one.programs),
            self.within("environment", "Environment", ENVIRONMENT, |one| {
                &one.environment
            }),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn only_wide(&self) -> Vec<&'static str> {
        // For whole sessions, both repeat the other tables, unless different kernels ran.
        let are_scopes = self.methods.iter().any(|method| !method.scope.is_empty());
        if are_scopes || self.kernels.iter().any(has_other_count) {
            return Vec::new();
        }
        vec!["methods", "kernels"]
    }

    fn conclusion(&self) -> Option<&str> {
        match self.differences.as_slice() {
            [only] => Some(&only.conclusion),
            _ => None,
        }
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
                lines.push(("Outliers".to_owned(), all));
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

/// The outlier steps, which the result excludes, and the mean of all steps.
fn all_steps(report: &CompareReport, difference: &SessionDifference) -> Option<String> {
    let [a, b] = [0, difference.session].map(|index| &report.sessions[index]);
    if a.step_count == a.typical_step_count && b.step_count == b.typical_step_count {
        return None;
    }
    let (before, after) = (a.all_steps_ps?, b.all_steps_ps?);
    let outliers = |one: &ComparedSession| one.step_count - one.typical_step_count;
    Some(format!(
        "{} instead of {}, excluded from the result; the mean of all steps is {} instead of {}",
        format::counted(outliers(b), "step"),
        outliers(a),
        format::duration_ps(after),
        format::duration_ps(before)
    ))
}

/// Whether the kernel is launched more or less often than in the first method.
fn has_other_count(kernel: &ComparedKernel) -> bool {
    const LEAST_SHARE: f64 = 0.05;
    let (before, after) = (kernel.baseline_count, kernel.count);
    (after - before).abs() > LEAST_SHARE * before.max(after)
}

impl CompareReport {
    /// A table of the rows of each difference, with the name of its session.
    fn within<'a, R: 'a, I: IntoIterator<Item = &'a R>>(
        &'a self,
        key: &'static str,
        title: &str,
        fields: &[Field<R, str>],
        rows: impl Fn(&'a SessionDifference) -> I,
    ) -> Table {
        let rows = self.differences.iter().flat_map(|difference| {
            let session = self.sessions[difference.session].name.as_str();
            rows(difference).into_iter().map(move |row| (row, session))
        });
        Table::within(key, title, fields, rows)
    }

    /// The parts that take time on at least one side.
    fn parts(&self) -> Table {
        self.within("parts", "Parts of a typical step", PARTS, |difference| {
            let parts = difference.parts.iter();
            parts.filter(|part| part.time.baseline_ps > 0.0 || part.time.mean_ps > 0.0)
        })
    }
}

fn sessions(report: &CompareReport) -> Table {
    let steps: Vec<Option<TimeDifference>> = (0..report.sessions.len())
        .map(|index| {
            let of_session = |one: &&SessionDifference| one.session == index;
            let difference = report.differences.iter().find(of_session);
            difference.and_then(|one| one.step.clone())
        })
        .collect();
    let rows = report.sessions.iter().zip(&steps);
    let mut table = Table::within("sessions", "Sessions", SESSIONS, rows);
    let mut sessions = report.sessions.iter();
    if sessions.any(|one| one.wall_step_ps.or(one.training_wall_ps).is_some()) {
        for column in &mut table.columns {
            column.is_essential |= WALL_TIMES.contains(&column.key);
        }
    }
    table
}

fn kernels(report: &CompareReport) -> Table {
    let title = "Kernels of each method vs. the first";
    let rows = report.kernels.iter().map(|kernel| (kernel, report));
    Table::within("kernels", title, KERNELS, rows).with_row_count(report.kernel_count)
}
