//! Gains and reasons of wide types, by what the chips do with them; who copies.

use super::drawings::{GAP, KERNELS, cpu, gpu};
use super::{advice, finding};

/// Half of the work is a product that runs at the peak of its type.
fn busy_with(array: &str, precision: &str) -> serde_json::Value {
    // 67 TFLOP/s of f32 without matrix units: 2 · 4096³ in 2.05 ms; six steps of a product each.
    let (us, size) = match (array, precision) {
        ("f32", "highest") => (2100.0, 4096),
        ("f64", _) => (2200.0, 4096),
        _ => (150.0, 4096),
    };
    let array = format!("{array}[{size},{size}]");
    let algorithm = match precision {
        "" => String::new(),
        _ => format!(" operand_precision={{{precision},{precision}}}"),
    };
    let text = format!(
        "host vm
        plane /host:metadata [jax_version=\"0.10.2\" gpu_version=\"cuda 12090\"]
        device gpu:0 nvidia H100
        stream 7 Compute
        each [hlo_op=$name hlo_module=jit_step program_id=5 correlation_id=$i]
        repeat 20 every 3000us
          2..{}us dot.1
        end
        thread python
        repeat 20 every 3000us
          0..2999us train #step_num=$i,_r=1#
          0..1us cuLaunchKernel [correlation_id=$i]
        end
        program 5 jit_step
          p.0 = {array} parameter(0)
          ROOT dot.1 = {array} dot(p.0, p.0) lhs_contracting_dims={{1}} rhs_contracting_dims={{0}}{algorithm}",
        2.0 + us
    );
    advice(&[text])
}

fn why(report: &serde_json::Value, id: &str) -> String {
    finding(report, id)["why"]
        .as_str()
        .expect("a reason")
        .to_owned()
}

#[test]
fn what_is_busy_depends_on_the_peak() {
    let report = busy_with("bf16", "");
    assert_eq!(
        why(&report, "bound_by"),
        "The matrix units are busy; this is the goal."
    );
    // f32 at the highest precision has a finding of its own, and no matrix units.
    let report = busy_with("f32", "highest");
    let told = why(&report, "bound_by");
    assert!(told.contains("not the matrix units"), "{told}");
    assert!(told.contains("matrix products in f32"), "{told}");
    assert!(!told.contains("goal"), "{told}");
    let report = busy_with("f64", "");
    let told = why(&report, "bound_by");
    assert!(
        told.contains("work on f64") && !told.contains("goal"),
        "{told}"
    );
}

#[test]
fn work_on_f64_has_to_be_done_in_f32_instead() {
    let found = finding(
        &advice(&[gpu(KERNELS, "", "f64[4217,4217]")]),
        "float64_work",
    );
    // 67 of 494.5 TFLOP/s: 13.5 % of the time is left.
    let gain = found["gain_ps_per_step"].as_f64().expect("a gain");
    assert!((gain / 998e6 - 0.8645).abs() < 0.002, "{gain}");
    let why = found["why"].as_str().expect("a reason");
    assert!(why.contains("at 13.5 % of the rate"), "{why}");
    assert!(!why.contains("TPU") && !why.contains("CPU"), "{why}");
    let on_cpu = cpu(GAP, "", "").replace("f32[64,64]", "f64[64,64]");
    let told = finding(&advice(&[on_cpu]), "float64_work")["why"].to_string();
    assert!(told.contains("A CPU computes half"), "{told}");
}

/// A device of two that copies, while nothing else runs.
fn copies(second: &str) -> String {
    let lines = |until: &str| {
        format!(
            "stream 8 Memcpy\nrepeat 6 every 1000us\n 750..{until}us MemcpyD2H \
             [memcpy_details=\"size:40000 dest:0 async:1\"]\nend"
        )
    };
    let kernels = KERNELS.replace("\n750..1000us dot.4", "");
    let text = gpu(&kernels, &lines("950"), "bf16[4224,4224]");
    let (head, rest) = text.split_once("thread python").expect("a thread");
    let (_, device) = head.split_once("device gpu:0").expect("a device");
    let device = device.replace("..950us MemcpyD2H", &format!("..{second}us MemcpyD2H"));
    format!("{head}device gpu:1{device}thread python{rest}")
}

#[test]
fn all_devices_are_meant_where_all_copy_alike() {
    let what = |second: &str| {
        let found = finding(&advice(&[copies(second)]), "host_transfers");
        found["what"].as_str().expect("a text").to_owned()
    };
    let told = what("945");
    assert!(
        told.starts_with("Each device spends 200.0 µs of its mean step"),
        "{told}"
    );
    assert!(told.contains("while nothing else runs"), "{told}");
    let told = what("800");
    assert!(told.starts_with("GPU:0 spends 200.0 µs"), "{told}");
}

#[test]
fn one_copy_is_one_copy() {
    let text = copies("945").replace("repeat 6 every 1000us\n 750", "repeat 1 every 1000us\n 750");
    let seen = finding(&advice(&[text]), "host_transfers")["evidence"].to_string();
    assert!(!seen.contains("1 copies"), "{seen}");
}
