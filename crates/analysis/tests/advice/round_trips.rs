//! Arrays that a loop reads and puts back.

use super::drawings::{GAP, cpu};
use super::{advice, finding, ids};

const READ: &str = "np.asarray(jax.Array)";
const PUT: &str = "$api.py:2332 device_put";

#[test]
fn what_is_read_and_put_back_in_turn_goes_through_the_host() {
    let python = format!(
        "0..1us PjitFunction(step)\n701..710us {READ}\n710..840us {PUT}\n841..850us {READ}\n850..990us {PUT}"
    );
    let report = advice(&[cpu(GAP, &python, "")]);
    let found = finding(&report, "input_wait");
    assert_eq!(
        found["title"], "Arrays go through the host and back",
        "{report}"
    );
    let why = found["why"].as_str().expect("a text");
    assert!(why.starts_with("About 2 times per step"), "{why}");
    let code = found["code"].as_str().expect("a text");
    assert!(!code.contains("grain"), "{code}");
}

/// A loop reads its loss and its accuracy, and puts the two arrays of the next batch.
#[test]
fn batches_that_follow_metrics_are_input() {
    let python = format!(
        "0..1us PjitFunction(step)\n701..705us {READ}\n706..710us {READ}\n710..840us {PUT}\n850..990us {PUT}"
    );
    let report = advice(&[cpu(GAP, &python, "")]);
    assert!(ids(&report).contains(&"input_wait"), "{report}");
    assert_eq!(finding(&report, "input_wait")["title"], "Waiting for input");
    // An agent puts what it observes, launches, and reads what to do.
    let python = format!(
        "700..701us PjitFunction(step)\n702..705us {READ}\n710..840us {PUT}\n\
         841..842us PjitFunction(step)\n843..849us {READ}\n850..990us {PUT}"
    );
    let report = advice(&[cpu(GAP, &python, "")]);
    assert_eq!(finding(&report, "input_wait")["title"], "Waiting for input");
}

/// Gradients of two weights, which NumPy applies.
#[test]
fn weights_that_the_host_updates_belong_on_the_device() {
    let program = |shape: &str| {
        format!(
            "w.0 = f32[256,256] parameter(1)
            w.1 = f32[256,256] parameter(2)
            g.0 = {shape} dot(w.0, w.1)
            g.1 = {shape} dot(w.1, w.0)
            ROOT t.0 = ({shape}, {shape}) tuple(g.0, g.1)"
        )
    };
    let python = format!("0..1us PjitFunction(step)\n710..990us {PUT}");
    let told = |shape: &str| {
        let report = advice(&[cpu(GAP, &python, &program(shape))]);
        finding(&report, "input_wait")["title"].clone()
    };
    assert_eq!(told("f32[256,256]"), "Weights go through the host and back");
    assert_eq!(told("f32[256,16]"), "Waiting for input");
}
