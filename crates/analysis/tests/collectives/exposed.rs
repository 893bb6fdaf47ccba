//! What is exposed, what hides behind other work, and how occurrences are matched.

use serde_json::{Value, json};

use super::{close, micros, rows};
use crate::support::{ask, drawn};

/// Two GPUs; the second one computes longer, so the first waits for it.
const NVIDIA: &str = "
    host vm
    device gpu:0 nvidia H100
    stream 7 Compute
      10..50us gemm [hlo_op=dot.1 program_id=5 hlo_module=jit_step]
    stream 20 Compute
      40..70us ncclDevKernel_AllReduce_Sum_f32_RING_LL [hlo_op=all-reduce-start.2 program_id=5 hlo_module=jit_step]
    device gpu:1 nvidia H100
    stream 7 Compute
      10..60us gemm [hlo_op=dot.1 program_id=5 hlo_module=jit_step]
    stream 20 Compute
      50..72us ncclDevKernel_AllReduce_Sum_f32_RING_LL [hlo_op=all-reduce-start.2 program_id=5 hlo_module=jit_step]
    thread python
      0..100us train #step_num=0,_r=1#
    program 5 jit_step
      p.0 = f32[256] parameter(0)
      dot.1 = f32[256] dot(p.0, p.0)
      all-reduce-start.2 = f32[256] all-reduce-start(dot.1) replica_groups={{0,1}} op_name=\"jit(step)/psum\" source=\"train.py:9\"
      ROOT all-reduce-done.2 = f32[256] all-reduce-done(all-reduce-start.2)
";

#[test]
fn devices_that_work_beside_the_steps_are_counted_apart() {
    let device = |number: u32, from: u32, to: u32| {
        format!(
            "
    device gpu:{number} nvidia H100
    stream 7 Compute
      {from}..{to}us gemm"
        )
    };
    let drawing = |third: &str| {
        format!(
            "
    host vm{}{}{third}
    thread python
      0..100us train #step_num=0,_r=1#
      100..200us train #step_num=1,_r=1#
",
            device(0, 10, 150),
            device(1, 10, 160)
        )
    };
    let note = |text: &str| {
        let report = ask(&drawn(&[text]), "collectives", &[]);
        report["notes"][0]["text"].as_str().map(str::to_owned)
    };
    let beside = note(&drawing(&device(2, 900, 910)));
    assert_eq!(
        beside.as_deref(),
        Some(
            "3 devices worked, 2 of them in the steps, but none of their ops or kernels communicate."
        )
    );
    let within = note(&drawing(&device(2, 30, 31)));
    assert_eq!(
        within.as_deref(),
        Some("3 devices worked, but none of their ops or kernels communicate.")
    );
}

#[test]
fn kernels_on_a_stream_of_their_own_hide_behind_compute() {
    let session = drawn(&[NVIDIA]);
    let report = ask(&session, "collectives", &[]);
    let row = &rows(&report, "rows")[0];
    assert_eq!(row["name"], json!("all-reduce-start.2"));
    assert_eq!(
        (&row["kind"], &row["is_async"]),
        (&json!("all-reduce"), &json!(true))
    );
    assert_eq!(row["algorithm"], json!("ring LL"));
    assert_eq!(
        (&row["scope"], &row["source"]),
        (&json!("jit(step)/psum"), &json!("train.py:9"))
    );
    assert_eq!(
        (&row["occurrences"], &row["matched"]),
        (&json!(2), &json!(2))
    );
    assert_eq!(
        (&row["bytes"], &row["group_size"]),
        (&json!(1024), &json!(2))
    );
    // 40..70 and 50..72; compute ends at 50 and at 60.
    assert_eq!(micros(row, "total_ps"), 30.0 + 22.0);
    assert_eq!(micros(row, "hidden_ps"), 10.0 + 10.0);
    assert_eq!(micros(row, "exposed_ps"), 20.0 + 12.0);
    // The last one arrives at 50.
    assert_eq!(micros(row, "wait_ps"), 10.0);
    assert_eq!(micros(row, "transfer_ps"), 20.0 + 22.0);
    // Exposed: 10 waiting, 10 + 12 with too little computation beside them.
    assert_eq!(row["reason"], json!("compute_shorter"));
    assert!(close(&row["algorithm_bandwidth"], 1024.0 / 26e-6), "{row}");
    assert!(
        close(&row["bus_bandwidth"], 1024.0 / 26e-6),
        "factor 2 (n − 1) ÷ n is 1 for 2"
    );
    assert!(close(&row["transfer_bandwidth"], 1024.0 / 21e-6), "{row}");
    assert_eq!(row["link_ratio"], Value::Null);
    let steps = rows(&report, "steps");
    assert_eq!(micros(&steps[0], "exposed_ps"), 16.0);
    assert_eq!(micros(&steps[0], "max_exposed_ps"), 20.0);
    assert!(close(&steps[0]["exposed_ratio"], 0.16));
    let instance = &rows(&report, "instances")[0];
    assert_eq!(instance["last_device"], json!("GPU:1"));
    assert_eq!(
        (micros(instance, "skew_ps"), micros(instance, "wait_ps")),
        (10.0, 10.0)
    );
    assert_eq!(
        (micros(instance, "transfer_ps"), instance["step"].clone()),
        (22.0, json!(0))
    );
}

