//! `regions` on profiles small enough to work out by hand, and on every capture against a second
//! derivation from raw events.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use stepscope_analysis::find;
use stepscope_testing::corpus;
use stepscope_testing::oracle::{self, RegionKey, RegionTime};

use crate::support::{all_captures, ask, drawn, open};

fn rows(report: &Value) -> &[Value] {
    report["rows"].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().unwrap_or_default()
}

fn names(report: &Value) -> Vec<&str> {
    rows(report).iter().map(|row| text(row, "name")).collect()
}

fn row<'a>(report: &'a Value, name: &str) -> &'a Value {
    let found = rows(report).iter().find(|row| text(row, "name") == name);
    found.unwrap_or_else(|| panic!("no {name} among {:?}", names(report)))
}

/// A figure in microseconds; none where it is null.
fn micros(row: &Value, key: &str) -> Option<f64> {
    row[key].as_f64().map(|picos| picos / 1e6)
}

/// Count, total and self in microseconds.
fn sums(row: &Value) -> (i64, f64, f64) {
    let figure = |key| micros(row, key).unwrap_or(f64::NAN);
    (
        row["count"].as_i64().unwrap_or(-1),
        figure("total_ps"),
        figure("self_ps"),
    )
}

fn notes(report: &Value) -> String {
    let notes = report["notes"].as_array().map_or(&[][..], Vec::as_slice);
    let texts: Vec<&str> = notes.iter().map(|note| text(note, "text")).collect();
    texts.join("\n")
}

/// Two steps of 100 us, each with two layers, the second within itself once more.
const LAYERS: &str = "
    host vm
    thread python
      0..400us    $train.py:31 main
    repeat 2 every 200us
      0..100us    train #step_num=$i,_r=1#
      10..30us    data_loading #batch=$i#
      30..60us    layer_0
      40..50us    ParseArguments
      42..44us    layer_1
      60..90us    layer_1
      65..85us    layer_1
      70..75us    $model.py:7 attention
    end
      350..390us  layer_1
    thread worker/7
      0..50us     data_loading
";

#[test]
fn a_region_within_itself_counts_once() {
    let session = drawn(&[LAYERS]);
    let report = ask(&session, "regions", &[]);
    assert_eq!(sums(row(&report, "layer_1")), (7, 104.0, 94.0));
    let layer = row(&report, "layer_1");
    let mean = micros(layer, "mean_ps").unwrap_or_default();
    assert!(
        (mean - 144.0 / 7.0).abs() < 1e-9,
        "nested ones count as well"
    );
    assert_eq!(micros(layer, "p95_ps"), Some(40.0));
    assert_eq!(micros(&layer["longest"], "start_ps"), Some(350.0));
    assert_eq!(micros(&layer["first"], "start_ps"), Some(42.0));
    assert_eq!(
        (micros(layer, "step_ps"), layer["step_count"].as_f64()),
        (Some(32.0), Some(3.0)),
        "what begins outside of steps is no part of one"
    );
    // The runtime's time belongs to what is around it.
    assert_eq!(sums(row(&report, "layer_0")), (2, 60.0, 56.0));
    assert_eq!(sums(row(&report, "train")), (2, 200.0, 40.0));
    assert_eq!(sums(row(&report, "main")), (1, 400.0, 160.0));
    assert_eq!(text(row(&report, "attention"), "source"), "model.py:7");
    let loading = row(&report, "data_loading");
    assert_eq!(sums(loading), (3, 90.0, 90.0));
    assert_eq!(loading["thread_count"], json!(2));
    assert_eq!(
        names(&report),
        [
            "train",
            "layer_1",
            "data_loading",
            "layer_0",
            "main",
            "attention"
        ],
        "annotations come before functions"
    );
    assert!(notes(&report).contains("1 name of the runtime, such as ParseArguments"));
    assert_eq!(micros(&report, "covered_ps"), Some(450.0));
    let own: f64 = rows(&report)
        .iter()
        .filter_map(|row| row["ratio"].as_f64())
        .sum();
    assert!(
        (own - 1.0).abs() < 1e-9,
        "self times sum to what is covered"
    );
}

#[test]
fn kinds_are_chosen_and_what_is_left_out_joins_what_is_around() {
    let session = drawn(&[LAYERS]);
    let all = ask(&session, "regions", &[("kind", "all")]);
    assert_eq!(sums(row(&all, "ParseArguments")), (2, 20.0, 16.0));
    assert_eq!(sums(row(&all, "layer_0")), (2, 60.0, 40.0));
    let python = ask(&session, "regions", &[("kind", "python")]);
    assert_eq!(names(&python), ["main", "attention"]);
    assert_eq!(sums(row(&python, "main")), (1, 400.0, 390.0));
    let runtime = ask(&session, "regions", &[("kind", "runtime")]);
    assert_eq!(names(&runtime), ["ParseArguments"]);
}

