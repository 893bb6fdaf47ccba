//! Whether something takes more than in proportion to its input: the time for twice as much ÷ the
//! time for as much.

use std::process::ExitCode;
use std::time::Duration;

use crate::paired::median;

/// Twice the input may take this much more time.
pub const MOST: f64 = 2.3;
/// Less is not told from noise.
const LEAST: Duration = Duration::from_millis(3);
const ROUNDS: usize = 5;

/// How many sizes there are, each twice the one before.
pub const SIZES: usize = 3;

/// What was measured so far.
#[derive(Debug, Default)]
pub struct Growth {
    failed: Vec<String>,
}

impl Growth {
    /// Measures something at the first size and at the second, by their numbers. A ratio beyond the
    /// limit is measured again at the second and the third: one that stays is the code's, one that
    /// does not is the processor's caches.
    #[expect(
        clippy::print_stdout,
        reason = "the figures are for whoever runs the bench"
    )]
    pub fn of(&mut self, what: &str, mut run: impl FnMut(usize) -> Duration) {
        let first = Ratio::of(&mut run);
        if !first.is_beyond() {
            println!("  {what:24} {first}");
            return;
        }
        let again = Ratio::of(|at| run(at + 1));
        let verdict = if again.is_beyond() {
            self.failed.push(what.to_owned());
            "  GROWS FASTER"
        } else {
            ""
        };
        println!("  {what:24} {first}; at twice the size {again}{verdict}");
    }

    /// Fails if anything grew faster than its input.
    #[expect(
        clippy::print_stdout,
        reason = "the figures are for whoever runs the bench"
    )]
    pub fn verdict(self) -> ExitCode {
        if self.failed.is_empty() {
            return ExitCode::SUCCESS;
        }
        println!("beyond {MOST}: {}", self.failed.join(", "));
        ExitCode::FAILURE
    }
}

/// The times of two sizes.
#[derive(Debug)]
struct Ratio {
    small_s: f64,
    large_s: f64,
    factor: f64,
}

impl Ratio {
    /// The medians over rounds, in each of which both are measured.
    fn of(mut run: impl FnMut(usize) -> Duration) -> Self {
        let rounds: Vec<[f64; 2]> = (0..ROUNDS)
            .map(|_| [0, 1].map(|at| run(at).as_secs_f64()))
            .collect();
        let of =
            |figure: fn(&[f64; 2]) -> f64| median(&rounds.iter().map(figure).collect::<Vec<f64>>());
        Self {
            small_s: of(|round| round[0]),
            large_s: of(|round| round[1]),
            factor: of(|round| round[1] / round[0]),
        }
    }

    fn is_beyond(&self) -> bool {
        self.factor > MOST && self.large_s > LEAST.as_secs_f64()
    }
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "{:>10.3} ms {:>8.2} x",
            self.small_s * 1e3,
            self.factor
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(seconds: [f64; SIZES]) -> Vec<String> {
        let mut growth = Growth::default();
        growth.of("it", |at| Duration::from_secs_f64(seconds[at]));
        growth.failed
    }

    #[test]
    fn only_what_stays_beyond_the_limit_fails() {
        assert!(failed([1.0, 2.0, 4.0]).is_empty());
        assert_eq!(failed([1.0, 4.0, 16.0]), ["it"]);
        // The processor's caches.
        assert!(failed([1.0, 3.0, 6.0]).is_empty());
        // Noise.
        assert!(failed([1e-6, 1e-5, 1e-4]).is_empty());
    }
}
