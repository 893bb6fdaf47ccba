//! Thresholds of verdicts and advice: one table, and a small text format that replaces its entries.
//!
//! ```text
//! # key = good bad          in the unit of the key's suffix
//! device_busy_ratio = 0.9 0.7
//! compilation_ps = 1e12 5e12
//! ```
//!
//! A value strictly beyond the first number is good, strictly beyond the second is bad. Anything in
//! between, including both numbers, is a warning.

use serde::Serialize;
pub use threshold::Threshold;
pub(crate) use threshold::{larger, smaller};
use ts_rs::TS;

mod advice;
mod threshold;

use crate::telling::format;
pub use advice::ADVICE;

/// Good, warning, bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum VerdictKind {
    /// Beyond the good threshold.
    Good,
    /// Between the thresholds, both ends included.
    Warning,
    /// Beyond the bad threshold.
    Bad,
    /// Not recorded.
    Unknown,
    /// Known, but neither good nor bad here: what it limits is not what limits the program.
    Neutral,
}

impl VerdictKind {
    /// Whether both judge, and this one is worse.
    pub(crate) const fn is_worse_than(self, other: Self) -> bool {
        matches!(
            (self, other),
            (Self::Warning | Self::Bad, Self::Good) | (Self::Bad, Self::Warning)
        )
    }

    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Warning => "warning",
            Self::Bad => "bad",
            Self::Unknown => "unknown",
            Self::Neutral => "neutral",
        }
    }
}

/// The built-in table, in display order.
pub const DEFAULTS: [Threshold; 12] = [
    larger("device_busy_ratio", "Device busy", 0.8, 0.5),
    smaller("communication_ratio", "Only communicating", 0.1, 0.3),
    smaller("copy_ratio", "Only copying", 0.05, 0.3),
    larger("mfu_ratio", "MFU", 0.4, 0.2),
    smaller("host_overhead_ratio", "Host overhead", 0.1, 0.2),
    larger(
        "memory_bandwidth_ratio",
        "Bandwidth while computing",
        0.6,
        0.4,
    ),
    larger("kernel_duration_ps", "Kernel duration", 1e9, 1e8),
    larger("occupancy_ratio", "Occupancy of heavy kernels", 0.5, 0.5),
    smaller("dominant_op_ratio", "Largest op", 0.5, 0.5),
    smaller("top_op_ps", "Largest op, per step", 1e10, 5e10),
    smaller("compilation_ps", "Compilation", 2e12, 1e13),
    smaller("peak_memory_ratio", "Peak memory", 0.9, 0.9),
];

/// An invalid line in a thresholds file.
#[derive(Debug, thiserror::Error)]
#[error("thresholds, line {line}: {problem}: {text:?}")]
pub struct ThresholdsError {
    /// The line's number, from one.
    pub line: usize,
    /// What is wrong with it.
    pub problem: String,
    /// The line.
    pub text: String,
}

/// The table in force.
#[derive(Debug, Clone, PartialEq)]
pub struct Thresholds(Vec<Threshold>);

impl Default for Thresholds {
    fn default() -> Self {
        let mut table = DEFAULTS.to_vec();
        table.extend_from_slice(ADVICE);
        Self(table)
    }
}

impl Thresholds {
    /// The built-in table with the entries of the text replaced.
    ///
    /// # Errors
    ///
    /// A line is malformed or its key is unknown. The message says what is expected.
    pub fn parse(text: &str) -> Result<Self, ThresholdsError> {
        let mut table = Self::default();
        for (index, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let wrong = |problem: &str| ThresholdsError {
                line: index + 1,
                problem: problem.to_owned(),
                text: line.to_owned(),
            };
            let (key, values) = line
                .split_once('=')
                .ok_or_else(|| wrong("expected `key = good bad`"))?;
            let values: Vec<f64> = values
                .split([' ', '\t', ','])
                .filter(|word| !word.is_empty())
                .map(|word| word.parse().ok().filter(|value: &f64| value.is_finite()))
                .collect::<Option<_>>()
                .ok_or_else(|| wrong("expected two numbers"))?;
            let [good, bad] = values[..] else {
                return Err(wrong("expected two numbers"));
            };
            let entry = table.0.iter_mut().find(|entry| entry.key == key.trim());
            let Some(entry) = entry else {
                let known: Vec<&str> = Self::default().0.iter().map(|entry| entry.key).collect();
                let keys = known.join(", ");
                return Err(wrong(&format!("unknown key, expected one of {keys}")));
            };
            if (entry.is_larger_better && good < bad) || (!entry.is_larger_better && good > bad) {
                return Err(wrong("good and bad are swapped"));
            }
            (entry.good, entry.bad) = (good, bad);
        }
        Ok(table)
    }

    /// The entries used by the verdicts of `overview`, in display order.
    pub fn entries(&self) -> &[Threshold] {
        self.0.get(..DEFAULTS.len()).unwrap_or(&self.0)
    }

    /// The entry with this key, among those of verdicts and advice.
    pub fn get(&self, key: &str) -> Option<Threshold> {
        self.0.iter().find(|entry| entry.key == key).copied()
    }

