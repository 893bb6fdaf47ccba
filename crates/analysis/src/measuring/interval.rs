//! Interval arithmetic: the only definition of busy time, overlap and gaps.

use stepscope_model::{Picos, Span};

/// Disjoint, sorted, non-empty intervals that do not touch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Intervals(Vec<Span>);

impl Intervals {
    /// The union of spans in any order. Empty spans are dropped.
    pub fn union_of(mut spans: Vec<Span>) -> Self {
        // The stable sort merges runs that are already sorted.
        if !spans.is_sorted_by_key(|span| span.start) {
            spans.sort_by_key(|span| span.start);
        }
        join_touching(&mut spans);
        Self(spans)
    }

    /// The union of lists that are each sorted by start, such as one per lane. It merges one stretch of
    /// time after another, each small enough for the processor's caches: allocating memory for all
    /// spans together would cost as much as the merge.
    pub fn union_of_sorted(mut lists: Vec<Vec<Span>>) -> Self {
        if lists.len() <= 1 {
            let mut spans = lists.pop().unwrap_or_default();
            join_touching(&mut spans);
            return Self(spans);
        }
        let mut joined = Vec::with_capacity(lists.iter().map(Vec::len).sum());
        let mut rests: Vec<&[Span]> = lists.iter().map(Vec::as_slice).collect();
        let mut merging = Merging::default();
        while !rests.is_empty() {
            let beyond = rests.iter().filter_map(|rest| rest.get(STRETCH));
            let until = beyond.map(|span| span.start).min();
            for rest in &mut rests {
                let count = until.map_or(rest.len(), |until| {
                    rest.partition_point(|span| span.start <= until)
                });
                let (now, later) = rest.split_at(count);
                merging.add(now);
                *rest = later;
            }
            rests.retain(|rest| !rest.is_empty());
            let spans = merging.take().iter().filter(|span| span.start < span.end);
            spans.for_each(|&span| append(&mut joined, span));
        }
        joined.shrink_to_fit();
        Self(joined)
    }

    /// The intervals.
    pub fn spans(&self) -> &[Span] {
        &self.0
    }

    /// The intervals, owned.
    pub fn into_spans(self) -> Vec<Span> {
        self.0
    }

    /// Total length.
    pub fn duration(&self) -> Picos {
        self.0
            .iter()
            .fold(Picos::ZERO, |sum, span| sum + span.duration())
    }

    /// The intersection of both.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Self {
        let (mut left, mut right) = (0, 0);
        let mut common = Vec::new();
        while let (Some(&a), Some(&b)) = (self.0.get(left), other.0.get(right)) {
            common.extend(a.intersection(b));
            if a.end <= b.end {
                left += 1;
            } else {
                right += 1;
            }
        }
        Self(common)
    }

    /// The intervals of `self` without those of `other`.
    #[must_use]
    pub fn subtract(&self, other: &Self) -> Self {
        let mut rest = Vec::new();
        let mut first = 0;
        for &span in &self.0 {
            let mut start = span.start;
            first = first_ending_after(&other.0, first, start);
            let mut index = first;
            while let Some(cut) = other.0.get(index).filter(|cut| cut.start < span.end) {
                if start < cut.start {
                    rest.push(Span {
                        start,
                        end: cut.start,
                    });
                }
                start = start.max(cut.end);
                index += 1;
            }
            if start < span.end {
                rest.push(Span {
                    start,
                    end: span.end,
                });
            }
        }
        Self(rest)
    }

    /// The union of both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut spans = merged(&self.0, &other.0);
        join_touching(&mut spans);
        Self(spans)
    }

    /// Whether an interval contains the instant.
    pub fn contains_instant(&self, instant: Picos) -> bool {
        let next = self.0.partition_point(|span| span.end <= instant);
        self.0.get(next).is_some_and(|span| span.start <= instant)
    }

    /// How much of the window the intervals cover.
    pub fn duration_within(&self, window: Span) -> Picos {
        let first = self.0.partition_point(|span| span.end <= window.start);
        let within = self.0[first..]
            .iter()
            .take_while(|span| span.start < window.end);
        within
            .filter_map(|span| span.intersection(window))
            .fold(Picos::ZERO, |sum, span| sum + span.duration())
    }

    /// The part within a window.
    #[must_use]
    pub fn clip(&self, window: Span) -> Self {
        let first = self.0.partition_point(|span| span.end <= window.start);
        let within = self.0[first..]
            .iter()
            .take_while(|span| span.start < window.end);
        Self(
            within
                .filter_map(|span| span.intersection(window))
                .collect(),
        )
    }
}

