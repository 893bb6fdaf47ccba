//! One of the sessions that are compared, measured once.

use rustc_hash::FxHashMap;
use stepscope_model::{ProgramId, Session, StepOrigin};

use super::details::Details;
use super::figures;
use super::items::{Item, items};
use super::report::{ComparedSession, ComparedStep};
use crate::asking::selection::Selection;
use crate::asking::{AnalysisError, Compared};
use crate::measuring::environment::{EnvironmentReport, environment};
use crate::measuring::selection::Selected;
use crate::measuring::steps::parts::{PARTS, position};
use crate::measuring::steps::{PartKind, StepBar, StepSource, StepTime, step_bars};
use crate::measuring::steps::{StepParts, divide_steps, marking_program, mean, step_time};
use crate::measuring::totals::work_totals;
use crate::views::compile::{self, CompilationRow};
use crate::views::ops::all_ops;
use crate::views::roofline::{self, ModelFlops};

/// One session and its measurements.
pub(crate) struct Side<'a> {
    pub(crate) name: &'a str,
    pub(crate) session: &'a Session,
    /// The part that is compared: steps, times, devices and hosts.
    pub(crate) selected: Selected<'a>,
    /// Every selected step with its parts.
    pub(crate) steps: Vec<StepBar>,
    /// Whether the durations of the steps are known.
    pub(crate) is_timed: bool,
    /// The programs whose runs are the steps, if the steps were inferred.
    pub(super) step_programs: Vec<String>,
    /// The program whose every run is a step, if so.
    pub(super) step_program: Option<ProgramId>,
    /// What ran in the typical steps.
    pub(crate) items: Vec<Item>,
    pub(super) environment: EnvironmentReport,
    /// The longest first.
    pub(super) compilations: Vec<CompilationRow>,
    compilation_ps: i64,
    pub(super) ends_ps: Vec<i64>,
    /// Busy time and duration of each typical step, summed over devices.
    pub(crate) busy_steps: Vec<(f64, f64)>,
    busy_ratio: Option<f64>,
    /// HFU and MFU of each typical step, in chronological order; empty if unknown.
    pub(crate) utilization: Vec<(f64, f64)>,
    collective_bytes: Option<f64>,
    memory_peak: Option<(i64, &'static str)>,
    /// How many steps are far from the median, where they count as typical ones: a session of the
    /// comparison has too many of them.
    pub(super) unusual: Option<usize>,
    pub(super) details: Details,
}

/// So many outliers, as a number and as a share, are no exceptions.
const MANY_OUTLIERS: usize = 3;
const MANY_OUTLIERS_OF_ALL: f64 = 0.2;

