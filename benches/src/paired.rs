//! Paired measurements: every round runs each contestant once, and ratios are taken per round.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// The duration of a call.
pub fn time<T>(call: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let result = call();
    let taken = start.elapsed();
    black_box(result);
    taken
}

/// One of the contestants.
pub struct Contestant<'a> {
    name: String,
    run: Box<dyn FnMut() -> Duration + 'a>,
}

impl<'a> Contestant<'a> {
    /// A contestant that reports its own duration.
    pub fn new(name: impl Into<String>, run: impl FnMut() -> Duration + 'a) -> Self {
        Self {
            name: name.into(),
            run: Box::new(run),
        }
    }

    /// A contestant measured from outside.
    pub fn of<T>(name: impl Into<String>, mut call: impl FnMut() -> T + 'a) -> Self {
        Self::new(name, move || time(&mut call))
    }
}

/// Runs all contestants in turn and prints each one's median and its ratio to the first. The ratio
/// is the median over rounds, because a temporary slowdown of the machine affects both.
#[expect(
    clippy::print_stdout,
    reason = "the figures are for whoever runs the bench"
)]
pub fn print_ratios(title: &str, rounds: usize, contestants: &mut [Contestant<'_>]) {
    for contestant in contestants.iter_mut() {
        (contestant.run)();
    }
    let rounds: Vec<Vec<f64>> = (0..rounds)
        .map(|_| {
            contestants
                .iter_mut()
                .map(|one| (one.run)().as_secs_f64())
                .collect()
        })
        .collect();
    println!("{title}: medians, and ratios to the first");
    for (index, contestant) in contestants.iter().enumerate() {
        let times: Vec<f64> = rounds.iter().map(|round| round[index]).collect();
        let ratios: Vec<f64> = rounds.iter().map(|round| round[index] / round[0]).collect();
        println!(
            "  {:32} {:>10.3} ms   {:>8.2} x",
            contestant.name,
            median(&times) * 1e3,
            median(&ratios),
        );
    }
    println!();
}

/// The median; NaN if there are no values.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// The quantile of the values, with linear interpolation; NaN if there are no values.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else {
        return f64::NAN;
    };
    let place = share.clamp(0.0, 1.0) * last as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and the last index"
    )]
    let below = place.floor() as usize;
    let above = (below + 1).min(last);
    sorted[below] + (sorted[above] - sorted[below]) * (place - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate() {
        let close = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-12, "{found}");
        close(median(&[3.0, 1.0, 2.0]), 2.0);
        close(median(&[4.0, 1.0, 3.0, 2.0]), 2.5);
        close(quantile(&[0.0, 10.0], 0.99), 9.9);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn contestants_take_turns() {
        let order = std::cell::RefCell::new(Vec::new());
        let mut both = ["a", "b"].map(|name| {
            let order = &order;
            Contestant::of(name, move || order.borrow_mut().push(name))
        });
        print_ratios("turns", 2, &mut both);
        drop(both);
        // One round of warmup, two that count.
        assert_eq!(order.into_inner(), ["a", "b", "a", "b", "a", "b"]);
    }
}
