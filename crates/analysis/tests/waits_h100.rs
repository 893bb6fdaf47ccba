//! Programs on an NVIDIA H100 that wait for every step (`fixtures/capture_waits.py`), compared with
//! their own clocks: without a profiler, when only the last of many steps is waited for, and when the
//! same work is done in another way.

use crate::support::{ask, fixture_in, number, open, truth};
use serde_json::Value;
use stepscope_model::Session;

fn captured(name: &str) -> Session {
    open(&fixture_in("waits-h100", name))
}

/// A time of the program's own clock, in milliseconds.
fn known(name: &str, key: &str) -> f64 {
    number(&truth(&fixture_in("waits-h100", name))[key])
}

fn finding(session: &Session, id: &str) -> Option<Value> {
    let report = ask(session, "advice", &[]);
    let findings = report["findings"].as_array().expect("a list");
    findings.iter().find(|found| found["id"] == id).cloned()
}

fn milliseconds(value: &Value) -> f64 {
    number(value) / 1e9
}

/// The rest of the error is what the profiler costs the host.
#[test]
fn launching_ahead_takes_as_long_as_it_does() {
    for (name, most_off) in [
        ("mlp", 0.04),
        ("highest", 0.04),
        ("attention", 0.04),
        ("forward", 0.05),
    ] {
        let session = captured(name);
        let report = ask(&session, "what_if", &[("change", "no-waits")]);
        let clock = known(name, "ahead_ms");
        let off = milliseconds(&report["after_ps"]) / clock - 1.0;
        assert!(off.abs() < most_off, "{name}: {off}");
        let found = finding(&session, "step_waits").unwrap_or_else(|| panic!("{name} waits"));
        let recorded = milliseconds(&report["before_ps"]);
        let gain = milliseconds(&found["gain_ps_per_step"]);
        let off = (recorded - gain) / clock - 1.0;
        assert!(off.abs() < most_off, "{name}: saves {gain} ms");
        // What the host does after it waited is part of that, not another finding.
        assert!(finding(&session, "idle").is_none(), "{name}");
    }
}

/// An upper bound is at least what the change gave, and near it where nothing else bounds the step.
#[test]
fn gains_of_products_and_attention_bound_what_their_changes_gave() {
    for (name, id, nearest) in [
        ("mlp", "float32_matmul", 1.1),
        ("highest", "float32_matmul", 1.15),
        ("attention", "unfused_attention", 1.15),
    ] {
        let gained = known(name, "ahead_ms") - known(name, "other_ms");
        let found = finding(&captured(name), id).unwrap_or_else(|| panic!("{name}: {id}"));
        let bound = milliseconds(&found["gain_ps_per_step"]);
        let range = gained..nearest * gained;
        assert!(range.contains(&bound), "{name}: {bound} for {gained} ms");
    }
    let found = finding(&captured("highest"), "float32_matmul").expect("f32");
    let why = found["why"].as_str().expect("a text");
    assert!(why.contains("highest precision"), "{why}");
}

/// What `jax.checkpoint` is said to compute again is the only forward pass.
#[test]
fn nothing_is_repeated_without_a_first_computation() {
    let session = captured("forward");
    let again = known("forward", "ahead_ms") / known("forward", "other_ms");
    assert!(again < 1.0, "it takes no longer than without checkpoint");
    assert!(finding(&session, "rematerialization").is_none());
    let total = &ask(&session, "roofline", &[])["rows"][0];
    assert_eq!(number(&total["recomputed_flops"]).to_bits(), 0);
}

#[test]
fn a_loop_of_the_program_is_no_loop_of_python() {
    let session = captured("condition");
    let found = finding(&session, "host_bound").expect("the host launches each round");
    assert_eq!(found["title"], "The host launches a loop op by op");
    let fix = found["fix"].as_str().expect("a text");
    assert!(!fix.contains("lax.scan over several steps"), "{fix}");
    // Waiting is the least of it.
    let ahead = known("condition", "waited_ms") - known("condition", "ahead_ms");
    assert!(ahead < 0.1 && finding(&session, "step_waits").is_none());
}

/// Operators on NumPy arrays are Python, and what they take is gained without them.
#[test]
fn an_update_in_numpy_is_python() {
    let session = captured("numpy");
    let found = finding(&session, "host_bound").expect("the host updates");
    assert_eq!(found["title"], "Python delays the devices");
    let updates = truth(&fixture_in("waits-h100", "numpy"))["update_ms"].clone();
    let updates: Vec<f64> = updates
        .as_array()
        .expect("a list")
        .iter()
        .map(number)
        .collect();
    let mean = updates.iter().sum::<f64>() / updates.len() as f64;
    let gain = milliseconds(&found["gain_ps_per_step"]);
    assert!((gain / mean - 1.0).abs() < 0.02, "{gain} for {mean} ms");
}

#[test]
fn an_evaluation_between_steps_is_named() {
    let session = captured("evaluation");
    let found = finding(&session, "between_steps").expect("it takes a third of the time");
    assert_eq!(found["title"], "jit_loss runs between steps");
    let what = found["what"].as_str().expect("a text");
    assert!(
        what.contains("GPU:0 runs jit_loss 12 times"),
        "two of three: {what}"
    );
}
