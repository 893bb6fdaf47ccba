//! What is unknown is absent, and what kernels record of themselves is shown: custom calls, counters
//! on rows of slices, regions within kernels. The profiles are drawn.

use serde_json::{Value, json};

use crate::support::{ask, drawn};

/// `dot.1` works for 10 µs of 40 with 918 MFLOP, a tenth of the peak. Nothing is recorded of what
/// `opaque.2` computes in 20 µs; the two runs of `counted.3` say it each for itself; `alloc.4`
/// reserves memory.
const KERNELS: &str = "
    host vm
    device tpu:0 v6e {peak_hbm_bw_gigabytes_per_second=1000.0}
    line XLA Ops
      0..10us   dot.1    {hlo_category=\"convolution fusion\" program_id=5 flops=918000000 model_flops=918000000 bytes_accessed=1000000}
      10..30us  \"%opaque.2 = f32[8] custom-call(%p), custom_call_target=\\\"tpu_custom_call\\\"\" {hlo_category=custom-call program_id=5 flops=0 bytes_accessed=2000000}
      30..35us  counted.3 [flops=1000000 model_flops=1000000 bytes_accessed=500] {hlo_category=custom-call program_id=5}
      35..40us  counted.3 [flops=3000000 model_flops=3000000 bytes_accessed=1500]
      40..40us  \"%alloc.4 = f32[8] custom-call(), custom_call_target=\\\"AllocateBuffer\\\"\" {hlo_category=custom-call program_id=5 flops=0 bytes_accessed=0}
";

fn named<'a>(report: &'a Value, key: &str, name: &str) -> &'a Value {
    let rows = report[key].as_array().map_or(&[][..], Vec::as_slice);
    let found = rows.iter().find(|row| row["name"] == json!(name));
    found.unwrap_or_else(|| panic!("no {name} in {key}: {report}"))
}

#[track_caller]
fn near(value: &Value, expected: f64) {
    let found = value.as_f64().unwrap_or(f64::NAN);
    let difference = (found - expected).abs();
    assert!(
        difference <= 1e-9 * expected.abs().max(1e-9),
        "{found} is not {expected}"
    );
}

#[test]
fn a_custom_call_without_a_cost_has_no_rate_and_no_bound() {
    let session = drawn(&[KERNELS]);
    let ops = ask(&session, "ops", &[]);
    let opaque = named(&ops, "rows", "opaque.2");
    for figure in ["flops", "flop_rate", "roofline_ratio"] {
        assert_eq!(opaque[figure], Value::Null, "{figure}");
    }
    assert_eq!(opaque["bound_by"], json!(""));
    near(&opaque["bandwidth"], 1e11);
    let reserved = named(&ops, "rows", "alloc.4");
    near(&reserved["flops"], 0.0);
    // Half of the time, and every figure of FLOPs says so.
    near(&ops["flops_unknown_ratio"], 0.5);
    for analysis in ["ops", "roofline", "op_tree"] {
        let report = ask(&session, analysis, &[]);
        near(&report["flops_unknown_ratio"], 0.5);
        let notes = report["notes"].to_string();
        assert!(notes.contains("FLOPs are unknown"), "{analysis}: {notes}");
        assert!(notes.contains("cost_estimate"), "{analysis}: {notes}");
    }
    assert!(
        ask(&session, "overview", &[])["notes"]
            .to_string()
            .contains("FLOPs are unknown")
    );
}

#[test]
fn work_recorded_with_each_event_is_that_of_the_mean_event() {
    let ops = ask(&drawn(&[KERNELS]), "ops", &[]);
    let counted = named(&ops, "rows", "counted.3");
    near(&counted["flops"], 2e6);
    near(&counted["bytes"], 1000.0);
    near(&counted["flop_rate"], 4e6 / 10e-6);
    assert_eq!(counted["cost_source"], json!("recorded"));
}

#[test]
fn a_roofline_of_several_counts_what_is_known() {
    let report = ask(&drawn(&[KERNELS]), "roofline", &[]);
    let total = named(&report, "scopes", "total");
    near(&total["flops"], 918e6 + 4e6);
    near(&total["bytes"], 3_002_000.0);
    let opaque = named(&report, "rows", "opaque.2");
    assert_eq!(
        (&opaque["intensity"], &opaque["flop_rate"]),
        (&Value::Null, &Value::Null)
    );
}

