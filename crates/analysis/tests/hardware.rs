//! `roofline`, `op_tree`, `kernels` and `counters` on drawings worked out by hand, and against second
//! derivations from the raw events of captures.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use stepscope_model::Session;
use stepscope_testing::corpus;
use stepscope_testing::space::{EventData, StatValue, XEvent, XPlane, XSpace};

use crate::support::{all_captures, ask, drawn, open};

/// A chip with 918 TFLOP/s, 1 TB/s of device memory and 20 TB/s of reads from VMEM. `dot.1` runs
/// twice for 10 µs with 4.59 GFLOP, half of the peak; `add.2` moves 8 MB in 10 µs, 80 % of the
/// memory's; `load.3` 100 kB of device memory and 180 MB of VMEM in 10 µs, 90 % of VMEM's. 5 µs are
/// spent waiting for a copy, 5 µs idle.
const TPU: &str = "
    host vm
    device tpu:0 v6e {peak_hbm_bw_gigabytes_per_second=1000.0 peak_vmem_rd_bw_gigabytes_per_second=20000.0}
    line XLA Ops
      0..10us   dot.1       {hlo_category=\"convolution fusion\" program_id=5 flops=4590000000 model_flops=4590000000 bytes_accessed=1000000}
      10..20us  add.2       {hlo_category=\"loop fusion\" program_id=5 flops=1000 model_flops=1000 bytes_accessed=8000000}
      20..25us  copy-done.4 {hlo_category=\"copy-done\" program_id=5 flops=0 bytes_accessed=5000000}
      30..40us  dot.1
      40..50us  load.3      {hlo_category=\"loop fusion\" program_id=5 flops=1000 model_flops=1000 bytes_accessed=180100000 memory_access_breakdown=hex:0a080801100118a08d060a09080110031880aaea55}
";

fn rows<'a>(report: &'a Value, key: &str) -> &'a [Value] {
    report[key].as_array().map_or(&[], Vec::as_slice)
}

fn named<'a>(report: &'a Value, key: &str, name: &str) -> &'a Value {
    let found = rows(report, key)
        .iter()
        .find(|row| row["name"] == json!(name));
    found.unwrap_or_else(|| panic!("no {name} in {key}: {report}"))
}

#[track_caller]
fn near(value: &Value, expected: f64) {
    let value = value.as_f64().unwrap_or(f64::NAN);
    let difference = (value - expected).abs();
    assert!(
        difference <= 1e-9 * expected.abs().max(1e-9),
        "{value} is not {expected}"
    );
}

#[test]
fn points_under_the_roofs_of_a_tpu() {
    let session = drawn(&[TPU]);
    let report = ask(&session, "roofline", &[]);
    let dot = named(&report, "rows", "dot.1");
    near(&dot["flop_rate"], 459e12);
    near(&dot["compute_ratio"], 0.5);
    near(&dot["intensity"], 4590.0);
    assert_eq!(dot["bound_by"], json!("compute"));
    near(&dot["optimal_flop_rate"], 918e12);
    let add = named(&report, "rows", "add.2");
    assert_eq!(add["bound_by"], json!("memory"));
    near(&add["roofline_ratio"], 0.8);
    let load = named(&report, "rows", "load.3");
    assert_eq!(load["bound_by"], json!("vmem_read"));
    near(&load["roofline_ratio"], 0.9);
    let levels: Vec<&str> = rows(load, "levels")
        .iter()
        .filter_map(|level| level["level"].as_str())
        .collect();
    assert_eq!(levels, ["hbm", "vmem_read"]);
    near(&load["levels"][0]["bytes"], 1e5);
    let done = named(&report, "rows", "copy-done.4");
    assert_eq!(
        (&done["flop_rate"], &done["bound_by"]),
        (&Value::Null, &json!(""))
    );
    let ridge = rows(&report, "peaks")
        .iter()
        .find(|peak| peak["level"] == json!("hbm"));
    near(&ridge.expect("a peak")["ridge_intensity"], 918.0);
    // 9.180002 GFLOP from 0 to 50 µs.
    let total = named(&report, "scopes", "total");
    near(&total["flop_rate"], 9.180_002e9 / 50e-6);
    near(&total["total_ps"], 50e6);
    let busy = ask(&session, "roofline", &[("idle", "exclude")]);
    near(&named(&busy, "scopes", "total")["total_ps"], 45e6);
}

