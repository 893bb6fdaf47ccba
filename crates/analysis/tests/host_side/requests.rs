//! Requests, batches, and the phases that sum to their latency.

use serde_json::{Value, json};
use stepscope_testing::corpus;

use super::{micros, picos, rows, text};
use crate::support::{ask, drawn, open};

#[test]
fn requests_batches_and_their_phases() {
    let session = drawn(&["
        host vm
        thread client/1
          0..100us   inference_request #request_id=7#
          0..10us    tokenize
          95..100us  detokenize
        thread client/2
          5..95us    inference_request #request_id=8#
        thread worker/3
          20..90us   process_batch #batch_id=1,padding_amount=2,batch_size_after_padding=4#
          20..25us   batch_formation
          25..35us   DevicePutWithSharding
          35..40us   PjitFunction(f)
          80..88us   np.asarray(jax.Array)
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_f program_id=5 device_ordinal=0]
          40..82us   dot.1
    "]);
    let report = ask(&session, "requests", &[]);
    let slowest = &rows(&report, "rows")[0];
    assert_eq!(
        (text(slowest, "request_id"), micros(slowest, "latency_ps")),
        ("7", 100)
    );
    let phases: Vec<i64> = rows(slowest, "phases_ps")
        .iter()
        .filter_map(Value::as_i64)
        .map(|ps| ps / 1_000_000)
        .collect();
    // prepare, queue, formation, compilation, runtime, to device, device, to host, finish, idle
    assert_eq!(phases, [10, 10, 5, 0, 5, 10, 42, 6, 5, 7]);
    let other = &rows(&report, "rows")[1];
    assert_eq!(
        rows(other, "phases_ps")[1],
        json!(15_000_000),
        "queues from 5 to 20"
    );
    let batch = &rows(&report, "batches")[0];
    assert_eq!(
        (text(batch, "batch_id"), &batch["request_count"]),
        ("1", &json!(2))
    );
    assert_eq!((&batch["size"], &batch["padding"]), (&json!(4), &json!(2)));
    assert_eq!(batch["efficiency_ratio"], json!(0.5));
    assert_eq!(
        (micros(batch, "device_ps"), micros(batch, "delay_ps")),
        (42, 20)
    );
    assert_eq!(report["padding_ratio"], json!(0.5));
    assert_eq!(report["concurrency_max"], json!(2));
    assert_eq!(report["concurrency_mean"], json!(1.9));
    let throughput = report["throughput"].as_f64().expect("requests");
    assert!((throughput - 20_000.0).abs() < 1e-6, "{throughput}");
}

#[test]
fn requests_under_a_name_of_ones_own() {
    let session = drawn(&["
        host vm
        device gpu:0 nvidia H100
        stream 7 Compute
        repeat 4 every 100us
          20..60us gemm [hlo_op=dot.1 program_id=5 hlo_module=jit_f correlation_id=$i]
        end
        thread python
        repeat 4 every 100us
          0..80us  handle_query
          0..10us  parse
          10..20us PjitFunction(f)
          65..80us answer
        end
    "]);
    assert_eq!(ask(&session, "requests", &[])["row_count"], json!(0));
    let report = ask(&session, "requests", &[("root", "^handle_query$")]);
    assert_eq!(report["row_count"], json!(4));
    let phases = rows(&rows(&report, "rows")[0], "phases_ps");
    let micros: Vec<i64> = phases
        .iter()
        .filter_map(Value::as_i64)
        .map(|ps| ps / 1_000_000)
        .collect();
    assert_eq!(micros, [10, 0, 0, 0, 10, 0, 40, 0, 15, 5]);
    assert_eq!(rows(&report, "percentiles").len(), 6);
}

/// A server may annotate its requests as steps.
#[test]
fn steps_that_are_requests_are_found() {
    let session = |name: &str| {
        let text = format!(
            "host vm
            thread python
            repeat 4 every 100us
              0..80us  {name} #step_num=$i,_r=1#
            end
            thread tf_XLAEigen/42
            each [hlo_op=$name hlo_module=jit_f program_id=5 device_ordinal=0]
            repeat 4 every 100us
              20..60us dot.1
            end"
        );
        drawn(&[&text])
    };
    let count = |name: &str| ask(&session(name), "requests", &[])["row_count"].clone();
    assert_eq!(count("request"), json!(4));
    assert_eq!(count("train"), json!(0));
}

/// A call that compiles is compilation, not the runtime, until it has compiled.
#[test]
fn compilation_within_a_request_is_named() {
    let session = drawn(&["
        host vm
        thread python
          0..100us  handle_request #request_id=1#
          10..60us  PjitFunction(f)
          12..30us  trace_to_jaxpr
          30..55us  backend_compile
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_f program_id=5 device_ordinal=0]
          60..90us   dot.1
    "]);
    let report = ask(&session, "requests", &[]);
    let phases: Vec<i64> = rows(&rows(&report, "rows")[0], "phases_ps")
        .iter()
        .filter_map(Value::as_i64)
        .map(|ps| ps / 1_000_000)
        .collect();
    assert_eq!((phases[3], phases[4], phases[6]), (43, 7, 30), "{phases:?}");
    let named = rows(&report, "phases")[3]["phase"].clone();
    assert_eq!(named, json!("compilation"));
}

#[test]
fn phases_of_requests_sum_to_their_latency() {
    let fixtures = corpus::fixtures();
    let capture = fixtures
        .iter()
        .find(|capture| capture.name == "serving-cpu")
        .expect("a fixture");
    let report = ask(&open(capture), "requests", &[]);
    assert_eq!(report["row_count"], json!(48));
    for row in rows(&report, "rows") {
        let phases = rows(row, "phases_ps").iter().filter_map(Value::as_i64);
        assert!(phases.clone().all(|phase| phase >= 0), "{row}");
        assert_eq!(phases.sum::<i64>(), picos(row, "latency_ps"));
    }
    for batch in rows(&report, "batches") {
        let asked = picos(batch, "size") - picos(batch, "padding");
        assert_eq!(
            picos(batch, "request_count"),
            asked,
            "its requests are found: {batch}"
        );
    }
}
