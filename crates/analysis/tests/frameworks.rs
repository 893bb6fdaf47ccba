//! Advice speaks the language of the framework that a capture is of.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;
use stepscope_analysis::ANALYSES;
use stepscope_model::{Framework, Session};

use crate::support::{all_captures, ask, drawn, open, picos, rows, text};

/// Whole words, since paths of a capture may hold them as parts of others.
static JAX: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\b(jax|jaxlib|jitted|jnp|flax)\b").expect("a pattern"));

/// Every text of a report that names JAX or what only JAX has.
fn of_jax(report: &Value, found: &mut Vec<String>) {
    match report {
        Value::String(text) if JAX.is_match(text) => found.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| of_jax(value, found)),
        Value::Object(fields) => fields.values().for_each(|value| of_jax(value, found)),
        _ => {}
    }
}

fn speaks_of_jax(session: &Session) -> Vec<String> {
    let mut found = Vec::new();
    for entry in ANALYSES {
        if let Ok(answer) = entry.run_pairs(session, []) {
            of_jax(&answer.json().expect("a report is JSON"), &mut found);
        }
    }
    found
}

#[test]
fn captures_of_other_frameworks_name_no_api_of_jax() {
    let mut others = 0;
    for capture in all_captures() {
        let session = open(&capture);
        let is_jax = capture.name.contains("-jax-") || capture.name.ends_with("-cpu");
        assert_eq!(
            session.framework() == Framework::Jax,
            is_jax || capture.name.ends_with("-jax") || capture.hosts.is_empty(),
            "{}",
            capture.name
        );
        if session.framework() != Framework::Jax {
            others += 1;
            assert_eq!(
                speaks_of_jax(&session),
                Vec::<String>::new(),
                "{}",
                capture.name
            );
        }
    }
    println!("{others} captures of other frameworks");
}

/// A TensorFlow program that does much wrong: it waits for input, launches tiny kernels, and stops.
const TENSORFLOW: &str = "
    host vm
    device gpu:0 nvidia V100
    stream 7 Compute
    repeat 400 every 50us
      10..12us \"void tensorflow::functor::Fill<float>(int)\" [correlation_id=$i]
    end
    thread tf_Compute/7
    repeat 400 every 50us
      0..9us ExecutorState::Process
      6..8us cuLaunchKernel [correlation_id=$i]
    end
    thread python
    repeat 8 every 2500us
      0..2500us train #step_num=$i,_r=1#
      100..1200us data_loading
    end
";

#[test]
fn advice_for_tensorflow_names_its_own_api_or_none() {
    let session = drawn(&[TENSORFLOW]);
    assert_eq!(session.framework(), Framework::TensorFlow);
    let report = ask(&session, "advice", &[]);
    assert!(
        report["findings"]
            .as_array()
            .is_some_and(|found| found.len() > 1),
        "{report}"
    );
    assert_eq!(speaks_of_jax(&session), Vec::<String>::new());
    let scopes = ask(&session, "scopes", &[]).to_string();
    assert!(scopes.contains("tf.name_scope"), "{scopes}");
}

/// Two copies of a layer of TensorFlow on two GPUs, whose launches are annotated, and a copy that the
/// runtime made.
const ANNOTATED: &str = "
    host vm
    device gpu:0 nvidia V100
    stream 7 Compute
      0..10us eigen [correlation_id=1 annotation='layer_0/Mul:Mul#shape=(half[4])#' 'level 0'='layer_0/Mul:Mul']
      10..14us eigen [correlation_id=2 annotation='layer_1/Mul:Mul#shape=(half[4])#' 'level 0'='layer_1/Mul:Mul']
      14..20us eigen [correlation_id=3 annotation='call:PartitionedCall::gradient_tape/layer_1/mul:Cast']
    stream 8 MemcpyH2D
      0..1us MemcpyH2D [correlation_id=4 annotation=MakeTensorFromProto 'level 0'=MakeTensorFromProto memcpy_details='size:4 dest:1 async:1']
      2..4us MemcpyH2D [correlation_id=5 'level 0'='n/_13:_Recv' memcpy_details='size:4 dest:1 async:1']
    device gpu:1 nvidia V100
    stream 7 Compute
      0..10us eigen [correlation_id=6 annotation='replica_1/layer_0/Mul:Mul#shape=(half[4])#']
      10..14us eigen [correlation_id=7 annotation='replica_1/layer_1/Mul:Mul']
      14..20us eigen [correlation_id=8 annotation='gradient_tape/replica_1/layer_1/mul:Cast']
    thread main
      0..9us ExecutorState::Process