#[test]
fn numbered_regions_fold() {
    let session = drawn(&[LAYERS]);
    let report = ask(&session, "regions", &[("fold", "numbers")]);
    let layers = row(&report, "layer_*");
    assert_eq!(layers["name_count"], json!(2));
    // One layer within another counts once as well: 30 + 30 in each step, and 40.
    assert_eq!(sums(layers), (9, 160.0, 150.0));
    assert!(names(&report).contains(&"train"));
}

#[test]
fn threads_and_stacks() {
    let session = drawn(&[LAYERS]);
    let report = ask(&session, "regions", &[("by", "thread"), ("match", "data")]);
    let threads: Vec<&str> = rows(&report)
        .iter()
        .map(|row| text(row, "thread"))
        .collect();
    assert_eq!(threads, ["worker/7", "python"]);
    let stacks = ask(
        &session,
        "regions",
        &[("by", "stack"), ("kind", "annotation")],
    );
    let outline: Vec<String> = rows(&stacks)
        .iter()
        .map(|row| {
            let (count, total, own) = sums(row);
            format!(
                "{} {} {count} {total} {own}",
                row["depth"],
                text(row, "name")
            )
        })
        .collect();
    assert_eq!(
        outline,
        [
            "0 train 2 200 40",
            "1 layer_0 2 60 56",
            "2 layer_1 2 4 4",
            "1 layer_1 2 60 20",
            "2 layer_1 2 40 40",
            "1 data_loading 2 40 40",
            "0 data_loading 1 50 50",
            "0 layer_1 1 40 40",
        ]
    );
    let few = ask(
        &session,
        "regions",
        &[("by", "stack"), ("kind", "annotation"), ("limit", "3")],
    );
    assert_eq!(
        names(&few),
        [
            "train", "layer_0", "(other)", "layer_1", "(other)", "(other)", "(other)"
        ],
        "what is left out is told below its parent, the roots last"
    );
    assert_eq!(few["row_count"], json!(8));
    let sum = |report: &Value| -> i64 {
        rows(report)
            .iter()
            .filter_map(|row| row["self_ps"].as_i64())
            .sum()
    };
    assert_eq!(sum(&few), sum(&stacks));
}

#[test]
fn a_selection_is_what_begins_in_it() {
    let session = drawn(&[LAYERS]);
    let report = ask(&session, "regions", &[("steps", "1")]);
    assert_eq!(sums(row(&report, "layer_1")), (3, 32.0, 27.0));
    assert_eq!(sums(row(&report, "train")), (1, 100.0, 20.0));
    assert!(!names(&report).contains(&"main"), "it began before");
    let stacks = ask(&session, "regions", &[("by", "stack"), ("steps", "1")]);
    let main = row(&stacks, "main");
    assert_eq!(sums(main), (0, 100.0, 0.0), "around what was selected");
    assert_eq!(main["mean_ps"], Value::Null);
    assert!(notes(&stacks).contains("count of 0"));
    let found = ask(
        &session,
        "regions",
        &[("by", "stack"), ("match", "layer_0")],
    );
    assert_eq!(names(&found), ["main", "train", "layer_0", "layer_1"]);
    let early = ask(&session, "regions", &[("time", "..60us")]);
    assert_eq!(sums(row(&early, "data_loading")), (2, 70.0, 70.0));
}

#[test]
fn sorting_by_an_unknown_column_is_refused() {
    let session = drawn(&[LAYERS]);
    let entry = find("regions").expect("registered");
    for by in ["name", "stack"] {
        let answer = entry.run_pairs(&session, [("sort", "color"), ("by", by)]);
        let error = answer
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default();
        assert!(error.contains("total_ps, self_ps"), "{error}");
    }
    let mean = ask(&session, "regions", &[("sort", "-mean_ps"), ("limit", "1")]);
    assert_eq!(names(&mean), ["attention"]);
}

/// A GPU with two streams; the last kernel was launched by nobody that was recorded.
const GPU: &str = "
    host vm
    device gpu:0 nvidia H100
    stream 7 Compute
      100..200us gemm [correlation_id=1]
      200..250us gemm [correlation_id=2]
    stream 9 MemcpyH2D
      120..150us MemcpyH2D [correlation_id=3]
    thread python
      0..50us   forward_pass
      10..12us  cuLaunchKernel [correlation_id=1]
      20..40us  layer_0
      22..24us  cuMemcpyHtoDAsync [correlation_id=3]
      60..90us  backward_pass
      70..72us  cuLaunchKernel [correlation_id=2]
      92..99us  logging
";

