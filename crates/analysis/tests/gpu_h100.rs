//! Our own captures of an NVIDIA H100 (`fixtures/capture_gpu.py`), and what is true of them: the
//! program's own clock, the same program without CUDA graphs, and work that is known.

use std::collections::BTreeMap;

use crate::support::{ask, fixture_in, number, open, truth};
use serde_json::Value;
use stepscope_model::Session;

fn captured(name: &str) -> Session {
    open(&fixture_in("gpu-h100", name))
}

fn known(name: &str) -> Value {
    truth(&fixture_in("gpu-h100", name))
}

/// With graphs and without, loops that wait in every step have the steps of the program's own clock.
#[test]
fn step_times_are_those_of_the_programs_clock() {
    for name in [
        "gpt-off",
        "gpt-default",
        "gpt-counters",
        "scan-off",
        "scan-on",
        "mixed-default",
    ] {
        let report = ask(&captured(name), "steps", &[]);
        let rows = report["rows"].as_array().expect("a list");
        let own = known(name)["step_s"].as_array().expect("a list").clone();
        assert_eq!(rows.len(), own.len(), "{name}");
        for (row, own) in rows.iter().zip(&own) {
            let own_ps = number(own) * 1e12;
            let off = number(&row["duration_ps"]) / own_ps - 1.0;
            // The annotation is entered and left within what the program timed.
            assert!((-0.07..=0.0).contains(&off), "{name}: {off} {row}");
        }
    }
}

/// Step 4 stalls in its loader, and no other step.
#[test]
fn the_stall_is_in_its_step() {
    for name in ["gpt-off", "gpt-default", "scan-off", "scan-on"] {
        let report = ask(&captured(name), "steps", &[]);
        let rows = report["rows"].as_array().expect("a list");
        let longest = rows
            .iter()
            .max_by(|a, b| number(&a["duration_ps"]).total_cmp(&number(&b["duration_ps"])));
        let longest = longest.expect("steps");
        assert_eq!(longest["step"], 4, "{name}");
        let waited_ms = number(&longest["input_wait_ps"]) / 1e9;
        assert!((30.0..32.0).contains(&waited_ms), "{name}: {waited_ms}");
    }
}

/// Self time by scope; work without an op by its name.
fn by_scope(session: &Session) -> BTreeMap<String, f64> {
    let report = ask(session, "ops", &[("limit", "0")]);
    let mut scopes = BTreeMap::new();
    for row in report["rows"].as_array().expect("a list") {
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let scope = Some(text("scope")).filter(|scope| !scope.is_empty());
        *scopes
            .entry(scope.unwrap_or_else(|| text("name")))
            .or_default() += number(&row["self_ps"]);
    }
    scopes
}

/// The share of time that is elsewhere.
fn moved(without: &BTreeMap<String, f64>, with: &BTreeMap<String, f64>) -> f64 {
    let names = without
        .keys()
        .chain(with.keys().filter(|name| !without.contains_key(*name)));
    let of =
        |scopes: &BTreeMap<String, f64>, name: &String| scopes.get(name).copied().unwrap_or(0.0);
    let differences: f64 = names
        .map(|name| (of(without, name) - of(with, name)).abs())
        .sum();
    differences / 2.0 / without.values().sum::<f64>()
}

/// Without graphs every kernel carries its op: that is what graphs are compared with. XLA's autotuner
/// chose other kernels for some ops in the two compilations, so times differ a little.
#[test]
fn with_graphs_each_scope_has_the_time_it_has_without() {
    let without = captured("gpt-off");
    let with = captured("gpt-default");
    assert!(with.graphs.iter().any(|graph| graph.program.is_some()));
    let ratio = |session| number(&ask(session, "ops", &[])["attributed_ratio"]);
    assert!(ratio(&without) > 0.999 && ratio(&with) > 0.999);
    let share = moved(&by_scope(&without), &by_scope(&with));
    assert!(share < 0.02, "{share}");

    // Graphs in the bodies of loops: two products whose order cannot be told stay open.
    let (without, with) = (captured("scan-off"), captured("scan-on"));
    assert!(ratio(&with) > 0.97);
    let share = moved(&by_scope(&without), &by_scope(&with));
    assert!(share < 0.05, "{share}");
}

