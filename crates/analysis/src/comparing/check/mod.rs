//! `check`: whether a session meets its budgets, relative to baselines or in absolute terms.
//!
//! The last session is checked; those before it are its baselines.
//!
//! | Figure | Definition |
//! |---|---|
//! | budget | a [`metric`] and its [`limit`](budget) |
//! | baseline | the figure of the baseline; with several baselines or a history, the median of the runs |
//! | value | the figure of the checked session |
//! | interval | the confidence interval of the value, including noise within and between runs: [`judge`] |
//! | broken | the value is beyond the limit, and so is the whole interval |
//! | within noise | the value is beyond the limit, but the near end of the interval is not |
//! | unknown | the figure or its baseline is missing, or it depends on step times that were not recorded |

mod budget;
mod chart;
mod columns;
mod figures;
mod judge;
mod metric;
mod options;
mod report;
mod tables;
pub(crate) mod words;

pub use budget::{Budget, split_budgets};
pub use metric::{Known, METRICS, Metric};
pub use options::CheckOptions;
pub use report::{
    BaselineKind, CheckReport, CheckVerdict, CheckedBudget, CheckedCause, CheckedFigure, FigureUnit,
};

use crate::asking::group::Group;
use crate::asking::selection::Selection;
use crate::asking::{AnalysisError, Compared, Comparison, NamedText};
use crate::comparing::compare::noise::FEWEST_RUNS;
use crate::comparing::compare::pair::{BY_RECORDING, Both};
use crate::comparing::compare::side::Side;
use crate::comparing::compare::{
    ComparedCause, SessionDifference, checked_confidence, difference, other_unit, run_noise,
};
use crate::comparing::history::Recorded;
use crate::measuring::workload::Workload;
use figures::{Figures, Measured};
use judge::{Against, Judge};

/// The `check` comparison.
pub struct Check;

impl Comparison for Check {
    const NAME: &'static str = "check";
    const ALIASES: &'static [&'static str] = &[];
    const SUMMARY: &'static str = "Check a session against budgets (exit code 4 on failure)";
    const EXAMPLES: &'static str = "\
# At most 2 % slower than the baseline and 1 % more memory; exit code 4 if exceeded beyond noise
stepscope check ./logs --baseline ./main --budget step_time=+2% --budget memory_peak=+1%
# The newest session against the five before it, which show the noise between runs
stepscope check ./logs --baseline-runs 5 --budget step_time=+2%
# Without a baseline
stepscope check ./logs --budget 'step_time<=150ms' --budget 'compilation_count<=3'
# Budgets and baseline from stepscope.toml; a comment for a pull request, annotations for GitHub
stepscope check ./logs --markdown comment.md --github
# Keep a history, and check against it
stepscope check ./logs --history stepscope-history.jsonl --baseline history --budget step_time=+2%";
    const GROUP: Group = Group::Summary;
    const LEAST_SESSIONS: usize = 1;
    const TAKES_FILES: bool = true;
    type Options = CheckOptions;
    type Report = CheckReport;

    fn with_files(options: &mut CheckOptions, files: Vec<NamedText>) {
        options.histories = files;
    }

    fn run(
        sessions: &[Compared<'_>],
        options: &CheckOptions,
    ) -> Result<CheckReport, AnalysisError> {
        let budgets = Budget::parse_all(&options.budgets)?;
        let judge = Judge {
            noise: run_noise(options.run_noise)?,
            is_known: options.run_noise.is_some(),
            confidence: options.confidence,
        };
        checked_confidence(options.confidence)?;
        only_parts(&options.selection)?;
        let sides = Side::all(sessions, &options.selection, options.model)?;
        let Some((checked, baselines)) = sides.split_last() else {
            return Err(AnalysisError::Internal("no session was given".to_owned()));
        };
        let workload = Workload::of(checked.session, &checked.selected);
        let devices = workload.devices();
        let recorded = Recorded::of(&options.histories).of_workload(&workload.program, &devices);
        let run = Run {
            judge,
            figures: sides.iter().map(Figures::of).collect(),
            pairs: pairs(baselines, checked, judge),
            recorded: &recorded,
            has_history: !options.histories.is_empty(),
        };
        let rows: Vec<CheckedBudget> = budgets.iter().map(|budget| run.row(budget)).collect();
        let nearest = run.pairs.last().map(difference);
        let causes = nearest.as_ref();
        let causes = causes.map_or_else(Vec::new, |nearest| {
            caused(nearest, &beyond(&budgets, &rows))
        });
        let verdict = overall(&rows, options.allow_unknown);
        let baseline = run.baseline_kind();
        let checked_budgets = (budgets.as_slice(), rows.as_slice());
        let mut notes = words::notes(&sides, checked_budgets, options, baseline, run.run_count());
        notes.extend(words::of_history(recorded.notes()));
        Ok(CheckReport {
            verdict,
            is_passed: verdict != CheckVerdict::Broken
                && (verdict != CheckVerdict::Unknown || options.allow_unknown),
            conclusion: words::conclusion(checked.name, &rows, options.allow_unknown),
            session: checked.name.to_owned(),
            program: workload.program,
            devices,
            baseline,
            baselines: run.baseline_names(baselines),
            rows,
            causes,
            comparison: nearest
                .as_ref()
                .map_or_else(String::new, |one| one.conclusion.clone()),
            environment: nearest.map_or_else(Vec::new, |one| one.environment),
            figures: run.all_figures(&budgets),
            confidence_ratio: options.confidence,
            notes,
        })
    }
}

