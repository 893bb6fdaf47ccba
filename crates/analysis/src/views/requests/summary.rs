//! Percentiles, phases and rates over all requests.

use super::collect::Collected;
use super::report::{PHASES, PercentileRow, PhaseRow, RequestRow, RequestsReport};
use stepscope_model::SaturatingSum as _;

/// Percentiles shown.
const PERCENTILES: [f64; 6] = [50.0, 75.0, 90.0, 95.0, 99.0, 99.9];

/// Nearest rank: the position, from 0, of the smallest value that at least `percent` % of `count` values
/// do not exceed.
pub(crate) fn rank(percent: f64, count: usize) -> usize {
    let rank = (percent / 100.0 * count as f64).ceil();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and the count"
    )]
    let rank = rank.max(1.0) as usize;
    rank.min(count) - 1
}

/// Everything but the rows.
pub(super) fn report(all: &Collected) -> RequestsReport {
    let mut sorted: Vec<&RequestRow> = all.requests.iter().collect();
    sorted.sort_by_key(|row| (row.latency_ps, row.start_ps));
    let count = sorted.len();
    let total: i64 = sorted.iter().map(|row| row.latency_ps).saturating_sum();
    let first = sorted.iter().map(|row| row.start_ps).min();
    let last = sorted.iter().map(|row| row.start_ps + row.latency_ps).max();
    let window_ps = first.zip(last).map_or(0, |(first, last)| last - first);
    let percentiles = PERCENTILES
        .into_iter()
        .filter(|_| count > 0)
        .map(|percent| {
            let row = sorted[rank(percent, count)];
            PercentileRow {
                percentile: percent,
                latency_ps: row.latency_ps,
                request_id: row.request_id.clone(),
                start_ps: row.start_ps,
                phases_ps: row.phases_ps.clone(),
            }
        });
    let phases = PHASES
        .iter()
        .enumerate()
        .filter(|_| count > 0)
        .map(|(at, word)| {
            let mut times: Vec<i64> = all.requests.iter().map(|row| row.phases_ps[at]).collect();
            times.sort_unstable();
            let sum: i64 = times.iter().saturating_sum();
            PhaseRow {
                phase: word.key.to_owned(),
                meaning: word.meaning.to_owned(),
                mean_ps: sum as f64 / count as f64,
                median_ps: times[rank(50.0, count)],
                high_ps: times[rank(90.0, count)],
                latency_ratio: (total > 0).then(|| sum as f64 / total as f64),
            }
        });
    let sized = all
        .batches
        .iter()
        .filter_map(|batch| batch.size.zip(batch.padding));
    let (size, padding) = sized.fold((0i64, 0i64), |(size, padding), (one, padded)| {
        (size.saturating_add(one), padding.saturating_add(padded))
    });
    RequestsReport {
        mean_ps: (count > 0).then(|| total as f64 / count as f64),
        throughput: (window_ps > 0).then(|| count as f64 / (window_ps as f64 * 1e-12)),
        concurrency_mean: (window_ps > 0).then(|| total as f64 / window_ps as f64),
        concurrency_max: concurrency(&all.requests),
        padding_ratio: (size > 0).then(|| padding as f64 / size as f64),
        percentiles: percentiles.collect(),
        phases: phases.collect(),
        rows: Vec::new(),
        row_count: 0,
        batches: all.batches.clone(),
        notes: Vec::new(),
    }
}

/// The largest number of requests open at the same time.
fn concurrency(requests: &[RequestRow]) -> usize {
    let mut changes: Vec<(i64, i64)> = requests
        .iter()
        .flat_map(|row| [(row.start_ps, 1), (row.start_ps + row.latency_ps, -1)])
        .collect();
    // At the same instant, ends come before starts.
    changes.sort_unstable();
    let (mut open, mut most) = (0i64, 0i64);
    for (_, change) in changes {
        open += change;
        most = most.max(open);
    }
    usize::try_from(most).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::rank;

    #[test]
    fn percentiles_by_nearest_rank() {
        assert_eq!(rank(50.0, 1), 0);
        assert_eq!(rank(50.0, 4), 1);
        assert_eq!(rank(75.0, 4), 2);
        assert_eq!(rank(99.9, 4), 3);
        assert_eq!(rank(99.0, 1000), 989);
    }
}
