//! The texts of `check`: the reason for each verdict, the conclusion, and notes.

use std::fmt::Write;

use super::CheckOptions;
use super::budget::{Budget, Limit};
use super::judge::{Judged, ONCE_RATIO, Unknown};
use super::metric::Metric;
use super::report::{BaselineKind, CheckVerdict, CheckedBudget, FigureUnit};
use crate::comparing::compare::side::Side;
use crate::measuring::steps::mean;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::format::{counted, percent};
use crate::telling::recording;

/// Said of a part that is compared together with others.
pub(super) const TOGETHER: &str = " Input wait, host overhead and idle time together: other things were recorded of \
                                   the host than in the baseline.";

/// A figure with its unit.
pub(crate) fn figure(value: f64, unit: FigureUnit) -> String {
    match unit {
        FigureUnit::Picos => format::duration_ps(value),
        FigureUnit::Bytes => format::bytes(value),
        FigureUnit::Ratio => percent(value),
        FigureUnit::Count => format::count(value),
    }
}

/// A change with its sign.
pub(crate) fn signed(value: f64, unit: FigureUnit) -> String {
    format::signed(value, |value| figure(value, unit))
}

/// `+2.0 %`.
pub(crate) fn signed_percent(ratio: f64) -> String {
    format::signed(ratio, percent)
}

/// The limit as a figure, with the allowed change if it is relative.
fn limit(budget: &Budget, judged: &Judged) -> String {
    let unit = budget.metric.unit();
    let most = if budget.metric.is_better_higher() {
        "at least"
    } else {
        "at most"
    };
    let limit = figure(judged.limit, unit);
    match budget.limit {
        Limit::Relative(ratio) => format!("{most} {limit} ({})", signed_percent(ratio)),
        Limit::Increment(change) => format!("{most} {limit} ({})", signed(change, unit)),
        Limit::Bound(_) => format!("{most} {limit}"),
    }
}

/// The change that a budget allows: `+2.0 %`, `+1.000 ms`.
fn change(budget: &Budget) -> String {
    match budget.limit {
        Limit::Relative(ratio) => signed_percent(ratio),
        Limit::Increment(change) => signed(change, budget.metric.unit()),
        Limit::Bound(bound) => figure(bound, budget.metric.unit()),
    }
}

/// The row of a budget.
pub(super) fn row(
    budget: &Budget,
    judged: &Result<Judged, Unknown>,
    source: String,
) -> CheckedBudget {
    let metric = &budget.metric;
    let text = match judged {
        Ok(judged) => verdict(budget, judged),
        Err(why) => unknown(budget, why),
    };
    let known = judged.as_ref().ok();
    let baseline = known.and_then(|known| known.baseline);
    let value = match judged {
        Ok(judged) => Some(judged.value),
        Err(Unknown::NotMeasured | Unknown::NoStepTime) => None,
        Err(
            Unknown::NoBaseline(value)
            | Unknown::TooFewSteps(value, _)
            | Unknown::OtherSource(value, _)
            | Unknown::OtherUnit(value, _),
        ) => Some(*value),
    };
    let difference = value
        .zip(baseline)
        .map(|(value, baseline)| value - baseline);
    CheckedBudget {
        budget: budget.text.clone(),
        metric: metric.name(),
        title: metric.title(),
        unit: metric.unit(),
        is_better_higher: metric.is_better_higher(),
        verdict: known.map_or(CheckVerdict::Unknown, |known| known.verdict),
        baseline,
        limit: known.map(|known| known.limit),
        value,
        difference,
        ratio: difference
            .zip(baseline.filter(|&baseline| baseline > 0.0))
            .map(|(difference, baseline)| difference / baseline),
        low: known.and_then(|known| known.low),
        high: known.and_then(|known| known.high),
        text,
        source,
    }
}