/// Rejects options that select rows: sessions are checked as a whole, or the same part of each.
fn only_parts(selection: &Selection) -> Result<(), AnalysisError> {
    let given = [
        ("--program", selection.program.is_some()),
        ("--match", selection.pattern.is_some()),
        ("--sort", selection.sort.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => Err(AnalysisError::Options(format!(
            "{name} has no effect here: select what is checked with a budget, such as \
             `--budget op:dot.1=+5%` or `--budget scope:layer_0=+5%`"
        ))),
        None => Ok(()),
    }
}

/// The checked session paired with each of its baselines.
fn pairs<'a, 'b>(
    baselines: &'b [Side<'a>],
    checked: &'b Side<'a>,
    judge: Judge,
) -> Vec<Both<'a, 'b>> {
    let position = baselines.len();
    baselines
        .iter()
        .map(|baseline| Both::of([baseline, checked], position, judge.noise, judge.confidence))
        .collect()
}

/// Everything needed to check budgets.
struct Run<'a, 'b> {
    judge: Judge,
    /// The figures of each session; the last session is the checked one.
    figures: Vec<Figures>,
    pairs: Vec<Both<'a, 'b>>,
    recorded: &'b Recorded,
    has_history: bool,
}

impl Run<'_, '_> {
    fn checked(&self, metric: &Metric) -> Option<Measured> {
        let own = self.figures.last()?;
        match (metric, self.pairs.last()) {
            (Metric::Op(name), Some(both)) => figures::op_of_pair(both, name).map(|pair| pair.1),
            _ => own.measured(metric),
        }
    }

    fn is_untimed(&self, metric: &Metric) -> bool {
        let own = self.figures.last();
        own.is_some_and(|own| own.is_untimed(metric))
    }

    /// The same figure of each baseline that has it.
    fn of_baselines(&self, metric: &Metric) -> Vec<Measured> {
        if let Metric::Op(name) = metric {
            let pairs = self.pairs.iter();
            let found = pairs.filter_map(|both| figures::op_of_pair(both, name));
            return found.map(|pair| pair.0).collect();
        }
        let baselines = &self.figures[..self.figures.len().saturating_sub(1)];
        let found = baselines.iter();
        found.filter_map(|one| one.measured(metric)).collect()
    }

    /// Whether counts show different work that can be why the figure differs from that of the one baseline.
    fn is_by_work(&self, metric: &Metric, baseline: f64) -> bool {
        let (Some(both), Some(checked)) = (self.pairs.last(), self.checked(metric)) else {
            return false;
        };
        let is_longer = checked.value > baseline;
        match metric {
            Metric::StepTime | Metric::AllStepsTime => both.is_by_work(None, is_longer),
            Metric::Part(part) => both.is_by_work(Some(*part), is_longer),
            _ => false,
        }
    }

