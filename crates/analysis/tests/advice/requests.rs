//! Loops that read the result of each run because it answers a request.

use serde_json::Value;

use super::drawings::{GAP, cpu};
use super::{advice, finding};

/// A loop that reads each result, beside a thread that puts something into a queue for so long.
fn answered(takes: &str, put_us: u32) -> Value {
    returning("sum.1 = f32[64] reduce(dot.3)", (takes, put_us))
}

/// The same of a program that ends with `result`.
fn returning(result: &str, (takes, put_us): (&str, u32)) -> Value {
    let python =
        format!("0..1us PjitFunction(step)\n2..4us {takes}\n701..998us np.asarray(jax.Array)");
    let thread = format!(
        "thread python/7
        repeat 6 every 1000us
          500..{}us $queue.py:140 put
        end
        thread tf_XLAEigen",
        500 + put_us
    );
    let text = cpu(GAP, &python, result).replacen("thread tf_XLAEigen", &thread, 1);
    // Steps that are called training answer nobody.
    let text = text.replace("train #", "serve #");
    let found = finding(&advice(&[text]), "host_bound");
    assert_eq!(
        found["title"], "Reading results delays the devices",
        "{found}"
    );
    found
}

#[test]
fn replies_to_requests_have_to_be_read() {
    let found = answered("$queue.py:180 get", 5);
    assert_eq!(found["severity"], "info", "{found}");
    assert!(
        found["fix"]
            .as_str()
            .expect("a text")
            .contains("into a batch"),
        "{found}"
    );
}

/// What loads ahead waits until there is room in its queue; a solver has none.
#[test]
fn results_of_batches_may_be_read_later() {
    for (takes, put_us) in [("$queue.py:180 get", 400), ("$train.py:9 next_rows", 5)] {
        let found = answered(takes, put_us);
        assert_eq!(found["severity"], "warning", "{takes} {put_us}: {found}");
    }
}

/// A result with the shape of an argument may be what the next run continues from.
#[test]
fn a_loop_that_feeds_its_own_results_stays_on_the_device() {
    let fix = |result: &str| {
        let found = returning(result, ("$queue.py:180 get", 5));
        found["fix"].as_str().expect("a text").to_owned()
    };
    let decodes = fix("dot.9 = f32[64,64] dot(dot.3, p.0)");
    assert!(decodes.contains("lax.while_loop"), "{decodes}");
    assert!(!decodes.contains("next batch"), "{decodes}");
    let answers = fix("sum.1 = f32[64] reduce(dot.3)");
    assert!(answers.contains("next batch"), "{answers}");
}
