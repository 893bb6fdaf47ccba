//! What a check needs to pass: HLO of most of the work, and the chips and framework that it is about.

use serde_json::Value;

use super::advice;
use super::drawings::{BUSY, cpu, gpu};

/// Why a check could not run.
fn why_not<'a>(report: &'a Value, id: &str) -> Option<&'a str> {
    let skipped = report["skipped"].as_array().into_iter().flatten();
    let mut own = skipped.filter(|check| check["id"] == id);
    own.next().and_then(|check| check["text"].as_str())
}

/// The first kernel runs for so many of a thousand microseconds and has no op.
fn without_hlo(us: u32) -> Value {
    let first = format!("2..{us}us kernel_of_a_library [hlo_op= hlo_module= program_id=0]");
    let more = format!("{first}\n{us}..1000us dot.2");
    let text = gpu(&more, "", "bf16[4224,4224]");
    advice(&[text])
}

#[test]
fn nothing_is_known_of_work_without_hlo() {
    let report = without_hlo(400);
    for id in ["data_shuffle", "pad_ops", "small_loop", "unfused_ops"] {
        let why = why_not(&report, id).unwrap_or_else(|| panic!("{id} passed: {report}"));
        assert!(why.contains("has no HLO for 39"), "{id}: {why}");
    }
    let report = without_hlo(100);
    assert_eq!(why_not(&report, "data_shuffle"), None);
}

#[test]
fn a_finding_stays_one_without_the_rest_of_the_hlo() {
    let kernels = "2..400us kernel_of_a_library [hlo_op= hlo_module= program_id=0]\n400..900us transpose.1\n\
                   900..1000us dot.2";
    let transpose = "transpose.1 = bf16[4217,4217] transpose(p.0)";
    let report = advice(&[gpu(kernels, "", "bf16[4217,4217]") + "\n" + transpose]);
    super::finding(&report, "data_shuffle");
}

#[test]
fn checks_of_another_chip_or_framework_do_not_pass() {
    let report = advice(&[cpu(BUSY, "", "")]);
    for id in ["barrier_cores", "sparse_core", "kernel_input_wait"] {
        let why = why_not(&report, id).expect("not checked");
        assert!(why.contains("Only TPUs"), "{id}: {why}");
    }
    for id in ["register_spills", "tiny_kernels"] {
        assert_eq!(why_not(&report, id), Some("Only GPUs run kernels."), "{id}");
    }
    assert_eq!(why_not(&report, "debug_print"), None);
    // A program of TensorFlow has no callbacks of JAX.
    let text = gpu("2..1000us Cast", "", "f32[4]").replace("jit_step", "cluster_0");
    let report = advice(&[text]);
    for id in ["debug_print", "python_callback", "interpreted_kernels"] {
        let why = why_not(&report, id).expect("not checked");
        assert!(why.contains("How TensorFlow records"), "{id}: {why}");
    }
}

/// Without a compilation and a compiled program, nothing is known about either.
#[test]
fn compilation_is_unknown_without_a_compiler() {
    let report = without_programs();
    for id in ["compilation", "compilation_time", "recompilation"] {
        let why = why_not(&report, id).unwrap_or_else(|| panic!("{id} passed: {report}"));
        assert!(why.contains("whether this program compiles"), "{id}: {why}");
    }
}

fn without_programs() -> Value {
    let text = gpu("2..1000us kernel", "", "f32[4]");
    let text = text.replace(" hlo_module=jit_step program_id=5", "");
    let (text, _) = text.split_once("program 5").expect("a program");
    advice(&[text.replace("hlo_op=$name ", "")])
}

/// Current versions of JAX do not name kernels that are interpreted; their loops write parts of arrays.
#[test]
fn an_interpreted_kernel_may_have_no_name() {
    let of = |scope: &str| {
        let op = format!("fusion.1 = f32[64,64] fusion(p.0) op_name=\"jit(step)/{scope}\"");
        advice(&[cpu("1..500us fusion.1\n500..1000us dot.1", "", &op)])
    };
    let report = of("while/body/dynamic_update_slice");
    let why = why_not(&report, "interpreted_kernels").expect("not checked");
    assert!(why.contains("do not name"), "{why}");
    let report = of("while/body/mul");
    assert_eq!(why_not(&report, "interpreted_kernels"), None);
}
