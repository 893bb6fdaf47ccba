//! Programs with one planted cause each (`fixtures/capture_causes.py`), and what is said of them: the
//! step time against the program's own clock, the cause first, its figure, and nothing false before.
//!
//! Captures are named `case`, `case-a` with steps annotated, `case-t` with the Python tracer, and
//! `case-at` with both.

use crate::support::ask;
use crate::support::planted::{Planted, read_all};

/// What has to stand first, by the names of its findings: any of these.
struct Expected {
    case: &'static str,
    /// With frames of Python.
    with_python: &'static [&'static str],
    /// Without: nobody but Python may know.
    without_python: &'static [&'static str],
    /// Words that the first finding has to say with frames of Python.
    words: &'static [&'static str],
    /// The figure is the cause's own time.
    has_figure: bool,
}

const fn case(
    case: &'static str,
    with_python: &'static [&'static str],
    without_python: &'static [&'static str],
    words: &'static [&'static str],
    has_figure: bool,
) -> Expected {
    Expected {
        case,
        with_python,
        without_python,
        words,
        has_figure,
    }
}

/// Findings about what the device computes, which are true of most of these programs.
const COMPUTE: &[&str] = &[
    "long_ops",
    "dominating_op",
    "unrolled_loop",
    "step_outliers",
    "",
];
/// Without annotations, steps with an evaluation are long ones; annotated, it is a series of its own.
const EVALUATION: &[&str] = &["step_outliers", "long_ops", "unrolled_loop"];
const IDLE: &[&str] = &["idle"];
const NOT_RECORDED: &[&str] = &["capture_quality"];

const EXPECTED: &[Expected] = &[
    case("compute-async", COMPUTE, COMPUTE, &[], false),
    case("compute-sync", COMPUTE, COMPUTE, &[], false),
    case("two-programs-async", COMPUTE, COMPUTE, &[], false),
    case("train-and-eval", EVALUATION, EVALUATION, &[], false),
    case(
        "sleeping-dataset",
        &["input_wait"],
        IDLE,
        &["__next__"],
        true,
    ),
    case(
        "reading-dataset",
        &["input_wait"],
        IDLE,
        &["__next__"],
        true,
    ),
    case(
        "queue-loader",
        &["input_wait"],
        IDLE,
        &["sleeps for most of that time"],
        true,
    ),
    // NumPy's copy of the batch in the loop takes as long as the one to the device.
    case(
        "to-device",
        &["input_wait", "host_bound"],
        &["input_wait"],
        &[],
        false,
    ),
    case(
        "pure-callback",
        &["python_callback"],
        &["python_callback"],
        &["pure_callback", "slow_python (capture_causes.py:"],
        true,
    ),
    case(
        "io-callback",
        &["python_callback"],
        &["python_callback"],
        &["io_callback", "slow_python (capture_causes.py:"],
        true,
    ),
    case(
        "debug-callback",
        &["debug_print"],
        &["debug_print"],
        &["callbacks", "report (capture_causes.py:"],
        true,
    ),
    case(
        "interpreted-pallas",
        // This version of JAX leaves no name of the kernel: what its grid does is told.
        &["interpreted_kernels", "data_shuffle"],
        &["interpreted_kernels", "data_shuffle"],
        &["loop", "iterations"],
        false,
    ),
    case(
        "host-syncs",
        &["host_syncs", "program_runs", "host_bound"],
        &["host_syncs", "program_runs"],
        &[],
        false,
    ),
    case(
        "python-between",
        &["host_bound"],
        IDLE,
        &["Python", "summarize"],
        true,
    ),
    case(
        "sleep-between",
        &["host_bound"],
        IDLE,
        &["sleep", "wait_for_quota"],
        true,
    ),
    case("garbage", &["host_bound"], IDLE, &["garbage"], true),
    case(
        "checkpoints",
        &["host_bound", "step_outliers"],
        &["idle", "step_outliers"],
        &[],
        false,
    ),
    case(
        "recompiles",
        &["compilation", "recompilation", "idle_recording"],
        &["compilation", "recompilation", "idle_recording"],
        &["compil"],
        false,
    ),
    case(
        "eager-ops",
        &["program_runs", "idle_recording"],
        &["program_runs", "idle_recording"],
        &[],
        false,
    ),
    case(
        "tiny-loop",
        &["small_loop"],
        &["small_loop"],
        &["loop"],
        false,
    ),
    case("sorting", COMPUTE, COMPUTE, &[], false),
    case("nothing-ran", NOT_RECORDED, NOT_RECORDED, &[], false),
];

fn planted() -> Vec<Planted> {
    read_all("causes-cpu")
}

fn expected(planted: &Planted) -> &'static Expected {
    let mut all = EXPECTED.iter();
    all.find(|expected| expected.case == planted.case)
        .unwrap_or_else(|| panic!("{} is expected to say something", planted.case))
}

