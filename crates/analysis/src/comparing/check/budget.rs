//! Budgets as people write them: a metric and its limit.
//!
//! ```text
//! step_time=+2%          at most 2 % more than the baseline       device_busy=-5%   at most 5 % less
//! step_time=-5%          at least 5 % less
//! memory_peak=+100MiB    at most that much more                   step_time=+2ms    compilation_count=+0
//! step_time<=150ms       at most that, with or without baseline   device_busy>=80%
//! ```

use super::metric::Metric;
use super::report::FigureUnit;
use crate::asking::AnalysisError;
use crate::measuring::selection::parse_length;

/// A metric and its limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Budget {
    /// The budget as written.
    pub text: String,
    /// The limited metric.
    pub metric: Metric,
    pub(super) limit: Limit,
}

/// Limit of a metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Limit {
    /// The baseline's figure × (1 + this).
    Relative(f64),
    /// The baseline's figure + this, in the metric's unit.
    Increment(f64),
    /// This, in the metric's unit.
    Bound(f64),
}

impl Limit {
    /// The limit as a figure; none if it needs a baseline and there is none.
    pub(super) fn figure(self, baseline: Option<f64>) -> Option<f64> {
        match self {
            Self::Relative(ratio) => baseline.map(|figure| figure * (1.0 + ratio)),
            Self::Increment(change) => baseline.map(|figure| figure + change),
            Self::Bound(bound) => Some(bound),
        }
    }
}

impl Budget {
    /// All budgets of a list; each text may contain several, separated by commas.
    pub(super) fn parse_all(texts: &[String]) -> Result<Vec<Self>, AnalysisError> {
        let each = texts.iter().flat_map(|text| split_budgets(text));
        each.map(|text| Self::parse(&text)).collect()
    }

    /// `step_time=+2%`, `step_time<=150ms`.
    pub fn parse(text: &str) -> Result<Self, AnalysisError> {
        let text = text.trim();
        let wrong = |why: &str| {
            AnalysisError::Options(format!(
                "--budget {text:?}: {why}; write METRIC=+2%, METRIC=+100MiB or 'METRIC<=150ms'"
            ))
        };
        let (left, right) = text
            .rsplit_once('=')
            .ok_or_else(|| wrong("missing limit"))?;
        let right = right.trim();
        let is_change = right.starts_with(['+', '-']);
        let comparison = left.chars().next_back().filter(|_| !is_change);
        let name = match comparison {
            Some('<' | '>') => left[..left.len() - 1].trim_end().trim_end_matches('='),
            _ => left,
        };
        let metric = Metric::of(name.trim()).ok_or_else(|| {
            AnalysisError::Options(format!(
                "--budget {text:?}: unknown metric {:?}; available: {}",
                name.trim(),
                Metric::names()
            ))
        })?;
        let limit = if is_change {
            change(right, metric.unit())
        } else {
            let wanted = if metric.is_better_higher() { '>' } else { '<' };
            match comparison {
                Some(sign) if sign == wanted => figure(right, metric.unit()).map(Limit::Bound),
                Some('<' | '>') => {
                    let (word, sign) = if wanted == '<' {
                        ("lower", "<=")
                    } else {
                        ("higher", ">=")
                    };
                    return Err(wrong(&format!(
                        "{name} is better when {word}, so use {sign}"
                    )));
                }
                _ => return Err(wrong("a change starts with + or -, a bound with <= or >=")),
            }
        };
        let limit = limit
            .ok_or_else(|| wrong(&format!("{right:?} is not a {}", wanted_of(metric.unit()))))?;
        Ok(Self {
            text: text.to_owned(),
            metric,
            limit,
        })
    }

    /// Whether it cannot be checked without a baseline.
    pub const fn needs_baseline(&self) -> bool {
        !matches!(self.limit, Limit::Bound(_))
    }
}

/// Budgets separated by commas. Commas within names stay: a piece without `=` belongs to the next one.
pub fn split_budgets(text: &str) -> Vec<String> {
    let mut budgets = Vec::new();
    let mut begun = String::new();
    for piece in text.split(',') {
        begun.push_str(piece);
        let limit = begun.rsplit_once('=').map(|(_, limit)| limit.trim_start());
        let is_whole = limit.is_some_and(|limit| {
            limit.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first))
        });
        if is_whole {
            budgets.push(std::mem::take(&mut begun).trim().to_owned());
        } else {
            begun.push(',');
        }
    }
    let rest = begun.trim_end_matches(',').trim();
    if !rest.is_empty() {
        budgets.push(rest.to_owned());
    }
    budgets
}

fn change(text: &str, unit: FigureUnit) -> Option<Limit> {
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    let size = text.get(1..)?.trim();
    if let Some(percent) = size.strip_suffix('%') {
        return number(percent).map(|percent| Limit::Relative(sign * percent / 100.0));
    }
    figure(size, unit).map(|size| Limit::Increment(sign * size))
}

/// A non-negative figure in the unit of a metric.
fn figure(text: &str, unit: FigureUnit) -> Option<f64> {
    match unit {
        FigureUnit::Picos => parse_length(text).ok().map(|picos| picos as f64),
        FigureUnit::Bytes => bytes(text),
        FigureUnit::Count => number(text),
        FigureUnit::Ratio => match text.strip_suffix('%') {
            Some(percent) => number(percent).map(|percent| percent / 100.0),
            None => number(text),
        },
    }
}

