//! Whether a value beyond its limit is more than noise.
//!
//! ```text
//!                limit
//!   baseline ──────┼────────────►          passed          the value is within the limit
//!        ●         │
//!             ├────┼──●───────┤            within noise    it is beyond, its interval reaches back
//!                  │ ├────●────┤           broken          its whole interval is beyond the limit
//! ```
//!
//! | measured | interval of the value |
//! |---|---|
//! | mean of steps, one baseline | as in `compare`: from steps, correlated neighboring steps, and noise between runs, and the ranks of the steps have to agree; or, if different work ran and no steps overlap, from the ranges |
//! | percentile of steps | from order statistics of both sides, and noise between runs |
//! | once per run (compilation time) | from noise between runs: [`ONCE_RATIO`] unless given |
//! | counted (bytes, launches) | none: the value is exact |
//! | any, with three or more baselines or a history | from the differences between runs, by Student's t-distribution, and the steps of the checked session |

use super::budget::Budget;
use super::figures::{Measured, PERCENTILE, Samples};
use super::report::{CheckVerdict, FigureUnit};
use crate::comparing::compare::noise::{
    Effect, FEWEST_RUNS, FEWEST_STEPS, RunNoise, effect_beyond, effect_of_runs, interval, median,
    quantile_interval, spread,
};
use crate::comparing::compare::{are_far_apart, effect_of_ranges};

/// Noise between runs of a time that is measured once per run, ÷ the time. This is an assumption:
/// observed compilations differed by less.
pub(super) const ONCE_RATIO: f64 = 0.1;

/// How intervals are computed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Judge {
    pub(super) noise: RunNoise,
    /// Whether noise between runs was given.
    pub(super) is_known: bool,
    pub(super) confidence: f64,
}

/// What a value is compared with.
pub(super) enum Against<'a> {
    Nothing,
    /// One run, and whether counts show different work that can be why the value differs.
    One(&'a Measured, bool),
    /// The values of several runs.
    Runs(Vec<f64>),
}

/// Why a budget cannot be checked, with the value if there is one.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Unknown {
    /// The session does not have the figure.
    NotMeasured,
    /// The figure depends on step times, which were not recorded.
    NoStepTime,
    /// No baseline has the figure.
    NoBaseline(f64),
    /// This number of steps is too small to decide.
    TooFewSteps(f64, usize),
    /// The figures come from different sources.
    OtherSource(f64, String),
    /// The steps of both are not the same unit of work; why, in a sentence.
    OtherUnit(f64, String),
}

/// Result for a budget that could be checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Judged {
    pub(super) verdict: CheckVerdict,
    pub(super) baseline: Option<f64>,
    pub(super) limit: f64,
    pub(super) value: f64,
    pub(super) low: Option<f64>,
    pub(super) high: Option<f64>,
    /// Whether the interval alone says broken, but the ranks of the steps do not.
    pub(super) do_ranks_differ: bool,
}

/// Ends of the interval of a value, and the probability that noise alone goes this far beyond the limit.
struct Reach {
    low: Option<f64>,
    high: Option<f64>,
    p_value: Option<f64>,
}

impl Against<'_> {
    fn center(&self) -> Option<f64> {
        match self {
            Self::Nothing => None,
            Self::One(measured, _) => Some(measured.value),
            Self::Runs(runs) => (!runs.is_empty()).then(|| median(runs)),
        }
    }
}

