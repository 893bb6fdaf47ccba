//! Steps that take longer because of the program they run.

use std::fmt::Write as _;

use serde_json::Value;

use super::{advice, finding, ids};

/// Steps on a TPU: the function and program of each, and how long it takes.
fn steps(of: &[(&str, u32, u32)]) -> String {
    let mut lines = [String::new(), String::new(), String::new()];
    let mut at = 0;
    for (step, &(function, program, us)) in of.iter().enumerate() {
        let end = at + us;
        let own = format!("[run_id={step} program_id={program}]");
        _ = writeln!(lines[0], "{at}..{end}us {function}({program}) {own}");
        _ = writeln!(
            lines[1],
            "{at}..{end}us dot.{program} [run_id={step} hlo_op=dot.{program} hlo_module={function} \
             program_id={program}]"
        );
        _ = writeln!(
            lines[2],
            "{at}..{}us train #step_num={step},_r=1#",
            end + 10
        );
        at = end + 20;
    }
    let [modules, ops, marks] = lines;
    let programs: Vec<String> = [("jit_step", 5), ("jit_step", 6), ("jit_eval", 7)]
        .iter()
        .map(|(function, program)| {
            format!(
                "program {program} {function}\n  p.0 = bf16[64,64] parameter(0)\n  dot.{program} = \
                 bf16[64,64] dot(p.0, p.0)"
            )
        })
        .collect();
    format!(
        "host vm\ndevice tpu:0 v6e\nline XLA Modules\n{modules}line XLA Ops\n{ops}thread python\n\
         {marks}{}",
        programs.join("\n")
    )
}

const SHORT: (&str, u32, u32) = ("jit_step", 5, 1000);
const LONG: (&str, u32, u32) = ("jit_step", 6, 3000);
const EVALUATION: (&str, u32, u32) = ("jit_eval", 7, 4000);

fn long_steps(of: &[(&str, u32, u32)]) -> Value {
    finding(&advice(&[steps(of)]), "step_outliers")
}

fn text(found: &Value, key: &str) -> String {
    found[key].as_str().expect("a text").to_owned()
}

#[test]
fn a_longer_sequence_is_no_slower_device() {
    let mut all = vec![SHORT; 20];
    (all[6], all[13]) = (LONG, LONG);
    let found = long_steps(&all);
    let what = text(&found, "what");
    let told = "There jit_step is another program than in the other steps and takes 2.000 ms more in \
                step 13.";
    assert!(what.contains(told), "{what}");
    let why = text(&found, "why");
    assert!(why.contains("another shape or type"), "{why}");
    // A step that is slow for another reason changes nothing.
    all[17].2 = 2500;
    let why = text(&long_steps(&all), "why");
    assert!(why.contains("another shape or type"), "{why}");
    // The same lengths in one program: nothing says why.
    for step in &mut all {
        step.1 = 5;
    }
    let why = text(&long_steps(&all), "why");
    assert!(why.contains("cause on the host was not recorded"), "{why}");
}

#[test]
fn a_short_run_of_the_same_function_does_not_refute_it() {
    let mut all = vec![SHORT; 30];
    for at in [4, 9, 14, 19] {
        all[at] = EVALUATION;
    }
    let what = text(&long_steps(&all), "what");
    assert!(
        what.contains("jit_eval runs only in long steps, for 4.000 ms"),
        "{what}"
    );
    // One of five evaluations has little to do.
    all[24] = ("jit_eval", 7, 1000);
    let what = text(&long_steps(&all), "what");
    assert!(
        what.contains("jit_eval runs mostly in long steps, for 4.000 ms"),
        "{what}"
    );
}

/// Evaluations are mostly in long steps, but not by far enough to say that they make them long; their ops are
/// no branch of a program that the other steps run.
#[test]
fn ops_of_another_program_are_no_branch() {
    let mut all = vec![SHORT; 30];
    for at in [4, 9, 14, 19] {
        all[at] = EVALUATION;
    }
    // A third of the other steps, too.
    for step in all.iter_mut().rev().take(9) {
        *step = ("jit_eval", 7, 1000);
    }
    let found = long_steps(&all);
    for key in ["what", "why"] {
        let told = text(&found, key);
        assert!(
            !told.contains("branch") && !told.contains("long steps,"),
            "{told}"
        );
    }
}

