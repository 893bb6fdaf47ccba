//! Areas on a session built by hand.

use stepscope_model::Picos;

use super::*;
use crate::views::timeline::samples;

fn area_of(start: i64, end: i64, by: AreaKey) -> AreaReport {
    let session = samples::two_steps();
    let window = Span::new(Picos(start), Picos(end));
    let tracks: Vec<TrackId> = session.track_ids().chain([TrackId(99)]).collect();
    area(&session, window, &tracks, by, 0)
}

#[test]
fn totals_are_clipped_nested_time_is_taken_away_and_statistics_are_of_whole_slices() {
    // The outer slices lie at 100..150 and 200..260, the nested ones at 110..120, 130..145, 210..240.
    let report = area_of(115, 220, AreaKey::Name);
    let outer = report
        .rows
        .iter()
        .find(|row| row.key == "label 0")
        .expect("a row");
    assert_eq!((outer.count, outer.total_ps), (2, 35 + 20));
    assert_eq!(outer.self_ps, 35 - 5 - 15 + 20 - 10);
    assert_eq!(
        (outer.min_ps, outer.p50_ps, outer.p95_ps, outer.max_ps),
        (50, 50, 60, 60)
    );
    assert!((outer.mean_ps - 55.0).abs() < 1e-9);
    assert!((outer.window_ratio - 55.0 / 105.0).abs() < 1e-9);
    let inner = report
        .rows
        .iter()
        .find(|row| row.key == "label 1")
        .expect("a row");
    assert_eq!((inner.count, inner.total_ps, inner.self_ps), (3, 30, 30));
    assert_eq!(report.slice_count, 6);
}

#[test]
fn rows_go_by_the_key() {
    let keys = |by| {
        area_of(0, 300, by)
            .rows
            .into_iter()
            .map(|row| row.key)
            .collect::<Vec<_>>()
    };
    assert_eq!(keys(AreaKey::Class), ["compute", "matmul", "host"]);
    assert_eq!(
        keys(AreaKey::Scope),
        ["jit(step)/layer_0/while", "(no scope)"]
    );
    assert_eq!(keys(AreaKey::Track), ["TPU:0 / XLA Ops", "threads / main"]);
    assert_eq!(keys(AreaKey::Device), ["TPU:0", "threads"]);
    // 50 + 10 + 15 in the first step, 60 + 30 in the second, 5 + 5 on the host, which has no steps.
    assert_eq!(keys(AreaKey::Step), ["step 8", "step 7", "(no step)"]);
    assert_eq!(keys(AreaKey::Program), ["jit_step(5)", "(no program)"]);
}

#[test]
fn the_limit_cuts_rows_and_not_sums() {
    let session = samples::two_steps();
    let window = Span::new(Picos(0), Picos(300));
    let report = area(
        &session,
        window,
        &[TrackId(0), TrackId(2)],
        AreaKey::Name,
        1,
    );
    assert_eq!(
        (report.rows.len(), report.row_count, report.slice_count),
        (1, 3, 7)
    );
}

#[test]
fn ranks_are_nearest() {
    assert_eq!(nearest_rank(&mut [4, 2, 3, 1], 50), 2);
    assert_eq!(nearest_rank(&mut [1], 95), 1);
    assert_eq!(
        nearest_rank(&mut (1..=100).rev().collect::<Vec<_>>(), 95),
        95
    );
}

#[test]
fn memory_is_reserved_for_every_possible_row_on_every_thread() {
    let session = samples::two_steps();
    let tracks: Vec<TrackId> = session.track_ids().collect();
    let nothing = Span::new(Picos(0), Picos(0));
    let sums = most_sums(&session, &tracks);
    assert!((1..=tracks.len() + 2).contains(&sums), "{sums}");
    let rows = session.labels.len().max(session.tracks.len());
    let least = size_of::<Members>() * rows * sums;
    assert!(most_bytes(&session, nothing, &tracks) >= least as u64);
    let all = Span::new(Picos(0), Picos(300));
    assert!(most_bytes(&session, all, &tracks) > most_bytes(&session, nothing, &tracks));
}