fn number(text: &str) -> Option<f64> {
    let number: f64 = text.trim().parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number)
}

/// `512`, `100MiB`, `1.5 GB`.
fn bytes(text: &str) -> Option<f64> {
    const UNITS: [(&str, f64); 9] = [
        ("TiB", 1_099_511_627_776.0),
        ("GiB", 1_073_741_824.0),
        ("MiB", 1_048_576.0),
        ("KiB", 1024.0),
        ("TB", 1e12),
        ("GB", 1e9),
        ("MB", 1e6),
        ("kB", 1e3),
        ("B", 1.0),
    ];
    let found = UNITS.iter().find(|(name, _)| text.ends_with(name));
    let (digits, size) = match found {
        Some((name, size)) => (text.strip_suffix(name)?, *size),
        None => (text, 1.0),
    };
    number(digits).map(|number| number * size)
}

const fn wanted_of(unit: FigureUnit) -> &'static str {
    match unit {
        FigureUnit::Picos => "time such as 2ms or 150us",
        FigureUnit::Bytes => "size such as 100MiB",
        FigureUnit::Count => "number such as 3",
        FigureUnit::Ratio => "share such as 80%",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(text: &str) -> Limit {
        Budget::parse(text)
            .unwrap_or_else(|error| panic!("{error}"))
            .limit
    }

    fn error(text: &str) -> String {
        Budget::parse(text).expect_err(text).to_string()
    }

    #[test]
    fn limits_have_three_forms() {
        assert_eq!(limit("step_time=+2%"), Limit::Relative(0.02));
        assert_eq!(limit("device_busy = -5%"), Limit::Relative(-0.05));
        assert_eq!(limit("step_time=+1.5ms"), Limit::Increment(1.5e9));
        assert_eq!(
            limit("memory_peak=+100MiB"),
            Limit::Increment(104_857_600.0)
        );
        assert_eq!(limit("device_busy=-0.02"), Limit::Increment(-0.02));
        assert_eq!(limit("compilation_count=+0"), Limit::Increment(0.0));
        assert_eq!(limit("step_time=+0"), Limit::Increment(0.0));
        assert_eq!(limit("step_time<=150ms"), Limit::Bound(150e9));
        assert_eq!(limit("step_time=<=150ms"), Limit::Bound(150e9));
        assert_eq!(limit("device_busy >= 80%"), Limit::Bound(0.8));
        assert_eq!(limit("collective_bytes<=1.5GB"), Limit::Bound(1.5e9));
    }

    #[test]
    fn a_limit_follows_from_the_baseline() {
        assert_eq!(limit("memory_peak=+50%").figure(Some(200.0)), Some(300.0));
        assert_eq!(limit("memory_peak=+50B").figure(Some(200.0)), Some(250.0));
        assert_eq!(limit("memory_peak<=50B").figure(Some(200.0)), Some(50.0));
        assert_eq!(limit("memory_peak=+50%").figure(None), None);
        assert_eq!(limit("memory_peak<=50B").figure(None), Some(50.0));
    }

    #[test]
    fn ops_and_scopes_are_called_by_name() {
        let kernel = Budget::parse("op:gemm<1,2>=+5%").expect("a kernel");
        assert_eq!(kernel.metric, Metric::Op("gemm<1,2>".to_owned()));
        let bound = Budget::parse("op:dot.1<=2ms").expect("an op");
        assert_eq!(bound.metric, Metric::Op("dot.1".to_owned()));
        let scope = Budget::parse("scope:layer_0/attention=+5%").expect("a scope");
        assert_eq!(scope.metric.name(), "scope:layer_0/attention");
    }

    #[test]
    fn commas_stand_between_budgets_and_in_names() {
        let split = |text| split_budgets(text).join(" | ");
        assert_eq!(
            split("step_time=+2%, memory_peak<=1GiB"),
            "step_time=+2% | memory_peak<=1GiB"
        );
        assert_eq!(
            split("op:gemm<1,2>=+5%,step_time=+1%"),
            "op:gemm<1,2>=+5% | step_time=+1%"
        );
        assert_eq!(split("step_time"), "step_time");
    }

    #[test]
    fn what_is_no_budget_is_refused_with_what_would_be() {
        assert!(error("step_time").contains("missing limit"));
        let unknown = error("stp_time=+2%");
        assert!(
            unknown.contains("unknown metric \"stp_time\"; available: step_time, all_steps_time"),
            "{unknown}"
        );
        assert!(error("step_time=2%").contains("starts with + or -"));
        assert!(error("step_time=+2MiB").contains("is not a time such as"));
        assert!(error("memory_peak=+2ms").contains("is not a size such as"));
        assert!(error("step_time>=2ms").contains("better when lower, so use <="));
        assert!(error("device_busy<=80%").contains("better when higher, so use >="));
        for wrong in [
            "step_time=+",
            "step_time=+-2%",
            "step_time=+nan%",
            "op:=+2%",
            "=+2%",
        ] {
            assert!(Budget::parse(wrong).is_err(), "{wrong}");
        }
    }
}
