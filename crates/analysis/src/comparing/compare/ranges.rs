//! Steps that do not overlap: every step of one session is longer than every step of the other.
//!
//! ```text
//! baseline    ● ●●   ●
//! other               ├─ gap ─┤ ●  ● ●    ●
//! p           2 ÷ (n + m choose n)       all n below all m, or vice versa
//! interval    differences of two steps, without the k smallest and largest (Hodges and Lehmann),
//!             widened by the minimum noise between runs
//! ```
//!
//! This is exact for steps of one run, whatever their distribution, but runs differ too: on a busy
//! machine, a third of the pairs of runs of one program have such steps in a window of five. So it
//! proves a difference only if counts show that different work ran ([`OtherWork`]) and if that can be
//! the cause (`Both::is_by_work`). Runs of one program never differ in these counts.

use super::noise::{Effect, FEWEST_STEPS, RunNoise, median, normal_quantile, rank_p_value};
use super::side::Side;
use crate::measuring::steps::mean;

/// Minimum change of mean counts, relative to the larger one, that is different work.
const MIN_COUNT_CHANGE: f64 = 0.1;
/// Minimum share of the work in ops that are new, gone or changed that is different work.
const MIN_CHANGED_SHARE: f64 = 0.1;

/// Exact evidence that the sessions did not run the same work on the same devices.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum OtherWork {
    /// Different chips, or a different number of them: before and after.
    Devices(String, String),
    /// Ops, kernels and copies per step and device: before and after.
    Launches(f64, f64),
    /// Share of the work in ops that are new, gone or changed.
    Ops(f64),
}

