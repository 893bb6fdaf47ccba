//! Ours against XProf's answers for the corpus: equal within 0.1 %, or explained. The same figures
//! make the tables of `docs/internals/differences.md`, which is checked here too.

use std::fmt::Write as _;

use stepscope_testing::corpus;

use crate::support::open;
use crate::support::xprof::{Figure, figures, our_ops, rates, their_ops};

/// Why a figure differs: part of the capture's name, part of the figure's name, reason.
const REASONS: &[(&str, &str, &str)] = &[
    (
        "cpu-jax",
        "HLO ops",
        "XProf looks for ops on device planes only, and XLA:CPU has none: its ops are slices of host \
         threads that carry `hlo_op`",
    ),
    (
        "cpu-jax",
        "device idle",
        "XProf prints 0 because it sees no device; ours is 1 − union of op slices ÷ time from the \
         first to the last step",
    ),
    (
        "cpu-jax-mlp",
        "step",
        "XProf drops 2 of the 20 recorded steps, the longest among them; all are in the raw events",
    ),
    (
        "cpu-jax-4hosts",
        "step",
        "XProf aligns hosts by the steps they overlap in and keeps 8 of 10; ours is the mean over \
         hosts of each recorded annotation",
    ),
    (
        "mi300x",
        "step",
        "nothing was annotated; ours are inferred from runs of the dominant program, and the report \
         says so",
    ),
    (
        "tpu-v6e",
        "step",
        "nothing was annotated and no `Steps` line was recorded; ours are inferred from runs of the \
         dominant program, and the report says so",
    ),
    (
        "tpu-v6e",
        "device idle",
        "another window: XProf's reaches over the whole capture, ours from the first to the last step; \
         over XProf's window ours agrees, see the test `idle_time_over_the_same_window`",
    ),
    (
        "v100",
        "step",
        "XProf puts all GPUs of a host on one core and takes the longest `Steps` event, 21.3 ms on \
         GPU:6; ours is the mean over the two GPUs that recorded the step, 19.9 and 21.3 ms",
    ),
    ("", "device idle", "XProf's GPU overview does not have it"),
    (
        "mi300x-jax-conv",
        "cudnn-conv",
        "the convolution is lowered to two kernels; XProf counts its work once per kernel, ours once \
         per execution",
    ),
    (
        "tpu-v6e",
        " of copy-",
        "an asynchronous copy moves its bytes between its start and its end; XProf divides them by the \
         time of each half, up to two million times the peak, and counts them twice; ours gives \
         neither half a rate",
    ),
    (
        "mi300x-jax-gemm",
        "custom-call",
        "XProf prices this matrix product of a library call at 0; ours reads the shapes of the call",
    ),
    (
        "mi300x-jax",
        "ernel",
        "copies and fills that AMD's runtime makes with kernels of its own (`__amd_rocclr_copyBuffer`) \
         are transfers of ours",
    ),
    (
        "",
        "FLOP rate",
        "XLA's GPU cost model, which XProf uses, weighs elementwise operations by a table of cycles, \
         3 for simple ones and hundreds for others; ours counts one per element, the unit of peaks",
    ),
];

fn reason(capture: &str, figure: &str) -> Option<&'static str> {
    let fits =
        |&&(part, name, _): &&(&str, &str, &str)| capture.contains(part) && figure.contains(name);
    REASONS.iter().find(fits).map(|&(_, _, reason)| reason)
}

fn all_figures() -> Vec<Figure> {
    let captures = corpus::captures().into_iter();
    captures
        .flat_map(|capture| figures(&capture.name, &open(&capture)))
        .collect()
}

#[test]
fn figures_agree_or_are_explained() {
    for figure in all_figures() {
        let is_explained = reason(&figure.capture, &figure.name).is_some();
        assert!(
            figure.agrees() || is_explained,
            "{} {}: XProf {:?}, ours {:?}",
            figure.capture,
            figure.name,
            figure.theirs,
            figure.ours,
        );
    }
}

