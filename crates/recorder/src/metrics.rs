//! The metrics of a run as lines of a chart, and what a metric was just before an incident.

use crate::points::POINTS_MAX;
use crate::report::{IncidentMetric, MetricPoint, RunMetric};
use crate::ring::RingMetric;

const NS_PER_MS: i64 = 1_000_000;
/// Values that an incident tells.
const BEFORE: usize = 6;

/// A value with its step and its end.
type Value = (i64, i64, f64);

/// A metric over the steps of a rank.
pub(crate) fn line(rank: u32, metric: &RingMetric) -> RunMetric {
    let size = metric.values.len().div_ceil(POINTS_MAX).max(1);
    RunMetric {
        name: metric.name.clone(),
        rank,
        points: metric.values.chunks(size).filter_map(point).collect(),
    }
}

fn point(values: &[Value]) -> Option<MetricPoint> {
    let (first, last) = (values.first()?, values.last()?);
    let finite = || values.iter().map(|one| one.2).filter(|one| one.is_finite());
    let not_finite = values.iter().find(|one| !one.2.is_finite());
    Some(MetricPoint {
        step_first: first.0,
        step_last: last.0,
        ended_epoch_ms: u64::try_from(last.1 / NS_PER_MS).unwrap_or_default(),
        last: finite().next_back(),
        least: finite().reduce(f64::min),
        most: finite().reduce(f64::max),
        not_finite_step: not_finite.map(|one| one.0),
        not_finite: not_finite.map(|one| text(one.2)).unwrap_or_default(),
    })
}

/// The newest values of a metric until a step; `None` if the ring no longer has any.
pub(crate) fn before(metric: &RingMetric, step: i64) -> Option<IncidentMetric> {
    let until = metric.values.iter().filter(|one| one.0 <= step);
    let until: Vec<&Value> = until.collect();
    let newest = &until[until.len().saturating_sub(BEFORE)..];
    Some(IncidentMetric {
        name: metric.name.clone(),
        step_first: newest.first()?.0,
        step_last: newest.last()?.0,
        values: newest.iter().map(|one| text(one.2)).collect(),
    })
}

/// A value with six digits.
fn text(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    let size = value.abs();
    if value.is_finite() && size != 0.0 && !(1e-4..1e15).contains(&size) {
        return format!("{value:.5e}");
    }
    let short: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    short.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metric(values: impl Iterator<Item = (i64, f64)>) -> RingMetric {
        let values = values.map(|(step, value)| (step, step * NS_PER_MS, value));
        RingMetric {
            name: "loss".to_owned(),
            values: values.collect(),
        }
    }

    #[test]
    fn a_long_line_keeps_its_extremes_and_the_first_nan() {
        let value = |step: i64| match step {
            5_000 => 100.0,
            7_001 | 7_002 => f64::NAN,
            _ => 2.0,
        };
        let metric = metric((0..10_000).map(|step| (step, value(step))));
        let line = line(3, &metric);
        assert!(line.points.len() <= POINTS_MAX, "{}", line.points.len());
        let peaks = line.points.iter().filter(|one| one.most == Some(100.0));
        assert_eq!((line.rank, peaks.count()), (3, 1));
        let mut nans = line.points.iter().filter_map(|one| one.not_finite_step);
        assert_eq!(nans.next(), Some(7_001));
        assert!(
            line.points
                .iter()
                .all(|one| one.last == Some(2.0) || one.most == Some(100.0))
        );
    }

    #[test]
    fn an_incident_tells_how_its_metric_came_there() {
        let metric = metric((0..9).map(|step| (step, 1.0 / (8 - step) as f64)));
        let told = before(&metric, 8).expect("values");
        assert_eq!((told.step_first, told.step_last), (3, 8));
        assert_eq!(told.values, ["0.2", "0.25", "0.333333", "0.5", "1", "inf"]);
        assert_eq!(before(&metric, -1), None);
    }

    #[test]
    fn values_are_short() {
        for (value, short) in [
            (2.345_678_9, "2.34568"),
            (1e-9, "1.00000e-9"),
            (f64::NEG_INFINITY, "-inf"),
            (0.0, "0"),
            (123_456_789.0, "123457000"),
        ] {
            assert_eq!(text(value), short);
        }
    }
}
