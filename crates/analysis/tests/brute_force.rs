//! Every figure of ops, kernels, steps and busy time against a second derivation from raw events
//! that shares no code with the engine: exactly equal, for every capture there is.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use stepscope_model::{Device, DeviceKind, Session};
use stepscope_testing::corpus::{self, Capture};
use stepscope_testing::oracle::{self, OpKey, OpTime};
use stepscope_testing::space::{EventData, StatValue, XSpace};

use crate::support::{all_captures, ask, open};

/// Runs a check on every device of every capture: `check(what, session, index, space, device)`.
fn for_each_device(check: impl Fn(&str, &Session, usize, &XSpace, oracle::Device)) {
    for capture in all_captures() {
        let session = open(&capture);
        let spaces = spaces(&capture);
        for (host, space) in spaces.iter().enumerate() {
            for device in oracle::device_slices(space).into_keys() {
                let found = session.devices.iter().position(|candidate| {
                    candidate.host.index() == host && oracle_device(candidate) == Some(device)
                });
                let what = format!("{} host {host} {device}", capture.name);
                let index = found.unwrap_or_else(|| panic!("{what}: not in the session"));
                check(&what, &session, index, space, device);
            }
        }
    }
}

fn spaces(capture: &Capture) -> Vec<XSpace> {
    let read = |path: &PathBuf| {
        let mut space = corpus::read_space(path).expect("a capture can be decoded");
        use_device_clock(&mut space);
        space
    };
    capture.hosts.iter().map(read).collect()
}

/// TPU ops and steps carry their span by the device's own clock, which is the one to compute with:
/// the host-aligned span beside it is stretched by the drift between the clocks. The oracle reads
/// plain offsets, so the device's are put in their place.
fn use_device_clock(space: &mut XSpace) {
    for plane in &mut space.planes {
        let id_of = |name: &str| {
            let mut names = plane.stat_metadata.iter();
            names
                .find(|(_, metadata)| metadata.name == name)
                .map(|(id, _)| *id)
        };
        let (offset, duration) = (id_of("device_offset_ps"), id_of("device_duration_ps"));
        let Some((offset, duration)) = offset.zip(duration) else {
            continue;
        };
        let lines = plane.lines.iter_mut();
        for line in lines.filter(|line| matches!(&*line.name, "XLA Ops" | "Steps")) {
            for event in &mut line.events {
                let find = |id| event.stats.iter().find(|stat| stat.metadata_id == id);
                let value = |id| match find(id)?.value {
                    Some(StatValue::Int64(value)) => Some(value),
                    Some(StatValue::Uint64(value)) => Some(value.cast_signed()),
                    _ => None,
                };
                if let Some((offset, duration)) = value(offset).zip(value(duration)) {
                    event.data = Some(EventData::OffsetPs(offset));
                    event.duration_ps = duration;
                }
            }
        }
    }
}

fn oracle_device(device: &Device) -> Option<oracle::Device> {
    match device.kind {
        DeviceKind::Tpu => Some(oracle::Device::Tpu(device.ordinal)),
        kind if kind.is_gpu() => Some(oracle::Device::Gpu(device.ordinal)),
        DeviceKind::Cpu => Some(oracle::Device::Cpu(device.ordinal)),
        _ => None,
    }
}

fn rows(report: &Value) -> &[Value] {
    report["rows"].as_array().expect("a report has rows")
}

