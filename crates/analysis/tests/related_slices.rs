//! What belongs to a slice on other tracks and around it: participants of collectives with the figures
//! of `collectives`, and nesting on real captures.

use serde_json::Value;
use stepscope_analysis::views::timeline::nesting::nesting;
use stepscope_analysis::views::timeline::participants::participants;
use stepscope_analysis::views::timeline::{ParticipantsReport, SliceRefReport};
use stepscope_model::{Session, SliceId, TrackId};

use crate::support::{all_captures, ask, drawn, open};

/// The first slice with this name on a device.
fn find(session: &Session, device: &str, name: &str) -> SliceId {
    let tracks = session.track_ids().filter(|&id| {
        let device_id = session.track(id).device;
        device_id.is_some_and(|id| session.device(id).name == device)
    });
    let slices = tracks.flat_map(|track| {
        (0..)
            .zip(&session.track(track).lanes)
            .flat_map(move |(lane, columns)| {
                let labels = (0..).zip(columns.labels());
                labels.map(move |(index, &label)| (SliceId { track, lane, index }, label))
            })
    });
    let mut found = slices.filter(|&(_, label)| session.label_name(label).starts_with(name));
    found.next().expect("there is such a slice").0
}

fn of(session: &Session, device: &str, name: &str) -> ParticipantsReport {
    participants(session, find(session, device, name)).expect("the slice exists")
}

/// Two TPUs; the ops have a start and a done, and the group is known from the program.
const ASYNC: &str = "
    host vm
    device tpu:0 v6e
    line XLA Ops
      0..2us    all-reduce-start.1
      30..40us  all-reduce-done.1
      50..51us  fusion.2
    device tpu:1 v6e
    line XLA Ops
      12..14us  all-reduce-start.1
      36..41us  all-reduce-done.1
    line XLA Modules
      0..60us   jit_step(5)
    program 5 jit_step
      p.0 = f32[8] parameter(0)
      all-reduce-start.1 = f32[8] all-reduce-start(p.0) replica_groups={{0,1}}
      fusion.2 = f32[8] add(p.0, p.0)
      ROOT all-reduce-done.1 = f32[8] all-reduce-done(all-reduce-start.1)
";

#[test]
fn every_part_of_a_collective_has_its_participants() {
    let drawing = ASYNC.replace("start.1\n", "start.1 {program_id=5}\n");
    let session = drawn(&[&drawing.replace("done.1\n", "done.1 {program_id=5}\n")]);
    for name in ["all-reduce-start.1", "all-reduce-done.1"] {
        let report = of(&session, "TPU:0", name);
        assert!(
            report.is_collective && report.unknown.is_empty(),
            "{report:?}"
        );
        assert_eq!((&*report.kind, report.skew_ps), ("all-reduce", 12_000_000));
        let rows: Vec<_> = report
            .rows
            .iter()
            .map(|row| {
                let micros = |picos: i64| picos / 1_000_000;
                let times = [row.offset_ps, row.wait_ps, row.transfer_ps, row.slice_ps];
                (&*row.device, times.map(micros), row.is_last, row.is_this)
            })
            .collect();
        // 0..40 and 12..41: the first waits for 12 of its 40.
        assert_eq!(
            rows,
            [
                ("TPU:0", [-12, 12, 28, 2], false, true),
                ("TPU:1", [0, 0, 29, 2], true, false)
            ]
        );
        assert_eq!(report.transfer_ps, 29_000_000);
        assert_eq!(report.clock_residual_ps, None);
    }
    let other = of(&session, "TPU:0", "fusion.2");
    assert!(!other.is_collective && other.rows.is_empty());
}

#[test]
fn unknown_participants_say_why() {
    let kernels = |spans: &[&str]| {
        let devices = spans.iter().enumerate().map(|(number, span)| {
            format!(
                "device gpu:{number} nvidia H100\nstream 20 Compute\n{span} \
                 ncclDevKernel_AllReduce_Sum_f32_RING_LL\n"
            )
        });
        drawn(&[&format!("host vm\n{}", devices.collect::<String>())])
    };
    let unknown = |spans: &[&str]| of(&kernels(spans), "GPU:0", "nccl").unknown;
    assert!(
        unknown(&["10..40us", "20..40us", "12..42us"]).starts_with("Which devices communicate")
    );
    assert!(unknown(&["10..40us"]).starts_with("No other device"));
    assert_eq!(unknown(&["10..40us", "20..42us"]), "");
}

/// Both answers come from one matching, over all captures and every instance.
#[test]
fn participants_agree_with_collectives() {
    let mut compared = 0;
    for capture in all_captures() {
        let session = open(&capture);
        if session.tracks.is_empty() {
            continue;
        }
        let report = ask(&session, "collectives", &[("instances", "0")]);
        let instances = report["instances"].as_array().cloned().unwrap_or_default();
        for instance in instances.iter().take(400) {
            let number = |value: &Value, key: &str| {
                let value = value[key]
                    .as_u64()
                    .and_then(|value| u32::try_from(value).ok());
                value.expect("a position")
            };
            let slice = &instance["slice"];
            let slice = SliceRefReport {
                track: number(slice, "track"),
                lane: number(slice, "lane"),
                index: number(slice, "index"),
            };
            let found = participants(&session, slice.into()).expect("the slice exists");
            assert_eq!(
                Some(found.rows.len() as u64),
                instance["participants"].as_u64()
            );
            assert_eq!(Some(found.skew_ps), instance["skew_ps"].as_i64());
            assert_eq!(Some(found.transfer_ps), instance["transfer_ps"].as_i64());
            let wait_ps: i64 = found.rows.iter().map(|row| row.wait_ps).sum();
            assert_eq!(Some(wait_ps), instance["wait_ps"].as_i64(), "{instance}");
            let last: Vec<_> = found.rows.iter().filter(|row| row.is_last).collect();
            assert_eq!(Some(&*last[0].device), instance["last_device"].as_str());
            assert!(last.len() == 1 && last[0].is_this && last[0].offset_ps == 0);
            compared += 1;
        }
    }
    println!("compared {compared} executions of collectives");
}

/// What is within a slice, together with its own self time, is its duration.
#[test]
fn self_times_within_a_slice_sum_to_it() {
    for capture in all_captures() {
        let session = open(&capture);
        for (number, track) in session.tracks.iter().enumerate() {
            let Some(lane) = track.lanes.first() else {
                continue;
            };
            let longest = (0..lane.len()).max_by_key(|&index| lane.durations()[index]);
            let Some(index) = longest else {
                continue;
            };
            let slice = SliceId {
                track: TrackId::from_index(number),
                lane: 0,
                index: u32::try_from(index).expect("few slices"),
            };
            let report = nesting(&session, slice, 0).expect("the slice exists");
            let mut own_ps = 0;
            track.for_each_self_time(0, index..index + 1, |_, self_ps| own_ps = self_ps);
            let within_ps: i64 = report.descendants.iter().map(|row| row.self_ps).sum();
            let name = session.label_name(lane.labels()[index]);
            assert_eq!(own_ps + within_ps, lane.durations()[index], "{name}");
            let count: i64 = report.descendants.iter().map(|row| row.count).sum();
            assert_eq!(count, report.slice_count, "{name}");
            for row in &report.descendants {
                assert!(row.max_ps <= row.total_ps, "{name}: {row:?}");
                assert!(row.total_ps <= lane.durations()[index], "{name}: {row:?}");
            }
        }
    }
}
