//! Rooflines and op trees on drawings.

use serde_json::{Value, json};
use stepscope_testing::corpus;

use super::{CPU, TPU, named, near, rows};
use crate::support::{ask, drawn, open};

#[test]
fn points_under_the_roofs_of_a_tpu() {
    let session = drawn(&[TPU]);
    let report = ask(&session, "roofline", &[]);
    let dot = named(&report, "rows", "dot.1");
    near(&dot["flop_rate"], 459e12);
    near(&dot["compute_ratio"], 0.5);
    near(&dot["intensity"], 4590.0);
    assert_eq!(dot["bound_by"], json!("compute"));
    near(&dot["optimal_flop_rate"], 918e12);
    let add = named(&report, "rows", "add.2");
    assert_eq!(add["bound_by"], json!("memory"));
    near(&add["roofline_ratio"], 0.8);
    let load = named(&report, "rows", "load.3");
    assert_eq!(load["bound_by"], json!("vmem_read"));
    near(&load["roofline_ratio"], 0.9);
    let levels: Vec<&str> = rows(load, "levels")
        .iter()
        .filter_map(|level| level["level"].as_str())
        .collect();
    assert_eq!(levels, ["hbm", "vmem_read"]);
    near(&load["levels"][0]["bytes"], 1e5);
    let done = named(&report, "rows", "copy-done.4");
    assert_eq!(
        (&done["flop_rate"], &done["bound_by"]),
        (&Value::Null, &json!(""))
    );
    let ridge = rows(&report, "peaks")
        .iter()
        .find(|peak| peak["level"] == json!("hbm"));
    near(&ridge.expect("a peak")["ridge_intensity"], 918.0);
    // 9.180002 GFLOP from 0 to 50 µs.
    let total = named(&report, "scopes", "total");
    near(&total["flop_rate"], 9.180_002e9 / 50e-6);
    near(&total["total_ps"], 50e6);
    let busy = ask(&session, "roofline", &[("idle", "exclude")]);
    near(&named(&busy, "scopes", "total")["total_ps"], 45e6);
}

#[test]
fn a_tree_of_a_tpu_with_what_it_wastes() {
    let session = drawn(&[TPU]);
    let report = ask(&session, "op_tree", &[]);
    assert_eq!(report["self_ps"], json!(45_000_000));
    assert_eq!(report["idle_ps"], json!(5_000_000));
    // dot.1 half of 20 µs, add.2 a fifth of 10, load.3 a tenth of 10, all of 5 waiting.
    assert_eq!(
        report["wasted_ps"],
        json!(10_000_000 + 2_000_000 + 1_000_000 + 5_000_000)
    );
    let wasted: Vec<&Value> = rows(&report, "wasted")
        .iter()
        .map(|row| &row["name"])
        .collect();
    assert_eq!(wasted, ["dot.1", "copy-done.4", "add.2", "load.3"]);
    assert_eq!(
        named(&report, "wasted", "copy-done.4")["bound_by"],
        json!("waiting")
    );
    let program = &rows(&report, "rows")[0];
    assert_eq!(
        (&program["kind"], &program["self_ps"]),
        (&json!("program"), &json!(45_000_000))
    );
    near(&program["ratio"], 0.9);
    let last = rows(&report, "rows").last().expect("rows");
    assert_eq!(
        (&last["kind"], &last["self_ps"]),
        (&json!("idle"), &json!(5_000_000))
    );
    let loops = named(&report, "rows", "loop fusion");
    assert_eq!(
        (&loops["child_count"], &loops["occurrences"]),
        (&json!(2), &json!(2))
    );
    assert_eq!(loops["wasted_ps"], json!(3_000_000));
    let bare = ask(&session, "op_tree", &[("idle", "exclude"), ("depth", "1")]);
    assert_eq!(rows(&bare, "rows").len(), 1);
    near(&rows(&bare, "rows")[0]["ratio"], 1.0);
}

