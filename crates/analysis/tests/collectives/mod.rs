//! Communication: every figure worked out by hand on drawings, exposed time re-derived by brute force
//! on every capture, and what real captures must say.

mod brute_force;
mod exposed;
mod names;
mod network;
mod without_program;

use serde_json::Value;

fn rows(report: &Value, key: &str) -> Vec<Value> {
    report[key].as_array().cloned().unwrap_or_default()
}

fn micros(row: &Value, key: &str) -> f64 {
    let value = row[key].as_f64();
    value.unwrap_or_else(|| panic!("no {key} in {row}")) / 1e6
}

fn close(value: &Value, expected: f64) -> bool {
    let found = value.as_f64().unwrap_or(f64::NAN);
    (found - expected).abs() <= 1e-9 * expected.abs()
}
