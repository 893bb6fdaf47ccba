//! What `compare` and `check` say of programs that changed as a whole.

use std::fmt::Write as _;

use serde_json::Value;
use stepscope_analysis::{Compared, find_comparison};
use stepscope_model::Session;

use crate::support::drawn;

pub(crate) fn ask(comparison: &str, sessions: [&Session; 2], options: &[(&str, &str)]) -> Value {
    let names = ["before", "after"];
    let compared: Vec<Compared<'_>> = names
        .iter()
        .zip(sessions)
        .map(|(name, session)| Compared { name, session })
        .collect();
    let entry = find_comparison(comparison).expect("it is listed");
    let answer = entry.run_pairs(&compared, options.iter().copied());
    answer.and_then(|answer| answer.json()).expect("a report")
}

/// Ten steps of one virtual device: a chain of ops of this type and these rows, 10 us each, with gaps.
fn chain(kind: &str, rows: u64, ops: u64, each_us: u64) -> Session {
    let mut hlo = format!("p.0 = {kind}[{rows},16] parameter(0)\n");
    let mut slices = String::new();
    let mut before = "p.0".to_owned();
    for op in 1..=ops {
        let root = if op == ops { "ROOT " } else { "" };
        writeln!(
            hlo,
            "{root}tanh.{op} = {kind}[{rows},16] tanh({before}) source=\"train.py:{op}\""
        )
        .expect("a text");
        let begin = (op - 1) * each_us;
        writeln!(slices, "{begin}..{}us tanh.{op}", begin + each_us).expect("a text");
        before = format!("tanh.{op}");
    }
    let period = ops * each_us + 10;
    drawn(&[&format!(
        "
        host vm
        program 5 jit_step
          {hlo}
        thread python
        repeat 10 every {period}us
          0..{period}us train #step_num=$i,_r=1#
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 10 every {period}us
          {slices}
        end
        "
    )])
}

/// Runs of a function without annotations: `count` of them, each one product of this many rows.
fn runs(function: &str, rows: u64, count: u64, each_us: u64) -> Session {
    drawn(&[&format!(
        "
        host vm
        program 5 jit_{function}
          p.0 = f32[{rows},16] parameter(0)
          ROOT dot.1 = f32[{rows},{rows}] dot(p.0, p.0) source=\"train.py:7\"
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_{function} program_id=5 device_ordinal=0]
        repeat {count} every {}us
          0..{each_us}us dot.1 [run_id=1$i]
        end
        ",
        each_us + 5
    )])
}

pub(crate) fn both(before: &Session, after: &Session) -> Value {
    ask("compare", [before, after], &[])
}

pub(crate) fn causes(report: &Value) -> Vec<(String, String)> {
    let causes = report["differences"][0]["causes"]
        .as_array()
        .expect("causes");
    let text = |cause: &Value, key: &str| cause[key].as_str().unwrap_or_default().to_owned();
    causes
        .iter()
        .map(|cause| (text(cause, "kind"), text(cause, "text")))
        .collect()
}

/// The id of a program on XLA:CPU is the number of its module: another type has the same.
#[test]
fn another_element_type_is_the_first_cause_and_not_the_machine() {
    let report = both(&chain("f32", 64, 12, 10), &chain("f64", 64, 12, 20));
    let causes = causes(&report);
    assert_eq!(
        causes[0],
        (
            "retyped".to_owned(),
            "f64 instead of f32 in 12 instructions: another element type".to_owned()
        ),
        "{causes:#?}"
    );
    assert!(
        causes.iter().all(|(kind, _)| kind != "all_alike"),
        "{causes:#?}"
    );
    let program = &report["differences"][0]["programs"][0];
    assert_eq!(program["matched"], "changed");
    assert_eq!(program["changed_count"], 12);
}

#[test]
fn a_slower_machine_is_told_where_nothing_changed() {
    let report = both(&chain("f32", 64, 12, 10), &chain("f32", 64, 12, 20));
    let causes = causes(&report);
    assert!(
        causes.iter().any(|(kind, _)| kind == "all_alike"),
        "{causes:#?}"
    );
    assert_eq!(report["differences"][0]["programs"][0]["matched"], "same");
}

/// Twelve ops of the same length: no two of them are most of the change.
#[test]
fn a_change_that_many_ops_share_is_spread_over_them() {
    // Each op alone is below what counts as a cause of its own.
    let report = both(&chain("f32", 64, 600, 10), &chain("f32", 64, 600, 13));
    let causes = causes(&report);
    let part = causes.iter().find(|(kind, _)| kind == "part");
    let (_, text) = part.unwrap_or_else(|| panic!("no part in {causes:#?}"));
    assert!(text.contains("spread over 600 ops"), "{text}");
}

/// A step of one session is a run of another function, which does four times the work: no budget of the
/// step can be checked.
#[test]
fn a_budget_of_steps_of_another_unit_is_unknown() {
    let (before, after) = (runs("iteration", 64, 12, 40), runs("part", 32, 48, 12));
    let budgets = ["step_time=+10%", "memory_peak=+10%", "step_time<=1s"];
    let report = ask(
        "check",
        [&before, &after],
        &budgets.map(|budget| ("budget", budget)),
    );
    let rows = report["rows"].as_array().expect("rows");
    assert_eq!(rows[0]["verdict"], "unknown", "{report:#}");
    let text = rows[0]["text"].as_str().expect("a text");
    assert!(text.contains("cannot be compared by step"), "{text}");
    assert_eq!(rows[2]["verdict"], "passed", "{report:#}");
    assert_eq!(report["is_passed"], false);
    let compared = both(&before, &after);
    assert_eq!(
        compared["differences"][0]["parts"].as_array().map(Vec::len),
        Some(0)
    );
}

/// What pads its input is no other batch.
#[test]
fn a_size_within_a_program_is_not_a_size_that_it_is_given() {
    let padded = |inner: u64| {
        drawn(&[&format!(
            "
            host vm
            program 5 jit_step
              p.0 = f32[384,16] parameter(0)
              pad.1 = f32[{inner},16] pad(p.0) source=\"train.py:1\"
              tanh.2 = f32[{inner},16] tanh(pad.1) source=\"train.py:2\"
              ROOT slice.3 = f32[384,16] slice(tanh.2) source=\"train.py:3\"
            thread python
            repeat 10 every 50us
              0..50us train #step_num=$i,_r=1#
            end
            thread tf_XLAEigen/42
            each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
            repeat 10 every 50us
              0..10us pad.1
              10..20us tanh.2
              20..30us slice.3
            end
            "
        )])
    };
    let found = causes(&both(&padded(386), &padded(390)));
    assert!(
        found.iter().all(|(kind, _)| kind != "resized"),
        "{found:#?}"
    );
    let found = causes(&both(&chain("f32", 64, 8, 10), &chain("f32", 96, 8, 15)));
    assert!(
        found.iter().any(|(kind, _)| kind == "resized"),
        "{found:#?}"
    );
}
