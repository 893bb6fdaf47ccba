//! Which steps `compare` compares, and what may explain their difference.

use std::fmt::Write as _;

use serde_json::Value;
use stepscope_analysis::{Compared, find_comparison};
use stepscope_model::Session;

use crate::support::drawn;

fn difference(before: &Session, after: &Session) -> Value {
    let compared = [("before", before), ("after", after)];
    let compared = compared.map(|(name, session)| Compared { name, session });
    let entry = find_comparison("compare").expect("it is listed");
    let answer = entry.run_pairs(&compared, std::iter::empty());
    let mut report = answer.expect("an answer").json().expect("a report");
    report["differences"][0].take()
}

fn causes(difference: &Value) -> Vec<&str> {
    let causes = difference["causes"].as_array().expect("a list").iter();
    causes.filter_map(|cause| cause["kind"].as_str()).collect()
}

/// Runs of a program that nothing marks, with a product of this many rows, so long and so far apart.
fn inferred(program: &str, rows: u64, length: u64, period: u64) -> Session {
    drawn(&[&format!(
        "host vm
        program 5 {program}
          p.0 = f32[{rows},16] parameter(0)
          q.0 = f32[16,16] parameter(1)
          ROOT dot.1 = f32[{rows},16] dot(p.0, q.0) op_name=\"jit(f)/mul\" source=\"train.py:7\"
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module={program} program_id=5 device_ordinal=0]
        repeat 20 every {period}us
          0..{length}us dot.1 [run_id=1$i]
        end"
    )])
}

/// One chain per run, and twelve of them: the shorter run is no faster step.
#[test]
fn runs_of_other_programs_that_do_other_amounts_of_work_are_no_common_unit() {
    let all = inferred("jit_sweep", 192, 200, 250);
    let one = inferred("jit_chain", 16, 40, 60);
    let found = difference(&all, &one);
    let conclusion = found["conclusion"].as_str().expect("a sentence");
    assert!(
        conclusion.contains("after and before cannot be compared by step")
            && conclusion.contains("A run of jit_sweep does 12 times the operations"),
        "{conclusion}"
    );
    assert!(found["step"].is_null());
    assert!(found["waterfall"].as_array().expect("a list").is_empty());
    // A step that was renamed is the same step, and so is a larger batch under the same name.
    for other in [
        inferred("jit_chain", 192, 40, 60),
        inferred("jit_sweep", 16, 40, 60),
    ] {
        let found = difference(&all, &other);
        let conclusion = found["conclusion"].as_str().expect("a sentence");
        assert!(
            conclusion.contains("times as fast as before"),
            "{conclusion}"
        );
    }
}

/// One solution per run, and twelve of them by `jax.vmap`, which adds an axis to what it maps: a larger batch
/// has as many axes as a smaller one.
#[test]
fn runs_that_do_one_and_a_stack_of_them_are_no_common_unit() {
    let solving = |shape: &str, columns: u64, length: u64| {
        drawn(&[&format!(
            "host vm
            program 5 jit_solve
              p.0 = {shape} parameter(0)
              q.1 = f32[16,16] parameter(1)
              b.2 = f32[{columns},16] bitcast(p.0)
              ROOT dot.3 = f32[{columns},16] dot(b.2, q.1) op_name=\"jit(f)/mul\" source=\"train.py:7\"
            thread tf_XLAEigen/42
            each [hlo_op=$name hlo_module=jit_solve program_id=5 device_ordinal=0]
            repeat 20 every 250us
              0..{length}us dot.3 [run_id=1$i]
            end"
        )])
    };
    let (one, many) = (solving("f32[16]", 1, 20), solving("f32[12,16]", 12, 200));
    for (before, after, expected) in [
        (
            &one,
            &many,
            "calls it with f32[12,16] instead of f32[16]: a run does 12 times more",
        ),
        (
            &many,
            &one,
            "calls it with f32[16] instead of f32[12,16]: a run does 12 times fewer",
        ),
    ] {
        let found = difference(before, after);
        let conclusion = found["conclusion"].as_str().expect("a sentence");
        assert!(conclusion.contains(expected), "{conclusion}");
        assert!(found["step"].is_null());
    }
    let larger = difference(&many, &solving("f32[48,16]", 48, 800));
    assert!(!larger["step"].is_null(), "{larger:#}");
}

/// Twelve ops that take `op_us`, after a pause in which the host computes a score, of another length in
/// each step.
fn scored(op_us: u64, pauses_us: [u64; 8]) -> Session {
    let (mut thread, mut ops) = (String::new(), String::new());
    let mut start = 0;
    for (step, pause) in (0u64..).zip(pauses_us) {
        let begin = start + pause;
        let end = begin + 12 * op_us + 5;
        writeln!(thread, "{start}..{end}us train #step_num={step},_r=1#").expect("a text");
        writeln!(thread, "{start}..{begin}us $tables.py:3 score").expect("a text");
        for op in 0..12 {
            let (from, to) = (begin + op * op_us, begin + (op + 1) * op_us);
            writeln!(ops, "{from}..{to}us dot.{op} [run_id=1{step}]").expect("a text");
        }
        start = end + 1;
    }
    drawn(&[&format!(
        "host vm
        thread python
        {thread}
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        {ops}"
    )])
}

#[test]
fn what_clearly_went_the_other_way_explains_nothing() {
    let before = scored(20, [10; 8]);
    let after = scored(14, [300, 900, 350, 1_000, 310, 950, 330, 980]);
    let found = difference(&before, &after);
    let conclusion = found["conclusion"].as_str().expect("a sentence");
    assert!(conclusion.contains("may be slower"), "{conclusion}");
    assert!(causes(&found).contains(&"host_overhead"));
    assert!(
        !causes(&found).contains(&"all_alike"),
        "{:?}",
        found["causes"]
    );
    let faster = difference(&before, &scored(14, [10; 8]));
    assert!(
        causes(&faster).contains(&"all_alike"),
        "{:?}",
        faster["causes"]
    );
}
