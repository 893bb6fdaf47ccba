//! Runs of XLA:CPU whose ops have no run ID, found by the threads of the runtime that execute them.

use std::fmt::Write as _;

use stepscope_model::{Picos, Session};

use crate::support;

/// Calls of `step` every 100 us; each is executed for 50 us, its ops on a thread of the pool.
fn looped(count: u32, more: &str, run_id: &str) -> Session {
    let (mut calls, mut executed, mut ops) = (String::new(), String::new(), String::new());
    for call in 0..count {
        let at = call * 100;
        _ = writeln!(calls, "{at}..{}us PjitFunction(step)", at + 4);
        _ = writeln!(
            executed,
            "{}..{}us ThunkExecutor::Execute\n{}..{}us ThunkExecutor::Execute (wait for completion)",
            at + 10,
            at + 12,
            at + 12,
            at + 60
        );
        let id = if run_id.is_empty() {
            String::new()
        } else {
            format!(" [run_id={run_id}{call}]")
        };
        _ = writeln!(
            ops,
            "{}..{}us dot.1{id}\n{}..{}us tanh.2{id}",
            at + 15,
            at + 40,
            at + 50,
            at + 59
        );
    }
    support::session(&format!(
        "thread python
        {calls}
        thread tf_XLATfrtCpuClient/1
        {executed}
        {more}
        thread tf_XLAEigen/2
        each [hlo_op=$name hlo_module=jit_step program_id=5]
        {ops}
        program 5 jit_step
          p.0 = f32[64,64] parameter(0)
          dot.1 = f32[64,64] dot(p.0, p.0)
          tanh.2 = f32[64,64] tanh(dot.1)"
    ))
}

fn micros(time: Picos) -> i64 {
    time.0 / 1_000_000
}

fn runs(session: &Session) -> Vec<(i64, i64)> {
    let runs = session.program_runs.iter();
    runs.map(|run| (micros(run.span.start), micros(run.span.end)))
        .collect()
}

#[test]
fn an_execution_is_a_run_from_its_first_to_its_last_op() {
    let session = looped(4, "", "");
    assert_eq!(
        runs(&session),
        [(15, 59), (115, 159), (215, 259), (315, 359)]
    );
    for (call, run) in (0i64..).zip(&session.program_runs) {
        assert_eq!(run.run_id, None);
        assert_eq!(session.program(run.program).name, "jit_step");
        assert_eq!(run.launched.map(micros), Some(call * 100));
        assert!(run.is_by_order);
    }
    assert_eq!(session.steps.len(), 4);
    assert!(session.warnings.is_empty(), "{:?}", session.warnings);
}

/// The body of a loop is executed by the op of the loop, and waited for.
#[test]
fn what_an_op_executes_is_no_run() {
    let body = "thread tf_XLAEigen/3
        20..45us ThunkExecutor::Execute
        21..22us ThunkExecutor::Execute
        22..44us ThunkExecutor::Execute (wait for completion)";
    assert_eq!(runs(&looped(4, body, "")), runs(&looped(4, "", "")));
}

#[test]
fn what_several_devices_execute_at_once_is_one_run() {
    let mut other = "thread tf_XLATfrtCpuClient/4\n".to_owned();
    for call in 0..4 {
        let at = call * 100;
        _ = writeln!(
            other,
            "{}..{}us ThunkExecutor::Execute\n{}..{}us ThunkExecutor::Execute (wait for completion)",
            at + 11,
            at + 13,
            at + 13,
            at + 62
        );
    }
    let session = looped(4, &other, "");
    assert_eq!(runs(&session).len(), 4);
    let told = session.warnings.iter().map(|warning| &warning.message);
    let told: Vec<_> = told.collect();
    assert_eq!(
        told,
        ["Ops do not say which of 2 devices ran them: all are shown as those of one, CPU:0"]
    );
}

#[test]
fn recorded_run_ids_are_better_evidence() {
    let session = looped(4, "", "7");
    let ids: Vec<_> = session.program_runs.iter().map(|run| run.run_id).collect();
    assert_eq!(ids, [Some(70), Some(71), Some(72), Some(73)]);
}
