//! Devices of one host whose recording begins in different runs.

use crate::support::{assert_text, session, steps};

/// The host read a result of CPU:0 and began to record; CPU:1 was still in that run.
#[test]
fn runs_of_one_id_are_in_one_step() {
    let op = |device: u32, run: u32, at: &str| {
        format!(
            "{at} dot.1 [hlo_op=dot.1 hlo_module=jit_step program_id=5 device_ordinal={device} run_id={run}]\n"
        )
    };
    let first: String = ["10..50us", "60..100us", "110..150us", "160..200us"]
        .iter()
        .zip(8..)
        .map(|(at, run)| op(0, run, at))
        .collect();
    let second: String = [
        "0..5us",
        "12..52us",
        "62..102us",
        "112..152us",
        "162..202us",
    ]
    .iter()
    .zip(7..)
    .map(|(at, run)| op(1, run, at))
    .collect();
    let session = session(&format!(
        "thread tf_XLAEigen/1\n{first}thread tf_XLAEigen/2\n{second}"
    ));
    assert_text(
        &steps(&session),
        "0 cut: CPU:1 0us..12us work 0us..5us
         1: CPU:0 10us..60us work 10us..50us, CPU:1 12us..62us work 12us..52us
         2: CPU:0 60us..110us work 60us..100us, CPU:1 62us..112us work 62us..102us
         3: CPU:0 110us..160us work 110us..150us, CPU:1 112us..162us work 112us..152us
         4 cut: CPU:0 160us..200us work 160us..200us, CPU:1 162us..202us work 162us..202us",
    );
}

/// Kernels have no run IDs: those of one call were launched one right after the other.
#[test]
fn runs_of_one_call_are_in_one_step() {
    let kernel = "hlo_op=dot.1 hlo_module=jit_step program_id=5";
    let session = session(&format!(
        "device gpu:0 nvidia H100
         stream 7 Compute
         repeat 5 every 50us
           10us..50us dot_1 [{kernel} correlation_id=1$i]
         end
         device gpu:1 nvidia H100
         stream 7 Compute
           0..5us dot_1 [{kernel}]
         repeat 5 every 50us
           12us..52us dot_1 [{kernel} correlation_id=2$i]
         end
         thread python
         repeat 5 every 50us
           1us..8us PjitFunction(step)
           2us..3us cuLaunchKernel [correlation_id=1$i]
           4us..5us cuLaunchKernel [correlation_id=2$i]
         end"
    ));
    let text = steps(&session);
    let second = text.lines().nth(1).expect("steps");
    assert_eq!(
        second, "1: GPU:0 10us..60us work 10us..50us, GPU:1 12us..62us work 12us..52us",
        "{text}"
    );
}
