//! Switches for debugging that a program left on.

use super::drawings::{GAP, cpu};
use super::{advice, finding, ids};

const CHECKED: &str = "601..998us PjitFunction(step)
    602..997us $api.py:116 _nan_check_posthook
    603..996us $dispatch.py:294 check_special
    604..995us $dispatch.py:308 _check_special
    701..994us $numpy asarray";

#[test]
fn checks_for_nan_explain_a_host_that_cannot_keep_up() {
    let report = advice(&[cpu(GAP, CHECKED, "")]);
    let found = finding(&report, "debug_switches");
    assert_eq!(
        found["title"], "jax_debug_nans checks every result",
        "{report}"
    );
    let what = found["what"].as_str().expect("a text");
    assert!(
        what.contains("_nan_check_posthook (api.py:116), about 1 time per step"),
        "{what}"
    );
    // 700 to 997 us of steps of a millisecond.
    assert_eq!(found["gain_ps_per_step"], 297e6, "{found}");
    assert_eq!(ids(&report)[0], "debug_switches", "{report}");
    assert!(!ids(&report).contains(&"host_bound"), "{report}");
    assert_eq!(found["also_seen_as"][0]["id"], "host_bound", "{found}");
}

#[test]
fn functions_that_run_in_python_although_they_are_jitted_are_named() {
    let ops = "PjitFunction(mul)\n620..990us $train.py:50 other";
    let python = format!(
        "601..998us PjitFunction(step)\n602..998us PjitFunction(step)\n603..604us PythonRefManager::CollectGarbage\n605..997us $train.py:8 step\n\
         610..995us {ops}"
    );
    let report = advice(&[cpu(GAP, &python, "")]);
    let found = finding(&report, "debug_switches");
    assert_eq!(found["title"], "jax.disable_jit is on", "{report}");
    let what = found["what"].as_str().expect("a text");
    assert!(
        what.contains("step (train.py:8), about 1 time per step"),
        "{what}"
    );
    assert_eq!(ids(&report)[0], "debug_switches", "{report}");
    // A function that is compiled is traced within the call, too.
    let traced = python.replace(
        "605..997us",
        "605..997us $pjit.py:150 cache_miss\n606..996us",
    );
    let report = advice(&[cpu(GAP, &traced, "")]);
    assert!(!ids(&report).contains(&"debug_switches"), "{report}");
}

/// A named tuple puts itself together in a function without a file, within the call that returns it: of a
/// jitted lambda, both are called `<lambda>`.
#[test]
fn what_puts_results_together_is_not_the_function() {
    let python = "601..998us PjitFunction(<lambda>)\n605..997us $<string>:1 <lambda>";
    let report = advice(&[cpu(GAP, python, "")]);
    assert!(!ids(&report).contains(&"debug_switches"), "{report}");
}

/// Launches are slower with the switch on, too, and it has to go whatever else there is.
#[test]
fn a_switch_explains_what_is_twice_its_time() {
    let python = "601..998us PjitFunction(step)
    602..840us $train.py:9 flatten
    842..997us $api.py:116 _nan_check_posthook";
    let report = advice(&[cpu(GAP, python, "")]);
    let found = finding(&report, "debug_switches");
    assert_eq!(ids(&report)[0], "debug_switches", "{report}");
    assert_eq!(found["also_seen_as"][0]["id"], "host_bound", "{found}");
}