impl OtherWork {
    /// The first kind of evidence found. `changed_share` is the share of the work in ops that are new,
    /// gone or changed.
    pub(super) fn of(sides: [&Side<'_>; 2], changed_share: impl FnOnce() -> f64) -> Option<Self> {
        let [before, after] = sides.map(|side| side.environment.devices.as_str());
        let chips = sides.map(chips);
        if before != after && !before.is_empty() && !after.is_empty() {
            return Some(Self::Devices(before.to_owned(), after.to_owned()));
        }
        if chips[0] != chips[1] && chips.iter().all(|chip| !chip.is_empty()) {
            let [before, after] = chips;
            return Some(Self::Devices(before, after));
        }
        let counts = sides.map(Side::launches_by_step);
        if are_other_counts(&counts[0], &counts[1]) {
            let [before, after] = counts.map(|counts| mean(counts.iter().copied()).unwrap_or(0.0));
            return Some(Self::Launches(before, after));
        }
        let share = changed_share();
        (share >= MIN_CHANGED_SHARE).then_some(Self::Ops(share))
    }

    /// The difference in a sentence.
    pub(super) fn in_words(&self) -> String {
        match self {
            Self::Devices(before, after) => {
                format!("They ran on different devices: {after} instead of {before}.")
            }
            Self::Launches(before, after) => format!(
                "They did different work: {} instead of {} ops, kernels and copies per step and device.",
                number(*after),
                number(*before)
            ),
            Self::Ops(share) => format!(
                "They did different work: {} of it is in ops that are new, gone or changed.",
                crate::telling::format::percent(*share)
            ),
        }
    }
}

/// `24`, `1.5`.
pub(super) fn number(value: f64) -> String {
    if (value - value.round()).abs() < 0.005 {
        format!("{value:.0}")
    } else {
        format!("{value:.2}")
    }
}

fn chips(side: &Side<'_>) -> String {
    let names = side.environment.chips.iter().map(|chip| chip.name.as_str());
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    names.join(", ")
}

/// Whether counts differ in every step, and by enough to matter.
pub(super) fn are_other_counts(before: &[f64], after: &[f64]) -> bool {
    let [a, b] = [before, after].map(|counts| mean(counts.iter().copied()).unwrap_or(0.0));
    gap(before, after).is_some() && (b - a).abs() > MIN_COUNT_CHANGE * a.max(b)
}

/// The gap by which every value of one side exceeds every value of the other; none if they overlap.
pub(super) fn gap(before: &[f64], after: &[f64]) -> Option<f64> {
    let (low_before, high_before) = ends(before)?;
    let (low_after, high_after) = ends(after)?;
    let gap = (low_after - high_before).max(low_before - high_after);
    (gap > 0.0).then_some(gap)
}

/// Share of the pairs of steps in which the same side is longer, if steps hardly overlap.
const MOSTLY_APART: f64 = 0.99;

/// Medians of runs of one program differ by less than this factor: in the study, by up to 3.9.
const FAR: f64 = 5.0;

/// Whether one side's steps are nearly all longer than the other's.
pub(super) fn are_mostly_apart(before: &[f64], after: &[f64]) -> bool {
    let mut sorted = before.to_vec();
    sorted.sort_by(f64::total_cmp);
    let below = |value: f64| sorted.partition_point(|&one| one < value);
    let above = |value: f64| sorted.len() - sorted.partition_point(|&one| one <= value);
    let pairs = (before.len() * after.len()) as f64;
    let longer: usize = after.iter().map(|&value| below(value)).sum();
    let shorter: usize = after.iter().map(|&value| above(value)).sum();
    pairs > 0.0 && longer.max(shorter) as f64 >= MOSTLY_APART * pairs
}

/// Whether steps are so far apart as no two runs of one program were.
pub(crate) fn are_far_apart(before: &[f64], after: &[f64]) -> bool {
    let [a, b] = [before, after].map(median);
    a.min(b) > 0.0 && a.max(b) >= FAR * a.min(b) && are_mostly_apart(before, after)
}

/// The effect that steps without overlap prove, with its interval and p-value; none if they overlap or
/// are too few.
pub(crate) fn effect_of_ranges(
    before: &[f64],
    after: &[f64],
    noise: RunNoise,
    confidence: f64,
) -> Option<Effect> {
    if before.len() < FEWEST_STEPS || after.len() < FEWEST_STEPS {
        return None;
    }
    let chance = match gap(before, after) {
        Some(_) => 2.0 / choices(before.len(), after.len()),
        None if are_mostly_apart(before, after) => rank_p_value(before, after, 1.0),
        None => return None,
    };
    let means = (mean(before.iter().copied())?, mean(after.iter().copied())?);
    let run = noise.least(means.0.max(means.1), confidence) * std::f64::consts::SQRT_2;
    let pairs = before.iter().flat_map(|a| after.iter().map(move |b| b - a));
    let mut differences: Vec<f64> = pairs.collect();
    differences.sort_by(f64::total_cmp);
    let cut = cut(before.len(), after.len(), confidence).min((differences.len() - 1) / 2);
    let (low, high) = (differences[cut], differences[differences.len() - 1 - cut]);
    let difference = means.1 - means.0;
    Some(Effect {
        difference,
        // A time cannot be negative. A few long steps may move the mean past all that ranks show.
        low: (low - run).max(-means.0).min(difference),
        high: (high + run).max(difference),
        p_value: Some(chance),
    })
}

/// How many of the smallest and of the largest differences of two steps are outside the interval, by the
/// normal approximation of the ranks, which is accurate to one rank from four steps on.
fn cut(n: usize, m: usize, confidence: f64) -> usize {
    let pairs = u32::try_from(n.saturating_mul(m)).unwrap_or(u32::MAX);
    let (n, m) = (n as f64, m as f64);
    let spread = (n * m * (n + m + 1.0) / 12.0).sqrt();
    let rank = n * m / 2.0 - normal_quantile(f64::midpoint(confidence, 1.0)) * spread;
    (1..=pairs)
        .take_while(|&below| f64::from(below) < rank.round())
        .count()
}

fn ends(values: &[f64]) -> Option<(f64, f64)> {
    let low = values.iter().copied().reduce(f64::min)?;
    let high = values.iter().copied().reduce(f64::max)?;
    Some((low, high))
}

/// Ways to choose which of n + m steps are the n.
fn choices(n: usize, m: usize) -> f64 {
    (1..=n).fold(1.0, |ways, k| ways * (m + k) as f64 / k as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOISE: RunNoise = RunNoise {
        ratio: 0.01,
        spreads: 1.5,
    };

    #[test]
    fn five_steps_above_five_are_one_of_252_ways() {
        assert!((choices(5, 5) - 252.0).abs() < 1e-9);
        assert!((choices(4, 6) - 210.0).abs() < 1e-9);
        let (before, after) = (
            [18.0, 25.0, 20.0, 21.0, 20.5],
            [40.0, 58.0, 44.0, 46.0, 45.0],
        );
        let found = effect_of_ranges(&before, &after, NOISE, 0.95).expect("no overlap");
        assert!((found.p_value.expect("a chance") - 2.0 / 252.0).abs() < 1e-12);
        assert!((found.difference - 25.7).abs() < 1e-9);
        // The third of the 25 differences from either end: 19 (44 − 25) and 37.5 (58 − 20.5); plus the
        // minimum noise between runs, 1 % of 46.6 × 1.96 × √2.
        assert!((found.low - (19.0 - 1.292)).abs() < 1e-2, "{found:?}");
        assert!((found.high - (37.5 + 1.292)).abs() < 1e-2, "{found:?}");
        let faster = effect_of_ranges(&after, &before, NOISE, 0.95).expect("no overlap");
        assert!((faster.low + found.high).abs() < 1e-9);
    }

    #[test]
    fn as_many_differences_are_cut_as_the_tables_say() {
        // Critical values of U at 5 %, two-sided.
        for (n, m, critical) in [(4, 4, 0), (5, 5, 2), (6, 6, 5), (10, 12, 29), (20, 20, 127)] {
            assert_eq!(cut(n, m, 0.95), critical, "{n} and {m}");
        }
    }

    #[test]
    fn one_step_that_overlaps_proves_nothing() {
        let before = [18.0, 25.0, 20.0, 21.0, 41.0];
        assert_eq!(effect_of_ranges(&before, &[40.0; 5], NOISE, 0.95), None);
        assert_eq!(effect_of_ranges(&[1.0; 3], &[2.0; 3], NOISE, 0.95), None);
    }

    #[test]
    fn counts_differ_in_every_step_or_not_at_all() {
        assert!(are_other_counts(&[227.0; 5], &[2944.0, 2950.0]));
        assert!(!are_other_counts(&[227.0; 5], &[230.0; 5]), "1 %");
        assert!(!are_other_counts(&[227.0, 300.0], &[260.0, 400.0]));
        assert!(!are_other_counts(&[], &[1.0]));
    }

    /// The runs of `noise`: one program, on a busy machine.
    #[test]
    fn steps_of_one_program_are_often_apart() {
        let runs: Vec<Vec<f64>> =
            serde_json::from_str(include_str!("../../../tests/identical_runs.json"))
                .expect("durations");
        let window = |run: &[f64]| -> Vec<f64> { run.iter().copied().skip(3).take(5).collect() };
        let pairs = || runs.iter().zip(&runs[3..]);
        let apart = pairs().filter(|(a, b)| {
            let found = effect_of_ranges(&window(a), &window(b), NOISE, 0.95);
            found.is_some_and(|found| found.low > 0.0 || found.high < 0.0)
        });
        let share = apart.count() as f64 / pairs().count() as f64;
        assert!(share > 0.1, "{share}: ranges alone would do after all");
    }
}
