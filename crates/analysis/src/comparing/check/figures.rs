//! The figures of a session that budgets can limit, and how each was measured.

use stepscope_model::hlo::name_stack::components;

use super::metric::Metric;
use crate::comparing::compare::ComparedSession;
use crate::comparing::compare::items::Item;
use crate::comparing::compare::pair::{Both, waiting_of};
use crate::comparing::compare::side::Side;
use crate::measuring::steps::PartKind;
use crate::measuring::steps::mean;
use crate::measuring::steps::parts::PARTS;
use crate::views::collectives::communication_by_step;
use crate::views::requests::summary::rank;

/// A figure and the samples it is computed from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Measured {
    pub(super) value: f64,
    pub(super) samples: Samples,
}

/// How a figure was measured.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Samples {
    /// The figure is the mean of these, in chronological order.
    Mean(Vec<f64>),
    /// The figure is the 95th percentile of these.
    Quantile(Vec<f64>),
    /// The figure is a time that was measured once.
    Once,
    /// The figure was counted.
    Counted,
}

/// The percentile, as a share of the steps.
pub(super) const PERCENTILE: f64 = 0.95;

/// All figures of one session.
pub(super) struct Figures {
    /// Source of its memory peak; empty without one.
    pub(super) memory_source: String,
    session: ComparedSession,
    parts: Vec<(PartKind, Vec<f64>)>,
    durations: Vec<f64>,
    all_durations: Vec<f64>,
    busy: Vec<f64>,
    /// HFU and MFU by step.
    utilization: Vec<(f64, f64)>,
    communication: Vec<f64>,
    /// Name, scope, source and self times of everything that ran.
    items: Vec<Ran>,
    /// Whether there are steps whose duration is unknown.
    has_untimed_steps: bool,
}

struct Ran {
    name: String,
    scope: String,
    source: String,
    self_ps: Vec<f64>,
}

impl Measured {
    fn counted(value: f64) -> Self {
        Self {
            value,
            samples: Samples::Counted,
        }
    }

    fn mean(samples: Vec<f64>) -> Option<Self> {
        let value = mean(samples.iter().copied())?;
        Some(Self {
            value,
            samples: Samples::Mean(samples),
        })
    }
}

impl Figures {
    pub(super) fn of(side: &Side<'_>) -> Self {
        let session = side.report();
        Self {
            memory_source: session.memory_peak_source.clone(),
            session,
            parts: PARTS.iter().map(|&part| (part, side.part(part))).collect(),
            durations: side.durations(),
            all_durations: side.all_durations(),
            has_untimed_steps: !side.is_timed && !side.steps.is_empty(),
            busy: busy(&side.busy_steps),
            utilization: side.utilization().collect(),
            communication: communication(side),
            items: side.items.iter().map(|item| ran(side, item)).collect(),
        }
    }

    /// The figure; none if the session does not have it.
    pub(super) fn measured(&self, metric: &Metric) -> Option<Measured> {
        let has_steps = !self.durations.is_empty() || self.has_untimed_steps;
        if self.is_untimed(metric) {
            return None;
        }
        match metric {
            Metric::StepTime => Measured::mean(self.durations.clone()),
            Metric::AllStepsTime => Measured::mean(self.all_durations.clone()),
            Metric::StepTimeP95 => percentile(&self.all_durations),
            Metric::Part(part) => {
                let (_, samples) = self.parts.iter().find(|(known, _)| known == part)?;
                Measured::mean(samples.clone())
            }
            Metric::Communication => Measured::mean(self.communication.clone()),
            Metric::DeviceBusy => Measured::mean(self.busy.clone()),
            Metric::Hfu => Measured::mean(self.utilization.iter().map(|one| one.0).collect()),
            Metric::Mfu => Measured::mean(self.utilization.iter().map(|one| one.1).collect()),
            Metric::MemoryPeak => {
                let peak = self.session.memory_peak_bytes?;
                Some(Measured::counted(peak as f64))
            }
            Metric::CompilationCount => {
                Some(Measured::counted(self.session.compilation_count as f64))
            }
            Metric::CompilationTime => Some(Measured {
                value: self.session.compilation_ps as f64,
                samples: Samples::Once,
            }),
            Metric::LaunchCount => self.session.launch_count.map(Measured::counted),
            Metric::CollectiveBytes => self.collective_bytes().map(Measured::counted),
            Metric::Op(name) => self.sum(|ran| ran.name == *name),
            Metric::Scope(path) if has_steps => self.of_scope(path),
            Metric::Scope(_) => None,
        }
    }

    /// Whether the figure depends on step times, and these are unknown although there are steps.
    pub(super) const fn is_untimed(&self, metric: &Metric) -> bool {
        self.has_untimed_steps && metric.is_of_step_time()
    }

