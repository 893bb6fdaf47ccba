//! Which tracks a profile becomes: merged, named, sorted, nested, and which of them are work.

use crate::support::{assert_picture, picture, session, slice, stats, track, warnings};
use stepscope_model::{DeviceKind, Picos, TrackRole};

#[test]
fn repeated_planes_and_lines_are_one() {
    let session = session(
        "device gpu:0 nvidia H100
         stream 7 Compute
           0..10us a
         split
         device gpu:0
         stream 7 Compute
           20..30us b [queue=1]
         split
         thread python
         split
         device gpu:0
         stream 7
           10..20us c [queue=2]",
    );
    assert_picture(
        &session,
        "stream GPU:0 \"Stream #7(Compute)\" #7
           0: a 0us..10us, c 10us..20us, b 20us..30us",
    );
    assert_eq!(session.devices.len(), 1, "{:?}", session.devices);
    assert_eq!(session.devices[0].kind, DeviceKind::NvidiaGpu);
    assert_eq!(stats(&session, slice(&session, "b")), "queue=1");
    assert_eq!(stats(&session, slice(&session, "c")), "queue=2");
}

#[test]
fn the_vendor_may_stand_in_any_plane_of_the_name() {
    let session = session(
        "device gpu:0
         stream 7 Compute
           0..10us a
         split
         device gpu:0 amd MI300X
         stream 8 Compute
           0..10us b",
    );
    assert_eq!(session.devices.len(), 1, "{:?}", session.devices);
    assert_eq!(session.devices[0].kind, DeviceKind::AmdGpu);
    assert_eq!(session.devices[0].chip.name, "AMD MI300X");
}

#[test]
fn line_ids_may_be_negative_and_names_may_repeat() {
    let session = session(
        "plane /host:CPU
         line worker [id=-5]
           0..1us a
         line worker [id=-9223372036854775808]
           0..2us b
         line worker [id=9223372036854775807]
           0..3us c",
    );
    assert_picture(
        &session,
        "host_thread host0 \"worker\" #-9223372036854775808
           0: b 0us..2us
         host_thread host0 \"worker\" #-5
           0: a 0us..1us
         host_thread host0 \"worker\" #9223372036854775807
           0: c 0us..3us",
    );
    // To people, a handle of 64 bits has no sign.
    let numbers: Vec<u64> = session
        .tracks
        .iter()
        .map(stepscope_model::Track::thread_number)
        .collect();
    assert_eq!(numbers, [1 << 63, u64::MAX - 4, (1 << 63) - 1]);
}

#[test]
fn equal_display_ids_are_one_row_and_display_names_are_shown() {
    let mut space = crate::support::draw(
        "plane /host:CPU
         line first [id=1]
           0..1us a
         line second [id=2]
           2..3us b
         line third [id=3]
           4..5us c",
    );
    for line in &mut space.planes[0].lines[..2] {
        (line.display_id, line.display_name) = (70, "shown".to_owned());
    }
    assert_picture(
        &crate::support::session_of(&[space.to_bytes()]),
        "host_thread host0 \"shown\" #70
           0: a 0us..1us, b 2us..3us
         host_thread host0 \"third\" #3
           0: c 4us..5us",
    );
}

#[test]
fn unsorted_events_are_sorted_and_say_so() {
    let session = session(
        "thread worker/1
           20..30us c [n=3]
           0..10us a [n=1]
           2..4us b [n=2]
           2..9us longer [n=4]",
    );
    assert_picture(
        &session,
        "host_thread host0 \"worker/1\" #1
           0: a 0us..10us, c 20us..30us
           1: longer 2us..9us
           2: b 2us..4us",
    );
    let numbers = ["a", "b", "c", "longer"].map(|name| stats(&session, slice(&session, name)));
    assert_eq!(numbers, ["n=1", "n=2", "n=3", "n=4"]);
    assert!(warnings(&session)[0].contains("not in time order"));
}

#[test]
fn equal_spans_nest_in_file_order_and_touching_ones_do_not() {
    let session = session(
        "thread worker/1
           0..10us parent
           0..10us child
           10..12us next
           10us instant
           12us last",
    );
    assert_picture(
        &session,
        "host_thread host0 \"worker/1\" #1
           0: parent 0us..10us, next 10us..12us, last 12us..12us
           1: child 0us..10us, instant 10us..10us",
    );
}

#[test]
fn partial_overlaps_go_to_a_nest_of_their_own() {
    let session = session(
        "thread worker/1
           0..10us a
           5..15us b
           6..8us inside-both
           12..14us inside-b",
    );
    assert_picture(
        &session,
        "host_thread host0 \"worker/1\" #1
           0: a 0us..10us, inside-b 12us..14us
           1: inside-both 6us..8us
           2: b 5us..15us",
    );
    assert_eq!(track(&session, "worker/1").nests, [0..2, 2..3]);
    assert!(warnings(&session)[0].contains("1 slices overlap"));
}