#[test]
fn device_time_is_that_of_what_was_launched_within() {
    let session = drawn(&[GPU]);
    let report = ask(&session, "regions", &[]);
    let device = |name: &str| micros(row(&report, name), "device_ps");
    assert_eq!(device("forward_pass"), Some(130.0), "whenever it ran");
    assert_eq!(device("layer_0"), Some(30.0));
    assert_eq!(device("backward_pass"), Some(50.0));
    assert_eq!(device("logging"), Some(0.0), "all launches are known");
    assert_eq!(report["device_ratio"], json!(1.0));
    let lost = GPU.replace(
        "70..72us  cuLaunchKernel [correlation_id=2]",
        "70..72us  sync",
    );
    let report = ask(&drawn(&[&lost]), "regions", &[]);
    assert_eq!(
        micros(row(&report, "forward_pass"), "device_ps"),
        Some(130.0)
    );
    assert_eq!(row(&report, "logging")["device_ps"], Value::Null, "not 0");
    assert!(notes(&report).contains("Launches were found for 72.2 % of the device time"));
}

/// Runtimes name what launches a kernel after it.
#[test]
fn names_of_kernels_are_no_annotations() {
    let named = GPU
        .replace("100..200us gemm", "100..200us loop_add_fusion.kd")
        .replace(
            "20..40us  layer_0",
            "8..14us loop_add_fusion\n      20..40us  layer_0",
        );
    let session = drawn(&[&named]);
    let report = ask(&session, "regions", &[]);
    assert!(!names(&report).contains(&"loop_add_fusion"), "{report}");
    assert_eq!(
        micros(row(&report, "forward_pass"), "device_ps"),
        Some(130.0)
    );
    let all = ask(&session, "regions", &[("kind", "all")]);
    assert_eq!(text(row(&all, "loop_add_fusion"), "kind"), "runtime");
}

#[test]
fn launches_on_threads_without_regions_leave_device_time_unknown() {
    let apart = GPU
        .replace("[correlation_id=1]\n      20", "\n      20")
        .replace(
            "22..24us  cuMemcpyHtoDAsync [correlation_id=3]",
            "22..24us  copy",
        )
        .replace(
            "70..72us  cuLaunchKernel [correlation_id=2]",
            "70..72us  launch",
        );
    let apart = format!(
        "{apart}
    thread Host Threads/1083
      10..12us  cuLaunchKernel [correlation_id=1]
      22..24us  cuMemcpyHtoDAsync [correlation_id=3]
      70..72us  cuLaunchKernel [correlation_id=2]
"
    );
    let report = ask(&drawn(&[&apart]), "regions", &[]);
    for row in rows(&report) {
        assert_eq!(row["device_ps"], Value::Null, "{row}");
    }
    let told = notes(&report);
    assert!(told.contains("Device time is unknown"), "{told}");
    assert!(
        told.contains("on separate threads: Host Threads/1083"),
        "{told}"
    );
}

/// XLA:CPU: a run of two ops, launched within `forward_pass`.
const CPU: &str = "
    host vm
    program 5 jit_step
      ROOT add.1 = f32[8] parameter(0)
    thread python
      0..50us   forward_pass
      10..20us  PjitFunction(step)
      11..19us  PjitFunction(step)
      60..90us  evaluation
      65..80us  PjitFunction(step)
    thread tf_XLAEigen/42
    each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
      30..70us  add.1 [run_id=7]
      85..95us  add.1 [run_id=8]
";

#[test]
fn runs_go_to_their_calls() {
    let session = drawn(&[CPU]);
    let report = ask(&session, "regions", &[]);
    let device = |report: &Value, name: &str| micros(row(report, name), "device_ps");
    assert_eq!(device(&report, "forward_pass"), Some(40.0));
    assert_eq!(device(&report, "evaluation"), Some(10.0));
    assert!(
        notes(&report).contains("matched in order"),
        "{}",
        notes(&report)
    );
    // The same with the run's number on a call, and with a run too many to pair them off.
    let known = CPU
        .replace(
            "11..19us  PjitFunction(step)",
            "11..19us  Execute [run_id=7]",
        )
        .replace(
            "65..80us  PjitFunction(step)",
            "65..80us  Execute [run_id=8]",
        );
    let report = ask(&drawn(&[&known]), "regions", &[]);
    assert_eq!(device(&report, "forward_pass"), Some(40.0));
    assert!(!notes(&report).contains("matched in order"));
    let odd = format!("{CPU}      97..98us  add.1 [run_id=9]\n");
    let report = ask(&drawn(&[&odd]), "regions", &[]);
    assert_eq!(device(&report, "forward_pass"), None);
    assert!(notes(&report).contains("Device time is unknown"));
}

