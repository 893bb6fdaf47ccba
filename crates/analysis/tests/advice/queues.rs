//! Loops that wait in queues: what fills them, and what only looks like a queue.

use serde_json::Value;

use super::drawings::{GAP, cpu};
use super::{advice, finding, ids};

/// A loop that waits in this call for the last part of each step, beside another thread.
fn queued(wait: &str, other: &str) -> String {
    let python = format!("0..1us PjitFunction(step)\n601..999us {wait}");
    let text = cpu(GAP, &python, "");
    let threads = format!(
        "thread python/7
        repeat 6 every 1000us
          {other}
        end
        thread tf_XLAEigen"
    );
    text.replacen("thread tf_XLAEigen", &threads, 1)
}

fn text<'a>(finding: &'a Value, key: &str) -> &'a str {
    finding[key].as_str().unwrap_or_default()
}

const GET: &str = "$queue.py:180 get";
const PUT: &str = "985..990us $queue.py:140 put";

/// A thread that computes batches in `env`, within `actor`.
fn filled() -> String {
    let other = format!("0..980us $train.py:14 actor\n610..970us $train.py:9 env\n{PUT}");
    queued(GET, &other)
}

#[test]
fn the_function_that_fills_a_queue_is_named() {
    let found = finding(&advice(&[filled()]), "input_wait");
    let what = text(&found, "what");
    let told = "The queue is filled by actor (train.py:14), which spends most of that time in env \
                (train.py:9).";
    assert!(what.contains(told), "{what}");
    assert!(
        text(&found, "fix").contains("Make env (train.py:9) cheaper"),
        "{found}"
    );
    // The program has its own queue: libraries for input are no example.
    assert_eq!(text(&found, "code"), "");
}

#[test]
fn a_function_that_began_before_the_recording_is_not_missed() {
    let other = format!("610..970us $train.py:9 env\n{PUT}");
    let found = finding(&advice(&[queued(GET, &other)]), "input_wait");
    let told = "The queue is filled by another thread, which spends most of that time in env";
    assert!(text(&found, "what").contains(told), "{found}");
}

#[test]
fn a_thread_that_only_hands_over_may_bring_requests() {
    let other = format!("0..100us $serve.py:9 parse\n{PUT}");
    let found = finding(&advice(&[queued(GET, &other)]), "input_wait");
    assert!(!text(&found, "what").contains("parse"), "{found}");
    assert!(text(&found, "why").contains("spare capacity"), "{found}");
    assert_eq!(text(&found, "code"), "");
}

#[test]
fn a_queue_that_nothing_fills_is_filled_unseen() {
    let found = finding(
        &advice(&[queued(GET, "0..100us $serve.py:9 parse")]),
        "input_wait",
    );
    assert!(
        text(&found, "why").contains("nothing that fills the queue was recorded"),
        "{found}"
    );
    // Who runs for most of the wait may fill it.
    let found = finding(
        &advice(&[queued(GET, "610..970us $train.py:9 env")]),
        "input_wait",
    );
    let told = "another thread runs env (train.py:9) for most of that time";
    assert!(text(&found, "what").contains(told), "{found}");
}

/// `burn` holds the interpreter while the thread that fills the queue could run.
#[test]
fn a_thread_that_cannot_fill_the_queue_is_not_blamed() {
    let other = format!("0..500us $train.py:9 env\n{PUT}");
    let rival = "repeat 6 every 1000us\n  605..980us $train.py:46 burn\nend\nthread tf_XLAEigen";
    let starved = queued(GET, &other);
    let starved = starved.replacen(
        "thread tf_XLAEigen",
        &format!("thread python/8\n{rival}"),
        1,
    );
    let found = finding(&advice(&[starved]), "input_wait");
    assert!(
        text(&found, "what").contains("burn (train.py:46)"),
        "{found}"
    );
    assert!(
        text(&found, "why").contains("global interpreter lock"),
        "{found}"
    );
}

#[test]
fn a_thread_that_sleeps_instead_of_filling_the_queue_is_named() {
    let other = format!("600..970us $time sleep\n{PUT}");
    // Within the iterator of the program, too.
    let within = "$train.py:50 __next__\n602..998us $queue.py:180 get";
    for wait in [GET, within] {
        let found = finding(&advice(&[queued(wait, &other)]), "input_wait");
        let told = "filled by another thread, which sleeps for most of that time";
        assert!(text(&found, "what").contains(told), "{found}");
        assert_eq!(text(&found, "code"), "");
    }
}

/// A loop that waits in the iterator of a library, which has a queue inside.
#[test]
fn the_queue_of_a_library_is_its_own() {
    let wait = "$prefetcher.py:10 __next__\n602..998us $queue.py:180 get";
    let found = finding(&advice(&[queued(wait, PUT)]), "input_wait");
    assert!(text(&found, "code").contains("grain"), "{found}");
}

/// `dict.get` has the name of `SimpleQueue.get`.
#[test]
fn looking_up_in_a_dictionary_is_python_and_no_wait() {
    let lookups = "$train.py:18 update\n  repeat 40 every 9us\n  605..613us $<unknown> get\n  end";
    let report = advice(&[queued(lookups, PUT)]);
    let found = finding(&report, "host_bound");
    assert_eq!(found["title"], "Python delays the devices", "{report}");
    assert!(
        text(&found, "what").contains("update (train.py:18)"),
        "{found}"
    );
    assert!(!ids(&report).contains(&"idle"), "{report}");
    // One long call for each step is a wait.
    let report = advice(&[queued("$<unknown> get", PUT)]);
    assert_eq!(finding(&report, "idle")["title"], "The host waits for work");
    assert!(!ids(&report).contains(&"host_bound"), "{report}");
}

