//! Analyses on profiles small enough to work out by hand.

use serde_json::{Value, json};
use stepscope_analysis::find;

use crate::support::{ask, drawn};

/// One training step of 100 us on one GPU, annotated, with every part in it.
const GPU_STEPS: &str = "
    host vm
    device gpu:0 nvidia H100
    stream 7 Compute,MemcpyH2D
      10..20us  MemcpyH2D [memcpy_details=\"kind_src:pageable kind_dst:device size:1000 dest:0 async:1\"]
      20..50us  gemm_kernel [hlo_op=dot.1 program_id=5 hlo_module=jit_step correlation_id=11]
      60..70us  ncclDevKernel_AllReduce [hlo_op=all-reduce.2 program_id=5 hlo_module=jit_step correlation_id=12]
    stream 8 Compute
      45..55us  add_kernel [hlo_op=add.3 program_id=5 hlo_module=jit_step correlation_id=13]
    thread python
      0..100us  train #step_num=3,_r=1#
      0..4us    data_loading
      4..8us    backend_compile
      8..10us   PjitFunction(step)
      80..90us  PjitFunction(other)
      90..98us  block_until_ready
    thread worker/9
      70..75us  LLVM compile
      75..80us  data_loading
";

fn rows(report: &Value) -> Vec<Value> {
    report["rows"].as_array().cloned().unwrap_or_default()
}

fn picos(row: &Value, key: &str) -> i64 {
    row[key]
        .as_i64()
        .unwrap_or_else(|| panic!("no {key} in {row}"))
}

#[test]
fn every_instant_of_a_step_has_one_part() {
    let session = drawn(&[GPU_STEPS]);
    let steps = rows(&ask(&session, "steps", &[]));
    assert_eq!(steps.len(), 1);
    let row = &steps[0];
    assert_eq!(
        (picos(row, "step"), picos(row, "duration_ps")),
        (3, 100_000_000)
    );
    let micros = |key: &str| picos(row, key) / 1_000_000;
    assert_eq!(micros("device_compute_ps"), 35, "20..55, streams overlap");
    assert_eq!(micros("collectives_ps"), 10);
    assert_eq!(micros("host_to_device_ps"), 10);
    assert_eq!(micros("busy_ps"), 55);
    assert_eq!(
        micros("input_wait_ps"),
        4,
        "the worker's loading holds nobody up"
    );
    assert_eq!(
        micros("compilation_ps"),
        4 + 5,
        "compilation counts on any thread"
    );
    assert_eq!(micros("host_overhead_ps"), 2 + 10);
    assert_eq!(micros("idle_ps"), 100 - 55 - 4 - 9 - 12);
}

#[test]
fn an_overview_of_the_same_step() {
    let session = drawn(&[GPU_STEPS]);
    let report = ask(&session, "overview", &[]);
    assert_eq!(report["step_time_ps"]["mean"], json!(1e8));
    assert_eq!(report["step_time_ps"]["source"], json!("annotation"));
    assert!((report["device_busy_ratio"].as_f64().expect("a device") - 0.55).abs() < 1e-12);
    let sum: f64 = rows_of(&report, "step_parts")
        .iter()
        .filter_map(|p| p["mean_ps"].as_f64())
        .sum();
    assert!((sum - 1e8).abs() < 1.0);
    let verdict = |report: &Value, key: &str| {
        let verdicts = rows_of(report, "verdicts");
        let found = verdicts.iter().find(|verdict| verdict["key"] == json!(key));
        found.unwrap_or_else(|| panic!("no {key}"))["verdict"].clone()
    };
    assert_eq!(
        verdict(&report, "device_busy_ratio"),
        json!("warning"),
        "busy for 55 %, good from 80 % on and bad below 50 %"
    );
    assert_eq!(
        verdict(&report, "host_overhead_ratio"),
        json!("warning"),
        "12 %"
    );
    assert_eq!(verdict(&report, "kernel_duration_ps"), json!("bad"));
    assert_eq!(verdict(&report, "peak_memory_ratio"), json!("unknown"));
    let lenient = ask(
        &session,
        "overview",
        &[("thresholds", "device_busy_ratio = 0.9 0.3")],
    );
    assert_eq!(verdict(&lenient, "device_busy_ratio"), json!("warning"));
}

#[test]
fn host_and_device_time_of_a_step_and_why_the_device_idles() {
    let session = drawn(&[GPU_STEPS]);
    let balance = ask(&session, "overview", &[])["step_balance"].clone();
    let micros = |value: &Value| value.as_f64().map(|ps| (ps / 1e6).round());
    assert_eq!(micros(&balance["host_step_ps"]), Some(100.0));
    assert_eq!(micros(&balance["device_step_ps"]), Some(100.0));
    assert_eq!(micros(&balance["device_busy_ps"]), Some(55.0));
    assert_eq!(micros(&balance["device_idle_ps"]), Some(45.0));
    let idle: Vec<_> = rows_of(&balance, "idle")
        .iter()
        .map(|share| (share["kind"].clone(), micros(&share["mean_ps"])))
        .collect();
    let expected = [
        (json!("input"), Some(4.0)),
        (json!("compilation"), Some(9.0)),
        (json!("kernel_launch"), Some(12.0)),
        (json!("all_others"), Some(20.0)),
    ];
    assert_eq!(idle, expected);
    let mostly = &balance["idle"][3]["mostly"];
    assert_eq!(mostly, "waiting for a device, lock or thread");

    let unmarked = GPU_STEPS.replace("0..100us  train #step_num=3,_r=1#", "");
    let balance = ask(&drawn(&[&unmarked]), "overview", &[])["step_balance"].clone();
    assert!(balance["host_step_ps"].is_null(), "{balance}");
    let idle = drawn(&["host vm\nthread python\n0..9us train #step_num=1,_r=1#\n"]);
    assert!(ask(&idle, "overview", &[])["step_balance"].is_null());
}

/// Gaps too short to be listed are counted by length like the others: together they are the idle time.
#[test]
fn gaps_by_length_are_all_gaps() {
    let report = ask(&drawn(&[GPU_STEPS]), "idle", &[]);
    let buckets = rows_of(&report, "buckets");
    let device = &rows_of(&report, "devices")[0];
    assert!(picos(device, "short_count") > 0, "55..60: {device}");
    let sum = |key: &str| buckets.iter().map(|row| picos(row, key)).sum::<i64>();
    let gaps = picos(device, "gap_count") + picos(device, "short_count");
    assert_eq!(sum("count"), gaps, "{buckets:?}");
    assert_eq!(sum("total_ps"), picos(device, "idle_ps"), "{buckets:?}");
    for end in [buckets.first(), buckets.last()] {
        assert!(picos(end.expect("some"), "count") > 0, "{buckets:?}");
    }
}

/// One chip works in the steps, one only after them, and one never.
#[test]
fn devices_that_work_at_other_times_are_told_apart() {
    let session = drawn(&["
        host vm
        device tpu:0 v6e
        line Steps
          0..100us 0
          100..200us 1
        line XLA Ops
          0..80us dot.1
          100..180us dot.1
        device tpu:1 v6e
        line XLA Ops
          500..510us dot.1
        device tpu:2 v6e
    "]);
    let overview = ask(&session, "overview", &[]);
    let note = |id: &str| {
        let notes = rows_of(&overview, "notes");
        let found = notes.iter().find(|note| note["id"] == json!(id));
        found.unwrap_or_else(|| panic!("{id}: {notes:?}"))["text"].clone()
    };
    assert_eq!(
        note("devices-without-work"),
        json!("1 device of 3 recorded no work and is excluded from means: TPU:2.")
    );
    assert_eq!(
        note("devices-outside-of-steps"),
        json!(
            "Excluded from means, as in `idle`, because they worked only outside of the steps: TPU:1."
        )
    );
    let verdict = ask(&session, "verdict", &[]).to_string();
    assert!(
        verdict.contains("1 of 3 devices worked only outside of the steps: TPU:1."),
        "{verdict}"
    );
}

#[test]
fn the_largest_op_is_judged_by_its_time_in_a_step() {
    let top = |duration: &str| {
        let long = GPU_STEPS.replace("20..50us  gemm", &format!("20us..{duration}  gemm"));
        let long = long.replace("0..100us  train", "0..100ms  train");
        let report = ask(&drawn(&[&long]), "overview", &[]);
        let verdicts = rows_of(&report, "verdicts");
        let found = verdicts
            .iter()
            .find(|verdict| verdict["key"] == json!("top_op_ps"));
        found.expect("listed")["verdict"].clone()
    };
    // Its share of the work is bad in all of them.
    assert_eq!(top("9ms"), json!("neutral"));
    assert_eq!(top("30ms"), json!("warning"));
    assert_eq!(top("80ms"), json!("bad"));
}

#[test]
fn a_long_op_of_a_small_share_is_no_problem_of_its_own() {
    let ops = "1..20ms  a\n      20..40ms  b\n      40..60ms  c\n      60..80ms  gemm";
    let many = GPU_STEPS.replace("20..50us  gemm", ops);
    let many = many.replace("0..100us  train", "0..100ms  train");
    let report = ask(&drawn(&[&many]), "overview", &[]);
    let verdict = |key: &str| {
        let verdicts = rows_of(&report, "verdicts");
        let found = verdicts.iter().find(|verdict| verdict["key"] == json!(key));
        found.expect("listed")["verdict"].clone()
    };
    assert_eq!(verdict("dominant_op_ratio"), json!("good"));
    assert_eq!(verdict("top_op_ps"), json!("neutral"));
}

fn rows_of(report: &Value, key: &str) -> Vec<Value> {
    report[key].as_array().cloned().unwrap_or_default()
}

#[test]
fn kernels_and_copies_are_apart() {
    let session = drawn(&[GPU_STEPS]);
    let report = ask(&session, "kernels", &[]);
    let names: Vec<_> = rows(&report)
        .iter()
        .map(|row| row["name"].clone())
        .collect();
    assert_eq!(
        names,
        ["gemm_kernel", "add_kernel", "ncclDevKernel_AllReduce"]
    );
    assert_eq!(rows(&report)[1]["stream"], json!("8"));
    let copies = rows_of(&report, "transfers");
    assert_eq!(copies.len(), 1);
    assert_eq!(copies[0]["direction"], json!("host_to_device"));
    assert_eq!(copies[0]["bytes"], json!(1000));
    assert!((copies[0]["bandwidth"].as_f64().expect("sized") - 1e8).abs() < 1e-3);
}

#[test]
fn work_of_an_op_with_two_kernels_counts_once() {
    let session = drawn(&["
        host vm
        device gpu:0 nvidia H100
        stream 7 Compute
        repeat 3 every 100us
          0..10us   gemm   [hlo_op=dot.1 program_id=5 hlo_module=jit_step run_id=$i]
          10..15us  splitk [hlo_op=dot.1 program_id=5 hlo_module=jit_step run_id=$i]
        end
        program 5 jit_step
          p.0 = f32[8,16] parameter(0)
          ROOT dot.1 = f32[8,8] dot(p.0, p.0) op_name=\"jit(step)/mul\" source=\"train.py:7\"
    "]);
    let report = ask(&session, "ops", &[]);
    let row = &rows(&report)[0];
    assert_eq!(picos(row, "occurrences"), 6);
    assert_eq!(picos(row, "executions"), 3);
    assert_eq!(picos(row, "total_ps"), 45_000_000);
    let flops = row["flops"].as_f64().expect("computed from the HLO");
    let rate = row["flop_rate"].as_f64().expect("has work");
    assert!((rate - flops * 3.0 / 45e-6).abs() < 1e-6 * rate);
    let scopes = rows(&ask(&session, "scopes", &[]));
    let paths: Vec<_> = scopes.iter().map(|row| row["path"].clone()).collect();
    assert_eq!(paths, ["jit(step)", "jit(step)/mul"]);
    let sources = rows(&ask(&session, "scopes", &[("by", "source")]));
    assert_eq!(sources[0]["name"], json!("train.py"));
}

#[test]
fn annotations_of_asynchronous_steps_are_no_overhead() {
    let session = drawn(&["
        host vm
        device gpu:0 nvidia H100
        stream 7 Compute
        repeat 5 every 100us
          60..110us  gemm [hlo_op=dot.1 program_id=5 hlo_module=jit_step correlation_id=$i]
        end
        thread python
        repeat 5 every 100us
          0..90us  train #step_num=$i,_r=1#
          35..38us cuLaunchKernel [correlation_id=$i]
        end
    "]);
    let report = ask(&session, "steps", &[]);
    let rows = rows(&report);
    assert_eq!(picos(&rows[0], "duration_ps"), 110_000_000, "its call, too");
    for row in &rows[1..4] {
        assert_eq!(
            picos(row, "duration_ps"),
            100_000_000,
            "from the end of work to the end of work: {row}"
        );
        assert_eq!(picos(row, "busy_ps"), 50_000_000);
        assert_eq!(
            picos(row, "host_overhead_ps"),
            3_000_000,
            "the launch alone: {row}"
        );
        assert_eq!(picos(row, "idle_ps"), 47_000_000);
    }
}

#[test]
fn selections_cut_what_is_looked_at() {
    let session = drawn(&["
        host vm
        thread python
        repeat 4 every 100us
          0..90us train #step_num=$i,_r=1#
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 4 every 100us
          10..40us fusion.1
          50..80us all-reduce
        end
    "]);
    let occurrences = |options: &[(&str, &str)]| -> Vec<i64> {
        rows(&ask(&session, "ops", options))
            .iter()
            .map(|row| picos(row, "occurrences"))
            .collect()
    };
    assert_eq!(occurrences(&[]), [4, 4]);
    assert_eq!(occurrences(&[("steps", "1..3")]), [2, 2]);
    assert_eq!(occurrences(&[("match", "fusion")]), [4]);
    // What begins within a time counts, also where it ends later.
    assert_eq!(occurrences(&[("time", "..120us")]), [2, 1]);
    assert_eq!(occurrences(&[("time", "110us..151us,310us..")]), [2, 2]);
    assert_eq!(
        occurrences(&[("time", "100us..200us"), ("steps", "1")]),
        [1, 1]
    );
    let timed = rows(&ask(&session, "steps", &[("time", "50us..250us")]));
    assert_eq!(timed.len(), 2);
    assert_eq!(occurrences(&[("limit", "1")]), [4]);
    let steps = rows(&ask(&session, "steps", &[("steps", "2..")]));
    assert_eq!(steps.len(), 2);
    let busy = ask(&session, "overview", &[("steps", "1")]);
    let ratio = busy["device_busy_ratio"].as_f64().expect("a device");
    assert!((ratio - 60.0 / 90.0).abs() < 1e-12);
    let names: Vec<_> = rows(&ask(&session, "ops", &[("sort", "-name")]))
        .iter()
        .map(|row| row["name"].clone())
        .collect();
    assert_eq!(names, ["fusion.1", "all-reduce"]);
    let ops = find("ops").expect("registered");
    assert!(ops.run_pairs(&session, [("sort", "color")]).is_err());
    assert!(ops.run_pairs(&session, [("steps", "77")]).is_err());
    assert!(ops.run_pairs(&session, [("time", "7s..")]).is_err());
    assert!(ops.run_pairs(&session, [("time", "soon")]).is_err());
    assert!(ops.run_pairs(&session, [("device", "GPU")]).is_err());
}

#[test]
fn a_profile_without_devices_still_answers() {
    let session = drawn(&["
        host vm
        thread python
        repeat 2 every 100us
          0..90us train #step_num=$i,_r=1#
          10..30us data_loading
        end
    "]);
    let steps = rows(&ask(&session, "steps", &[]));
    assert_eq!(steps.len(), 2);
    assert_eq!(steps[0]["device"], json!(""));
    assert_eq!(picos(&steps[0], "input_wait_ps"), 20_000_000);
    for name in ["overview", "ops", "scopes", "kernels"] {
        let report = ask(&session, name, &[]);
        assert!(
            !rows_of(&report, "notes").is_empty(),
            "{name} says why it is empty"
        );
    }
}
