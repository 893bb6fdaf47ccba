//! Whether a difference is more than noise. Steps are samples of a run, and a run is one sample of
//! the program's behavior; both vary.
//!
//! ```text
//! effect      mean of the typical steps − that of the baseline
//! variance    s²/n of each side                       steps differ from each other,
//!             × (1 + r) ÷ (1 − r)                     neighboring steps correlate (r > 0),
//!             + run² of each side                     and runs differ although nothing changed
//! run         the larger of RUN_RATIO × mean and RUN_SPREADS × s, which is at most 0.4 × mean: from the
//!             study of identical runs
//! interval    effect ± t × √variance                  Welch's degrees of freedom
//! p           the larger of the p-values of t and of the ranks (Mann and Whitney)
//! ```
//!
//! Outliers are excluded first, by the rule of `steps`, and the ranks have to agree, so that no claim
//! rests on a few odd steps or on the shape of the distribution. When many ops are tested, the
//! Benjamini-Hochberg procedure bounds the share of false claims.

use super::report::Evidence;

/// With fewer steps on either side, nothing is claimed.
pub(crate) const FEWEST_STEPS: usize = 4;

/// Runs of one program differ by no more than this share of the mean (standard deviation), however uneven
/// their steps are: in the study, by 38 %.
const MAX_RUN_RATIO: f64 = 0.4;

/// Upper limit of the correlation of neighboring steps that is corrected for; trends exceed it.
const MAX_CORRELATION: f64 = 0.9;

/// How much runs of one unchanged program differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RunNoise {
    /// Standard deviation of the mean between runs ÷ the mean.
    pub(crate) ratio: f64,
    /// The same standard deviation, in standard deviations of the steps within a run.
    pub(crate) spreads: f64,
}

/// A difference with its interval and p-value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Effect {
    pub(crate) difference: f64,
    /// Ends of the interval; both equal the difference if its spread is unknown.
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Absent with too few samples.
    pub(crate) p_value: Option<f64>,
}

/// The difference of the means of two samples of times, each in chronological order. A time cannot be
/// negative, so the lower end of the interval is at least −(the baseline's mean).
pub(super) fn effect(baseline: &[f64], other: &[f64], noise: RunNoise, confidence: f64) -> Effect {
    let found = effect_beyond(baseline, other, 0.0, noise, confidence);
    Effect {
        low: found.low.max(-Moments::of(baseline).mean),
        ..found
    }
}

/// The same, for values of any kind. The p-value is the probability that noise alone produces as large a
/// difference if the true difference is `margin`.
pub(crate) fn effect_beyond(
    baseline: &[f64],
    other: &[f64],
    margin: f64,
    noise: RunNoise,
    confidence: f64,
) -> Effect {
    let (a, b) = (Moments::of(baseline), Moments::of(other));
    let difference = b.mean - a.mean;
    if baseline.len() < 2 || other.len() < 2 {
        return Effect {
            difference,
            low: difference,
            high: difference,
            p_value: None,
        };
    }
    // Each side by its own steps: what makes one of them uneven says nothing of the other's machine.
    let [of_run_a, of_run_b] = [&a, &b].map(|side| {
        noise
            .run(side.mean.abs(), side.variance.max(0.0).sqrt())
            .powi(2)
    });
    let (of_a, of_b) = (a.of_mean(), b.of_mean());
    let variance = of_a + of_b + of_run_a + of_run_b;
    if variance <= 0.0 {
        return Effect {
            difference,
            low: difference,
            high: difference,
            p_value: Some(if difference == margin { 1.0 } else { 0.0 })
                .filter(|_| enough(baseline, other)),
        };
    }
    let freedom = freedom(
        &[(of_a, a.effective - 1.0), (of_b, b.effective - 1.0)],
        variance,
    );
    let error = variance.sqrt();
    let reach = student_quantile(f64::midpoint(confidence, 1.0), freedom) * error;
    let of_t = 2.0 * student_tail((difference - margin).abs() / error, freedom);
    let moved: Vec<f64> = baseline.iter().map(|value| value + margin).collect();
    let of_ranks = rank_p_value(&moved, other, a.inflation().max(b.inflation()));
    Effect {
        difference,
        low: difference - reach,
        high: difference + reach,
        p_value: Some(of_t.max(of_ranks).min(1.0)).filter(|_| enough(baseline, other)),
    }
}