#[test]
fn a_tree_of_a_tpu_with_what_it_wastes() {
    let session = drawn(&[TPU]);
    let report = ask(&session, "op_tree", &[]);
    assert_eq!(report["self_ps"], json!(45_000_000));
    assert_eq!(report["idle_ps"], json!(5_000_000));
    // dot.1 half of 20 µs, add.2 a fifth of 10, load.3 a tenth of 10, all of 5 waiting.
    assert_eq!(
        report["wasted_ps"],
        json!(10_000_000 + 2_000_000 + 1_000_000 + 5_000_000)
    );
    let wasted: Vec<&Value> = rows(&report, "wasted")
        .iter()
        .map(|row| &row["name"])
        .collect();
    assert_eq!(wasted, ["dot.1", "copy-done.4", "add.2", "load.3"]);
    assert_eq!(
        named(&report, "wasted", "copy-done.4")["bound_by"],
        json!("waiting")
    );
    let program = &rows(&report, "rows")[0];
    assert_eq!(
        (&program["kind"], &program["self_ps"]),
        (&json!("program"), &json!(45_000_000))
    );
    near(&program["ratio"], 0.9);
    let last = rows(&report, "rows").last().expect("rows");
    assert_eq!(
        (&last["kind"], &last["self_ps"]),
        (&json!("idle"), &json!(5_000_000))
    );
    let loops = named(&report, "rows", "loop fusion");
    assert_eq!(
        (&loops["child_count"], &loops["occurrences"]),
        (&json!(2), &json!(2))
    );
    assert_eq!(loops["wasted_ps"], json!(3_000_000));
    let bare = ask(&session, "op_tree", &[("idle", "exclude"), ("depth", "1")]);
    assert_eq!(rows(&bare, "rows").len(), 1);
    near(&rows(&bare, "rows")[0]["ratio"], 1.0);
}

/// Two layers of the same text and a fusion, on XLA:CPU.
const CPU: &str = "
    host vm
    thread tf_XLAEigen/42
    each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
      0..10us   dot.1
      10..40us  dot.2
      40..45us  fusion.3
    program 5 jit_step
      computation body
      a.0 = f32[64] parameter(0)
      b.1 = f32[64] multiply(a.0, a.0)
      ROOT c.2 = f32[64] add(b.1, a.0)
      entry main
      p.0 = f32[8,8] parameter(0)
      q.0 = f32[64] parameter(1)
      dot.1 = f32[8,8] dot(p.0, p.0) op_name=\"jit(step)/layer_0/dot\"
      dot.2 = f32[8,8] dot(p.0, p.0) op_name=\"jit(step)/layer_1/dot\"
      fusion.3 = f32[64] fusion(q.0) kind=kLoop calls=body op_name=\"jit(step)/act/add\"
      ROOT t.4 = (f32[8,8], f32[64]) tuple(dot.2, fusion.3)
";

