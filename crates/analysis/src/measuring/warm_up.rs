//! Warm-up: first steps that compile what all steps run. A recording that begins with the program has
//! them, and they take seconds where later ones take milliseconds, so that a mean over all steps
//! describes neither. Statistics exclude them unless they are selected.

use std::collections::BTreeMap;

use stepscope_model::{Activity, SaturatingSum as _, Session, Span, Step, StringId};

use super::activity::{COMPILATION, Loops, host_times};
use super::work::NO_LEVEL;

/// The first call compiles, and the second may again: its arguments are results of the first, with
/// other layouts or shardings. A function that compiles for longer does so for another reason.
const MOST: usize = 2;
/// A step that is hardly longer than the others does not distort their mean.
const LONGER: f64 = 1.5;
/// Share of what a step takes beyond the others that compilation has to be.
const EXPLAINED: f64 = 0.5;
/// As many steps have to remain.
const REMAINING: usize = 3;
/// A later step with this share of what the first one takes beyond the others is like it.
const ALIKE: f64 = 0.5;
/// Where this share of the steps after it are like a first step, it is like others, too.
const RECURRING: f64 = 0.25;

/// A step that warms up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WarmUpStep {
    /// Position in `Session::steps`.
    pub(crate) position: usize,
    /// How long its host compiles in it: the host that compiles longest.
    pub(crate) compilation_ps: i64,
}

/// The steps of each series that warm up, ascending.
#[derive(Default)]
pub(crate) struct WarmUp(BTreeMap<Option<StringId>, Vec<WarmUpStep>>);

impl WarmUp {
    /// Those of a session, found once.
    pub(crate) fn of(session: &Session) -> std::sync::Arc<Self> {
        session.memo.get_or_compute(|| find(session))
    }

    /// The steps of a series that warm up.
    pub(crate) fn of_series(&self, series: Option<StringId>) -> &[WarmUpStep] {
        self.0.get(&series).map_or(&[], Vec::as_slice)
    }

    /// Whether a step warms up.
    pub(crate) fn has(&self, position: usize) -> bool {
        let mut all = self.0.values().flatten();
        all.any(|step| step.position == position)
    }
}

fn find(session: &Session) -> WarmUp {
    let mut series: BTreeMap<Option<StringId>, Vec<usize>> = BTreeMap::new();
    let whole = session.steps.iter().enumerate();
    for (position, step) in whole.filter(|(_, step)| !step.is_cut) {
        series.entry(step.series).or_default().push(position);
    }
    let found = series
        .into_iter()
        .map(|(series, steps)| (series, first_that_compile(session, series, &steps)));
    WarmUp(found.filter(|(_, steps)| !steps.is_empty()).collect())
}

fn first_that_compile(
    session: &Session,
    series: Option<StringId>,
    steps: &[usize],
) -> Vec<WarmUpStep> {
    let mut found = Vec::new();
    for (index, &position) in steps.iter().enumerate().take(MOST) {
        let rest = &steps[index + 1..];
        if rest.len() < REMAINING {
            break;
        }
        let usual_ps = median_ps(session, rest);
        let own_ps = longest_ps(&session.steps[position]) as f64;
        let excess_ps = own_ps - usual_ps;
        let is_alike =
            |step: usize| longest_ps(&session.steps[step]) as f64 >= usual_ps + excess_ps * ALIKE;
        let alike = rest.iter().filter(|&&step| is_alike(step)).count();
        if own_ps < LONGER * usual_ps || alike as f64 >= RECURRING * rest.len() as f64 {
            break;
        }
        let compilation_ps = compilation_ps(session, series, position);
        if (compilation_ps as f64) < EXPLAINED * excess_ps {
            break;
        }
        found.push(WarmUpStep {
            position,
            compilation_ps,
        });
    }
    found
}

/// A step's time: the longest of those that hosts and devices have of it.
fn longest_ps(step: &Step) -> i64 {
    let lengths = step.spans.iter().map(|on| on.span.duration().0);
    lengths.max().unwrap_or(0)
}

fn median_ps(session: &Session, steps: &[usize]) -> f64 {
    let mut lengths: Vec<i64> = steps
        .iter()
        .map(|&position| longest_ps(&session.steps[position]))
        .collect();
    lengths.sort_unstable();
    lengths.get(lengths.len() / 2).map_or(0.0, |&ps| ps as f64)
}

/// How long any thread of the host that compiles longest does so within a step.
fn compilation_ps(session: &Session, series: Option<StringId>, position: usize) -> i64 {
    let spans = &session.steps[position].spans;
    let mut windows: BTreeMap<_, Span> = BTreeMap::new();
    for on in spans {
        let own = windows.entry(on.host).or_insert(on.span);
        *own = own.hull(on.span);
    }
    let of_host = |(&host, &window): (&_, &Span)| {
        let times = host_times(
            session,
            (&[host], Loops::Of(series)),
            &[window],
            level_of,
            LEVELS,
        );
        let compiled = times
            .into_iter()
            .filter_map(|(_, levels)| levels.into_iter().next());
        compiled
            .map(|times| times.duration_within(window).0)
            .saturating_sum()
    };
    windows.iter().map(of_host).max().unwrap_or(0)
}

const LEVELS: usize = 4;

const fn level_of(activity: Activity) -> u8 {
    match activity {
        Activity::Compile(_) => COMPILATION,
        _ => NO_LEVEL,
    }
}