impl<'a> Side<'a> {
    /// Measures every session; an error names the session that it is of.
    pub(crate) fn all(
        sessions: &[Compared<'a>],
        selection: &Selection,
        model: ModelFlops,
    ) -> Result<Vec<Self>, AnalysisError> {
        let model_flops = model.checked()?;
        let measured = |are_all_typical: bool| {
            let sides = sessions.iter().map(|one| {
                let side = Self::of(*one, selection, model_flops, are_all_typical);
                side.map_err(|e| e.of_session(one.name))
            });
            sides.collect::<Result<Vec<Self>, AnalysisError>>()
        };
        let sides = measured(false)?;
        // What a fifth of the steps does is no exception: another way in which this program runs.
        if sides.iter().any(Self::has_many_outliers) {
            return measured(true);
        }
        Ok(sides)
    }

    /// Whether so many steps are far from the median that the others are not its typical steps. Those that
    /// compile are exceptions, however many: they are told on their own.
    fn has_many_outliers(&self) -> bool {
        let usual_ps = self.typical_step_ps().unwrap_or(0.0);
        let compiles = |step: &&StepBar| {
            let compilation_ps = step.parts_ps[position(PartKind::Compilation)];
            compilation_ps >= (step.duration_ps - usual_ps).abs() / 2.0
        };
        let outliers = self.steps.iter().filter(|step| step.is_outlier);
        let count = outliers.filter(|step| !compiles(step)).count();
        count >= MANY_OUTLIERS && count as f64 > MANY_OUTLIERS_OF_ALL * self.steps.len() as f64
    }

    /// Measures a session. Ops are filtered later, so that the ops of a step still sum to it.
    fn of(
        compared: Compared<'a>,
        selection: &Selection,
        model_flops: Option<f64>,
        are_all_typical: bool,
    ) -> Result<Self, AnalysisError> {
        let Compared { name, session } = compared;
        let selection = Selection {
            program: None,
            pattern: None,
            sort: None,
            limit: None,
            ..selection.clone()
        };
        let selected = selection.resolve(session)?;
        let divided = divide_steps(session, &selected);
        let rows = &divided.rows;
        let mut steps = step_bars(session, rows);
        let atypical = steps.iter().filter(|step| step.is_outlier).count();
        if are_all_typical {
            for step in &mut steps {
                step.is_outlier = false;
            }
        }
        let typical = typical(rows, &steps);
        let items = items(session, &selected, rows, &typical);
        let mut compilations = compile::compilations(session, &selected);
        compile::longest_first(&mut compilations);
        let busy_steps = busy_steps(rows, &typical);
        let utilization = utilization(session, &selected, &typical, model_flops);
        let time = step_time(session, &selected);
        let is_inferred = session.step_origin.is_some_and(StepOrigin::is_inferred);
        Ok(Self {
            name,
            session,
            ends_ps: ends(rows),
            busy_ratio: busy_ratio(&busy_steps),
            busy_steps,
            utilization,
            collective_bytes: figures::collective_bytes(session, &selected),
            memory_peak: figures::memory_peak(session, &selected, &items),
            environment: environment(session, &selected),
            compilation_ps: compile::total_ps(session, &selected, &compilations).unwrap_or(0),
            compilations,
            is_timed: time.is_some(),
            step_programs: time.map_or_else(Vec::new, inferred_from),
            step_program: marking_program(session).filter(|_| is_inferred),
            selected,
            steps,
            items,
            unusual: are_all_typical.then_some(atypical),
            details: Details::default(),
        })
    }

    /// The steps that are not outliers.
    pub(crate) fn typical(&self) -> impl Iterator<Item = &StepBar> {
        self.steps.iter().filter(|step| !step.is_outlier)
    }

    /// Durations of the typical steps, in chronological order; empty if unknown.
    pub(crate) fn durations(&self) -> Vec<f64> {
        let steps = self.typical().filter(|_| self.is_timed);
        steps.map(|step| step.duration_ps).collect()
    }

    /// Durations of all steps, in chronological order; empty if unknown.
    pub(crate) fn all_durations(&self) -> Vec<f64> {
        let steps = self.steps.iter().filter(|_| self.is_timed);
        steps.map(|step| step.duration_ps).collect()
    }

    /// A part of every typical step, in chronological order; empty if step times are unknown.
    pub(crate) fn part(&self, part: PartKind) -> Vec<f64> {
        let index = position(part);
        let steps = self.typical().filter(|_| self.is_timed);
        steps.map(|step| step.parts_ps[index]).collect()
    }

    /// HFU and MFU of each typical step; nothing if step times are unknown.
    pub(crate) fn utilization(&self) -> impl Iterator<Item = (f64, f64)> {
        let known = self.utilization.iter().copied();
        known.filter(|_| self.is_timed)
    }

    /// Time in which the device works, for every typical step, in chronological order.
    pub(super) fn work(&self) -> Vec<f64> {
        let steps = self.typical().filter(|_| self.is_timed);
        let work = steps.map(|step| {
            let parts = PARTS.iter().zip(&step.parts_ps);
            let of_device = parts.filter(|(part, _)| **part < PartKind::InputWait);
            of_device.map(|(_, time)| time).sum()
        });
        work.collect()
    }

    /// Mean duration of the typical steps.
    pub(super) fn typical_step_ps(&self) -> Option<f64> {
        mean(self.typical().map(|step| step.duration_ps))
    }

    /// By how much a part's mean over all steps exceeds its mean over the typical steps.
    pub(super) fn excess_ps(&self, part: PartKind) -> f64 {
        let index = position(part);
        let all = mean(self.steps.iter().map(|step| step.parts_ps[index]));
        let typical = mean(self.typical().map(|step| step.parts_ps[index]));
        all.unwrap_or(0.0) - typical.unwrap_or(0.0)
    }

    /// Number of outlier steps.
    pub(super) fn outliers(&self) -> usize {
        self.steps.iter().filter(|step| step.is_outlier).count()
    }

    /// Mean number of slices of work in a typical step.
    pub(super) fn launches(&self) -> Option<f64> {
        (!self.items.is_empty()).then(|| self.items.iter().map(Item::count).sum())
    }

    /// Operations of a typical step, as far as the costs of its ops are known; `None` without any.
    pub(super) fn step_flops(&self) -> Option<f64> {
        let of_item = |item: &Item| {
            let cost = self.session.op(item.op()?).cost?;
            Some(cost.flops? * item.count())
        };
        let all: f64 = self.items.iter().filter_map(of_item).sum();
        (all > 0.0).then_some(all)
    }

    /// Number of slices of work in each typical step.
    pub(super) fn launches_by_step(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.typical().count()];
        for item in &self.items {
            for (sum, count) in sums.iter_mut().zip(&item.occurrences) {
                *sum += count;
            }
        }
        sums
    }

