//! Devices that are done with their parts of a run before another one is.

use serde_json::Value;

use super::{advice, check, finding, ids};

/// Six runs on two virtual devices: the first one is done after 200 us, the second one runs `late`, and the
/// host does `python` meanwhile.
fn unequal(late: &str, python: &str) -> Value {
    let text = format!(
        "host vm
        thread python
        repeat 6 every 1000us
          0..999us train #step_num=$i,_r=1#
          {python}
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 6 every 1000us
          1..200us dot.1 [run_id=$i]
        end
        thread tf_XLAEigen/43
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=1]
        repeat 6 every 1000us
          {late}
        end
        program 5 jit_step
          p.0 = f32[64,64] parameter(0)
          dot.1 = f32[64,64] dot(p.0, p.0)"
    );
    advice(&[text])
}

const READ: &str = "10..950us $array.py:298 __float__\n11..945us np.asarray(jax.Array)";
const MORE: &str = "1..200us dot.1 [run_id=$i]
    200..400us dot.1 [run_id=$i]
    400..600us dot.1 [run_id=$i]
    600..900us dot.1 [run_id=$i]";

#[test]
fn a_device_with_more_ops_is_why_the_others_wait_for_a_result() {
    let report = unequal(MORE, READ);
    let found = finding(&report, "load_imbalance");
    let what = found["what"].as_str().expect("a text");
    assert!(
        what.starts_with("CPU:1 runs 4.0 times as many ops"),
        "{what}"
    );
    // The other one waits for 700 us; with half of what is more each, the step is 350 us shorter.
    assert_eq!(found["gain_ps_per_step"], 350e6);
    // That the host reads the result is not why.
    assert!(!ids(&report).contains(&"host_bound"), "{:?}", ids(&report));
}

#[test]
fn virtual_devices_that_take_turns_are_not_unequal() {
    let report = unequal("1..900us dot.1 [run_id=$i]", READ);
    assert!(!ids(&report).contains(&"load_imbalance"), "{report}");
    assert!(check(&report, "load_imbalance").contains("take turns"));
    assert!(!ids(&report).contains(&"host_bound"), "{:?}", ids(&report));
}

#[test]
fn work_of_the_host_is_its_own_whatever_other_devices_do() {
    let python = "10..950us $train.py:8 augment";
    let found = finding(&unequal(MORE, python), "host_bound");
    assert_eq!(found["title"], "Python delays the devices");
}

/// Each batch goes through a stage on each device, and the host reads what the second one returns.
#[test]
fn a_device_whose_host_waits_for_another_one_is_not_delayed_by_reading() {
    let text = "host vm
        thread python
        repeat 6 every 1000us
          0..999us train #step_num=$i,_r=1#
          1..5us PjitFunction(stage)
          6..10us PjitFunction(stage)
          20..960us $array.py:298 __float__
          21..955us np.asarray(jax.Array)
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_stage program_id=5 device_ordinal=0]
        repeat 6 every 1000us
          12..200us dot.1 [run_id=1$i]
        end
        thread tf_XLAEigen/43
        each [hlo_op=$name hlo_module=jit_stage program_id=5 device_ordinal=1]
        repeat 6 every 1000us
          210..950us dot.1 [run_id=2$i]
        end
        program 5 jit_stage
          p.0 = f32[64,64] parameter(0)
          dot.1 = f32[64,64] dot(p.0, p.0)";
    let report = advice(&[text.to_owned()]);
    assert!(!ids(&report).contains(&"host_bound"), "{:?}", ids(&report));
    let found = finding(&report, "idle");
    assert_eq!(found["title"], "Devices work one after another", "{found}");
    // The result is ready long before the read returns.
    let report = advice(&[text.replace("210..950us", "210..400us")]);
    let found = finding(&report, "idle");
    assert_ne!(found["title"], "Devices work one after another", "{found}");
}

/// Four virtual devices of one host that meet in a collective: what each of them computes before.
fn meeting(own: [&str; 4]) -> Value {
    let device = |(number, ops): (usize, &&str)| {
        format!(
            "thread tf_XLAEigen/{number}
            each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal={number}]
            repeat 12 every 1000us
              {ops}
            end\n"
        )
    };
    let devices: String = own.iter().enumerate().map(device).collect();
    let text = format!(
        "host vm
        {devices}thread python
        repeat 12 every 1000us
          0..999us train #step_num=$i,_r=1#
        end
        program 5 jit_step
          p.0 = f32[64,64] parameter(0)
          dot.1 = f32[64,64] dot(p.0, p.0)
          all-reduce.2 = f32[64,64] all-reduce(dot.1) replica_groups={{{{0,1,2,3}}}}"
    );
    advice(&[text])
}

const ONE: &str = "1..101us dot.1\n101..990us all-reduce.2";
const FOUR: &str =
    "1..101us dot.1\n101..201us dot.1\n201..301us dot.1\n301..401us dot.1\n401..990us all-reduce.2";
const SLOW: &str = "1..801us dot.1\n801..990us all-reduce.2";

#[test]
fn a_device_with_more_ops_is_why_the_others_wait_at_collectives() {
    // Another one, which got no core, is last all the same.
    let report = meeting([FOUR, ONE, SLOW, ONE]);
    let found = finding(&report, "load_imbalance");
    let what = found["what"].as_str().expect("a text");
    assert!(
        what.starts_with("CPU:0 runs 4.0 times as many ops as any other device"),
        "{what}"
    );
    // It computes 300 us more than the others. Divided over four, 75 us of them remain.
    assert!(what.contains("up to 300.0 µs"), "{what}");
    assert_eq!(found["gain_ps_per_step"], 225e6);
    let straggler = check(&report, "straggler");
    assert!(
        straggler.contains("CPU:2 is last at collectives most often"),
        "{straggler}"
    );
    assert!(straggler.contains("it runs no more ops"), "{straggler}");
    // Where it is last itself, it is a straggler, and there is one finding.
    let report = meeting([FOUR, ONE, ONE, ONE]);
    assert_eq!(finding(&report, "straggler")["title"], "CPU:0 is late");
    assert!(!ids(&report).contains(&"load_imbalance"), "{report}");
}

#[test]
fn two_devices_of_four_may_have_more_ops() {
    let found = finding(&meeting([FOUR, SLOW, FOUR, ONE]), "load_imbalance");
    let what = found["what"].as_str().expect("a text");
    assert!(
        what.starts_with("CPU:0 runs 4.0 times as many ops as most other devices"),
        "{what}"
    );
    // Divided over all of them, half of the 300 us remain.
    assert_eq!(found["gain_ps_per_step"], 150e6);
    // With equal ops, nothing is said of who is last.
    let report = meeting([ONE, ONE, SLOW, ONE]);
    assert!(!ids(&report).contains(&"load_imbalance"), "{report}");
    assert!(check(&report, "straggler").contains("none runs more ops"));
}