/// Rows of programs, whose names end in the name of their work.
fn work(session: &Session, name: &str) -> Value {
    let report = ask(session, "ops", &[("limit", "0")]);
    let rows = report["rows"].as_array().expect("a list");
    let own = rows.iter().filter(|row| {
        let program = row["program"].as_str().unwrap_or_default();
        program.starts_with(&format!("jit_work_{name}("))
    });
    let largest = own.max_by(|a, b| number(&a["self_ps"]).total_cmp(&number(&b["self_ps"])));
    largest.cloned().unwrap_or_else(|| panic!("{name} ran"))
}

/// Operations and bytes are those of the mathematics, rates are below the peaks of their types and
/// not far below: cuBLAS and XLA's loops are good on an H100.
#[test]
fn known_work_is_close_to_its_roof() {
    let session = captured("roofline");
    let truth = known("roofline");
    for (name, operand, least) in [
        ("bf16", "bf16", 0.75),
        ("f16", "f16", 0.75),
        ("f32_default", "f32 as tf32", 0.7),
        ("f32_highest", "f32", 0.7),
        ("f8", "fp8", 0.75),
        ("int8", "int8", 0.75),
    ] {
        let row = work(&session, name);
        let flops = number(&truth["works"][name]["flops"]);
        assert_eq!(number(&row["flops"]), flops, "{name}");
        // What is shown as a rate is that share of what is shown as the peak.
        let share = number(&row["flop_rate"]) / number(&row["peak_flops_per_second"]);
        let ratio = number(&row["roofline_ratio"]);
        assert!(
            (share / ratio - 1.0).abs() < 1e-9,
            "{name}: {share} {ratio}"
        );
        assert_eq!(row["operand_type"], operand, "{name}");
        let ratio = number(&row["roofline_ratio"]);
        assert!((least..1.0).contains(&ratio), "{name}: {ratio}");
    }
    for name in ["add", "axpy", "softmax", "transpose"] {
        let row = work(&session, name);
        assert_eq!(
            number(&row["bytes"]),
            number(&truth["works"][name]["bytes"]),
            "{name}"
        );
        assert_eq!(row["bound_by"], "memory", "{name}");
        let ratio = number(&row["roofline_ratio"]);
        assert!((0.8..1.0).contains(&ratio), "{name}: {ratio}");
        // By the program's own clock, which has the launch of twenty runs in it.
        let own_s = number(&truth["works"][name]["seconds"]);
        let ours_s = number(&row["self_ps"]) / number(&row["executions"]) / 1e12;
        assert!(
            (0.9..1.02).contains(&(ours_s / own_s)),
            "{name}: {ours_s} {own_s}"
        );
    }
}

/// Hardware counters that were asked for.
#[test]
fn counters_of_the_device_are_there() {
    let report = ask(&captured("gpt-counters"), "counters", &[]);
    let rows = report["rows"].as_array().expect("a list");
    let names: Vec<&str> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    for name in [
        "dram__bytes_read.sum",
        "dram__bytes_write.sum",
        "sm__cycles_active.avg",
    ] {
        assert!(names.contains(&name), "{names:?}");
    }
}

/// A capture without the host: two runs of a program that is one graph and some kernels.
#[test]
fn runs_without_launches_are_those_of_the_program() {
    let session = captured("goal-small");
    assert_eq!(session.program_runs.len(), 2);
    let report = ask(&session, "steps", &[]);
    let mean_ms = number(&report["step_time_ps"]["mean"]) / 1e9;
    // From the first run to the second; the program timed 4.7 ms and 4.6 ms plus what is between.
    assert!((4.0..7.0).contains(&mean_ms), "{mean_ms}");
}

/// Kernels of a stream that overlap a little, as Hopper's do, still wait for one another: the path is
/// what the device computes, the loader and the launch, with hardly a gap.
#[test]
fn the_critical_path_follows_the_stream() {
    for name in ["gpt-off", "gpt-default", "scan-on"] {
        let session = captured(name);
        let path = ask(&session, "critical_path", &[]);
        let share = |kind: &str| {
            let kinds = path["kinds"].as_array().expect("a list");
            let own = kinds.iter().find(|row| row["kind"] == kind);
            own.map_or(0.0, |row| number(&row["ratio"]))
        };
        let busy = number(&ask(&session, "overview", &[])["device_busy_ratio"]);
        let worked = share("compute") + share("copy");
        assert!((worked - busy).abs() < 0.02, "{name}: {worked} {busy}");
        assert!(share("idle") < 0.05, "{name}: {path}");
    }
}
