//! Who takes part where no program says it.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{micros, rows};
use crate::support::{ask, drawn};

/// Kernels of one collective, on as many GPUs as there are spans.
fn without_program(spans: &[&str]) -> String {
    let mut text = String::from("host vm\n");
    for (number, span) in spans.iter().enumerate() {
        let _ = writeln!(
            text,
            "device gpu:{number} nvidia H100\nstream 20 Compute\n{span} ncclDevKernel_AllReduce_Sum_f32_RING_LL"
        );
    }
    text
}

fn told(report: &Value, words: &str) -> bool {
    let notes = rows(report, "notes");
    let mut texts = notes.iter().filter_map(|note| note["text"].as_str());
    texts.any(|text| text.contains(words))
}

#[test]
fn two_devices_at_the_same_time_are_one_group_without_a_program() {
    let session = drawn(&[&without_program(&["10..40us", "20..42us"])]);
    let report = ask(&session, "collectives", &[]);
    let row = &rows(&report, "rows")[0];
    assert_eq!(row["matched"], json!(2));
    assert_eq!(micros(row, "wait_ps"), 10.0);
    assert!(told(&report, "are assumed to be one group"), "{report}");
}

#[test]
fn two_devices_at_different_times_are_no_group() {
    let session = drawn(&[&without_program(&["10..20us", "30..42us"])]);
    let report = ask(&session, "collectives", &[]);
    assert_eq!(rows(&report, "rows")[0]["wait_ps"], Value::Null);
    assert!(
        told(&report, "participants of 1 collective are unknown"),
        "{report}"
    );
    assert!(!told(&report, "not in the session"), "{report}");
}

#[test]
fn groups_of_more_devices_are_not_guessed() {
    let session = drawn(&[&without_program(&[
        "10..40us", "20..40us", "12..42us", "15..42us",
    ])]);
    let report = ask(&session, "collectives", &[]);
    let row = &rows(&report, "rows")[0];
    assert_eq!(
        (&row["matched"], &row["wait_ps"], &row["group_size"]),
        (&json!(0), &Value::Null, &Value::Null)
    );
    assert_eq!(row["occurrences"], json!(4));
    assert_eq!(report["instance_count"], json!(0));
    assert!(
        told(&report, "participants of 1 collective are unknown"),
        "{report}"
    );
    let hosts = ask(&session, "hosts", &[]);
    assert!(
        told(&hosts, "does not record which devices take part"),
        "{hosts}"
    );
}

/// Four TPUs whose ops carry their HLO text, which says the groups.
fn by_text(groups: &str) -> String {
    let mut text = String::from("host vm\n");
    for (number, start) in [10, 20, 12, 15].into_iter().enumerate() {
        let _ = writeln!(
            text,
            "device tpu:{number} v6e\nline XLA Ops\n{start}..40us %all-reduce.1 = f32[8] \
             all-reduce(f32[8] %p.0), replica_groups={groups}, to_apply=%add {{program_id=5 \
             hlo_category=all-reduce}}"
        );
    }
    text
}

#[test]
fn the_text_of_an_op_says_its_groups() {
    let session = drawn(&[&by_text("[1,4]<=[4]")]);
    let report = ask(&session, "collectives", &[]);
    let row = &rows(&report, "rows")[0];
    assert_eq!(
        (&row["group_size"], &row["groups"], &row["matched"]),
        (&json!(4), &json!("[1,4]<=[4]"), &json!(4))
    );
    // The last one arrives at 20.
    assert_eq!(micros(row, "wait_ps"), 10.0 + 8.0 + 5.0);
    let session = drawn(&[&by_text("[2,2]<=[4]")]);
    let report = ask(&session, "collectives", &[]);
    let row = &rows(&report, "rows")[0];
    assert_eq!(
        (&row["group_size"], &row["matched"]),
        (&json!(2), &json!(0)),
        "which device has which id is not said"
    );
    assert!(
        told(&report, "participants of 1 collective are unknown"),
        "{report}"
    );
}
