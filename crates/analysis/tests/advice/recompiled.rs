//! What is said to have changed where a function is compiled again for the same shapes.

use serde_json::Value;

use super::finding;
use crate::support::{ask, drawn};

/// A function that is compiled in each of three calls, each time to another program.
fn compiled(program: impl Fn(u32) -> String) -> Value {
    compiled_times(3, "", program)
}

/// The same for any number of calls, with other frames on the thread.
fn compiled_times(count: u32, frames: &str, program: impl Fn(u32) -> String) -> Value {
    let calls: Vec<String> = (0..count)
        .map(|number| {
            let start = number * 1000;
            format!(
                "{}..{}us PjitFunction(step)\n{}..{}us backend_compile\n",
                start + 100,
                start + 520,
                start + 101,
                start + 500,
            )
        })
        .collect();
    let ops: Vec<String> = (0..count)
        .map(|number| {
            let (start, id) = (number * 1000, 20 + number);
            format!(
                "{}..{}us a.9 [hlo_module=jit_step program_id={id} run_id={id}]\n",
                start + 600,
                start + 900,
            )
        })
        .collect();
    let programs: Vec<String> = (0..count)
        .map(|number| format!("program {} jit_step\n{}\n", 20 + number, program(number)))
        .collect();
    let drawing = format!(
        "host vm\nthread python\n{}{frames}thread tf_XLAEigen/42\n\
         each [hlo_op=$name device_ordinal=0]\n{}{}",
        calls.concat(),
        ops.concat(),
        programs.concat()
    );
    ask(&drawn(&[&drawing]), "advice", &[])
}

fn told(report: &Value) -> (String, String) {
    let found = finding(report, "recompilation");
    let text = |key: &str| found[key].as_str().unwrap_or_default().to_owned();
    (text("what"), text("fix"))
}

/// A number that is multiplied by, and what is done with the product.
fn program(value: u32, opcode: &str) -> String {
    format!(
        "a.0 = f32[256,512] parameter(0)
        a.1 = f32[] constant({value}) source=/home/me/train.py:12
        a.2 = f32[256,512] broadcast(a.1)
        a.3 = f32[256,512] multiply(a.0, a.2)
        ROOT a.9 = f32[256,512] {opcode}(a.3) source=/home/me/train.py:14"
    )
}

#[test]
fn a_number_in_the_program_is_named() {
    let report = compiled(|number| program(number + 3, "negate"));
    let (what, fix) = told(&report);
    assert!(
        what.contains("other values in the program: 3 → 4 (train.py:12);"),
        "{what}"
    );
    assert!(
        fix.contains("as an array, instead of as a static argument"),
        "{fix}"
    );
}

#[test]
fn a_function_made_anew_has_the_same_program() {
    let report = compiled(|_| program(3, "negate"));
    let (what, fix) = told(&report);
    assert!(what.contains("same shapes and the same program:"), "{what}");
    assert!(fix.contains("once, outside the loop"), "{fix}");
}

#[test]
fn other_ops_are_counted_and_the_first_is_named() {
    let report = compiled(|number| program(3, ["negate", "abs", "tanh"][number as usize]));
    let (what, _) = told(&report);
    assert!(
        what.contains("another program (1 other instruction, first at train.py:14):"),
        "{what}"
    );
}