#[test]
fn every_op_has_the_same_occurrences_total_and_self_time() {
    for capture in corpus::captures() {
        let theirs = their_ops(&capture.name);
        let ours = our_ops(&open(&capture));
        for (key, theirs) in &theirs {
            let ours = ours
                .get(key)
                .unwrap_or_else(|| panic!("{}: no {key:?}", capture.name));
            for name in ["occurrences", "total time, µs", "self time, µs"] {
                let (theirs, ours) = (theirs[name], ours[name]);
                let difference = (ours - theirs).abs();
                assert!(
                    difference <= 1e-3 * theirs.abs(),
                    "{} {key:?} {name}: XProf {theirs}, ours {ours}",
                    capture.name,
                );
            }
        }
    }
}

#[test]
fn rates_of_ops_agree_or_are_explained() {
    for capture in corpus::captures() {
        for figure in rates(&capture.name, &open(&capture)) {
            let is_explained = reason(&figure.capture, &figure.name).is_some();
            assert!(
                figure.agrees() || is_explained,
                "{} {}: XProf {:?}, ours {:?}",
                figure.capture,
                figure.name,
                figure.theirs,
                figure.ours,
            );
        }
    }
}

#[test]
fn idle_time_over_the_same_window() {
    let Some(capture) = corpus::capture("tpu-v6e-4chip-jax") else {
        return;
    };
    let session = open(&capture);
    let report = crate::support::ask(&session, "ops", &[]);
    let busy = report["devices"].as_array().expect("devices").iter();
    let busy_ps: f64 = busy.filter_map(|device| device["busy_ps"].as_f64()).sum();
    let windows = session.device_ids().filter_map(|device| {
        let extents = session
            .work_tracks(device)
            .filter_map(|(_, track)| track.extent());
        extents.reduce(stepscope_model::Span::hull)
    });
    let window_ps: f64 = windows.map(|window| window.duration().0 as f64).sum();
    let idle_percent = 100.0 * (1.0 - busy_ps / window_ps);
    assert!(
        (idle_percent - 13.4).abs() < 0.05,
        "ours {idle_percent}, XProf 13.4"
    );
}

/// The tables as they should stand on the page.
fn tables() -> String {
    let mut text = String::new();
    let mut line = |figure: &Figure| {
        let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), short);
        let ratio = figure
            .ratio()
            .map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.4}"));
        let reason = if figure.agrees() {
            "agree"
        } else {
            reason(&figure.capture, &figure.name).unwrap_or("not explained")
        };
        let Figure {
            capture,
            name,
            theirs,
            ours,
        } = figure;
        let (theirs, ours) = (number(*theirs), number(*ours));
        let _ = writeln!(
            text,
            "| {capture} | {name} | {theirs} | {ours} | {ratio} | {reason} |"
        );
    };
    all_figures().iter().for_each(&mut line);
    for capture in corpus::captures() {
        let rates = rates(&capture.name, &open(&capture));
        rates
            .iter()
            .filter(|figure| !figure.agrees())
            .for_each(&mut line);
    }
    text
}

/// Six significant digits, as short as they get.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    rounded.to_string()
}

#[test]
fn the_page_of_differences_is_fresh() {
    if corpus::captures().is_empty() {
        return;
    }
    let page = include_str!("../../../docs/internals/differences.md");
    let tables = tables();
    let missing: Vec<&str> = tables.lines().filter(|line| !page.contains(line)).collect();
    assert!(
        missing.is_empty(),
        "docs/internals/differences.md lacks:\n{}",
        missing.join("\n")
    );
    let rows = page.lines().filter(|line| {
        corpus::captures()
            .iter()
            .any(|capture| line.starts_with(&format!("| {} |", capture.name)))
    });
    assert_eq!(
        rows.count(),
        tables.lines().count(),
        "docs/internals/differences.md has rows too many"
    );
}