/// A run compared with the median of several runs of one program. Noise between runs is estimated from
/// these runs; with fewer than [`FEWEST_RUNS`], or if `is_known`, it is `noise`.
///
/// ```text
/// variance    s² of the runs × (1 + π/2k) + s²/n of the steps       the median of k runs varies
///                                                                   π/2 times as much as their mean
/// ```
pub(crate) fn effect_of_runs(
    runs: &[f64],
    other: &[f64],
    margin: f64,
    noise: RunNoise,
    is_known: bool,
    confidence: f64,
) -> Effect {
    let (a, b) = (Moments::of(runs), Moments::of(other));
    let (count, middle) = (runs.len().max(1) as f64, median(runs));
    let difference = b.mean - middle;
    let share = 1.0 + std::f64::consts::FRAC_PI_2 / count;
    let of_b = b.of_mean();
    let is_shown = runs.len() >= FEWEST_RUNS && !is_known;
    let run = if is_shown {
        a.variance.sqrt()
    } else {
        noise.run(middle.abs().max(b.mean.abs()), b.variance.sqrt())
    };
    let of_runs = run * run * share;
    let variance = of_runs + of_b;
    if variance <= 0.0 {
        return Effect {
            difference,
            low: difference,
            high: difference,
            p_value: Some(if difference == margin { 1.0 } else { 0.0 }),
        };
    }
    let mut parts = vec![(of_b, b.effective - 1.0)];
    if is_shown {
        parts.push((of_runs, count - 1.0));
    }
    let freedom = freedom(&parts, variance);
    let error = variance.sqrt();
    let reach = student_quantile(f64::midpoint(confidence, 1.0), freedom) * error;
    Effect {
        difference,
        low: difference - reach,
        high: difference + reach,
        p_value: Some(2.0 * student_tail((difference - margin).abs() / error, freedom)),
    }
}

/// The mean of a sample with its interval, noise between runs included.
pub(crate) fn interval(values: &[f64], noise: RunNoise, confidence: f64) -> (f64, f64) {
    let moments = Moments::of(values);
    let run = noise.run(moments.mean.abs(), moments.variance.sqrt());
    let of_mean = moments.of_mean();
    let variance = of_mean + run * run;
    let freedom = freedom(&[(of_mean, moments.effective - 1.0)], variance);
    let reach = student_quantile(f64::midpoint(confidence, 1.0), freedom) * variance.sqrt();
    (moments.mean - reach, moments.mean + reach)
}

/// The confidence interval of a quantile: the values at the ranks between which it is with this
/// confidence, if steps are independent. An end beyond all measured steps is absent.
pub(crate) fn quantile_interval(
    values: &[f64],
    share: f64,
    confidence: f64,
) -> (Option<f64>, Option<f64>) {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len();
    let tail = (1.0 - confidence) / 2.0;
    // The number of steps below the quantile is binomially distributed. Its probabilities are computed
    // as logarithms, since the first ones underflow.
    let mut logarithm = count as f64 * (1.0 - share).ln();
    let (mut sum, mut low, mut high) = (0.0, None, None);
    for (below, &value) in sorted.iter().enumerate() {
        sum += logarithm.exp();
        if sum <= tail {
            low = Some(value);
        }
        if sum >= 1.0 - tail && high.is_none() {
            high = Some(value);
        }
        logarithm += ((count - below) as f64 / (below + 1) as f64 * share / (1.0 - share)).ln();
    }
    (low, high)
}

/// Minimum number of runs from which noise between runs can be estimated.
pub(crate) const FEWEST_RUNS: usize = 3;

/// The median; 0 without values.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.get(middle) {
        None => 0.0,
        Some(&upper) if sorted.len() % 2 == 1 => upper,
        Some(&upper) => f64::midpoint(sorted[middle - 1], upper),
    }
}

