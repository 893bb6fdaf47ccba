//! Threads that go on long after what they wait for was ready.

use serde_json::Value;

use super::{advice, finding};

/// Six steps of 10 ms on XLA:CPU: the device works for the first 3 ms, and `python` is what the loop does.
fn waiting(python: &str) -> Value {
    waiting_beside(python, "")
}

/// The same beside what other threads do.
fn waiting_beside(python: &str, others: &str) -> Value {
    let text = format!(
        "host vm
        thread python
        repeat 6 every 10000us
          0..9999us train #step_num=$i,_r=1#
          {python}
        end
        {others}
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 6 every 10000us
          1..3000us dot.1 [run_id=$i]
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
}

/// `jax.block_until_ready(tree)`: it walks through the tree, and waits for all arrays at once in a native call.
const TREE: &str = "100..8000us $api.py:2778 block_until_ready\n110..200us $tree.py:1 tree_leaves";

#[test]
fn the_wait_for_a_tree_follows_the_calls_of_its_frame() {
    let found = waiting(TREE);
    assert_eq!(found["title"], TITLE);
    let what = found["what"].as_str().expect("a text");
    assert!(what.contains("was ready 5.000 ms on average"), "{what}");
    // The run ends when the wait does.
    let ends = "100..3050us $api.py:2778 block_until_ready\n110..200us $tree.py:1 tree_leaves";
    assert_ne!(waiting(ends)["title"], TITLE);
    // Its executor still waits: the program is not complete.
    let executor = "thread tf_XLAExecute/2
        repeat 6 every 10000us
          2000..7950us ThunkExecutor::Execute (wait for completion)
        end";
    assert_ne!(waiting_beside(TREE, executor)["title"], TITLE);
    // Calls after the run are no wait.
    let calls = "100..8000us $api.py:2778 block_until_ready\n110..7900us $tree.py:1 tree_leaves";
    assert_ne!(waiting(calls)["title"], TITLE);
    // A frame of Python also waits until it may run Python, which another thread may do.
    let other = "thread python/7
        repeat 6 every 10000us
          2500..7900us $loader.py:5 decode
        end";
    assert_ne!(waiting_beside(TREE, other)["title"], TITLE);
    // Other functions of that name are not known to end with a wait.
    let own = TREE.replace("$api.py:2778", "$train.py:8");
    assert_ne!(waiting(&own)["title"], TITLE);
}
