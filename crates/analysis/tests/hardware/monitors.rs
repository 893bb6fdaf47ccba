//! Counters, sampled monitors and registers; and what is said where there are none.

use serde_json::json;

use super::{CPU, GPU, TPU, named, near, rows};
use crate::support::{ask, drawn};

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
