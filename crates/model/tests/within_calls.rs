//! A function that is called several times in each call of another one.

use std::fmt::Write as _;

use crate::support::{assert_text, session, steps};

/// A call of `run` every 100 us, each with `count` calls of a jitted function 20 us apart, of which each
/// runs for 10 us.
fn drawing(counts: &[usize], program: &str) -> String {
    let mut host = String::from("thread python\n");
    let mut device = String::from("thread tf_XLAEigen/1\n");
    let mut run_id = 10;
    for (call, &count) in counts.iter().enumerate() {
        let begin = call * 100;
        writeln!(host, "{begin}..{}us $train.py:4 run", begin + 80).expect("a text");
        for inner in 0..count {
            let at = begin + 1 + inner * 20;
            writeln!(host, "{at}..{}us PjitFunction(cell)", at + 4).expect("a text");
            writeln!(
                device,
                "{}..{}us dot.2 [hlo_op=dot.2 hlo_module=jit_cell program_id=5 device_ordinal=0 \
                 run_id={run_id}]",
                at + 2,
                at + 12
            )
            .expect("a text");
            run_id += 1;
        }
    }
    format!("{host}{device}program 5 jit_cell\n{program}")
}

/// `cell(h, w) → dot(h, w)`
const CELL: &str = "h.0 = f32[32,32] parameter(0)
                    w.1 = f32[32,32] parameter(1)
                    dot.2 = f32[32,32] dot(h.0, w.1)\n";

/// `step(h, w) → h + dot(h, w)`
const UPDATE: &str = "h.0 = f32[32,32] parameter(0)
                      w.1 = f32[32,32] parameter(1)
                      dot.2 = f32[32,32] dot(h.0, w.1)
                      add.3 = f32[32,32] add(h.0, dot.2)\n";

/// `logits(x, w)`: cannot be called with what it returned.
const LOGITS: &str = "x.0 = f32[8,32] parameter(0)
                      w.1 = f32[32,10] parameter(1)
                      dot.2 = f32[8,10] dot(x.0, w.1)\n";

#[test]
fn what_changes_nothing_is_a_part_of_the_call_around_it() {
    assert_text(
        &steps(&session(&drawing(&[3; 5], CELL))),
        "0: CPU:0 3us..103us work 3us..53us
         1: CPU:0 103us..203us work 103us..153us
         2: CPU:0 203us..303us work 203us..253us
         3: CPU:0 303us..403us work 303us..353us
         4 cut: CPU:0 403us..453us work 403us..453us",
    );
}

#[test]
fn each_run_is_a_step_if_it_changes_something_or_reads_another_batch() {
    for program in [UPDATE, LOGITS] {
        assert_eq!(session(&drawing(&[3; 5], program)).steps.len(), 15);
    }
    // As often as it takes: nothing says that such a call is a step.
    assert_eq!(session(&drawing(&[1, 3, 2, 3, 1], CELL)).steps.len(), 10);
}

/// A call of `iterate` every 100 us: three runs of `part`, which changes nothing and cannot be called with
/// what it returns, each after `before`, and then one of `gather`.
fn gathered(before: Option<&str>, gather: &str) -> usize {
    let mut host = String::from("thread python\n");
    let mut device = String::from("thread tf_XLAEigen/1\n");
    let mut run_id = 10;
    for begin in (0..500).step_by(100) {
        writeln!(host, "{begin}..{}us $train.py:4 iterate", begin + 80).expect("a text");
        let parts = [1, 21, 41].map(|at| (at, "cell", 5));
        let befores = [0, 12, 32].map(|at| (at, "before", 6));
        let befores = befores.into_iter().filter(|_| before.is_some());
        let mut all: Vec<(i32, &str, i32)> = parts.into_iter().chain(befores).collect();
        all.push((61, "gather", 7));
        all.sort_unstable();
        for (at, name, id) in all {
            let at = begin + at;
            writeln!(host, "{at}..{}us PjitFunction({name})", at + 1).expect("a text");
            writeln!(
                device,
                "{at}.5..{}us dot.2 [hlo_op=dot.2 hlo_module=jit_{name} program_id={id} \
                 device_ordinal=0 run_id={run_id}]",
                at + if name == "cell" { 10 } else { 1 }
            )
            .expect("a text");
            run_id += 1;
        }
    }
    let before = before.unwrap_or_default();
    session(&format!(
        "{host}{device}program 5 jit_cell\n{LOGITS}program 7 jit_gather\n{gather}{before}"
    ))
    .steps
    .len()
}

