//! Series of figures over runs, and their change points.

use super::changes::{LONGEST, change_points};
use super::groups::Group;
use super::report::{HistoryChange, HistoryGroup, HistorySeries};
use super::sample::{Sample, is_counted};
use crate::asking::AnalysisError;
use crate::comparing::check::words::{figure, signed, signed_percent};
use crate::comparing::check::{FigureUnit, METRICS, Metric};
use crate::comparing::compare::noise::{median, spread};
use crate::telling::format::counted;

/// All series, by group, changed ones first, and all change points, latest first.
pub(super) struct Found {
    pub(super) series: Vec<HistorySeries>,
    pub(super) changes: Vec<HistoryChange>,
}

type Samples = [(String, Sample)];

/// The series of the requested figures, or of all figures if none is requested.
pub(super) fn all(
    samples: &Samples,
    groups: &[Group<'_>],
    wanted: &[String],
    confidence: f64,
) -> Result<Found, AnalysisError> {
    let names = names(samples);
    if let Some(missing) = wanted.iter().find(|name| !names.contains(name)) {
        return Err(AnalysisError::NothingSelected {
            what: format!("--metric {missing}"),
            available: names.join(", "),
        });
    }
    let mut found = Found {
        series: Vec::new(),
        changes: Vec::new(),
    };
    for (position, group) in groups.iter().enumerate() {
        let runs = Runs {
            samples,
            members: &group.members,
            group: position,
        };
        for name in &names {
            if wanted.is_empty() || wanted.contains(name) {
                let (series, changes) = runs.series(name, confidence);
                found.series.extend(series);
                found.changes.extend(changes);
            }
        }
    }
    // Both sorts keep the order of metrics among equals.
    found
        .series
        .sort_by_key(|series| (series.group, series.change_count == 0));
    found
        .changes
        .sort_by_key(|change| std::cmp::Reverse(change.run));
    Ok(found)
}

/// Names of figures: those of `check` in its order, then the others.
fn names(samples: &Samples) -> Vec<String> {
    let recorded = samples.iter().flat_map(|(_, sample)| sample.figures.keys());
    let mut recorded: Vec<&String> = recorded.collect();
    recorded.sort_unstable();
    recorded.dedup();
    let position = |name: &str| METRICS.iter().position(|known| known.name == name);
    recorded.sort_by_key(|name| position(name).unwrap_or(METRICS.len()));
    recorded.into_iter().cloned().collect()
}

/// The runs of a group.
struct Runs<'a> {
    samples: &'a Samples,
    /// Their positions among all runs, ascending.
    members: &'a [usize],
    group: usize,
}