impl Judge {
    pub(super) fn judge(
        &self,
        budget: &Budget,
        checked: &Measured,
        against: &Against<'_>,
    ) -> Result<Judged, Unknown> {
        let value = checked.value;
        let baseline = against.center();
        let Some(limit) = budget.limit.figure(baseline) else {
            return Err(Unknown::NoBaseline(value));
        };
        let is_higher = budget.metric.is_better_higher();
        let is_beyond = if is_higher {
            value < limit
        } else {
            value > limit
        };
        let reach = match too_few_steps(checked, against, budget.needs_baseline()) {
            // A value within its limit passes whether or not it is noise.
            Some(_) if !is_beyond => Reach::UNKNOWN,
            Some(count) => return Err(Unknown::TooFewSteps(value, count)),
            None => self.reach(checked, against, baseline, limit),
        };
        let reach = reach.within_bounds(budget.metric.unit());
        let near = if is_higher { reach.high } else { reach.low };
        let is_near_beyond = near.is_some_and(|near| {
            if is_higher {
                near < limit
            } else {
                near > limit
            }
        });
        let is_rare = reach.p_value.is_none_or(|p| p <= 1.0 - self.confidence);
        Ok(Judged {
            verdict: match (is_beyond, is_near_beyond && is_rare) {
                (false, _) => CheckVerdict::Passed,
                (true, true) => CheckVerdict::Broken,
                (true, false) => CheckVerdict::WithinNoise,
            },
            baseline,
            limit,
            value,
            low: reach.low,
            high: reach.high,
            do_ranks_differ: is_beyond && is_near_beyond && !is_rare,
        })
    }

    fn reach(
        &self,
        checked: &Measured,
        against: &Against<'_>,
        baseline: Option<f64>,
        limit: f64,
    ) -> Reach {
        let value = checked.value;
        let margin = limit - baseline.unwrap_or(0.0);
        match (against, &checked.samples) {
            (Against::Runs(runs), samples) if !runs.is_empty() => {
                self.of_runs(runs, value, samples, margin)
            }
            (Against::One(base, is_by_work), Samples::Mean(other)) => {
                let Samples::Mean(before) = &base.samples else {
                    return Reach::exactly(value);
                };
                if let Some(reach) = Reach::of_something_new(before, other) {
                    return reach;
                }
                let found = effect_beyond(before, other, margin, self.noise, self.confidence);
                let may_show = self.leaves_open(&found, margin)
                    && (*is_by_work || are_far_apart(before, other));
                let exact = || effect_of_ranges(before, other, self.noise, self.confidence);
                let found = may_show.then(exact).flatten().unwrap_or(found);
                Reach {
                    low: Some(base.value + found.low),
                    high: Some(base.value + found.high),
                    p_value: found.p_value,
                }
            }
            (_, Samples::Mean(other)) => {
                let (low, high) = interval(other, self.noise, self.confidence);
                Reach {
                    low: Some(low),
                    high: Some(high),
                    p_value: None,
                }
            }
            (Against::One(base, _), Samples::Quantile(other)) => {
                self.of_quantiles(base, value, other)
            }
            (_, Samples::Quantile(other)) => {
                let (low, high) = quantile_interval(other, PERCENTILE, self.confidence);
                let run = self.noise.reach(value, spread(other), self.confidence);
                Reach {
                    low: low.map(|low| low - run),
                    high: high.map(|high| high + run),
                    p_value: None,
                }
            }
            (Against::One(base, _), Samples::Once) => {
                let largest = base.value.max(value);
                let run = self.once().reach(largest, 0.0, self.confidence);
                Reach::around(value, run * std::f64::consts::SQRT_2)
            }
            (_, Samples::Once) => {
                Reach::around(value, self.once().reach(value, 0.0, self.confidence))
            }
            (_, Samples::Counted) => Reach::exactly(value),
        }
    }

    /// Whether the effect does not decide if the change is beyond the limit.
    fn leaves_open(&self, found: &Effect, margin: f64) -> bool {
        let is_rare = found.p_value.is_some_and(|p| p <= 1.0 - self.confidence);
        !is_rare || (found.low..=found.high).contains(&margin)
    }

    fn of_runs(&self, runs: &[f64], value: f64, samples: &Samples, margin: f64) -> Reach {
        let is_even = runs.windows(2).all(|pair| pair[0] == pair[1]);
        let one = [value];
        let (other, noise) = match samples {
            // A count that is the same in every run is exact; otherwise the runs show how much it varies.
            Samples::Counted if is_even || runs.len() < FEWEST_RUNS => {
                return Reach::exactly(value);
            }
            Samples::Counted => (&one[..], self.noise),
            Samples::Once => (&one[..], self.once()),
            Samples::Mean(steps) => (steps.as_slice(), self.noise),
            Samples::Quantile(steps) => {
                let run = self.noise.reach(value, spread(steps), self.confidence);
                if runs.len() < FEWEST_RUNS || self.is_known {
                    return Reach::around(value, run * std::f64::consts::SQRT_2);
                }
                (&one[..], self.noise)
            }
        };
        let found = effect_of_runs(runs, other, margin, noise, self.is_known, self.confidence);
        let center = median(runs);
        Reach {
            low: Some(center + found.low),
            high: Some(center + found.high),
            p_value: found.p_value,
        }
    }