/// Members of a mixture, or of a population: of all that they return, one function makes the next state.
#[test]
fn what_changes_nothing_is_a_part_of_the_call_that_gathers_its_results() {
    let gather = "l.0 = f32[3,8,10] parameter(0)
                  w.1 = f32[8,32] parameter(1)
                  d.2 = f32[32,10] dot(w.1, l.0) op_name=dot
                  e.3 = f32[32,10] exponential(d.2) op_name=exp\n";
    assert_eq!(gathered(None, gather), 5);
    // A single op, such as a stack of results, says nothing.
    let stack = "l.0 = f32[8,10] parameter(0)
                 s.1 = f32[24,10] concatenate(l.0, l.0, l.0)\n";
    assert_eq!(gathered(None, stack), 15);
    // What prepares each run is no gathering; what runs once per call is, beside it.
    let before = "program 6 jit_before
                  x.0 = f32[8,32] parameter(0)
                  n.1 = f32[8,32] negate(x.0) op_name=neg
                  e.2 = f32[8,32] exponential(n.1) op_name=exp\n";
    assert_eq!(gathered(Some(before), stack), 15);
    assert_eq!(gathered(Some(before), gather), 5);
}

#[test]
fn the_function_around_several_runs_is_known() {
    let session = session(&drawing(&[2, 3, 2, 3, 4], UPDATE));
    let caller = session.caller_of(session.program_runs[0].program);
    let caller = caller.expect("calls around runs");
    assert_eq!(session.label_name(caller.label), "$train.py:4 run");
    let counts: Vec<usize> = caller.calls.iter().map(|(_, count)| *count).collect();
    assert_eq!(counts, [2, 3, 2, 3, 4]);
    assert_eq!(caller.launches_per_call(), None);
    assert!((caller.period_ps() - 100e6).abs() < 1.0);
}

/// Each run has its own input and its own reader: a request.
#[test]
fn runs_that_are_read_one_by_one_are_steps_of_their_own() {
    let drawn = drawing(&[3; 5], CELL);
    let read = drawn
        .lines()
        .map(|line| match line.split_once("us PjitFunction(cell)") {
            Some((times, _)) => {
                let end: u64 = times
                    .split("..")
                    .nth(1)
                    .expect("an end")
                    .parse()
                    .expect("a time");
                format!("{line}\n{end}..{}us block_until_ready\n", end + 10)
            }
            None => format!("{line}\n"),
        });
    assert_eq!(session(&read.collect::<String>()).steps.len(), 15);
}

/// One call per run, and an epoch around all of them: neither is a call with several steps.
#[test]
fn a_call_for_each_run_and_few_long_calls_are_not_told() {
    let each = session(&drawing(&[1; 6], UPDATE));
    assert_eq!(each.caller_of(each.program_runs[0].program), None);
    let epochs = session(&drawing(&[4; 3], UPDATE));
    assert_eq!(epochs.caller_of(epochs.program_runs[0].program), None);
}

/// Ops that the host dispatches one at a time, twice per layer, in three layers per step.
#[test]
fn a_step_of_an_eager_loop_is_the_call_around_its_layers() {
    let mut host = String::from("thread python\n");
    let mut device = String::from("thread tf_XLAEigen/1\n");
    let mut run_id = 10;
    for step in 0..5 {
        let begin = step * 100;
        writeln!(host, "{begin}..{}us $train.py:4 step", begin + 80).expect("a text");
        for layer in 0..3 {
            let at = begin + 1 + layer * 20;
            writeln!(host, "{at}..{}us $train.py:9 layer", at + 18).expect("a text");
            for (op, id, from) in [
                ("dot", 5, 1),
                ("tanh", 6, 5),
                ("dot", 5, 9),
                ("tanh", 6, 13),
            ] {
                let call = at + from;
                writeln!(host, "{call}..{}us PjitFunction({op})", call + 2).expect("a text");
                writeln!(
                    device,
                    "{}..{}us {op}.1 [hlo_op={op}.1 hlo_module=jit_{op} program_id={id} \
                     device_ordinal=0 run_id={run_id}]",
                    call + 1,
                    call + 3
                )
                .expect("a text");
                run_id += 1;
            }
        }
    }
    let session = session(&format!(
        "{host}{device}
         program 5 jit_dot
           p.0 = f32[32,32] parameter(0)
           dot.1 = f32[32,32] dot(p.0, p.0)
         program 6 jit_tanh
           p.0 = f32[32,32] parameter(0)
           tanh.1 = f32[32,32] tanh(p.0)"
    ));
    assert_text(
        &steps(&session),
        "0: CPU:0 3us..103us work 3us..57us
         1: CPU:0 103us..203us work 103us..157us
         2: CPU:0 203us..303us work 203us..257us
         3: CPU:0 303us..403us work 303us..357us
         4 cut: CPU:0 403us..457us work 403us..457us",
    );
}