#[test]
fn the_part_of_a_step_is_the_exposed_time() {
    let session = drawn(&[NVIDIA]);
    let steps = rows(&ask(&session, "steps", &[]), "rows");
    let parts: Vec<f64> = steps
        .iter()
        .map(|row| micros(row, "collectives_ps"))
        .collect();
    assert_eq!(parts, [20.0, 12.0]);
}

/// A start, work behind it, and a done that comes after a gap.
const TPU: &str = "
    host vm
    device tpu:0 v6e
    line Steps
      0..60us 0
    line XLA Ops
      0..2us   all-reduce-start.1 {program_id=5 symbol_id=1 hlo_category=all-reduce-start}
      2..30us  fusion.2 {program_id=5 symbol_id=2 hlo_category=\"loop fusion\"}
      40..50us all-reduce-done.1 {program_id=5 symbol_id=3 hlo_category=all-reduce-done}
    line Async XLA Ops
      0..50us  all-reduce-start.1 {program_id=5 symbol_id=1 hlo_category=all-reduce-start}
    program 5 jit_step
      p.0 = f32[1000000] parameter(0)
      all-reduce-start.1 = f32[1000000] all-reduce-start(p.0) replica_groups={{0,1,2,3}}
      fusion.2 = f32[1000000] add(p.0, p.0)
      ROOT all-reduce-done.1 = f32[1000000] all-reduce-done(all-reduce-start.1)
";

#[test]
fn an_asynchronous_collective_lasts_from_start_to_done() {
    let session = drawn(&[TPU]);
    let report = ask(&session, "collectives", &[]);
    let all = rows(&report, "rows");
    assert_eq!(all.len(), 1, "the halves and the span are one");
    let row = &all[0];
    assert_eq!(
        (&row["occurrences"], &row["matched"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(micros(row, "total_ps"), 50.0);
    assert_eq!(micros(row, "own_ps"), 12.0);
    assert_eq!(micros(row, "hidden_ps"), 28.0);
    assert_eq!(micros(row, "exposed_ps"), 22.0, "0..2 and 30..50");
    assert_eq!(row["reason"], json!("compute_shorter"));
    // 4 MB in 50 us, times 2 · 3 ÷ 4, of 90 GB/s.
    assert!(close(&row["bus_bandwidth"], 4e6 / 50e-6 * 1.5), "{row}");
    assert!(close(&row["link_ratio"], 4e6 / 50e-6 * 1.5 / 90e9), "{row}");
    assert!(close(&report["link_bandwidth"], 90e9));
    let step = &rows(&ask(&session, "steps", &[]), "rows")[0];
    assert_eq!(micros(step, "collectives_ps"), 22.0, "the same definition");
    assert_eq!(micros(step, "device_compute_ps"), 28.0);
    assert_eq!(
        micros(step, "busy_ps"),
        40.0,
        "what is only under way is no work"
    );
    assert_eq!(micros(step, "idle_ps"), 10.0);
}

#[test]
fn starts_and_dones_pair_in_their_order() {
    let session = drawn(&["
        host vm
        device tpu:0 v6e
        line XLA Ops
          0..1us   collective-permute-start.1 {program_id=5 symbol_id=1 hlo_category=collective-permute-start}
          10..11us collective-permute-start.1
          20..25us collective-permute-done.1 {program_id=5 symbol_id=3 hlo_category=collective-permute-done}
          30..35us collective-permute-done.1
          40..41us collective-permute-start.1
    "]);
    let row = &rows(&ask(&session, "collectives", &[]), "rows")[0];
    assert_eq!(row["name"], json!("collective-permute-start.1"));
    assert_eq!(
        (&row["kind"], &row["occurrences"]),
        (&json!("permute"), &json!(3))
    );
    // 0..25, 10..35, and a start whose done was not recorded.
    assert_eq!(micros(row, "total_ps"), 25.0 + 25.0 + 1.0);
    assert_eq!(
        row["bytes"],
        Value::Null,
        "the program is not in the profile"
    );
    let device = &rows(&ask(&session, "collectives", &[]), "devices")[0];
    assert_eq!(
        micros(device, "total_ps"),
        1.0 + 1.0 + 5.0 + 5.0 + 1.0,
        "without a recorded span only the ops are communication of the device"
    );
}

#[test]
fn a_synchronous_collective_of_a_cpu_is_exposed_unless_others_compute() {
    let session = drawn(&["
        host vm
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
          0..10us  fusion.1
          10..30us all-reduce.2
        thread tf_XLAEigen/43
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=1]
          0..20us  fusion.1
          20..30us all-reduce.2
        thread tf_XLAEigen/44
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=1]
          22..25us fusion.3
        program 5 jit_step
          p.0 = f32[512] parameter(0)
          fusion.1 = f32[512] add(p.0, p.0)
          fusion.3 = f32[512] add(p.0, p.0)
          ROOT all-reduce.2 = f32[512] all-reduce(fusion.1) replica_groups={{0,1}}
    "]);
    let report = ask(&session, "collectives", &[]);
    let row = &rows(&report, "rows")[0];
    assert_eq!(micros(row, "total_ps"), 20.0 + 10.0);
    assert_eq!(micros(row, "hidden_ps"), 3.0);
    assert_eq!(micros(row, "wait_ps"), 10.0);
    // 10 waiting; 10 and 7 because the op is synchronous.
    assert_eq!(row["reason"], json!("synchronous"));
    let devices = rows(&report, "devices");
    let exposed: Vec<f64> = devices
        .iter()
        .map(|row| micros(row, "exposed_ps"))
        .collect();
    assert_eq!(exposed, [20.0, 7.0]);
    let waits: Vec<f64> = devices.iter().map(|row| micros(row, "wait_ps")).collect();
    assert_eq!(waits, [10.0, 0.0]);
}

#[test]
fn kernels_that_name_no_op_are_rows_too() {
    let session = drawn(&["
        host vm
        device gpu:0 amd MI300X
        stream 1 Compute
          0..10us  gemm.kd
          10..15us ncclDevKernel_Generic_1
        stream 2 Compute
          20..60us ncclDevKernel_AllGather_RING_SIMPLE
    "]);
    let all = rows(&ask(&session, "collectives", &[]), "rows");
    let names: Vec<_> = all.iter().map(|row| row["name"].clone()).collect();
    assert_eq!(
        names,
        [
            "ncclDevKernel_AllGather_RING_SIMPLE",
            "ncclDevKernel_Generic_1"
        ]
    );
    assert_eq!(
        (&all[0]["kind"], &all[1]["kind"]),
        (&json!("all-gather"), &json!(""))
    );
    assert_eq!(all[0]["reason"], json!("nothing_scheduled"));
    assert_eq!(
        all[1]["reason"],
        json!("synchronous"),
        "it shares the stream of compute"
    );
    assert_eq!(all[0]["bus_bandwidth"], Value::Null);
}

#[test]
fn occurrences_are_matched_although_a_capture_began_later_on_one_device() {
    // Device 1 missed the first two of six.
    let session = drawn(&["
        host vm
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 6 every 100us
          10..30us all-reduce.2
        end
        thread tf_XLAEigen/43
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=1]
          225..230us all-reduce.2
          325..330us all-reduce.2
          425..430us all-reduce.2
          525..530us all-reduce.2
        program 5 jit_step
          p.0 = f32[512] parameter(0)
          ROOT all-reduce.2 = f32[512] all-reduce(p.0) replica_groups={{0,1}}
    "]);
    let report = ask(&session, "collectives", &[]);
    assert_eq!(report["instance_count"], json!(4));
    let row = &rows(&report, "rows")[0];
    assert_eq!(
        (&row["occurrences"], &row["matched"]),
        (&json!(10), &json!(8))
    );
    assert_eq!(micros(row, "wait_ps"), 4.0 * 15.0);
}