/// The step time is right, or there is none.
#[test]
fn step_times_are_those_of_the_programs_clock() {
    let mut wrong = Vec::new();
    for planted in planted() {
        let report = ask(&planted.session, "steps", &[]);
        let time = &report["step_time_ps"];
        let Some(mean_ps) = time["mean"].as_f64() else {
            if planted.has_steps() {
                wrong.push(format!("{}: no step time", planted.name));
            }
            continue;
        };
        if !planted.has_steps() {
            wrong.push(format!("{}: {mean_ps} ps of no step", planted.name));
            continue;
        }
        // Loops whose steps differ have another mean without the step that is cut; and from run to run
        // the time is that of what stands between, too.
        let differs = ["checkpoints", "train-and-eval", "to-device"];
        if !planted.is_annotated && differs.contains(&planted.case.as_str()) {
            continue;
        }
        let truth_ps = planted.step_s.unwrap_or_default() * 1e12;
        let allowed = if planted.is_annotated { 0.06 } else { 0.12 };
        if (mean_ps / truth_ps - 1.0).abs() > allowed {
            wrong.push(format!(
                "{}: {:.3} ms, truth {:.3} ms",
                planted.name,
                mean_ps / 1e9,
                truth_ps / 1e9
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The cause stands first, is called by its name, and has the right figure.
#[test]
fn the_planted_cause_stands_first() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for planted in planted() {
        count += 1;
        let expected = expected(&planted);
        let report = ask(&planted.session, "advice", &[]);
        let first = &report["findings"][0];
        let id = first["id"].as_str().unwrap_or_default();
        let allowed = if planted.has_python {
            expected.with_python
        } else {
            expected.without_python
        };
        let said = format!("{} {}", first["title"], first["what"]);
        let mut complain = |what: String| {
            wrong.push(format!("{}: {what}: {id} {said}", planted.name));
        };
        if !allowed.contains(&id) {
            complain(format!("not among {allowed:?}"));
            continue;
        }
        if planted.has_python {
            for word in expected.words {
                if !said.contains(word) {
                    complain(format!("does not say {word}"));
                }
            }
        }
        let fix = first["fix"].as_str().unwrap_or_default();
        if planted.case == "recompiles" && fix.starts_with("Warm up") {
            complain(format!("no warm-up helps: {fix}"));
        }
        let gain = first["gain_ps_per_step"].as_f64();
        let is_known = expected.has_figure && id != "idle" && planted.is_annotated;
        if let Some(gain) = gain.filter(|_| is_known) {
            // The device waits a little longer than the cause takes: for what comes before and after.
            let truth = planted.cause_s * 1e12;
            let step = planted.step_s.unwrap_or_default() * 1e12;
            // To call Python takes more than the function that the program's clock times.
            let is_call = planted.case.ends_with("-callback");
            let allowed = if is_call { 0.1 } else { 0.05 };
            if (gain - truth).abs() > allowed * step {
                complain(format!("{:.3} ms, truth {:.3} ms", gain / 1e9, truth / 1e9));
            }
        }
    }
    assert!(count >= EXPECTED.len(), "the planted captures are there");
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Python that a program calls is a part of the step of its own, and the device is not busy with it.
#[test]
fn callbacks_are_no_work_of_the_device() {
    let mut count = 0;
    for planted in planted() {
        if !planted.case.ends_with("-callback") {
            continue;
        }
        count += 1;
        let report = ask(&planted.session, "overview", &[]);
        let parts = report["step_parts"].as_array().expect("a list");
        let part = parts.iter().find(|part| part["part"] == "python_callbacks");
        let callbacks_ps = part.and_then(|part| part["mean_ps"].as_f64());
        let callbacks_ps = callbacks_ps.expect("the part is there");
        // The function, and what it takes to bring its arguments and to start it.
        let (truth_ps, step_ps) = (planted.cause_s * 1e12, planted.step_s.unwrap_or(0.0) * 1e12);
        let beyond = (callbacks_ps - truth_ps) / step_ps;
        assert!(
            (-0.01..0.12).contains(&beyond),
            "{}: {beyond}",
            planted.name
        );
        let busy = report["device_busy_ratio"].as_f64().expect("a ratio");
        let rest = 1.0 - callbacks_ps / report["step_time_ps"]["mean"].as_f64().expect("a time");
        assert!(busy <= rest + 0.02, "{}: {busy} of {rest}", planted.name);
        let verdicts = report["verdicts"].as_array().expect("a list");
        let of_busy = verdicts
            .iter()
            .find(|one| one["key"] == "device_busy_ratio");
        assert_ne!(
            of_busy.expect("a verdict")["verdict"],
            "good",
            "{}",
            planted.name
        );
    }
    assert!(count >= 6, "the planted captures are there");
}

/// What is said of time never exceeds the step that it is a share of.
#[test]
fn no_share_of_a_step_is_more_than_the_step() {
    for planted in planted() {
        let report = ask(&planted.session, "advice", &[]);
        for finding in report["findings"].as_array().into_iter().flatten() {
            let ratio = finding["gain_ratio"].as_f64().unwrap_or(0.0);
            assert!(ratio <= 1.0, "{}: {finding}", planted.name);
        }
    }
}

/// An evaluation between steps that nobody annotated: the program that only long steps run is named.
#[test]
fn what_runs_in_long_steps_only_is_named() {
    let all = planted();
    let of_case = |planted: &&Planted| planted.case == "train-and-eval" && !planted.is_annotated;
    let mut count = 0;
    for planted in all.iter().filter(of_case) {
        let report = ask(&planted.session, "advice", &[]);
        let mut findings = report["findings"].as_array().into_iter().flatten();
        let long = findings.find(|finding| finding["id"] == "step_outliers");
        let what = long.and_then(|finding| finding["what"].as_str());
        let what = what.unwrap_or_default();
        assert!(
            what.contains("runs only in long steps"),
            "{}: {what}",
            planted.name
        );
        count += 1;
    }
    assert!(count > 0);
}
