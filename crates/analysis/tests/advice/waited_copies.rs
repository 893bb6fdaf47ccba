//! Copies to the device that a loop waits for while it reads a result.

use serde_json::Value;

use super::{advice, ids};

/// Six steps of a millisecond: a pool thread copies for 600 us, and the program runs at `ops`.
fn reading(ops: &str) -> Value {
    let text = format!(
        "host vm
        thread python
        repeat 6 every 1000us
          0..999us train #step_num=$i,_r=1#
          1..20us PjitFunction(step)
          21..990us $array.py:298 __float__
          22..985us np.asarray(jax.Array)
        end
        thread tf_XLAPjRtCpuClient/7
        repeat 6 every 1000us
          30..630us H2D Dispatch
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 6 every 1000us
          {ops}
        end
        program 5 jit_step
          p.0 = f32[64,64] parameter(0)
          dot.1 = f32[64,64] dot(p.0, p.0)"
    );
    advice(&[text])
}

#[test]
fn a_run_that_begins_after_a_copy_waits_for_it() {
    let report = reading("640..980us dot.1 [run_id=$i]");
    assert_eq!(ids(&report)[0], "input_wait", "{report}");
    let what = report["findings"][0]["what"].as_str().expect("a text");
    assert!(what.contains("copied to the device"), "{what}");
}

#[test]
fn a_copy_for_a_later_run_delays_no_read() {
    let report = reading("25..340us dot.1 [run_id=$i]");
    assert_eq!(ids(&report)[0], "host_bound", "{report}");
}
