//! Another thread that holds Python's interpreter without a call that shows it.

use serde_json::Value;

use super::{advice, finding};

/// Six steps of 20 ms whose loop is between calls for `gap`, while another thread makes the calls `other`.
fn beside(gap: &str, other: &str) -> Value {
    let text = format!(
        "host vm
        thread python
        repeat 6 every 20ms
          0..19990us train #step_num=$i,_r=1#
          10..20us $train.py:5 log
          {gap} PjitFunction(step)
        end
        thread worker
        repeat 6 every 20ms
          {other}
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 6 every 20ms
          10000..19900us dot.1
        end
        program 5 jit_step
          p.0 = f32[64,64] parameter(0)
          dot.1 = f32[64,64] dot(p.0, p.0)"
    );
    finding(&advice(&[text]), "host_bound")
}

const TITLE: &str = "Another thread may hold the interpreter";

#[test]
fn a_thread_between_calls_may_hold_the_interpreter() {
    let found = beside("30..9990us", "12000..12010us $time sleep");
    assert_eq!(found["title"], TITLE);
    let what = found["what"].as_str().expect("a text");
    assert!(what.contains("is between recorded calls"), "{what}");
}

#[test]
fn a_thread_that_waits_or_is_gone_holds_nothing() {
    // It sleeps meanwhile.
    let found = beside("30..9990us", "5..12010us $time sleep");
    assert_ne!(found["title"], TITLE);
    // Launches take no longer than usual: the loop runs code of its own.
    let found = beside("9900..9990us", "12000..12010us $time sleep");
    assert_ne!(found["title"], TITLE);
}

const HELD: &str = "Another thread holds the interpreter";

/// A read of a result that is there, within a gap of the device; the runtime waits for it until `ready`.
fn reading(ready: u32, other: &str) -> Value {
    let gap = format!(
        "30..9980us $array.py:338 __float__
          31..9979us np.asarray(jax.Array)
          32..33us CommonPjRtBuffer::Await
          {ready}..{}us CommonPjRtBuffer::Await
          9981..9990us",
        ready + 1
    );
    beside(&gap, other)
}

/// The result was there, and the read ends only when the other thread lets go of the interpreter.
#[test]
fn a_read_of_what_is_ready_waits_for_the_interpreter() {
    let found = reading(40, "5..9985us $logger.py:8 encode");
    assert_eq!(found["title"], HELD, "{found}");
    let what = found["what"].as_str().expect("a text");
    assert!(what.contains("encode (logger.py:8)"), "{what}");
    // The runtime waits for the result itself.
    let found = reading(9970, "5..9985us $logger.py:8 encode");
    assert_ne!(found["title"], HELD);
    // The other thread sleeps.
    let found = reading(40, "5..9985us $time sleep");
    assert_ne!(found["title"], HELD);
}