fn verdict(budget: &Budget, judged: &Judged) -> String {
    let unit = budget.metric.unit();
    let value = figure(judged.value, unit);
    let change = judged.baseline.map(|baseline| {
        let difference = judged.value - baseline;
        let change = if baseline > 0.0 && unit != FigureUnit::Count {
            signed_percent(difference / baseline)
        } else {
            signed(difference, unit)
        };
        format!(" instead of {} ({change})", figure(baseline, unit))
    });
    let what = format!(
        "{value}{}, {}",
        change.unwrap_or_default(),
        limit(budget, judged)
    );
    let interval = match (judged.low, judged.high) {
        (Some(low), Some(high)) if low == high => None,
        (Some(low), Some(high)) => Some(format!("{} to {}", figure(low, unit), figure(high, unit))),
        (Some(low), None) => Some(format!("{} or more", figure(low, unit))),
        (None, Some(high)) => Some(format!("{} or less", figure(high, unit))),
        (None, None) => None,
    };
    match judged.verdict {
        CheckVerdict::Passed | CheckVerdict::Unknown => format!("{what}."),
        CheckVerdict::Broken => match interval {
            Some(interval) => format!("{what}, more than noise explains ({interval})."),
            None => format!("{what}."),
        },
        CheckVerdict::WithinNoise if judged.do_ranks_differ => {
            format!("{what}: beyond the limit, but only because of a few unusual steps.")
        }
        CheckVerdict::WithinNoise if judged.low.is_none() => format!(
            "{what}: beyond the limit, but there are too few steps to bound a percentile (it takes 72 in \
             each session)."
        ),
        CheckVerdict::WithinNoise => {
            let interval = interval.map(|interval| format!(" ({interval})"));
            let interval = interval.unwrap_or_default();
            format!("{what}: beyond the limit, but noise explains it{interval}.")
        }
    }
}

fn unknown(budget: &Budget, why: &Unknown) -> String {
    let unit = budget.metric.unit();
    match why {
        Unknown::NotMeasured => match &budget.metric {
            Metric::Op(name) => format!("No op {name} ran in a step."),
            Metric::Scope(path) => format!("No op in scope {path} ran in a step."),
            metric if metric.unit() == FigureUnit::Bytes => {
                "Not in the capture: memory was not recorded, or shapes are unknown.".to_owned()
            }
            metric if metric.unit() == FigureUnit::Ratio => "Not in the capture: it needs steps, and \
                                                             utilizations need FLOPs and peaks that \
                                                             are known."
                .to_owned(),
            _ => "Not in the capture: it has no steps.".to_owned(),
        },
        Unknown::NoStepTime => {
            "Step times were not recorded: the recorded end of a step is not the \
                                end of the devices' work."
                .to_owned()
        }
        Unknown::NoBaseline(value) => format!(
            "{} in this session. The budget limits the change from an earlier session to {}, and there is \
             none to compare with.",
            figure(*value, unit),
            change(budget)
        ),
        Unknown::TooFewSteps(value, count) => format!(
            "{} in this session; {} are too few to distinguish a change from noise.",
            figure(*value, unit),
            counted(*count, "step")
        ),
        Unknown::OtherSource(value, sources) => format!(
            "{} in this session, but from a different source than in the baseline ({sources}).",
            figure(*value, unit)
        ),
        Unknown::OtherUnit(value, why) => format!("{} in this session. {why}", figure(*value, unit)),
    }
}

/// The answer in a sentence.
pub(super) fn conclusion(session: &str, rows: &[CheckedBudget], allows_unknown: bool) -> String {
    let of = |verdict: CheckVerdict| rows.iter().filter(move |row| row.verdict == verdict);
    let names = |verdict| {
        let names: Vec<&str> = of(verdict).map(|row| row.metric.as_str()).collect();
        names.join(", ")
    };
    let (broken, unknown) = (
        of(CheckVerdict::Broken).count(),
        of(CheckVerdict::Unknown).count(),
    );
    let noisy = of(CheckVerdict::WithinNoise).count();
    let total = counted(rows.len(), "budget");
    let mut text = match (rows.len(), broken) {
        (0, _) => return format!("No budget was given, so {session} is not checked."),
        (_, 0) if unknown == rows.len() => format!("no budget of {session} can be checked"),
        (_, 0) if unknown == 0 => format!("{session} meets its {total}"),
        (_, 0) => format!("{session} meets {} of its {total}", rows.len() - unknown),
        (all, broken) if all == broken => {
            let which = if all == 1 {
                "its budget"
            } else {
                "all its budgets"
            };
            format!("{session} breaks {which}: {}", names(CheckVerdict::Broken))
        }
        (_, broken) => format!(
            "{session} breaks {broken} of its {total}: {}",
            names(CheckVerdict::Broken)
        ),
    };
    if noisy > 0 {
        let is = if noisy == 1 { "is" } else { "are" };
        let names = names(CheckVerdict::WithinNoise);
        let _ = write!(text, "; {names} {is} beyond the limit, within noise");
    }
    let allowed = if unknown > 0 && allows_unknown {
        ", which is allowed"
    } else {
        ""
    };
    if unknown > 0 && unknown < rows.len() {
        let _ = write!(text, "; {} cannot be checked", names(CheckVerdict::Unknown));
    }
    text.push_str(allowed);
    text.push('.');
    text
}

