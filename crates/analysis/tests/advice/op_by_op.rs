//! Frameworks that launch op by op, and parts that do not explain a long step.

use std::fmt::Write as _;

use serde_json::Value;

use super::{advice, finding, ids};

/// Steps of PyTorch in microseconds: 20 ops of 100 µs each on the host, which launch kernels of as long as given.
fn eager(steps: &[u32], kernel: u32) -> Value {
    let mut lines = [String::new(), String::new(), String::new()];
    let (mut at, mut id) = (0, 0);
    for (step, &us) in steps.iter().enumerate() {
        _ = writeln!(lines[2], "{at}..{}us train #step_num={step},_r=1#", at + us);
        for op in 0..20 {
            let from = at + us - 2050 + op * 100;
            _ = writeln!(lines[1], "{from}..{}us aten::addmm", from + 98);
            let call = format!("[correlation_id={id}]");
            _ = writeln!(
                lines[1],
                "{}..{}us cudaLaunchKernel {call}",
                from + 50,
                from + 55
            );
            let start = from + 58;
            _ = writeln!(lines[0], "{start}..{}us gemm_kernel {call}", start + kernel);
            id += 1;
        }
        at += us;
    }
    let [kernels, calls, marks] = lines;
    advice(&[format!(
        "host vm\ndevice gpu:0 nvidia H100\nstream 7 Compute\n{kernels}thread python\n{marks}{calls}"
    )])
}

#[test]
fn ops_that_are_launched_one_by_one_are_told_by_the_median_step() {
    // One step of six waits for 30 ms: that is not what the others lack.
    let report = eager(&[2100, 2100, 2100, 32_100, 2100, 2100], 10);
    let found = finding(&report, "tiny_kernels");
    assert_eq!(found["title"], "Ops are launched one by one");
    let fix = found["fix"].as_str().expect("a fix");
    assert!(fix.contains("torch.compile"), "{fix}");
    let gain = found["gain_ps_per_step"].as_f64().expect("a gain");
    assert!(gain > 1500e6 && gain < 2000e6, "{gain}");
    // Kernels that keep the device busy wait for nothing.
    let report = eager(&[2100; 6], 95);
    assert!(!ids(&report).contains(&"tiny_kernels"), "{report}");
}
