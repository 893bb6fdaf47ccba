//! Statistics over step durations.

use stepscope_model::{DeviceId, HostId, Picos, Session, Span, Step, StepSpan, StringId};

use crate::measuring::interval::Intervals;
use crate::measuring::selection::{Selected, device_span, following, other_steps, steps_of_series};
use crate::measuring::steps::StepTime;
use crate::measuring::steps::marks::marks;

/// Minimum number of steps for estimating a spread.
const MIN_STEPS: usize = 5;
/// Minimum number of steps for one of them to stand apart from the others.
pub(crate) const MIN_APART: usize = 3;
/// A step that stands apart takes more than this many times the median.
const APART_RATIO: f64 = 2.0;
/// Robust deviations from the median (Iglewicz and Hoaglin's modified z-score).
const MAX_SCORE: f64 = 3.5;
/// Scales the median absolute deviation to the standard deviation of a normal distribution.
const MAD_SCALE: f64 = 0.6745;
/// Smallest difference that matters, as a share of the median.
const MIN_RATIO: f64 = 0.05;

/// Step time over the selected steps; absent without steps.
pub(crate) fn step_time(session: &Session, selected: &Selected<'_>) -> Option<StepTime> {
    let hosts = hosts_taking_part(session, selected);
    let positions = selected.step_positions();
    let durations: Vec<f64> = positions
        .iter()
        .filter_map(|&step| duration_ps(selected, &hosts, &session.steps[step]))
        .collect();
    let count = durations.len();
    let source = session.step_origin.filter(|_| count > 0)?.into();
    let series = positions
        .first()
        .and_then(|&at| session.steps.get(at)?.series);
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
    let apart = apart(session, selected, &hosts);
    let warm_up = selected.warm_up().into_iter();
    let warm_up = warm_up.map(|step| session.steps[step.position].number);
    Some(StepTime {
        mean,
        median: median(&durations),
        min: whole(min),
        max: whole(max),
        stddev,
        count,
        between: apart.between,
        other_steps: apart.others,
        source,
        marks: marks(session, series),
        warm_up: warm_up.collect(),
    })
}

/// Mean time from the end of a step to the start of the next, in picoseconds.
#[derive(Debug, Clone, Copy, Default)]
struct Apart {
    /// In no step.
    between: f64,
    /// In steps of other series.
    others: f64,
}

impl Apart {
    fn mean(all: impl Iterator<Item = Self>) -> Option<Self> {
        let (mut count, mut sum) = (0usize, Self::default());
        for one in all {
            count += 1;
            sum.between += one.between;
            sum.others += one.others;
        }
        (count > 0).then(|| Self {
            between: sum.between / count as f64,
            others: sum.others / count as f64,
        })
    }

    /// From an end to the next start; steps that overlap have nothing between them.
    fn of(end: Picos, start: Picos, others: &Intervals) -> Self {
        let gap = Span::new(end, start);
        let within = others.duration_within(gap).0 as f64;
        Self {
            between: gap.duration().0 as f64 - within,
            others: within,
        }
    }
}

/// From the end of a selected step to the start of the next of its series ([`following`]): mean over
/// pairs of steps of the mean over devices, or over hosts where no device has a span.
fn apart(session: &Session, selected: &Selected<'_>, hosts: &[bool]) -> Apart {
    let pairs = following(session, &selected.step_positions());
    let Some(&[first, _]) = pairs.first() else {
        return Apart::default();
    };
    let others = other_steps(session, session.steps[first].series);
    let of_others = |span: &dyn Fn(&Step) -> Option<Span>| {
        let spans = others.iter().filter_map(|&at| span(&session.steps[at]));
        Intervals::union_of(spans.collect())
    };
    let devices = selected.main_devices.iter().map(|&device| {
        let span = move |step: &Step| device_span(step, session, device);
        (device, of_others(&span))
    });
    let devices: Vec<(DeviceId, Intervals)> = devices.collect();
    let taking_part = selected.hosts.iter().filter(|host| hosts[host.index()]);
    let taking_part = taking_part.map(|&host| {
        let span = move |step: &Step| step.annotation(host).map(|on| on.span);
        (host, of_others(&span))
    });
    let taking_part: Vec<(HostId, Intervals)> = taking_part.collect();
    let of_pairs = pairs.iter().filter_map(|pair| {
        let [before, after] = pair.map(|step| &session.steps[step]);
        let on_devices = devices.iter().filter_map(|(device, others)| {
            let end = device_span(before, session, *device)?.end;
            let start = device_span(after, session, *device)?.start;
            Some(Apart::of(end, start, others))
        });
        let on_hosts = taking_part.iter().filter_map(|(host, others)| {
            let end = before.annotation(*host)?.span.end;
            Some(Apart::of(end, after.annotation(*host)?.span.start, others))
        });
        Apart::mean(on_devices).or_else(|| Apart::mean(on_hosts))
    });
    Apart::mean(of_pairs).unwrap_or_default()
}