fn integer(value: &Value) -> i128 {
    i128::from(value.as_i64().expect("a whole number"))
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

#[test]
fn busy_time_is_the_union_of_all_work() {
    for_each_device(|what, session, index, space, device| {
        let report = ask(session, "ops", &[("device", &index.to_string())]);
        let busy_ps = integer(&report["devices"][0]["busy_ps"]);
        assert_eq!(busy_ps, oracle::busy_ps(space, device), "{what}");
        let overview = ask(session, "overview", &[("device", &index.to_string())]);
        if session.steps.is_empty() {
            assert_eq!(
                integer(&overview["devices"][0]["busy_ps"]),
                busy_ps,
                "{what}"
            );
        }
    });
}

#[test]
fn ops_have_the_same_occurrences_total_and_self_time() {
    for_each_device(|what, session, index, space, device| {
        let report = ask(session, "ops", &[("device", &index.to_string())]);
        let mut engine: BTreeMap<OpKey, OpTime> = BTreeMap::new();
        let with_op = |row: &&Value| text(&row["attribution"]) != "none";
        for row in rows(&report).iter().filter(with_op) {
            let program_id = text(&row["program_id"]).parse().ok();
            let key = OpKey {
                program_id,
                name: text(&row["name"]),
            };
            let time = OpTime {
                occurrences: row["occurrences"].as_u64().expect("a count"),
                total_ps: integer(&row["total_ps"]),
                self_ps: integer(&row["self_ps"]),
            };
            assert!(
                engine.insert(key.clone(), time).is_none(),
                "{what}: {key:?} twice"
            );
        }
        let oracle = oracle::ops(space, device);
        for (key, time) in &oracle {
            assert_eq!(engine.get(key), Some(time), "{what}: {key:?}");
        }
        assert_eq!(
            engine.len(),
            oracle.len(),
            "{what}: ops that nothing executed"
        );
        let slices = oracle::slices(space, device).len();
        let counted: i128 = rows(&report)
            .iter()
            .map(|row| integer(&row["occurrences"]))
            .sum();
        assert_eq!(counted, slices as i128, "{what}: slices in rows");
    });
}

#[test]
fn kernels_have_the_same_launches_and_durations() {
    for_each_device(|what, session, index, space, device| {
        let report = ask(session, "kernels", &[("device", &index.to_string())]);
        let mut engine: BTreeMap<String, [i128; 4]> = BTreeMap::new();
        for row in rows(&report) {
            let figure = |key: &str| integer(&row[key]);
            let sums = engine
                .entry(text(&row["name"]))
                .or_insert([0, 0, i128::MAX, 0]);
            sums[0] += figure("occurrences");
            sums[1] += figure("total_ps");
            sums[2] = sums[2].min(figure("min_ps"));
            sums[3] = sums[3].max(figure("max_ps"));
        }
        let oracle: BTreeMap<String, [i128; 4]> = oracle::kernels(space, device)
            .into_iter()
            // AMD's runtime copies and fills by kernels of its own, which are no kernels of the program.
            .filter(|(name, _)| !name.starts_with("__amd_rocclr"))
            .map(|(name, time)| {
                (
                    name,
                    [
                        i128::from(time.occurrences),
                        time.total_ps,
                        time.min_ps,
                        time.max_ps,
                    ],
                )
            })
            .collect();
        assert_eq!(engine, oracle, "{what}");
    });
}

#[test]
fn every_recorded_step_is_there() {
    for capture in all_captures() {
        let session = open(&capture);
        let all: Vec<_> = spaces(&capture).iter().map(oracle::steps).collect();
        if all.iter().all(Vec::is_empty) {
            continue;
        }
        let report = ask(&session, "steps", &[]);
        let mut engine: Vec<(String, i64, i128)> = rows(&report)
            .iter()
            .map(|row| {
                let number = row["step"].as_i64().expect("a number");
                (text(&row["host"]), number, integer(&row["duration_ps"]))
            })
            .collect();
        engine.sort();
        engine.dedup();
        let mut oracle: Vec<(String, i64, i128)> = Vec::new();
        for (host, steps) in session.hosts.iter().zip(&all) {
            let steps = steps
                .iter()
                .filter_map(|step| Some((step.number?, step.duration_ps)));
            oracle.extend(steps.map(|(number, length)| (host.name.clone(), number, length)));
        }
        oracle.sort();
        oracle.dedup();
        assert_eq!(engine, oracle, "{}", capture.name);
    }
}

#[test]
fn the_parts_of_every_step_sum_to_it() {
    const PARTS: [&str; 10] = [
        "device_compute_ps",
        "collectives_ps",
        "host_to_device_ps",
        "device_to_host_ps",
        "device_to_device_ps",
        "python_callbacks_ps",
        "input_wait_ps",
        "compilation_ps",
        "host_overhead_ps",
        "idle_ps",
    ];
    for capture in all_captures() {
        let session = open(&capture);
        let report = ask(&session, "steps", &[]);
        for row in rows(&report) {
            let parts = PARTS.map(|part| integer(&row[part]));
            assert!(
                parts.iter().all(|&part| part >= 0),
                "{}: {row}",
                capture.name
            );
            let sum: i128 = parts.iter().sum();
            assert_eq!(sum, integer(&row["duration_ps"]), "{}: {row}", capture.name);
            assert_eq!(
                parts[..5].iter().sum::<i128>(),
                integer(&row["busy_ps"]),
                "{row}"
            );
        }
        let overview = ask(&session, "overview", &[]);
        let Some(mean) = overview["step_time_ps"]["mean"].as_f64() else {
            continue;
        };
        let parts = overview["step_parts"]
            .as_array()
            .expect("parts of the mean step");
        let sum: f64 = parts
            .iter()
            .filter_map(|part| part["mean_ps"].as_f64())
            .sum();
        let difference = (sum - mean).abs() / mean;
        assert!(
            difference < 1e-9,
            "{}: parts sum to {sum}, the mean is {mean}",
            capture.name
        );
    }
}
