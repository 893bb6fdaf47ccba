//! Counters in an area. The value at a time is that of the last sample before it.

use rayon::prelude::*;
use stepscope_model::{Samples, Session, Span, TrackId, counter_unit};

use super::area_report::AreaCounter;
use crate::telling::places::track_title;

/// Maximum number of counters that are listed.
const MOST_COUNTERS: usize = 500;

/// The counters among the tracks that have a value in the window, in the order of the tracks, and how
/// many there are before the limit.
pub(super) fn counters(
    session: &Session,
    window: Span,
    tracks: &[TrackId],
) -> (Vec<AreaCounter>, usize) {
    let known = tracks
        .par_iter()
        .filter(|id| id.index() < session.tracks.len());
    let found = known.filter_map(|&id| {
        let samples = session.track(id).samples.as_ref()?;
        let values = Values::within(samples, window)?;
        Some((id, samples, values))
    });
    let mut found: Vec<_> = found.collect();
    let count = found.len();
    found.truncate(MOST_COUNTERS);
    let report = |(id, samples, values): (TrackId, &Samples, Values)| AreaCounter {
        track: id.0,
        name: track_title(session, id),
        unit: counter_unit(
            session.text(session.track(id).name),
            &samples.facts.description,
        )
        .unwrap_or_default()
        .to_owned(),
        sample_count: values.sample_count,
        first: values.first,
        last: values.last,
        min: values.min,
        mean: values.mean,
        max: values.max,
    };
    (found.into_iter().map(report).collect(), count)
}

/// The values of a counter in a window.
#[derive(Debug, PartialEq)]
struct Values {
    sample_count: i64,
    first: f64,
    last: f64,
    min: f64,
    mean: f64,
    max: f64,
}

impl Values {
    /// None if there is no finite value before the end of the window.
    fn within(samples: &Samples, window: Span) -> Option<Self> {
        let (start, end) = (window.start.0, window.end.0);
        let from = samples.times.partition_point(|&time| time < start);
        let to = samples.times.partition_point(|&time| time < end);
        // The value that holds when the window begins, unless a sample begins with it.
        let begins = samples.times.get(from).is_some_and(|&time| time == start) && from < to;
        let held = if begins { from } else { from.saturating_sub(1) };
        let (mut weighted, mut length) = (0.0, 0.0);
        let mut found: Option<Self> = None;
        for at in held..to {
            let value = samples.values[at];
            if !value.is_finite() {
                continue;
            }
            let until = samples.times.get(at + 1).map_or(end, |&next| next.min(end));
            let held_ps = until.saturating_sub(samples.times[at].max(start)) as f64;
            weighted += value * held_ps;
            length += held_ps;
            let values = found.get_or_insert(Self {
                sample_count: 0,
                first: value,
                last: value,
                min: value,
                mean: value,
                max: value,
            });
            values.sample_count += i64::from(at >= from);
            values.last = value;
            values.min = values.min.min(value);
            values.max = values.max.max(value);
        }
        let mut values = found?;
        if length > 0.0 {
            values.mean = weighted / length;
        }
        Some(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepscope_model::Picos;

    fn within(samples: &[(i64, f64)], start: i64, end: i64) -> Option<[f64; 6]> {
        let samples = Samples {
            times: samples.iter().map(|sample| sample.0).collect(),
            values: samples.iter().map(|sample| sample.1).collect(),
            ..Samples::default()
        };
        let window = Span::new(Picos(start), Picos(end));
        let values = Values::within(&samples, window)?;
        Some([
            values.sample_count as f64,
            values.first,
            values.last,
            values.min,
            values.mean,
            values.max,
        ])
    }

    const SAMPLES: [(i64, f64); 4] = [(0, 1.0), (90, 2.0), (95, 7.0), (200, 3.0)];

    #[test]
    fn a_sample_holds_until_the_next_one() {
        // 1 for 10, 2 for 5, 7 for 5.
        let mean = (10.0 * 1.0 + 5.0 * 2.0 + 5.0 * 7.0) / 20.0;
        assert_eq!(
            within(&SAMPLES, 80, 100),
            Some([2.0, 1.0, 7.0, 1.0, mean, 7.0])
        );
        // Nothing was sampled, but a value holds.
        assert_eq!(
            within(&SAMPLES, 100, 150),
            Some([0.0, 7.0, 7.0, 7.0, 7.0, 7.0])
        );
        // The last sample holds to the end of the area.
        assert_eq!(
            within(&SAMPLES, 190, 210),
            Some([1.0, 7.0, 3.0, 3.0, 5.0, 7.0])
        );
    }

    #[test]
    fn a_sample_at_the_start_replaces_the_one_before() {
        assert_eq!(
            within(&SAMPLES, 90, 95),
            Some([1.0, 2.0, 2.0, 2.0, 2.0, 2.0])
        );
    }

    #[test]
    fn the_time_before_the_first_sample_is_unknown() {
        assert_eq!(within(&SAMPLES[1..], 0, 50), None);
        // 2 for 5, 7 for 5; the 90 before are unknown.
        assert_eq!(
            within(&SAMPLES[1..], 0, 100),
            Some([2.0, 2.0, 7.0, 2.0, 4.5, 7.0])
        );
        assert_eq!(within(&[], 0, 100), None);
    }

    #[test]
    fn values_that_are_no_numbers_are_left_out() {
        assert_eq!(
            within(&[(0, f64::NAN), (10, 4.0), (20, f64::INFINITY)], 0, 30),
            Some([1.0, 4.0, 4.0, 4.0, 4.0, 4.0])
        );
        assert_eq!(within(&[(0, f64::NAN)], 0, 10), None);
    }

    #[test]
    fn an_instant_has_the_value_that_holds() {
        assert_eq!(
            within(&SAMPLES, 95, 95),
            Some([0.0, 2.0, 2.0, 2.0, 2.0, 2.0])
        );
    }
}
