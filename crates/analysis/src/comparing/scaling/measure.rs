//! Measures a session: its typical steps and their parts.

use serde::{Deserialize, Serialize};
use stepscope_model::{DeviceId, DeviceKind, Session};

use crate::asking::AnalysisError;
use crate::asking::selection::Selection;
use crate::measuring::environment::environment;
use crate::measuring::selection::Selected;
use crate::measuring::steps::parts::PARTS;
use crate::measuring::steps::{PartKind, StepBar, step_bars};
use crate::measuring::steps::{StepParts, divide_steps, part_position};
use crate::measuring::workload::Workload;
use crate::telling::recording;
use crate::views::collectives::communication_by_step;

/// One sample: a session, or a benchmark in a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Measured {
    /// Empty until sessions are compared, as the position.
    pub(super) name: String,
    /// Method of a benchmark; the methods of sessions follow from their names.
    pub(super) method: Option<String>,
    pub(super) device_count: usize,
    pub(super) devices: String,
    /// Program with the most device time; empty if unknown.
    pub(super) program: String,
    /// Kinds of the devices that worked; empty if unknown.
    pub(super) chips: String,
    pub(super) is_virtual: bool,
    /// Number of typical steps, or of timed calls.
    pub(super) step_count: usize,
    pub(super) step_ps: f64,
    /// Position among the given sessions.
    pub(super) session: Option<usize>,
    /// What a step consists of; none for benchmarks.
    pub(super) work: Option<Work>,
}

/// What a typical step consists of.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "names contain their unit")]
pub(super) struct Work {
    /// In the order of `PARTS`, mean over hosts of the mean over devices.
    pub(super) parts_ps: [f64; PARTS.len()],
    /// Communication, hidden or not, mean over devices that communicate.
    pub(super) communication_ps: f64,
    /// Computation of each device in a step.
    pub(super) computed_ps: Vec<f64>,
}

/// What became of a session.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Outcome {
    /// It is a sample.
    Measured(Box<Measured>),
    /// It cannot be one.
    Missing(Missing),
    /// What was selected is not in it.
    NothingSelected(String),
}

/// What a session that cannot be a sample lacks.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Missing {
    /// Any events.
    Events,
    /// Steps.
    Steps {
        /// How to record them.
        hint: String,
    },
    /// Devices that worked in a step.
    Devices,
}

impl Measured {
    /// Whether the other is the same measurement, read again.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.method == other.method
            && self.device_count == other.device_count
            && self.step_ps.total_cmp(&other.step_ps).is_eq()
    }

    /// Source of the sample.
    pub(super) const fn source(&self) -> &'static str {
        if self.session.is_some() {
            "capture"
        } else {
            "benchmark"
        }
    }
}

impl Work {
    pub(super) fn part(&self, part: PartKind) -> f64 {
        self.parts_ps[part_position(part)]
    }

    /// Mean computation per device ÷ computation of the device with most.
    pub(super) fn balance(&self) -> Option<f64> {
        let most = self.computed_ps.iter().copied().fold(0.0, f64::max);
        let mean = self.computed_ps.iter().sum::<f64>() / self.computed_ps.len().max(1) as f64;
        (most > 0.0).then(|| mean / most)
    }
}

/// Measures a session.
pub(super) fn measure(session: &Session, selection: &Selection) -> Result<Outcome, AnalysisError> {
    if session.is_memory_only() || session.is_program_only() {
        return Ok(Outcome::Missing(Missing::Events));
    }
    let selected = selection.resolve(session)?;
    let divided = divide_steps(session, &selected);
    let bars = step_bars(session, &divided.rows);
    let typical: Vec<&StepBar> = bars.iter().filter(|bar| !bar.is_outlier).collect();
    if typical.is_empty() {
        let hint = recording::steps(session).to_owned();
        return Ok(Outcome::Missing(Missing::Steps { hint }));
    }
    let computed_ps = computed(session, &divided.rows, &typical);
    if computed_ps.is_empty() {
        return Ok(Outcome::Missing(Missing::Devices));
    }
    let mean = |value: &dyn Fn(&StepBar) -> f64| {
        typical.iter().map(|bar| value(bar)).sum::<f64>() / typical.len() as f64
    };
    let mut parts_ps = [0.0; PARTS.len()];
    for (index, part_ps) in parts_ps.iter_mut().enumerate() {
        *part_ps = mean(&|bar| bar.parts_ps.get(index).copied().unwrap_or(0.0));
    }
    let workload = Workload::of(session, &selected);
    Ok(Outcome::Measured(Box::new(Measured {
        name: String::new(),
        method: None,
        device_count: computed_ps.len(),
        devices: environment(session, &selected).devices,
        chips: workload.chips(),
        program: workload.program,
        is_virtual: is_virtual(session, &selected),
        step_count: typical.len(),
        step_ps: mean(&|bar| bar.duration_ps),
        session: None,
        work: Some(Work {
            parts_ps,
            communication_ps: communication(session, &selected, &typical),
            computed_ps,
        }),
    })))
}

/// Mean computation of a typical step on each device that took part in one.
fn computed(session: &Session, rows: &[StepParts], typical: &[&StepBar]) -> Vec<f64> {
    let compute = part_position(PartKind::DeviceCompute);
    let mut devices: Vec<(DeviceId, i64, usize)> = Vec::new();
    for row in rows {
        let number = session.steps[row.step].number;
        let Some(device) = row.device else { continue };
        if !typical.iter().any(|bar| bar.step == number) {
            continue;
        }
        let computed_ps = row.lengths.parts_ps[compute];
        match devices.iter_mut().find(|(known, ..)| *known == device) {
            Some((_, sum, count)) => {
                *sum = sum.saturating_add(computed_ps);
                *count += 1;
            }
            None => devices.push((device, computed_ps, 1)),
        }
    }
    let mean = |(_, sum, count): (DeviceId, i64, usize)| sum as f64 / count as f64;
    devices.into_iter().map(mean).collect()
}

/// Communication of a typical step, by the definition of `collectives`.
fn communication(session: &Session, selected: &Selected<'_>, typical: &[&StepBar]) -> f64 {
    let steps = communication_by_step(session, selected);
    let is_typical = |number: i64| typical.iter().any(|bar| bar.step == number);
    let times = steps.iter().filter(|step| is_typical(step.step));
    times.map(|step| step.total_ps).sum::<f64>() / typical.len() as f64
}

/// Whether the devices are several that XLA simulates on the cores of one machine.
fn is_virtual(session: &Session, selected: &Selected<'_>) -> bool {
    let kinds = selected.devices.iter().map(|&id| session.device(id).kind);
    selected.devices.len() > 1 && kinds.into_iter().all(|kind| kind == DeviceKind::Cpu)
}
