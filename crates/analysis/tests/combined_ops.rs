//! Ops that XLA combined out of several: together on one row, or divided over what they serve.

use serde_json::Value;
use stepscope_testing::corpus;

use crate::support::{ask, drawn, open};

/// One all-reduce of two gradients, of which one is three times the other, and a loss.
const ALL_REDUCE: &str = "
    host vm
    thread tf_XLAEigen/42
    each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
      10..20us  dot.1
      20..60us  all-reduce.2
    program 5 jit_step
      p.0 = f32[8,8] parameter(0)
      dot.1 = f32[8,8] dot(p.0, p.0) op_name=\"jit(step)/jvp(layer_0)/dot_general\"
      a = f32[30] parameter(1)
      b = f32[10] parameter(2)
      ROOT all-reduce.2 = (f32[30], f32[10]) all-reduce(a, b) op_name=\"jit(step)/(transpose(jvp(layer_0))/dot_general:transpose(jvp(layer_1))/dot_general)\"
";

fn row(report: &Value, path: &str) -> Value {
    let rows = report["rows"].as_array().into_iter().flatten();
    let mut found = rows.filter(|row| row["path"] == path);
    found
        .next()
        .cloned()
        .unwrap_or_else(|| panic!("no row {path} in {report}"))
}

fn picos(row: &Value, key: &str) -> i64 {
    row[key]
        .as_i64()
        .unwrap_or_else(|| panic!("no {key} in {row}"))
}

#[test]
fn a_combined_op_is_one_row_and_says_what_it_serves() {
    let report = ask(&drawn(&[ALL_REDUCE]), "scopes", &[]);
    let combined = row(&report, "jit(step)/combined: 2 paths");
    assert_eq!(picos(&combined, "backward_ps"), 40_000_000);
    assert_eq!(picos(&combined, "estimated_ps"), 0);
    assert_eq!(combined["paths"][1], "jit(step)/layer_1/dot_general");
    let notes = report["notes"].to_string();
    assert!(
        notes.contains("80.0 % of device time is in 1 op"),
        "{notes}"
    );
    let tree = ask(&drawn(&[ALL_REDUCE]), "op_tree", &[("by", "scope")]).to_string();
    assert!(
        tree.contains("jit(step) > combined: 2 paths > all-reduce.2"),
        "{tree}"
    );
}

#[test]
fn its_time_is_divided_by_the_bytes_of_its_operands() {
    let report = ask(
        &drawn(&[ALL_REDUCE]),
        "scopes",
        &[("split-combined", "true")],
    );
    let (first, second) = (
        row(&report, "jit(step)/layer_0/dot_general"),
        row(&report, "jit(step)/layer_1/dot_general"),
    );
    assert_eq!(picos(&first, "estimated_ps"), 30_000_000);
    assert_eq!(picos(&first, "total_ps"), 40_000_000);
    assert_eq!(picos(&second, "total_ps"), 10_000_000);
    assert_eq!(picos(&row(&report, "jit(step)"), "occurrences"), 2);
    let notes = report["notes"].to_string();
    assert!(
        notes.contains("is estimated") && notes.contains("by the bytes"),
        "{notes}"
    );
}

#[test]
fn the_gradients_of_a_recorded_model_are_told_apart() {
    let Some(capture) = corpus::capture("cpu-jax-gpt8") else {
        return;
    };
    let session = open(&capture);
    let together = ask(&session, "scopes", &[]);
    let combined = row(&together, "jit(step)/combined: 19 paths");
    assert_eq!(combined["paths"].as_array().map(Vec::len), Some(19));
    let ratio = combined["ratio"].as_f64().unwrap_or_default();
    assert!((0.12..0.13).contains(&ratio), "{ratio}");
    let divided = ask(&session, "scopes", &[("split-combined", "true")]);
    let (before, after) = (row(&together, "jit(step)"), row(&divided, "jit(step)"));
    assert_eq!(before["total_ps"], after["total_ps"]);
    assert_eq!(before["occurrences"], after["occurrences"]);
    assert!(picos(&after, "estimated_ps") >= picos(&combined, "total_ps"));
    // Equal layers get equal parts, to the picosecond that is left over.
    let part = |layer: usize| {
        picos(
            &row(&divided, &format!("jit(step)/layer_{layer}")),
            "estimated_ps",
        )
    };
    assert!(
        (part(1) - part(2)).abs() <= 8,
        "{} and {}",
        part(1),
        part(2)
    );
}