/// An evaluation in every sixth step, of which some are short and one long step is long for another reason: it takes
/// most of what the long ones lose all the same.
#[test]
fn a_program_of_few_steps_explains_most_of_the_excess() {
    let mut all = vec![SHORT; 30];
    for at in [1, 7, 13, 19, 25] {
        all[at] = EVALUATION;
    }
    (all[1].2, all[7].2) = (1000, 1000);
    all[28].2 = 5000;
    let found = long_steps(&all);
    let what = text(&found, "what");
    let told = "Step 19 has 3.000 ms more device compute than the median. jit_eval runs in 5 of all 30 \
                steps, for 4.000 ms in step 19.";
    assert!(what.contains(told), "{what}");
    assert!(text(&found, "why").contains("a program that others do not"));
    // Where other steps lose more, nothing is said of it.
    for at in [3, 5, 28] {
        all[at].2 = 9000;
    }
    let what = text(&long_steps(&all), "what");
    assert!(!what.contains("jit_eval"), "{what}");
}

/// The figures are of the step that is named with them.
#[test]
fn figures_of_a_step_are_not_those_of_the_longest() {
    let mut all = vec![SHORT; 40];
    for (at, us) in [(4, 4000), (9, 4000), (14, 4000), (19, 5000)] {
        all[at] = ("jit_eval", 7, us);
    }
    let what = text(&long_steps(&all), "what");
    assert!(what.contains("took up to 5.0"), "{what}");
    let told = "jit_eval runs only in long steps, for 4.000 ms in step 14.";
    assert!(what.contains(told), "{what}");
}

/// One step loses more than the five others together.
#[test]
fn the_step_that_is_explained_is_the_one_that_costs() {
    let mut all = vec![SHORT; 40];
    for at in [4, 9, 14, 19, 24] {
        all[at].2 = 2500;
    }
    all[30].2 = 20_000;
    let what = text(&long_steps(&all), "what");
    assert!(what.contains("Step 30 has 19.00 ms more"), "{what}");
    // All of them are named, or as many as can be read, the longest among them.
    assert!(
        what.starts_with("Steps 4, 9, 14, 19, 24, 30 took up to"),
        "{what}"
    );
    for at in [2, 6, 11] {
        all[at].2 = 3000;
    }
    let what = text(&long_steps(&all), "what");
    let told = "Steps 2, 4, 6, 9, 11, 14, 19, 30 and 1 more took up to";
    assert!(what.starts_with(told), "{what}");
}

/// Steps of one program: how often its loop goes round in each, and whether it takes a branch.
fn loops(of: &[(u32, bool)]) -> Value {
    let mut lines = [String::new(), String::new(), String::new()];
    let mut at = 0;
    for (step, &(rounds, has_branch)) in of.iter().enumerate() {
        let run = format!("[run_id={step} program_id=5]");
        let op = |name: &str, from: u32, to: u32| {
            format!(
                "{from}..{to}us {name} [run_id={step} hlo_op={name} hlo_module=jit_step program_id=5]\n"
            )
        };
        let begin = at;
        for _ in 0..rounds {
            lines[1] += &op("dot.5", at, at + 100);
            at += 100;
        }
        if has_branch {
            lines[1] += &op("svd.6", at, at + 1500);
            at += 1500;
        }
        _ = writeln!(lines[0], "{begin}..{at}us jit_step(5) {run}");
        _ = writeln!(
            lines[2],
            "{begin}..{}us train #step_num={step},_r=1#",
            at + 10
        );
        at += 20;
    }
    let [modules, ops, marks] = lines;
    let text = format!(
        "host vm\ndevice tpu:0 v6e\nline XLA Modules\n{modules}line XLA Ops\n{ops}thread python\n{marks}\
         program 5 jit_step\n  p.0 = bf16[64,64] parameter(0)\n  dot.5 = bf16[64,64] dot(p.0, p.0)\n  \
         svd.6 = bf16[64,64] custom-call(dot.5) op_name=\"jit(step)/cond/branch_1_fun/svd\""
    );
    finding(&advice(&[text]), "step_outliers")
}

