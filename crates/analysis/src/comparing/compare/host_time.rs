//! What hosts did in the gaps of the typical steps, or of the outliers, and where.

use std::collections::BTreeMap;

use super::side::Side;
use crate::measuring::activity::{CAUSES, Cause};
use crate::measuring::steps::{StepParts, divide_steps};
use crate::telling::places::python_function;
use crate::views::idle::{GapRow, OWN_CODE};

/// Time by cause, in the order of [`CAUSES`].
pub(super) type ByCause = [f64; CAUSES.len()];

/// Which steps count: those that are outliers, or the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Steps {
    Typical,
    Outliers,
}

impl Steps {
    const fn of(is_outlier: bool) -> Self {
        if is_outlier {
            Self::Outliers
        } else {
            Self::Typical
        }
    }
}

/// These steps on each device, by step.
pub(super) fn rows(side: &Side<'_>, steps: Steps) -> Vec<Vec<StepParts>> {
    let divided = divide_steps(side.session, &side.selected);
    let of_steps = divided.rows.chunk_by(|a, b| a.step == b.step);
    let wanted = of_steps
        .zip(&side.steps)
        .filter(|(_, bar)| Steps::of(bar.is_outlier) == steps);
    wanted.map(|(rows, _)| rows.to_vec()).collect()
}

/// What hosts did during the listed gaps: mean over devices and these steps.
pub(super) fn by_cause(side: &Side<'_>, steps: Steps) -> ByCause {
    let rows = rows(side, steps);
    let places: BTreeMap<usize, usize> =
        rows.iter().map(|rows| (rows[0].step, rows.len())).collect();
    let mut sums = [0.0; CAUSES.len()];
    for of_step in side.details.causes(side.session, &side.selected) {
        let Some(&places) = places.get(&of_step.step) else {
            continue;
        };
        for (sum, time) in sums.iter_mut().zip(of_step.causes_ps) {
            *sum += time as f64 / places as f64;
        }
    }
    sums.map(|sum| sum / rows.len().max(1) as f64)
}

/// Where the host was in the listed gaps with such causes: by function, annotation or call, mean over
/// devices and these steps.
pub(super) fn by_place(
    side: &Side<'_>,
    steps: Steps,
    counts: impl Fn(Cause) -> bool,
) -> BTreeMap<String, f64> {
    let all = side.steps.iter().zip(&side.ends_ps);
    let wanted: Vec<(i64, i64)> = all
        .filter(|(bar, _)| Steps::of(bar.is_outlier) == steps)
        .map(|(bar, &end_ps)| (bar.start_ps, end_ps))
        .collect();
    let devices = side.selected.main_devices.len().max(1);
    let share = 1.0 / (wanted.len().max(1) * devices) as f64;
    let is_in_one = |at_ps: i64| {
        let next = wanted.partition_point(|(start_ps, _)| *start_ps <= at_ps);
        let found = next.checked_sub(1).map(|at| wanted[at]);
        found.is_some_and(|(_, end_ps)| at_ps < end_ps)
    };
    let mut times: BTreeMap<String, f64> = BTreeMap::new();
    for gap in side.details.gaps(side.session, &side.selected) {
        let middle_ps = gap.start_ps.saturating_add(gap.duration_ps / 2);
        if counts(gap.cause) && is_in_one(middle_ps) {
            *times.entry(place(gap)).or_default() += share * gap.cause_ps as f64;
        }
    }
    times
}

/// The place whose time changed most, in this direction, with its change; none if it is not known.
pub(super) fn most_changed(
    [before, after]: [BTreeMap<String, f64>; 2],
    direction: f64,
) -> Option<(String, f64)> {
    let mut changes = after;
    for (place, time) in before {
        *changes.entry(place).or_default() -= time;
    }
    changes.remove("");
    let same_way = changes
        .into_iter()
        .filter(|(_, change)| change * direction > 0.0);
    same_way.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()).then(b.0.cmp(&a.0)))
}

/// Where the host was in a gap: the function, else the annotation or the call; empty if none is known.
fn place(gap: &GapRow) -> String {
    match python_function(&gap.python) {
        Some(function) => function,
        None if !gap.annotation.is_empty() => gap.annotation.clone(),
        None if gap.what == OWN_CODE => String::new(),
        None => gap.what.clone(),
    }
}
