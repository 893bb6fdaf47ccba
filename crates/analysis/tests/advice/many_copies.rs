//! Small arrays that a loop puts on the device one by one.

use serde_json::Value;

use super::drawings::{GAP, cpu};
use super::{advice, finding};

/// Twenty copies in each step, and a program with so many arguments of this shape.
fn copied(shape: &str) -> Value {
    let puts: Vec<String> = (0..20)
        .map(|put| {
            let start = 701 + put * 14;
            format!("{start}..{}us $api.py:2332 device_put", start + 13)
        })
        .collect();
    let python = format!("0..1us PjitFunction(step)\n{}", puts.join("\n"));
    let parameters: Vec<String> = (1..=20)
        .map(|number| format!("p.{number} = {shape} parameter({number})\n"))
        .collect();
    let program = parameters.concat() + "sum.1 = f32[64] reduce(dot.3)";
    finding(&advice(&[cpu(GAP, &python, &program)]), "input_wait")
}

#[test]
fn small_arrays_that_are_put_one_by_one_are_counted() {
    let found = copied("f32[64,1]");
    assert_eq!(found["title"], "Many small copies to the device", "{found}");
    let why = found["why"].as_str().expect("a text");
    assert!(why.starts_with("About 20 times per step"), "{why}");
    assert!(
        why.contains("of at most 256 B, 5.000 KiB together"),
        "{why}"
    );
    let code = found["code"].as_str().expect("a text");
    assert!(!code.contains("grain"), "{code}");
}

#[test]
fn large_arrays_are_input() {
    let found = copied("f32[512,512]");
    assert_eq!(found["title"], "Waiting for input", "{found}");
}
