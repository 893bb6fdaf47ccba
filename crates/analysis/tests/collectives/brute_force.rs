//! Exposed time, derived again from every instant of every capture.

use serde_json::json;
use stepscope_model::{Device, DeviceKind};
use stepscope_testing::corpus;
use stepscope_testing::oracle::{self, Event};
use stepscope_testing::space::XSpace;

use super::rows;
use crate::support::{all_captures, ask, open};

fn oracle_device(device: &Device) -> Option<oracle::Device> {
    match device.kind {
        DeviceKind::Tpu => Some(oracle::Device::Tpu(device.ordinal)),
        kind if kind.is_gpu() => Some(oracle::Device::Gpu(device.ordinal)),
        DeviceKind::Cpu => Some(oracle::Device::Cpu(device.ordinal)),
        _ => None,
    }
}

fn is_collective(name: &str) -> bool {
    const STEMS: [&str; 9] = [
        "all-reduce",
        "all-gather",
        "reduce-scatter",
        "all-to-all",
        "ragged-all-to-all",
        "collective-permute",
        "collective-broadcast",
        "send",
        "recv",
    ];
    STEMS.iter().any(|stem| name.starts_with(stem)) || name.starts_with("nccl")
}

fn is_computation(name: &str) -> bool {
    const OTHERS: [&str; 8] = [
        "while",
        "call",
        "conditional",
        "copy-start",
        "copy-done",
        "Mem",
        "infeed",
        "outfeed",
    ];
    !is_collective(name) && !OTHERS.iter().any(|stem| name.starts_with(stem))
}

/// The work of a device; of a TPU on the device's clock, with what was under way beside it.
fn communicating_or_computing(space: &XSpace, raw: oracle::Device) -> Vec<Event> {
    let mut events = oracle::slices(space, raw);
    if let oracle::Device::Tpu(_) = raw {
        let plane = events.first().map(|event| event.plane.clone());
        events.extend(oracle::events(space).into_iter().filter(|event| {
            Some(&event.plane) == plane.as_ref()
                && event.line_name == "Async XLA Ops"
                && is_collective(&event.instruction_name())
        }));
        for event in &mut events {
            let offset_ps = event.stats.integer("device_offset_ps");
            let duration_ps = event.stats.integer("device_duration_ps");
            if let Some((offset_ps, duration_ps)) = offset_ps.zip(duration_ps) {
                event.start_ps = i128::from(offset_ps);
                event.duration_ps = i128::from(duration_ps);
            }
        }
    }
    events
}

/// Walks over every boundary and asks every event.
fn exposed_ps(events: &[Event]) -> (i128, i128) {
    let mut boundaries: Vec<i128> = events
        .iter()
        .flat_map(|event| [event.start_ps, event.end_ps()])
        .collect();
    boundaries.sort_unstable();
    boundaries.dedup();
    let mut sorted: Vec<&Event> = events.iter().collect();
    sorted.sort_by_key(|event| event.start_ps);
    let longest = events
        .iter()
        .map(|event| event.duration_ps)
        .max()
        .unwrap_or(0);
    let (mut all, mut exposed) = (0, 0);
    for pair in boundaries.windows(2) {
        let first = sorted.partition_point(|event| event.start_ps < pair[0] - longest);
        let covering = sorted[first..]
            .iter()
            .take_while(|event| event.start_ps <= pair[0])
            .filter(|event| event.end_ps() >= pair[1]);
        let names: Vec<String> = covering.map(|event| event.instruction_name()).collect();
        if names.iter().any(|name| is_collective(name)) {
            all += pair[1] - pair[0];
            if !names.iter().any(|name| is_computation(name)) {
                exposed += pair[1] - pair[0];
            }
        }
    }
    (all, exposed)
}

#[test]
fn exposed_communication_is_what_a_look_at_every_instant_gives() {
    let mut compared = 0;
    for capture in all_captures() {
        let session = open(&capture);
        let report = ask(&session, "collectives", &[]);
        for row in rows(&report, "devices") {
            let index = row["device_index"].as_u64().expect("a number");
            let device = &session.devices[usize::try_from(index).expect("small")];
            let Some(raw) = oracle_device(device) else {
                continue;
            };
            let space: XSpace =
                corpus::read_space(&capture.hosts[device.host.index()]).expect("decodes");
            let (all, exposed) = exposed_ps(&communicating_or_computing(&space, raw));
            let what = format!("{} {raw}", capture.name);
            assert_eq!(
                i128::from(row["total_ps"].as_i64().expect("ps")),
                all,
                "{what}"
            );
            assert_eq!(
                i128::from(row["exposed_ps"].as_i64().expect("ps")),
                exposed,
                "{what}"
            );
            compared += 1;
        }
    }
    assert!(
        compared >= 4,
        "the fixtures alone have twelve devices: {compared}"
    );
}

#[test]
fn steps_and_collectives_agree_on_exposed_time() {
    for capture in all_captures() {
        let session = open(&capture);
        let report = ask(&session, "collectives", &[]);
        let steps = rows(&ask(&session, "steps", &[]), "rows");
        for row in rows(&report, "steps") {
            let of_step: Vec<f64> = steps
                .iter()
                .filter(|step| step["step"] == row["step"] && step["device"] != json!(""))
                .map(|step| step["collectives_ps"].as_f64().expect("ps"))
                .collect();
            let mean = of_step.iter().sum::<f64>() / of_step.len() as f64;
            let ours = row["exposed_ps"].as_f64().expect("ps");
            assert!((mean - ours).abs() <= 1.0, "{}: {row} {mean}", capture.name);
        }
    }
}