#[test]
fn layers_merge_and_fusions_open_on_a_cpu() {
    let session = drawn(&[CPU]);
    let report = ask(&session, "op_tree", &[]);
    let outline: Vec<String> = rows(&report, "rows")
        .iter()
        .map(|row| {
            format!(
                "{} {} {} {}",
                row["depth"], row["kind"], row["name"], row["self_ps"]
            )
        })
        .collect();
    let expected = [
        "0 \"program\" \"jit_step(5)\" 45000000",
        "1 \"category\" \"dot\" 40000000",
        "2 \"duplicates\" \"dot.2\" 40000000",
        "3 \"op\" \"dot.2\" 30000000",
        "3 \"op\" \"dot.1\" 10000000",
        "1 \"category\" \"loop fusion\" 5000000",
        "2 \"op\" \"fusion.3\" 5000000",
        "3 \"instruction\" \"b.1\" 0",
        "3 \"instruction\" \"c.2\" 0",
        "0 \"idle\" \"idle\" 0",
    ];
    assert_eq!(outline, expected);
    let duplicates = &rows(&report, "rows")[2];
    assert_eq!(duplicates["duplicate_count"], json!(2));
    // 2 × 8 × 8 × 8 twice.
    near(&duplicates["flops"], 2048.0);
    near(&rows(&report, "rows")[7]["flops"], 64.0);
    assert_eq!(report["wasted_ps"], Value::Null, "a CPU has no peaks");
    let scopes = ask(
        &session,
        "op_tree",
        &[("by", "scope"), ("fused", "exclude")],
    );
    let layers = named(&scopes, "rows", "layer_1");
    assert_eq!(layers["self_ps"], json!(30_000_000));
    let points = ask(&session, "roofline", &[]);
    let dot = named(&points, "rows", "dot.1");
    near(&dot["flop_rate"], 1024.0 / 10e-6);
    assert_eq!(
        (&dot["bound_by"], &dot["roofline_ratio"]),
        (&json!(""), &Value::Null)
    );
    assert!(
        rows(&points, "notes")[0]["text"]
            .to_string()
            .contains("without roofs")
    );
}

/// A TPU program that keeps arrays in the memory of the host: each copy is recorded as two ops.
#[test]
fn a_copy_of_two_halves_is_one_copy_and_no_output() {
    let Some(capture) = corpus::capture("tpu-v6e-4chip-jax") else {
        return;
    };
    let session = open(&capture);
    let ops = ask(&session, "ops", &[("limit", "0")]);
    let count = |category: &str| -> i64 {
        let own = rows(&ops, "rows")
            .iter()
            .filter(|row| row["category"] == json!(category));
        own.filter_map(|row| row["occurrences"].as_i64()).sum()
    };
    let kernels = ask(&session, "kernels", &[]);
    let transfers = rows(&kernels, "transfers");
    let sum = |key: &str| -> i64 { transfers.iter().filter_map(|row| row[key].as_i64()).sum() };
    assert_eq!(count("copy-start"), count("copy-done"));
    assert_eq!(sum("occurrences"), count("copy-start"));
    // Every array is one of f32[5,1024,1024,256].
    assert_eq!(sum("bytes"), count("copy-start") * 5 * (1 << 30));
    let part = |report: &Value, list: &str, key: &str, name: &str| -> f64 {
        let found = rows(report, list)
            .iter()
            .find(|row| row[key] == json!(name));
        found.and_then(|row| row["mean_ps"].as_f64()).expect(name)
    };
    let overview = ask(&session, "overview", &[]);
    let both = part(&overview, "step_parts", "part", "host_to_device")
        + part(&overview, "step_parts", "part", "device_to_host");
    let input = ask(&session, "input", &[]);
    near(&json!(part(&input, "bounds", "key", "output")), 0.0);
    near(&json!(part(&input, "bounds", "key", "offload")), both);
}
