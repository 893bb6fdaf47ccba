//! Arguments that a program copies because they are not donated.

use super::drawings::cpu;
use super::{advice, check, finding, ids};

/// A copy of an argument takes half of the work. `state` is given like this, and the copy placed there.
fn copied(given: &str, copy: &str) -> String {
    let program = format!(
        "s.0 = f32[64,64] parameter(1) op_name=\"state['w']\"
        copy.1 = f32[64,64] copy(s.0) op_name=\"jit(step)/copy\"
        ROOT add.9 = f32[64,64] add(copy.1, p.0)
        allocation 0 size=16384 parameter=1 {given}
        buffer 1 s.0 size=16384
        allocation 1 size=16384 {copy}
        buffer 2 copy.1 size=16384
        allocation 2 size=16384 live_out
        buffer 3 add.9 size=16384"
    );
    cpu(
        "1..500us copy.1\n500..800us dot.1\n800..1000us dot.2",
        "",
        &program,
    )
}

#[test]
fn a_copied_argument_that_is_returned_is_not_donated() {
    let report = advice(&[copied("", "live_out")]);
    let found = finding(&report, "donation");
    let what = found["what"].as_str().expect("a text");
    assert!(
        what.contains("copies arguments") && what.ends_with(": state."),
        "{what}"
    );
    assert_eq!(
        found["code"],
        "step = jax.jit(train_step, donate_argnames=(\"state\",))"
    );
    let gain = found["gain_ps_per_step"].as_f64().expect("a gain");
    assert!((gain - 499e6).abs() < 2e6, "{gain}");
    assert!(!ids(&report).contains(&"data_shuffle"), "{report}");
}

/// JAX has no name for arguments of `*args`.
#[test]
fn arguments_without_a_name_are_donated_by_number() {
    let text = copied("", "live_out").replace("state['w']", "args[1][0]");
    let found = finding(&advice(&[text]), "donation");
    assert_eq!(
        found["code"],
        "step = jax.jit(train_step, donate_argnums=1)"
    );
}

#[test]
fn a_copy_of_what_is_donated_or_not_returned_moves_data() {
    // A copy beside the donated argument, one that is only used within the program, and a result.
    let updated = "ROOT add.9 = f32[64,64] add(copy.1, p.0)";
    let as_it_is = "add.9 = f32[64,64] add(copy.1, p.0)
        ROOT t.10 = (f32[64,64], f32[64,64]) tuple(add.9, copy.1)";
    for text in [
        copied("live_out", "live_out"),
        copied("", ""),
        copied("", "live_out").replace(updated, as_it_is),
    ] {
        let report = advice(&[text]);
        assert!(!ids(&report).contains(&"donation"), "{report}");
        assert!(
            ids(&report).contains(&"data_shuffle"),
            "{}",
            check(&report, "data_shuffle")
        );
    }
}

/// Results of this many bytes beside arguments that are kept.
fn kept(side: u32) -> String {
    let bytes = side * side * 4;
    let program = format!(
        "s.0 = f32[{side},{side}] parameter(1) op_name=\"state\"
        ROOT add.9 = f32[{side},{side}] add(s.0, s.0)
        allocation 0 size={bytes} parameter=1
        buffer 1 s.0 size={bytes}
        allocation 1 size={bytes} live_out
        buffer 2 add.9 size={bytes}"
    );
    cpu(
        "1..500us add.9\n500..800us dot.1\n800..1000us dot.2",
        "",
        &program,
    )
}

#[test]
fn large_results_of_a_host_take_new_memory_in_each_run() {
    // 64 MiB, which the C library returns to the operating system; 16 MiB it keeps.
    let found = finding(&advice(&[kept(4096)]), "donation");
    assert_eq!(found["severity"], "warning");
    assert!(found["gain_ps_per_step"].is_null(), "{found}");
    assert!(
        found["why"]
            .as_str()
            .is_some_and(|why| why.contains("new from the operating system"))
    );
    let report = advice(&[kept(2048)]);
    assert!(!ids(&report).contains(&"donation"), "{report}");
}

/// What `jnp.asarray` makes of a batch.
#[test]
fn a_program_that_only_copies_is_there_to_keep_its_argument() {
    let program = |op: &str| {
        let text = kept(4096).replace("add.9", op);
        let (text, hlo) = text.split_once("program 5 jit_step").expect("a program");
        let (_, hlo) = hlo.split_once("s.0 =").expect("the argument");
        let hlo = hlo.replace("add(s.0, s.0)", &format!("{op}(s.0)"));
        advice(&[format!("{text}\nprogram 5 jit_step\ns.0 ={hlo}")])
    };
    let report = program("negate");
    assert!(ids(&report).contains(&"donation"), "{report}");
    let report = program("copy");
    assert!(!ids(&report).contains(&"donation"), "{report}");
}

/// XLA:CPU runs ops on several threads at once.
#[test]
fn copies_beside_other_work_save_less() {
    let text = copied("", "live_out");
    let beside = "thread tf_XLAEigen/43
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 6 every 1000us
          101..500us dot.3
        end
        program 5";
    let report = advice(&[text.replacen("program 5", beside, 1)]);
    let found = finding(&report, "donation");
    // The copy runs from 1 to 500 us, and alone until 101.
    let gain = found["gain_ps_per_step"].as_f64().expect("a gain");
    assert!((gain - 100e6).abs() < 2e6, "{gain}");
}
