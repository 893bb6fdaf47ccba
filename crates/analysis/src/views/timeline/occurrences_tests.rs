//! The slices of a name, compared with a sorted list of all.

use proptest::prelude::*;

use super::*;
use crate::views::timeline::samples;

/// `label 0` on two tracks, from `(start, duration)`; one other slice between them.
fn two_tracks(first: &[(i64, i64)], second: &[(i64, i64)]) -> Session {
    let named = |slices: &[(i64, i64)]| {
        let slices: Vec<_> = slices.iter().map(|&(at, ps)| (at, ps, 0)).collect();
        samples::lane(&slices)
    };
    samples::session(|strings| {
        vec![
            samples::track(strings, "one", vec![named(first)]),
            samples::track(strings, "two", vec![named(second)]),
            samples::track(strings, "three", vec![samples::lane(&[(5, 1000, 1)])]),
        ]
    })
}

fn ask(session: &Session, start_ps: i64, duration_ps: i64, limit: usize) -> OccurrencesReport {
    let around = Around {
        start_ps,
        duration_ps,
        limit,
    };
    occurrences(session, "label 0", around)
}

#[test]
fn figures_are_of_all_slices_and_the_list_is_around_the_moment() {
    let first: Vec<_> = (0..100).map(|i| (20 * i, i + 1)).collect();
    let second: Vec<_> = (0..100).map(|i| (20 * i + 10, 101 + i)).collect();
    let session = two_tracks(&first, &second);
    let report = ask(&session, 1000, 51, 10);
    assert_eq!(report.slice_count, 200);
    assert_eq!((report.median_ps, report.p95_ps), (100, 190));
    assert_eq!(report.shorter_count, 50);
    let bars: i64 = report.bars.iter().map(|bar| bar.slice_count).sum();
    assert_eq!(bars, 200);
    let starts: Vec<i64> = report.slices.iter().map(|slice| slice.start_ps).collect();
    assert_eq!(
        starts,
        [950, 960, 970, 980, 990, 1000, 1010, 1020, 1030, 1040]
    );
    assert_eq!(report.first_position, 95);
}

#[test]
fn at_an_end_the_other_side_has_the_room() {
    let slices: Vec<_> = (0..10).map(|i| (10 * i, 5)).collect();
    let session = two_tracks(&slices, &[]);
    let starts = |at: i64| -> Vec<i64> {
        let report = ask(&session, at, 5, 4);
        report.slices.iter().map(|slice| slice.start_ps).collect()
    };
    assert_eq!(starts(0), [0, 10, 20, 30]);
    assert_eq!(starts(90), [60, 70, 80, 90]);
    assert_eq!(starts(1000), [60, 70, 80, 90]);
    assert_eq!(ask(&session, 0, 5, 0).slices.len(), 0);
}

#[test]
fn a_name_without_slices_has_no_figures() {
    let session = two_tracks(&[], &[]);
    let report = ask(&session, 0, 0, 10);
    assert_eq!(report.slice_count, 0);
    assert_eq!((report.median_ps, report.bars.len()), (0, 0));
}

#[test]
fn durations_that_span_a_large_factor_are_divided_by_ratio() {
    let session = two_tracks(&[(0, 1), (10, 10), (30, 100), (200, 1000)], &[]);
    let bars = ask(&session, 0, 0, 10).bars;
    let ratio = bars[0].to_ps / bars[0].from_ps;
    assert!((bars[40].to_ps / bars[40].from_ps - ratio).abs() < 1e-9);
    assert_eq!(bars[47].slice_count, 1);
    let total: i64 = bars.iter().map(|bar| bar.slice_count).sum();
    assert_eq!(total, 4);
}

proptest! {
    #[test]
    fn any_page_is_a_part_of_the_sorted_list(
        first in proptest::collection::vec((1_i64..50, 1_i64..20), 0..30),
        second in proptest::collection::vec((1_i64..50, 1_i64..20), 0..30),
        start_ps in 0_i64..1500,
        limit in 0_usize..20,
    ) {
        // Gaps and lengths, so that slices of a lane do not overlap.
        let placed = |slices: &[(i64, i64)]| {
            let mut at = 0;
            slices.iter().map(|&(gap, ps)| {
                at += gap + 20;
                (at, ps)
            }).collect::<Vec<_>>()
        };
        let (first, second) = (placed(&first), placed(&second));
        let mut all: Vec<_> = first.iter().map(|one| one.0).chain(second.iter().map(|one| one.0)).collect();
        all.sort_unstable();
        let report = ask(&two_tracks(&first, &second), start_ps, 7, limit);
        let listed: Vec<i64> = report.slices.iter().map(|slice| slice.start_ps).collect();
        prop_assert_eq!(listed.len(), limit.min(all.len()));
        let from = usize::try_from(report.first_position).expect("not negative");
        prop_assert_eq!(&listed[..], &all[from..from + listed.len()]);
        let shorter = first.iter().chain(&second).filter(|slice| slice.1 < 7).count();
        prop_assert_eq!(report.shorter_count, count(shorter));
    }
}
