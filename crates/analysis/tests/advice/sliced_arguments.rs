//! Arrays that are copied to the device in every step, of which it takes a part.

use serde_json::Value;

use super::drawings::{GAP, cpu};
use super::{advice, finding};

const PUT: &str = "701..998us $api.py:2332 device_put";

fn with(program: &str) -> Value {
    finding(&advice(&[cpu(GAP, PUT, program)]), "input_wait")
}

#[test]
fn an_array_of_which_a_step_takes_a_part_belongs_on_the_device() {
    let found = with(
        "x.0 = f32[60000,256] parameter(1) op_name=\"X\"
        i.0 = s32[] parameter(2)
        c.0 = f32[60000,256] copy(x.0)
        slice.1 = f32[512,256] dynamic-slice(c.0, i.0)",
    );
    assert_eq!(
        found["title"], "A whole array is copied for a part of it",
        "{found}"
    );
    let why = found["why"].as_str().expect("a text");
    assert!(why.contains("`X`, an array of 58.59 MiB"), "{why}");
    assert!(why.contains("a part of 512.0 KiB"), "{why}");
    let code = found["code"].as_str().expect("a text");
    assert!(code.starts_with("X = jax.device_put(X)"), "{code}");
}

#[test]
fn a_batch_that_is_used_as_a_whole_is_input() {
    let found = with(
        "x.0 = f32[60000,256] parameter(1) op_name=\"X\"
        i.0 = s32[] parameter(2)
        slice.1 = f32[512,256] dynamic-slice(x.0, i.0)
        sum.1 = f32[256] reduce(x.0, i.0)",
    );
    assert_eq!(found["title"], "Waiting for input", "{found}");
    let small = with(
        "x.0 = f32[600,256] parameter(1) op_name=\"X\"
        i.0 = s32[] parameter(2)
        slice.1 = f32[8,256] dynamic-slice(x.0, i.0)",
    );
    assert_eq!(small["title"], "Waiting for input", "{small}");
}
