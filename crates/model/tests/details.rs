//! Details of slices are read again from the file: right for every slice of every kind of track.

use crate::support::{session, slice, slices, stats};
use stepscope_model::{Session, SliceId, TrackRole};
use stepscope_testing::oracle;
use stepscope_testing::{corpus, space::XSpace};

#[test]
fn every_kind_of_value_is_text() {
    let session = session(
        "thread worker/1
           0..1us e [n=-7 u=18446744073709551615 d=0.5 ref=@interned text='in place' bytes=hex:0a0b zip=gzip:\"long\"] {c=1}",
    );
    assert_eq!(
        stats(&session, slice(&session, "e")),
        "n=-7 u=18446744073709551615 d=0.5 ref=interned text=in place bytes=2 bytes \
         zip=24 bytes of compressed text (c=1)"
    );
}

#[test]
fn every_slice_of_a_merged_track_finds_its_own_event() {
    let session = session(
        "thread worker/1
           5..6us b [n=2]
           x3 9us sum [n=99]
           1..2us a [n=1]
         counter hbm 0us=1
         split
         thread worker/1
           3..4us c [n=3]
         split
         plane /host:CPU
         line other [id=1]
           7..8us d [n=4]
           0..9us whole [n=5]",
    );
    let found = ["a", "b", "c", "d", "whole"].map(|name| stats(&session, slice(&session, name)));
    assert_eq!(found, ["n=1", "n=2", "n=3", "n=4", "n=5"]);
}

#[test]
fn ops_of_several_devices_on_one_thread_keep_their_events() {
    let session = session(
        "thread tf_XLAEigen/1
         each [hlo_op=$name hlo_module=m program_id=5]
         repeat 20 every 10us
           0..9us a$i [device_ordinal=0 n=$i]
           1..2us b$i [device_ordinal=1 n=$i]
         end
         thread tf_XLAEigen/1
           500..501us own [n=77]",
    );
    for (id, name) in slices(&session) {
        if session.track(id.track).role == TrackRole::Ops {
            let own = stats(&session, id);
            assert!(own.contains(&format!(" n={}", &name[1..])), "{name}: {own}");
        }
    }
}

#[test]
fn ids_that_lead_nowhere_have_no_stats() {
    let session = session("thread worker/1\n 0..1us a [n=1]");
    let id = slice(&session, "a");
    let far = u32::MAX;
    for id in [
        SliceId {
            track: stepscope_model::TrackId(far),
            ..id
        },
        SliceId { lane: far, ..id },
        SliceId { index: far, ..id },
    ] {
        assert!(session.stats(id).is_empty());
    }
}

/// On real files: the stats of a slice are those of the event with its name and span.
#[test]
fn recorded_slices_have_the_stats_of_their_events() {
    for capture in corpus::fixtures().into_iter().chain(corpus::captures()) {
        let Some(host) = capture.hosts.first() else {
            continue;
        };
        let bytes = corpus::read_bytes(host).expect("readable");
        let space = XSpace::from_bytes(&bytes).expect("whole");
        let session = crate::support::session_of(&[bytes]);
        let checked = check(&session, &space);
        assert!(
            checked > 0 || session.slice_count() == 0,
            "{}",
            capture.name
        );
    }
}

/// A few slices of each track. Every line is walked again for each, so few.
fn check(session: &Session, space: &XSpace) -> usize {
    let events = oracle::events(space);
    let all = slices(session);
    let mut checked = 0;
    for track in session.track_ids() {
        let own: Vec<_> = all.iter().filter(|(id, _)| id.track == track).collect();
        for &&(id, _) in own.iter().step_by((own.len() / 3).max(1)).take(3) {
            let lane = session.lane(id.track, id.lane).expect("there");
            if lane.events()[id.index as usize] == u32::MAX {
                assert!(session.stats(id).is_empty());
                continue;
            }
            let mut names: Vec<String> = session
                .stats(id)
                .into_iter()
                .map(|stat| stat.name)
                .collect();
            names.sort();
            names.dedup();
            let duration = i128::from(lane.durations()[id.index as usize]);
            // An asynchronous op of XLA:CPU lasts longer than the event of its call.
            let is_cpu_op = session.track(track).device.is_some_and(|device| {
                session.device(device).kind == stepscope_model::DeviceKind::Cpu
            });
            let same = events.iter().filter(|event| {
                let by_device = event.stats.integer("device_duration_ps").map(i128::from);
                let is_shorter = is_cpu_op && event.duration_ps < duration;
                event.duration_ps == duration || by_device == Some(duration) || is_shorter
            });
            let fits = same
                .clone()
                .any(|event| event.stats.names().eq(names.iter()));
            assert!(
                fits,
                "{names:?} of {id:?}, {} events of that length",
                same.count()
            );
            checked += 1;
        }
    }
    checked
}