#[test]
fn a_branch_that_few_steps_take_explains_them() {
    let mut all = vec![(10, false); 20];
    (all[6], all[13]) = ((10, true), (10, true));
    let found = loops(&all);
    let what = text(&found, "what");
    let told =
        "svd.6 (jit(step)/cond/branch_1_fun/svd) runs only in long steps, for 1.500 ms in step 13.";
    assert!(what.contains(told), "{what}");
    assert!(text(&found, "why").contains("take a branch of the program"));
    // Where every step takes it, it explains none.
    let mut all = vec![(10, true); 20];
    (all[6], all[13]) = ((40, true), (40, true));
    let found = loops(&all);
    let what = text(&found, "what");
    let told = "dot.5 runs 40 times in step 13, usually 10; it takes 3.000 ms more there.";
    assert!(what.contains(told), "{what}");
    assert!(text(&found, "why").contains("goes round more often"));
}

/// Steps that call a program several times each, and wait for it. `earlier` runs of the first step were
/// launched before the recording.
fn calls(of: &[u32], earlier: u32) -> Value {
    let mut lines = [String::new(), String::new(), String::new()];
    let (mut at, mut id) = (0, 0);
    for (step, &runs) in of.iter().enumerate() {
        let begin = at;
        at += 10;
        for number in 0..runs {
            let end = at + 1000;
            _ = writeln!(
                lines[0],
                "{at}..{end}us jit_step(5) [run_id={id} program_id=5]"
            );
            _ = writeln!(lines[1], "{at}..{end}us dot.5 [run_id={id} program_id=5]");
            if step > 0 || number >= earlier {
                _ = writeln!(
                    lines[2],
                    "{}..{}us launch [run_id={id}]",
                    begin + 1 + number,
                    begin + 2 + number
                );
            }
            (at, id) = (end, id + 1);
        }
        _ = writeln!(
            lines[2],
            "{begin}..{}us train #step_num={step},_r=1#",
            at + 10
        );
        at += 20;
    }
    let [modules, ops, marks] = lines;
    finding(
        &advice(&[format!(
            "host vm\ndevice tpu:0 v6e\nline XLA Modules\n{modules}line XLA Ops\n{ops}thread python\n\
             {marks}program 5 jit_step\n  p.0 = bf16[64,64] parameter(0)\n  dot.5 = bf16[64,64] \
             dot(p.0, p.0)"
        )]),
        "step_outliers",
    )
}

#[test]
fn more_runs_of_a_program_are_no_more_rounds_of_a_loop() {
    let mut all = [1; 20];
    all[6] = 4;
    let found = calls(&all, 0);
    let what = text(&found, "what");
    let told = "jit_step runs 4 times in step 6, usually 1; dot.5 takes 3.000 ms more there.";
    assert!(what.contains(told), "{what}");
    assert!(text(&found, "why").contains("call the program more often"));
    // Calls of a warm-up that were in flight when the recording began say nothing of the program.
    let mut all = [1; 20];
    all[0] = 5;
    let found = calls(&all, 4);
    assert!(
        text(&found, "why").contains("before the recording"),
        "{found}"
    );
    assert!(text(&found, "fix").contains("block_until_ready"));
    assert_eq!(found["severity"], "info", "{found}");
}

