//! What `what_if` predicts from a run, held against a second run in which the change was made.
//! Both runs of each pair are captures of real programs (`fixtures/capture_experiments.py`).

mod support;

use serde_json::Value;
use stepscope_model::Session;
use stepscope_testing::corpus;
use support::{ask, open};

/// The largest accepted difference between prediction and measurement.
const MOST_ERROR: f64 = 0.05;

fn session(name: &str) -> Session {
    let captures = corpus::fixtures();
    let found = captures.iter().find(|capture| capture.name == name);
    open(found.unwrap_or_else(|| panic!("no fixture {name}")))
}

fn number(report: &Value, key: &str) -> f64 {
    let value = report[key].as_f64();
    value.unwrap_or_else(|| panic!("no {key} in {report}"))
}

/// Recorded, predicted and measured time per step in milliseconds.
fn experiment(name: &str, change: &str) -> [f64; 3] {
    let before = session(&format!("experiments-cpu/{name}-before"));
    let after = session(&format!("experiments-cpu/{name}-after"));
    let report = ask(&before, "what_if", &[("change", change)]);
    assert_eq!(report["is_admitted"], true, "{name}: {}", report["refusal"]);
    let predicted = number(&report, "after_ps");
    let measured = number(&ask(&after, "what_if", &[]), "before_ps");
    let times = [number(&report, "before_ps"), predicted, measured].map(|ps| ps * 1e-9);
    println!(
        "| {name} | `{change}` | {:.3} | {:.3} | {:.3} | {:+.1} % |",
        times[0],
        times[1],
        times[2],
        (predicted / measured - 1.0) * 100.0
    );
    times
}

fn holds(name: &str, change: &str) {
    let [before, predicted, measured] = experiment(name, change);
    let error = (predicted / measured - 1.0).abs();
    assert!(
        error <= MOST_ERROR,
        "{name}: {predicted} ms predicted, {measured} ms measured"
    );
    // A prediction that nothing changes would be far off.
    let naive = (before / measured - 1.0).abs();
    assert!(naive > 2.0 * MOST_ERROR, "{name}: the change is small");
}

#[test]
fn input_that_is_always_there() {
    holds("input", "no-input-wait");
}

#[test]
fn a_product_less() {
    holds("product", "remove:extra");
}

#[test]
fn a_collective_less() {
    holds("collective", "remove:meet");
}

#[test]
fn twice_the_batch() {
    holds("batch", "scale:compute:2");
}

#[test]
fn a_straggler_that_no_longer_sleeps() {
    holds("straggler", "no-input-wait");
}
