//! Sets of bytes of a file.

use std::ops::Range;

/// Which bytes of a file are meant: ranges that neither overlap nor touch, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Ranges(Vec<Range<u64>>);

impl Ranges {
    /// Adds a range; an empty one adds nothing.
    pub(crate) fn add(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let first = self.0.partition_point(|known| known.end < range.start);
        let after = self.0.partition_point(|known| known.start <= range.end);
        let touched = &self.0[first..after];
        let start = touched
            .first()
            .map_or(range.start, |known| known.start.min(range.start));
        let end = touched
            .last()
            .map_or(range.end, |known| known.end.max(range.end));
        self.0.splice(first..after, std::iter::once(start..end));
    }

    /// What of `wanted` is not in here.
    pub(crate) fn missing(&self, wanted: &Range<u64>) -> Vec<Range<u64>> {
        let mut missing = Vec::new();
        let mut position = wanted.start;
        let first = self.0.partition_point(|known| known.end <= wanted.start);
        for known in &self.0[first..] {
            if known.start >= wanted.end {
                break;
            }
            if position < known.start {
                missing.push(position..known.start);
            }
            position = known.end;
        }
        if position < wanted.end {
            missing.push(position..wanted.end);
        }
        missing
    }
}

impl FromIterator<Range<u64>> for Ranges {
    fn from_iter<I: IntoIterator<Item = Range<u64>>>(ranges: I) -> Self {
        let mut set = Self::default();
        ranges.into_iter().for_each(|range| set.add(range));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::Ranges;

    #[test]
    fn ranges_that_touch_or_overlap_are_one() {
        let set: Ranges = [10..20, 40..50, 20..25, 24..30, 7..7].into_iter().collect();
        assert_eq!(set.0, [10..30, 40..50]);
        let set: Ranges = [10..20, 30..40, 5..60, 70..71].into_iter().collect();
        assert_eq!(set.0, [5..60, 70..71]);
    }

    #[test]
    fn what_is_missing_is_all_the_rest_as_byte_by_byte() {
        let parts = [3..5, 9..14, 14..15, 20..21, 0..1];
        let set: Ranges = parts.iter().cloned().collect();
        for start in 0..25_u64 {
            for end in start..25 {
                let missing: Vec<u64> = set.missing(&(start..end)).into_iter().flatten().collect();
                let is_there = |byte: &u64| parts.iter().any(|part| part.contains(byte));
                let expected: Vec<u64> = (start..end).filter(|byte| !is_there(byte)).collect();
                assert_eq!(missing, expected, "{start}..{end}");
            }
        }
    }
}
