//! Advice speaks the language of the framework that a capture is of.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;
use stepscope_analysis::ANALYSES;
use stepscope_model::{Framework, Session};

use crate::support::{all_captures, ask, drawn, open};

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