impl Runs<'_> {
    fn series(&self, name: &str, confidence: f64) -> (Option<HistorySeries>, Vec<HistoryChange>) {
        let figures = self.members.iter();
        let figures =
            figures.filter_map(|&run| Some((run, self.samples[run].1.figures.get(name)?)));
        let figures: Vec<_> = figures.collect();
        // Values in another unit than the latest belong to another figure.
        let Some(unit) = figures.last().map(|(_, figure)| figure.unit) else {
            return (None, Vec::new());
        };
        let (places, values): (Vec<usize>, Vec<f64>) = figures
            .into_iter()
            .filter(|(_, figure)| figure.unit == unit)
            .map(|(run, figure)| (run, figure.value))
            .unzip();
        let metric = Metric::of(name);
        let is_better_higher = metric.as_ref().is_some_and(Metric::is_better_higher);
        let points = change_points(&values, is_counted(unit), confidence);
        let mut bounds = vec![0];
        bounds.extend(points.iter().map(|point| point.at));
        bounds.push(values.len());
        let level = |segment: usize| &values[bounds[segment]..bounds[segment + 1]];
        let changes = points.iter().enumerate().map(|(index, point)| {
            self.change(&Moved {
                metric: name,
                unit,
                run: places[point.at],
                before: median(level(index)),
                after: median(level(index + 1)),
                is_better_higher,
                p_value: point.p_value,
            })
        });
        let changes: Vec<HistoryChange> = changes.collect();
        let last_level = level(points.len());
        let mut by_run = vec![None; self.samples.len()];
        for (&run, &value) in places.iter().zip(&values) {
            by_run[run] = Some(value);
        }
        let series = HistorySeries {
            group: self.group,
            metric: name.to_owned(),
            title: metric.map_or_else(|| name.to_owned(), |metric| metric.title()),
            unit,
            is_better_higher,
            values: by_run,
            run_count: values.len(),
            last: values.last().copied().unwrap_or(0.0),
            level: median(last_level),
            spread: (last_level.len() > 1).then(|| spread(last_level)),
            level_run_count: last_level.len(),
            change_count: points.len(),
        };
        (Some(series), changes)
    }

    fn change(&self, moved: &Moved<'_>) -> HistoryChange {
        let &Moved {
            metric,
            unit,
            run,
            before,
            after,
            ..
        } = moved;
        let sample = &self.samples[run].1;
        let previous = self.members.iter().rev().find(|&&member| member < run);
        let previous = previous.map(|&previous| &self.samples[previous].1);
        let ratio = (before > 0.0).then(|| (after - before) / before);
        let size = ratio.map_or_else(|| signed(after - before, unit), signed_percent);
        let is_worse = (after > before) != moved.is_better_higher;
        let commit = if sample.commit.is_empty() {
            String::new()
        } else {
            format!(" (commit {})", short(&sample.commit))
        };
        let how_sure = match moved.p_value {
            Some(p) if p <= 0.001 => "chance explains it in at most 1 of 1000 cases".to_owned(),
            Some(p) => format!("chance explains it in {:.0} of 1000 cases", p * 1000.0),
            None => "it was constant before".to_owned(),
        };
        HistoryChange {
            group: self.group,
            metric: metric.to_owned(),
            unit,
            run,
            run_name: sample.run.clone(),
            commit: sample.commit.clone(),
            previous_commit: previous.map_or_else(String::new, |one| one.commit.clone()),
            before,
            after,
            ratio,
            is_worse,
            p_value: moved.p_value,
            text: format!(
                "{metric} {} → {} ({size}), {} since {}{commit}; {how_sure}.",
                figure(before, unit),
                figure(after, unit),
                if is_worse { "worse" } else { "better" },
                sample.run
            ),
        }
    }
}

/// A figure that moved to a new level at a run.
struct Moved<'a> {
    metric: &'a str,
    unit: FigureUnit,
    run: usize,
    before: f64,
    after: f64,
    is_better_higher: bool,
    p_value: Option<f64>,
}

/// A full commit hash is shortened to 10 digits, as Git does.
fn short(commit: &str) -> &str {
    let is_hash = commit.len() >= 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash { &commit[..10] } else { commit }
}

/// The answer for a group in a sentence.
pub(super) fn conclusion(found: &Found, group: usize, run_count: usize) -> String {
    let own = found.series.iter().filter(|series| series.group == group);
    let own: Vec<&HistorySeries> = own.collect();
    let changed = own.iter().filter(|series| series.change_count > 0);
    let changed: Vec<&str> = changed.map(|series| series.metric.as_str()).collect();
    let of = format!(
        "{} over {}",
        counted(own.len(), "figure"),
        counted(run_count, "run")
    );
    let longer = if run_count > LONGEST {
        format!(" (the last {LONGEST} are analyzed)")
    } else {
        String::new()
    };
    if run_count == 1 {
        return "A single run: nothing to compare it with.".to_owned();
    }
    if changed.is_empty() {
        return format!("None of {of}{longer} changed.");
    }
    format!(
        "{} of {of}{longer} changed: {}.",
        changed.len(),
        changed.join(", ")
    )
}

/// The answer for all groups in a sentence or two.
pub(super) fn overall(groups: &[HistoryGroup], changes: &[HistoryChange]) -> String {
    if let [only] = groups {
        return format!("{}: {}", only.name, only.conclusion);
    }
    let runs: usize = groups.iter().map(|group| group.run_count).sum();
    let several = groups.iter().filter(|group| group.run_count > 1).count();
    let what = format!(
        "{} of {} on different programs or devices",
        counted(runs, "run"),
        counted(groups.len(), "workload")
    );
    if several == 0 {
        return format!("{what}: no two can be compared.");
    }
    let mut places: Vec<usize> = changes.iter().map(|change| change.group).collect();
    places.sort_unstable();
    places.dedup();
    let told = match places.as_slice() {
        [] => "none changed".to_owned(),
        groups_changed => {
            let names = groups_changed
                .iter()
                .map(|&group| groups[group].name.as_str());
            format!(
                "figures changed for {}",
                names.collect::<Vec<_>>().join(", ")
            )
        }
    };
    format!("{what}, each compared with itself only: {told}.")
}
