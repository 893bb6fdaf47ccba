//! The report and the details of slices, on a session built by hand.

use super::*;
use crate::views::timeline::samples::{one_launch, two_steps};

fn report(change: impl FnOnce(&mut Selection)) -> TimelineReport {
    let mut options = TimelineOptions::default();
    change(&mut options.selection);
    Timeline::run(&two_steps(), &options).expect("the selection is fine")
}

fn at(track: u32, lane: u32, index: u32) -> stepscope_model::SliceId {
    SliceRefReport { track, lane, index }.into()
}

#[test]
fn tracks_stand_in_groups() {
    let report = report(|_| {});
    assert_eq!(
        (report.start_ps, report.end_ps, report.slice_count),
        (0, 260, 7)
    );
    let groups: Vec<_> = report
        .groups
        .iter()
        .map(|group| (&*group.name, &*group.kind))
        .collect();
    assert_eq!(groups, [("TPU:0", "device"), ("threads", "host")]);
    let counter = &report.groups[1].tracks[0];
    assert_eq!(
        (&*counter.role, counter.lanes, counter.slice_count),
        ("counter", 1, 4)
    );
    assert_eq!(
        (counter.counter_min, counter.counter_max),
        (Some(1.0), Some(7.0))
    );
    assert_eq!((&*counter.counter_unit, report.start_epoch_ns), ("", None));
    let steps: Vec<_> = report
        .steps
        .iter()
        .map(|s| (s.step, s.start_ps, s.duration_ps))
        .collect();
    assert_eq!(steps, [(7, 100, 100), (8, 200, 100)]);
}

#[test]
fn selections_narrow_tracks_and_counts() {
    let step = report(|selection| selection.steps = Some("8".to_owned()));
    assert_eq!(
        (step.start_ps, step.end_ps, step.slice_count),
        (200, 300, 2)
    );
    let device = report(|selection| selection.device = Some("0".to_owned()));
    assert_eq!(device.groups.len(), 1);
    let program = report(|selection| selection.program = Some("jit_step".to_owned()));
    assert_eq!(program.slice_count, 2);
    let named = report(|selection| selection.pattern = Some("main".to_owned()));
    assert_eq!(named.groups[0].tracks[0].name, "main");
}

#[test]
fn the_table_is_sorted_and_cut_and_the_groups_are_not() {
    use crate::asking::Report;
    let report = report(|selection| {
        selection.sort = Some("slice_count".to_owned());
        selection.limit = Some(1);
    });
    let table = &report.tables()[0];
    assert_eq!((table.rows.len(), table.row_count), (1, 3));
    assert_eq!(table.rows[0][2], "XLA Ops".into());
    assert_eq!(report.groups[1].tracks.len(), 2);
}

#[test]
fn details_tell_what_a_slice_is() {
    let session = two_steps();
    let outer = details::details(&session, at(0, 0, 0)).expect("the slice exists");
    assert_eq!(
        (outer.start_ps, outer.duration_ps, outer.self_ps),
        (100, 50, 25)
    );
    assert_eq!(outer.step, Some(7));
    assert_eq!(outer.program.as_deref(), Some("jit_step(5)"));
    assert_eq!(outer.source.as_deref(), Some("train.py:7"));
    assert_eq!(outer.track_name, "TPU:0 / XLA Ops");
    assert_eq!(
        outer.first_child,
        Some(SliceRefReport {
            track: 0,
            lane: 1,
            index: 0
        })
    );
    assert_eq!(outer.parent, None);
    let nested = details::details(&session, at(0, 1, 2)).expect("the slice exists");
    assert_eq!(
        nested.parent,
        Some(SliceRefReport {
            track: 0,
            lane: 0,
            index: 1
        })
    );
    assert_eq!((nested.step, nested.op), (Some(8), None));
}

#[test]
fn arrows_lead_from_the_launch_to_the_kernel_and_back() {
    let session = one_launch();
    let index = TimelineIndex::new(&session);
    let found = |name| {
        let report = search::search(&session, &index, name, 0, 1).expect("a fine pattern");
        details::details(&session, report.slices[0].slice.into()).expect("the slice exists")
    };
    let (kernel, launch) = (found("gemm"), found("cuLaunch"));
    assert_eq!((kernel.flows.len(), launch.flows.len()), (1, 1));
    assert!(!kernel.flows[0].is_outgoing && launch.flows[0].is_outgoing);
    assert_eq!(kernel.flows[0].other, launch.slice);
    assert_eq!(launch.flows[0].other, kernel.slice);
    assert_eq!(launch.flows[0].other_name, "gemm");
    assert_eq!(launch.flows[0].kind, "launch");
    let stat = kernel
        .stats
        .iter()
        .find(|stat| stat.name == "correlation_id");
    assert_eq!(stat.map(|stat| &*stat.value), Some("42"));
}

#[test]
fn details_of_nothing_are_nothing() {
    let session = two_steps();
    for slice in [at(9, 0, 0), at(0, 9, 0), at(0, 0, 9), at(1, 0, 0)] {
        assert!(details::details(&session, slice).is_none());
    }
    assert_eq!(
        details::labels(&session, &[LabelId(1), LabelId(77)]).len(),
        1
    );
}

/// The ruler shows the same spans as `steps`, even for a step that ran on two devices at different
/// times.
#[test]
fn steps_on_the_ruler_are_those_that_figures_are_made_of() {
    use crate::views::steps::{Steps, StepsOptions};

    let mut session = two_steps();
    session.devices.push(stepscope_model::Device {
        name: "TPU:1".to_owned(),
        ordinal: 1,
        ..session.devices[0].clone()
    });
    let mut ops = session.tracks[0].clone();
    ops.device = Some(DeviceId(1));
    session.tracks.push(ops);
    let mut later = session.steps[0].spans[0];
    later.device = Some(DeviceId(1));
    later.span = Span::new(Picos(900), Picos(1021));
    session.steps[0].spans.push(later);

    let ruler = Timeline::run(&session, &TimelineOptions::default()).expect("a report");
    let drawn: Vec<_> = ruler
        .steps
        .iter()
        .map(|step| (step.step, &*step.device, step.start_ps, step.duration_ps))
        .collect();
    let mut listed = Steps::run(&session, &StepsOptions::default()).expect("a report");
    listed
        .rows
        .sort_by(|one, other| one.device.cmp(&other.device));
    let figures: Vec<_> = listed
        .rows
        .iter()
        .map(|row| (row.step, &*row.device, row.start_ps, row.duration_ps))
        .collect();
    let expected = [
        (7, "TPU:0", 100, 100),
        (8, "TPU:0", 200, 100),
        (7, "TPU:1", 900, 121),
    ];
    assert_eq!(drawn, expected);
    assert_eq!(figures, expected);

    // The host's annotation comes first, and alone if the device has the same spans.
    for step in &mut session.steps {
        let mut annotated = step.spans[0];
        annotated.device = None;
        step.spans.insert(0, annotated);
    }
    let ruler = Timeline::run(&session, &TimelineOptions::default()).expect("a report");
    let places: Vec<&str> = ruler.steps.iter().map(|step| &*step.device).collect();
    assert_eq!(places, ["", "", "TPU:1"]);

    let narrowed = report(|selection| selection.device = Some("TPU:0".to_owned()));
    assert_eq!(narrowed.steps.len(), 2);
}
