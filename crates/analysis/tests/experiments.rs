//! What `what_if` predicts of steps, compared with steps of the same recording in which the change was
//! made (`fixtures/capture_experiments.py`: both kinds of steps in turns).

use crate::support::{ask, open};
use serde_json::Value;
use stepscope_model::Session;
use stepscope_testing::corpus::{self, Capture};

/// The largest accepted difference between prediction and measurement.
const MOST_ERROR: f64 = 0.05;

fn session(name: &str) -> Session {
    let folder = corpus::repository_root().join("fixtures/experiments-cpu");
    let run = folder.join(format!("{name}/plugins/profile/{name}"));
    let hosts: &[&str] = match name {
        "straggler" => &["host-0", "host-1"],
        _ => &["vm"],
    };
    open(&Capture {
        name: name.to_owned(),
        folder,
        hosts: hosts
            .iter()
            .map(|host| run.join(format!("{host}.xplane.pb.gz")))
            .collect(),
        own: true,
    })
}

/// The lower quartile over steps, by nearest rank. What else runs on a machine makes steps longer,
/// never shorter, so that it disturbs a mean far more.
fn lower_quartile(report: &Value, key: &str) -> f64 {
    let rows = report["steps"].as_array().expect("steps");
    let mut times: Vec<f64> = rows.iter().filter_map(|row| row[key].as_f64()).collect();
    assert!(times.len() >= 16, "{}", times.len());
    times.sort_by(f64::total_cmp);
    times[times.len().div_ceil(4) - 1]
}

fn holds(name: &str, change: &str) {
    let session = session(name);
    let before = ask(
        &session,
        "what_if",
        &[("series", "before"), ("change", change)],
    );
    assert_eq!(before["is_admitted"], true, "{name}: {}", before["refusal"]);
    let unchanged = [("series", "after"), ("change", "scale:compute:1")];
    let after = ask(&session, "what_if", &unchanged);
    let recorded = lower_quartile(&before, "duration_ps");
    let predicted = lower_quartile(&before, "after_ps");
    let measured = lower_quartile(&after, "duration_ps");
    let error = (predicted / measured - 1.0).abs();
    assert!(
        error <= MOST_ERROR,
        "{name}: {recorded} ps, {predicted} ps predicted, {measured} ps measured"
    );
    // To predict that nothing changes would be further off.
    let naive = (recorded / measured - 1.0).abs();
    assert!(naive > 3.0 * error, "{name}: the change is small");
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
fn ten_collectives_less() {
    holds("collective", "remove:meet");
}

#[test]
fn twice_the_batch() {
    holds("double", "scale:compute:2");
}

#[test]
fn a_straggler_that_catches_up() {
    holds("straggler", "align");
}