/// Adds a span that starts no earlier than the last one, joining the two where they touch.
#[inline]
pub(crate) fn append(spans: &mut Vec<Span>, span: Span) {
    match spans.last_mut() {
        Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
        _ => spans.push(span),
    }
}

/// Placeholder for a span.
const NO_SPAN: Span = Span {
    start: Picos::ZERO,
    end: Picos::ZERO,
};

/// Spans per list in one stretch. A few dozen lists of this length fit into a second-level cache.
const STRETCH: usize = 1024;

/// A merge of lists that are each sorted by start. Neighboring lists are merged in pairs, so each span
/// moves log2(number of lists) times. Two buffers alternate and are reused for every stretch.
#[derive(Default)]
struct Merging {
    from: Vec<Span>,
    into: Vec<Span>,
    /// Where the lists end in `from`.
    ends: Vec<usize>,
}

impl Merging {
    fn add(&mut self, list: &[Span]) {
        if !list.is_empty() {
            self.from.extend_from_slice(list);
            self.ends.push(self.from.len());
        }
    }

    /// Takes all spans that were added, sorted by start.
    fn take(&mut self) -> &[Span] {
        self.into.resize(self.from.len(), NO_SPAN);
        while self.ends.len() > 1 {
            let mut start = 0;
            let pairs = self.ends.chunks(2).map(|pair| {
                let (middle, end) = (pair[0], *pair.last().unwrap_or(&pair[0]));
                let (left, right) = (&self.from[start..middle], &self.from[middle..end]);
                merge(left, right, &mut self.into[start..end]);
                start = end;
                end
            });
            self.ends = pairs.collect();
            std::mem::swap(&mut self.from, &mut self.into);
        }
        self.ends.clear();
        std::mem::swap(&mut self.from, &mut self.into);
        self.from.clear();
        &self.into
    }
}

/// Merges two lists that are sorted by start into a new one.
fn merged(left: &[Span], right: &[Span]) -> Vec<Span> {
    let mut all = vec![NO_SPAN; left.len() + right.len()];
    merge(left, right, &mut all);
    all
}

/// Merges two lists that are sorted by start, `left` first where starts are equal, into a slice of
/// exactly their combined length. It merges from both ends in the same loop, so that each end depends
/// only on its own previous choice. Which list comes next is unpredictable, so it is selected by index
/// instead of by a branch.
fn merge(left: &[Span], right: &[Span], into: &mut [Span]) {
    let (mut lefts, mut rights, mut room) = (0..left.len(), 0..right.len(), 0..into.len());
    while lefts.len() > 1 && rights.len() > 1 {
        let heads = [left[lefts.start], right[rights.start]];
        let is_right = usize::from(heads[1].start < heads[0].start);
        into[room.start] = heads[is_right];
        let tails = [right[rights.end - 1], left[lefts.end - 1]];
        let is_left = usize::from(tails[1].start > tails[0].start);
        into[room.end - 1] = tails[is_left];
        lefts = lefts.start + 1 - is_right..lefts.end - is_left;
        rights = rights.start + is_right..rights.end + is_left - 1;
        room = room.start + 1..room.end - 1;
    }
    while !lefts.is_empty() && !rights.is_empty() {
        let heads = [left[lefts.start], right[rights.start]];
        let is_right = usize::from(heads[1].start < heads[0].start);
        into[room.start] = heads[is_right];
        lefts.start += 1 - is_right;
        rights.start += is_right;
        room.start += 1;
    }
    let rest = if lefts.is_empty() {
        &right[rights]
    } else {
        &left[lefts]
    };
    into[room].copy_from_slice(rest);
}

