//! Why a session differs from the baseline, in plain words.

mod alike;
mod devices;
mod donation;
mod long_steps;
mod one_sided;
mod ops;
mod own_scopes;
mod parts;
mod programs;
mod waiting;

use super::cause::{MOST, cause, is_most_of, more_or_less, signed};
use super::lone_programs::LonePrograms;
use super::loops;
use super::memory;
use super::pair::Both;
use super::ranges::number;
use super::report::{
    BarKind, ComparedCause, ComparedFact, ComparedProgram, Evidence, TimeDifference, WaterfallBar,
};
use super::sizes;
use super::surroundings;
use super::waterfall::in_words;
use crate::measuring::steps::{PartKind, mean};
use crate::telling::format::duration_ps;
use alike::all_alike;
use devices::of_devices;
use donation::of_donation;
use long_steps::of_outliers;
use one_sided::one_sided;
use ops::{of_op, source};
use parts::of_parts;
use programs::{of_programs, recompiled};
use waiting::{Limits, of_waiting};

/// Maximum number of ops that are named as causes.
const NAMED_OPS: usize = 8;
/// What outlier steps add below this share of the difference of all steps is not a cause.
const LEAST_OF_OUTLIERS: f64 = 0.1;
/// A difference below this share of the step is not a cause.
const LEAST_RATIO: f64 = 0.002;

/// All causes, largest effect first; causes without a time come after those with one, unless others may
/// follow from them.
pub(super) fn causes<'a>(
    both: &Both<'_, '_>,
    step: Option<&TimeDifference>,
    bars: impl Iterator<Item = &'a WaterfallBar>,
    programs: &[ComparedProgram],
    environment: &[ComparedFact],
) -> Vec<ComparedCause> {
    // What others may follow from.
    let mut first: Vec<ComparedCause> = Vec::new();
    first.extend(surroundings::hardware_and_versions(environment));
    first.extend(surroundings::recording(environment));
    first.extend(step.and_then(|step| of_devices(both, step)));
    let has_devices = first.last().is_some_and(|cause| cause.kind == "device");
    let resized = sizes::of(both);
    let lone = LonePrograms::of(both);
    let mut causes = Vec::new();
    if let Some(step) = step {
        causes.extend(of_step(both, step, bars, &lone));
        // What differs between devices are no loops that run more often.
        if !has_devices {
            causes.extend(loops::causes(both));
        }
        // If the step clearly changed the other way, or by much more, a shift of most ops does not
        // explain it.
        let explains =
            |change_ps: f64| !is_large(both, step) || is_most_of(change_ps, step.difference_ps);
        let alike = all_alike(both).filter(|(_, change_ps)| explains(*change_ps));
        causes.extend(alike.map(|(cause, _)| cause).filter(|_| resized.is_empty()));
        causes.extend(launches(both).filter(|_| !has_devices));
    }
    causes.extend(recompiled(both));
    causes.extend(memory::causes(both));
    causes.extend(of_programs(both, programs));
    if step.is_none() {
        causes.extend(lone.causes(both, None));
    }
    let direction = step.filter(|step| is_large(both, step));
    largest_first(&mut causes, direction.map(|step| step.difference_ps));
    first.extend(resized);
    first.extend(of_donation(both));
    causes.splice(0..0, first);
    causes.extend(surroundings::options(environment));
    causes
}

/// Largest first. Of a large difference, those against its direction after those along it.
fn largest_first(causes: &mut [ComparedCause], direction: Option<f64>) {
    let weight = |cause: &ComparedCause| cause.difference_ps.map_or(-1.0, f64::abs);
    let is_against = |cause: &ComparedCause| {
        let both = cause.difference_ps.zip(direction);
        !cause.kind.starts_with("outlier") && both.is_some_and(|(one, all)| one * all < 0.0)
    };
    causes.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
    // What has no time comes after both.
    causes.sort_by_key(|cause| cause.difference_ps.is_some() && is_against(cause));
    causes.sort_by_key(|cause| cause.difference_ps.is_none());
}

