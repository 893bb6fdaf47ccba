//! Threads that go on long after what they wait for was ready.

use serde_json::Value;

use super::{advice, finding};

/// Six steps of 10 ms on XLA:CPU: the device works for the first 3 ms, and `python` is what the loop does.
fn waiting(python: &str) -> Value {
    let text = format!(
        "host vm
        thread python
        repeat 6 every 10000us
          0..9999us train #step_num=$i,_r=1#
          {python}
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 6 every 10000us
          1..3000us dot.1
        end
        program 5 jit_step
          p.0 = f32[64,64] parameter(0)
          dot.1 = f32[64,64] dot(p.0, p.0)"
    );
    finding(&advice(&[text]), "idle")
}

const TITLE: &str = "The waiting thread goes on late";

#[test]
fn a_wait_that_ends_long_after_the_work_is_a_matter_of_cores() {
    let found = waiting("100..8000us BlockHostUntilReady");
    assert_eq!(found["title"], TITLE);
    assert_eq!(found["severity"], "warning");
    let what = found["what"].as_str().expect("a text");
    assert!(what.contains("was ready 5.000 ms on average"), "{what}");
    assert!(
        found["why"]
            .as_str()
            .expect("a text")
            .contains("got no core"),
        "{found}"
    );
    assert!(
        !found["fix"]
            .as_str()
            .expect("a text")
            .contains("every many steps"),
        "{found}"
    );
}

#[test]
fn a_thread_that_goes_on_at_once_or_waits_for_its_turn_lacks_no_core() {
    // What follows the wait is something else.
    assert_ne!(waiting("100..3050us BlockHostUntilReady")["title"], TITLE);
    // A wait that begins after the work is not for it.
    assert_ne!(waiting("3100..8000us BlockHostUntilReady")["title"], TITLE);
    // A frame of Python also waits until it may run Python.
    assert_ne!(
        waiting("100..8000us $api.py:2757 block_until_ready")["title"],
        TITLE
    );
}
