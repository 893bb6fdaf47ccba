//! Several rules that find the same time are one finding with one gain.

use std::fmt::Write as _;

use serde_json::Value;

use super::drawings::{BUSY, GAP, cpu};
use super::{advice, all, finding, ids};

/// Steps of 1,000 us on XLA:CPU, and what makes some of them 3,000 us longer.
fn steps(count: u32, long: &[(u32, &str)]) -> String {
    let (mut marks, mut ops) = (String::new(), String::new());
    let mut at = 0;
    for step in 0..count {
        let more = long.iter().find(|one| one.0 == step).map(|one| one.1);
        let end = at + if more.is_some() { 4000 } else { 1000 };
        _ = writeln!(marks, "{at}..{}us train #step_num={step},_r=1#", end - 1);
        if let Some(call) = more.filter(|call| !call.is_empty()) {
            _ = writeln!(marks, "{}..{}us {call}", at + 901, at + 3900);
        }
        if more == Some("PjitFunction(step)") {
            _ = writeln!(marks, "{}..{}us backend_compile", at + 902, at + 3899);
        }
        let busy = if more == Some("") { 3900 } else { 900 };
        _ = writeln!(ops, "{}..{}us dot.1", at + 1, at + busy);
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

fn also(found: &Value) -> Vec<&str> {
    let also = found["also_seen_as"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    also.iter().filter_map(|one| one["id"].as_str()).collect()
}

const COMPILES: &str = "PjitFunction(step)";

#[test]
fn a_recompilation_explains_the_steps_that_it_makes_long() {
    let long = [2, 7, 12, 17, 22, 27].map(|step| (step, COMPILES));
    let report = advice(&[steps(30, &long)]);
    let found = &report["findings"][0];
    assert_eq!(found["id"], "recompilation", "{:?}", ids(&report));
    // One of six compilations is the first one.
    let mut folded = also(found);
    folded.sort_unstable();
    let top = ids(&report);
    assert!(!top.contains(&"step_outliers"), "{top:?}");
    assert_eq!(folded, ["compilation", "step_outliers"]);
    // It is as bad as the gravest of them, and there is one gain: the largest of their bounds.
    assert_eq!(found["severity"], "bad");
    let gain = |one: &Value| one["gain_ps_per_step"].as_f64().expect("a gain");
    let gains = found["also_seen_as"]
        .as_array()
        .expect("a list")
        .iter()
        .map(gain);
    assert!(gains.fold(0.0, f64::max) <= gain(found), "{found}");
    let overlaps = found["overlaps"].as_array().expect("a list");
    assert!(
        !overlaps
            .iter()
            .any(|id| folded.contains(&id.as_str().expect("an id"))),
        "{found}"
    );
}

#[test]
fn steps_that_are_long_for_another_reason_stay_a_finding() {
    let long = [(2, COMPILES), (7, COMPILES), (12, ""), (17, "")];
    let report = advice(&[steps(20, &long)]);
    let top = ids(&report);
    assert!(top.contains(&"step_outliers"), "{top:?}");
    assert!(top.contains(&"compilation"), "{top:?}");
}

#[test]
fn bad_findings_come_first_and_then_the_largest_gain() {
    let report = advice(&[cpu(GAP, "701..998us data_loading", "")]);
    let findings = report["findings"].as_array().expect("a list");
    let rank = |found: &Value| match found["severity"].as_str() {
        Some("bad") => 0,
        Some("warning") => 1,
        _ => 2,
    };
    let ranks: Vec<i32> = findings.iter().map(rank).collect();
    assert!(ranks.is_sorted(), "{ranks:?}");
    assert_eq!(all(&report).count(), findings.len());
}

/// The first steps of a recording on cores that others may use: warm-up is one of two reasons.
#[test]
fn first_steps_on_a_cpu_may_have_lacked_cores() {
    let why = |report: &Value| finding(report, "step_outliers")["why"].to_string();
    let first = why(&advice(&[steps(20, &[(0, ""), (1, "")])]));
    assert!(first.contains("may still be warming up"), "{first}");
    assert!(first.contains("other processes"), "{first}");
    assert!(
        ids(&advice(&[cpu(BUSY, "", "")]))
            .iter()
            .all(|id| *id != "step_outliers")
    );
}