impl RunNoise {
    /// The standard deviation of a mean between runs, if steps within a run have this spread.
    fn run(self, mean: f64, spread: f64) -> f64 {
        let by_spread = (self.spreads * spread).min(MAX_RUN_RATIO * mean);
        (self.ratio * mean).max(by_spread)
    }

    /// The minimum half-width of an interval, from `ratio` alone, regardless of the spread within a run.
    pub(super) fn least(self, mean: f64, confidence: f64) -> f64 {
        self.ratio * mean * normal_quantile(f64::midpoint(confidence, 1.0))
    }

    /// The half-width of an interval for noise between runs.
    pub(crate) fn reach(self, mean: f64, spread: f64, confidence: f64) -> f64 {
        self.run(mean, spread) * student_quantile(f64::midpoint(confidence, 1.0), 1e4)
    }
}

/// Standard deviation of a sample.
pub(crate) fn spread(values: &[f64]) -> f64 {
    Moments::of(values).variance.sqrt()
}

const fn enough(baseline: &[f64], other: &[f64]) -> bool {
    baseline.len() >= FEWEST_STEPS && other.len() >= FEWEST_STEPS
}

impl Effect {
    /// The evidence: beyond noise if the interval excludes 0 and the p-value is a discovery.
    pub(super) fn evidence(&self, is_discovery: bool) -> Evidence {
        match self.p_value {
            None => Evidence::TooFewSteps,
            Some(_) if is_discovery && self.excludes_zero() => Evidence::BeyondNoise,
            Some(_) => Evidence::WithinNoise,
        }
    }

    fn excludes_zero(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// Which of the p-values are discoveries if at most this share of the discoveries may be false
/// (Benjamini and Hochberg).
pub(super) fn discoveries(p_values: &[Option<f64>], rate: f64) -> Vec<bool> {
    let mut sorted: Vec<f64> = p_values.iter().flatten().copied().collect();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let passing = sorted
        .iter()
        .enumerate()
        .filter(|(index, p)| **p <= rate * (index + 1) as f64 / count);
    let limit = passing.map(|(_, &p)| p).reduce(|_, last| last);
    let is_discovery = |p: &Option<f64>| p.zip(limit).is_some_and(|(p, limit)| p <= limit);
    p_values.iter().map(is_discovery).collect()
}

/// Mean, variance, number of samples, and the equivalent number of independent samples.
struct Moments {
    mean: f64,
    variance: f64,
    count: f64,
    effective: f64,
}

impl Moments {
    fn of(values: &[f64]) -> Self {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count.max(1.0);
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let variance = if values.len() > 1 {
            squares / (count - 1.0)
        } else {
            0.0
        };
        let neighbors: f64 = values
            .windows(2)
            .map(|pair| (pair[0] - mean) * (pair[1] - mean))
            .sum();
        // In a short series, the estimate is too small by 1/n on average.
        let correlation = if squares > 0.0 && values.len() >= 8 {
            (neighbors / squares + 1.0 / count).clamp(0.0, MAX_CORRELATION)
        } else {
            0.0
        };
        let effective = (count * (1.0 - correlation) / (1.0 + correlation)).max(2.0);
        Self {
            mean,
            variance,
            count,
            effective: effective.min(count.max(2.0)),
        }
    }

    /// Variance of the mean.
    fn of_mean(&self) -> f64 {
        self.variance / self.effective
    }

    /// Factor by which correlation inflates the variance of the mean.
    fn inflation(&self) -> f64 {
        (self.count / self.effective).max(1.0)
    }
}

/// Degrees of freedom of a sum of variances (Welch and Satterthwaite); what `parts` lack of the sum is
/// known exactly.
fn freedom(parts: &[(f64, f64)], variance: f64) -> f64 {
    let terms = parts
        .iter()
        .map(|(part, freedom)| part * part / freedom.max(1.0));
    let sum: f64 = terms.sum();
    if sum > 0.0 {
        (variance * variance / sum).clamp(1.0, 1e4)
    } else {
        1e4
    }
}

/// P-value of the Mann-Whitney test, two-sided, with corrections for ties and continuity; correlation
/// widens the distribution.
pub(super) fn rank_p_value(baseline: &[f64], other: &[f64], inflation: f64) -> f64 {
    let mut all: Vec<(f64, bool)> = baseline
        .iter()
        .map(|&value| (value, false))
        .chain(other.iter().map(|&value| (value, true)))
        .collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (n, m) = (baseline.len() as f64, other.len() as f64);
    let (mut rank_sum, mut ties, mut before) = (0.0, 0.0, 0.0);
    for same in all.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        let count = same.len() as f64;
        let of_other = same.iter().filter(|(_, is_other)| *is_other).count() as f64;
        rank_sum += of_other * (before + f64::midpoint(count, 1.0));
        ties += count * (count * count - 1.0);
        before += count;
    }
    let total = n + m;
    let statistic = rank_sum - m * (m + 1.0) / 2.0;
    let variance = n * m / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)).max(1.0));
    if variance <= 0.0 {
        return 1.0;
    }
    let distance = ((statistic - n * m / 2.0).abs() - 0.5).max(0.0);
    let score = distance / (variance * inflation).sqrt();
    2.0 * student_tail(score, 1e4)
}