#[test]
fn layers_merge_and_fusions_open_on_a_cpu() {
    let session = drawn(&[CPU]);
    let report = ask(&session, "op_tree", &[]);
    let outline: Vec<String> = rows(&report, "rows")
        .iter()
        .map(|row| {
            format!(
                "{} {} {} {}",
                row["depth"], row["kind"], row["name"], row["self_ps"]
            )
        })
        .collect();
    let expected = [
        "0 \"program\" \"jit_step(5)\" 45000000",
        "1 \"category\" \"dot\" 40000000",
        "2 \"duplicates\" \"dot.2\" 40000000",
        "3 \"op\" \"dot.2\" 30000000",
        "3 \"op\" \"dot.1\" 10000000",
        "1 \"category\" \"loop fusion\" 5000000",
        "2 \"op\" \"fusion.3\" 5000000",
        "3 \"instruction\" \"b.1\" 0",
        "3 \"instruction\" \"c.2\" 0",
        "0 \"idle\" \"idle\" 0",
    ];
    assert_eq!(outline, expected);
    let duplicates = &rows(&report, "rows")[2];
    assert_eq!(duplicates["duplicate_count"], json!(2));
    // 2 × 8 × 8 × 8 twice.
    near(&duplicates["flops"], 2048.0);
    near(&rows(&report, "rows")[7]["flops"], 64.0);
    assert_eq!(report["wasted_ps"], Value::Null, "a CPU has no peaks");
    let scopes = ask(
        &session,
        "op_tree",
        &[("by", "scope"), ("fused", "exclude")],
    );
    let layers = named(&scopes, "rows", "layer_1");
    assert_eq!(layers["self_ps"], json!(30_000_000));
    let points = ask(&session, "roofline", &[]);
    let dot = named(&points, "rows", "dot.1");
    near(&dot["flop_rate"], 1024.0 / 10e-6);
    assert_eq!(
        (&dot["bound_by"], &dot["roofline_ratio"]),
        (&json!(""), &Value::Null)
    );
    assert!(
        rows(&points, "notes")[0]["text"]
            .to_string()
            .contains("without roofs")
    );
}