    /// The verdict on compilation where the steps decide it, and the thresholds of that share: little compilation is much
    /// if steps are short. `judged` is the verdict on its time, `ratio` the share of the mean step in
    /// which devices wait for it.
    pub(crate) fn compilation_in_steps(
        &self,
        judged: VerdictKind,
        ratio: f64,
    ) -> Option<(VerdictKind, String)> {
        let threshold = self.get("compilation_in_steps_ratio")?;
        let waited = threshold.judge(ratio);
        waited
            .is_worse_than(judged)
            .then(|| (waited, threshold.text()))
    }

    /// The verdict on a figure; none if the table has no entry of that key.
    pub(crate) fn judge(&self, key: &str, value: f64) -> Option<VerdictKind> {
        self.get(key).map(|threshold| threshold.judge(value))
    }

    /// The entry of a rule. Without one, a threshold that passes everything.
    pub(crate) fn of_rule(&self, key: &str) -> Threshold {
        let none = smaller("unknown_ratio", "", f64::INFINITY, f64::INFINITY);
        self.get(key).unwrap_or(none)
    }
}

impl Threshold {
    /// The verdict on a figure.
    pub fn judge(&self, value: f64) -> VerdictKind {
        let is_beyond = |value: f64, bound: f64, upwards: bool| {
            if upwards {
                value > bound
            } else {
                value < bound
            }
        };
        if is_beyond(value, self.good, self.is_larger_better) {
            VerdictKind::Good
        } else if is_beyond(value, self.bad, !self.is_larger_better) {
            VerdictKind::Bad
        } else {
            VerdictKind::Warning
        }
    }

    /// `good > 80 %, bad < 50 %`
    pub fn text(&self) -> String {
        let (good, bad) = if self.is_larger_better {
            (">", "<")
        } else {
            ("<", ">")
        };
        format!(
            "good {good} {}, bad {bad} {}",
            without_zeros(&self.figure(self.good)),
            without_zeros(&self.figure(self.bad))
        )
    }

    /// A figure in the unit of the key's suffix.
    pub fn figure(&self, value: f64) -> String {
        if self.key.ends_with("_ps") {
            format::duration_ps(value)
        } else if self.key.ends_with("_count") {
            format!("{value}")
        } else {
            format::percent(value)
        }
    }
}

/// `80.0 %` as `80 %`: limits are round, unlike what was measured.
fn without_zeros(figure: &str) -> String {
    let (number, unit) = figure.split_once(' ').unwrap_or((figure, ""));
    if !number.contains('.') {
        return figure.to_owned();
    }
    let number = number.trim_end_matches('0').trim_end_matches('.');
    format!("{number} {unit}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(table: &Thresholds, key: &str, value: f64) -> VerdictKind {
        let entry = table
            .entries()
            .iter()
            .find(|entry| entry.key == key)
            .expect("known key");
        entry.judge(value)
    }

    #[test]
    fn an_exact_boundary_is_a_warning() {
        let table = Thresholds::default();
        let busy = |value| judge(&table, "device_busy_ratio", value);
        assert_eq!(busy(0.81), VerdictKind::Good);
        assert_eq!(busy(0.8), VerdictKind::Warning);
        assert_eq!(busy(0.5), VerdictKind::Warning);
        assert_eq!(busy(0.49), VerdictKind::Bad);
        let compilation = |value| judge(&table, "compilation_ps", value);
        assert_eq!(compilation(0.0), VerdictKind::Good);
        assert_eq!(compilation(2e12), VerdictKind::Warning);
        assert_eq!(compilation(1e13), VerdictKind::Warning);
        assert_eq!(compilation(1.1e13), VerdictKind::Bad);
        assert_eq!(
            judge(&table, "dominant_op_ratio", 0.5),
            VerdictKind::Warning
        );
    }

    #[test]
    fn a_text_replaces_entries() {
        let text = "# mine\n device_busy_ratio = 0.95 0.9 # strict\n\ncompilation_ps=1e12, 5e12";
        let table = Thresholds::parse(text).expect("well formed");
        assert_eq!(judge(&table, "device_busy_ratio", 0.85), VerdictKind::Bad);
        assert_eq!(judge(&table, "compilation_ps", 6e12), VerdictKind::Bad);
        assert_eq!(
            judge(&table, "host_overhead_ratio", 0.05),
            VerdictKind::Good
        );
        assert_eq!(table.entries()[0].text(), "good > 95 %, bad < 90 %");
    }

    #[test]
    fn limits_have_no_zeros_behind_the_point() {
        let text = |key: &str| Thresholds::default().get(key).expect("known").text();
        assert_eq!(text("kernel_duration_ps"), "good > 1 ms, bad < 100 µs");
        assert_eq!(text("compilation_ps"), "good < 2 s, bad > 10 s");
        assert_eq!(text("host_syncs_count"), "good < 2, bad > 10");
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        for (text, problem) in [
            ("\nnonsense", "line 2: expected `key = good bad`"),
            (
                "color = 1 2",
                "unknown key, expected one of device_busy_ratio",
            ),
            ("device_busy_ratio = 0.9", "expected two numbers"),
            ("device_busy_ratio = 0.9 x", "expected two numbers"),
            ("device_busy_ratio = 0.5 0.8", "swapped"),
        ] {
            let error = Thresholds::parse(text).expect_err(text).to_string();
            assert!(error.contains(problem), "{error}");
        }
    }
}