";

#[test]
fn annotations_of_launches_tell_the_ops_of_tensorflow() {
    let session = drawn(&[ANNOTATED]);
    assert_eq!(session.framework(), Framework::TensorFlow);
    let ops = ask(&session, "ops", &[]);
    let told = rows(&ops, "rows").iter().map(|row| {
        let count = row["occurrences"].as_i64().unwrap_or_default();
        (
            text(row, "name"),
            text(row, "category"),
            text(row, "scope"),
            count,
            picos(row, "self_ps"),
        )
    });
    let mut told: Vec<_> = told.collect();
    told.sort_unstable();
    assert_eq!(
        told,
        [
            (
                "gradient_tape/layer_1/mul",
                "Cast",
                "gradient_tape/layer_1/mul",
                2,
                12_000_000
            ),
            ("host_to_device", "transfer", "", 1, 1_000_000),
            ("host_to_device", "transfer", "n/_13", 1, 2_000_000),
            ("layer_0/Mul", "Mul", "layer_0/Mul", 2, 20_000_000),
            ("layer_1/Mul", "Mul", "layer_1/Mul", 2, 8_000_000),
        ]
    );
    let scopes = ask(&session, "scopes", &[]);
    let backward = rows(&scopes, "rows")
        .iter()
        .filter(|row| picos(row, "backward_ps") > 0);
    let backward: Vec<&str> = backward.map(|row| text(row, "path")).collect();
    let tape = [
        "gradient_tape",
        "gradient_tape/layer_1",
        "gradient_tape/layer_1/mul",
    ];
    assert_eq!(backward, tape);
    let layers = rows(&scopes, "layers")
        .iter()
        .map(|row| (text(row, "path"), picos(row, "total_ps")));
    assert_eq!(
        layers.collect::<Vec<_>>(),
        [("layer_0", 20_000_000), ("layer_1", 8_000_000)]
    );
    let ratio = scopes["attributed_ratio"].as_f64().unwrap_or_default();
    assert!((ratio - 42.0 / 43.0).abs() < 1e-9, "{ratio}");
}

/// What XLA writes with a launch is better than any annotation around it.
/// What a table calls a row is found by that name, and by what else it says of it.
#[test]
fn rows_without_hlo_are_found_by_what_they_are_called() {
    let session = drawn(&[ANNOTATED]);
    let report = ask(&session, "ops", &[]);
    let rows = report["rows"].as_array().expect("rows");
    assert!(!rows.is_empty());
    for row in rows {
        for key in ["name", "scope"] {
            let text = row[key].as_str().unwrap_or_default();
            if text.is_empty() {
                continue;
            }
            let pattern = format!("^{}$", regex::escape(text));
            let found = ask(&session, "ops", &[("match", &pattern)]);
            let mut found = found["rows"].as_array().into_iter().flatten();
            assert!(found.any(|other| other[key] == row[key]), "{pattern}");
        }
    }
}

#[test]
fn annotations_take_nothing_from_ops_of_xla() {
    let session = drawn(&["
        device gpu:0 nvidia H100
        stream 7 Compute
          0..10us gemm [hlo_op=dot.1 hlo_module=jit_f program_id=5 name='jit(f)/dot' annotation='a/b:Mul']
          10..12us cub [hlo_module=jit_f program_id=5 name='jit(f)/sort' annotation='a/c:Mul']
          12..13us other [tf_op='jit(f)/add:' annotation='a/d:Mul']
    "]);
    let ops = ask(&session, "ops", &[]);
    let told = rows(&ops, "rows").iter();
    let told: Vec<_> = told
        .map(|row| (text(row, "name"), text(row, "scope")))
        .collect();
    assert_eq!(
        told,
        [
            ("dot.1", "jit(f)/dot"),
            ("cub", "jit(f)/sort"),
            ("other", "jit(f)/add")
        ]
    );
}