/// Number of steps of a series whose time is known, and their mean over all hosts, or over all devices
/// where no host has a span. If no time is known: the number of all its steps, and none.
pub(crate) fn series_time(session: &Session, series: StringId) -> (usize, Option<f64>) {
    let own = session.steps.iter();
    let all = own.filter(|step| step.series == Some(series)).count();
    let times: Vec<f64> = steps_of_series(session, Some(series))
        .into_iter()
        .filter_map(|position| {
            let step = &session.steps[position];
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

/// Mean over the selected steps of the mean over hosts of the annotation's duration. None if no host
/// annotated its steps.
pub(crate) fn host_step_ps(session: &Session, selected: &Selected<'_>) -> Option<f64> {
    let hosts = hosts_taking_part(session, selected);
    let steps = selected.step_positions().into_iter();
    let (count, sum) = steps
        .filter_map(|step| annotation_ps(&hosts, &session.steps[step]))
        .fold((0usize, 0.0), |(count, sum), time| (count + 1, sum + time));
    (count > 0).then(|| sum / count as f64)
}

/// For each host, whether it takes part: one of its devices is selected, or it has no devices and is
/// selected itself.
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

/// Duration of a step: the mean of the annotation over the hosts that take part, else the mean over
/// the main devices.
fn duration_ps(selected: &Selected<'_>, hosts: &[bool], step: &Step) -> Option<f64> {
    let is_main = |span: &StepSpan| span.device.is_some_and(|id| selected.is_main(id));
    annotation_ps(hosts, step).or_else(|| mean_ps(step, is_main))
}

/// Duration of a step's annotation, mean over the hosts that take part.
fn annotation_ps(hosts: &[bool], step: &Step) -> Option<f64> {
    mean_ps(step, |span| {
        span.device.is_none() && hosts[span.host.index()]
    })
}

/// Mean duration of the step's spans that `counts` accepts; none if there are none.
fn mean_ps(step: &Step, counts: impl Fn(&StepSpan) -> bool) -> Option<f64> {
    let spans = step.spans.iter().filter(|span| counts(span));
    let (count, sum) = spans.fold((0usize, 0.0), |(count, sum), span| {
        (count + 1, sum + span.span.duration().0 as f64)
    });
    (count > 0).then(|| sum / count as f64)
}

/// The arithmetic mean; none if there are no values.
pub(crate) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0usize, 0.0), |(count, sum), value| {
        (count + 1, sum + value)
    });
    (count > 0).then(|| sum / count as f64)
}

/// The middle value, or the mean of the two middle ones; 0 if there are no values.
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

/// For each value, whether it is farther from the median than the spread explains ([`is_far`]), or is
/// one of a few that stand apart above all others ([`bound_of_apart`]).
pub(crate) fn outliers(values: &[f64]) -> Vec<bool> {
    let middle = median(values);
    let deviations: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    let mad = median(&deviations);
    let has_spread = values.len() >= MIN_STEPS;
    let apart = bound_of_apart(values, middle);
    let stands_out = |(&value, &deviation): (&f64, &f64)| {
        has_spread && is_far(deviation, mad, middle) || apart.is_some_and(|bound| value >= bound)
    };
    values.iter().zip(&deviations).map(stands_out).collect()
}

/// Whether 0.6745·|x − median| ÷ MAD > 3.5 and |x − median| is at least 5 % of the median. If the MAD
/// is 0 (most values are equal), only the 5 % rule applies.
fn is_far(deviation: f64, mad: f64, middle: f64) -> bool {
    // Multiplied instead of divided by the MAD, so that a MAD of 0 makes every difference large.
    MAD_SCALE * deviation > MAX_SCORE * mad && deviation >= MIN_RATIO * middle
}

/// The smallest of the values above twice the median, if the gap between them and the other values is
/// wider than the range of the others. This needs no estimate of the spread, so three values suffice.
fn bound_of_apart(values: &[f64], middle: f64) -> Option<f64> {
    if values.len() < MIN_APART {
        return None;
    }
    let limit = APART_RATIO * middle;
    let (long, others): (Vec<f64>, Vec<f64>) = values.iter().partition(|&&value| value > limit);
    let first = long.into_iter().reduce(f64::min)?;
    let low = others.iter().copied().reduce(f64::min)?;
    let high = others.iter().copied().reduce(f64::max)?;
    (first - high > high - low).then_some(first)
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
    }

    #[test]
    fn few_steps_suffice_for_one_that_stands_apart() {
        assert_eq!(marked(&[6.0, 17.0, 6.2]), [1]);
        assert_eq!(marked(&[100.0, 100.0, 100.0, 500.0]), [3]);
        assert_eq!(marked(&[6.0, 17.0]), Vec::<usize>::new(), "which is usual?");
        assert_eq!(marked(&[8.0, 5.0, 17.0]), [2]);
        assert_eq!(marked(&[9.0, 5.0, 12.0]), Vec::<usize>::new());
        // Half of the steps are not an exception.
        assert_eq!(marked(&[6.0, 6.1, 17.0, 17.1]), Vec::<usize>::new());
    }

    #[test]
    fn a_wide_spread_does_not_hide_a_step_beyond_all_of_it() {
        // MAD 2, median 7: 0.6745 · 10 ÷ 2 is 3.37, below 3.5.
        let wide = [3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 9.5, 17.0];
        assert!(!is_far(17.0 - 7.0, 2.0, 7.0));
        assert_eq!(marked(&wide), [8]);
        // One far step among others nearly as far is a tail.
        assert_eq!(
            marked(&[3.0, 4.0, 5.0, 6.0, 9.0, 12.0, 14.0, 17.0]),
            Vec::<usize>::new()
        );
    }

    /// Exponential times have a long tail, and a few steps in the tail are not outliers.
    #[test]
    fn draws_of_one_distribution_rarely_stand_apart() {
        let mut state = 7u64;
        let mut draw = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 11) as f64 + 0.5) / (1u64 << 53) as f64
        };
        for count in [3, 4, 5, 10, 20] {
            let mut found = 0;
            for _ in 0..2000 {
                // A step takes 5, plus 1 on average, as on a busy machine.
                let values: Vec<f64> = (0..count).map(|_| 5.0 - draw().ln()).collect();
                let middle = median(&values);
                found += usize::from(bound_of_apart(&values, middle).is_some());
            }
            assert!(found <= 60, "{found} of 2000 with {count} steps");
        }
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
