//! Steps inferred from runs, where a function was compiled for several shapes or a name stands for
//! several functions.

use crate::support::session;

/// Programs of `step`, a function of line 7, and of two lambdas, with their ids and widths.
fn compiled(programs: &[(u32, &str, u32, u32)]) -> String {
    let mut text = String::new();
    for (id, name, width, line) in programs {
        let shape = format!("f32[{width},64]");
        let program = format!(
            "
            program {id} {name}
              p.0 = {shape} parameter(0)
              a.1 = {shape} add(p.0, p.0) source=train.py:{line}
              m.2 = {shape} multiply(a.1, p.0) source=train.py:{line}"
        );
        text.push_str(&program);
    }
    text
}

/// Steps of runs of programs, 10 us each, one after another.
fn inferred(runs: &[&str], programs: &str) -> usize {
    let mut text = String::from("device tpu:0 v6e\nline XLA Modules\n");
    for (position, run) in runs.iter().enumerate() {
        let start = position * 20;
        let line = format!("{start}..{}us {run}\n", start + 10);
        text.push_str(&line);
    }
    session(&(text + programs)).steps.len()
}

#[test]
fn a_function_of_several_shapes_is_one() {
    let programs = compiled(&[
        (5, "jit_step", 64, 7),
        (6, "jit_step", 128, 7),
        (7, "jit_step", 256, 7),
    ]);
    let [small, middle, large] = ["jit_step(5)", "jit_step(6)", "jit_step(7)"];
    assert_eq!(inferred(&[small, large, small, large], &programs), 4);
    assert_eq!(
        inferred(&[small, small, large, middle, large], &programs),
        5
    );
    // Each shape is compiled for one call.
    assert_eq!(inferred(&[small, middle, large], &programs), 3);
    // An evaluation now and then changes nothing.
    let runs = [
        small,
        large,
        small,
        "jit_eval(9)",
        large,
        small,
        small,
        "jit_eval(9)",
    ];
    assert_eq!(inferred(&runs, &programs), 6);
}

#[test]
fn functions_of_one_name_are_several() {
    let programs = compiled(&[(5, "jit__lambda", 64, 7), (6, "jit__lambda", 128, 8)]);
    let [one, other] = ["jit__lambda(5)", "jit__lambda(6)"];
    let runs = [one, other, one, other, one, other];
    assert_eq!(inferred(&runs, &programs), 3);
    // Of one line, they are one function.
    let programs = compiled(&[(5, "jit__lambda", 64, 7), (6, "jit__lambda", 128, 7)]);
    assert_eq!(inferred(&runs, &programs), 6);
    // Without lines, nobody knows.
    let programs = programs.replace("source=train.py:7", "");
    assert_eq!(inferred(&runs, &programs), 3);
}

/// `jax.jit(jax.grad(loss))` has the name, the arguments, and the lines of `jax.jit(loss)`.
#[test]
fn a_function_and_its_gradient_are_two() {
    let programs = compiled(&[(5, "jit_loss", 64, 7), (6, "jit_loss", 64, 7)]);
    let backward = "p.0) op_name=\"jit(loss)/transpose(jvp())/mul\" source=train.py:7";
    let (loss, gradient) = programs.split_once("program 6").expect("two programs");
    let gradient = gradient.replace("p.0) source=train.py:7", backward);
    let programs = format!("{loss}program 6{gradient}");
    let [loss, gradient] = ["jit_loss(5)", "jit_loss(6)"];
    let runs = [gradient, loss, loss, gradient, loss, loss];
    assert_eq!(inferred(&runs, &programs), 4);
}

/// XLA:CPU makes one fusion of a small function.
#[test]
fn a_function_of_one_fusion_is_a_function() {
    let program = |id: u32, width: u32| {
        let shape = format!("f32[{width},64]");
        format!(
            "
            program {id} jit_step
            computation fused_step
              q.0 = {shape} parameter(0)
              a.1 = {shape} add(q.0, q.0) source=train.py:7
              m.2 = {shape} multiply(a.1, q.0) source=train.py:7
            entry main
              p.0 = {shape} parameter(0)
              f.1 = {shape} fusion(p.0) kind=kLoop calls=fused_step source=train.py:7"
        )
    };
    let programs = program(5, 64) + &program(6, 128) + &program(7, 256);
    let runs = ["jit_step(5)", "jit_step(6)", "jit_step(7)"];
    assert_eq!(inferred(&runs, &programs), 3);
}

/// The discriminator sees real and generated images, the generator follows.
#[test]
fn shapes_that_take_turns_within_a_step_are_parts_of_it() {
    let programs = compiled(&[(5, "jit_judge", 64, 7), (6, "jit_judge", 128, 7)]);
    let [real, fake, other] = ["jit_judge(5)", "jit_judge(6)", "jit_generate(7)"];
    let runs = [real, fake, other].repeat(4);
    assert_eq!(inferred(&runs, &programs), 4);
    // Two programs of different names, as before.
    assert_eq!(inferred(&[real, other].repeat(4), &programs), 4);
}

/// A fusion is as many ops as there are names in it; a loop is none.
#[test]
fn a_function_that_became_one_fusion_is_no_single_op() {
    let is_single = |name: &str, instructions: &str| {
        let text = format!(
            "device tpu:0 v6e
             line XLA Modules
             0..10us {name}(5)
             program 5 {name}
             {instructions}"
        );
        session(&text).programs[0].is_single_op()
    };
    let fused = |first: &str, second: &str| {
        format!(
            "computation body
               q.0 = f32[8] parameter(0)
               a.1 = f32[8] {first}
               b.2 = f32[8] {second}
             entry
               p.0 = f32[8] parameter(0)
               fusion.1 = f32[8] fusion(p.0) kind=kLoop calls=body op_name=\"jit(f)/add\""
        )
    };
    let two = fused(
        "exponential(q.0) op_name=\"jit(f)/exp\"",
        "add(a.1, q.0) op_name=\"jit(f)/add\"",
    );
    assert!(!is_single("jit_dual", &two));
    assert!(is_single("jit_gelu", &two), "an op of JAX itself");
    let one = fused(
        "broadcast(q.0) op_name=\"jit(f)/broadcast_in_dim\"",
        "add(a.1, q.0) op_name=\"jit(f)/add\"",
    );
    assert!(is_single("jit_add", &one));
    let scan = "computation body
                  q.0 = f32[8] parameter(0)
                entry
                  p.0 = f32[8] parameter(0)
                  while.1 = f32[8] while(p.0) body=body op_name=\"jit(f)/while\"";
    assert!(!is_single("jit_advance", scan));
}
