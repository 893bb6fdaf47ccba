//! Profiles of any size in which careless code takes time that grows faster than the profile: one
//! for each shape that has done so.

use crate::space::{
    EventData, StatValue, XEvent, XEventMetadata, XLine, XPlane, XSpace, XStat, XStatMetadata,
};

/// A shape: its name, and the profile with about this many slices.
pub type Shape = (&'static str, fn(usize) -> XSpace);

/// All shapes.
pub const SHAPES: [Shape; 7] = [
    ("staircase", |count| {
        of_ops(count, |at| (at, whole(count), 0))
    }),
    ("nested", |count| {
        of_ops(count, |at| (at, 2 * (whole(count) - at), 0))
    }),
    ("one name each", |count| {
        of_ops(count, |at| (at * 10, 9, at))
    }),
    ("all at once", |count| of_ops(count, |_| (0, 1000, 0))),
    ("instants", |count| of_ops(count, |at| (at, 0, 0))),
    ("one slice a step", one_slice_a_step),
    ("a track each", a_track_each),
];

fn whole(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn event(name: i64, start: i64, duration: i64) -> XEvent {
    XEvent {
        metadata_id: name + 1,
        data: Some(EventData::OffsetPs(start * 1000)),
        duration_ps: duration * 1000,
        stats: Vec::new(),
    }
}

fn line(id: usize, name: &str, events: Vec<XEvent>) -> XLine {
    XLine {
        id: whole(id),
        name: name.to_owned(),
        events,
        ..XLine::default()
    }
}

fn plane(name: &str, names: usize, lines: Vec<XLine>) -> XPlane {
    let metadata = |at: i64| XEventMetadata {
        id: at + 1,
        name: format!("fusion.{at}"),
        ..XEventMetadata::default()
    };
    XPlane {
        name: name.to_owned(),
        lines,
        event_metadata: (0..whole(names)).map(|at| (at + 1, metadata(at))).collect(),
        ..XPlane::default()
    }
}

fn space(planes: Vec<XPlane>) -> XSpace {
    XSpace {
        planes,
        ..XSpace::default()
    }
}

/// Ops of a TPU, whose starts, durations (in nanoseconds) and names follow from their numbers.
fn of_ops(count: usize, place: impl Fn(i64) -> (i64, i64, i64)) -> XSpace {
    let events = (0..whole(count)).map(|at| {
        let (start, duration, name) = place(at);
        event(name, start, duration)
    });
    let ops = line(3, "XLA Ops", events.collect());
    space(vec![plane("/device:TPU:0", count, vec![ops])])
}

fn one_slice_a_step(count: usize) -> XSpace {
    let steps = count / 2;
    let all = 0..whole(steps);
    let ops = all.clone().map(|at| event(0, at * 10, 9)).collect();
    let marks = all.clone().map(|at| event(0, at * 10, 9)).collect();
    let device = vec![line(1, "Steps", marks), line(3, "XLA Ops", ops)];
    let number = |at| XStat {
        metadata_id: 1,
        value: Some(StatValue::Int64(at)),
    };
    let annotations = all.map(|at| XEvent {
        stats: vec![number(at)],
        ..event(0, at * 10, 9)
    });
    let mut host = plane(
        "/host:CPU",
        1,
        vec![line(1, "python", annotations.collect())],
    );
    let step_number = XStatMetadata {
        id: 1,
        name: "step_num".to_owned(),
        ..XStatMetadata::default()
    };
    host.stat_metadata = [(1, step_number)].into();
    space(vec![plane("/device:TPU:0", 1, device), host])
}

fn a_track_each(count: usize) -> XSpace {
    let tracks = (0..count / 10).map(|track| {
        let events = (0..10).map(|at| event(at, at * 10, 9)).collect();
        line(track + 1, &format!("thread {track}"), events)
    });
    let ops = (0..10).map(|at| event(at, at * 10, 9)).collect();
    space(vec![
        plane("/device:TPU:0", 10, vec![line(3, "XLA Ops", ops)]),
        plane("/host:CPU", 10, tracks.collect()),
    ])
}