/// Three launches, the last a graph of two kernels; one step of 50 µs.
const GPU: &str = "
    host vm
    device gpu:0 nvidia H100
    stream 7 Compute,MemcpyH2D
      10..20us ampere_bf16_s16816gemm_bf16_128x256_tn [correlation_id=1 hlo_op=dot.1 hlo_module=jit_step program_id=5 kernel_details=\"regs:128 static_shared:0 dynamic_shared:0 grid:8,1,1 block:256,1,1\"]
      20..30us volta_sgemm_128x64_nn [correlation_id=2 hlo_op=dot.1 hlo_module=jit_step program_id=5 kernel_details=\"regs:32 static_shared:0 dynamic_shared:0 grid:8,1,1 block:256,1,1 occ_pct:75\"]
      46..48us MemcpyH2D [memcpy_details=\"kind_src:pinned kind_dst:device size:64000 dest:0 async:1\"]
    stream 8 Compute
      25..35us loop_add_fusion [correlation_id=3]
      40..45us loop_mul_fusion [correlation_id=3]
    thread python
      0..50us train #step_num=7,_r=1#
    thread main/1
      0..2us cuLaunchKernel [correlation_id=1]
      2..4us cuLaunchKernel [correlation_id=2]
      4..5us cudaGraphLaunch [correlation_id=3]
    program 5 jit_step
      p.0 = f32[8,16] parameter(0)
      ROOT dot.1 = f32[8,8] dot(p.0, p.0)
";

#[test]
fn launches_of_a_gpu() {
    let report = ask(&drawn(&[GPU]), "kernels", &[]);
    let device = &rows(&report, "launches")[0];
    // 10, 18 and 21 µs; the second kernel of the graph waits for the first and has none.
    near(&device["latency_mean_ps"], 49e6 / 3.0);
    assert_eq!(device["latency_p50_ps"], json!(18_000_000));
    assert_eq!(device["latency_max_ps"], json!(21_000_000));
    // 1 for 2 µs, 2 for 2, 4 for 16, 3 for 10, 2 for 5, 1 for 10.
    near(&device["queue_mean"], 120.0 / 45.0);
    assert_eq!(
        (&device["queue_most"], &device["queue_most_at_ps"]),
        (&json!(4), &json!(4_000_000))
    );
    near(&device["launched_ratio"], 0.8);
    let step = &rows(&report, "steps")[0];
    assert_eq!((&step["step"], &step["calls"]), (&json!(7), &json!(3)));
    assert_eq!(step["launch_ps"], json!(5_000_000));
    near(&step["ratio"], 0.1);
}

#[test]
fn kernels_streams_and_copies_of_a_gpu() {
    let report = ask(&drawn(&[GPU]), "kernels", &[]);
    let gemm = named(&report, "rows", "ampere_bf16_s16816gemm_bf16_128x256_tn");
    assert_eq!(gemm["matrix_unit"], json!("yes"));
    near(&gemm["occupancy"], 0.25);
    assert_eq!(gemm["occupancy_source"], json!("derived"));
    assert_eq!(gemm["occupancy_limit"], json!("registers"));
    let plain = named(&report, "rows", "volta_sgemm_128x64_nn");
    assert_eq!(plain["matrix_unit"], json!("no"));
    near(&plain["occupancy"], 0.75);
    assert_eq!(plain["occupancy_source"], json!("recorded"));
    let op = &rows(&report, "matrix_ops")[0];
    assert_eq!(
        (&op["op"], &op["is_eligible"]),
        (&json!("dot.1"), &json!(true))
    );
    near(&op["matrix_ratio"], 0.5);
    near(&report["matrix_ratio"], 10.0 / 35.0);
    let stream = rows(&report, "streams")
        .iter()
        .find(|row| row["number"] == json!(8));
    let stream = stream.expect("stream 8");
    assert_eq!(
        (&stream["busy_ps"], &stream["gap_ps"]),
        (&json!(15_000_000), &json!(5_000_000))
    );
    assert_eq!(
        stream["overlap_ps"],
        json!(5_000_000),
        "25 to 30 beside stream 7"
    );
    assert_eq!(stream["largest_gap_start_ps"], json!(35_000_000));
    let copy = &rows(&report, "transfers")[0];
    assert_eq!(
        (&copy["direction"], &copy["memory"]),
        (&json!("host_to_device"), &json!("pinned"))
    );
    // 64 kB in 2 µs over 64 GB/s.
    near(&copy["bandwidth"], 32e9);
    near(&copy["bandwidth_ratio"], 0.5);
    let size = &rows(&report, "transfer_sizes")[0];
    assert_eq!(
        (&size["start_bytes"], &size["end_bytes"]),
        (&json!(4096), &json!(65_536))
    );
    // One of 5 µs in the bin from 5 µs, three of 10 µs in the next.
    let bins: Vec<(i64, i64)> = rows(&report, "durations")
        .iter()
        .filter(|bin| bin["occurrences"] != json!(0))
        .filter_map(|bin| Some((bin["start_ps"].as_i64()?, bin["occurrences"].as_i64()?)))
        .collect();
    assert_eq!(bins, [(5_000_000, 1), (10_000_000, 3)]);
    near(&report["tiny_ratio"], 1.0);
}

#[test]
fn kernels_of_amd_and_none_elsewhere() {
    let amd = drawn(&["
        host vm
        device gpu:0 amd MI300X
        stream 16 Kernel
          0..10us Cijk_Ailk_Bljk_BBS_BH_MT256x224x64_MI16x16x16x1_SN.kd [kernel_details=\" grid:8,1,1 block:256,1,1 private_mem:0 group_mem:512 occ_pct:0\"]
          10..30us wrapped_broadcast.kd [kernel_details=\" grid:8,1,1 block:256,1,1 private_mem:0 group_mem:0 occ_pct:0\"]
    "]);
    let report = ask(&amd, "kernels", &[]);
    near(&report["matrix_ratio"], 1.0 / 3.0);
    assert_eq!(rows(&report, "rows")[0]["occupancy"], Value::Null);
    assert!(rows(&report, "launches").is_empty(), "no call was recorded");
    for text in [CPU, TPU] {
        let report = ask(&drawn(&[text]), "kernels", &[]);
        assert!(rows(&report, "rows").is_empty());
        assert_eq!(
            rows(&report, "notes")[0]["hint"],
            json!("`stepscope ops PATH` shows them")
        );
    }
}

#[test]
fn counters_keep_every_bit_and_doubles() {
    let session = drawn(&["
        host vm
        device gpu:0 nvidia H100
        stream 7 Compute
          0..10us k
        counter power_watts 0us=100.5 10us=300.25 20us=200.0
        device tpu:0 v6e
        line counters_kernel [id=4]
          0us VF_CHIP_TC_TCS_TC_MISC_TCS_STATS_TCS_STATS_COUNTERS_UNPRIVILEGED_COUNT_CYCLES [counter_value=18446744073709551615u performance_counter_id=3257466888u]
          0us VF_CHIP_TC_TCS_TC_MISC_TCS_STATS_TCS_STATS_COUNTERS_UNPRIVILEGED_COUNT_MXU_BUSY_2 [counter_value=9223372036854775808u performance_counter_id=77u]
    "]);
    let report = ask(&session, "counters", &[]);
    let power = named(&report, "rows", "power_watts");
    assert_eq!(power["unit"], json!("W"));
    assert_eq!(
        (&power["min"], &power["max"]),
        (&json!(100.5), &json!(300.25))
    );
    near(&power["mean"], 600.75 / 3.0);
    assert_eq!(
        (&power["last"], &power["max_at_ps"]),
        (&json!(200.0), &json!(10_000_000))
    );
    assert_eq!(rows(power, "points").len(), 3);
    let cycles = rows(&report, "rows")
        .iter()
        .find(|row| row["register"] == json!("3257466888"));
    let cycles = cycles.expect("the register");
    assert_eq!(cycles["last_exact"], json!("18446744073709551615"));
    assert_eq!(cycles["line"], json!("counters_kernel"));
    let busy = named(&report, "utilization", "both MXUs busy");
    near(&busy["ratio"], 0.5);
    assert_eq!(busy["peak_source"], json!("counted cycles of the core"));
    let some = ask(&session, "counters", &[("match", "power"), ("points", "0")]);
    assert_eq!(rows(&some, "rows").len(), 1);
    assert!(rows(&rows(&some, "rows")[0], "points").is_empty());
}

/// Performance monitors sampled every 10 µs, with power, clock and throttling.
const SAMPLED_GPU: &str = "
    host vm
    device gpu:0 nvidia H100
    stream 7 Compute
      0..45us gemm
    counter sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed 0us=10.5 10us=80.0 20us=60.5 30us=61.0
    counter dram__bytes.sum.per_second 0us=1000000000000 10us=3000000000000 20us=2000000000000 30us=2000000000000
    counter power_watts 0us=350.5 10us=690.25 20us=700.0 30us=699.25
    counter sm_clock_mhz 0us=1980 10us=1980 20us=1755 30us=1755
    counter clocks_event_reasons 0us=0 10us=0 20us=4 30us=4
";

#[test]
fn monitors_of_a_gpu_are_drawn_with_power_and_throttling() {
    let session = drawn(&[SAMPLED_GPU]);
    let report = ask(&session, "counters", &[("points", "2")]);
    assert_eq!(rows(&report, "rows").len(), 5);
    let tensor = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed";
    // Unit, least, mean, most, last, where the most is, the last of equals.
    let expected = [
        (tensor, "%", 10.5, 53.0, 80.0, 61.0, 10),
        (
            "dram__bytes.sum.per_second",
            "bytes/s",
            1e12,
            2e12,
            3e12,
            2e12,
            10,
        ),
        ("power_watts", "W", 350.5, 610.0, 700.0, 699.25, 20),
        ("sm_clock_mhz", "MHz", 1755.0, 1867.5, 1980.0, 1755.0, 10),
        ("clocks_event_reasons", "", 0.0, 2.0, 4.0, 4.0, 30),
    ];
    for (name, unit, min, mean, max, last, at_us) in expected {
        let row = named(&report, "rows", name);
        assert_eq!(row["unit"], json!(unit), "{name}");
        assert_eq!(row["device"], json!("GPU:0"), "{name}");
        assert_eq!(row["sample_count"], json!(4));
        for (key, value) in [("min", min), ("mean", mean), ("max", max), ("last", last)] {
            near(&row[key], value);
        }
        assert_eq!(row["max_at_ps"], json!(at_us * 1_000_000), "{name}");
    }
    // Two parts of two samples each.
    let power = rows(named(&report, "rows", "power_watts"), "points");
    assert_eq!(power.len(), 2);
    near(&power[0]["mean"], f64::midpoint(350.5, 690.25));
    near(&power[0]["min"], 350.5);
    near(&power[1]["mean"], f64::midpoint(700.0, 699.25));
    near(&power[1]["max"], 700.0);
    let late = ask(&session, "counters", &[("time", "15us..25us")]);
    let clock = named(&late, "rows", "sm_clock_mhz");
    assert_eq!(
        (&clock["sample_count"], &clock["max"]),
        (&json!(1), &json!(1755.0))
    );
    assert!(
        rows(&report, "utilization").is_empty(),
        "a GPU has no such registers"
    );
}

#[test]
fn registers_of_a_throttled_tpu() {
    let tensor = "VF_CHIP_DIE0_TC_TCS_TC_MISC_TCS_STATS_TCS_STATS_COUNTERS_UNPRIVILEGED_COUNT_";
    let power = "VF_CHIP_DIE0_PWRMGR_PWRMGR_TC_THROTTLE_CORE_DEBUG_STATS_UNPRIVILEGED_";
    let text = format!(
        "
        host vm
        device tpu:0 v7x
        line XLA Ops
          0..1us   fusion.1 {{program_id=5 symbol_id=1}}
        line fusion.1 [id=9]
          0us {power}CYCLE_COUNT [counter_value=1900u performance_counter_id=1u]
          0us {power}CLOCKS_SKIPPED [counter_value=190u performance_counter_id=2u]
          0us {power}EXT_THROTTLE_CLOCKS_SKIPPED [counter_value=95u performance_counter_id=3u]
          0us {tensor}CYCLES [counter_value=1710u performance_counter_id=4u]
          0us {tensor}MXU_BUSY_1 [counter_value=380u performance_counter_id=5u]
          0us {tensor}MXU_BUSY_2 [counter_value=760u performance_counter_id=6u]
        "
    );
    let report = ask(&drawn(&[&text]), "counters", &[]);
    assert_eq!(rows(&report, "rows").len(), 6);
    // Cycles are the power manager's, which go on while clocks are skipped.
    let ratio = |name: &str| named(&report, "utilization", name)["ratio"].clone();
    near(&ratio("clocks skipped"), 0.1);
    near(&ratio("clocks skipped, external throttle"), 0.05);
    near(&ratio("one MXU busy"), 0.2);
    near(&ratio("both MXUs busy"), 0.4);
    near(&ratio("MXU busy, mean"), 0.5);
    let skipped = named(&report, "utilization", "clocks skipped");
    assert_eq!(
        (&skipped["unit"], &skipped["line"], &skipped["measure"]),
        (&json!("TensorCore 0"), &json!("fusion.1"), &json!("cycles"))
    );
}

#[test]
fn without_counters_there_is_advice() {
    for (text, word) in [
        (TPU, "tpu_perf_counters"),
        (GPU, "gpu_pm_sample"),
        (CPU, "perf stat"),
    ] {
        let report = ask(&drawn(&[text]), "counters", &[]);
        assert!(rows(&report, "rows").is_empty());
        let hints: String = rows(&report, "notes")
            .iter()
            .map(|note| note["hint"].to_string())
            .collect();
        assert!(hints.contains(word), "{hints}");
    }
}

#[test]
fn nothing_selected_says_so() {
    for text in [TPU, CPU, GPU] {
        let session = drawn(&[text]);
        for name in ["roofline", "op_tree", "kernels", "counters"] {
            let report = ask(&session, name, &[("match", "no such thing")]);
            assert!(
                rows(&report, "rows")
                    .iter()
                    .all(|row| row["kind"] == json!("idle")),
                "{name}"
            );
            assert!(
                !rows(&report, "notes").is_empty(),
                "{name} says why it is empty"
            );
        }
    }
}

/// Σ over ops of self × (1 − ratio), from the report of `ops`.
#[test]
fn wasted_time_is_what_the_ops_leave_unused() {
    for capture in all_captures() {
        let session = open(&capture);
        let ops = ask(&session, "ops", &[]);
        let has_peaks = session
            .devices
            .iter()
            .any(|device| device.chip.peak_flops.is_some());
        let mut expected: Option<i64> = None;
        for row in rows(&ops, "rows") {
            let own = row["self_ps"].as_i64().expect("a time");
            let category = row["category"].as_str().expect("a category");
            let is_half = category.ends_with("-start") || category.ends_with("-done");
            let wasted = match row["roofline_ratio"].as_f64() {
                Some(ratio) => own as f64 * (1.0 - ratio.min(1.0)),
                None if is_half && has_peaks => own as f64,
                None => continue,
            };
            #[expect(
                clippy::cast_possible_truncation,
                reason = "times of captures are small"
            )]
            let wasted = wasted.round() as i64;
            expected = Some(expected.unwrap_or(0) + wasted);
        }
        let tree = ask(&session, "op_tree", &[("by", "category")]);
        assert_eq!(tree["wasted_ps"], json!(expected), "{}", capture.name);
        let roots = rows(&tree, "rows")
            .iter()
            .filter(|row| row["depth"] == json!(0));
        let of_roots: i64 = roots.filter_map(|row| row["wasted_ps"].as_i64()).sum();
        assert_eq!(of_roots, expected.unwrap_or(0), "{}: roots", capture.name);
    }
}

/// Children sum to their parents, whatever the tree is made of.
#[test]
fn children_sum_to_their_parents() {
    for capture in all_captures() {
        let session = open(&capture);
        for by in ["program", "category", "scope"] {
            let tree = ask(&session, "op_tree", &[("by", by)]);
            let nodes = rows(&tree, "rows");
            let number = |row: &Value, key: &str| row[key].as_i64().unwrap_or(0);
            let whole: i64 = nodes
                .iter()
                .filter(|row| row["depth"] == json!(0))
                .map(|row| number(row, "self_ps"))
                .sum();
            let idle = tree["idle_ps"].as_i64().unwrap_or(0);
            assert_eq!(
                whole,
                number(&tree, "self_ps") + idle,
                "{} {by}",
                capture.name
            );
            for (index, row) in nodes.iter().enumerate() {
                let below = nodes[index + 1..]
                    .iter()
                    .take_while(|other| number(other, "depth") > number(row, "depth"));
                let children =
                    below.filter(|other| number(other, "depth") == number(row, "depth") + 1);
                let (mut sum, mut count) = (0, 0);
                for child in children.filter(|child| child["kind"] != json!("instruction")) {
                    sum += number(child, "self_ps");
                    count += 1;
                }
                assert!(
                    count == 0 || sum <= number(row, "self_ps"),
                    "{} {by} {row}",
                    capture.name
                );
                if by != "scope" && count > 0 {
                    assert_eq!(sum, number(row, "self_ps"), "{} {by} {row}", capture.name);
                }
            }
        }
    }
}

/// Latencies from correlation ids in the raw events.
#[test]
fn latencies_are_those_of_the_raw_events() {
    for capture in corpus::captures() {
        let session = open(&capture);
        let report = ask(&session, "kernels", &[]);
        let mut engine: Vec<(i64, Option<i64>, String)> = rows(&report, "launches")
            .iter()
            .map(|row| {
                let mean = row["latency_mean_ps"]
                    .as_f64()
                    .map(|mean| format!("{mean:.3}"));
                let launched = row["launched"].as_i64().expect("a count");
                (
                    launched,
                    row["latency_max_ps"].as_i64(),
                    mean.unwrap_or_default(),
                )
            })
            .collect();
        let mut expected = Vec::new();
        for path in &capture.hosts {
            let space = corpus::read_space(path).expect("a capture can be decoded");
            expected.extend(raw_latencies(&space, &session));
        }
        engine.sort();
        expected.sort();
        assert_eq!(engine, expected, "{}", capture.name);
    }
}

/// By device: launches, longest and mean latency.
fn raw_latencies(space: &XSpace, session: &Session) -> Vec<(i64, Option<i64>, String)> {
    assert!(!session.hosts.is_empty());
    let mut calls: BTreeMap<u64, i64> = BTreeMap::new();
    let hosts = space
        .planes
        .iter()
        .filter(|plane| plane.name.starts_with("/host:"));
    for plane in hosts {
        for (id, start, _) in correlated(plane, |_| true) {
            let first = calls.entry(id).or_insert(start);
            *first = (*first).min(start);
        }
    }
    let mut found = Vec::new();
    let devices = space
        .planes
        .iter()
        .filter(|plane| plane.name.starts_with("/device:GPU:"));
    for plane in devices {
        let mut firsts: BTreeMap<u64, i64> = BTreeMap::new();
        let mut launched = 0;
        for (id, start, _) in correlated(plane, |name| name.starts_with("Stream #")) {
            if calls.contains_key(&id) {
                launched += 1;
                let first = firsts.entry(id).or_insert(start);
                *first = (*first).min(start);
            }
        }
        if launched == 0 {
            continue;
        }
        let latencies: Vec<i64> = firsts
            .iter()
            .map(|(id, start)| start - calls[id])
            .filter(|&latency| latency >= 0)
            .collect();
        let sum: f64 = latencies.iter().map(|&latency| latency as f64).sum();
        let mean = if latencies.is_empty() {
            String::new()
        } else {
            format!("{:.3}", sum / latencies.len() as f64)
        };
        found.push((launched, latencies.iter().max().copied(), mean));
    }
    found
}

/// Correlation id, begin and duration of the events that have one.
fn correlated(plane: &XPlane, is_line: impl Fn(&str) -> bool) -> Vec<(u64, i64, i64)> {
    let mut names = plane.stat_metadata.iter();
    let Some((wanted, _)) = names.find(|(_, metadata)| metadata.name == "correlation_id") else {
        return Vec::new();
    };
    let id = |event: &XEvent| {
        let stat = event
            .stats
            .iter()
            .find(|stat| stat.metadata_id == *wanted)?;
        match stat.value {
            Some(StatValue::Int64(value)) => Some(value.cast_unsigned()),
            Some(StatValue::Uint64(value)) => Some(value),
            _ => None,
        }
    };
    let lines = plane.lines.iter().filter(|line| is_line(&line.name));
    let events = lines.flat_map(|line| {
        line.events.iter().filter_map(move |event| {
            let Some(EventData::OffsetPs(offset)) = event.data else {
                return None;
            };
            let start = line.timestamp_ns * 1000 + offset;
            Some((event, start))
        })
    });
    events
        .filter_map(|(event, start)| Some((id(event)?, start, event.duration_ps)))
        .collect()
}

/// A TPU program that keeps arrays in the memory of the host: each copy is recorded as two ops.
#[test]
fn a_copy_of_two_halves_is_one_copy_and_no_output() {
    let Some(capture) = corpus::capture("tpu-v6e-4chip-jax") else {
        return;
    };
    let session = open(&capture);
    let ops = ask(&session, "ops", &[("limit", "0")]);
    let count = |category: &str| -> i64 {
        let own = rows(&ops, "rows")
            .iter()
            .filter(|row| row["category"] == json!(category));
        own.filter_map(|row| row["occurrences"].as_i64()).sum()
    };
    let kernels = ask(&session, "kernels", &[]);
    let transfers = rows(&kernels, "transfers");
    let sum = |key: &str| -> i64 { transfers.iter().filter_map(|row| row[key].as_i64()).sum() };
    assert_eq!(count("copy-start"), count("copy-done"));
    assert_eq!(sum("occurrences"), count("copy-start"));
    // Every array is one of f32[5,1024,1024,256].
    assert_eq!(sum("bytes"), count("copy-start") * 5 * (1 << 30));
    let part = |report: &Value, list: &str, key: &str, name: &str| -> f64 {
        let found = rows(report, list)
            .iter()
            .find(|row| row[key] == json!(name));
        found.and_then(|row| row["mean_ps"].as_f64()).expect(name)
    };
    let overview = ask(&session, "overview", &[]);
    let both = part(&overview, "step_parts", "part", "host_to_device")
        + part(&overview, "step_parts", "part", "device_to_host");
    let input = ask(&session, "input", &[]);
    near(&json!(part(&input, "bounds", "key", "output")), 0.0);
    near(&json!(part(&input, "bounds", "key", "offload")), both);
}