    /// 0 if nothing communicates; none if the shapes of what communicates are unknown.
    fn collective_bytes(&self) -> Option<f64> {
        let is_silent = self.communication.iter().all(|&step| step == 0.0);
        let nothing = (is_silent && !self.communication.is_empty()).then_some(0.0);
        self.session.collective_bytes.or(nothing)
    }

    /// Source line of the op with a name; empty if unknown.
    pub(super) fn source_of_op(&self, name: &str) -> String {
        let found = self.items.iter().find(|ran| ran.name == *name);
        found.map_or_else(String::new, |ran| ran.source.clone())
    }

    fn of_scope(&self, path: &str) -> Option<Measured> {
        let wanted = components(path);
        self.sum(|ran| {
            let own = components(&ran.scope);
            !wanted.is_empty() && own.windows(wanted.len()).any(|part| part == wanted)
        })
    }

    /// Self time in each typical step, summed over all wanted items; none if there are none.
    fn sum(&self, is_wanted: impl Fn(&Ran) -> bool) -> Option<Measured> {
        let wanted = self.items.iter().filter(|ran| is_wanted(ran));
        let sum = wanted.fold(None, |sum: Option<Vec<f64>>, ran| {
            Some(match sum {
                Some(sum) => added(sum, &ran.self_ps),
                None => ran.self_ps.clone(),
            })
        });
        Measured::mean(sum?)
    }
}

fn ran(side: &Side<'_>, item: &Item) -> Ran {
    let op = item.op().map(|op| side.session.op(op));
    let text = |id| side.session.text(id).to_owned();
    Ran {
        name: item.name(side.session).to_owned(),
        scope: op.map_or_else(String::new, |op| text(op.scope)),
        source: op.map_or_else(String::new, |op| text(op.source)),
        self_ps: item.self_ps.clone(),
    }
}

fn added(sum: Vec<f64>, other: &[f64]) -> Vec<f64> {
    sum.into_iter().zip(other).map(|(a, b)| a + b).collect()
}

/// What is compared instead of a part where other things were recorded of hosts in the baseline: all parts
/// that this decides, together.
pub(super) fn waiting(side: &Side<'_>) -> Option<Measured> {
    Measured::mean(waiting_of(side))
}

/// Self time of an op in the baseline and in the checked session. The op has this name in the checked
/// session, and possibly another name in the baseline. If the checked session has no op with this name,
/// it is the op with this name in the baseline. None if neither has the name.
pub(super) fn op_of_pair(both: &Both<'_, '_>, name: &str) -> Option<(Measured, Measured)> {
    let changes = &both.changes.ops;
    let is_called = |side: usize, item: Option<usize>| {
        let item = both.item(side, item);
        item.is_some_and(|item| item.name(both.sides[side].session) == name)
    };
    let mut found: Vec<_> = changes.iter().filter(|op| is_called(1, op.other)).collect();
    if found.is_empty() {
        found = changes
            .iter()
            .filter(|op| is_called(0, op.baseline))
            .collect();
    }
    if found.is_empty() {
        return None;
    }
    let sum =
        |side: usize, item: fn(&crate::comparing::compare::waterfall::Change) -> Option<usize>| {
            let nothing = vec![0.0; both.sides[side].typical().count()];
            let items = found
                .iter()
                .filter_map(|change| both.item(side, item(change)));
            Measured::mean(items.fold(nothing, |sum, item| added(sum, &item.self_ps)))
        };
    Some((
        sum(0, |change| change.baseline)?,
        sum(1, |change| change.other)?,
    ))
}

/// The 95th percentile by nearest rank.
fn percentile(durations: &[f64]) -> Option<Measured> {
    let mut sorted = durations.to_vec();
    sorted.sort_by(f64::total_cmp);
    let position = rank(PERCENTILE * 100.0, sorted.len().max(1));
    Some(Measured {
        value: *sorted.get(position)?,
        samples: Samples::Quantile(durations.to_vec()),
    })
}

/// Samples whose mean is Σ busy ÷ Σ duration and whose spread is that of this ratio: the contribution of
/// each step, weighted by its duration.
fn busy(steps: &[(f64, f64)]) -> Vec<f64> {
    let busy: f64 = steps.iter().map(|step| step.0).sum();
    let duration: f64 = steps.iter().map(|step| step.1).sum();
    let (ratio, usual) = (busy / duration, duration / steps.len() as f64);
    let linear = steps
        .iter()
        .map(|step| ratio + (step.0 - ratio * step.1) / usual);
    linear.collect()
}

/// Communication of each typical step, by the definition of `collectives`.
fn communication(side: &Side<'_>) -> Vec<f64> {
    let steps = communication_by_step(side.session, &side.selected);
    let of_step = |number: i64| {
        let found = steps.iter().find(|step| step.step == number);
        found.map_or(0.0, |step| step.total_ps)
    };
    side.typical().map(|step| of_step(step.step)).collect()
}
