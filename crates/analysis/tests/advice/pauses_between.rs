//! Pauses between programs that were already launched.

use std::fmt::Write as _;

use super::{advice, finding};

/// Six steps on XLA:CPU of so many programs, each begun 400 µs after its launch, for 200 µs.
fn launched(programs: u32) -> String {
    let (mut calls, mut runs) = (String::new(), String::new());
    for number in 0..programs {
        let at = number * 800;
        _ = writeln!(calls, "{}..{}us PjitFunction(step)", at + 10, at + 30);
        _ = writeln!(
            runs,
            "{}..{}us dot.1 [run_id=9$i{number:02}]",
            at + 430,
            at + 630
        );
    }
    let length = programs * 800;
    format!(
        "host vm
        thread python
        repeat 6 every {length}us
          0..{}us train #step_num=$i,_r=1#
          {calls}
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 6 every {length}us
          {runs}
        end
        program 5 jit_step
          p.0 = f32[64,64] parameter(0)
          dot.1 = f32[64,64] dot(p.0, p.0)",
        length - 1
    )
}

#[test]
fn fewer_programs_have_fewer_pauses_between_them() {
    let report = advice(&[launched(12)]);
    let found = finding(&report, "program_runs");
    let what = found["what"].as_str().expect("a text");
    let told = "Where the next of these programs was already launched, it pauses before it: 4.800 ms \
                per step.";
    assert!(what.contains(told), "{what}");
    let gain = found["gain_ps_per_step"].as_f64().expect("a gain") / 1e9;
    assert!((6.0..9.6).contains(&gain), "{found}");
    let found = finding(&report, "idle");
    assert_eq!(found["title"], "Device pauses", "{found}");
    let what = found["what"].as_str().expect("a text");
    let told = "it is between programs, of which a step has about 12.";
    assert!(what.contains(told), "{what}");
    let fix = found["fix"].as_str().expect("a text");
    assert!(fix.contains("into one jitted function"), "{fix}");
}

#[test]
fn one_program_per_step_is_not_put_together() {
    let found = finding(&advice(&[launched(1)]), "idle");
    assert_eq!(found["title"], "Device pauses", "{found}");
    let what = found["what"].as_str().expect("a text");
    assert!(what.contains("was launched and has not begun"), "{what}");
    let fix = found["fix"].as_str().expect("a text");
    assert!(!fix.contains("jitted function"), "{fix}");
}
