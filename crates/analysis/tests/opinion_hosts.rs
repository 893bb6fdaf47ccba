//! Ours against XProf's pod viewer and its collective ops for the corpus: equal within 0.1 %, or
//! explained. The tables stand in `hosts.md` and `collectives.md` of `docs/internals/differences`,
//! which are checked here too.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;
use stepscope_testing::corpus;

use crate::support::xprof::{Figure, their_ops};
use crate::support::{ask, open};

/// Why a figure differs: part of the capture's name, part of the figure's name, reason.
const REASONS: &[(&str, &str, &str)] = &[
    (
        "cpu-jax-4hosts",
        "steps",
        "XProf shifts hosts against each other by the steps they overlap in, keeps 8 and numbers them \
         anew from 0; all 10 are in the raw events",
    ),
    (
        "cpu-jax-mlp",
        "steps",
        "XProf drops 2 of the 20 recorded steps, the longest among them; all are in the raw events",
    ),
    (
        "mi300x",
        "steps",
        "nothing was annotated; ours are inferred from runs of the dominant program, and the report \
         says so",
    ),
    (
        "tpu-v6e",
        "steps",
        "nothing was annotated; ours are inferred from runs of the dominant program, and the report \
         says so",
    ),
    (
        "",
        "places",
        "XProf puts all devices of a host on one core; ours has every device that worked",
    ),
    (
        "cpu-jax",
        "communication",
        "XProf sees no device where XLA:CPU runs, so all time that is not host work is `All others`; \
         ours is the exposed communication of every device",
    ),
    (
        "tpu-v6e",
        "exposed",
        "XProf does not tell exposed from hidden communication; the op's own time is the same",
    ),
    (
        "",
        "communication of all devices",
        "no step was annotated, and XProf's pod viewer divides nothing but steps",
    ),
];

fn reason(capture: &str, figure: &str) -> Option<&'static str> {
    let fits =
        |&&(part, name, _): &&(&str, &str, &str)| capture.contains(part) && figure.contains(name);
    REASONS.iter().find(fits).map(|&(_, _, reason)| reason)
}

fn rows(value: &Value, key: &str) -> Vec<Value> {
    value[key].as_array().cloned().unwrap_or_default()
}

fn figure(capture: &str, name: &str, theirs: Option<f64>, ours: Option<f64>) -> Figure {
    Figure {
        capture: capture.to_owned(),
        name: name.to_owned(),
        theirs,
        ours,
    }
}

fn count(number: usize) -> Option<f64> {
    (number > 0).then_some(number as f64)
}

/// Steps, places and step times of the pod viewer.
fn host_figures() -> Vec<Figure> {
    let mut figures = Vec::new();
    for capture in corpus::captures() {
        let Some(theirs) = corpus::oracle_json(&capture.name, "pod_viewer") else {
            continue;
        };
        let report = ask(&open(&capture), "hosts", &[]);
        let their_steps = rows(&theirs["podStatsSequence"], "podStatsMap");
        let cores: Vec<Value> = their_steps
            .iter()
            .filter_map(|step| step["podStatsPerCore"].as_object())
            .flat_map(|cores| cores.values().cloned())
            .collect();
        let name = &capture.name;
        let our_steps = rows(&report, "steps").len();
        figures.push(figure(
            name,
            "steps",
            count(their_steps.len()),
            count(our_steps),
        ));
        let hosts: BTreeSet<&str> = cores
            .iter()
            .filter_map(|c| c["hostName"].as_str())
            .collect();
        let our_hosts = rows(&report, "rows").len();
        if !hosts.is_empty() {
            figures.push(figure(name, "hosts", count(hosts.len()), count(our_hosts)));
            let places = rows(&report, "devices").len();
            figures.push(figure(name, "places", count(hosts.len()), count(places)));
        }
        // Each of their step times stands among ours; then the sums are equal.
        let durations: Vec<f64> = rows(&report, "cells")
            .iter()
            .filter_map(|cell| cell["duration_ps"].as_f64())
            .collect();
        let (mut theirs_ms, mut ours_ms) = (0.0, 0.0);
        for core in &cores {
            let step_us = core["totalDurationUs"].as_f64().expect("a duration");
            let distance = |ps: &&f64| (**ps / 1e6 - step_us).abs();
            let nearest = durations
                .iter()
                .min_by(|a, b| distance(a).total_cmp(&distance(b)));
            theirs_ms += step_us / 1e3;
            ours_ms += nearest.copied().unwrap_or(0.0) / 1e9;
        }
        if !cores.is_empty() {
            let name_of = "Σ time of XProf's steps over hosts, ms";
            figures.push(figure(name, name_of, Some(theirs_ms), Some(ours_ms)));
        }
    }
    figures
}

