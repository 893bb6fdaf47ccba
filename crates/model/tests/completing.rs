//! Steps inferred from runs, where functions run several times within a step: what one reads again and
//! again, another one updates.

use std::fmt::Write as _;

use crate::support::session;

const WEIGHTS: &str = "f32[64,32]";
const OTHER: &str = "f32[16,8]";

/// A program with its instructions after those of its entry.
fn program(id: u32, name: &str, lines: &[&str]) -> String {
    let mut text = format!("program {id} {name}\n");
    for line in lines {
        writeln!(text, "  {line} source=train.py:{id}").expect("a text");
    }
    text
}

/// `act(p, q, x)`: reads two weights.
fn acting(id: u32, name: &str, weights: &str) -> String {
    let p = format!("p.0 = {weights} parameter(0)");
    let q = format!("q.1 = {weights} parameter(1)");
    let dot = "d.3 = f32[8,32] dot(x.2, p.0)";
    let next = "e.4 = f32[8,32] dot(d.3, q.1)";
    program(
        id,
        name,
        &[&p, &q, "x.2 = f32[8,64] parameter(2)", dot, next],
    )
}

/// `step(p, q, x) → p + dot(x, q), q + dot(x, p)`: updates two weights; those of `read` it only reads.
fn updating(id: u32, name: &str, weights: &str, read: Option<&str>) -> String {
    let other = read.unwrap_or(weights);
    let lines = [
        format!("p.0 = {weights} parameter(0)"),
        format!("q.1 = {weights} parameter(1)"),
        "x.2 = f32[8,64] parameter(2)".to_owned(),
        format!("r.3 = {other} parameter(3)"),
        format!("s.4 = {other} parameter(4)"),
        format!("g.5 = {weights} dot(x.2, r.3)"),
        format!("h.6 = {weights} dot(x.2, s.4)"),
        format!("a.7 = {weights} add(p.0, g.5)"),
        format!("b.8 = {weights} add(q.1, h.6)"),
        format!("t.9 = ({weights}, {weights}) tuple(a.7, b.8)"),
    ];
    let kept =
        |line: &&String| read.is_some() || !(line.starts_with("r.3") || line.starts_with("s.4"));
    let lines: Vec<String> = lines.iter().filter(kept).cloned().collect();
    let renamed = |line: &String| {
        if read.is_some() {
            line.clone()
        } else {
            line.replace("r.3", "q.1").replace("s.4", "p.0")
        }
    };
    let lines: Vec<String> = lines.iter().map(renamed).collect();
    program(
        id,
        name,
        &lines.iter().map(String::as_str).collect::<Vec<_>>(),
    )
}

/// `copy(p, q) → copies`.
fn copying(id: u32, name: &str, weights: &str) -> String {
    let lines = [
        format!("p.0 = {weights} parameter(0)"),
        format!("q.1 = {weights} parameter(1)"),
        format!("a.2 = {weights} copy(p.0)"),
        format!("b.3 = {weights} copy(q.1)"),
        format!("t.4 = ({weights}, {weights}) tuple(a.2, b.3)"),
    ];
    program(id, name, &lines.each_ref().map(String::as_str))
}

/// Where the steps begin, in runs; each letter is a run of one of the programs.
fn steps(order: &str, programs: &[(char, &str, String)]) -> Vec<usize> {
    let mut text = String::from("device tpu:0 v6e\nline XLA Modules\n");
    for (position, letter) in order.chars().enumerate() {
        let start = position * 20;
        let own = programs.iter().find(|(own, ..)| *own == letter);
        let name = own.expect("a program of this letter").1;
        writeln!(text, "{start}..{}us {name}", start + 10).expect("a text");
    }
    for (_, _, program) in programs {
        text.push_str(program);
    }
    let session = session(&text);
    let start = |step: &stepscope_model::Step| step.spans[0].span.start.0;
    let starts = session.steps.iter().map(start);
    starts
        .map(|start| usize::try_from(start / 20_000_000).expect("a time"))
        .collect()
}

