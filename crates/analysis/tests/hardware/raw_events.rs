//! Second derivations from the raw events of captures.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use stepscope_model::Session;
use stepscope_testing::corpus;
use stepscope_testing::space::{EventData, StatValue, XEvent, XPlane, XSpace};

use super::rows;
use crate::support::{all_captures, ask, open};

/// Σ over ops of self × (1 − ratio), from the report of `ops`.
#[test]
fn wasted_time_is_what_the_ops_leave_unused() {
    for capture in all_captures() {
        let session = open(&capture);
        let ops = ask(&session, "ops", &[]);
        let has_peaks = session
            .devices
            .iter()
            .any(|device| device.chip.peak_flops.is_some());
        let mut expected: Option<i64> = None;
        for row in rows(&ops, "rows") {
            let own = row["self_ps"].as_i64().expect("a time");
            let category = row["category"].as_str().expect("a category");
            let is_half = category.ends_with("-start") || category.ends_with("-done");
            let wasted = match row["roofline_ratio"].as_f64() {
                Some(ratio) => own as f64 * (1.0 - ratio.min(1.0)),
                None if is_half && has_peaks => own as f64,
                None => continue,
            };
            #[expect(
                clippy::cast_possible_truncation,
                reason = "times of captures are small"
            )]
            let wasted = wasted.round() as i64;
            expected = Some(expected.unwrap_or(0) + wasted);
        }
        let tree = ask(&session, "op_tree", &[("by", "category")]);
        assert_eq!(tree["wasted_ps"], json!(expected), "{}", capture.name);
        let roots = rows(&tree, "rows")
            .iter()
            .filter(|row| row["depth"] == json!(0));
        let of_roots: i64 = roots.filter_map(|row| row["wasted_ps"].as_i64()).sum();
        assert_eq!(of_roots, expected.unwrap_or(0), "{}: roots", capture.name);
    }
}

/// Children sum to their parents, whatever the tree is made of.
#[test]
fn children_sum_to_their_parents() {
    for capture in all_captures() {
        let session = open(&capture);
        for by in ["program", "category", "scope"] {
            let tree = ask(&session, "op_tree", &[("by", by)]);
            let nodes = rows(&tree, "rows");
            let number = |row: &Value, key: &str| row[key].as_i64().unwrap_or(0);
            let whole: i64 = nodes
                .iter()
                .filter(|row| row["depth"] == json!(0))
                .map(|row| number(row, "self_ps"))
                .sum();
            let idle = tree["idle_ps"].as_i64().unwrap_or(0);
            assert_eq!(
                whole,
                number(&tree, "self_ps") + idle,
                "{} {by}",
                capture.name
            );
            for (index, row) in nodes.iter().enumerate() {
                let below = nodes[index + 1..]
                    .iter()
                    .take_while(|other| number(other, "depth") > number(row, "depth"));
                let children =
                    below.filter(|other| number(other, "depth") == number(row, "depth") + 1);
                let (mut sum, mut count) = (0, 0);
                for child in children.filter(|child| child["kind"] != json!("instruction")) {
                    sum += number(child, "self_ps");
                    count += 1;
                }
                assert!(
                    count == 0 || sum <= number(row, "self_ps"),
                    "{} {by} {row}",
                    capture.name
                );
                if by != "scope" && count > 0 {
                    assert_eq!(sum, number(row, "self_ps"), "{} {by} {row}", capture.name);
                }
            }
        }
    }
}

/// Latencies from correlation ids in the raw events.
#[test]
fn latencies_are_those_of_the_raw_events() {
    for capture in corpus::captures() {
        let session = open(&capture);
        let report = ask(&session, "kernels", &[]);
        let mut engine: Vec<(i64, Option<i64>, String)> = rows(&report, "launches")
            .iter()
            .map(|row| {
                let mean = row["latency_mean_ps"]
                    .as_f64()
                    .map(|mean| format!("{mean:.3}"));
                let launched = row["launched"].as_i64().expect("a count");
                (
                    launched,
                    row["latency_max_ps"].as_i64(),
                    mean.unwrap_or_default(),
                )
            })
            .collect();
        let mut expected = Vec::new();
        for path in &capture.hosts {
            let space = corpus::read_space(path).expect("a capture can be decoded");
            expected.extend(raw_latencies(&space, &session));
        }
        engine.sort();
        expected.sort();
        assert_eq!(engine, expected, "{}", capture.name);
    }
}

/// By device: launches, longest and mean latency.
fn raw_latencies(space: &XSpace, session: &Session) -> Vec<(i64, Option<i64>, String)> {
    assert!(!session.hosts.is_empty());
    let mut calls: BTreeMap<u64, i64> = BTreeMap::new();
    let hosts = space
        .planes
        .iter()
        .filter(|plane| plane.name.starts_with("/host:"));
    for plane in hosts {
        for (id, start, _) in correlated(plane, |_| true) {
            let first = calls.entry(id).or_insert(start);
            *first = (*first).min(start);
        }
    }
    let mut found = Vec::new();
    let devices = space
        .planes
        .iter()
        .filter(|plane| plane.name.starts_with("/device:GPU:"));
    for plane in devices {
        let mut firsts: BTreeMap<u64, i64> = BTreeMap::new();
        let mut launched = 0;
        for (id, start, _) in correlated(plane, |name| name.starts_with("Stream #")) {
            if calls.contains_key(&id) {
                launched += 1;
                let first = firsts.entry(id).or_insert(start);
                *first = (*first).min(start);
            }
        }
        if launched == 0 {
            continue;
        }
        let latencies: Vec<i64> = firsts
            .iter()
            .map(|(id, start)| start - calls[id])
            .filter(|&latency| latency >= 0)
            .collect();
        let sum: f64 = latencies.iter().map(|&latency| latency as f64).sum();
        let mean = if latencies.is_empty() {
            String::new()
        } else {
            format!("{:.3}", sum / latencies.len() as f64)
        };
        found.push((launched, latencies.iter().max().copied(), mean));
    }
    found
}

/// Correlation id, begin and duration of the events that have one.
fn correlated(plane: &XPlane, is_line: impl Fn(&str) -> bool) -> Vec<(u64, i64, i64)> {
    let mut names = plane.stat_metadata.iter();
    let Some((wanted, _)) = names.find(|(_, metadata)| metadata.name == "correlation_id") else {
        return Vec::new();
    };
    let id = |event: &XEvent| {
        let stat = event
            .stats
            .iter()
            .find(|stat| stat.metadata_id == *wanted)?;
        match stat.value {
            Some(StatValue::Int64(value)) => Some(value.cast_unsigned()),
            Some(StatValue::Uint64(value)) => Some(value),
            _ => None,
        }
    };
    let lines = plane.lines.iter().filter(|line| is_line(&line.name));
    let events = lines.flat_map(|line| {
        line.events.iter().filter_map(move |event| {
            let Some(EventData::OffsetPs(offset)) = event.data else {
                return None;
            };
            let start = line.timestamp_ns * 1000 + offset;
            Some((event, start))
        })
    });
    events
        .filter_map(|(event, start)| Some((id(event)?, start, event.duration_ps)))
        .collect()
}