    pub(crate) fn report(&self) -> ComparedSession {
        let part = |part| mean(self.part(part).into_iter()).unwrap_or(0.0);
        ComparedSession {
            name: self.name.to_owned(),
            devices: self.environment.devices.clone(),
            step_count: self.steps.len(),
            typical_step_count: self.typical().count(),
            step_ps: self.typical_step_ps().filter(|_| self.is_timed),
            all_steps_ps: mean(self.steps.iter().map(|step| step.duration_ps))
                .filter(|_| self.is_timed),
            parts_ps: PARTS.into_iter().map(part).collect(),
            busy_ratio: self.busy_ratio.filter(|_| self.is_timed),
            hfu_ratio: mean(self.utilization().map(|(hfu, _)| hfu)),
            mfu_ratio: mean(self.utilization().map(|(_, mfu)| mfu)),
            launch_count: self.launches(),
            collective_bytes: self.collective_bytes,
            wall_step_ps: figures::wall_step_ps(self.session),
            training_wall_ps: figures::wall_clock_ps(self.session, |clock| clock.training_seconds),
            run_wall_ps: figures::wall_clock_ps(self.session, |clock| clock.total_seconds),
            compilation_count: self.compilations.len(),
            compilation_ps: self.compilation_ps,
            memory_peak_bytes: self.memory_peak.map(|(bytes, _)| bytes),
            memory_peak_source: self.memory_peak.map_or("", |(_, source)| source).to_owned(),
            steps: self.steps.iter().zip(&self.ends_ps).map(step).collect(),
        }
    }
}

/// The programs that inferred steps are runs or rounds of, without their numbers: `jit_step`.
fn inferred_from(time: StepTime) -> Vec<String> {
    let is_inferred = matches!(time.source, StepSource::ProgramRuns | StepSource::Cadence);
    let marks = time.marks.into_iter().filter(|_| is_inferred);
    let plain = |mark: String| mark.split('(').next().unwrap_or_default().to_owned();
    marks.map(plain).collect()
}

fn step((bar, &end_ps): (&StepBar, &i64)) -> ComparedStep {
    ComparedStep {
        step: bar.step,
        start_ps: bar.start_ps,
        end_ps,
        duration_ps: bar.duration_ps,
        is_outlier: bar.is_outlier,
    }
}

/// Index of the typical step by position in `Session::steps`.
fn typical(rows: &[StepParts], steps: &[StepBar]) -> FxHashMap<usize, usize> {
    let of_steps = rows.chunk_by(|a, b| a.step == b.step).zip(steps);
    of_steps
        .filter(|(_, bar)| !bar.is_outlier)
        .enumerate()
        .map(|(number, (rows, _))| (rows[0].step, number))
        .collect()
}

fn ends(rows: &[StepParts]) -> Vec<i64> {
    rows.chunk_by(|a, b| a.step == b.step)
        .map(|rows| rows.iter().map(|row| row.span.end.0).max().unwrap_or(0))
        .collect()
}

/// Busy time and duration of the typical steps, each summed over devices; steps on no device are left
/// out.
fn busy_steps(rows: &[StepParts], typical: &FxHashMap<usize, usize>) -> Vec<(f64, f64)> {
    let of_steps = rows.chunk_by(|a, b| a.step == b.step);
    let typical = of_steps.filter(|rows| typical.contains_key(&rows[0].step));
    let sums = typical.map(|rows| {
        let on_devices = rows.iter().filter(|row| row.device.is_some());
        on_devices.fold((0.0, 0.0), |sums, row| {
            (
                sums.0 + row.lengths.busy_ps as f64,
                sums.1 + row.span.duration().0 as f64,
            )
        })
    });
    sums.filter(|(_, duration)| *duration > 0.0).collect()
}

/// HFU and MFU of the typical steps whose FLOPs are known.
fn utilization(
    session: &Session,
    selected: &Selected<'_>,
    typical: &FxHashMap<usize, usize>,
    model_flops: Option<f64>,
) -> Vec<(f64, f64)> {
    let ops = all_ops(session, selected, &work_totals(session, selected));
    let found = roofline::utilization(session, selected, &ops.ops, model_flops);
    let steps = found.steps.into_iter();
    let typical = steps.filter(|(step, ..)| typical.contains_key(step));
    typical.filter_map(|(_, hfu, mfu)| hfu.zip(mfu)).collect()
}

/// Σ busy ÷ Σ duration over the typical steps on devices.
fn busy_ratio(steps: &[(f64, f64)]) -> Option<f64> {
    let (busy, duration) = steps
        .iter()
        .fold((0.0, 0.0), |sums, step| (sums.0 + step.0, sums.1 + step.1));
    (duration > 0.0).then(|| busy / duration)
}

/// The selection resolved again, to filter the listed ops.
pub(super) fn listed<'a>(
    side: &Side<'a>,
    selection: &Selection,
) -> Result<Selected<'a>, AnalysisError> {
    let own = Selection {
        program: None,
        steps: None,
        time: None,
        device: None,
        host: None,
        ..selection.clone()
    };
    own.resolve(side.session)
}