/// Probability that a variable with Student's t-distribution exceeds a non-negative value.
fn student_tail(value: f64, freedom: f64) -> f64 {
    0.5 * incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + value * value))
}

/// The quantile of Student's t-distribution for a probability above one half.
fn student_quantile(probability: f64, freedom: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while student_tail(high, freedom) > 1.0 - probability && high < 1e9 {
        high *= 2.0;
    }
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if student_tail(middle, freedom) > 1.0 - probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// The quantile of the normal distribution for a probability above one half.
pub(super) fn normal_quantile(probability: f64) -> f64 {
    student_quantile(probability, 1e4)
}

/// The regularized incomplete beta function, by its continued fraction (Lentz).
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * x.ln() + b * (1.0 - x).ln();
    if x < (a + 1.0) / (a + b + 2.0) {
        front.exp() * beta_fraction(a, b, x) / a
    } else {
        1.0 - front.exp() * beta_fraction(b, a, 1.0 - x) / b
    }
}

#[expect(clippy::many_single_char_names, reason = "the letters of the formula")]
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let guard = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / guard(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for step in 1..1000 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / guard(1.0 + even * d);
        c = guard(1.0 + even / c);
        fraction *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / guard(1.0 + odd * d);
        c = guard(1.0 + odd / c);
        fraction *= d * c;
        if (d * c - 1.0).abs() < 1e-12 {
            break;
        }
    }
    fraction
}