    /// The interval of the difference of two percentiles, from the ends of their intervals.
    fn of_quantiles(&self, base: &Measured, value: f64, other: &[f64]) -> Reach {
        let Samples::Quantile(before) = &base.samples else {
            return Reach::exactly(value);
        };
        let of = |steps| quantile_interval(steps, PERCENTILE, self.confidence);
        let ((low_before, high_before), (low, high)) = (of(before), of(other));
        let pooled = spread(before).hypot(spread(other)) / std::f64::consts::SQRT_2;
        let largest = base.value.max(value);
        let run = self.noise.reach(largest, pooled, self.confidence) * std::f64::consts::SQRT_2;
        Reach {
            low: low
                .zip(high_before)
                .map(|(low, before)| base.value + low - before - run),
            high: high
                .zip(low_before)
                .map(|(high, before)| base.value + high - before + run),
            p_value: None,
        }
    }

    fn once(&self) -> RunNoise {
        if self.is_known {
            return self.noise;
        }
        RunNoise {
            ratio: ONCE_RATIO,
            spreads: 0.0,
        }
    }
}

impl Reach {
    const UNKNOWN: Self = Self {
        low: None,
        high: None,
        p_value: None,
    };

    /// Figures are not negative, and ratios are at most 1.
    fn within_bounds(self, unit: FigureUnit) -> Self {
        let most = match unit {
            FigureUnit::Ratio => 1.0,
            FigureUnit::Picos | FigureUnit::Bytes | FigureUnit::Count => f64::INFINITY,
        };
        Self {
            low: self.low.map(|low| low.clamp(0.0, most)),
            high: self.high.map(|high| high.clamp(0.0, most)),
            ..self
        }
    }

    /// What every step has and no step of the baseline, such as a new op, is not noise, however much it
    /// varies.
    fn of_something_new(before: &[f64], other: &[f64]) -> Option<Self> {
        let is_new = before.iter().all(|&step| step <= 0.0) && other.iter().all(|&step| step > 0.0);
        is_new.then(|| Self {
            low: other.iter().copied().reduce(f64::min),
            high: other.iter().copied().reduce(f64::max),
            p_value: None,
        })
    }

    const fn exactly(value: f64) -> Self {
        Self {
            low: Some(value),
            high: Some(value),
            p_value: None,
        }
    }

    fn around(value: f64, reach: f64) -> Self {
        Self {
            low: Some(value - reach),
            high: Some(value + reach),
            p_value: None,
        }
    }
}