#[test]
fn padding_is_not_advised_where_no_shape_changes() {
    let report = compiled(|number| program(number, "tanh"));
    let told = |id: &str| {
        finding(&report, id)["fix"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let fix = told("compilation");
    assert!(fix.contains("nor does padding"), "{fix}");
    assert!(told("recompilation").contains("Padding does not help"));
}

#[test]
fn a_cleared_cache_is_why() {
    let clears = "910..950us $api.py:2909 clear_caches\n1910..1950us $api.py:2909 clear_caches\n";
    let report = compiled_times(3, clears, |_| program(3, "negate"));
    let (what, fix) = told(&report);
    assert!(what.contains("had cleared JAX's caches"), "{what}");
    assert!(fix.contains("Do not call it in the loop"), "{fix}");
    assert!(!what.contains("re-created function"), "{what}");
}

/// The cache of a decoding loop, to which each call appends.
#[test]
fn an_array_that_grows_is_allocated_once() {
    let program = |length: u32| {
        format!(
            "a.0 = f32[8,{length},64] parameter(0) op_name=\"cache\"
            ROOT a.9 = f32[8,{length},64] negate(a.0) source=/home/me/train.py:14"
        )
    };
    let (_, fix) = told(&compiled_times(5, "", |number| program(7 + number)));
    assert!(fix.contains("dynamic_update_slice"), "{fix}");
    // Lengths that come and go are those of batches.
    let lengths = [7, 12, 9, 8, 14];
    let (_, fix) = told(&compiled_times(5, "", |number| {
        program(lengths[number as usize])
    }));
    assert!(fix.starts_with("Pad batches to one shape"), "{fix}");
}

/// A function that is called with several shapes, all of them in its first step.
#[test]
fn several_shapes_in_the_first_step_are_warm_up() {
    let shape = |number: u32| {
        format!(
            "a.0 = f32[8,{length},64] parameter(0) op_name=\"x\"
            ROOT a.9 = f32[8,{length},64] negate(a.0) source=/home/me/train.py:14",
            length = 7 + 9 * number * number
        )
    };
    let steps = |last: u32| {
        let ends = (0..6).map(|number: u32| {
            let start = if number == 0 { 0 } else { last + number * 1000 };
            format!(
                "{start}..{}us train #step_num={number},_r=1#\n",
                last + (number + 1) * 1000 - 1
            )
        });
        ends.collect::<String>()
    };
    // Three calls take three milliseconds.
    let report = compiled_times(3, &steps(3000), shape);
    let ids: Vec<&Value> = report["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .map(|one| &one["id"])
        .collect();
    assert!(!ids.iter().any(|id| **id == "recompilation"), "{ids:?}");
    let report = compiled_times(3, &steps(0), shape);
    assert!(told(&report).1.contains("Pad batches"), "{report}");
}

/// The host launches five runs and compiles for the sixth while the second one runs; steps are the runs.
#[test]
fn the_step_that_waits_for_a_compilation_is_not_the_one_that_ran_when_it_began() {
    let call = |from: u32, to: u32| format!("{from}..{to}us PjitFunction(step)\n");
    let mut calls = call(0, 520) + "1..500us backend_compile\n";
    calls += &(1..5)
        .map(|at| call(600 + 10 * at, 605 + 10 * at))
        .collect::<String>();
    calls += &(call(1700, 9000) + "1701..8900us backend_compile\n");
    calls += &(1..5)
        .map(|at| call(9000 + 10 * at, 9005 + 10 * at))
        .collect::<String>();
    let run = |(at, program): (u32, u32)| {
        let start = if at < 5 {
            600 + 1000 * at
        } else {
            4000 + 1000 * at
        };
        let id = format!(
            "[hlo_module=jit_step program_id={program} run_id={}]",
            at + 1
        );
        format!("{start}..{}us a.9 {id}\n", start + 990)
    };
    let runs: String = (0..10)
        .map(|at| run((at, if at == 5 { 21 } else { 20 })))
        .collect();
    let program = program(3, "negate");
    let drawing = format!(
        "host vm\nthread python\n{calls}thread tf_XLAEigen/42\neach [hlo_op=$name device_ordinal=0]\n{runs}\
         program 20 jit_step\n{program}\nprogram 21 jit_step\n{program}"
    );
    let found = finding(&ask(&drawn(&[&drawing]), "advice", &[]), "recompilation");
    let seen = &found["evidence"][0];
    let text = seen["text"].as_str().expect("a text");
    assert!(
        text.contains("while step 1 ran; step 5 waited for it"),
        "{text}"
    );
    assert_eq!(seen["step"], 5);
}
