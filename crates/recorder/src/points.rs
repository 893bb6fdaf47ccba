//! The steps of all ranks as the points of a chart: a step takes as long as its slowest rank, and in
//! a long run several steps share a point, which keeps the longest of them.

use std::collections::BTreeMap;

use crate::report::RunPoint;
use crate::ring::RingStep;

/// As many as a chart has pixels.
pub(crate) const POINTS_MAX: usize = 1200;
const PS_PER_NS: u64 = 1000;
const NS_PER_MS: i64 = 1_000_000;

/// A step on its slowest rank.
#[derive(Debug, Clone, Copy)]
struct Slowest {
    step: i64,
    rank: u32,
    step_ns: u64,
    /// When the last rank ended it.
    ended_ns: i64,
}

/// What a run's rings say.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct RunSteps {
    pub(crate) count: u32,
    pub(crate) median_ps: Option<u64>,
    pub(crate) points: Vec<RunPoint>,
}

/// The steps of ranks, each with the rank's number.
pub(crate) fn run_steps(ranks: &[(u32, Vec<RingStep>)]) -> RunSteps {
    let steps = slowest(ranks);
    let size = steps.len().div_ceil(POINTS_MAX).max(1);
    RunSteps {
        count: u32::try_from(steps.len()).unwrap_or(u32::MAX),
        median_ps: median_ps(&steps),
        points: steps.chunks(size).filter_map(point).collect(),
    }
}

/// Each step once, in the order in which they ended.
fn slowest(ranks: &[(u32, Vec<RingStep>)]) -> Vec<Slowest> {
    let mut by_step: BTreeMap<i64, Slowest> = BTreeMap::new();
    for (rank, steps) in ranks {
        // The time of the first record includes the start of the program.
        for one in steps.iter().filter(|one| one.number > 1) {
            let own = Slowest {
                step: one.step,
                rank: *rank,
                step_ns: one.step_ns,
                ended_ns: one.ended_ns,
            };
            let known = by_step.entry(one.step).or_insert(own);
            let ended_ns = known.ended_ns.max(own.ended_ns);
            if own.step_ns > known.step_ns {
                *known = own;
            }
            known.ended_ns = ended_ns;
        }
    }
    let mut steps: Vec<Slowest> = by_step.into_values().collect();
    steps.sort_by_key(|step| step.ended_ns);
    steps
}

fn point(steps: &[Slowest]) -> Option<RunPoint> {
    let (first, last) = (steps.first()?, steps.last()?);
    // The earliest of equally long ones.
    let longest = steps
        .iter()
        .rev()
        .max_by_key(|step| step.step_ns)
        .unwrap_or(first);
    Some(RunPoint {
        step_first: first.step,
        step_last: last.step,
        ended_epoch_ms: u64::try_from(last.ended_ns / NS_PER_MS).unwrap_or_default(),
        median_ps: median_ps(steps)?,
        longest_ps: picos_from_nanos(longest.step_ns),
        longest_step: longest.step,
        longest_rank: longest.rank,
    })
}

/// The middle time, the lower of two.
fn median_ps(steps: &[Slowest]) -> Option<u64> {
    let mut times: Vec<u64> = steps.iter().map(|step| step.step_ns).collect();
    times.sort_unstable();
    let middle = times.len().checked_sub(1)? / 2;
    times.get(middle).copied().map(picos_from_nanos)
}

fn picos_from_nanos(ns: u64) -> u64 {
    ns.saturating_mul(PS_PER_NS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(number: u64, step: i64, ended_ms: i64, step_ns: u64) -> RingStep {
        RingStep {
            number,
            step,
            ended_ns: ended_ms * NS_PER_MS,
            step_ns,
        }
    }

    #[test]
    fn a_step_takes_as_long_as_its_slowest_rank() {
        let ranks = [
            (
                0,
                vec![step(1, 0, 1, 900), step(2, 1, 2, 10), step(3, 2, 3, 40)],
            ),
            (
                7,
                vec![step(1, 0, 1, 800), step(2, 1, 4, 30), step(3, 2, 5, 20)],
            ),
        ];
        let found = run_steps(&ranks);
        assert_eq!((found.count, found.median_ps), (2, Some(30_000)));
        let told: Vec<_> = found
            .points
            .iter()
            .map(|one| {
                (
                    one.longest_step,
                    one.longest_ps,
                    one.longest_rank,
                    one.ended_epoch_ms,
                )
            })
            .collect();
        assert_eq!(told, [(1, 30_000, 7, 4), (2, 40_000, 0, 5)]);
        assert_eq!(run_steps(&[]), RunSteps::default());
    }

    #[test]
    fn a_long_run_has_few_points_and_loses_no_outlier() {
        let steps = (0..65_536_i64).map(|index| {
            let number = u64::try_from(index).expect("positive") + 2;
            step(
                number,
                index,
                index,
                if index == 40_000 { 5_000 } else { 10 },
            )
        });
        let found = run_steps(&[(0, steps.collect())]);
        assert_eq!(found.count, 65_536);
        assert!(found.points.len() <= POINTS_MAX, "{}", found.points.len());
        let all = found.points.iter();
        let covered: i64 = all.map(|one| one.step_last - one.step_first + 1).sum();
        assert_eq!(covered, 65_536);
        let outliers: Vec<_> = found
            .points
            .iter()
            .filter(|one| one.longest_ps != one.median_ps)
            .collect();
        assert_eq!(outliers.len(), 1);
        assert_eq!(
            (outliers[0].longest_step, outliers[0].median_ps),
            (40_000, 10_000)
        );
    }
}