/// What step times are the means of: `steps` has the mean of all steps.
fn typical_steps(side: &Side<'_>) -> Option<Note> {
    let (typical, all) = (side.durations(), side.all_durations());
    if typical.len() == all.len() || !side.is_timed {
        return None;
    }
    let [typical_ps, all_ps] = [&typical, &all].map(|times| mean(times.iter().copied()));
    Some(Note::info(
        "typical-steps",
        format!(
            "step_time and its parts are means of the {} typical steps of {}, without outliers: {}. The mean \
             of all steps, the step time of `steps` and `overview`, is all_steps_time: {}.",
            typical.len(),
            all.len(),
            format::duration_ps(typical_ps?),
            format::duration_ps(all_ps?)
        ),
    ))
}

/// The notes of a history, which has no runs when a check is run for the first time.
pub(super) fn of_history(mut notes: Vec<Note>) -> Vec<Note> {
    for note in notes.iter_mut().filter(|note| note.id == "history-empty") {
        note.text.push_str(
            " This run is the first: budgets of changes are checked from the next one on.",
        );
        "`--allow-unknown` lets the first run pass".clone_into(&mut note.hint);
    }
    notes
}

pub(super) fn notes(
    sides: &[Side<'_>],
    (budgets, rows): (&[Budget], &[CheckedBudget]),
    options: &CheckOptions,
    baseline: BaselineKind,
    run_count: Option<usize>,
) -> Vec<Note> {
    let mut notes = Vec::new();
    if rows
        .iter()
        .any(|row| row.verdict == CheckVerdict::WithinNoise)
    {
        notes.push(
            Note::warning(
                "over-limit-within-noise",
                "A value is beyond its limit, but noise explains it, so the budget passes. It may still be \
                 a regression that these captures are too few or too noisy to show.",
            )
            .with_hint("capture more steps, or use several baselines: `--baseline-runs 5`"),
        );
    }
    notes.extend(sides.last().and_then(typical_steps));
    if baseline == BaselineKind::None && budgets.iter().any(Budget::needs_baseline) {
        notes.push(
            Note::warning(
                "baseline-missing",
                "A budget such as step_time=+2% limits the change from an earlier session, the baseline; \
                 none was given.",
            )
            .with_hint(
                "name one: `--baseline PATH`, `--baseline latest~1` for the session before this one, or \
                 limit the figure itself: `--budget 'step_time<=150ms'`",
            ),
        );
    }
    if rows.iter().any(|row| row.verdict == CheckVerdict::Unknown) && !options.allow_unknown {
        notes.push(
            Note::warning(
                "unchecked-budgets-fail",
                "Budgets that cannot be checked do not pass.",
            )
            .with_hint("`--allow-unknown` lets them pass"),
        );
    }
    for side in sides
        .iter()
        .filter(|side| !side.is_timed && !side.steps.is_empty())
    {
        let text = format!(
            "{}: step times were not recorded, so budgets for step times cannot be checked.",
            side.name
        );
        let hint = recording::waiting_for_steps(side.session);
        notes.push(Note::warning("step-times-missing", text).with_hint(hint));
    }
    for side in sides.iter().filter(|side| side.steps.is_empty()) {
        let text = format!(
            "{}: no steps were recorded or could be inferred.",
            side.name
        );
        notes.push(Note::warning("steps-missing", text).with_code(recording::steps(side.session)));
    }
    if !rows.is_empty() {
        notes.push(Note::info("check-rule", rule(options, baseline, run_count)));
    }
    if rows.iter().any(|row| row.metric == "compilation_time") && run_count.is_none() {
        let assumed = options.run_noise.unwrap_or(ONCE_RATIO);
        notes.push(Note::info(
            "compilation-noise-assumed",
            format!(
            "Compilation time is measured once per run; the assumed noise between runs is {} (standard \
             deviation).",
            percent(assumed)
        )));
    }
    notes
}

/// The rule by which a budget is broken.
fn rule(options: &CheckOptions, baseline: BaselineKind, run_count: Option<usize>) -> String {
    let runs = match (options.run_noise, run_count) {
        (Some(ratio), _) => format!("noise between runs is {}, as given", percent(ratio)),
        (None, Some(count)) => format!(
            "noise between runs is estimated from the {} of the baseline",
            counted(count, "run")
        ),
        (None, None) => "noise between runs is 1 % or 1.5 standard deviations of the steps, \
                         whichever is larger, as in compare"
            .to_owned(),
    };
    let held = match baseline {
        BaselineKind::None => "Without a baseline",
        BaselineKind::Sessions => "Compared with the baseline",
        BaselineKind::History => "Compared with the history since its last change",
    };
    format!(
        "{held}, a budget is broken if the value and its whole interval of {} confidence are \
         beyond the limit; {runs}. Counted figures, such as bytes and launches, are exact.",
        percent(options.confidence)
    )
}