/// A `SimpleQueue` that a thread fills with arrays on the device.
#[test]
fn batches_from_a_simple_queue_are_input() {
    let other = "610..970us $train.py:9 augment\n  971..980us $api.py:2332 device_put\n  \
                 985..990us $<unknown> put";
    let report = advice(&[queued("$<unknown> get", other)]);
    let found = finding(&report, "input_wait");
    assert!(
        text(&found, "what").contains("augment (train.py:9)"),
        "{found}"
    );
    // Of requests, nothing is put on the device by who hands them over.
    let requests = other.replace("$api.py:2332 device_put", "$serve.py:12 parse");
    let report = advice(&[queued("$<unknown> get", &requests)]);
    assert!(!ids(&report).contains(&"input_wait"), "{report}");
    assert_eq!(finding(&report, "idle")["title"], "The host waits for work");
}

/// `input` lists the function as a stage.
#[test]
fn the_function_that_fills_a_queue_is_a_stage() {
    let session = crate::support::drawn(&[&filled()]);
    let report = crate::support::ask(&session, "input", &[]);
    let stages = report["stages"].as_array().expect("stages");
    let env = stages
        .iter()
        .find(|stage| stage["name"] == "train.py:9 env");
    let env = env.unwrap_or_else(|| panic!("{report}"));
    assert_eq!(env["is_bottleneck"], true, "{report}");
    assert_eq!(env["background_ps"], env["self_ps"], "{report}");
}

/// A loop that hands its metrics to a thread that writes them.
fn full(other: &str) -> Value {
    let put = "$queue.py:140 put\n602..998us $threading.py:327 wait\n603..997us $<unknown> acquire";
    let report = advice(&[queued(put, other)]);
    let found = finding(&report, "idle");
    assert_eq!(
        found["title"], "A full queue delays the devices",
        "{report}"
    );
    found
}

const TAKE: &str = "985..990us $queue.py:180 get";

#[test]
fn the_function_that_takes_from_a_full_queue_is_named() {
    let other = format!("0..980us $train.py:14 writer\n610..970us $train.py:9 save\n{TAKE}");
    let found = full(&other);
    let told = "What takes from the queue is writer (train.py:14), which spends most of that time in \
                save (train.py:9).";
    assert!(text(&found, "what").contains(told), "{found}");
    assert!(text(&found, "fix").starts_with("Make save"), "{found}");
}

/// The thread's own function began before the recording, or only calls a library.
#[test]
fn the_library_that_takes_the_time_is_named() {
    let library = "610..970us $encoder.py:183 encode\n611..969us $encoder.py:205 iterencode";
    let found = full(&format!("{library}\n{TAKE}"));
    let told = "another thread, which spends most of that time in encode (encoder.py:183).";
    assert!(text(&found, "what").contains(told), "{found}");
    let found = full(&format!("0..980us $train.py:14 writer\n{library}\n{TAKE}"));
    let told = "writer (train.py:14), which calls encode (encoder.py:183).";
    assert!(text(&found, "what").contains(told), "{found}");
}

#[test]
fn a_full_queue_that_nothing_seems_to_empty_is_full() {
    let found = full("0..100us $serve.py:9 parse");
    let told = "Nothing was recorded that takes from the queue.";
    assert!(text(&found, "what").contains(told), "{found}");
}

/// A server whose event loop has nothing to run between requests.
#[test]
fn an_event_loop_that_waits_is_no_delay() {
    let waits = "700..999us $base_events.py:1845 _run_once
          701..998us $selectors.py:451 select
          702..997us $<unknown> poll";
    let python = |waits: &str| format!("0..1us PjitFunction(step)\n{waits}");
    // What it runs updates nothing.
    let serves = "ROOT logits.9 = f32[8,8] slice(dot.1)";
    let found = finding(&advice(&[cpu(GAP, &python(waits), serves)]), "idle");
    assert_eq!(found["title"], "The host waits for work");
    assert_eq!(found["severity"], "info");
    assert!(found["gain_ps_per_step"].is_null(), "{found}");
    assert!(text(&found, "what").contains("event loop"), "{found}");
    // Without one, something else blocks the host.
    let other = waits.replace("base_events.py:1845 _run_once", "popen_fork.py:36 wait");
    let found = finding(&advice(&[cpu(GAP, &python(&other), "")]), "idle");
    assert_ne!(found["title"], "The host waits for work");
}

/// An actor runs a program for each step of its environment, and waits for the results.
#[test]
fn programs_of_the_thread_that_fills_a_queue_are_named() {
    let calls = "100..101us PjitFunction(act)\n300..301us PjitFunction(act)\n500..501us PjitFunction(act)\n";
    let found = finding(
        &advice(&[queued(GET, &format!("{calls}{PUT}"))]),
        "input_wait",
    );
    let told = "The queue is filled by another thread, which runs act about 3 times per step.";
    assert!(text(&found, "what").contains(told), "{found}");
    assert!(
        text(&found, "fix").contains("Do more in each call"),
        "{found}"
    );
}
