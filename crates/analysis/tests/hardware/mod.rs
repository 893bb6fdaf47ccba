//! `roofline`, `op_tree`, `kernels` and `counters` on drawings worked out by hand, and against second
//! derivations from the raw events of captures.

mod launches;
mod monitors;
mod raw_events;
mod roofs;

use serde_json::{Value, json};

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