/// The smallest number of steps that a mean or percentile is computed from, if that is too small.
fn too_few_steps(checked: &Measured, against: &Against<'_>, needs_baseline: bool) -> Option<usize> {
    let count = |measured: &Measured| match &measured.samples {
        Samples::Mean(steps) | Samples::Quantile(steps) => Some(steps.len()),
        Samples::Once | Samples::Counted => None,
    };
    let of_baseline = match against {
        Against::One(base, _) if needs_baseline => count(base),
        _ => None,
    };
    let least = count(checked).into_iter().chain(of_baseline).min();
    least.filter(|&count| count < FEWEST_STEPS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(is_known: bool, ratio: f64) -> Judge {
        Judge {
            noise: RunNoise {
                ratio,
                spreads: 0.0,
            },
            is_known,
            confidence: 0.95,
        }
    }

    fn mean(steps: &[f64]) -> Measured {
        Measured {
            value: steps.iter().sum::<f64>() / steps.len() as f64,
            samples: Samples::Mean(steps.to_vec()),
        }
    }

    fn counted(value: f64) -> Measured {
        Measured {
            value,
            samples: Samples::Counted,
        }
    }

    fn ask(judge: &Judge, budget: &str, checked: &Measured, against: &Against<'_>) -> Judged {
        let budget = Budget::parse(budget).expect("a budget");
        let judged = judge.judge(&budget, checked, against);
        judged.unwrap_or_else(|_| panic!("{} can be checked", budget.text))
    }

    /// Means 10 and 12 ps, variances 2.5 each, 5 steps: the difference's interval is 2 ± 2.306
    /// (Welch, 8 degrees of freedom), so that the value lies between 9.694 and 14.306.
    #[test]
    fn steps_are_judged_by_the_near_end_of_their_interval() {
        let (before, after) = (
            mean(&[8.0, 9.0, 10.0, 11.0, 12.0]),
            mean(&[10.0, 11.0, 12.0, 13.0, 14.0]),
        );
        let judge = judge(true, 0.0);
        let of = |budget| ask(&judge, budget, &after, &Against::One(&before, false));
        let near = of("step_time=+2%");
        assert!((near.low.expect("steps") - 9.694).abs() < 1e-3, "{near:?}");
        assert!((near.limit - 10.2).abs() < 1e-9);
        assert_eq!(near.verdict, CheckVerdict::WithinNoise);
        assert_eq!(of("step_time=+20%").verdict, CheckVerdict::Passed);
        // At least 10 % faster: the limit is 9 ps, below the whole interval.
        let faster = of("step_time=-10%");
        assert_eq!(faster.verdict, CheckVerdict::Broken, "{faster:?}");
        assert_eq!(of("step_time<=9ps").verdict, CheckVerdict::Broken);
        assert_eq!(of("step_time<=12ps").verdict, CheckVerdict::Passed);
    }

    #[test]
    fn the_ranks_of_the_steps_have_to_agree() {
        // A single outlier determines the mean; the other seven steps are equal to the baseline.
        let before = mean(&[10.0; 8]);
        let after = mean(&[10.0, 10.0, 10.0, 10.0, 10.0, 10.0, 10.0, 40.0]);
        let found = ask(
            &judge(true, 0.0),
            "step_time=+2%",
            &after,
            &Against::One(&before, false),
        );
        assert_eq!(found.verdict, CheckVerdict::WithinNoise);
    }

    #[test]
    fn a_new_op_is_no_noise_and_no_interval_leaves_what_is_possible() {
        let none = mean(&[0.0; 6]);
        let new = mean(&[1.0, 2.0, 9.0, 30.0, 1.0, 2.0]);
        let judge = judge(false, 0.01);
        let of = |checked: &Measured| {
            ask(
                &judge,
                "op:dot.1<=0ps",
                checked,
                &Against::One(&none, false),
            )
        };
        let found = of(&new);
        assert_eq!(
            (found.verdict, found.low),
            (CheckVerdict::Broken, Some(1.0))
        );
        // In some steps only, which may be chance.
        let some = of(&mean(&[0.0, 2.0, 9.0, 30.0, 0.0, 2.0]));
        assert_eq!(
            (some.verdict, some.low),
            (CheckVerdict::WithinNoise, Some(0.0))
        );
        let busy = mean(&[0.4, 0.9, 0.95, 0.99, 0.5]);
        let share = ask(&judge, "device_busy>=90%", &busy, &Against::Nothing);
        assert_eq!(share.high, Some(1.0), "{share:?}");
    }

    #[test]
    fn what_is_counted_is_exact() {
        let judge = judge(false, 0.01);
        let of = |budget, value| {
            ask(
                &judge,
                budget,
                &counted(value),
                &Against::One(&counted(100.0), false),
            )
        };
        assert_eq!(of("memory_peak=+1%", 101.0).verdict, CheckVerdict::Passed);
        assert_eq!(of("memory_peak=+1%", 102.0).verdict, CheckVerdict::Broken);
        assert_eq!(
            of("compilation_count=+0", 101.0).verdict,
            CheckVerdict::Broken
        );
        assert_eq!(
            of("compilation_count<=101", 101.0).verdict,
            CheckVerdict::Passed
        );
    }

    /// Three runs of 9, 10 and 11: median 10, spread 1, 1 + π/6 of its square, t = 4.303 with two
    /// degrees of freedom: 5.311 on either side.
    #[test]
    fn several_runs_say_how_far_runs_differ() {
        let runs = || Against::Runs(vec![9.0, 10.0, 11.0]);
        let judge = judge(false, 0.0);
        let of = |value: f64| ask(&judge, "memory_peak=+2%", &counted(value), &runs());
        let far = of(16.0);
        assert!(
            (far.low.expect("runs") - (16.0 - 5.311)).abs() < 2e-3,
            "{far:?}"
        );
        assert_eq!(far.verdict, CheckVerdict::Broken);
        assert_eq!(of(15.0).verdict, CheckVerdict::WithinNoise);
        assert_eq!(of(10.1).verdict, CheckVerdict::Passed);
        let even = Against::Runs(vec![10.0; 4]);
        let exact = ask(&judge, "memory_peak=+2%", &counted(10.3), &even);
        assert_eq!(exact.verdict, CheckVerdict::Broken);
    }

    #[test]
    fn higher_may_be_better() {
        let busy = |value: f64| mean(&[value; 6]);
        let judge = judge(true, 0.0);
        let of = |budget, value| {
            ask(
                &judge,
                budget,
                &busy(value),
                &Against::One(&busy(0.8), false),
            )
        };
        assert_eq!(of("device_busy=-5%", 0.77).verdict, CheckVerdict::Passed);
        assert_eq!(of("device_busy=-5%", 0.75).verdict, CheckVerdict::Broken);
        assert_eq!(of("device_busy>=90%", 0.85).verdict, CheckVerdict::Broken);
        assert_eq!(of("device_busy=-0.02", 0.79).verdict, CheckVerdict::Passed);
    }

    #[test]
    fn a_percentile_needs_many_steps_to_be_broken() {
        let quantile = |steps: Vec<f64>| Measured {
            value: steps[steps.len() - 1 - steps.len() / 20],
            samples: Samples::Quantile(steps),
        };
        let few = quantile((0..12).map(f64::from).collect());
        let more = quantile((0..12).map(|step| f64::from(step) + 100.0).collect());
        let judge = judge(true, 0.0);
        let found = ask(
            &judge,
            "step_time_p95=+2%",
            &more,
            &Against::One(&few, false),
        );
        assert_eq!(
            (found.verdict, found.low),
            (CheckVerdict::WithinNoise, None)
        );
        let many = |shift: f64| quantile((0..200).map(|step| f64::from(step) + shift).collect());
        let found = ask(
            &judge,
            "step_time_p95=+2%",
            &many(100.0),
            &Against::One(&many(0.0), false),
        );
        assert_eq!(found.verdict, CheckVerdict::Broken);
    }

    #[test]
    fn a_time_measured_once_has_the_noise_that_is_assumed() {
        let once = |value: f64| Measured {
            value,
            samples: Samples::Once,
        };
        let judge = judge(false, 0.01);
        // 1.96 × 10 % × √2 of the larger: 27.7 %.
        let of = |value| {
            ask(
                &judge,
                "compilation_time=+2%",
                &once(value),
                &Against::One(&once(100.0), false),
            )
        };
        assert_eq!(of(130.0).verdict, CheckVerdict::WithinNoise);
        assert_eq!(of(150.0).verdict, CheckVerdict::Broken);
    }

    #[test]
    fn what_cannot_be_checked_is_unknown() {
        let steps = mean(&[11.0, 12.0, 13.0]);
        let of = |budget: &str, against: &Against<'_>| {
            let budget = Budget::parse(budget).expect("a budget");
            judge(false, 0.01).judge(&budget, &steps, against)
        };
        assert!(matches!(
            of("step_time=+2%", &Against::Nothing),
            Err(Unknown::NoBaseline(_))
        ));
        assert!(matches!(
            of("step_time<=9ps", &Against::Nothing),
            Err(Unknown::TooFewSteps(_, 3))
        ));
    }

    #[test]
    fn few_steps_that_keep_to_the_limit_pass() {
        let few = mean(&[9.0, 10.0]);
        let judge = judge(false, 0.01);
        let bound = ask(&judge, "step_time<=10ps", &few, &Against::Nothing);
        assert_eq!((bound.verdict, bound.low), (CheckVerdict::Passed, None));
        let same = ask(&judge, "step_time=+2%", &few, &Against::One(&few, false));
        assert_eq!((same.verdict, same.high), (CheckVerdict::Passed, None));
    }
}
