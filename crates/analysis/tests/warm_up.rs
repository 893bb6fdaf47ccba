//! First steps that compile: which they are, and that no figure is about them unless they are selected.

use std::fmt::Write as _;

use serde_json::Value;

use crate::support::{ask, drawn};

/// Steps of 1,000 us on XLA:CPU, each with 600 us of work; some are 3,000 us longer, because their host
/// compiles or does something else, or 900 us, for an unknown reason.
fn steps(count: u32, long: &[(u32, &str)]) -> String {
    let (mut marks, mut ops) = (String::new(), String::new());
    let mut at = 0;
    for step in 0..count {
        let more = long.iter().find(|one| one.0 == step).map(|one| one.1);
        let start = at
            + match more {
                Some("") => 900,
                Some(_) => 3000,
                None => 0,
            };
        let end = start + 1000;
        _ = writeln!(marks, "{at}..{}us train #step_num={step},_r=1#", end - 1);
        if let Some(call) = more.filter(|call| !call.is_empty()) {
            _ = writeln!(marks, "{}..{}us {call}", at + 1, start - 1);
        }
        _ = writeln!(ops, "{}..{}us dot.1", start + 1, start + 601);
        at = end;
    }
    format!(
        "host vm
        thread python
        {marks}
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        {ops}
        program 5 jit_step
          p.0 = f32[64,64] parameter(0)
          dot.1 = f32[64,64] dot(p.0, p.0)"
    )
}

const COMPILES: &str = "backend_compile";

fn numbers(session: &stepscope_model::Session, options: &[(&str, &str)]) -> Vec<i64> {
    let report = ask(session, "steps", options);
    let rows = report["rows"].as_array().expect("rows");
    rows.iter().filter_map(|row| row["step"].as_i64()).collect()
}

/// The numbers of steps that the step time does not include.
fn warm_up(session: &stepscope_model::Session, options: &[(&str, &str)]) -> Vec<i64> {
    let report = ask(session, "overview", options);
    let numbers = report["step_time_ps"]["warm_up"]
        .as_array()
        .expect("numbers");
    numbers.iter().filter_map(Value::as_i64).collect()
}

fn note(report: &Value) -> Option<&str> {
    let notes = report["notes"].as_array()?;
    let own = notes.iter().find(|note| note["id"] == "steps-warm-up")?;
    own["text"].as_str()
}

#[test]
fn a_first_step_that_compiles_is_in_no_figure() {
    let session = drawn(&[&steps(12, &[(0, COMPILES)])]);
    assert_eq!(numbers(&session, &[]), (1..12).collect::<Vec<_>>());
    let overview = ask(&session, "overview", &[]);
    let mean_ps = overview["step_time_ps"]["mean"].as_f64().expect("a mean");
    assert!((mean_ps - 999e6).abs() < 1e6, "{mean_ps}");
    assert_eq!(warm_up(&session, &[]), [0]);
    assert_eq!(
        note(&overview),
        Some(
            "Excluded from statistics as warm-up: step 0 compiles for 2.998 ms. See `compile` for what it \
             takes."
        )
    );
    // 11 of 11 steps with 600 us each, from the start of the first of them to the end of the last.
    let device = &overview["devices"][0];
    assert_eq!(device["busy_ps"].as_i64(), Some(11 * 600_000_000));
    assert_eq!(device["window_ps"].as_i64(), Some(10_999_000_000));
}

#[test]
fn what_the_first_step_compiles_is_told() {
    let session = drawn(&[&steps(12, &[(0, COMPILES)])]);
    let found = |options: &[(&str, &str)]| {
        let report = ask(&session, "advice", options);
        let findings = report["findings"].as_array().expect("findings").iter();
        let mut own = findings.filter(|finding| finding["id"] == "compilation");
        own.next().cloned()
    };
    let told = found(&[]).expect("it is told");
    assert_eq!(told["title"], "Compilation in the first step");
    assert_eq!(
        told["what"],
        "Step 0 compiles for 2.998 ms. No figure of the steps includes it."
    );
    assert!(told["gain_ps_per_step"].is_null());
    assert_eq!(found(&[("steps", "1..")]), None);
    let selected = found(&[("steps", "0..")]).expect("it is in the steps");
    assert_eq!(selected["title"], "Compilation within steps");
}

#[test]
fn a_capture_with_warm_up_is_not_blamed() {
    let verdict = |long: &[(u32, &str)]| {
        let report = ask(&drawn(&[&steps(12, long)]), "verdict", &[]);
        let findings = report["findings"].as_array().expect("findings").iter();
        let mut own = findings.filter(|finding| finding["id"] == "compilation");
        let found = own.next().expect("it compiles");
        (found["severity"].clone(), found["why"].clone())
    };
    let (severity, why) = verdict(&[(0, COMPILES)]);
    assert_eq!(severity, "info");
    assert_eq!(
        why,
        "Most of it is in step 0, which no figure of the steps includes."
    );
    assert_eq!(verdict(&[(5, COMPILES)]).0, "warning");
}

#[test]
fn selected_steps_are_counted() {
    let session = drawn(&[&steps(12, &[(0, COMPILES)])]);
    for selected in ["0..", "0..12", "0"] {
        let options = [("steps", selected)];
        assert_eq!(numbers(&session, &options).first(), Some(&0), "{selected}");
        let overview = ask(&session, "overview", &options);
        assert_eq!(note(&overview), None, "{selected}");
        assert!(warm_up(&session, &options).is_empty(), "{selected}");
    }
}

#[test]
fn the_second_call_may_compile_again() {
    let two = [(0, COMPILES), (1, COMPILES)];
    let session = drawn(&[&steps(12, &two)]);
    assert_eq!(numbers(&session, &[]).first(), Some(&2));
    assert_eq!(warm_up(&session, &[]), [0, 1]);
    // The third is not what begins a program, and one in the middle is not either.
    let three = [(0, COMPILES), (1, COMPILES), (2, COMPILES)];
    assert_eq!(
        numbers(&drawn(&[&steps(12, &three)]), &[]).first(),
        Some(&2)
    );
    let middle = drawn(&[&steps(12, &[(5, COMPILES)])]);
    assert_eq!(numbers(&middle, &[]).len(), 12);
}

/// Other long steps, of another cause, do not make the first one usual unless they are as long.
#[test]
fn noise_hides_no_warm_up() {
    let long = [(0, COMPILES), (3, ""), (6, ""), (9, ""), (12, "")];
    let text = steps(16, &long);
    let session = drawn(&[&text]);
    assert_eq!(numbers(&session, &[]).first(), Some(&1));
}

#[test]
fn what_is_usual_or_of_another_cause_is_counted() {
    let all = |count, long: &[(u32, &str)]| {
        let session = drawn(&[&steps(count, long)]);
        assert_eq!(numbers(&session, &[]).len(), count as usize, "{long:?}");
    };
    // Input that is loaded, and hardly any compilation.
    all(12, &[(0, "data_loading")]);
    // Every third step compiles.
    all(12, &[0, 3, 6, 9].map(|step| (step, COMPILES)));
    // Hardly any step remains.
    all(3, &[(0, COMPILES)]);
}
