//! The distribution of many durations in little memory: exact for few durations, otherwise counts in
//! buckets that grow with the duration, so memory use does not depend on the number of slices.

/// Up to this many durations are kept exactly.
const EXACT: usize = 256;
/// log2 of the number of buckets per doubling of the duration: a bucket spans at most 1/128 of its
/// durations.
const BITS: u32 = 7;

/// Non-negative durations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Durations {
    /// All durations, in the order in which they were added.
    Exact(Vec<i64>),
    /// Bucket and count, ascending.
    Buckets(Vec<(u32, u32)>),
}

impl Default for Durations {
    fn default() -> Self {
        Self::Exact(Vec::new())
    }
}

impl Durations {
    /// Adds one duration.
    pub(super) fn add(&mut self, duration: i64) {
        match self {
            Self::Exact(all) if all.len() < EXACT => all.push(duration),
            Self::Exact(_) => {
                self.count_in_buckets();
                self.add(duration);
            }
            Self::Buckets(buckets) => add_to(buckets, bucket_of(duration), 1),
        }
    }

    /// Adds all durations of another distribution.
    pub(super) fn merge(&mut self, other: Self) {
        match other {
            Self::Exact(all) => all.into_iter().for_each(|duration| self.add(duration)),
            Self::Buckets(others) => {
                self.count_in_buckets();
                if let Self::Buckets(buckets) = self {
                    for (bucket, count) in others {
                        add_to(buckets, bucket, count);
                    }
                }
            }
        }
    }

    /// The percentile by nearest rank: the shortest duration that at least `percent` % do not exceed.
    /// Accurate to 0.4 % if there are more than 256 durations.
    pub(super) fn percentile(&self, percent: u64) -> Option<i64> {
        let rank = |count: u64| (count * percent).div_ceil(100).max(1);
        match self {
            Self::Exact(all) => {
                let mut sorted = all.clone();
                sorted.sort_unstable();
                let rank = usize::try_from(rank(sorted.len() as u64)).ok()?;
                sorted.get(rank - 1).copied()
            }
            Self::Buckets(buckets) => {
                let count = buckets.iter().map(|&(_, count)| u64::from(count)).sum();
                let mut left = rank(count);
                let found = buckets.iter().find(|&&(_, count)| {
                    let is_here = u64::from(count) >= left;
                    left = left.saturating_sub(u64::from(count));
                    is_here
                });
                found.map(|&(bucket, _)| middle_of(bucket))
            }
        }
    }

    fn count_in_buckets(&mut self) {
        if let Self::Exact(all) = self {
            let mut buckets = Vec::new();
            for &duration in all.iter() {
                add_to(&mut buckets, bucket_of(duration), 1);
            }
            *self = Self::Buckets(buckets);
        }
    }
}

fn add_to(buckets: &mut Vec<(u32, u32)>, bucket: u32, count: u32) {
    match buckets.binary_search_by_key(&bucket, |&(bucket, _)| bucket) {
        Ok(at) => buckets[at].1 = buckets[at].1.saturating_add(count),
        Err(at) => buckets.insert(at, (bucket, count)),
    }
}

/// Durations below 256 have a bucket each. Above, the leading eight bits determine the bucket.
///
/// ```text
/// duration   1xxxxxxx yyyy…      bucket = shift · 128 + 1xxxxxxx, shift = number of y
/// ```
fn bucket_of(duration: i64) -> u32 {
    let duration = u64::try_from(duration).unwrap_or(0);
    let shift = (u64::BITS - duration.leading_zeros()).saturating_sub(BITS + 1);
    let head = u32::try_from(duration >> shift).unwrap_or(u32::MAX);
    (shift << BITS) + head
}

/// The middle of a bucket.
fn middle_of(bucket: u32) -> i64 {
    let shift = (bucket >> BITS).saturating_sub(1);
    let head = u64::from(bucket - (shift << BITS));
    let middle = (head << shift) + ((1u64 << shift) >> 1);
    i64::try_from(middle).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(durations: impl IntoIterator<Item = i64>) -> Durations {
        let mut all = Durations::default();
        durations.into_iter().for_each(|one| all.add(one));
        all
    }

    #[test]
    fn few_are_exact() {
        assert_eq!(of([]).percentile(95), None);
        assert_eq!(of([7]).percentile(95), Some(7));
        assert_eq!(of((1..=20).rev()).percentile(95), Some(19));
        assert_eq!(of(1..=256).percentile(95), Some(244));
    }

    #[test]
    fn many_are_near() {
        for scale in [1, 1_000, 1_000_003, 1_000_000_007] {
            let all = of((1..=10_000).map(|number| number * scale));
            assert!(matches!(all, Durations::Buckets(_)));
            for percent in [1, 50, 95, 100] {
                let exact = 100 * scale * i64::try_from(percent).expect("small");
                let found = all.percentile(percent).expect("there are some");
                let error = (found - exact).unsigned_abs();
                assert!(
                    error * 250 <= exact.unsigned_abs(),
                    "{found} is not {exact}"
                );
            }
        }
        let longest = of(std::iter::repeat_n(i64::MAX, 300));
        assert!(longest.percentile(95).expect("some") > i64::MAX / 256 * 255);
        assert_eq!(of(std::iter::repeat_n(0, 300)).percentile(95), Some(0));
    }

    #[test]
    fn buckets_ascend_and_hold_their_middle() {
        let mut last = 0;
        for duration in 0..2000 {
            let bucket = bucket_of(duration);
            assert!(bucket == last || bucket == last + 1, "{duration}");
            last = bucket;
        }
        for duration in (0..2000).chain((0..50).map(|power| 3i64 << power)) {
            let bucket = bucket_of(duration);
            assert_eq!(bucket_of(middle_of(bucket)), bucket, "{duration}");
        }
    }

    #[test]
    fn merging_is_like_adding() {
        for (left, right) in [(3, 4), (200, 200), (1000, 3), (3, 1000), (1000, 1000)] {
            let mut merged = of(0..left);
            merged.merge(of(0..right));
            let together = of((0..left).chain(0..right));
            match (&merged, &together) {
                (Durations::Exact(_), _) => assert_eq!(merged, together),
                _ => assert_eq!(merged.percentile(95), together.percentile(95)),
            }
        }
    }
}
