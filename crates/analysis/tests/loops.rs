//! Loops of several kinds: in several threads, one after another, with work between their steps.

use serde_json::Value;

use crate::support::{ask, drawn, rows, text};

fn causes(report: &Value) -> Vec<&str> {
    let rows = rows(report, "causes");
    rows.iter().map(|row| text(row, "cause")).collect()
}

fn notes(report: &Value) -> String {
    let notes = rows(report, "notes");
    let texts: Vec<&str> = notes.iter().map(|note| text(note, "text")).collect();
    texts.join("\n")
}

const TWO_SERIES: &str = "
    host vm
    thread python/1
    repeat 4 every 1000us
      0..900us   train #step_num=$i,_r=1#
      10..20us   PjitFunction(step)
      200..880us $train.py:7 summarize
    end
    thread python/2
    repeat 4 every 1000us
      0..990us   eval #step_num=$i,_r=1#
      100..950us $time sleep
    end
    thread tf_XLAEigen/42
    each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
    repeat 4 every 1000us
      30..130us  dot.1 [run_id=1$i]
    end
";

#[test]
fn a_loop_in_another_thread_delays_only_its_own_steps() {
    let session = drawn(&[TWO_SERIES]);
    let train = ask(&session, "idle", &[]);
    assert!(causes(&train).contains(&"python"), "{train}");
    assert!(!causes(&train).contains(&"sleep"), "{train}");
    let eval = ask(&session, "idle", &[("series", "eval")]);
    assert!(causes(&eval).contains(&"sleep"), "{eval}");
}

const LOADS_BETWEEN: &str = "
    host vm
    thread python/1
    repeat 5 every 1000us
      0..700us   load_batch
      710..900us train #step_num=$i,_r=1#
      720..730us PjitFunction(step)
    end
    thread tf_XLAEigen/42
    each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
    repeat 5 every 1000us
      740..880us dot.1 [run_id=1$i]
    end
";

#[test]
fn input_between_steps_counts_in_the_verdict() {
    let session = drawn(&[LOADS_BETWEEN]);
    let input = ask(&session, "input", &[]);
    let between = &input["between_steps"];
    assert_eq!(between["input_ps"], 700e6, "{between}");
    let ratio = between["ratio"].as_f64().expect("a ratio");
    assert!((ratio - 0.7).abs() < 1e-9, "{ratio}");
    assert_eq!(input["verdict"], "bad");
    let advice = ask(&session, "advice", &[]);
    let first = text(&rows(&advice, "findings")[0], "title");
    assert_eq!(first, "Waiting for input between steps");
    let passed = rows(&advice, "passed");
    assert!(passed.iter().all(|check| check["id"] != "input_wait"));
}

#[test]
fn a_call_that_compiles_is_compilation_from_its_beginning() {
    let session = drawn(&["
        host vm
        thread python/1
        0..900us     train #step_num=0,_r=1#
        10..600us    PjitFunction(step)
        110..500us   backend_compile_and_load
        1000..1900us train #step_num=1,_r=1#
        1010..1050us PjitFunction(step)
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        700..800us   dot.1 [run_id=10]
        1100..1200us dot.1 [run_id=11]
    "]);
    let steps = ask(&session, "steps", &[]);
    let first = &rows(&steps, "rows")[0];
    assert_eq!(first["compilation_ps"], 490_000_000, "{first}");
}

#[test]
fn annotations_around_several_runs_are_said_to_be() {
    let session = drawn(&["
        host vm
        thread python/1
        repeat 3 every 1000us
          0..900us epoch #step_num=$i,_r=1#
          10..20us PjitFunction(step)
          310..320us PjitFunction(step)
          610..620us PjitFunction(step)
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 3 every 1000us
          30..230us  dot.1 [run_id=1$i]
          330..530us dot.1 [run_id=2$i]
          630..830us dot.1 [run_id=3$i]
        end
    "]);
    let notes = notes(&ask(&session, "overview", &[]));
    let said = "annotated as `epoch` (StepTraceAnnotation), each with 3 runs of jit_step(5)";
    assert!(notes.contains(said), "{notes}");
}

#[test]
fn a_loop_after_the_steps_is_named() {
    let session = drawn(&["
        host vm
        device tpu:0 v6e
        line XLA Modules
        repeat 6 every 100us
          0..80us jit_train(5)
        end
        repeat 4 every 20us
          700..715us jit_score(6)
        end
    "]);
    let notes = notes(&ask(&session, "overview", &[]));
    let said = "before or after these steps: jit_score(6) (4 runs of 15.00 µs on average)";
    assert!(notes.contains(said), "{notes}");
    assert!(
        notes.contains("runs of the main program (jit_train(5))"),
        "{notes}"
    );
}

/// Annotations of 900 us, in each of which a step runs, and an update until `done` that nothing waits for.
fn with_update(done: u32) -> String {
    format!(
        "host vm
        thread python
        repeat 6 every 1000us
          0..900us train #step_num=$i,_r=1#
          10..12us launch [run_id=1$i]
          13..15us launch [run_id=2$i]
        end
        device tpu:0 v6e
        line XLA Modules
        repeat 6 every 1000us
          30..800us jit_step(5) [run_id=1$i]
          800..{done}us jit_update(6) [run_id=2$i]
        end
        line XLA Ops
        repeat 6 every 1000us
          30..800us %dot.1 = f32[8] dot(p.0)
          800..{done}us %add.1 = f32[8] add(p.0, p.0)
        end"
    )
}

#[test]
fn a_loop_that_leaves_a_little_work_does_not_run_ahead() {
    let told = |done| {
        let session = drawn(&[&with_update(done)]);
        notes(&ask(&session, "steps", &[]))
    };
    // 20 us of 900 are little, 90 are not. The next annotation begins at 1000 us.
    let little = told(920);
    assert!(little.contains("waits for most of that work"), "{little}");
    let outside = told(990);
    assert!(outside.contains("the host does not run ahead"), "{outside}");
    let ahead = told(1020);
    assert!(ahead.contains("The host runs ahead"), "{ahead}");
    let within = told(890);
    assert!(within.contains("as long as its annotation."), "{within}");
}
