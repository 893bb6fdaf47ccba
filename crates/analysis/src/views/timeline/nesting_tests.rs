//! What is around a slice and within it, on nests built by hand and by chance.

use proptest::prelude::*;

use super::*;
use crate::views::timeline::samples;

fn at(lane: u32, index: u32) -> SliceId {
    SliceId {
        track: TrackId(0),
        lane,
        index,
    }
}

/// `label 0` around `label 1`, which calls itself and `label 2`.
fn recursion() -> Session {
    samples::session(|strings| {
        let lanes = vec![
            samples::lane(&[(0, 100, 0), (100, 50, 0)]),
            samples::lane(&[(10, 60, 1), (80, 10, 2), (110, 5, 2)]),
            samples::lane(&[(20, 30, 1), (60, 5, 2)]),
            samples::lane(&[(25, 10, 2)]),
        ];
        vec![samples::track(strings, "python", lanes)]
    })
}

#[test]
fn the_slices_around_are_listed_from_the_outside() {
    let report = nesting(&recursion(), at(3, 0), 0).expect("the slice exists");
    let chain: Vec<_> = report
        .ancestors
        .iter()
        .map(|one| (&*one.name, one.start_ps, one.duration_ps))
        .collect();
    assert_eq!(
        chain,
        [
            ("label 0", 0, 100),
            ("label 1", 10, 60),
            ("label 1", 20, 30)
        ]
    );
    assert_eq!((report.ancestor_count, report.slice_count), (3, 0));
}

#[test]
fn recursion_is_counted_and_its_time_is_not_added_twice() {
    let report = nesting(&recursion(), at(0, 0), 0).expect("the slice exists");
    let rows: Vec<_> = report
        .descendants
        .iter()
        .map(|row| (&*row.name, row.count, row.total_ps, row.self_ps, row.max_ps))
        .collect();
    // label 1: 60 and 30 within it; label 2: 10, 5 and 10, of which none is within another.
    assert_eq!(
        rows,
        [
            ("label 1", 2, 60, 60 - 30 - 5 + 30 - 10, 60),
            ("label 2", 3, 25, 25, 10)
        ]
    );
    assert_eq!(report.descendants[0].longest, at(1, 0).into());
    assert_eq!(report.descendants[1].longest_start_ps, 25);
    assert_eq!(
        (report.slice_count, report.depth, report.row_count),
        (5, 3, 2)
    );
    let cut = nesting(&recursion(), at(0, 0), 1).expect("the slice exists");
    assert_eq!(
        (cut.descendants.len(), cut.row_count, cut.slice_count),
        (1, 2, 5)
    );
}

#[test]
fn nothing_is_around_nothing() {
    assert!(nesting(&recursion(), at(9, 0), 0).is_none());
    assert!(nesting(&recursion(), at(0, 9), 0).is_none());
}

#[test]
fn a_chain_deeper_than_the_limit_keeps_the_nearest_and_says_how_many_there_are() {
    let session = samples::session(|strings| {
        let lanes = (0..300).map(|depth| samples::lane(&[(depth, 1000 - 2 * depth, 0)]));
        vec![samples::track(strings, "python", lanes.collect())]
    });
    let report = nesting(&session, at(299, 0), 0).expect("the slice exists");
    assert_eq!((report.ancestors.len(), report.ancestor_count), (200, 299));
    assert_eq!(report.ancestors[199].slice, at(298, 0).into());
    let outermost = nesting(&session, at(0, 0), 0).expect("the slice exists");
    assert_eq!((outermost.slice_count, outermost.depth), (299, 299));
    assert_eq!(outermost.descendants[0].total_ps, 998);
}

/// Start, duration and label of each slice.
type Slices = Vec<(i64, i64, u32)>;

/// Two levels of slices: the second one cut out of the first.
fn two_levels() -> impl Strategy<Value = (Slices, Slices)> {
    let outer = prop::collection::vec((0i64..5, 1i64..60, 0u32..3), 1..12);
    let inner = prop::collection::vec((0i64..9, 0i64..9, 0u32..3), 0..80);
    (outer, inner).prop_map(|(outer, inner)| {
        let mut now = 0;
        let mut above = Slices::new();
        for (gap, duration, label) in outer {
            above.push((now + gap, duration, label));
            now += gap + duration;
        }
        let mut below = Slices::new();
        let mut inner = inner.into_iter();
        for &(start, duration, _) in &above {
            let mut at = start;
            for (gap, length, label) in inner.by_ref().take(6) {
                if at + gap + length >= start + duration {
                    break;
                }
                below.push((at + gap, length, label));
                at += gap + length;
            }
        }
        (above, below)
    })
}

proptest! {
    #[test]
    fn sums_are_those_of_all_slices_within((above, below) in two_levels()) {
        let session = samples::session(|strings| {
            let lanes = vec![samples::lane(&above), samples::lane(&below)];
            vec![samples::track(strings, "thread", lanes)]
        });
        for (index, &(start, duration, _)) in above.iter().enumerate() {
            let report = nesting(&session, at(0, position(index)), 0).expect("the slice exists");
            let is_within = |slice: &&(i64, i64, u32)| {
                start <= slice.0 && slice.0 < start + duration
            };
            let within: Vec<i64> = below.iter().filter(is_within).map(|slice| slice.1).collect();
            let count: i64 = report.descendants.iter().map(|row| row.count).sum();
            let total: i64 = report.descendants.iter().map(|row| row.total_ps).sum();
            prop_assert_eq!(count, i64::try_from(within.len()).expect("few"));
            prop_assert_eq!(total, within.iter().sum::<i64>());
            prop_assert_eq!(report.slice_count, count);
        }
    }
}
