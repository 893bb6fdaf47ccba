//! Growth over steps: how fast, how certain, and whether it continues.

use crate::measuring::steps::median;

/// Minimum number of steps for a trend.
pub(super) const MIN_STEPS: usize = 5;
/// Maximum number of values that are paired. If there are more, they are thinned out evenly.
const MAX_VALUES: usize = 400;
/// Minimum confidence of a trend.
const SURE: f64 = 0.95;
/// Minimum growth over all steps ÷ median to count as growing.
const MIN_RATIO: f64 = 0.005;

/// Fewest rises from one step to the next.
const MIN_RISES: usize = 4;

/// A trend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Trend {
    /// Median of the slopes between all pairs, per step (Theil–Sen).
    pub(super) slope: f64,
    /// 1 − the probability that chance produces as much order (Mann–Kendall, normal approximation).
    pub(super) confidence: f64,
    /// Whether it rises with enough confidence, by a relevant amount, and still in the second half.
    pub(super) is_growing: bool,
}

/// The trend of one value per step; none with fewer than [`MIN_STEPS`].
pub(super) fn trend(values: &[f64]) -> Option<Trend> {
    if values.len() < MIN_STEPS {
        return None;
    }
    let (slope, confidence) = slope_and_confidence(values);
    let grown = slope * values.len() as f64;
    let matters = grown > MIN_RATIO * median(values);
    let (later, _) = slope_and_confidence(&values[values.len() / 2..]);
    // A few plateaus are in order, too, but each of them may be the last.
    let is_rise = |pair: &&[f64]| pair[1] - pair[0] > slope / 2.0;
    let rises = values.windows(2).filter(is_rise).count();
    let third = values.len() / 3;
    let highest = values[..third].iter().copied().fold(f64::MIN, f64::max);
    let lowest = values[values.len() - third..]
        .iter()
        .copied()
        .fold(f64::MAX, f64::min);
    let is_again = rises >= MIN_RISES && lowest > highest;
    let is_growing = slope > 0.0 && later > 0.0 && confidence >= SURE && matters && is_again;
    Some(Trend {
        slope,
        confidence,
        is_growing,
    })
}

fn slope_and_confidence(values: &[f64]) -> (f64, f64) {
    let stride = values.len().div_ceil(MAX_VALUES).max(1);
    let thinned: Vec<f64> = values.iter().copied().step_by(stride).collect();
    let count = thinned.len() as f64;
    let (mut slopes, mut order) = (Vec::new(), 0.0f64);
    for (left, &before) in thinned.iter().enumerate() {
        for (right, &after) in thinned.iter().enumerate().skip(left + 1) {
            slopes.push((after - before) / ((right - left) * stride) as f64);
            order += if after > before {
                1.0
            } else if after < before {
                -1.0
            } else {
                0.0
            };
        }
    }
    let variance = count * (count - 1.0) * (2.0 * count + 5.0) / 18.0;
    let score = if variance > 0.0 {
        ((order.abs() - 1.0).max(0.0)) / variance.sqrt()
    } else {
        0.0
    };
    (median(&slopes), 1.0 - two_sided(score))
}

/// The probability that a normal variable is at least `score` deviations away from its mean
/// (Abramowitz and Stegun 7.1.26, error below 2e-7).
fn two_sided(score: f64) -> f64 {
    let x = score / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let series = [
        1.061_405_429,
        -1.453_152_027,
        1.421_413_741,
        -0.284_496_736,
        0.254_829_592,
    ];
    let polynomial = series.iter().fold(0.0, |sum, factor| (sum + factor) * t);
    (polynomial * (-x * x).exp()).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leak_is_found_and_settling_in_is_not() {
        let leak: Vec<f64> = (0..10)
            .map(|step| 1000.0 + 10.0 * f64::from(step))
            .collect();
        let found = trend(&leak).expect("ten steps");
        assert!((found.slope - 10.0).abs() < 1e-9 && found.is_growing);
        // 45 pairs in order, variance 10·9·25/18 = 125: z = 44 ÷ 11.18 = 3.935, p = 8.3e-5.
        assert!((found.confidence - 0.999_917).abs() < 2e-6, "{found:?}");
        let settled = [100.0, 400.0, 500.0, 500.0, 500.0, 500.0, 500.0, 500.0];
        assert!(!trend(&settled).expect("eight steps").is_growing);
        let noise = [500.0, 510.0, 495.0, 505.0, 498.0, 507.0, 501.0, 499.0];
        assert!(!trend(&noise).expect("eight steps").is_growing);
        // What three threads keep until they end: in order, but three rises say nothing of a fourth.
        let plateaus: Vec<f64> = (0..24)
            .map(|step| f64::from(112 + 48 * (step / 6)))
            .collect();
        assert!(!trend(&plateaus).expect("24 steps").is_growing);
        assert_eq!(trend(&leak[..4]), None);
    }
}