    fn row(&self, budget: &Budget) -> CheckedBudget {
        let together = self.together(budget);
        let checked = match &together {
            Some((checked, _)) => Some(checked.clone()),
            None => self.checked(&budget.metric),
        };
        let of_baselines;
        let against = if self.has_history {
            Against::Runs(self.recorded.latest_values(&budget.metric.name()))
        } else {
            of_baselines = match &together {
                Some((_, baselines)) => baselines.clone(),
                None => self.of_baselines(&budget.metric),
            };
            match of_baselines.as_slice() {
                [] => Against::Nothing,
                [one] => Against::One(one, self.is_by_work(&budget.metric, one.value)),
                several => Against::Runs(several.iter().map(|one| one.value).collect()),
            }
        };
        let mixed = self.mixed_sources(&budget.metric);
        if let (Some(checked), Some(why)) = (&checked, self.other_unit(budget)) {
            let unknown = Err(judge::Unknown::OtherUnit(checked.value, why));
            return words::row(budget, &unknown, self.source_of(&budget.metric));
        }
        let judged = match (&checked, mixed) {
            (Some(checked), None) => self.judge.judge(budget, checked, &against),
            (Some(checked), Some(why)) if budget.needs_baseline() => {
                Err(judge::Unknown::OtherSource(checked.value, why))
            }
            (Some(checked), Some(_)) => self.judge.judge(budget, checked, &Against::Nothing),
            (None, _) if self.is_untimed(&budget.metric) => Err(judge::Unknown::NoStepTime),
            (None, _) => Err(judge::Unknown::NotMeasured),
        };
        let mut row = words::row(budget, &judged, self.source_of(&budget.metric));
        if together.is_some() {
            row.text.push_str(words::TOGETHER);
        }
        row
    }

    /// Of a part whose time depends on what was recorded of hosts, where that differs: all such parts
    /// together, in the checked session and in the baselines.
    fn together(&self, budget: &Budget) -> Option<(Measured, Vec<Measured>)> {
        let is_by_recording = |part| BY_RECORDING.contains(&part);
        let is_one = matches!(budget.metric, Metric::Part(part) if is_by_recording(part));
        let differs = self.pairs.iter().any(Both::is_recorded_otherwise);
        if !is_one || !differs || !budget.needs_baseline() || self.has_history {
            return None;
        }
        let checked = figures::waiting(self.pairs.last()?.sides[1])?;
        let baselines = self.pairs.iter();
        let found = baselines.filter_map(|both| figures::waiting(both.sides[0]));
        Some((checked, found.collect()))
    }

    /// Why the figure cannot be compared with that of the nearest baseline, if a step of that one is
    /// something else.
    fn other_unit(&self, budget: &Budget) -> Option<String> {
        let is_relative = budget.metric.is_per_step() && budget.needs_baseline();
        let both = self
            .pairs
            .last()
            .filter(|_| is_relative && !self.has_history)?;
        other_unit(both)
    }

    /// Memory peaks from different sources, which cannot be compared; described in words.
    fn mixed_sources(&self, metric: &Metric) -> Option<String> {
        if *metric != Metric::MemoryPeak || self.has_history {
            return None;
        }
        let sources = self.figures.iter().map(|one| one.memory_source.as_str());
        let known: Vec<&str> = sources.filter(|source| !source.is_empty()).collect();
        let last = known.last()?;
        let other = known.iter().find(|source| *source != last)?;
        Some(format!("{last} in this session, {other} in the baseline"))
    }

    /// Source line of the op of a budget.
    fn source_of(&self, metric: &Metric) -> String {
        match (metric, self.figures.last()) {
            (Metric::Op(name), Some(own)) => own.source_of_op(name),
            _ => String::new(),
        }
    }

    fn baseline_kind(&self) -> BaselineKind {
        match (self.has_history, self.pairs.len()) {
            (true, _) => BaselineKind::History,
            (false, 0) => BaselineKind::None,
            (false, _) => BaselineKind::Sessions,
        }
    }