/// Causes with a time per step.
fn of_step<'a>(
    both: &Both<'_, '_>,
    step: &TimeDifference,
    bars: impl Iterator<Item = &'a WaterfallBar>,
    lone: &LonePrograms<'_>,
) -> Vec<ComparedCause> {
    let least_ps = LEAST_RATIO * both.sides[0].typical_step_ps().unwrap_or(0.0);
    let is_large = is_large(both, step);
    let limits = Limits {
        least_ps,
        large_ps: is_large.then_some(step.difference_ps),
    };
    let (waiting, others): (Vec<&WaterfallBar>, Vec<&WaterfallBar>) =
        bars.partition(|bar| is_waiting(bar.kind));
    // What is there in some steps only, such as a copy of the results, varies as much as it changes.
    let is_most = |bar: &&WaterfallBar| is_most_of(bar.difference_ps, step.difference_ps);
    let mut causes: Vec<ComparedCause> = others
        .into_iter()
        .filter(|bar| bar.difference_ps.abs() >= least_ps)
        .filter(|bar| bar.evidence != Evidence::WithinNoise || is_large && is_most(bar))
        .filter(|bar| !bar.kind.is_of_outliers() || matters(both, bar))
        .filter_map(|bar| of_bar(both, bar))
        .collect();
    causes.extend(of_waiting(both, &waiting, &limits));
    causes.extend(one_sided(both, lone, least_ps));
    largest_first(&mut causes, limits.large_ps);
    let mut ops = 0;
    causes.retain(|cause| {
        ops += usize::from(cause.op.is_some());
        cause.op.is_none() || ops <= NAMED_OPS
    });
    causes.extend(lone.causes(both, Some(step)));
    causes.extend(of_parts(both, &causes, least_ps));
    causes
}

const fn is_waiting(kind: BarKind) -> bool {
    matches!(
        kind,
        BarKind::InputWait | BarKind::Compilation | BarKind::HostOverhead | BarKind::Idle
    )
}

/// Whether the steps differ so much that a reader asks why, though noise may explain it: beyond noise,
/// without overlap, or by as much as half a step.
fn is_large(both: &Both<'_, '_>, step: &TimeDifference) -> bool {
    step.evidence == Evidence::BeyondNoise
        || both.are_apart()
        || step.ratio.is_some_and(|ratio| ratio.abs() >= MOST)
}

/// Whether what outlier steps add is a part of the difference of all steps that is worth a line: the
/// result excludes them.
fn matters(both: &Both<'_, '_>, bar: &WaterfallBar) -> bool {
    let all = both.sides.map(|side| {
        let steps = side.all_durations();
        mean(steps.into_iter()).unwrap_or(0.0)
    });
    bar.difference_ps.abs() >= LEAST_OF_OUTLIERS * (all[1] - all[0]).abs()
}

fn of_bar(both: &Both<'_, '_>, bar: &WaterfallBar) -> Option<ComparedCause> {
    let (kind, text) = match bar.kind {
        BarKind::Op => of_op(both, bar)?,
        BarKind::Overlap if bar.part == Some(PartKind::DeviceCompute) => (
            "concurrency",
            format!(
                "ops overlap each other {}: {} per step",
                more_or_less(-bar.difference_ps),
                signed(bar.difference_ps)
            ),
        ),
        BarKind::Overlap => ("overlap", overlap(both, bar)),
        BarKind::OutlierCompilation => (
            "outlier_compilation",
            format!(
                "compilation in outlier steps, which the result excludes: {} per step on average",
                signed(bar.difference_ps)
            ),
        ),
        BarKind::OutlierSteps => ("outlier_steps", of_outliers(both, bar)),
        _ => return None,
    };
    Some(ComparedCause {
        op: bar.op,
        evidence: Some(bar.evidence),
        source: bar.op.map_or_else(String::new, |op| source(both, op)),
        ..cause(kind, text, Some(bar.difference_ps))
    })
}

/// How the exposed part of copies or communication changed because more or less of it is hidden. Where it
/// changed the other way in all, that is said, too.
fn overlap(both: &Both<'_, '_>, bar: &WaterfallBar) -> String {
    let all_ps = bar.part.map_or(0.0, |part| both.part(part).difference_ps);
    let overlap = format!(
        "{}: {} overlap with computation",
        bar.part.map_or("", in_words),
        more_or_less(-bar.difference_ps)
    );
    if all_ps * bar.difference_ps >= 0.0 {
        return format!(
            "{overlap}, {} {} exposed per step",
            duration_ps(bar.difference_ps.abs()),
            more_or_less(bar.difference_ps)
        );
    }
    format!(
        "{overlap} ({} per step), but what is exposed changes by {} per step in all",
        signed(bar.difference_ps),
        signed(all_ps)
    )
}

fn launches(both: &Both<'_, '_>) -> Option<ComparedCause> {
    let (a, b) = (both.sides[0].launches()?, both.sides[1].launches()?);
    ((a - b).abs() > 0.02 * a.max(b)).then(|| {
        let text = format!(
            "{} instead of {} ops, kernels and copies run per step and device",
            number(b),
            number(a)
        );
        cause("launches", text, None)
    })
}