/// Two ops of a branch run at the same time, on two threads of a device.
#[test]
fn times_of_several_threads_do_not_add_up() {
    let mut lines = [String::new(), String::new(), String::new()];
    let mut at = 0;
    for step in 0..20 {
        let op = |name: &str, from: u32, to: u32| {
            format!(
                "{from}..{to}us {name} [run_id={step} hlo_op={name} hlo_module=jit_step program_id=5 \
                 device_ordinal=0]\n"
            )
        };
        let begin = at;
        lines[0] += &op("dot.5", at, at + 1000);
        at += 1000;
        if step == 6 || step == 13 {
            lines[0] += &op("svd.6", at, at + 1500);
            lines[1] += &op("qr.7", at, at + 1400);
            at += 1500;
        }
        _ = writeln!(
            lines[2],
            "{begin}..{}us train #step_num={step},_r=1#",
            at + 10
        );
        at += 20;
    }
    let [one, other, marks] = lines;
    let scope = "op_name=\"jit(step)/cond/branch_1_fun";
    let drawing = format!(
        "host vm\nthread python\n{marks}thread tf_XLAEigen/1\n{one}thread tf_XLAEigen/2\n{other}program 5 \
         jit_step\n  p.0 = f32[64,64] parameter(0)\n  dot.5 = f32[64,64] dot(p.0, p.0)\n  svd.6 = \
         f32[64,64] custom-call(dot.5) {scope}/svd\"\n  qr.7 = f32[64,64] custom-call(dot.5) {scope}/qr\""
    );
    let what = text(&finding(&advice(&[drawing]), "step_outliers"), "what");
    let told = "and 1 other op run only in long steps, for 1.500 ms in step";
    assert!(what.contains(told), "{what}");
}

/// Half of the time is lost in more steps than can be named.
#[test]
fn the_step_that_is_explained_is_named() {
    let mut all = vec![SHORT; 100];
    for number in 0..20 {
        all[5 * number as usize].2 = 2500 + 10 * number;
    }
    let what = text(&long_steps(&all), "what");
    let (steps, rest) = what.split_once(" and 12 more took").expect("named steps");
    let explained = rest
        .split("Step ")
        .nth(1)
        .expect("the one that is explained");
    let number = explained.split(' ').next().expect("a number");
    let mut named = steps.trim_start_matches("Steps ").split(", ");
    assert!(named.any(|one| one == number), "{what}");
}

/// A share of few steps is bad from 10 % on, reading results from 20 %: what costs more comes first all the same.
#[test]
fn long_steps_come_after_what_costs_more() {
    let mut lines = [String::new(), String::new(), String::new()];
    let mut at = 0;
    for step in 0..20 {
        let own = if step == 11 { 4000 } else { 850 };
        let end = at + own;
        let run = format!("[run_id={step} program_id=5]");
        _ = writeln!(lines[0], "{at}..{end}us jit_step(5) {run}");
        _ = writeln!(lines[1], "{at}..{end}us dot.5 {run}");
        _ = writeln!(
            lines[2],
            "{at}..{}us train #step_num={step},_r=1#\n{}..{}us $train.py:8 augment",
            end + 190,
            end + 1,
            end + 189,
        );
        at = end + 195;
    }
    let [modules, ops, marks] = lines;
    let report = advice(&[format!(
        "host vm\ndevice tpu:0 v6e\nline XLA Modules\n{modules}line XLA Ops\n{ops}thread python\n\
         {marks}program 5 jit_step\n  p.0 = bf16[64,64] parameter(0)\n  dot.5 = bf16[64,64] dot(p.0, p.0)"
    )]);
    let place = |id: &str| ids(&report).iter().position(|one| *one == id);
    assert!(place("host_bound") < place("step_outliers"), "{report}");
    let (long, overhead) = (
        finding(&report, "step_outliers"),
        finding(&report, "host_bound"),
    );
    let gain = |found: &Value| found["gain_ps_per_step"].as_f64().expect("a gain");
    assert!(gain(&long) < gain(&overhead), "{report}");
    assert_eq!(overhead["severity"], "warning", "{overhead}");
    assert!(
        gain(&long) > 0.1 * report["step_ps"].as_f64().expect("steps"),
        "{long}"
    );
    assert_eq!(long["severity"], "warning", "{long}");
}