    fn baseline_names(&self, baselines: &[Side<'_>]) -> Vec<String> {
        if self.has_history {
            return self.recorded.names();
        }
        baselines.iter().map(|side| side.name.to_owned()).collect()
    }

    /// Number of runs from which noise between runs was estimated; none if it was assumed or given.
    fn run_count(&self) -> Option<usize> {
        let count = if self.has_history {
            self.recorded.run_count()
        } else {
            self.pairs.len()
        };
        (count >= FEWEST_RUNS && !self.judge.is_known).then_some(count)
    }

    /// All figures of the checked session: the metrics with fixed names, and those of the budgets.
    fn all_figures(&self, budgets: &[Budget]) -> Vec<CheckedFigure> {
        let named = METRICS.iter().map(|known| known.metric.clone());
        let mut metrics: Vec<Metric> = named.collect();
        for budget in budgets {
            if !metrics.contains(&budget.metric) {
                metrics.push(budget.metric.clone());
            }
        }
        let figure = |metric: Metric| {
            let measured = self.checked(&metric)?;
            Some(CheckedFigure {
                metric: metric.name(),
                title: metric.title(),
                unit: metric.unit(),
                value: measured.value,
            })
        };
        metrics.into_iter().filter_map(figure).collect()
    }
}

/// The worst verdict; budgets that cannot be checked are ignored if that is allowed.
fn overall(rows: &[CheckedBudget], allows_unknown: bool) -> CheckVerdict {
    let verdicts = rows.iter().map(|row| row.verdict);
    let worst = verdicts.max_by_key(|verdict| match verdict {
        CheckVerdict::Broken => 3,
        CheckVerdict::Unknown if !allows_unknown => 2,
        CheckVerdict::WithinNoise => 1,
        CheckVerdict::Unknown | CheckVerdict::Passed => 0,
    });
    match worst {
        Some(CheckVerdict::Unknown) if allows_unknown && rows.iter().any(is_passed) => {
            CheckVerdict::Passed
        }
        Some(worst) => worst,
        None => CheckVerdict::Unknown,
    }
}

fn is_passed(row: &CheckedBudget) -> bool {
    row.verdict == CheckVerdict::Passed
}

/// The figures that are beyond their limits.
fn beyond<'a>(budgets: &'a [Budget], rows: &[CheckedBudget]) -> Vec<&'a Metric> {
    let is_beyond = |row: &CheckedBudget| {
        matches!(
            row.verdict,
            CheckVerdict::Broken | CheckVerdict::WithinNoise
        )
    };
    let found = budgets.iter().zip(rows).filter(|(_, row)| is_beyond(row));
    found.map(|(budget, _)| &budget.metric).collect()
}

/// The causes of a comparison; those that explain a figure beyond its limit come first.
fn caused(nearest: &SessionDifference, beyond: &[&Metric]) -> Vec<CheckedCause> {
    let mut causes: Vec<&ComparedCause> = nearest.causes.iter().collect();
    causes.sort_by_key(|cause| !beyond.iter().any(|metric| explains(cause, metric)));
    let checked = causes.into_iter().map(|cause| CheckedCause {
        kind: cause.kind.clone(),
        text: cause.text.clone(),
        difference_ps: cause.difference_ps,
        difference_bytes: cause.difference_bytes,
        evidence: cause.evidence,
        source: cause.source.clone(),
    });
    checked.collect()
}

fn explains(cause: &ComparedCause, metric: &Metric) -> bool {
    match metric {
        Metric::MemoryPeak => cause.difference_bytes.is_some(),
        Metric::CompilationCount | Metric::CompilationTime => cause.kind == "recompiled",
        Metric::LaunchCount => match cause.kind.as_str() {
            // A program that runs on one side only has ops; one that differs has none.
            "program" => cause.op.is_some(),
            kind => matches!(
                kind,
                "op_new" | "op_gone" | "launches" | "loop_copies" | "loop_length"
            ),
        },
        Metric::CollectiveBytes => cause.kind == "resized",
        _ => cause.difference_ps.is_some(),
    }
}
