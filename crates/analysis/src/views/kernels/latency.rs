//! Summary statistics of latencies.

/// Mean, percentiles and maximum of several latencies.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[expect(clippy::struct_field_names, reason = "units are suffixes")]
pub(crate) struct Latency {
    pub(crate) mean_ps: Option<f64>,
    pub(crate) p50_ps: Option<i64>,
    pub(crate) p99_ps: Option<i64>,
    pub(crate) max_ps: Option<i64>,
}

impl Latency {
    /// Percentiles by nearest rank: the smallest latency that at least that share does not exceed.
    pub(crate) fn of(mut latencies: Vec<i64>) -> Self {
        latencies.sort_unstable();
        let count = latencies.len();
        let sum: f64 = latencies.iter().map(|&latency| latency as f64).sum();
        let rank = |percent: usize| {
            let rank = (count * percent).div_ceil(100).max(1);
            latencies.get(rank - 1).copied()
        };
        Self {
            mean_ps: (count > 0).then(|| sum / count as f64),
            p50_ps: rank(50),
            p99_ps: rank(99),
            max_ps: latencies.last().copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Latency;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let latency = Latency::of((1..=200).rev().collect());
        assert_eq!(latency.mean_ps, Some(100.5));
        assert_eq!(
            (latency.p50_ps, latency.p99_ps, latency.max_ps),
            (Some(100), Some(198), Some(200))
        );
        assert_eq!(Latency::of(vec![7]).p99_ps, Some(7));
        assert_eq!(Latency::of(Vec::new()), Latency::default());
    }
}