#[test]
fn aggregated_events_have_no_slices_but_count() {
    let session = session(
        "device tpu:0 v6e
         line XLA Ops
           x5 30us dot.1
           x1 1us dot.2
           0..2us dot.3 [n=1]",
    );
    assert_eq!(session.slice_count(), 1);
    let sums: Vec<_> = session
        .aggregates
        .iter()
        .map(|sum| (session.label_name(sum.label), sum.occurrences, sum.duration))
        .collect();
    assert_eq!(
        sums,
        [
            ("dot.1", 5, Picos(30_000_000)),
            ("dot.2", 1, Picos(1_000_000))
        ]
    );
    assert!(session.aggregates.iter().all(|sum| sum.device.is_some()));
    assert_eq!(stats(&session, slice(&session, "dot.3")), "n=1");
    assert!(warnings(&session)[0].contains("2 events were recorded as sums"));
}

#[test]
fn each_counter_is_a_track_of_its_own() {
    let session = session(
        "device tpu:0 v6e
         counter hbm_gbps 10us=2.5 0us=1.5
         counter power 0us=300 10us=310u
         split
         device tpu:0
         counter hbm_gbps 20us=3",
    );
    assert_picture(
        &session,
        "counter TPU:0 \"hbm_gbps\" #1000
           0us=1.5 10us=2.5 20us=3
         counter TPU:0 \"power\" #1000
           0us=300 10us=310",
    );
    assert!(
        session
            .tracks
            .iter()
            .all(|track| track.role == TrackRole::Counter)
    );
}

#[test]
fn samples_are_known_by_any_of_their_stats() {
    let session = session(
        "plane /host:CPU
         line _counters_ [id=1]
           0us a [\"Raw Value\"=7]
           1us b [\"Scaled Value\"=0.5]
           2us no-sample",
    );
    assert_picture(
        &session,
        "counter host0 \"_counters_\" #1
           0: no-sample 2us..2us
         counter host0 \"a\" #1
           0us=7
         counter host0 \"b\" #1
           1us=0.5",
    );
}

#[test]
fn async_ops_and_derived_rows_are_no_work() {
    let session = session(
        "device tpu:0 v6e
         line XLA Ops
           0..10us dot.1 {program_id=5 hlo_category=dot}
           2..9us copy-start.1 [_a=1] {program_id=5 hlo_category=copy-start}
         line Async XLA Ops
           2..15us copy-start.2 {program_id=5}
         line Framework Ops
           0..10us matmul
         line XLA Modules
           0..10us jit_step(5)
         line Steps
           0..10us 0
         device gpu:0 nvidia H100
         stream 7 Compute
           0..10us gemm
         line XLA Ops [id=-559038732]
           0..10us gemm
         line \"XLA Modules\" [id=3735928563]
           0..10us jit_step",
    );
    let work: Vec<&str> = crate::support::slices(&session)
        .into_iter()
        .filter(|(id, _)| {
            let lane = session.lane(id.track, id.lane).expect("there");
            session
                .label(lane.labels()[id.index as usize])
                .kind
                .is_work()
        })
        .map(|(_, name)| name)
        .collect();
    assert_eq!(work, ["dot.1", "gemm"], "{}", picture(&session));
    let derived = session
        .tracks
        .iter()
        .filter(|track| track.role == TrackRole::Derived);
    assert_eq!(derived.count(), 3);
    let rows: Vec<_> = session
        .devices
        .iter()
        .map(|device| &device.name[..])
        .collect();
    assert_eq!(rows, ["TPU:0", "GPU:0"]);
    for device in session.device_ids() {
        assert_eq!(session.work_tracks(device).count(), 1);
    }
}

#[test]
fn device_ops_lie_where_the_devices_own_clock_puts_them() {
    let session = session(
        "device tpu:0 v6e
         line XLA Ops
           10..30us while.1 [device_offset_ps=2000000 device_duration_ps=20000000]
           11..31us dot.1   [device_offset_ps=3000000 device_duration_ps=5000000u]
           40..41us half    [device_offset_ps=7]
         line XLA TraceMe
           10..30us trace [device_offset_ps=2000000 device_duration_ps=20000000]",
    );
    assert_picture(
        &session,
        "ops TPU:0 \"XLA Ops\" #3
           0: while.1 2us..22us, half 40us..41us
           1: dot.1 3us..8us
         other TPU:0 \"XLA TraceMe\" #6
           0: trace 10us..30us",
    );
}

#[test]
fn a_large_distance_between_clocks_is_told() {
    let session = session(
        "device tpu:0 v6e
         line XLA Ops
           10..30ms dot.1 [device_offset_ps=0 device_duration_ps=20000000000]",
    );
    assert!(
        warnings(&session)[0].contains("up to 10.0 ms"),
        "{:?}",
        warnings(&session)
    );
}

#[test]
fn tracks_are_in_order_of_host_device_and_number() {
    let session = crate::support::sessions(&[
        "thread b/2\n 0us x\n thread a/10\n 0us x\n thread a/9\n 0us x\n thread python\n 0us x
         device gpu:1 nvidia H100
         stream 10 Compute\n 0..1us k
         stream 9 Compute\n 0..1us k
         device gpu:0 nvidia H100
         stream 3 Compute\n 0..1us k",
        "thread only/1\n 0us x",
    ]);
    let names: Vec<&str> = session
        .tracks
        .iter()
        .map(|track| session.text(track.name))
        .collect();
    assert_eq!(
        names,
        [
            "Stream #3(Compute)",
            "Stream #9(Compute)",
            "Stream #10(Compute)",
            "python",
            "a/9",
            "a/10",
            "b/2",
            "only/1"
        ]
    );
}