/// Communication: the pod viewer's bucket, and the times of collective ops.
fn collective_figures() -> Vec<Figure> {
    let mut figures = Vec::new();
    for capture in corpus::captures() {
        let report = ask(&open(&capture), "collectives", &[]);
        let name = &capture.name;
        let ours = rows(&report, "rows");
        if let Some(theirs) = corpus::oracle_json(name, "pod_viewer") {
            let steps = rows(&theirs["podStatsSequence"], "podStatsMap");
            let bucket_ms: f64 = steps
                .iter()
                .filter_map(|step| step["podStatsPerCore"].as_object())
                .flat_map(|cores| cores.values())
                .filter_map(|core| core["stepBreakdownUs"]["3"].as_f64())
                .sum::<f64>()
                / 1e3;
            let exposed_ms: f64 = rows(&report, "devices")
                .iter()
                .filter_map(|row| row["exposed_ps"].as_f64())
                // `sum` of nothing is −0.
                .fold(0.0, |sum, ps| sum + ps)
                / 1e9;
            let name_of = "communication of all devices, ms";
            let theirs = (!steps.is_empty()).then_some(bucket_ms);
            figures.push(figure(name, name_of, theirs, Some(exposed_ms)));
        }
        for ((program, op), theirs) in their_ops(name) {
            let found = ours
                .iter()
                .find(|row| row["name"] == op.as_str() && row["program_id"] == program.as_str());
            let is_collective = op.starts_with("all-") || op.starts_with("collective");
            if !is_collective {
                continue;
            }
            let own = |key: &str| found.and_then(|row| row[key].as_f64());
            let times = Some(theirs["occurrences"]);
            figures.push(figure(
                name,
                &format!("occurrences of {op}"),
                times,
                own("occurrences"),
            ));
            let total = Some(theirs["total time, µs"]);
            let ours = own("own_ps").map(|ps| ps / 1e6);
            figures.push(figure(
                name,
                &format!("total time of {op}, µs"),
                total,
                ours,
            ));
            let ours = own("exposed_ps").map(|ps| ps / 1e6);
            figures.push(figure(
                name,
                &format!("exposed time of {op}, µs"),
                None,
                ours,
            ));
        }
    }
    figures
}

/// The table as it should stand on a page.
fn table(figures: &[Figure]) -> String {
    let mut text = String::new();
    for figure in figures {
        let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), short);
        let ratio = figure.ratio();
        let ratio = ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.4}"));
        let reason = if figure.theirs.is_none() && figure.ours.is_none() {
            "neither has any"
        } else if figure.agrees() {
            "agree"
        } else {
            reason(&figure.capture, &figure.name).unwrap_or("not explained")
        };
        let (theirs, ours) = (number(figure.theirs), number(figure.ours));
        let (capture, name) = (&figure.capture, &figure.name);
        let _ = writeln!(
            text,
            "| {capture} | {name} | {theirs} | {ours} | {ratio} | {reason} |"
        );
    }
    text
}

/// Six significant digits, as short as they get.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    rounded.to_string()
}

fn check(figures: &[Figure], page: &str, path: &str) {
    for figure in figures {
        assert!(
            figure.agrees() || reason(&figure.capture, &figure.name).is_some(),
            "{} {}: XProf {:?}, ours {:?}",
            figure.capture,
            figure.name,
            figure.theirs,
            figure.ours,
        );
    }
    let table = table(figures);
    let missing: Vec<&str> = table.lines().filter(|line| !page.contains(line)).collect();
    assert!(missing.is_empty(), "{path} lacks:\n{}", missing.join("\n"));
    let captures = corpus::captures();
    let stale = page.lines().filter(|line| {
        captures
            .iter()
            .any(|capture| line.starts_with(&format!("| {} |", capture.name)))
    });
    assert_eq!(
        stale.count(),
        table.lines().count(),
        "{path} has rows too many"
    );
}

#[test]
fn hosts_agree_with_the_pod_viewer_or_are_explained() {
    if !corpus::captures().is_empty() {
        let page = include_str!("../../../docs/internals/differences/hosts.md");
        check(&host_figures(), page, "docs/internals/differences/hosts.md");
    }
}

#[test]
fn collectives_agree_or_are_explained() {
    if !corpus::captures().is_empty() {
        let page = include_str!("../../../docs/internals/differences/collectives.md");
        check(
            &collective_figures(),
            page,
            "docs/internals/differences/collectives.md",
        );
    }
}
