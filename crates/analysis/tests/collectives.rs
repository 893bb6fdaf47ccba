//! Communication: every figure worked out by hand on drawings, exposed time re-derived by brute force
//! on every capture, and what real captures must say.

use std::fmt::Write as _;

use serde_json::{Value, json};
use stepscope_model::{Device, DeviceKind};
use stepscope_testing::corpus;
use stepscope_testing::oracle::{self, Event};
use stepscope_testing::space::XSpace;

use crate::support::{all_captures, ask, drawn, open};

fn rows(report: &Value, key: &str) -> Vec<Value> {
    report[key].as_array().cloned().unwrap_or_default()
}

fn micros(row: &Value, key: &str) -> f64 {
    let value = row[key].as_f64();
    value.unwrap_or_else(|| panic!("no {key} in {row}")) / 1e6
}

fn close(value: &Value, expected: f64) -> bool {
    let found = value.as_f64().unwrap_or(f64::NAN);
    (found - expected).abs() <= 1e-9 * expected.abs()
}

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

/// Who takes part, as a TPU records it: one group of two slices.
const TWO_SLICES: &str = "dcn_collective_info=hex:080212080a0208000a020801";

#[test]
fn exchanges_between_slices_have_names_and_bytes_on_the_network() {
    let text = format!(
        "
        host vm
        device tpu:0 v6e
        line XLA Ops
        repeat 2 every 100us
          0..2us   send.1 {{program_id=5 symbol_id=1 hlo_category=\"host send\" {TWO_SLICES}}}
          2..3us   recv.2 {{program_id=5 symbol_id=2 hlo_category=\"host recv\"}}
          3..40us  fusion.3 {{program_id=5 symbol_id=3 hlo_category=\"loop fusion\"}}
          40..41us send-done.1 {{program_id=5 symbol_id=4 hlo_category=\"host send-done\"}}
          50..60us recv-done.2 {{program_id=5 symbol_id=5 hlo_category=\"host recv-done\"}}
        end
        program 5 jit_step
          p.0 = f32[1000] parameter(0)
          token.1 = token[] after-all()
          send.1 = (f32[1000], u32[], token[]) send(p.0, token.1) channel_id=7 is_host_transfer=true frontend_attributes={{_xla_host_transfer_rendezvous=\"grads.0\", _xla_megascale_transfer_type=\"ALL_REDUCE\"}}
          recv.2 = (f32[1000], u32[], token[]) recv(token.1) channel_id=8 is_host_transfer=true frontend_attributes={{_xla_host_transfer_rendezvous=\"grads.0\", _xla_megascale_transfer_type=\"ALL_REDUCE\"}}
          fusion.3 = f32[1000] add(p.0, p.0)
          send-done.1 = token[] send-done(send.1) channel_id=7 is_host_transfer=true
          ROOT recv-done.2 = (f32[1000], token[]) recv-done(recv.2) channel_id=8 is_host_transfer=true
        "
    );
    let session = drawn(&[&text]);
    let found = rows(&ask(&session, "collectives", &[]), "rendezvous");
    assert_eq!(found.len(), 1, "both channels are one rendezvous");
    let row = &found[0];
    let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
    assert_eq!(
        (text("rendezvous"), text("transfer_type")),
        ("grads.0".into(), "ALL_REDUCE".into())
    );
    assert_eq!(
        (text("send_op"), text("recv_op")),
        ("send.1".into(), "recv.2".into())
    );
    assert_eq!(
        (&row["occurrences"], &row["participants"]),
        (&json!(2), &json!(2))
    );
    // 2 (2 − 1) ÷ 2 of what is received.
    assert_eq!(row["bytes"], json!(4000));
    assert_eq!(micros(row, "stall_ps"), 2.0 + 1.0 + 1.0 + 10.0);
    assert_eq!(micros(row, "total_stall_ps"), 28.0);
    assert_eq!(micros(row, "observed_ps"), 60.0);
    // From 0 to 50, of which send, recv and send-done took 4.
    assert_eq!(micros(row, "slack_ps"), 46.0);
    assert!(close(&row["required_bandwidth"], 4000.0 / 46e-6), "{row}");
}

#[test]
fn messages_between_slices_are_counted_by_their_sender() {
    let session = drawn(&["
        host vm
        thread megascale
          0..1us   MegaScale:recv #dcn_label=grads.0,dcn_source_slice_id=1,dcn_destination_slice_id=0,duration_us=250,payload_size_bytes=4096#
          2..3us   MegaScale:recv #dcn_label=grads.0,dcn_source_slice_id=1,dcn_destination_slice_id=0,duration_us=450,payload_size_bytes=4096#
          4..5us   MegaScale:recv #dcn_label=grads.0,dcn_source_slice_id=2,dcn_destination_slice_id=0,duration_us=90,payload_size_bytes=4096#
          6..7us   MegaScale:enqueue
        device tpu:0 v6e
        line XLA Ops
          0..2us   fusion.1 {program_id=5 hlo_category=\"loop fusion\"}
    "]);
    let found = rows(&ask(&session, "collectives", &[]), "peers");
    let facts: Vec<_> = found
        .iter()
        .map(|row| {
            let number = |key: &str| row[key].as_i64().expect(key);
            let times = (number("p50_ps") / 1_000_000, number("p99_ps") / 1_000_000);
            (
                number("source_slice"),
                number("message_count"),
                number("bytes"),
                times,
            )
        })
        .collect();
    assert_eq!(facts, [(1, 2, 8192, (250, 450)), (2, 1, 4096, (90, 90))]);
    assert_eq!(found[0]["start_ps"], json!(2_000_000));
    assert_eq!(
        found[0]["recv_done_p99_ps"],
        Value::Null,
        "no op of that name"
    );
}

#[test]
fn bytes_on_the_network_follow_the_kind_of_exchange() {
    let bytes = |kind: &str, info: &str| {
        let text = format!(
            "
            host vm
            device tpu:0 v6e
            line XLA Ops
              0..2us   recv.2 {{program_id=5 symbol_id=2 hlo_category=\"host recv\" {info}}}
              50..60us recv-done.2 {{program_id=5 symbol_id=5 hlo_category=\"host recv-done\"}}
            program 5 jit_step
              token.1 = token[] after-all()
              recv.2 = (f32[1000], u32[], token[]) recv(token.1) channel_id=8 is_host_transfer=true frontend_attributes={{_xla_megascale_transfer_type=\"{kind}\"}}
              ROOT recv-done.2 = (f32[1000], token[]) recv-done(recv.2) channel_id=8 is_host_transfer=true
            "
        );
        let report = ask(&drawn(&[&text]), "collectives", &[]);
        let row = &rows(&report, "rendezvous")[0];
        assert_eq!(row["rendezvous"], json!("channel 8"));
        row["bytes"].clone()
    };
    // Four endpoints in one group.
    let four = "dcn_collective_info=hex:12100a0208000a0208010a0208020a020803";
    assert_eq!(bytes("ALL_REDUCE", four), json!(6000), "2 · 3 ÷ 4");
    assert_eq!(bytes("ALL_GATHER", four), json!(3000));
    assert_eq!(bytes("ALL_TO_ALL", four), json!(3000));
    assert_eq!(bytes("REDUCE_SCATTER", four), json!(12_000));
    // A source and a destination.
    let pair = "dcn_collective_info=hex:1a080a02080012020801";
    assert_eq!(bytes("ONE_TO_ONE", pair), json!(4000));
    assert_eq!(bytes("ALL_REDUCE", ""), Value::Null, "nobody says how many");
}

#[test]
fn permutes_and_sends_carry_one_operand_to_one_other() {
    let session = drawn(&["
        host vm
        device tpu:0 v6e
        line XLA Ops
          0..1us   collective-permute-start.1 {program_id=5 symbol_id=1 hlo_category=collective-permute-start}
          1..31us  fusion.2 {program_id=5 symbol_id=2 hlo_category=\"loop fusion\"}
          31..41us collective-permute-done.1 {program_id=5 symbol_id=3 hlo_category=collective-permute-done}
          50..51us send.3 {program_id=5 symbol_id=4 hlo_category=send}
          51..52us recv.4 {program_id=5 symbol_id=5 hlo_category=recv}
          60..62us send-done.3 {program_id=5 symbol_id=6 hlo_category=send-done}
          62..66us recv-done.4 {program_id=5 symbol_id=7 hlo_category=recv-done}
        program 5 jit_step
          p.0 = f32[1000000] parameter(0)
          token.1 = token[] after-all()
          collective-permute-start.1 = (f32[1000000], f32[1000000]) collective-permute-start(p.0) source_target_pairs={{0,1},{1,2},{2,3},{3,0}}
          fusion.2 = f32[1000000] add(p.0, p.0)
          collective-permute-done.1 = f32[1000000] collective-permute-done(collective-permute-start.1)
          send.3 = (f32[1000000], u32[], token[]) send(p.0, token.1) channel_id=3
          recv.4 = (f32[500000], u32[], token[]) recv(token.1) channel_id=4
          send-done.3 = token[] send-done(send.3) channel_id=3
          ROOT recv-done.4 = (f32[500000], token[]) recv-done(recv.4) channel_id=4
    "]);
    let report = ask(&session, "collectives", &[("sort", "name")]);
    let all = rows(&report, "rows");
    let kinds: Vec<_> = all.iter().map(|row| row["kind"].clone()).collect();
    assert_eq!(kinds, ["permute", "recv", "send"]);
    let [permute, receive, send] = &all[..] else {
        panic!("three rows: {all:?}")
    };
    // 0..41, of which 30 behind computation; 4 MB, over one link of 90 GB/s.
    assert_eq!(micros(permute, "total_ps"), 41.0);
    assert_eq!(micros(permute, "exposed_ps"), 11.0);
    assert_eq!(
        (&permute["bytes"], &permute["group_size"]),
        (&json!(4_000_000), &json!(4))
    );
    assert!(close(&permute["bus_bandwidth"], 4e6 / 41e-6), "{permute}");
    assert!(close(&permute["link_ratio"], 4e6 / 41e-6 / 90e9));
    assert_eq!(
        (micros(send, "total_ps"), micros(send, "own_ps")),
        (12.0, 3.0),
        "50..62"
    );
    assert_eq!(send["bytes"], json!(4_000_000));
    assert_eq!(
        (micros(receive, "total_ps"), micros(receive, "own_ps")),
        (15.0, 5.0),
        "51..66"
    );
    assert_eq!(receive["bytes"], json!(2_000_000));
    assert!(rows(&report, "rendezvous").is_empty(), "no host is between");
}

#[test]
fn names_of_kernels_say_algorithm_and_protocol() {
    let session = drawn(&["
        host vm
        device gpu:0 nvidia H100
        stream 20 Compute
          0..10us  ncclDevKernel_AllReduce_Sum_bf16_TREE_LL128(ncclDevKernelArgsStorage<4096ul>)
          20..30us ncclDevKernel_ReduceScatter_Sum_f32_RING_SIMPLE
          40..50us ncclDevKernel_AllGather_NVLS
          60..70us ncclDevKernel_SendRecv
          80..90us ncclKernel_AllReduce_COLLNET_DIRECT_SIMPLE_Sum_float
        device gpu:1 amd MI300X
        stream 3 Compute
          0..10us  ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>).kd
          20..30us ncclDevKernel_AllReduce_RING_LL_Sum_f16.kd
          40..50us ncclDevKernel_AllGather_PAT_SIMPLE_Sum_i8
    "]);
    let all = rows(&ask(&session, "collectives", &[]), "rows");
    let mut said: Vec<String> = all
        .iter()
        .map(|row| format!("{} {}", row["kind"], row["algorithm"]).replace('"', ""))
        .collect();
    said.sort();
    assert_eq!(
        said,
        [
            " ",
            "all-gather NVLS",
            "all-gather PAT simple",
            "all-reduce collnet simple",
            "all-reduce ring LL",
            "all-reduce tree LL128",
            "permute ",
            "reduce-scatter ring simple",
        ]
    );
}

#[test]
fn shardings_name_the_axes_that_cut_each_dimension() {
    // A mesh of 4 × 2: groups of stride 1 run along its second axis.
    let session = drawn(&["
        host vm
        device tpu:0 v6e
        line XLA Modules
          0..50us  jit_step(5) [run_id=1]
        line XLA Ops
          0..10us  all-reduce.1 {program_id=5 symbol_id=1 hlo_category=all-reduce}
          10..20us all-gather.2 {program_id=5 symbol_id=2 hlo_category=all-gather}
        program 5 jit_step
          weights = f32[128,64] parameter(0) sharding={devices=[1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate} op_name=\"params['w']\"
          batch = f32[8,128] parameter(1) sharding={devices=[4,1,2]<=[8] last_tile_dim_replicate}
          scale = f32[] parameter(2) sharding={replicated}
          rows = f32[16] parameter(3) sharding={devices=[8]<=[8]}
          cols = f32[16] parameter(4) sharding={devices=[8]<=[4,2]T(1,0)}
          seed = u32[2] parameter(5)
          all-reduce.1 = f32[8,128] all-reduce(batch) replica_groups={{0,1},{2,3},{4,5},{6,7}}
          all-gather.2 = f32[8,128] all-gather(batch) replica_groups={{0,2,4,6},{1,3,5,7}}
          ROOT result = (f32[8,128], f32[8,128]) tuple(all-reduce.1, all-gather.2) sharding={{devices=[4,1,2]<=[8] last_tile_dim_replicate}, {maximal}}
    "]);
    let report = ask(&session, "collectives", &[]);
    assert_eq!(report["sharding_count"], json!(8));
    let all = rows(&report, "shardings");
    let found = |name: &str, is_input: bool| {
        let row = all
            .iter()
            .find(|row| row["name"] == json!(name) && row["is_input"] == json!(is_input));
        row.cloned()
            .unwrap_or_else(|| panic!("no {name} in {all:?}"))
    };
    let weights = found("params['w']", true);
    assert_eq!(weights["partition"], json!("P(None, axis 1)"));
    assert_eq!(
        (&weights["part_count"], &weights["device_count"]),
        (&json!(2), &json!(8))
    );
    assert_eq!(weights["device_bytes"], json!(128 * 64 * 4));
    assert_eq!(weights["total_bytes"], json!(8 * 128 * 64 * 4));
    assert_eq!(weights["replicated_bytes"], json!(6 * 128 * 64 * 4));
    assert_eq!(weights["is_mesh_guessed"], json!(true));
    let batch = found("batch", true);
    assert_eq!(batch["partition"], json!("P(axis 0, None)"));
    assert_eq!(
        batch["sharding"],
        json!("{devices=[4,1,2]<=[8] last_tile_dim_replicate}")
    );
    let scale = found("scale", true);
    assert_eq!(
        (&scale["partition"], &scale["replicated_bytes"]),
        (&json!("P()"), &json!(28))
    );
    assert_eq!(
        found("rows", true)["partition"],
        json!("P((axis 0, axis 1))")
    );
    assert_eq!(
        found("cols", true)["partition"],
        json!("P((axis 1, axis 0))")
    );
    let seed = found("seed", true);
    assert_eq!(
        (&seed["partition"], &seed["replicated_bytes"]),
        (&json!(""), &Value::Null)
    );
    assert_eq!(
        found("all-reduce.1", false)["partition"],
        json!("P(axis 0, None)")
    );
    let one = found("all-gather.2", false);
    assert_eq!(
        (&one["partition"], &one["total_bytes"], &one["number"]),
        (&json!("one device"), &json!(8 * 128 * 4), &json!(1))
    );
    let cut = ask(&session, "collectives", &[("shardings", "2")]);
    assert_eq!(
        (rows(&cut, "shardings").len(), &cut["sharding_count"]),
        (2, &json!(8))
    );
}

#[test]
fn captures_say_how_their_values_are_divided() {
    let Some(capture) = corpus::captures()
        .into_iter()
        .find(|capture| capture.name == "cpu-jax-gpt8")
    else {
        println!("no corpus, nothing compared");
        return;
    };
    let session = open(&capture);
    let report = ask(
        &session,
        "collectives",
        &[("shardings", "0"), ("program", "jit_step")],
    );
    let all = rows(&report, "shardings");
    // 4 data × 2 model: every cut of the step is along one of the two.
    let mut partitions: Vec<String> = all
        .iter()
        .map(|row| row["partition"].as_str().expect("text").to_owned())
        .collect();
    partitions.sort();
    partitions.dedup();
    println!("{partitions:?}");
    assert!(
        partitions.iter().all(|text| text.starts_with("P(")),
        "{partitions:?}"
    );
    for row in &all {
        let number = |key: &str| row[key].as_i64().expect("a number");
        let copies = number("device_count") / number("part_count");
        assert_eq!(
            number("replicated_bytes"),
            number("total_bytes") / number("device_count") * number("part_count") * (copies - 1),
            "{row}"
        );
    }
}

#[test]
fn what_has_nothing_to_say_says_why() {
    let session = drawn(&["
        host vm
        device gpu:0 nvidia H100
        stream 7 Compute
          0..10us gemm
    "]);
    let report = ask(&session, "collectives", &[]);
    let notes = rows(&report, "notes");
    assert!(
        notes[0]["text"]
            .as_str()
            .is_some_and(|text| text.contains("one device"))
    );
}

// ---- without programs ----

/// Kernels of one collective, on as many GPUs as there are spans.
fn without_program(spans: &[&str]) -> String {
    let mut text = String::from("host vm\n");
    for (number, span) in spans.iter().enumerate() {
        let _ = writeln!(
            text,
            "device gpu:{number} nvidia H100\nstream 20 Compute\n{span} ncclDevKernel_AllReduce_Sum_f32_RING_LL"
        );
    }
    text
}

fn told(report: &Value, words: &str) -> bool {
    let notes = rows(report, "notes");
    let mut texts = notes.iter().filter_map(|note| note["text"].as_str());
    texts.any(|text| text.contains(words))
}

#[test]
fn two_devices_at_the_same_time_are_one_group_without_a_program() {
    let session = drawn(&[&without_program(&["10..40us", "20..42us"])]);
    let report = ask(&session, "collectives", &[]);
    let row = &rows(&report, "rows")[0];
    assert_eq!(row["matched"], json!(2));
    assert_eq!(micros(row, "wait_ps"), 10.0);
    assert!(told(&report, "are assumed to be one group"), "{report}");
}

#[test]
fn two_devices_at_different_times_are_no_group() {
    let session = drawn(&[&without_program(&["10..20us", "30..42us"])]);
    let report = ask(&session, "collectives", &[]);
    assert_eq!(rows(&report, "rows")[0]["wait_ps"], Value::Null);
    assert!(
        told(&report, "participants of 1 collective are unknown"),
        "{report}"
    );
    assert!(!told(&report, "not in the session"), "{report}");
}

#[test]
fn groups_of_more_devices_are_not_guessed() {
    let session = drawn(&[&without_program(&[
        "10..40us", "20..40us", "12..42us", "15..42us",
    ])]);
    let report = ask(&session, "collectives", &[]);
    let row = &rows(&report, "rows")[0];
    assert_eq!(
        (&row["matched"], &row["wait_ps"], &row["group_size"]),
        (&json!(0), &Value::Null, &Value::Null)
    );
    assert_eq!(row["occurrences"], json!(4));
    assert_eq!(report["instance_count"], json!(0));
    assert!(
        told(&report, "participants of 1 collective are unknown"),
        "{report}"
    );
    let hosts = ask(&session, "hosts", &[]);
    assert!(
        told(&hosts, "does not record which devices take part"),
        "{hosts}"
    );
}

/// Four TPUs whose ops carry their HLO text, which says the groups.
fn by_text(groups: &str) -> String {
    let mut text = String::from("host vm\n");
    for (number, start) in [10, 20, 12, 15].into_iter().enumerate() {
        let _ = writeln!(
            text,
            "device tpu:{number} v6e\nline XLA Ops\n{start}..40us %all-reduce.1 = f32[8] \
             all-reduce(f32[8] %p.0), replica_groups={groups}, to_apply=%add {{program_id=5 \
             hlo_category=all-reduce}}"
        );
    }
    text
}

#[test]
fn the_text_of_an_op_says_its_groups() {
    let session = drawn(&[&by_text("[1,4]<=[4]")]);
    let report = ask(&session, "collectives", &[]);
    let row = &rows(&report, "rows")[0];
    assert_eq!(
        (&row["group_size"], &row["groups"], &row["matched"]),
        (&json!(4), &json!("[1,4]<=[4]"), &json!(4))
    );
    // The last one arrives at 20.
    assert_eq!(micros(row, "wait_ps"), 10.0 + 8.0 + 5.0);
    let session = drawn(&[&by_text("[2,2]<=[4]")]);
    let report = ask(&session, "collectives", &[]);
    let row = &rows(&report, "rows")[0];
    assert_eq!(
        (&row["group_size"], &row["matched"]),
        (&json!(2), &json!(0)),
        "which device has which id is not said"
    );
    assert!(
        told(&report, "participants of 1 collective are unknown"),
        "{report}"
    );
}

// ---- by brute force ----

fn oracle_device(device: &Device) -> Option<oracle::Device> {
    match device.kind {
        DeviceKind::Tpu => Some(oracle::Device::Tpu(device.ordinal)),
        kind if kind.is_gpu() => Some(oracle::Device::Gpu(device.ordinal)),
        DeviceKind::Cpu => Some(oracle::Device::Cpu(device.ordinal)),
        _ => None,
    }
}

fn is_collective(name: &str) -> bool {
    const STEMS: [&str; 9] = [
        "all-reduce",
        "all-gather",
        "reduce-scatter",
        "all-to-all",
        "ragged-all-to-all",
        "collective-permute",
        "collective-broadcast",
        "send",
        "recv",
    ];
    STEMS.iter().any(|stem| name.starts_with(stem)) || name.starts_with("nccl")
}

fn is_computation(name: &str) -> bool {
    const OTHERS: [&str; 8] = [
        "while",
        "call",
        "conditional",
        "copy-start",
        "copy-done",
        "Mem",
        "infeed",
        "outfeed",
    ];
    !is_collective(name) && !OTHERS.iter().any(|stem| name.starts_with(stem))
}

/// The work of a device; of a TPU on the device's clock, with what was under way beside it.
fn communicating_or_computing(space: &XSpace, raw: oracle::Device) -> Vec<Event> {
    let mut events = oracle::slices(space, raw);
    if let oracle::Device::Tpu(_) = raw {
        let plane = events.first().map(|event| event.plane.clone());
        events.extend(oracle::events(space).into_iter().filter(|event| {
            Some(&event.plane) == plane.as_ref()
                && event.line_name == "Async XLA Ops"
                && is_collective(&event.instruction_name())
        }));
        for event in &mut events {
            let offset_ps = event.stats.integer("device_offset_ps");
            let duration_ps = event.stats.integer("device_duration_ps");
            if let Some((offset_ps, duration_ps)) = offset_ps.zip(duration_ps) {
                event.start_ps = i128::from(offset_ps);
                event.duration_ps = i128::from(duration_ps);
            }
        }
    }
    events
}

/// Walks over every boundary and asks every event.
fn exposed_ps(events: &[Event]) -> (i128, i128) {
    let mut boundaries: Vec<i128> = events
        .iter()
        .flat_map(|event| [event.start_ps, event.end_ps()])
        .collect();
    boundaries.sort_unstable();
    boundaries.dedup();
    let mut sorted: Vec<&Event> = events.iter().collect();
    sorted.sort_by_key(|event| event.start_ps);
    let longest = events
        .iter()
        .map(|event| event.duration_ps)
        .max()
        .unwrap_or(0);
    let (mut all, mut exposed) = (0, 0);
    for pair in boundaries.windows(2) {
        let first = sorted.partition_point(|event| event.start_ps < pair[0] - longest);
        let covering = sorted[first..]
            .iter()
            .take_while(|event| event.start_ps <= pair[0])
            .filter(|event| event.end_ps() >= pair[1]);
        let names: Vec<String> = covering.map(|event| event.instruction_name()).collect();
        if names.iter().any(|name| is_collective(name)) {
            all += pair[1] - pair[0];
            if !names.iter().any(|name| is_computation(name)) {
                exposed += pair[1] - pair[0];
            }
        }
    }
    (all, exposed)
}

#[test]
fn exposed_communication_is_what_a_look_at_every_instant_gives() {
    let mut compared = 0;
    for capture in all_captures() {
        let session = open(&capture);
        let report = ask(&session, "collectives", &[]);
        for row in rows(&report, "devices") {
            let index = row["device_index"].as_u64().expect("a number");
            let device = &session.devices[usize::try_from(index).expect("small")];
            let Some(raw) = oracle_device(device) else {
                continue;
            };
            let space: XSpace =
                corpus::read_space(&capture.hosts[device.host.index()]).expect("decodes");
            let (all, exposed) = exposed_ps(&communicating_or_computing(&space, raw));
            let what = format!("{} {raw}", capture.name);
            assert_eq!(
                i128::from(row["total_ps"].as_i64().expect("ps")),
                all,
                "{what}"
            );
            assert_eq!(
                i128::from(row["exposed_ps"].as_i64().expect("ps")),
                exposed,
                "{what}"
            );
            compared += 1;
        }
    }
    assert!(
        compared >= 4,
        "the fixtures alone have twelve devices: {compared}"
    );
}

#[test]
fn steps_and_collectives_agree_on_exposed_time() {
    for capture in all_captures() {
        let session = open(&capture);
        let report = ask(&session, "collectives", &[]);
        let steps = rows(&ask(&session, "steps", &[]), "rows");
        for row in rows(&report, "steps") {
            let of_step: Vec<f64> = steps
                .iter()
                .filter(|step| step["step"] == row["step"] && step["device"] != json!(""))
                .map(|step| step["collectives_ps"].as_f64().expect("ps"))
                .collect();
            let mean = of_step.iter().sum::<f64>() / of_step.len() as f64;
            let ours = row["exposed_ps"].as_f64().expect("ps");
            assert!((mean - ours).abs() <= 1.0, "{}: {row} {mean}", capture.name);
        }
    }
}
