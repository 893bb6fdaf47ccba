//! What is said of a selection is of the selection: notes count what was selected, and a figure is
//! the same whether it was asked for alone or among all.

use serde_json::{Value, json};
use stepscope_model::Session;

use crate::support::{all_captures, ask, drawn, open};

fn rows(report: &Value, key: &str) -> Vec<Value> {
    report[key].as_array().cloned().unwrap_or_default()
}

fn notes(report: &Value) -> Vec<String> {
    let notes = rows(report, "notes");
    let text = |note: &Value| note["text"].as_str().map(str::to_owned);
    notes.iter().filter_map(text).collect()
}

fn says(report: &Value, words: &str) -> bool {
    notes(report).iter().any(|note| note.contains(words))
}

/// Four steps of 100 us; the second and the fourth load and compile.
const STEPS: &str = "
    host vm
    thread python
    repeat 4 every 100us
      0..90us train #step_num=$i,_r=1#
    end
      110..130us data_loading
      310..320us data_loading
      150..170us PjitFunction(step)
      150..165us backend_compile_and_load
      350..380us PjitFunction(step)
      350..375us backend_compile_and_load
    thread pool/3
      352..360us algsimp
    thread tf_XLAEigen/42
    each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
    repeat 4 every 100us
      50..80us fusion.1
    end
";

#[test]
fn rows_are_found_by_the_names_that_the_profiler_gives_them() {
    let text = ["gpu:0", "gpu:1"].map(|device| {
        format!("device {device} nvidia H100\nstream 7 Compute\n0..5us k [correlation_id=1]\n")
    });
    let session = drawn(&[&format!(
        "host vm\n{}thread python\n0..9us f\n",
        text.concat()
    )]);
    let devices = |wanted: &str| {
        let report = ask(&session, "overview", &[("device", wanted)]);
        rows(&report, "devices").len()
    };
    assert_eq!(devices("/device:GPU:1"), 1);
    assert_eq!(devices("GPU"), 2);
    let entry = stepscope_analysis::find("overview").expect("registered");
    let missing = entry.run_pairs(&session, [("device", "/device:GPU:10")]);
    assert!(missing.is_err(), "there is no eleventh GPU");
    let host = ask(&session, "overview", &[("host", "/host:CPU")]);
    assert_eq!(
        rows(&host, "devices").len(),
        2,
        "every host has such threads"
    );
}

#[test]
fn notes_on_steps_count_those_that_are_selected() {
    let session = drawn(&[STEPS]);
    for analysis in ["steps", "overview", "input", "hosts"] {
        let all = ask(&session, analysis, &[]);
        assert!(says(&all, "4 steps, annotated"), "{analysis}: {all}");
        let two = ask(&session, analysis, &[("steps", "1..3")]);
        assert!(says(&two, "2 of 4 steps, annotated"), "{analysis}: {two}");
        let timed = ask(&session, analysis, &[("time", "..250us")]);
        assert!(says(&timed, "3 of 4 steps, annotated"), "{analysis}");
    }
}

#[test]
fn stages_of_input_are_those_that_begin_in_the_selection() {
    let session = drawn(&[STEPS]);
    let counted = |options: &[(&str, &str)]| -> Vec<(Value, Value)> {
        let report = ask(&session, "input", options);
        let stages = rows(&report, "stages");
        let figures = |row: &Value| (row["count"].clone(), row["total_ps"].clone());
        stages.iter().map(figures).collect()
    };
    assert_eq!(counted(&[]), [(json!(2), json!(30_000_000))]);
    assert_eq!(counted(&[("steps", "1")]), [(json!(1), json!(20_000_000))]);
    assert_eq!(
        counted(&[("time", "300us..")]),
        [(json!(1), json!(10_000_000))]
    );
    let none = ask(&session, "input", &[("steps", "0")]);
    assert!(
        says(&none, "No input loading starts in this selection"),
        "{none}"
    );
}