/// The logarithm of the gamma function (Lanczos, g = 7, n = 9).
fn log_gamma(x: f64) -> f64 {
    const FACTORS: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    if x < 0.5 {
        let pi = std::f64::consts::PI;
        return (pi / (pi * x).sin()).ln() - log_gamma(1.0 - x);
    }
    let x = x - 1.0;
    let base = x + 7.5;
    let mut sum = 0.999_999_999_999_809_9;
    for (index, factor) in (1u32..).zip(FACTORS) {
        sum += factor / (x + f64::from(index));
    }
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * base.ln() - base + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: RunNoise = RunNoise {
        ratio: 0.0,
        spreads: 0.0,
    };

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (freedom, expected) in [(1.0, 12.706), (4.0, 2.776), (10.0, 2.228), (1e4, 1.960)] {
            let found = student_quantile(0.975, freedom);
            assert!((found - expected).abs() < 1e-3, "{freedom}: {found}");
        }
        assert!((student_tail(0.0, 5.0) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn ranks_of_separate_samples_are_as_rare_as_counting_says() {
        // Of the 70 ways to draw 4 of 8, two are this extreme: 0.0286; the approximation gives 0.030.
        let p = rank_p_value(&[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0, 7.0, 8.0], 1.0);
        assert!((p - 0.0304).abs() < 1e-3, "{p}");
        assert!((rank_p_value(&[1.0, 1.0], &[1.0, 1.0], 1.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_interval_is_welchs() {
        // Means 10 and 12, variances 2.5 each, n = 5: error 1, 8 degrees of freedom, t = 2.306.
        let (a, b) = ([8.0, 9.0, 10.0, 11.0, 12.0], [10.0, 11.0, 12.0, 13.0, 14.0]);
        let found = effect(&a, &b, QUIET, 0.95);
        assert!((found.difference - 2.0).abs() < 1e-12);
        assert!((found.low + 0.306).abs() < 1e-3, "{found:?}");
        assert_eq!(found.evidence(true), Evidence::WithinNoise);
        let noisy = RunNoise {
            ratio: 0.1,
            spreads: 0.0,
        };
        assert!(effect(&a, &b, noisy, 0.95).low < found.low);
    }

    #[test]
    fn no_time_falls_by_more_than_all_of_it() {
        let (a, b) = ([1.0, 9.0, 2.0, 8.0], [1.0, 30.0, 2.0, 8.0]);
        assert!(effect_beyond(&a, &b, 0.0, QUIET, 0.95).low < -5.0);
        let found = effect(&a, &b, QUIET, 0.95);
        assert!((found.low + 5.0).abs() < 1e-12, "{found:?}");
    }

    /// 40 processes with three runs each of one program, whole microseconds, recorded by
    /// `benches/false_alarms/record.py` on a machine that was busy with other work.
    const IDENTICAL_RUNS: &str = include_str!("../../../tests/identical_runs.json");

    #[test]
    fn identical_runs_raise_no_more_alarms_than_stated() {
        let runs: Vec<Vec<f64>> = serde_json::from_str(IDENTICAL_RUNS).expect("durations");
        let typical: Vec<Vec<f64>> = runs
            .iter()
            .map(|steps| {
                let kept = steps.iter().zip(crate::measuring::steps::outliers(steps));
                kept.filter(|(_, is_outlier)| !is_outlier)
                    .map(|(step, _)| *step)
                    .collect()
            })
            .collect();
        let within = (0..typical.len()).step_by(3).flat_map(|first| {
            let pairs = [(0, 1), (1, 2), (0, 2)];
            pairs.map(|(a, b)| (first + a, first + b))
        });
        let between = (0..typical.len() - 3).map(|run| (run, run + 3));
        let pairs: Vec<(usize, usize)> = within.take(100).chain(between.take(100)).collect();
        assert_eq!(pairs.len(), 200);
        let alarms = |noise: RunNoise| {
            let claimed = pairs.iter().filter(|(a, b)| {
                let found = effect(&typical[*a], &typical[*b], noise, 0.95);
                let is_discovery = found.p_value.is_some_and(|p| p <= 0.05);
                found.evidence(is_discovery) == Evidence::BeyondNoise
            });
            claimed.count()
        };
        let default = RunNoise {
            ratio: crate::comparing::compare::options::RUN_RATIO,
            spreads: crate::comparing::compare::options::RUN_SPREADS,
        };
        assert!(alarms(default) <= 10, "{} of 200", alarms(default));
        // Steps alone raise far too many alarms: noise between runs is real.
        assert!(alarms(QUIET) >= 40, "{} of 200", alarms(QUIET));
    }

    #[test]
    fn three_steps_are_too_few_to_tell() {
        let found = effect(&[1.0, 1.1, 0.9], &[9.0, 9.1, 8.9], QUIET, 0.95);
        assert!((found.difference - 8.0).abs() < 1e-12);
        assert_eq!(found.evidence(true), Evidence::TooFewSteps);
    }

    #[test]
    fn equal_steps_need_no_test() {
        let same = effect(&[5.0; 6], &[5.0; 6], QUIET, 0.95);
        assert_eq!(same.evidence(true), Evidence::WithinNoise);
        let longer = effect(&[5.0; 6], &[6.0; 6], QUIET, 0.95);
        assert_eq!(longer.evidence(true), Evidence::BeyondNoise);
    }

    #[test]
    fn discoveries_are_those_of_benjamini_and_hochberg() {
        let p = [Some(0.01), Some(0.04), None, Some(0.03), Some(0.5)];
        // Limits 0.0125, 0.025, 0.0375, 0.05 for 0.01, 0.03, 0.04, 0.5: only the first passes.
        assert_eq!(discoveries(&p, 0.05), [true, false, false, false, false]);
        assert_eq!(discoveries(&p, 0.1), [true, true, false, true, false]);
    }
}
