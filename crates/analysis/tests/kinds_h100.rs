//! Programs of many kinds on an NVIDIA H100, as people write them (`fixtures/capture_kinds.py`), and
//! collectives of NCCL between two processes on it (`fixtures/capture_nccl.py`): step times are those of
//! the programs' own clocks, figures those of known work, and causes those that were planted.

use crate::support::planted::read_all;
use crate::support::{ask, fixture_in, number, open, truth};
use serde_json::Value;
use stepscope_model::Session;

fn captured(name: &str) -> Session {
    open(&fixture_in("kinds-h100", name))
}

fn known(name: &str) -> Value {
    truth(&fixture_in("kinds-h100", name))
}

fn numbers(list: &Value) -> Vec<f64> {
    let list = list.as_array().expect("a list").iter();
    list.map(|value| value.as_f64().expect("a number"))
        .collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn findings(session: &Session) -> Vec<Value> {
    let report = ask(session, "advice", &[]);
    report["findings"].as_array().expect("a list").clone()
}

/// A step is a round of the loop, whatever programs it has; the last one is cut off.
#[test]
fn steps_of_loops_that_nobody_annotated_are_those_of_their_clocks() {
    let cases = [
        "policy",
        "accumulate",
        "eval_every",
        "gan",
        "eager",
        "numpy_batch",
        "offload",
        "checkpoint",
        "fp8",
        "f64",
        "attention",
        "experts",
    ];
    for name in cases {
        let clock_ms = numbers(&known(name)["clock_ms"]);
        let found = &ask(&captured(name), "overview", &[])["step_time_ps"];
        assert_eq!(
            found["count"].as_u64(),
            u64::try_from(clock_ms.len() - 1).ok(),
            "{name}"
        );
        // A step is from one round's run to the next one's: it ends within the next round.
        let clock = median(clock_ms[1..].to_vec());
        let off = number(&found["median"]) / 1e9 / clock - 1.0;
        assert!(off.abs() < 0.05, "{name}: {off}");
    }
    // Nothing waits within the loop: only the whole of it is known.
    let clock_ms = numbers(&known("async")["clock_ms"]);
    let found = &ask(&captured("async"), "overview", &[])["step_time_ps"];
    let each = clock_ms.iter().sum::<f64>() / clock_ms.len() as f64;
    let off = number(&found["mean"]) / 1e9 / each - 1.0;
    assert!(off.abs() < 0.03, "async: {off}");
}

/// The scales of a product of fp8 are f32; the product is not.
#[test]
fn a_product_of_fp8_is_no_product_of_f32() {
    let session = captured("fp8");
    let ids = findings(&session);
    assert!(ids.iter().all(|finding| finding["id"] != "float32_matmul"));
    let row = &ask(&session, "roofline", &[])["rows"][0];
    assert_eq!(row["operand_type"], "fp8");
    let each = number(&row["flops"]) / number(&row["executions"]);
    assert!((each / number(&known("fp8")["flops"]) - 1.0).abs() < 1e-9);
}

#[test]
fn a_product_of_f64_has_its_own_peak() {
    let row = &ask(&captured("f64"), "roofline", &[])["rows"][0];
    assert_eq!(row["operand_type"], "f64");
    let ratio = number(&row["roofline_ratio"]);
    assert!((0.8..1.0).contains(&ratio), "{ratio}");
}

#[test]
fn work_on_f64_is_the_first_finding() {
    let advice = ask(&captured("f64"), "advice", &[]);
    let first = &advice["findings"][0];
    assert_eq!(first["id"], "float64_work");
    let text = first["what"].as_str().expect("a text");
    assert!(text.starts_with("100.0 % of"), "{text}");
}

/// XLA multiplies every token with every expert: the operations that the model needs are a 16th.
#[test]
fn experts_that_are_computed_densely_are_found_and_do_not_count() {
    let session = captured("experts");
    let known = known("experts");
    let report = ask(&session, "overview", &[]);
    let step_s = number(&report["step_time_ps"]["mean"]) / 1e12;
    let mfu = number(&known["flops_needed"]) / step_s / 989.4e12;
    let verdicts = report["verdicts"].as_array().expect("a list").iter();
    let mut found = verdicts.filter(|row| row["key"] == "mfu_ratio");
    let found = number(&found.next().expect("an MFU")["value"]);
    assert!((found / mfu - 1.0).abs() < 0.03, "{found} {mfu}");
    let first = &findings(&session)[0];
    assert_eq!(first["id"], "dense_groups");
    let what = first["what"].as_str().unwrap_or_default();
    assert!(what.contains("all 16 groups"), "{what}");
}

/// 768 MiB of activations go to pinned memory in each step and come back: there is no input.
#[test]
fn arrays_that_a_program_keeps_in_host_memory_are_no_input() {
    let session = captured("offload");
    let input = ask(&session, "input", &[]);
    let bounds = input["bounds"].as_array().expect("a list");
    let ratio = |key: &str| {
        let mut found = bounds.iter().filter(|bound| bound["key"] == key);
        number(&found.next().expect("a bound")["ratio"])
    };
    assert_eq!((ratio("input"), ratio("output")), (0.0, 0.0));
    assert!((0.35..0.45).contains(&ratio("offload")));
    let found = findings(&session);
    assert!(found.iter().all(|one| one["id"] != "input_wait"));
    let mut copies = found.iter().filter(|one| one["id"] == "host_transfers");
    let why = copies.next().expect("a finding")["why"].to_string();
    assert!(why.contains("offloading"), "{why}");
    // Arguments and results of a call are not kept.
    let planted = read_all("causes-h100");
    let mut called = planted.iter().filter(|one| one.name == "io-callback");
    let found = findings(&called.next().expect("a capture").session);
    let mut copies = found.iter().filter(|one| one["id"] == "host_transfers");
    let why = copies.next().expect("a finding")["why"].to_string();
    assert!(why.contains("calls Python"), "{why}");
}

/// In step 3 rank 1 sleeps for 30 ms before its first collective.
#[test]
fn a_slow_step_names_who_was_late_at_a_collective_of_nccl() {
    for name in ["dp", "fsdp", "pp"] {
        let session = open(&fixture_in("nccl-h100", name));
        let rows = ask(&session, "steps", &[])["rows"].clone();
        let rows = rows.as_array().expect("a list");
        let clocks = truth(&fixture_in("nccl-h100", name))["clock_ms"].clone();
        for (rank, clock) in clocks.as_array().expect("a list").iter().enumerate() {
            let host = format!("gpu-host-{rank}");
            let own: Vec<f64> = rows
                .iter()
                .filter(|row| row["host"] == host.as_str())
                .map(|row| number(&row["duration_ps"]) / 1e9)
                .collect();
            let clock = numbers(clock);
            assert_eq!(own.len(), clock.len(), "{name}");
            for (own, clock) in own.iter().zip(&clock) {
                assert!((own / clock - 1.0).abs() < 0.02, "{name}: {own} {clock}");
            }
        }
        let found = findings(&session);
        let mut slow = found.iter().filter(|one| one["id"] == "step_outliers");
        let what = slow.next().expect("a slow step")["what"].clone();
        let what = what.as_str().unwrap_or_default();
        let words: Vec<&str> = what.split(' ').collect();
        let at = words.iter().position(|word| *word == "arrives");
        let at = at.unwrap_or_else(|| panic!("{name}: {what}"));
        assert_eq!(words[at - 1], "gpu-host-1", "{what}");
        let late_ms: f64 = words[at + 1].parse().expect("a time");
        assert!(
            (late_ms - 30.0).abs() < 3.0 && words[at + 2] == "ms",
            "{what}"
        );
    }
}

/// The time that the first to arrive waits for the last is that of the sleep, and the bytes are those
/// of the arrays.
#[test]
fn collectives_of_nccl_have_their_bytes_and_their_waits() {
    let session = open(&fixture_in("nccl-h100", "dp"));
    let report = ask(&session, "collectives", &[]);
    let rows = report["rows"].as_array().expect("a list");
    let reduced: Vec<&Value> = rows
        .iter()
        .filter(|row| row["kind"] == "all-reduce")
        .collect();
    assert_eq!(reduced.len(), 5, "four gradients and the loss");
    let weights = 4096.0 * 4096.0 * 4.0;
    let large = reduced
        .iter()
        .filter(|row| number(&row["bytes"]) == weights);
    assert_eq!(large.count(), 4);
}