/// A kernel of 227 µs that waits for its inputs for 173 of them, and samples of its units, as slices.
const WATCHED: &str = "
    host vm
    device tpu:0 v6e
    line XLA Ops
    repeat 2 every 300us
      0..227us   kernel.1 {hlo_category=custom-call program_id=5}
      230..290us dot.2    {hlo_category=\"convolution fusion\" program_id=5 flops=1000 bytes_accessed=1000}
    end
    line XLA TraceMe
    repeat 2 every 300us
      0..227us   ep_pipeline
      1..174us   ep_wait_in
      174..226us ep_run_kernel
    end
    line _counters_
    repeat 2 every 300us
      0..100us   MXU           [utilization=12.5 group_id=7]
      100..200us MXU           [utilization=37.5 group_id=7]
      0..100us   \"Vector spills\" [counter_value=3]
      100..200us \"Vector spills\" [counter_value=0]
    end
";

#[test]
fn samples_that_are_slices_are_counters() {
    let report = ask(&drawn(&[WATCHED]), "counters", &[]);
    let unit = named(&report, "rows", "MXU");
    assert_eq!(unit["sample_count"], json!(4));
    near(&unit["mean"], 25.0);
    near(&unit["max"], 37.5);
    near(&named(&report, "rows", "Vector spills")["mean"], 1.5);
    let bare = WATCHED
        .replace("[utilization=12.5 group_id=7]", "")
        .replace("[utilization=37.5 group_id=7]", "")
        .replace("[counter_value=3]", "")
        .replace("[counter_value=0]", "");
    let report = ask(&drawn(&[&bare]), "counters", &[]);
    let notes = report["notes"].to_string();
    assert!(
        notes.contains("8 events on counter tracks, but none has a value"),
        "{notes}"
    );
}

#[test]
fn regions_within_kernels_stand_with_their_ops() {
    let report = ask(&drawn(&[WATCHED]), "ops", &[]);
    let wait = named(&report, "regions", "ep_wait_in");
    assert_eq!(
        (&wait["op"], &wait["occurrences"]),
        (&json!("kernel.1"), &json!(2))
    );
    near(&wait["total_ps"], 346e6);
    near(&wait["op_ratio"], 173.0 / 227.0);
    assert_eq!(wait["is_wait"], json!(true));
    assert_eq!(
        named(&report, "regions", "ep_run_kernel")["is_wait"],
        json!(false)
    );
}

/// Blocking calls that follow on each other without a gap are as many stops as there are calls.
#[test]
fn each_host_sync_counts() {
    let calls: Vec<String> = (0..30)
        .map(|call| {
            let start = 100 + call * 20;
            // What the runtime waits for within the call is no further stop.
            format!(
                "{start}..{}us np.asarray(jax.Array)\n{}..{}us CommonPjRtBuffer::Await",
                start + 20,
                start + 1,
                start + 19
            )
        })
        .collect();
    let text = format!(
        "host vm
        thread python
        repeat 4 every 1000us
          0..990us train #step_num=$i,_r=1#
          {}
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 4 every 1000us
          1..100us dot.1
        end",
        calls.join("\n")
    );
    let report = ask(&drawn(&[&text]), "advice", &[]);
    let findings = report["findings"].as_array().map_or(&[][..], Vec::as_slice);
    let syncs = findings
        .iter()
        .find(|found| found["id"] == json!("host_syncs"));
    let what = syncs.map_or("", |found| found["what"].as_str().unwrap_or_default());
    assert!(
        what.starts_with(
            "The host waits for the device 30 times in the median step (30 times to copy"
        ),
        "{what:?} in {report}"
    );
}

/// A kernel of 100 us on two rows that were traced within it: its matrix unit works for 60 us.
const TRACED: &str = "
    host vm
    device tpu:0 v6e
    line XLA Ops
      0..100us   kernel.1 {hlo_category=custom-call program_id=5}
    line Pallas Primitives
      0..70us    dot_general
      70..90us   swap
    line LLO Ops
      5..65us    MXU
      0..95us    VPU
";

#[test]
fn rows_traced_within_kernels_are_tracks_with_shares_of_their_op() {
    let session = drawn(&[TRACED]);
    let report = ask(&session, "ops", &[]);
    let share = |name: &str, row: &str, ratio: f64| {
        let region = named(&report, "regions", name);
        assert_eq!(
            (&region["op"], &region["row"]),
            (&json!("kernel.1"), &json!(row))
        );
        near(&region["op_ratio"], ratio);
    };
    share("dot_general", "Pallas Primitives", 0.7);
    share("swap", "Pallas Primitives", 0.2);
    share("MXU", "LLO Ops", 0.6);
    share("VPU", "LLO Ops", 0.95);
    // They are not work: the device is busy for 100 us.
    near(&report["rows"][0]["self_ps"], 100e6);
    let timeline = ask(&session, "timeline", &[]);
    let tracks = timeline["groups"].as_array().cloned().unwrap_or_default();
    let tracks = tracks
        .iter()
        .filter_map(|group| group["tracks"].as_array().cloned());
    let inside: Vec<Value> = tracks
        .flatten()
        .filter(|track| track["role"] == "kernel_regions")
        .map(|track| track["name"].clone())
        .collect();
    assert_eq!(inside, [json!("LLO Ops"), json!("Pallas Primitives")]);
}