/// Two threads that run a program each, side by side for 40 of 60 us.
#[test]
fn runs_side_by_side_launch_no_instant_twice() {
    let session = drawn(&["
        host vm
        thread one
          0..20us   first
          10..12us  Execute [run_id=7]
        thread two
          0..30us   second
          20..22us  Execute [run_id=8]
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
          30..80us  add.1 [run_id=7]
        thread tf_XLAEigen/43
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
          40..90us  add.1 [run_id=8]
    "]);
    let report = ask(&session, "regions", &[]);
    let device = |name: &str| micros(row(&report, name), "device_ps");
    assert_eq!(device("first"), Some(30.0), "10 alone, half of 40");
    assert_eq!(device("second"), Some(30.0));
    assert_eq!(report["device_ratio"], json!(1.0));
}

#[test]
fn within_the_compiler_all_is_the_runtimes() {
    let session = drawn(&["
        host vm
        thread python
          0..90us  PjitFunction(step)
          5..30us  trace_to_jaxpr_dynamic
          10..20us layer_0
          40..80us backend_compile_and_load
          50..60us simplify_all
          62..70us $callbacks.py:3 on_compile
    "]);
    let report = ask(&session, "regions", &[]);
    assert_eq!(names(&report), ["layer_0", "on_compile"]);
    let all = ask(&session, "regions", &[("kind", "all")]);
    assert_eq!(text(row(&all, "simplify_all"), "kind"), "runtime");
}

#[test]
fn a_session_without_regions_says_how_to_open_some() {
    let session = drawn(&["
        host vm
        thread python
          0..90us  PjitFunction(step)
    "]);
    let report = ask(&session, "regions", &[]);
    assert!(rows(&report).is_empty());
    assert!(notes(&report).contains("opened no region"));
    let python = ask(&session, "regions", &[("kind", "python")]);
    assert!(notes(&python).contains("Python tracer was off"));
}

/// Every region of every capture, by brute force: all kinds, and functions of Python alone, whose
/// figures depend on what is left out around and within them.
#[test]
fn every_capture_by_brute_force() {
    for capture in all_captures() {
        let session = open(&capture);
        for (kind, is_wanted) in [
            ("all", (|_| true) as fn(&str) -> bool),
            ("python", |name| name.starts_with('$')),
        ] {
            let mut expected: BTreeMap<RegionKey, RegionTime> = BTreeMap::new();
            for path in &capture.hosts {
                let space = corpus::read_space(path).expect("a capture can be decoded");
                for (key, time) in oracle::regions(&space, is_wanted) {
                    let sum = expected.entry(key).or_default();
                    sum.total_ps += time.total_ps;
                    sum.self_ps += time.self_ps;
                    sum.durations_ps.extend(time.durations_ps);
                }
            }
            let options = [("kind", kind), ("limit", "0")];
            let report = ask(&session, "regions", &options);
            let what = format!("{} {kind}", capture.name);
            compare(&what, &report, expected);
        }
    }
}

fn compare(what: &str, report: &Value, mut expected: BTreeMap<RegionKey, RegionTime>) {
    // A name may be the program's in one place and the compiler's in another.
    let mut found: BTreeMap<RegionKey, Vec<&Value>> = BTreeMap::new();
    for row in rows(report) {
        let key = (text(row, "name").to_owned(), text(row, "source").to_owned());
        found.entry(key).or_default().push(row);
    }
    for (key, rows) in found {
        let what = format!("{what} {key:?}");
        let mut time = expected.remove(&key).unwrap_or_else(|| panic!("{what}"));
        let sum = |figure: &str| -> i128 {
            let figures = rows.iter().filter_map(|row| row[figure].as_i64());
            figures.map(i128::from).sum()
        };
        assert_eq!(
            sum("count"),
            time.durations_ps.len() as i128,
            "{what}: count"
        );
        assert_eq!(sum("total_ps"), time.total_ps, "{what}: total");
        assert_eq!(sum("self_ps"), time.self_ps, "{what}: self");
        let [row] = rows.as_slice() else { continue };
        time.durations_ps.sort_unstable();
        let count = time.durations_ps.len();
        let p95 = time.durations_ps[(count * 95).div_ceil(100).max(1) - 1];
        let told = i128::from(row["p95_ps"].as_i64().unwrap_or(-1));
        let allowed = if count <= 256 { 0 } else { p95 / 250 + 1 };
        assert!((told - p95).abs() <= allowed, "{what}: {told} is not {p95}");
        let longest = i128::from(row["longest"]["duration_ps"].as_i64().unwrap_or(-1));
        assert_eq!(Some(&longest), time.durations_ps.last(), "{what}: longest");
        let sum: i128 = time.durations_ps.iter().sum();
        let mean = row["mean_ps"].as_f64().unwrap_or(-1.0);
        assert!(
            (mean - sum as f64 / count as f64).abs() <= 1e-6 * mean.max(1.0),
            "{what}"
        );
    }
    assert!(
        expected.is_empty(),
        "{what}: not told: {:?}",
        expected.keys()
    );
}