fn act() -> (char, &'static str, String) {
    ('a', "jit_act(5)", acting(5, "jit_act", WEIGHTS))
}

fn learn() -> (char, &'static str, String) {
    ('l', "jit_learn(6)", updating(6, "jit_learn", WEIGHTS, None))
}

#[test]
fn a_policy_acts_until_an_update_completes_the_step() {
    let programs = [act(), learn()];
    assert_eq!(steps(&"aaal".repeat(4), &programs), [3, 7, 11, 15]);
    // Of episodes of several lengths, too.
    assert_eq!(steps("aalaaaalalaal", &programs), [2, 7, 9, 12]);
}

#[test]
fn an_evaluation_of_more_batches_than_steps_is_none_of_them() {
    let programs = [act(), learn()];
    assert_eq!(
        steps("llaaaaallaaaaallaaaaa", &programs),
        [0, 1, 7, 8, 14, 15]
    );
}

#[test]
fn what_runs_after_training_has_its_own_steps() {
    let programs = [act(), learn()];
    assert_eq!(steps("lllaaaaaa", &programs), [3, 4, 5, 6, 7, 8]);
}

#[test]
fn of_loops_that_follow_each_other_the_longest_has_the_steps() {
    let train = || own('t', 5, "jit_train(5)", WEIGHTS);
    let score = ('s', "jit_score(6)", acting(6, "jit_score", WEIGHTS));
    let programs = [train(), score];
    assert_eq!(steps("ttttttttssss", &programs), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(steps("tttssssss", &programs), [3, 4, 5, 6, 7, 8]);
    // What evaluates, by its name, makes steps only if nothing else does.
    let evaluate = ('e', "jit_evaluate(6)", acting(6, "jit_evaluate", WEIGHTS));
    let programs = [train(), evaluate];
    assert_eq!(steps("ttteeeeee", &programs), [0, 1, 2]);
    assert_eq!(steps("teeeeee", &programs), [1, 2, 3, 4, 5, 6]);
    // Evaluations between steps are in one loop with them.
    assert_eq!(steps("tteettee", &programs), [0, 1, 4, 5]);
}

fn own(letter: char, id: u32, name: &'static str, weights: &str) -> (char, &'static str, String) {
    let plain = name.split('(').next().expect("a name");
    (letter, name, updating(id, plain, weights, None))
}

#[test]
fn functions_that_each_train_their_own_are_one_step_a_round() {
    let programs = [
        own('a', 5, "jit_one(5)", WEIGHTS),
        own('b', 6, "jit_two(6)", OTHER),
    ];
    assert_eq!(steps(&"aabbb".repeat(4), &programs), [0, 5, 10, 15]);
    // Those of a recording that begins within a round: the last one is cut.
    assert_eq!(
        steps(&format!("abbb{}aa", "aabbb".repeat(3)), &programs),
        [1, 6, 11, 16]
    );
    // Without a rule, each run of what runs most often is a step.
    assert_eq!(steps("abbaabbbab", &programs), [1, 2, 5, 6, 7, 9]);
    // One that only copies what the other trains has no round of its own.
    let copy = ('c', "jit_copy(7)", copying(7, "jit_copy", WEIGHTS));
    let programs = [own('a', 5, "jit_one(5)", WEIGHTS), copy];
    assert_eq!(steps(&"aaac".repeat(4), &programs).len(), 12);
}

/// `step(p, x, r) → p + dot(x, r)`: updates one array.
fn updating_one(id: u32, name: &str, weights: &str, read: &str) -> String {
    let lines = [
        format!("p.0 = {weights} parameter(0)"),
        "x.1 = f32[8,64] parameter(1)".to_owned(),
        format!("r.2 = {read} parameter(2)"),
        format!("g.3 = {weights} dot(x.1, r.2)"),
        format!("ROOT a.4 = {weights} add(p.0, g.3)"),
    ];
    program(id, name, &lines.each_ref().map(String::as_str))
}

#[test]
fn a_model_of_one_matrix_counts_as_one_of_many_arrays() {
    let (large, small) = ("f32[64,32]", "f32[4,8]");
    let programs = |weights: &str, other: &str| {
        let critic = updating_one(5, "jit_critic", weights, "f32[9,9]");
        let generator = updating_one(6, "jit_generate", other, weights);
        let show = acting(7, "jit_show", other);
        [
            ('c', "jit_critic(5)", critic),
            ('g', "jit_generate(6)", generator),
            ('s', "jit_show(7)", show),
        ]
    };
    let order = "cccgs".repeat(4);
    let whole = [0, 5, 10, 15];
    assert_eq!(steps(&order, &programs(large, "f32[64,16]")), whole);
    // An array that nothing else uses may be normalized now and then.
    let order = "cccg".repeat(4);
    let programs_of_two = &programs(large, "f32[64,16]")[..2];
    assert_eq!(steps(&order, programs_of_two).len(), 12);
    // A few numbers are a counter or a key.
    assert_eq!(steps(&order, &programs(large, small)).len(), 12);
    // Many runs are a loop, after which something else trains.
    let order = format!("{}g", "c".repeat(20)).repeat(3);
    assert_eq!(steps(&order, &programs(large, "f32[64,16]")).len(), 60);
}

#[test]
fn means_of_weights_have_no_round() {
    let mean = (
        'm',
        "jit_mean(6)",
        updating(6, "jit_mean", WEIGHTS, Some(WEIGHTS)),
    );
    let train = own('t', 5, "jit_train(5)", WEIGHTS);
    assert_eq!(steps(&"tttm".repeat(4), &[train, mean]).len(), 12);
}

/// A validation that takes longer than all training is none of the steps.
#[test]
fn short_training_has_the_steps_beside_a_long_evaluation() {
    let mut text = String::from("device tpu:0 v6e\nline XLA Modules\n");
    for round in 0..4 {
        for run in 0..4 {
            let start = 1000 * round + 20 * run;
            writeln!(text, "{start}..{}us jit_learn(6)", start + 10).expect("a text");
        }
        let (start, end) = (1000 * round + 100, 1000 * round + 900);
        writeln!(text, "{start}..{end}us jit_act(5)").expect("a text");
    }
    text.push_str(&act().2);
    text.push_str(&learn().2);
    assert_eq!(session(&text).steps.len(), 16);
}

/// Sums of arrays like those that a function reads update nothing of it.
#[test]
fn ops_beside_a_function_that_updates_nothing_are_no_steps() {
    let sum = program(
        6,
        "jit_add",
        &[
            &format!("p.0 = {WEIGHTS} parameter(0)"),
            &format!("q.1 = {WEIGHTS} parameter(1)"),
            &format!("s.2 = {WEIGHTS} add(p.0, q.1)"),
        ],
    );
    let mut text = String::from("device tpu:0 v6e\nline XLA Modules\n");
    for round in 0..4 {
        for (start, end, name) in [
            (0, 500, "jit_act(5)"),
            (600, 640, "jit_add(6)"),
            (720, 760, "jit_add(6)"),
        ] {
            let at = 1000 * round;
            writeln!(text, "{}..{}us {name}", at + start, at + end).expect("a text");
        }
    }
    text.push_str(&act().2);
    text.push_str(&sum);
    assert_eq!(session(&text).steps.len(), 4);
}

/// Of what is collected in a rollout, parts are learned from several times: all of it is one step.
#[test]
fn a_rollout_with_several_updates_is_one_step() {
    let (act, learn) = (act(), |batch: &str| {
        let lines = [
            format!("p.0 = {WEIGHTS} parameter(0)"),
            format!("q.1 = {WEIGHTS} parameter(1)"),
            "x.2 = f32[8,64] parameter(2)".to_owned(),
            format!("r.3 = {batch} parameter(3)"),
            format!("g.5 = {WEIGHTS} dot(x.2, q.1)"),
            format!("h.6 = {WEIGHTS} dot(r.3, p.0)"),
            format!("a.7 = {WEIGHTS} add(p.0, g.5)"),
            format!("b.8 = {WEIGHTS} add(q.1, h.6)"),
            format!("t.9 = ({WEIGHTS}, {WEIGHTS}) tuple(a.7, b.8)"),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        ('l', "jit_learn(6)", program(6, "jit_learn", &lines))
    });
    let order = "aaaall".repeat(4);
    // Four runs return 8 rows each; two read 16 each, or 32.
    for batch in ["f32[16,32]", "f32[32,32]"] {
        let programs = [act.clone(), learn(batch)];
        assert_eq!(steps(&order, &programs), [0, 6, 12, 18], "{batch}");
    }
    // Not all of what is read, or data of another size: an evaluation.
    for batch in ["f32[8,32]", "f32[16,10]", "s32[16,32]"] {
        let programs = [act.clone(), learn(batch)];
        assert_eq!(
            steps(&order, &programs),
            [4, 5, 10, 11, 16, 17, 22, 23],
            "{batch}"
        );
    }
}

/// A loss is evaluated until a line search ends, and then its gradient, once.
#[test]
fn the_next_gradient_completes_a_line_search() {
    let gradient = |other: &str| {
        let lines = [
            format!("p.0 = {WEIGHTS} parameter(0)"),
            format!("q.1 = {WEIGHTS} parameter(1)"),
            "x.2 = f32[8,64] parameter(2)".to_owned(),
            format!("g.3 = {other} dot(x.2, q.1)"),
            format!("h.4 = {other} dot(x.2, p.0)"),
            format!("t.5 = ({other}, {other}) tuple(g.3, h.4)"),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        ('g', "jit_grad(6)", program(6, "jit_grad", &lines))
    };
    let order = "aagaaaagaag";
    assert_eq!(steps(order, &[act(), gradient(WEIGHTS)]), [2, 7, 10]);
    // What returns other arrays is a function like any other.
    assert_eq!(steps(order, &[act(), gradient(OTHER)]).len(), 8);
}

/// One cache, which is prepared now and then, and extended by each step.
#[test]
fn what_prepares_a_cache_makes_no_round_with_what_extends_it() {
    let of = |id: u32, name: &str, read: &str| {
        let lines = [
            format!("p.0 = {WEIGHTS} parameter(0)"),
            format!("q.1 = {WEIGHTS} parameter(1)"),
            format!("r.2 = {read} parameter(2)"),
            format!("s.3 = {read} parameter(3)"),
            "i.4 = s32[] parameter(4)".to_owned(),
            format!("v.9 = {read} parameter(5)"),
            "u.5 = f32[1,32] constant(0)".to_owned(),
            format!("a.6 = {WEIGHTS} dynamic-update-slice(p.0, u.5, i.4, i.4)"),
            format!("b.7 = {WEIGHTS} dynamic-update-slice(q.1, u.5, i.4, i.4)"),
            format!("t.8 = ({WEIGHTS}, {WEIGHTS}) tuple(a.6, b.7)"),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        program(id, name, &lines)
    };
    let decode = ('d', "jit_decode(5)", of(5, "jit_decode", "f32[128,32]"));
    let prefill = ('p', "jit_prefill(6)", of(6, "jit_prefill", "f32[128,32]"));
    let order = "pdddd".repeat(4);
    assert_eq!(steps(&order, &[decode.clone(), prefill]).len(), 16);
    // Two tasks with weights of the same sizes, each with data of its own.
    let other = ('p', "jit_other(6)", of(6, "jit_other", "f32[64,16]"));
    assert_eq!(steps(&order, &[decode, other]), [0, 5, 10, 15]);
}

/// An optimizer that is called for each array makes no steps; the gradient is no evaluation.
#[test]
fn gradients_that_are_applied_one_by_one_are_the_steps() {
    let lines = [
        format!("p.0 = {WEIGHTS} parameter(0)"),
        format!("q.1 = {WEIGHTS} parameter(1)"),
        "x.2 = f32[8,64] parameter(2)".to_owned(),
        format!("g.3 = {WEIGHTS} dot(x.2, q.1)"),
        format!("h.4 = {WEIGHTS} dot(x.2, p.0)"),
        format!("t.5 = ({WEIGHTS}, {WEIGHTS}) tuple(g.3, h.4)"),
    ];
    let gradient = program(5, "jit_grad", &lines.each_ref().map(String::as_str));
    let lines = [
        format!("p.0 = {WEIGHTS} parameter(0)"),
        format!("m.1 = {WEIGHTS} parameter(1)"),
        format!("g.2 = {WEIGHTS} parameter(2)"),
        format!("n.3 = {WEIGHTS} add(m.1, g.2)"),
        format!("w.4 = {WEIGHTS} subtract(p.0, n.3)"),
        format!("t.5 = ({WEIGHTS}, {WEIGHTS}) tuple(w.4, n.3)"),
    ];
    let apply = program(6, "jit_apply", &lines.each_ref().map(String::as_str));
    let mut text = String::from("device tpu:0 v6e\nline XLA Modules\n");
    for round in 0..4 {
        let at = 1000 * round;
        writeln!(text, "{at}..{}us jit_grad(5)", at + 800).expect("a text");
        for leaf in 0..3 {
            let start = at + 800 + 20 * leaf;
            writeln!(text, "{start}..{}us jit_apply(6)", start + 10).expect("a text");
        }
    }
    text.push_str(&gradient);
    text.push_str(&apply);
    assert_eq!(session(&text).steps.len(), 4);
}

#[test]
fn without_the_program_nobody_knows_what_is_updated() {
    let unknown = ('l', "jit_learn(6)", String::new());
    assert_eq!(steps(&"aal".repeat(3), &[act(), unknown]).len(), 6);
}

#[test]
fn two_sides_of_an_adversarial_network_are_one_step() {
    let judge = updating(5, "jit_judge", WEIGHTS, Some(OTHER));
    let generate = updating(6, "jit_generate", OTHER, Some(WEIGHTS));
    let programs = [
        ('j', "jit_judge(5)", judge),
        ('g', "jit_generate(6)", generate),
    ];
    assert_eq!(steps(&"jjjg".repeat(3), &programs), [3, 7, 11]);
    // Also if both have weights of the same sizes.
    let judge = updating(5, "jit_judge", WEIGHTS, Some(WEIGHTS));
    let generate = updating(6, "jit_generate", WEIGHTS, Some(WEIGHTS));
    let programs = [
        ('j', "jit_judge(5)", judge),
        ('g', "jit_generate(6)", generate),
    ];
    assert_eq!(steps(&"jjjg".repeat(3), &programs), [3, 7, 11]);
}

/// Training reads the weights of an old policy; it is a step all the same.
#[test]
fn a_copy_of_weights_now_and_then_completes_nothing() {
    let train = updating(5, "jit_train", WEIGHTS, Some(WEIGHTS));
    let programs = [
        ('t', "jit_train(5)", train),
        ('c', "jit_copy(6)", copying(6, "jit_copy", WEIGHTS)),
    ];
    assert_eq!(steps(&"tttc".repeat(3), &programs).len(), 9);
    // What nothing else updates updates, such as means of the weights.
    let programs = [
        learn(),
        ('c', "jit_copy(5)", copying(5, "jit_copy", WEIGHTS)),
    ];
    assert_eq!(steps(&"lllc".repeat(3), &programs).len(), 9);
}

/// A batch is put on the device, and the model is trained with it three times: the copy returns what it
/// was called with, which the training reads and which is a quarter of what it is called with.
#[test]
fn a_batch_that_is_copied_to_the_device_completes_nothing() {
    let lines = [
        "p.0 = f32[64,32] parameter(0)",
        "q.1 = f32[64,32] parameter(1)",
        "x.2 = f32[8,64] parameter(2)",
        "g.3 = f32[64,32] dot(x.2, q.1)",
        "h.4 = f32[64,32] dot(x.2, p.0)",
        "a.5 = f32[64,32] add(p.0, g.3)",
        "b.6 = f32[64,32] add(q.1, h.4)",
        "t.7 = (f32[64,32], f32[64,32]) tuple(a.5, b.6)",
    ];
    let stage = ["x.0 = f32[8,64] parameter(0)", "c.1 = f32[8,64] copy(x.0)"];
    let programs = [
        ('t', "jit_train(5)", program(5, "jit_train", &lines)),
        ('s', "jit_stage(6)", program(6, "jit_stage", &stage)),
    ];
    assert_eq!(steps(&"sttt".repeat(4), &programs).len(), 12);
}

/// The metric takes as long as the training, or longer.
#[test]
fn training_marks_steps_rather_than_a_metric_that_runs_as_often() {
    let metric = acting(9, "jit_agreement", WEIGHTS);
    let programs = [('m', "jit_agreement(9)", metric), learn()];
    assert_eq!(steps(&"ml".repeat(4), &programs), [1, 3, 5, 7]);
}

#[test]
fn gradients_of_several_batches_are_one_step() {
    let gradients = acting(5, "jit_gradients", WEIGHTS);
    let programs = [('g', "jit_gradients(5)", gradients), learn()];
    assert_eq!(steps(&"ggggl".repeat(3), &programs), [4, 9, 14]);
}

/// A loop without `jit`: each op is a program.
#[test]
fn a_round_of_single_ops_is_a_step() {
    let op = |id: u32, name: &str, opcode: &str| {
        let line = format!("a.1 = f32[8] {opcode}(p.0)");
        program(id, name, &["p.0 = f32[8] parameter(0)", &line])
    };
    let programs = [
        ('d', "jit_dot(5)", op(5, "jit_dot", "negate")),
        ('t', "jit_tanh(6)", op(6, "jit_tanh", "tanh")),
        ('s', "jit_sum(7)", op(7, "jit_sum", "exponential")),
        ('u', "jit_abs(8)", op(8, "jit_abs", "abs")),
    ];
    assert_eq!(steps(&"dtdts".repeat(3), &programs), [4, 9, 14]);
    // Runs of the most frequent one follow each other, and others take more time.
    assert_eq!(steps(&"dddtstus".repeat(3), &programs), [6, 14, 22]);
    // What takes most of the time is the step, whatever is dispatched now and then.
    assert_eq!(steps(&"ddddts".repeat(3), &programs).len(), 12);
    assert!(steps("dtdtsddtstdsds", &programs).is_empty());
}

/// `jnp.sum` outside of `jit` is a program of JAX's own, which has several instructions.
#[test]
fn a_function_of_jax_is_an_op_of_the_loop() {
    let several = |id: u32, name: &str| {
        let lines = [
            "p.0 = f32[8] parameter(0)",
            "a.1 = f32[8] negate(p.0)",
            "b.2 = f32[8] abs(a.1)",
        ];
        program(id, name, &lines)
    };
    let one = ["p.0 = f32[8] parameter(0)", "a.1 = f32[8] negate(p.0)"];
    let programs = [
        ('s', "jit__reduce_sum(5)", several(5, "jit__reduce_sum")),
        ('n', "jit_neg(6)", program(6, "jit_neg", &one)),
        ('i', "jit_iterate(7)", several(7, "jit_iterate")),
        ('x', "jit_gather(8)", program(8, "jit_gather", &one)),
    ];
    assert_eq!(steps(&"snsnsni".repeat(4), &programs), [6, 13, 20, 27]);
    // Results are read now and then.
    let found = steps(&"snsnsnisnsnsnix".repeat(4), &programs);
    assert_eq!(found, [6, 13, 21, 28, 36, 43, 51, 58]);
}

/// A beam search reads elements of the scores of each token one by one, as many as it happens to need.
#[test]
fn ops_without_rounds_are_of_the_steps_of_the_function_among_them() {
    let slice = ["p.0 = f32[8] parameter(0)", "a.1 = f32[8] negate(p.0)"];
    let programs = act().2 + &program(6, "jit_slice", &slice);
    let found = |long: i64| {
        let mut text = String::from("device tpu:0 v6e\nline XLA Modules\n");
        let mut at = 0;
        for reads in [2, 50, 7, 5] {
            writeln!(text, "{at}..{}us jit_act(5)", at + long).expect("a text");
            for read in 0..reads {
                let start = at + long + read;
                writeln!(text, "{start}..{}us jit_slice(6)", start + 1).expect("a text");
            }
            at += long + reads;
        }
        session(&(text + &programs)).steps.len()
    };
    assert_eq!(found(100), 4);
    // An operation that is several ops, such as a product, is one of many.
    assert_eq!(found(5), 0);
}

/// Two stages of a pipeline: each device runs its own program.
#[test]
fn a_device_that_runs_another_stage_has_the_steps_of_its_host() {
    let stage = |device: u32, program: &str, from: i64, long: i64| {
        let runs = (0..4).map(|step| {
            let start = step * 100 + from;
            format!("{start}..{}us {program}\n", start + long)
        });
        let runs: String = runs.collect();
        format!("device tpu:{device} v6e\nline XLA Modules\n{runs}")
    };
    let devices_of = |second: &str, long: i64| {
        let text = [
            "host vm\n",
            &stage(0, "jit_first(5)", 0, 40),
            &stage(1, second, 50, long),
        ];
        let session = session(&text.concat());
        let of_step = |step: &stepscope_model::Step| step.spans.len();
        session.steps.iter().map(of_step).collect::<Vec<_>>()
    };
    assert_eq!(devices_of("jit_second(6)", 30), [2, 2, 2, 2]);
    // What takes a fraction of the time is no stage, unless its name says so.
    assert_eq!(devices_of("jit_second(6)", 5), [1, 1, 1, 1]);
    assert_eq!(devices_of("jit_first(6)", 5), [2, 2, 2, 2]);
}

/// Gradients of parts of a batch are added up, each part marked within its step, and then applied: the
/// outer marks are the steps. Those around training and then an evaluation are epochs.
#[test]
fn what_completes_marked_parts_beside_them_makes_the_outer_marks_the_steps() {
    let series = |last: &str, program: String| {
        let text = format!(
            "thread python
             repeat 4 every 100us
               0..95us   outer #step_num=$i,_r=1#
               1..20us   inner #step_num=1$i,_r=1#
               2..4us    launch [run_id=1$i]
               30..50us  inner #step_num=2$i,_r=1#
               31..33us  launch [run_id=2$i]
               70..72us  launch [run_id=3$i]
             end
             device tpu:0 v6e
             line XLA Modules
             repeat 4 every 100us
               5..18us   jit_act(5) [run_id=1$i]
               34..48us  jit_act(5) [run_id=2$i]
               75..90us  {last} [run_id=3$i]
             end
             {}
             {program}",
            acting(5, "jit_act", WEIGHTS)
        );
        let session = session(&text);
        let steps = session.steps.iter();
        let names = steps.map(|step| session.text(step.series.expect("a series")).to_owned());
        names.collect::<Vec<String>>()
    };
    let applied = series("jit_learn(6)", updating(6, "jit_learn", WEIGHTS, None));
    assert_eq!(applied, ["outer"; 4]);
    let evaluated = series("jit_eval(6)", acting(6, "jit_eval", WEIGHTS));
    assert_eq!(evaluated, ["inner"; 8]);
}
