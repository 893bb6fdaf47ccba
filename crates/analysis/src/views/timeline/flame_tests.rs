//! Merged stacks of areas, on sessions built by hand.

use super::*;
use crate::views::timeline::samples;

/// Two threads of one name: `label 0` around `label 1` around `label 2`, and `label 2` alone.
fn threads() -> Session {
    samples::session(|strings| {
        let first = vec![
            samples::lane(&[(0, 100, 0), (200, 50, 0)]),
            samples::lane(&[(10, 40, 1), (60, 20, 1), (210, 30, 1)]),
            samples::lane(&[(20, 10, 2), (65, 5, 2)]),
        ];
        let second = vec![samples::lane(&[(0, 7, 2), (300, 0, 3)])];
        vec![
            samples::track(strings, "worker", first),
            samples::track(strings, "worker", second),
        ]
    })
}

fn of(session: &Session, window: (i64, i64), order: FlameOrder, limit: usize) -> FlameReport {
    let window = Span::new(Picos(window.0), Picos(window.1));
    let tracks: Vec<TrackId> = session.track_ids().chain([TrackId(99)]).collect();
    flame(session, window, &tracks, order, limit)
}

fn told(report: &FlameReport) -> Vec<(u32, &str, i64, i64, i64)> {
    let frames = report.frames.iter();
    frames
        .map(|one| (one.depth, &*one.name, one.count, one.total_ps, one.self_ps))
        .collect()
}

#[test]
fn equal_stacks_are_one_frame() {
    let report = of(&threads(), (0, 1000), FlameOrder::Callees, 0);
    assert_eq!(
        told(&report),
        [
            (0, "worker", 4, 157, 0),
            (1, "label 0", 2, 150, 60),
            (2, "label 1", 3, 90, 75),
            (3, "label 2", 2, 15, 15),
            (1, "label 2", 1, 7, 7),
        ]
    );
    assert_eq!((report.total_ps, report.left_out_ps), (157, 0));
    assert!(!report.is_cut);
}

#[test]
fn upside_down_every_name_has_its_self_time_and_who_is_around_it() {
    let report = of(&threads(), (0, 1000), FlameOrder::Callers, 0);
    assert_eq!(
        told(&report),
        [
            (0, "label 1", 3, 75, 0),
            (1, "label 0", 3, 75, 0),
            (2, "worker", 3, 75, 75),
            (0, "label 0", 2, 60, 0),
            (1, "worker", 2, 60, 60),
            (0, "label 2", 3, 22, 0),
            (1, "label 1", 2, 15, 0),
            (2, "label 0", 2, 15, 0),
            (3, "worker", 2, 15, 15),
            (1, "worker", 1, 7, 7),
        ]
    );
    assert_eq!(report.total_ps, 157);
}

#[test]
fn times_are_clipped_to_the_area() {
    let report = of(&threads(), (25, 68), FlameOrder::Callees, 0);
    assert_eq!(
        told(&report),
        [
            (0, "worker", 1, 43, 0),
            (1, "label 0", 1, 43, 10),
            (2, "label 1", 2, 33, 25),
            (3, "label 2", 2, 8, 8),
        ]
    );
}

#[test]
fn the_limit_keeps_the_largest_and_says_what_is_missing() {
    let report = of(&threads(), (0, 1000), FlameOrder::Callees, 3);
    let names: Vec<_> = report.frames.iter().map(|frame| &*frame.name).collect();
    assert_eq!(names, ["worker", "label 0", "label 1"]);
    assert_eq!((report.frame_count, report.left_out_ps), (5, 22));
}

#[test]
fn joining_is_the_same_as_one_tree() {
    let session = threads();
    let window = Span::new(Picos(0), Picos(1000));
    let part = |id: u32| {
        let mut tree = Tree::default();
        let track = session.track(TrackId(id));
        tree.add_nest(&session, TrackId(id), &track.nests[0], window);
        tree
    };
    let joined = part(0).join(part(1)).report(&session, window, 0);
    let other = part(1).join(part(0)).report(&session, window, 0);
    let whole = of(&session, (0, 1000), FlameOrder::Callees, 0);
    assert_eq!(told(&joined), told(&whole));
    assert_eq!(told(&other), told(&whole));
}

/// Self times of all frames are the time of all outermost frames, as often as something is cut.
#[test]
fn nothing_is_counted_twice_and_nothing_is_lost() {
    let session = threads();
    for window in [(0, 1000), (5, 65), (61, 62), (100, 200), (240, 260)] {
        for order in [FlameOrder::Callees, FlameOrder::Callers] {
            for limit in [0, 1, 2, 4] {
                let report = of(&session, window, order, limit);
                let selves: i64 = report.frames.iter().map(|frame| frame.self_ps).sum();
                assert_eq!(
                    selves + report.left_out_ps,
                    report.total_ps,
                    "{window:?} {order:?}"
                );
            }
        }
    }
}
