//! Moves of data that a program asks for, on XLA:CPU and elsewhere; copies that the host asks for.

use serde_json::Value;

use super::drawings::{cpu, gpu};
use super::{advice, check, finding, ids};

const OPS: &str = "1..500us copy.1\n500..800us dot.1\n800..1000us dot.2";

fn with_stack(stack: &str) -> String {
    let copy = format!("copy.1 = f32[64,64] copy(p.0) op_name=\"{stack}\"");
    cpu(OPS, "", &copy)
}

#[test]
fn what_xla_moves_by_itself_on_a_cpu_is_no_finding() {
    for stack in [
        "",
        "jit(step)/jvp(Net)/dot_general",
        "jit(step)/transpose(jvp(Net))/transpose",
        "jit(step)/jvp(Net)/while/body/dynamic_slice",
        "jit(step)/jvp(Net)/gather",
    ] {
        let report = advice(&[with_stack(stack)]);
        assert!(!ids(&report).contains(&"data_shuffle"), "{stack}: {report}");
        assert!(check(&report, "data_shuffle").contains("0.0 % of the work"));
    }
}

#[test]
fn what_the_program_moves_on_a_cpu_is_at_most_a_warning() {
    let report = advice(&[with_stack("jit(step)/jvp(Net)/transpose")]);
    assert_eq!(finding(&report, "data_shuffle")["severity"], "warning");
}

#[test]
fn elsewhere_all_moves_count() {
    let kernels = "2..500us copy.1\n500..800us dot.1\n800..1000us dot.2";
    let text = gpu(kernels, "", "bf16[4217,4217]") + "\ncopy.1 = bf16[4217,4217] copy(p.0)";
    assert_eq!(finding(&advice(&[text]), "data_shuffle")["severity"], "bad");
}

/// Three programs that copy their argument in every step, called in this function.
fn copied_in(frame: &str) -> Value {
    let calls: Vec<String> = (0..3)
        .map(|call| {
            let start = 10 + call * 100;
            format!("{start}..{}us PjitFunction(copy)", start + 90)
        })
        .collect();
    let python = format!("5..400us ${frame}\n{}", calls.join("\n"));
    let text = format!(
        "{}
        program 6 jit_copy
          a.0 = f32[64,64] parameter(0)
          ROOT copy = f32[64,64] copy(a.0)",
        cpu("500..800us dot.1\n800..1000us dot.2", &python, "")
    );
    let runs = "thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_copy program_id=6 device_ordinal=0]
        repeat 6 every 1000us
          10..90us copy
          110..190us copy
          210..290us copy
        end
        program 5";
    advice(&[text.replacen("program 5", runs, 1)])
}

/// `copy.deepcopy` of a state.
#[test]
fn copies_that_the_host_asks_for_are_named_with_their_caller() {
    let report = copied_in("copy.py:119 deepcopy");
    let found = finding(&report, "data_shuffle");
    assert_eq!(found["title"], "The program copies its own arrays");
    let what = found["what"].as_str().expect("a text");
    assert!(what.contains("3 per step"), "{what}");
    assert!(what.contains("made in deepcopy (copy.py:119)"), "{what}");
}

/// `jnp.asarray` of what NumPy made runs the same program.
#[test]
fn arrays_that_are_made_from_others_are_no_copies() {
    let report = copied_in("array_constructors.py:374 asarray");
    assert!(!ids(&report).contains(&"data_shuffle"), "{report}");
}

/// The gradient of `x[:, :-1]`.
#[test]
fn gradients_of_slices_are_no_padding() {
    let padded = |stack: &str| {
        let pad = format!("pad.1 = f32[64,64] pad(p.0) op_name=\"{stack}\"");
        let ops = "1..500us pad.1\n500..800us dot.1\n800..1000us dot.2";
        let report = advice(&[cpu(ops, "", &pad)]);
        ids(&report).contains(&"pad_ops")
    };
    assert!(!padded("jit(step)/transpose(jvp(Net))/pad"));
    assert!(padded("jit(step)/jvp(Net)/pad"));
    assert!(padded(""));
}