/// The first position at or after `from` whose span ends after `instant`, by galloping search.
#[inline]
fn first_ending_after(spans: &[Span], from: usize, instant: Picos) -> usize {
    if spans.get(from).is_none_or(|span| span.end > instant) {
        return from;
    }
    let mut width = 1;
    while spans
        .get(from + width)
        .is_some_and(|span| span.end <= instant)
    {
        width *= 2;
    }
    let first = from + width / 2;
    let last = spans.len().min(from + width);
    first + spans[first..last].partition_point(|span| span.end <= instant)
}

/// Drops empty spans and joins touching ones. The spans are sorted by start.
fn join_touching(spans: &mut Vec<Span>) {
    spans.retain(|span| span.start < span.end);
    spans.dedup_by(|next, last| {
        let touches = next.start <= last.end;
        if touches {
            last.end = last.end.max(next.end);
        }
        touches
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn spans(pairs: &[(i64, i64)]) -> Vec<Span> {
        pairs
            .iter()
            .map(|&(start, end)| Span::new(Picos(start), Picos(end)))
            .collect()
    }

    fn members(intervals: &Intervals) -> Vec<i64> {
        (0..60)
            .filter(|&instant| {
                intervals
                    .spans()
                    .iter()
                    .any(|span| span.contains_instant(Picos(instant)))
            })
            .collect()
    }

    #[test]
    fn touching_spans_join() {
        let union = Intervals::union_of(spans(&[(5, 9), (0, 2), (2, 4), (6, 7), (3, 3)]));
        assert_eq!(union.spans(), spans(&[(0, 4), (5, 9)]));
        assert_eq!(union.duration(), Picos(8));
    }

    proptest! {
        #[test]
        fn agree_with_sets_of_instants(
            left in prop::collection::vec((0i64..50, 0i64..10), 0..12),
            right in prop::collection::vec((0i64..50, 0i64..10), 0..12),
        ) {
            let make = |pairs: &[(i64, i64)]| {
                Intervals::union_of(
                    pairs.iter().map(|&(s, d)| Span::new(Picos(s), Picos(s + d))).collect(),
                )
            };
            let (a, b) = (make(&left), make(&right));
            let (in_a, in_b) = (members(&a), members(&b));
            let both: Vec<i64> = in_a.iter().copied().filter(|i| in_b.contains(i)).collect();
            let only: Vec<i64> = in_a.iter().copied().filter(|i| !in_b.contains(i)).collect();
            prop_assert_eq!(members(&a.intersect(&b)), both);
            prop_assert_eq!(members(&a.subtract(&b)), only);
            let either = i64::try_from(members(&a.union(&b)).len()).expect("a small set");
            prop_assert_eq!(either, a.union(&b).duration().0);
            let lists = vec![a.spans().to_vec(), b.spans().to_vec(), a.spans().to_vec()];
            prop_assert_eq!(Intervals::union_of_sorted(lists), a.union(&b));
        }

        #[test]
        fn lists_of_any_number_and_length_are_joined(
            lists in prop::collection::vec(prop::collection::vec((0i64..90, 0i64..9), 0..20), 0..9),
            // Repeated, lists of a few spans are longer than a stretch.
            repeated in prop::sample::select(vec![1i64, 300]),
        ) {
            let span = |&(start, duration): &(i64, i64)| {
                Span::new(Picos(start), Picos(start + duration))
            };
            let lists: Vec<Vec<Span>> = lists
                .iter()
                .map(|list| {
                    let all = (0..repeated).flat_map(|round| {
                        list.iter().map(move |&(start, duration)| (start + 97 * round, duration))
                    });
                    let mut list: Vec<Span> = all.map(|pair| span(&pair)).collect();
                    list.sort_by_key(|span| span.start);
                    list
                })
                .collect();
            let all = Intervals::union_of(lists.concat());
            prop_assert_eq!(Intervals::union_of_sorted(lists), all);
        }
    }
}
