//! Findings name the code of the program, not how a library does what it asks for.

use super::drawings::{GAP, cpu};
use super::step_cases::{measured, programs};
use super::{advice, finding};

fn what(python: &str, id: &str) -> String {
    let found = finding(&advice(&[cpu(GAP, python, "")]), id);
    found["what"].as_str().expect("a text").to_owned()
}

#[test]
fn a_function_of_a_library_is_told_with_who_calls_it() {
    let library =
        "701..998us $_npyio_impl.py:239 __getitem__\n702..990us $_format_impl.py:780 read_array";
    let alone = what(library, "input_wait");
    let told = "Most of it is __getitem__ (_npyio_impl.py:239), which the loop's own code calls.";
    assert!(alone.contains(told), "{alone}");
    let called = what(
        &format!("700..999us $data.py:12 pick\n{library}"),
        "input_wait",
    );
    let told = "Most of it is pick (data.py:12), which calls __getitem__ (_npyio_impl.py:239).";
    assert!(called.contains(told), "{called}");
}

/// What Pillow and NumPy do for a function of the program.
#[test]
fn files_of_libraries_for_images_and_arrays_are_no_files_of_the_program() {
    for library in [
        "$Image.py:2477 rotate",
        "$ImageFilter.py:196 filter",
        "$_arraypad_impl.py:546 pad",
    ] {
        let python = format!("700..999us $train.py:12 augment\n701..998us {library}");
        let text = what(&python, "host_bound");
        assert!(text.contains("in augment (train.py:12)"), "{text}");
    }
}

/// The outermost frame of the library is what the program calls.
#[test]
fn reading_a_result_is_called_what_the_program_calls_it() {
    let read = "701..990us $array.py:293 __float__\n702..989us $profiler.py:417 wrapper\n\
                703..988us $array.py:629 _value\n704..985us np.asarray(jax.Array)";
    let text = what(read, "host_bound");
    assert!(text.contains("__float__ (array.py:293)"), "{text}");
    let own = what(
        &format!("700..992us $train.py:40 log\n{read}"),
        "host_bound",
    );
    assert!(own.contains("log (train.py:40)"), "{own}");
}

/// Twenty runs per step of one program with two ops.
#[test]
fn one_program_that_runs_many_times_is_told_how_to_run_once() {
    let op = "add.1 = bf16[64,64] add(p.0, p.0)\n          ";
    let text = |result: &str| {
        let text = programs(20);
        text.replace("dot.1 = bf16", &format!("{op}{result} = bf16"))
    };
    let found = finding(&advice(&[text("dot.1")]), "program_runs");
    assert_eq!(found["title"], "One program runs many times per step");
    let what = found["what"].as_str().expect("a text");
    assert!(what.contains("Of these, 20 runs are of jit_step"), "{what}");
    assert!(
        found["fix"].as_str().expect("a text").contains("jax.vmap"),
        "{found}"
    );
    // A single op is a part of a function that was not jitted.
    let found = finding(&advice(&[programs(20)]), "program_runs");
    assert_eq!(found["title"], "Many short programs per step");
}

/// An agent whose network runs op by op, between steps of its environment.
#[test]
fn the_function_that_launches_single_ops_is_named() {
    let told = |frame: &str| {
        let calls = format!(
            "thread python\nrepeat 6 every 1000us\n1..900us {frame}\n2..800us PjitFunction(step)\nend\nprogram 5"
        );
        let text = programs(20).replacen("program 5", &calls, 1);
        finding(&advice(&[text]), "program_runs")
    };
    let found = told("$agent.py:7 act");
    let what = found["what"].as_str().expect("a text");
    assert!(
        what.ends_with("are launched in act (agent.py:7)."),
        "{what}"
    );
    let fix = found["fix"].as_str().expect("a text");
    assert!(fix.contains("jit at least act (agent.py:7)"), "{fix}");
    // How a library does it is no function to jit.
    let found = told("$api.py:196 cache_miss");
    assert_eq!(found["fix"], "Put the whole step into one jitted function.");
}

#[test]
fn a_metric_of_another_thread_is_told_with_the_thread() {
    let told = |thread: &str| {
        let calls = format!(
            "thread {thread}\nrepeat 6 every 1000us\n505..506us PjitFunction(loss)\nend\nprogram 5"
        );
        let text = measured("reduce.2 = f32[] reduce(dot.1)").replacen("program 5", &calls, 1);
        let found = finding(&advice(&[text]), "metric_programs");
        found["what"].as_str().expect("a text").to_owned()
    };
    let beside = told("evaluator");
    assert!(
        beside.contains("Another thread (evaluator) calls it, beside the loop"),
        "{beside}"
    );
    let own = told("python");
    assert!(!own.contains("beside the loop"), "{own}");
}
