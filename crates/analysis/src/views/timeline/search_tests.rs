//! Search on a session built by hand.

use super::*;
use crate::views::timeline::labels::without_operand_names;
use crate::views::timeline::samples;

fn search_two_steps(pattern: &str, from_ps: i64, limit: usize) -> SearchReport {
    let session = samples::two_steps();
    let index = TimelineIndex::new(&session);
    search(&session, &index, pattern, from_ps, limit).expect("the pattern is fine")
}

#[test]
fn slices_come_in_time_order_over_all_tracks() {
    let report = search_two_steps("label [02]", 0, 3);
    assert_eq!(report.match_count, 4);
    let starts: Vec<i64> = report.slices.iter().map(|slice| slice.start_ps).collect();
    assert_eq!(starts, [80, 100, 180]);
    assert_eq!(report.slices[1].track_name, "TPU:0 / XLA Ops");
    let names: Vec<_> = report
        .names
        .iter()
        .map(|name| (&*name.name, name.count))
        .collect();
    assert_eq!(names, [("label 0", 2), ("label 2", 2)]);
    assert_eq!(report.names[0].total_ps, 110);
}

#[test]
fn later_pages_begin_where_they_are_asked_to() {
    let report = search_two_steps("label", 181, 10);
    let starts: Vec<i64> = report.slices.iter().map(|slice| slice.start_ps).collect();
    assert_eq!(starts, [200, 210]);
    assert_eq!(report.match_count, 7);
    assert!(search_two_steps("label", 0, 0).slices.is_empty());
}

#[test]
fn ops_are_found_by_scope_source_and_text_but_not_by_operand() {
    for pattern in [
        "layer_0",
        "train.py:7",
        "f32\\[8\\]",
        "body=",
        "WHILE.1|while.1",
    ] {
        assert_eq!(search_two_steps(pattern, 0, 10).match_count, 2, "{pattern}");
    }
    assert_eq!(search_two_steps("tuple.9", 0, 10).match_count, 0);
    assert_eq!(
        search_two_steps("Layer_0", 0, 10).match_count,
        0,
        "capitals count"
    );
}

#[test]
fn a_broken_pattern_is_an_error() {
    let session = samples::two_steps();
    let index = TimelineIndex::new(&session);
    assert!(search(&session, &index, "(", 0, 10).is_err());
}

#[test]
fn operand_names_go_and_the_rest_stays() {
    let text = "%dot.1 = f32[8]{0} dot(f32[8]{0} %p.0, %copy-done.2), calls=%fused";
    assert_eq!(
        without_operand_names(text),
        " = f32[8]{0} dot(f32[8]{0} , ), calls="
    );
}

#[test]
fn markers_of_ends_are_found_only_by_their_own_word() {
    let mut session = samples::two_steps();
    let name = session.strings.intern("end: label 0");
    session.labels[2].name = name;
    session.labels[2].kind = SliceKind::Marker;
    let index = TimelineIndex::new(&session);
    let names = |pattern: &str| {
        let report = search(&session, &index, pattern, 0, 9).expect("the pattern is fine");
        let names = report.names.into_iter().map(|name| name.name);
        names.collect::<Vec<_>>()
    };
    assert_eq!(names("label 0"), ["label 0"]);
    assert_eq!(names("0$"), ["label 0"]);
    assert_eq!(names("end: "), ["end: label 0"]);
    assert_eq!(names("^end: label 0$"), ["end: label 0"]);
}

#[test]
fn conditions_limit_slices_tracks_scopes_and_kinds() {
    let starts = |pattern: &str| {
        let report = search_two_steps(pattern, 0, 9);
        let count = usize::try_from(report.match_count).expect("a count");
        assert_eq!(count, report.slices.len(), "{pattern}");
        let slices = report.slices.iter();
        slices.map(|slice| slice.start_ps).collect::<Vec<_>>()
    };
    // Durations: outer 50 and 60, inner 10, 15 and 30, on the host 5 and 5.
    assert_eq!(starts("dur>15ps"), [100, 200, 210]);
    assert_eq!(starts("dur>=15ps label 1"), [130, 210]);
    assert_eq!(starts("dur<10ps"), [80, 180]);
    assert_eq!(starts("track:threads"), [80, 180]);
    assert_eq!(starts("track:TPU dur<=10ps"), [110]);
    assert_eq!(starts("scope:layer_0 dur>50ps"), [200]);
    assert_eq!(starts("name:^label.2$"), [80, 180]);
    assert_eq!(starts("kind:host").len(), 7);
    assert_eq!(
        search_two_steps("dur>15ps label 0", 0, 9).names[0].total_ps,
        110
    );
}