#[test]
fn compilations_and_their_passes_are_those_of_the_selection() {
    let session = drawn(&[STEPS]);
    let all = ask(&session, "compile", &[]);
    assert_eq!(
        (&all["row_count"], &all["total_ps"]),
        (&json!(2), &json!(40_000_000))
    );
    let first = ask(&session, "compile", &[("steps", "1")]);
    assert_eq!(
        (&first["row_count"], &first["total_ps"]),
        (&json!(1), &json!(15_000_000))
    );
    let names = |report: &Value| -> Vec<Value> {
        let passes = rows(report, "passes");
        passes.iter().map(|row| row["name"].clone()).collect()
    };
    assert_eq!(names(&first), [json!("backend_compile_and_load")]);
    let none = ask(&session, "compile", &[("steps", "2")]);
    assert_eq!(none["total_ps"], json!(0));
    assert!(says(&none, "No compilations in this selection"), "{none}");
}

#[test]
fn batches_are_those_of_the_selection() {
    let session = drawn(&["
        host vm
        thread client/1
        repeat 3 every 100us
          0..80us    inference_request #request_id=$i#
        end
        thread worker/3
        repeat 3 every 100us
          20..70us   process_batch #batch_id=$i,padding_amount=$i,batch_size_after_padding=4#
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_f program_id=5 device_ordinal=0]
        repeat 3 every 100us
          40..60us   dot.1
        end
    "]);
    let all = ask(&session, "requests", &[]);
    assert_eq!(rows(&all, "batches").len(), 3);
    let last = ask(&session, "requests", &[("time", "200us..")]);
    let batches = rows(&last, "batches");
    assert_eq!(batches.len(), 1);
    assert_eq!(batches[0]["padding"], json!(2));
    assert_eq!(last["padding_ratio"], json!(0.5));
    assert_eq!(
        rows(&last, "rows")[0]["batch_id"],
        json!(0),
        "its place among those that are told"
    );
    let none = ask(&session, "requests", &[("time", "90us..95us")]);
    assert!(
        says(&none, "No request in this selection; 3 requests"),
        "{none}"
    );
}

/// Figures that an occurrence of a collective has by itself.
fn instances(session: &Session, options: &[(&str, &str)]) -> Vec<Value> {
    let mut options = options.to_vec();
    options.push(("instances", "0"));
    rows(&ask(session, "collectives", &options), "instances")
}

#[test]
fn an_occurrence_waits_as_long_whatever_is_selected() {
    let mut compared = 0;
    for capture in all_captures() {
        let session = open(&capture);
        let all = instances(&session, &[]);
        if all.is_empty() {
            continue;
        }
        let mut steps: Vec<i64> = all.iter().filter_map(|row| row["step"].as_i64()).collect();
        steps.sort_unstable();
        steps.dedup();
        for step in steps {
            let own = |row: &&Value| row["step"] == json!(step);
            let expected: Vec<Value> = all.iter().filter(own).cloned().collect();
            let step = step.to_string();
            let found = instances(&session, &[("steps", &step)]);
            assert_eq!(found, expected, "{} step {step}", capture.name);
            compared += found.len();
        }
        let waits = |options: &[(&str, &str)]| -> Vec<(Value, Value)> {
            let report = ask(&session, "collectives", options);
            let devices = rows(&report, "devices");
            let wait = |row: &Value| (row["device_index"].clone(), row["wait_ps"].clone());
            devices.iter().map(wait).collect()
        };
        for (device, wait) in waits(&[]) {
            let alone = waits(&[("device", &device.to_string())]);
            assert_eq!(alone, [(device, wait)], "{}", capture.name);
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn nobody_is_said_to_be_absent_who_was_not_asked_for() {
    let session = drawn(&["
        host vm
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
          10..30us all-reduce.2
        thread tf_XLAEigen/43
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=1]
          20..30us all-reduce.2
        program 5 jit_step
          p.0 = f32[512] parameter(0)
          ROOT all-reduce.2 = f32[512] all-reduce(p.0) replica_groups={{0,1}}
    "]);
    let one = ask(&session, "collectives", &[("device", "0")]);
    assert!(!says(&one, "not in the session"), "{one}");
    assert_eq!(rows(&one, "rows")[0]["wait_ps"], json!(10_000_000));
    let hosts = ask(&session, "hosts", &[("device", "0")]);
    assert!(
        says(&hosts, "1 occurrence of 1 collective was matched"),
        "{hosts}"
    );
}

#[test]
fn steps_have_the_same_exposed_time_in_every_answer() {
    for capture in all_captures() {
        let session = open(&capture);
        let Some(extent) = session.extent() else {
            continue;
        };
        // Cuts steps anywhere.
        let third = extent.duration().0 / 3;
        let time = format!(
            "{}ps..{}ps",
            extent.start.0 + third,
            extent.start.0 + 2 * third
        );
        for options in [vec![], vec![("time", time.as_str())], vec![("device", "0")]] {
            let collectives = ask(&session, "collectives", &options);
            let steps = rows(&ask(&session, "steps", &options), "rows");
            for row in rows(&collectives, "steps") {
                let own = steps.iter().filter(|step| step["step"] == row["step"]);
                let exposed: Vec<f64> = own
                    .filter_map(|step| step["collectives_ps"].as_f64())
                    .collect();
                let mean = exposed.iter().sum::<f64>() / exposed.len() as f64;
                let told = row["exposed_ps"].as_f64().expect("a figure");
                assert!(
                    (told - mean).abs() <= 1.0,
                    "{} {options:?}: {mean} {row}",
                    capture.name
                );
            }
        }
    }
}

#[test]
fn times_beyond_the_recording_are_no_idle_time() {
    let session = drawn(&[STEPS]);
    // From 200 us on 360 us were recorded at most, and two ops of 30 us.
    for time in ["200us..", "200us..10s"] {
        let overview = ask(&session, "overview", &[("time", time)]);
        let device = &rows(&overview, "devices")[0];
        let figures = (device["busy_ps"].clone(), device["window_ps"].clone());
        assert_eq!(figures, (json!(60_000_000), json!(190_000_000)), "{time}");
        let idle = ask(&session, "idle", &[("time", time)]);
        let device = &rows(&idle, "devices")[0];
        let figures = (device["busy_ps"].clone(), device["window_ps"].clone());
        assert_eq!(figures, (json!(60_000_000), json!(190_000_000)), "{time}");
    }
}

#[test]
fn a_device_has_the_step_time_of_its_own_host() {
    const SLOW: &str = "
        host slow
        thread python
        repeat 2 every 100us
          0..90us train #step_num=$i,_r=1#
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 2 every 100us
          50..80us fusion.1
        end
    ";
    let fast = SLOW
        .replace("host slow", "host fast")
        .replace("0..90us", "0..70us")
        .replace("50..80us", "40..60us")
        .replace("device_ordinal=0", "device_ordinal=1");
    let session = drawn(&[SLOW, &fast]);
    for (device, expected) in [("0", 90e6), ("1", 70e6), ("0,1", 80e6)] {
        for analysis in ["overview", "steps", "hosts"] {
            let report = ask(&session, analysis, &[("device", device)]);
            let mean = report["step_time_ps"]["mean"].as_f64();
            assert_eq!(mean, Some(expected), "{analysis} --device {device}");
        }
        let overview = ask(&session, "overview", &[("device", device)]);
        let parts = rows(&overview, "step_parts");
        let sum: f64 = parts
            .iter()
            .filter_map(|part| part["mean_ps"].as_f64())
            .sum();
        assert!((sum - expected).abs() < 1.0, "{sum} of device {device}");
    }
}

/// Inferred steps stay those of their program, whatever is selected.
#[test]
fn what_a_selection_leaves_out_is_said() {
    let session = drawn(&["
        host vm
        thread python
        repeat 4 every 100us
          0..2us    PjitFunction(step)
          50..52us  PjitFunction(log)
        end
        thread tf_XLAEigen/1
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 4 every 100us
          4..44us   dot.1 [run_id=1$i]
        end
        each [hlo_op=$name hlo_module=jit_log program_id=6 device_ordinal=0]
        repeat 4 every 100us
          54..58us  add.1 [run_id=2$i]
        end
    "]);
    let notes = |analysis: &str, program: &str| {
        let report = ask(&session, analysis, &[("program", program)]);
        report["notes"].to_string()
    };
    assert!(notes("steps", "log").contains("those of jit_step"));
    assert!(!notes("steps", "step").contains("those of jit_step"));
    assert!(notes("overview", "log").contains("Only the top ops"));
    assert!(
        !ask(&session, "overview", &[])["notes"]
            .to_string()
            .contains("Only the top ops")
    );
}
