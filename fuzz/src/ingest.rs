//! Arbitrary bytes are rejected or become a session that keeps its invariants.

use std::sync::Arc;

use stepscope_model::ingest::{HostInput, ingest};
use stepscope_model::{Session, SliceId, Track};

/// Panics if ingest or the resulting session breaks an invariant.
pub fn check(bytes: &[u8]) {
    let input = HostInput {
        host: "fuzzed".to_owned(),
        bytes: Arc::new(bytes.to_vec()),
        problem: None,
    };
    if let Ok(session) = ingest("fuzzed", vec![input]) {
        check_session(&session);
    }
}

fn check_session(session: &Session) {
    for track in &session.tracks {
        check_track(session, track);
    }
    for host in session.host_ids() {
        for flow in session.flows_of(host).all() {
            for end in [flow.from, flow.to] {
                let lane = session.lane(end.track, end.lane);
                let has_slice = lane.is_some_and(|lane| (end.index as usize) < lane.len());
                assert!(has_slice, "{flow:?}");
            }
        }
    }
    for label in &session.labels {
        session.text(label.name);
        label.op.map(|op| session.op(op));
        label.launch.map(|launch| session.launch(launch));
        label
            .program
            .map(|program| session.program(program).title());
    }
    for run in &session.program_runs {
        session.device(run.device);
        session.program(run.program);
        assert!(run.span.start <= run.span.end, "{run:?}");
    }
    for part in session.steps.iter().flat_map(|step| &step.spans) {
        session.host(part.host);
        part.device.map(|device| session.device(device));
        assert!(part.span.start <= part.span.end, "{part:?}");
    }
    for track in session.track_ids().take(8) {
        let last = session.track(track).lanes.len().saturating_sub(1) as u32;
        for lane in [0, last] {
            session.stats(SliceId {
                track,
                lane,
                index: 0,
            });
        }
    }
    session.extent();
}

fn check_track(session: &Session, track: &Track) {
    session.host(track.host);
    track.device.map(|device| session.device(device));
    for lane in &track.lanes {
        let count = lane.len();
        assert!(count > 0 && lane.durations().len() == count);
        assert!(lane.labels().len() == count && lane.events().len() == count);
        lane.labels()
            .iter()
            .for_each(|&label| _ = session.label(label));
        assert!(lane.durations().iter().all(|&duration| duration >= 0));
        for index in 1..count {
            assert!(
                lane.end(index - 1) <= lane.starts()[index],
                "slices of a lane overlap"
            );
        }
    }
    let mut next = 0;
    for nest in &track.nests {
        assert_eq!(nest.start, next);
        next = nest.end;
        for lane in nest.start + 1..nest.end {
            for index in 0..track.lanes[lane as usize].len() {
                let parent = track
                    .parent(lane, index as u32)
                    .map(|(above, parent)| track.lanes[above as usize].span(parent as usize));
                let child = track.lanes[lane as usize].span(index);
                assert!(
                    parent.is_some_and(|parent| parent.contains(child)),
                    "{child:?}"
                );
            }
        }
    }
    assert_eq!(next as usize, track.lanes.len());
    if let Some(samples) = &track.samples {
        assert!(samples.times.is_sorted() && samples.times.len() == samples.values.len());
    }
}
