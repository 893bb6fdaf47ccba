//! Theory against measurement: peaks by operand type, expected times and their derivations, with
//! operations counted by hand, and the worked profile of the scaling book.

use crate::support::{ask, drawn, open};
use serde_json::Value;
use stepscope_testing::corpus;

fn row<'a>(report: &'a Value, name: &str) -> &'a Value {
    let rows = report["rows"].as_array().expect("rows");
    let found = rows.iter().find(|row| row["name"] == name);
    found.unwrap_or_else(|| panic!("{name} is not among {rows:?}"))
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is not a number"))
}

fn close(found: &Value, expected: f64, tolerance: f64) {
    let found = number(found);
    assert!(
        (found / expected - 1.0).abs() <= tolerance,
        "{found} instead of {expected}"
    );
}

/// The scaling book's profile of a feed-forward block: eight cores of TPU v2, four ways of data and
/// two of model parallelism. It expects 95.6 ms and finds 96 ms for the product, 1.1 and 1.13 ms for
/// the reduce-scatter.
const SCALING_BOOK: &str = "
    host vm
    device tpu:0 v2
    line XLA Modules
      0..97130us jit_ffw(3) [run_id=1 program_id=3]
    line XLA Ops
      0..96000us fusion.2 {hlo_category=\"convolution fusion\" program_id=3 flops=2199023255552 model_flops=2199023255552 bytes_accessed=671088640}
      96000..97130us fusion.1 {hlo_category=\"custom fusion\" program_id=3 flops=0 bytes_accessed=201326592}
    program 3 jit_ffw
      computation add
      x = bf16[] parameter(0)
      y = bf16[] parameter(1)
      ROOT sum = bf16[] add(x, y)
      computation fused.2
      a = bf16[8,1024,8192] parameter(0)
      b = bf16[8192,16384] parameter(1)
      ROOT dot.1 = bf16[8,1024,16384] dot(a, b) lhs_contracting_dims={2} rhs_contracting_dims={0}
      computation all-reduce-scatter.1
      c = bf16[8,1024,8192] parameter(0)
      ROOT scatter.1 = bf16[8,1024,4096] reduce-scatter(c) replica_groups={{0,1},{2,3},{4,5},{6,7}} channel_id=1 to_apply=add
      entry
      p.0 = bf16[8,1024,8192] parameter(0)
      p.1 = bf16[8192,16384] parameter(1)
      fusion.2 = bf16[8,1024,16384] fusion(p.0, p.1) kind=kOutput calls=fused.2
      ROOT fusion.1 = bf16[8,1024,4096] fusion(p.0) kind=kCustom calls=all-reduce-scatter.1
";

#[test]
fn the_scaling_books_profile_is_expected_as_the_book_does() {
    let ops = ask(&drawn(&[SCALING_BOOK]), "ops", &[]);
    let product = row(&ops, "fusion.2");
    close(&product["flops"], 2.0 * 8192.0 * 8192.0 * 16384.0, 1e-12);
    close(&product["expected_ps"], 95.6e9, 0.01);
    close(&product["times_expected"], 96.0 / 95.6, 0.01);
    assert_eq!(product["operand_type"], "bf16");
    assert_eq!(
        product["expectation"],
        "2·8192·8192·16384 FLOP ÷ 23.00 TFLOP/s = 95.61 ms; measured 96.00 ms"
    );
    // 2·8·1024·8192 bytes over 1.2e11 bytes per second.
    let scatter = row(&ops, "fusion.1");
    close(&scatter["expected_ps"], 134_217_728.0 / 1.2e11 * 1e12, 1e-9);
    close(&scatter["expected_ps"], 1.1e9, 0.02);
    assert_eq!(
        scatter["expectation"],
        "reduce-scatter of 128.0 MiB over 2 devices: 64.00 MiB ÷ 60.00 GB/s per link, a closed ring \
         both ways on one axis = 1.118 ms; measured 1.130 ms"
    );
}

/// One product of 1024 × 2048 by 2048 × 512 that takes 1 ms, with operands and attributes as given.
fn product(device: &str, element: &str, result: &str, attributes: &str) -> Value {
    let is_tpu = device.starts_with("tpu");
    let line = if is_tpu {
        "line XLA Ops\n each [program_id=7]\n 0..1ms dot.1"
    } else {
        "stream 7 Compute\n each [hlo_op=dot.1 hlo_module=jit_f program_id=7]\n 0..1ms gemm"
    };
    let text = format!(
        "host vm
         device {device}
         {line}
         program 7 jit_f
           entry
           p.0 = {element}[1024,2048] parameter(0)
           p.1 = {element}[2048,512] parameter(1)
           ROOT dot.1 = {result}[1024,512] dot(p.0, p.1) lhs_contracting_dims={{1}} \
         rhs_contracting_dims={{0}} {attributes}"
    );
    let ops = ask(&drawn(&[&text]), "ops", &[]);
    ops["rows"][0].clone()
}

/// By hand: two per multiply-add.
const FLOPS: f64 = 2.0 * 1024.0 * 2048.0 * 512.0;

fn check(device: &str, element: &str, attributes: &str, words: &str, teraflops: f64) {
    let result = if element.starts_with('s') {
        "s32"
    } else {
        "f32"
    };
    let row = product(device, element, result, attributes);
    assert_eq!(
        row["operand_type"], words,
        "{device} {element} {attributes}"
    );
    close(&row["peak_flops_per_second"], teraflops * 1e12, 1e-9);
    // All sizes are such that compute bounds or memory does; either way it is at least this.
    let expected = number(&row["expected_ps"]);
    assert!(expected >= FLOPS / (teraflops * 1e12) * 1e12 * (1.0 - 1e-9));
}

#[test]
fn each_type_has_its_own_peak_on_a_tpu() {
    let tpu = "tpu:0 v6e";
    let highest = "operand_precision={highest,highest}";
    let high = "operand_precision={high,default}";
    check(tpu, "bf16", "", "bf16", 918.0);
    check(tpu, "f32", "", "f32 as bf16", 918.0);
    check(tpu, "f32", high, "f32 as 3 × bf16", 306.0);
    check(tpu, "f32", highest, "f32 as 6 × bf16", 153.0);
    check(tpu, "f32", "algorithm=7", "f32 as 3 × bf16", 306.0);
    check(tpu, "f32", "algorithm=5", "bf16", 918.0);
    check(tpu, "s8", "", "int8", 1836.0);
    // No unit of its own: int8's is used; nor for fp8: bf16's.
    check(tpu, "s4", "", "int4 as int8", 1836.0);
    check(tpu, "f8e4m3fn", "", "fp8 as bf16", 918.0);
    check(tpu, "c64", "", "unknown", 918.0);
}

#[test]
fn each_type_has_its_own_peak_on_an_h100() {
    let gpu = "gpu:0 nvidia H100";
    let highest = "operand_precision={highest,highest}";
    check(gpu, "f64", "", "f64", 67.0);
    check(gpu, "f32", "", "f32 as tf32", 494.5);
    check(gpu, "f32", highest, "f32", 67.0);
    check(gpu, "f32", "algorithm=8", "f32 as 6 × bf16", 989.0 / 6.0);
    check(gpu, "bf16", "", "bf16", 989.0);
    check(gpu, "f16", "", "f16", 989.0);
    check(gpu, "f8e4m3fn", "", "fp8", 1979.0);
    check(gpu, "s8", "", "int8", 1979.0);
    check(gpu, "s4", "", "int4 as int8", 1979.0);
}

#[test]
fn other_chips_compute_f32_in_their_own_way() {
    check("gpu:0 amd MI300X", "f32", "", "f32", 163.4);
    check("gpu:0 amd MI300X", "bf16", "", "bf16", 1307.0);
    // Volta has neither tf32 nor bf16.
    check("gpu:0 nvidia V100", "f32", "", "f32", 15.7);
    check("gpu:0 nvidia V100", "bf16", "", "bf16 as f32", 15.7);
    check("gpu:0 nvidia V100", "f16", "", "f16", 125.0);
    // 28 multiprocessors × 256 × 1.582 GHz: the stated peak is that of f32.
    check(
        "gpu:0 nvidia GTX1080Ti",
        "f32",
        "",
        "f32",
        28.0 * 256.0 * 1.582e-3,
    );
}

/// A fusion of a product in bf16 and one in int8: each part counts at its own peak.
#[test]
fn parts_of_an_op_count_at_their_own_peaks() {
    let session = drawn(&["
        host vm
        device tpu:0 v6e
        line XLA Ops
          each [program_id=7]
          0..1ms fusion.1
        program 7 jit_f
          computation fused
          a = bf16[4096,4096] parameter(0)
          b = s8[4096,4096] parameter(1)
          one = bf16[4096,4096] dot(a, a) lhs_contracting_dims={1} rhs_contracting_dims={0}
          two = s32[4096,4096] dot(b, b) lhs_contracting_dims={1} rhs_contracting_dims={0}
          ROOT both = (bf16[4096,4096], s32[4096,4096]) tuple(one, two)
          entry
          p.0 = bf16[4096,4096] parameter(0)
          p.1 = s8[4096,4096] parameter(1)
          ROOT fusion.1 = (bf16[4096,4096], s32[4096,4096]) fusion(p.0, p.1) kind=kOutput calls=fused
    "]);
    let ops = ask(&session, "ops", &[]);
    let fusion = row(&ops, "fusion.1");
    let one = 2.0 * 4096.0_f64.powi(3);
    let seconds = one / 918e12 + one / 1836e12;
    close(&fusion["expected_ps"], seconds * 1e12, 1e-9);
    close(&fusion["peak_flops_per_second"], 2.0 * one / seconds, 1e-9);
    close(&fusion["roofline_ratio"], seconds / 1e-3, 1e-9);
    assert_eq!(fusion["operand_type"], "bf16 + int8");
    assert_eq!(
        fusion["expectation"],
        "137.4 GFLOP of bf16 ÷ 918.0 TFLOP/s + 137.4 GFLOP of int8 ÷ 1.836 PFLOP/s = 224.6 µs; \
         measured 1.000 ms"
    );
    let roofline = ask(&session, "roofline", &[]);
    let peaks = roofline["peaks"].as_array().expect("peaks");
    let int8 = peaks.iter().find(|peak| peak["operand_type"] == "int8");
    let int8 = int8.expect("a peak of int8");
    close(&int8["per_second"], 1836e12, 1e-12);
    close(
        &int8["ridge_intensity"],
        1836e12 / 1_637.993_152_512e9,
        1e-9,
    );
    assert_eq!(
        int8["source"],
        "2× the stated peak (recorded by the device), by the public data sheet of Google Cloud TPU v6e"
    );
}

/// Links that nobody knows, and exchanges that cannot be timed: the reason is told, no figure is.
#[test]
fn what_is_unknown_is_said() {
    let exchange = |device: &str, groups: &str| {
        let text = format!(
            "host vm
             device {device}
             stream 7 Compute
               each [hlo_op=all-gather.1 hlo_module=jit_f program_id=7]
               0..1ms ncclDevKernel_AllGather_RING_LL
             program 7 jit_f
               entry
               p.0 = f32[1024] parameter(0)
               ROOT all-gather.1 = f32[2048] all-gather(p.0) channel_id=1 {groups}"
        );
        let ops = ask(&drawn(&[&text]), "ops", &[]);
        assert_eq!(ops["rows"][0]["expected_ps"], Value::Null);
        ops["rows"][0]["expectation"]
            .as_str()
            .expect("a text")
            .to_owned()
    };
    assert_eq!(
        exchange("gpu:0 nvidia H100", "replica_groups={{0,1}}"),
        "expected time unknown: its devices are not all on one host, and no bandwidth between hosts \
         is known"
    );
    assert_eq!(
        exchange("gpu:0 nvidia GTX1080Ti", "replica_groups={{0,1}}"),
        "expected time unknown: no bandwidth of the links of NVIDIA GeForce GTX 1080 Ti is known"
    );
}

/// Two steps of 1 ms on a v6e: a product, the same again as rematerialization, a product in f32 at the
/// highest precision, an opaque kernel, and copies.
const STEPS: &str = "
    host vm
    device tpu:0 v6e
    line Steps
      0..1000us 0
      1000..2000us 1
    line XLA Ops
      each [program_id=7]
      0..200us    dot.1
      200..400us  dot.1.remat
      400..500us  dot.2
      500..600us  kernel.3
      600..700us  copy.4
      1000..1200us dot.1
      1200..1400us dot.1.remat
      1400..1500us dot.2
      1500..1600us kernel.3
      1600..1700us copy.4
    program 7 jit_f
      entry
      p.0 = bf16[4096,4096] parameter(0)
      p.1 = f32[1024,1024] parameter(1)
      dot.1 = bf16[4096,4096] dot(p.0, p.0) lhs_contracting_dims={1} rhs_contracting_dims={0} op_name=\"jit(f)/jvp(layer)/dot_general\"
      dot.1.remat = bf16[4096,4096] dot(p.0, p.0) lhs_contracting_dims={1} rhs_contracting_dims={0} op_name=\"jit(f)/transpose(jvp(layer))/checkpoint/rematted_computation/dot_general\"
      dot.2 = f32[1024,1024] dot(p.1, p.1) lhs_contracting_dims={1} rhs_contracting_dims={0} operand_precision={highest,highest}
      kernel.3 = bf16[4096,4096] custom-call(p.0) custom_call_target=opaque
      ROOT copy.4 = bf16[4096,4096] copy(dot.1)
";

#[test]
fn hfu_counts_what_was_executed_and_mfu_what_the_model_needs() {
    let large = 2.0 * 4096.0_f64.powi(3);
    let small = 2.0 * 1024.0_f64.powi(3);
    let seconds = 1e-3;
    // Six passes for each operation of the small product.
    let hfu = (2.0 * large + 6.0 * small) / 918e12 / seconds;
    let mfu = (large + 6.0 * small) / 918e12 / seconds;
    let session = drawn(&[STEPS]);
    let overview = ask(&session, "overview", &[]);
    close(&overview["hfu_ratio"], hfu, 1e-9);
    close(&overview["mfu_ratio"], mfu, 1e-9);
    // The opaque kernel takes 100 of 700 us.
    close(&overview["flops_known_ratio"], 6.0 / 7.0, 1e-9);
    let derivation = overview["utilization"].as_str().expect("a text");
    assert!(
        derivation.starts_with("HFU = 277.0 GFLOP executed in the mean step ÷ ("),
        "{derivation}"
    );
    assert!(
        derivation.contains(
            "MFU counts the 139.6 GFLOP that the model needs, without 49.6 % rematerialized;"
        ),
        "{derivation}"
    );
    let roofline = ask(&session, "roofline", &[]);
    let scopes = roofline["scopes"].as_array().expect("scopes");
    for row in scopes.iter().filter(|row| row["kind"] == "step") {
        close(&row["compute_ratio"], hfu, 1e-9);
        close(&row["mfu_ratio"], mfu, 1e-9);
        close(&row["recomputed_flops"], large, 1e-9);
    }
    let stated = ask(&session, "overview", &[("model-flops", "1e11")]);
    close(&stated["hfu_ratio"], hfu, 1e-9);
    // At the rate at which the needed operations can run: (large + small) in (large + 6 small).
    let peak = 918e12 * (large + small) / (large + 6.0 * small);
    close(&stated["mfu_ratio"], 1e11 / (peak * seconds), 1e-9);
    // 6 × parameters × tokens.
    let product = ask(&session, "overview", &[("model-flops", "6 * 8M * 2^11")]);
    let needed = 6.0 * 8e6 * 2048.0;
    close(&product["mfu_ratio"], needed / (peak * seconds), 1e-9);
}

/// `fixtures/capture_demo.py`: a GPT of 2 layers on 2 × 2 devices, trained in f32. Each layer has
/// products with 12 × width² weights; the vocabulary's table is the head too, which both devices of a
/// model axis compute. Half of the scores is masked.
#[test]
fn the_demos_model_flops_are_those_of_its_formula() {
    let (layers, width, vocabulary, length, batch) = (2.0, 128.0, 512.0, 64.0, 16.0);
    let tokens = batch * length;
    let weights = 3.0 * 2.0 * tokens * (layers * 12.0 * width * width + vocabulary * width);
    let attention = 3.0 * layers * 2.0 * 2.0 * batch * length * length * width;
    let demo = corpus::fixture("demo-gpt-cpu").expect("the fixture");
    let roofline = ask(&open(&demo), "roofline", &[]);
    let scopes = roofline["scopes"].as_array().expect("scopes");
    let mean = scopes.iter().find(|row| row["kind"] == "average");
    let mean = mean.expect("a mean step");
    // The mean step is that of one device.
    let devices = 4.0;
    close(
        &mean["needed_flops"],
        (weights + attention / 2.0) / devices,
        0.02,
    );
    close(&mean["masked_flops"], attention / 2.0 / devices, 0.02);
    // Three products of the head, each once too often.
    let head = 3.0 * 2.0 * tokens * vocabulary * width;
    close(&mean["copied_flops"], head / devices, 0.02);
    let overview = ask(&open(&demo), "overview", &[]);
    let step_ps = number(&overview["step_time_ps"]["mean"]);
    close(&mean["total_ps"], step_ps, 1e-3);
    assert_eq!(number(&mean["recomputed_flops"]), 0.0);
}

/// `fixtures/capture_scan.py`: layers in a scan, computed again in the backward pass, on 4 × 2 devices.
#[test]
fn a_scan_under_checkpoint_needs_its_formula_too() {
    let (layers, width, vocabulary, length, batch) = (3.0, 128.0, 384.0, 96.0, 16.0);
    let tokens = batch * length;
    let weights = 3.0 * 2.0 * tokens * (layers * 12.0 * width * width + vocabulary * width);
    let scores = 3.0 * layers * 2.0 * 2.0 * batch * length * length * width;
    let capture = corpus::fixture("scan8-cpu").expect("the fixture");
    let roofline = ask(&open(&capture), "roofline", &[]);
    let table = roofline["scopes"].as_array().expect("scopes");
    let mean = table.iter().find(|row| row["kind"] == "average");
    let mean = mean.expect("a mean step");
    let devices = 8.0;
    close(
        &mean["needed_flops"],
        (weights + scores / 2.0) / devices,
        0.02,
    );
    close(&mean["masked_flops"], scores / 2.0 / devices, 0.02);
    // All products of the forward pass but the last of each layer, whose result nobody needs again.
    let again = 2.0 * tokens * layers * 8.0 * width * width + scores / 3.0;
    close(&mean["recomputed_flops"], again / devices, 0.02);
}

fn verdict<'a>(overview: &'a Value, key: &str) -> &'a Value {
    let verdicts = overview["verdicts"].as_array().expect("verdicts");
    let found = verdicts.iter().find(|verdict| verdict["key"] == key);
    found.unwrap_or_else(|| panic!("no verdict {key}"))
}

/// A step that copies for 97 % of its time is busy and not good.
#[test]
fn being_busy_with_copies_is_not_good() {
    let session = drawn(&["
        host vm
        device tpu:0 v6e
        line Steps
          0..1000us 0
        line XLA Ops
          each [program_id=7]
          0..970us   copy.1
          970..990us dot.2
        program 7 jit_f
          entry
          p.0 = bf16[4096,4096] parameter(0)
          copy.1 = bf16[4096,4096] copy-start(p.0)
          ROOT dot.2 = bf16[1024,1024] dot(p.0, p.0) lhs_contracting_dims={1} rhs_contracting_dims={0}
    "]);
    let overview = ask(&session, "overview", &[]);
    let busy = verdict(&overview, "device_busy_ratio");
    close(&busy["value"], 0.99, 1e-9);
    // 99 % is not bad: what the devices do instead of computing is.
    assert_eq!(busy["verdict"], "neutral", "{busy}");
    assert_eq!(busy["judged_as"], "computing 2.0 %");
    let explanation = busy["explanation"].as_str().expect("a text");
    assert!(
        explanation.contains(
            "Of the steps, they compute 2.0 %, only communicate 0.0 %, only copy 97.0 %. Being busy \
             is no good news then;"
        ),
        "{explanation}"
    );
    let copies = verdict(&overview, "copy_ratio");
    close(&copies["value"], 0.97, 1e-9);
    assert_eq!(copies["verdict"], "bad");
    let verdicts = overview["verdicts"].as_array().expect("verdicts");
    assert!(
        verdicts
            .iter()
            .all(|verdict| verdict["key"] != "device_idle_ratio")
    );
}

/// Ten milliseconds of compilation are little, unless steps wait for most of it: the row then says by
/// which figure and thresholds it is judged.
#[test]
fn compilation_is_judged_by_what_is_shown() {
    let session = drawn(&["
        host vm
        thread python
        repeat 3 every 10ms
          0..9900us train #step_num=$i,_r=1#
          100..5000us backend_compile
          5100..5200us PjitFunction(step)
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 3 every 10ms
          1..100us dot.1
          5200..9900us dot.1
        end
    "]);
    let overview = ask(&session, "overview", &[]);
    let row = verdict(&overview, "compilation_ps");
    assert_eq!(row["verdict"], "bad", "{row}");
    let by = row["judged_as"].as_str().expect("a text");
    assert!(by.ends_with("of the mean step"), "{row}");
    let thresholds = row["thresholds"].as_str().expect("a text");
    assert_eq!(thresholds, "good < 1 %, bad > 10 %", "{row}");
}

/// Work bound by compute uses little of the memory's bandwidth, and that is not bad.
#[test]
fn bandwidth_is_judged_only_where_it_limits() {
    let session = drawn(&[STEPS]);
    let overview = ask(&session, "overview", &[]);
    let bandwidth = verdict(&overview, "memory_bandwidth_ratio");
    assert_eq!(bandwidth["verdict"], "neutral", "{bandwidth}");
    let explanation = bandwidth["explanation"].as_str().expect("a text");
    assert!(explanation.contains("bound by compute"), "{explanation}");
    assert_eq!(bandwidth["judged_as"], "bound by compute");
}

/// The verdict on MFU of a step that mostly adds up arrays of 400 MB, which takes this long.
fn mfu_of_adding(microseconds: u32) -> Value {
    let session = drawn(&[&format!(
        "
        host vm
        device tpu:0 v6e
        line Steps
          0..1000us 0
        line XLA Ops
          each [program_id=7]
          0..{microseconds}us add.1
          900..910us dot.2
        program 7 jit_f
          entry
          p.0 = bf16[8192,8192] parameter(0)
          q.0 = bf16[1024,1024] parameter(1)
          r.0 = bf16[8192,8192] parameter(2)
          add.1 = bf16[8192,8192] add(p.0, r.0)
          ROOT dot.2 = bf16[1024,1024] dot(q.0, q.0) lhs_contracting_dims={{1}} rhs_contracting_dims={{0}}
    "
    )]);
    verdict(&ask(&session, "overview", &[]), "mfu_ratio").clone()
}

/// Memory excuses a low MFU where it is near its peak, and not merely because it is the nearer of two.
#[test]
fn memory_near_its_peak_excuses_a_low_mfu() {
    let near = mfu_of_adding(300);
    assert_eq!(near["verdict"], "neutral", "{near}");
    assert_eq!(near["judged_as"], "bound by memory");
    let far = mfu_of_adding(890);
    assert_eq!(far["verdict"], "bad", "{far}");
    assert_eq!(far["judged_as"], "");
}

/// Two chips of a v6e that reduce 8 MiB asynchronously. `dot.2` needs neither the sum nor what is
/// summed, but runs afterwards; `dot.3` runs meanwhile.
const UNHIDDEN: &str = "
    host vm
    device tpu:0 v6e
    line XLA Modules
      0..520us jit_step(3) [run_id=1 program_id=3]
    line XLA Ops
      each [program_id=3]
      0..100us   dot.1
      100..102us all-reduce-start.4
      102..152us dot.3
      152..302us all-reduce-done.4
      302..422us dot.2
      422..520us add.5
    device tpu:1 v6e
    line XLA Modules
      0..520us jit_step(3) [run_id=1 program_id=3]
    line XLA Ops
      each [program_id=3]
      0..100us   dot.1
      100..102us all-reduce-start.4
      102..152us dot.3
      152..302us all-reduce-done.4
      302..422us dot.2
      422..520us add.5
    program 3 jit_step
      computation add
      x = bf16[] parameter(0)
      y = bf16[] parameter(1)
      ROOT sum = bf16[] add(x, y)
      entry
      p.0 = bf16[2048,2048] parameter(0)
      dot.1 = bf16[2048,2048] dot(p.0, p.0) lhs_contracting_dims={1} rhs_contracting_dims={0}
      all-reduce-start.4 = bf16[2048,2048] all-reduce-start(dot.1) replica_groups={{0,1}} to_apply=add op_name=\"jit(step)/jvp(layer_0)/psum\" source=\"train.py:9\"
      dot.3 = bf16[2048,2048] dot(p.0, p.0) lhs_contracting_dims={1} rhs_contracting_dims={0}
      all-reduce-done.4 = bf16[2048,2048] all-reduce-done(all-reduce-start.4)
      dot.2 = bf16[2048,2048] dot(dot.3, p.0) lhs_contracting_dims={1} rhs_contracting_dims={0}
      ROOT add.5 = bf16[2048,2048] add(all-reduce-done.4, dot.2)
";

#[test]
fn collectives_are_held_against_their_links_and_what_could_hide_them() {
    let session = drawn(&[UNHIDDEN]);
    let report = ask(&session, "collectives", &[]);
    let reduce = row(&report, "all-reduce-start.4");
    // From 100 to 302 µs, of which 50 are hidden; 50 and 120 µs are independent.
    assert_eq!(number(&reduce["mean_ps"]), 202e6);
    assert_eq!(number(&reduce["independent_ps"]), 170e6);
    assert_eq!(number(&reduce["overlap_ps"]), 120e6);
    // A ring of two: each link carries ⌊2 ÷ 2⌋ ÷ 2 of the bytes twice, at 90 GB/s one way.
    let bytes = 2.0 * 2048.0 * 2048.0;
    close(&reduce["expected_ps"], bytes / 90e9 * 1e12, 1e-9);
    close(
        &reduce["times_expected"],
        202e6 / (bytes / 90e9 * 1e12),
        1e-9,
    );
    assert_eq!(reduce["core"], "TensorCore");
    let groups = |by: &str| ask(&session, "collectives", &[("by", by)])["groups"][0].clone();
    let axis = groups("axis");
    assert_eq!(axis["name"], "axis 0 (2 of 2)");
    assert_eq!(number(&axis["occurrences"]), 2.0);
    assert_eq!(number(&axis["exposed_ps"]), 2.0 * 152e6);
    assert_eq!(number(&axis["overlap_ps"]), 2.0 * 120e6);
    // All-reduce over two: the bus carries 2 (n − 1) ÷ n = 1 of the bytes.
    close(&axis["bus_bandwidth"], bytes / 202e-6, 1e-9);
    close(&axis["peak_bandwidth"], 90e9, 1e-9);
    assert_eq!(groups("source")["name"], "train.py:9");
    assert_eq!(groups("scope")["name"], "jit(step)/layer_0/psum");
    assert_eq!(groups("kind")["name"], "all-reduce");
    assert_eq!(groups("core")["name"], "TensorCore");
}

#[test]
fn a_better_overlap_and_expected_times_are_changes() {
    let session = drawn(&[UNHIDDEN]);
    let after = |change: &str| {
        let report = ask(&session, "what_if", &[("change", change)]);
        number(&report["after_ps"])
    };
    // 120 of 202 µs less.
    close(&after("overlap").into(), 400e6, 1e-9);
    // A product takes 2·2048³ ÷ 918 TFLOP/s; dot.3 runs beside the transfer, which stays.
    let each = 2.0 * 2048f64.powi(3) / 918e12 * 1e12;
    let saved = (100e6 - each) + (120e6 - each);
    close(&after("expected:^dot").into(), 520e6 - saved, 1e-6);
}
