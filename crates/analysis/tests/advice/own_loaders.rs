//! Loops that make each batch themselves when they ask for it.

use serde_json::Value;

use super::drawings::{GAP, cpu};
use super::{advice, finding};

/// A loop that asks an iterator for each batch, within which `made` happens.
fn loading(made: &str) -> Value {
    let python = format!("701..998us $train.py:30 main\n702..998us $builtins next\n{made}");
    finding(&advice(&[cpu(GAP, &python, "")]), "input_wait")
}

fn text(found: &Value, key: &str) -> String {
    found[key].as_str().expect("a text").to_owned()
}

const ON_THE_LOOP: &str = "which runs on the thread that launches the steps";

#[test]
fn a_function_of_the_program_that_loads_is_named() {
    let found = loading(
        "703..997us $train.py:13 batches
        704..996us $train.py:8 load
        705..990us $_npyio_impl.py:239 __getitem__",
    );
    let what = text(&found, "what");
    let told = format!("Most of it is load (train.py:8), {ON_THE_LOOP}");
    assert!(what.contains(&told), "{what}");
    let fix = text(&found, "fix");
    assert!(fix.contains("on another thread"), "{fix}");
    assert!(!fix.contains("pipeline"), "{fix}");
}

/// What runs within only takes or waits for what another thread makes.
#[test]
fn an_iterator_of_the_program_that_waits_loads_nothing() {
    for made in [
        "703..997us $train.py:13 __next__\n704..996us $threading.py:337 wait",
        "703..997us $dataloader.py:733 __next__\n704..720us $train.py:13 cast",
    ] {
        let what = text(&loading(made), "what");
        assert!(!what.contains(ON_THE_LOOP), "{what}");
    }
}
