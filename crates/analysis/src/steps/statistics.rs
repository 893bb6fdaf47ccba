//! Statistics over step durations.

use stepscope_model::{Session, Step, StepSpan, StringId};

use super::source;
use crate::overview::StepTime;
use crate::selection::Selected;

/// Steps needed before one can stand out.
const MIN_STEPS: usize = 5;
/// Robust deviations from the median (Iglewicz and Hoaglin's modified z-score).
const MAX_SCORE: f64 = 3.5;
/// Scales the median absolute deviation to the standard deviation of a normal distribution.
const MAD_SCALE: f64 = 0.6745;
/// Share of the median below which no difference matters.
const MIN_RATIO: f64 = 0.05;

/// Step time over the selected steps; absent without steps.
pub(crate) fn step_time(session: &Session, selected: &Selected<'_>) -> Option<StepTime> {
    let hosts = hosts_taking_part(session, selected);
    let durations: Vec<f64> = selected
        .step_positions()
        .into_iter()
        .filter_map(|step| duration_ps(selected, &hosts, &session.steps[step]))
        .collect();
    let count = durations.len();
    let source = source(session.step_origin.filter(|_| count > 0)?);
    let mean = durations.iter().sum::<f64>() / count as f64;
    let squares: f64 = durations
        .iter()
        .map(|duration| (duration - mean).powi(2))
        .sum();
    let stddev = if count > 1 {
        (squares / (count - 1) as f64).sqrt()
    } else {
        0.0
    };
    let min = durations.iter().copied().fold(f64::INFINITY, f64::min);
    let max = durations.iter().copied().fold(0.0, f64::max);
    Some(StepTime {
        mean,
        median: median(&durations),
        min: whole(min),
        max: whole(max),
        stddev,
        count,
        source,
    })
}

/// Steps of a series whose time is known, and its mean over all hosts and devices.
pub(super) fn series_time(session: &Session, series: StringId) -> (usize, Option<f64>) {
    let own = session
        .steps
        .iter()
        .filter(|step| step.series == Some(series));
    let all = own.clone().count();
    let times: Vec<f64> = own
        .filter(|step| !step.is_cut)
        .filter_map(|step| {
            let annotated = mean_ps(step, |span| span.device.is_none());
            annotated.or_else(|| mean_ps(step, |span| span.device.is_some()))
        })
        .collect();
    if times.is_empty() {
        return (all, None);
    }
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    (times.len(), Some(mean))
}

/// Mean over the selected steps of the mean over hosts of the host's annotation; none where no host
/// annotated its steps.
pub(crate) fn host_step_ps(session: &Session, selected: &Selected<'_>) -> Option<f64> {
    let hosts = hosts_taking_part(session, selected);
    let steps = selected.step_positions().into_iter();
    let (count, sum) = steps
        .filter_map(|step| annotation_ps(&hosts, &session.steps[step]))
        .fold((0usize, 0.0), |(count, sum), time| (count + 1, sum + time));
    (count > 0).then(|| sum / count as f64)
}

/// For each host: it is selected, and one of its devices is, where it has any.
fn hosts_taking_part(session: &Session, selected: &Selected<'_>) -> Vec<bool> {
    let mut has_devices = vec![false; session.hosts.len()];
    for id in session.device_ids() {
        has_devices[session.device(id).host.index()] = true;
    }
    let mut takes_part = vec![false; session.hosts.len()];
    for host in &selected.hosts {
        takes_part[host.index()] = !has_devices[host.index()];
    }
    for &id in &selected.devices {
        takes_part[session.device(id).host.index()] = true;
    }
    takes_part
}

/// The host's annotation, mean over the hosts that take part; else the mean over the selected
/// devices.
fn duration_ps(selected: &Selected<'_>, hosts: &[bool], step: &Step) -> Option<f64> {
    let is_selected =
        |span: &StepSpan| span.device.is_some_and(|id| selected.devices.contains(&id));
    annotation_ps(hosts, step).or_else(|| mean_ps(step, is_selected))
}

/// The host's annotation of a step, mean over the hosts that take part.
fn annotation_ps(hosts: &[bool], step: &Step) -> Option<f64> {
    mean_ps(step, |span| {
        span.device.is_none() && hosts[span.host.index()]
    })
}

/// Mean duration of a step's spans; none without any.
fn mean_ps(step: &Step, counts: impl Fn(&StepSpan) -> bool) -> Option<f64> {
    let spans = step.spans.iter().filter(|span| counts(span));
    let (count, sum) = spans.fold((0usize, 0.0), |(count, sum), span| {
        (count + 1, sum + span.span.duration().0 as f64)
    });
    (count > 0).then(|| sum / count as f64)
}

/// The middle value, or the mean of the two middle ones; 0 of nothing.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        length if length % 2 == 1 => sorted[middle],
        _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}

/// For each value: 0.6745·|x − median| ÷ MAD > 3.5 and at least 5 % of the median away. Where the
/// MAD is 0 (most values equal) the 5 % decide alone.
pub(crate) fn outliers(values: &[f64]) -> Vec<bool> {
    if values.len() < MIN_STEPS {
        return vec![false; values.len()];
    }
    let median_value = median(values);
    let deviations: Vec<f64> = values
        .iter()
        .map(|value| (value - median_value).abs())
        .collect();
    let mad = median(&deviations);
    let stands_out = |&deviation: &f64| {
        // Not divided by the MAD, so that a MAD of 0 makes every difference large.
        MAD_SCALE * deviation > MAX_SCORE * mad && deviation >= MIN_RATIO * median_value
    };
    deviations.iter().map(stands_out).collect()
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "rounded; durations are far below 2^63 ps"
)]
fn whole(value: f64) -> i64 {
    value.round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(values: &[f64]) -> Vec<usize> {
        let outliers = outliers(values);
        (0..values.len()).filter(|&index| outliers[index]).collect()
    }

    #[test]
    fn one_long_step_stands_out() {
        assert_eq!(marked(&[100.0, 101.0, 99.0, 100.5, 180.0, 99.5]), [4]);
        assert_eq!(
            marked(&[100.0, 100.0, 100.0, 100.0, 104.0]),
            Vec::<usize>::new()
        );
        assert_eq!(marked(&[100.0, 100.0, 100.0, 100.0, 106.0]), [4]);
        assert_eq!(marked(&[100.0, 100.0, 100.0, 500.0]), Vec::<usize>::new());
    }

    #[test]
    fn a_wide_spread_has_no_outliers() {
        assert_eq!(
            marked(&[50.0, 80.0, 100.0, 120.0, 150.0, 170.0]),
            Vec::<usize>::new()
        );
    }

    #[test]
    fn the_median_of_an_even_number_lies_between() {
        assert!((median(&[4.0, 1.0, 3.0, 2.0]) - 2.5).abs() < 1e-12);
        assert!((median(&[5.0, 1.0, 3.0]) - 3.0).abs() < 1e-12);
    }
}
