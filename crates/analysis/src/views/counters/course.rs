//! The values of a counter over time: all samples if there are few, else one point per time interval.

use super::Sample;
use super::report::CounterPoint;

/// Maximum number of points; more cannot be drawn.
pub(super) const MOST_POINTS: usize = 4096;

/// All samples if there are at most `points`. Otherwise, the time is divided into that many equal
/// intervals, each with the mean, minimum and maximum of its samples; empty intervals are left out.
pub(super) fn course(samples: &[Sample], points: usize) -> Vec<CounterPoint> {
    if points == 0 {
        return Vec::new();
    }
    if samples.len() <= points {
        let one = |sample: &Sample| CounterPoint {
            at_ps: sample.time,
            mean: sample.value,
            min: sample.value,
            max: sample.value,
        };
        return samples.iter().map(one).collect();
    }
    let (Some(first), Some(last)) = (samples.first(), samples.last()) else {
        return Vec::new();
    };
    let parts = i128::try_from(points).unwrap_or(1);
    let length = i128::from(last.time) - i128::from(first.time) + 1;
    let part =
        |sample: &Sample| (i128::from(sample.time) - i128::from(first.time)) * parts / length;
    let chunks = samples.chunk_by(|a, b| part(a) == part(b));
    let point = |chunk: &[Sample]| {
        let count = chunk.len() as f64;
        let middle = chunk
            .get(chunk.len() / 2)
            .map_or(first.time, |sample| sample.time);
        CounterPoint {
            at_ps: middle,
            mean: chunk.iter().map(|sample| sample.value / count).sum(),
            min: chunk
                .iter()
                .map(|sample| sample.value)
                .fold(f64::INFINITY, f64::min),
            max: chunk
                .iter()
                .map(|sample| sample.value)
                .fold(f64::NEG_INFINITY, f64::max),
        }
    };
    chunks.map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(values: &[(i64, f64)]) -> Vec<Sample> {
        let sample = |&(time, value)| Sample {
            time,
            value,
            exact: None,
        };
        values.iter().map(sample).collect()
    }

    #[test]
    fn many_samples_become_parts_that_keep_their_extremes() {
        let all = samples(&[(0, 1.0), (1, 9.0), (2, 2.0), (90, 5.0), (99, 7.0)]);
        let parts = course(&all, 2);
        assert_eq!(parts.len(), 2);
        assert_eq!((parts[0].mean, parts[0].min, parts[0].max), (4.0, 1.0, 9.0));
        assert_eq!((parts[1].mean, parts[1].min, parts[1].max), (6.0, 5.0, 7.0));
        assert_eq!(course(&all, 5).len(), 5);
        assert!(course(&all, 0).is_empty());
        let far = samples(&[(i64::MIN, 1.0), (0, 2.0), (i64::MAX, 3.0)]);
        assert_eq!(course(&far, 2).len(), 2);
    }
}
