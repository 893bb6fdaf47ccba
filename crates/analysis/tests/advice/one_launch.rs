//! Steps with one launch, and loops that keep a pace.

use std::fmt::Write as _;

use serde_json::Value;

use super::drawings::{GAP, cpu};
use super::{advice, check, finding, ids};

fn launched(python: &str, parameters: u32) -> Value {
    let parameters: Vec<String> = (1..parameters)
        .map(|number| format!("p.{number} = f32[64,64] parameter({number})\n"))
        .collect();
    let text = cpu(GAP, python, "").replacen("dot.1 =", &(parameters.concat() + "dot.1 ="), 1);
    advice(&[text.replace("jit_step", "jit_train")])
}

#[test]
fn one_launch_per_step_is_not_piece_by_piece() {
    let report = launched("701..998us PjitFunction(train)", 1);
    let found = finding(&report, "host_bound");
    let why = found["why"].as_str().expect("a text");
    assert!(why.starts_with("Each step is one call of train"), "{why}");
    let fix = found["fix"].as_str().expect("a text");
    assert!(!fix.contains("whole step"), "{fix}");
}

#[test]
fn many_arguments_are_counted() {
    let report = launched("701..998us PjitFunction(train)", 300);
    let found = finding(&report, "host_bound");
    let why = found["why"].as_str().expect("a text");
    assert!(why.contains("has 300 arguments"), "{why}");
    let fix = found["fix"].as_str().expect("a text");
    assert!(fix.starts_with("Pass fewer, larger arrays"), "{fix}");
}

/// Names of programs have only letters, digits and `_`.
#[test]
fn arguments_of_a_lambda_are_counted() {
    let parameters: Vec<String> = (1..300)
        .map(|number| format!("p.{number} = f32[64,64] parameter({number})\n"))
        .collect();
    let text = cpu(
        GAP,
        "701..998us PjitFunction(<lambda>)",
        &parameters.concat(),
    );
    let report = advice(&[text.replace("jit_step", "jit__lambda")]);
    let why = finding(&report, "host_bound")["why"].to_string();
    assert!(why.contains("has 300 arguments"), "{why}");
}

#[test]
fn several_launches_are_piece_by_piece() {
    let python = "701..840us PjitFunction(train)\n850..998us PjitFunction(update)";
    let found = finding(&launched(python, 1), "host_bound");
    let why = found["why"].as_str().expect("a text");
    assert!(why.starts_with("Work is launched piece by piece"), "{why}");
}

/// Six steps whose only launch takes little time, but for one in which the thread had no core.
#[test]
fn a_rare_pause_in_a_launch_is_not_the_usual_step() {
    let ops = "1..990us dot.1";
    let text = cpu(ops, "990..998us PjitFunction(step)", "");
    let late = text
        .replacen(
            "thread tf_XLAEigen",
            "6000..8999us train #step_num=6,_r=1#
            6001..7990us PjitFunction(step)
            thread tf_XLAEigen",
            1,
        )
        .replacen(
            "program 5 jit_step",
            "8000..8990us dot.1\nprogram 5 jit_step",
            1,
        );
    let report = advice(&[late]);
    assert!(!ids(&report).contains(&"host_bound"), "{report}");
    let text = check(&report, "host_bound");
    assert!(text.contains("of the median step"), "{text}");
}

/// Work of these lengths in steps of a millisecond, each after a sleep from the end of the last work on.
fn sleeping(works: [u32; 8], until: impl Fn(usize, u32) -> u32) -> Value {
    let mut python = String::new();
    let mut ops = String::new();
    let mut start = 0;
    for (number, work) in works.into_iter().enumerate() {
        let next = until(number, start + work);
        let end = start + work;
        let _ = writeln!(ops, "{start}..{end}us dot.1");
        let _ = writeln!(python, "{start}..{next}us train #step_num={number},_r=1#");
        let _ = writeln!(python, "{end}..{next}us $time sleep");
        start = next;
    }
    advice(&[format!(
        "host vm
        environment [profile_start_time=1700000000000000000]
        thread python
        {python}
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        {ops}
        program 5 jit_step
          p.0 = f32[64,64] parameter(0)
          dot.1 = f32[64,64] dot(p.0, p.0)"
    )])
}

const WORKS: [u32; 8] = [200, 300, 250, 350, 220, 310, 270, 330];

#[test]
fn a_loop_that_keeps_a_pace_is_idle_by_design() {
    let due = |number: usize, _: u32| u32::try_from(number + 1).expect("small") * 1000;
    let report = sleeping(WORKS, due);
    let found = finding(&report, "host_bound");
    assert_eq!(found["title"], "The program paces itself", "{report}");
    assert_eq!(found["severity"], "info");
    assert!(found["gain_ps_per_step"].is_null());
    let what = found["what"].as_str().expect("a text");
    assert!(what.contains("every 1.000 ms"), "{what}");
}

#[test]
fn a_loop_that_sleeps_equally_long_waits_for_it() {
    let report = sleeping(WORKS, |_, end| end + 700);
    let found = finding(&report, "host_bound");
    assert_eq!(found["title"], "The host sleeps", "{report}");
    assert_eq!(found["severity"], "bad");
}

/// A step in which the only launch takes longer than the step before.
#[test]
fn a_launch_that_takes_long_once_is_at_most_a_warning_on_a_cpu() {
    let long = |call: &str| {
        let text = cpu("10..990us dot.1", "1..9us PjitFunction(step)", "");
        let late = format!(
            "6000..8999us train #step_num=6,_r=1#
            6001..8000us {call}
            thread tf_XLAEigen"
        );
        let text = text.replacen("thread tf_XLAEigen", &late, 1);
        let work = "8010..8990us dot.1\nprogram 5 jit_step";
        let report = advice(&[text.replacen("program 5 jit_step", work, 1)]);
        finding(&report, "step_outliers")["severity"].clone()
    };
    assert_eq!(long("PjitFunction(step)"), "warning");
    assert_eq!(long("$loop.py:7 slow"), "bad");
}

/// XLA:CPU runs small programs within the calls that launch them.
#[test]
fn programs_that_run_within_their_calls_are_no_syncs() {
    let waits = |wait: &str| {
        let calls: Vec<String> = (0..12)
            .map(|call| {
                let start = 701 + call * 24;
                format!(
                    "{start}..{}us PjitFunction(copy)\n{}..{}us {wait}",
                    start + 20,
                    start + 2,
                    start + 18
                )
            })
            .collect();
        let report = advice(&[cpu(GAP, &calls.join("\n"), "")]);
        ids(&report).contains(&"host_syncs")
    };
    assert!(!waits("ThunkExecutor::Execute (wait for completion)"));
    assert!(waits("block_until_ready"));
}
