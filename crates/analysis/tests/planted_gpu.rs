//! The planted causes on an NVIDIA H100, with the flags that people have: XLA launches CUDA graphs
//! while it records. Seven programs shared the machine and the GPU, so what a step takes beyond its
//! cause differs from run to run.

use crate::support::ask;
use crate::support::planted::{Planted, read_all};

fn planted() -> Vec<Planted> {
    let all = read_all("causes-h100");
    assert!(all.len() >= 30, "the planted captures are there");
    all
}

/// What the device computes is the cause.
const COMPUTE: &[&str] = &[
    "long_ops",
    "dominating_op",
    "float32_matmul",
    "step_outliers",
];
/// The host is, and what it did was not recorded.
const UNSEEN: &[&str] = &["idle", "host_bound", "input_wait"];

/// What may stand first, with frames of Python and without, and what it has to say with them.
fn expected(
    case: &str,
) -> (
    &'static [&'static str],
    &'static [&'static str],
    &'static str,
) {
    match case {
        "compute-async" | "two-programs-async" => (COMPUTE, COMPUTE, ""),
        // Kernels of the other programs ran in between.
        "compute-sync" => (COMPUTE, UNSEEN, ""),
        "train-and-eval" => (&["idle"], &["step_outliers", "compilation"], ""),
        "sorting" => (&["idle"], &["host_bound"], ""),
        "sleeping-dataset" | "reading-dataset" | "queue-loader" => {
            (&["input_wait"], UNSEEN, "requested from the iterator")
        }
        "to-device" => (&["input_wait", "host_bound"], UNSEEN, ""),
        "pure-callback" | "io-callback" => (
            &["python_callback"],
            &["python_callback"],
            "capture_causes.py",
        ),
        "debug-callback" => (
            &["debug_print"],
            &["debug_print"],
            "report (capture_causes.py:",
        ),
        "python-between" => (&["host_bound"], &["idle"], "summarize"),
        "sleep-between" => (&["host_bound"], &["idle"], "wait_for_quota"),
        "garbage" => (&["host_bound"], &["idle"], "garbage"),
        "checkpoints" => (&["host_bound"], &["idle", "step_outliers"], ""),
        "recompiles" => (&["recompilation"], &["recompilation"], "recompiled"),
        other => panic!("{other} is expected to say something"),
    }
}

#[test]
fn the_planted_cause_stands_first() {
    let mut wrong = Vec::new();
    for planted in planted() {
        let (with_python, without, word) = expected(&planted.case);
        let report = ask(&planted.session, "advice", &[]);
        let first = &report["findings"][0];
        let id = first["id"].as_str().unwrap_or_default();
        let said = format!("{} {}", first["title"], first["what"]);
        let allowed = if planted.has_python {
            with_python
        } else {
            without
        };
        if !allowed.contains(&id) || planted.has_python && !said.contains(word) {
            wrong.push(format!("{}: {id} {said}", planted.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Annotated steps are as long as by the program's own clock.
#[test]
fn step_times_are_those_of_the_programs_clock() {
    for planted in planted() {
        let report = ask(&planted.session, "steps", &[]);
        let mean_ps = report["step_time_ps"]["mean"].as_f64();
        if !planted.has_steps() {
            assert_eq!(mean_ps, None, "{}", planted.name);
            continue;
        }
        let mean_ps = mean_ps.expect("a step time");
        // The clock of a loop that waits once also sees how it fills its queue.
        if !planted.is_annotated || planted.case.ends_with("-async") {
            continue;
        }
        let beyond = mean_ps / (planted.step_s.unwrap_or_default() * 1e12) - 1.0;
        assert!(
            (-0.06..0.06).contains(&beyond),
            "{}: {beyond}",
            planted.name
        );
    }
}

/// Python that a program calls: the device waits, although it records nothing but copies.
#[test]
fn callbacks_are_found_on_the_host() {
    let mut count = 0;
    for planted in planted() {
        let report = ask(&planted.session, "overview", &[]);
        let parts = report["step_parts"].as_array().expect("a list");
        let part = parts.iter().find(|part| part["part"] == "python_callbacks");
        let called_ps = part
            .and_then(|part| part["mean_ps"].as_f64())
            .unwrap_or(0.0);
        if planted.case.ends_with("-callback") {
            let truth_ps = planted.cause_s * 1e12;
            assert!(
                called_ps >= 0.98 * truth_ps,
                "{}: {called_ps}",
                planted.name
            );
            count += 1;
        } else {
            assert!(called_ps == 0.0, "{}: {called_ps}", planted.name);
        }
    }
    assert!(count >= 6, "the planted captures are there");
}

/// Kernels of graphs have their ops; without, nothing but autotuning lacks one.
#[test]
fn kernels_have_their_ops() {
    for planted in planted()
        .iter()
        .filter(|planted| planted.case != "recompiles")
    {
        let report = ask(&planted.session, "kernels", &[]);
        let ratio = report["attributed_ratio"].as_f64().expect("a ratio");
        assert!(ratio > 0.99, "{}: {ratio}", planted.name);
    }
}

/// What XLA tries out while it compiles is neither a step nor a program without HLO.
#[test]
fn autotuning_is_no_step() {
    let all = planted();
    let compiled = all.iter().find(|planted| planted.case == "recompiles");
    let session = &compiled.expect("it is there").session;
    let report = ask(session, "verdict", &[]);
    let findings = report["findings"].as_array().expect("a list");
    let ids: Vec<&str> = findings
        .iter()
        .filter_map(|one| one["id"].as_str())
        .collect();
    assert!(!ids.contains(&"missing_hlo"), "{ids:?}");
    let kernels = findings.iter().find(|one| one["id"] == "graph_kernels");
    let why = kernels
        .and_then(|one| one["why"].as_str())
        .unwrap_or_default();
    assert!(why.contains("autotuning"), "{why}");
    let idle = ask(session, "idle", &[]);
    let causes = idle["causes"].as_array().expect("a list");
    let compiled = causes.iter().find(|row| row["cause"] == "compilation");
    let ratio = compiled.and_then(|row| row["window_ratio"].as_f64());
    assert!(ratio.is_some_and(|ratio| ratio > 0.95), "{ratio:?}");
}
