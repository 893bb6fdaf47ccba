//! Steps inferred from rounds of functions: of what each does its part for the other, or puts its results
//! together.

use std::fmt::Write as _;

use crate::support::session;

/// Where the steps begin, in runs: `s` solves with a matrix, and `m` mixes what it is called with, an array of
/// this shape. After each run the host does what `between` says.
fn solving(order: &str, shape: &str, between: &str) -> Vec<usize> {
    let mut text = String::from("thread python\n");
    for (position, letter) in order.chars().enumerate() {
        let start = position * 20;
        let what = if letter == 'm' { "" } else { between };
        writeln!(text, "{start}..{}us launch [run_id={position}]", start + 2).expect("a text");
        if !what.is_empty() {
            writeln!(text, "{}..{}us {what}", start + 3, start + 18).expect("a text");
        }
    }
    text.push_str("device tpu:0 v6e\nline XLA Modules\n");
    for (position, letter) in order.chars().enumerate() {
        let (start, name) = (position * 20 + 5, ["jit_solve(5)", "jit_mix(6)"]);
        let name = name[usize::from(letter == 'm')];
        writeln!(text, "{start}..{}us {name} [run_id={position}]", start + 10).expect("a text");
    }
    write!(
        text,
        "program 5 jit_solve
           p.0 = f32[24,24] parameter(0)
           q.1 = f32[24] parameter(1)
           d.2 = f32[24] dot(p.0, q.1)
           ROOT t.3 = f32[24] tanh(d.2)
         program 6 jit_mix
           p.0 = {shape} parameter(0)
           q.1 = {shape} parameter(1)
           m.2 = {shape} multiply(p.0, p.0)
           ROOT a.3 = {shape} add(q.1, m.2)"
    )
    .expect("a text");
    let session = session(&text);
    let starts = session.steps.iter().map(|step| step.spans[0].span.start.0);
    starts
        .map(|start| usize::try_from(start / 20_000_000).expect("a time"))
        .collect()
}

/// A function that solves one system, in a loop of Python whose results another one mixes.
#[test]
fn what_reads_all_results_of_a_round_makes_it_a_step() {
    let order = "ssssm".repeat(4);
    for all in ["f32[4,24]", "f32[24,4]", "f32[96]"] {
        assert_eq!(solving(&order, all, ""), [0, 5, 10, 15], "{all}");
    }
    // A metric of one result, or of more of them than a round has.
    for other in ["f32[24]", "f32[8,24]", "s32[4,24]"] {
        assert_eq!(solving(&order, other, "").len(), 16, "{other}");
    }
    // Each result is an answer, and rounds of several lengths are none.
    let reads = "np.asarray(jax.Array)";
    assert_eq!(solving(&order, "f32[4,24]", reads).len(), 16);
    assert_eq!(solving("ssssmssssmsssmssssm", "f32[4,24]", "").len(), 15);
}

/// Four runs that train, then one of `name`, a sum of an array of this kind and of a row, which JAX calls
/// `op_name`: the number of steps.
fn training_beside(name: &str, kind: &str, op_name: &str) -> usize {
    let mut text = String::from("device tpu:0 v6e\nline XLA Modules\n");
    for (position, letter) in "tttts".repeat(4).chars().enumerate() {
        let (start, other) = (position * 20, format!("{name}(6)"));
        let name = ["jit_train(5)", &other][usize::from(letter == 's')];
        writeln!(text, "{start}..{}us {name}", start + 10).expect("a text");
    }
    write!(
        text,
        "program 5 jit_train
           p.0 = f32[64,32] parameter(0)
           q.1 = f32[32,8] parameter(1)
           x.2 = f32[9,64] parameter(2)
           g.3 = f32[64,32] dot(x.2, q.1)
           h.4 = f32[32,8] dot(x.2, p.0)
           a.5 = f32[64,32] add(p.0, g.3)
           b.6 = f32[32,8] add(q.1, h.4)
           t.7 = (f32[64,32], f32[32,8]) tuple(a.5, b.6)
         program 6 {name}
           p.0 = {kind} parameter(0)
           q.1 = f32[32] parameter(1)
           b.2 = {kind} broadcast(q.1) op_name=\"{op_name}\"
           s.3 = {kind} add(p.0, b.2) op_name=\"{op_name}\""
    )
    .expect("a text");
    session(&text).steps.len()
}

/// What is of the kind of an argument, changed element by element, looks like an update.
#[test]
fn an_op_now_and_then_makes_no_round_with_what_trains() {
    let (own, other) = ("f32[64,32]", "f32[300,32]");
    // Called outside of `jit`, whatever it is called with.
    for (name, op_name) in [
        ("jit_add", "jit(add)/add"),
        ("jit__mean", "jit(_mean)/div"),
        ("jit_some_op", "jit(some_op)/some_op"),
    ] {
        assert_eq!(training_beside(name, own, op_name), 16, "{name}");
        assert_eq!(training_beside(name, other, op_name), 16, "{name}");
    }
    // A function of the program is a part of a round if it works on what the other one does.
    assert_eq!(training_beside("jit_shift", other, "jit(shift)/add"), 16);
    assert_eq!(training_beside("jit_shift", own, "jit(shift)/add"), 4);
}
