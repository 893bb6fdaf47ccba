//! `check` and `history` on drawings whose figures are worked out by hand.

use serde_json::{Value, json};
use stepscope_analysis::asking::NamedText;
use stepscope_analysis::{AnalysisError, Compared, find_comparison};
use stepscope_model::Session;

use crate::support::drawn;

const NAMES: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];

fn ask(
    comparison: &str,
    sessions: &[&Session],
    options: &[(&str, &str)],
    files: &[(&str, &str)],
) -> Result<Value, AnalysisError> {
    let compared: Vec<Compared<'_>> = NAMES
        .iter()
        .zip(sessions)
        .map(|(name, session)| Compared { name, session })
        .collect();
    let files = files.iter().map(|(name, text)| NamedText {
        name: (*name).to_owned(),
        text: (*text).to_owned(),
    });
    let entry = find_comparison(comparison).expect("it is listed");
    let answer = entry.run_pairs_with_files(&compared, files.collect(), options.iter().copied())?;
    answer.json()
}

/// The report of a check of the last session.
fn check(sessions: &[&Session], budgets: &[&str]) -> Value {
    let options: Vec<(&str, &str)> = budgets.iter().map(|budget| ("budget", *budget)).collect();
    ask("check", sessions, &options, &[]).expect("a report")
}

fn row<'a>(report: &'a Value, budget: &str) -> &'a Value {
    let rows = report["rows"].as_array().expect("rows");
    let found = rows.iter().find(|row| row["budget"] == budget);
    found.unwrap_or_else(|| panic!("no {budget} in {rows:#?}"))
}

fn verdicts(report: &Value) -> Vec<&str> {
    let rows = report["rows"].as_array().expect("rows").iter();
    rows.map(|row| row["verdict"].as_str().expect("a verdict"))
        .collect()
}

fn micros(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is not a number"))
        / 1e6
}

/// Ten steps of one virtual device, `period` us apart: a product of so many us, then an addition of
/// 10. Every step is as long as the others, so that noise is that between runs alone.
fn cpu(period: u64, dot: &str, dot_us: u64) -> Session {
    let dot_end = 10 + dot_us;
    let add_end = dot_end + 10;
    drawn(&[&format!(
        "
        host vm
        program 5 jit_step
          p.0 = f32[8,16] parameter(0)
          {dot} = f32[8,8] dot(p.0, p.0) op_name=\"jit(step)/jvp(layer_0)/mul\" source=\"train.py:7\"
          ROOT add.2 = f32[8,8] add({dot}, {dot}) op_name=\"jit(step)/layer_0/add\" source=\"train.py:8\"
        thread python
        repeat 10 every {period}us
          0..{period}us train #step_num=$i,_r=1#
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 10 every {period}us
          10..{dot_end}us {dot}
          {dot_end}..{add_end}us add.2
        end
        "
    )])
}

#[test]
fn a_slower_op_breaks_budgets_with_its_cause_and_its_line() {
    let (before, after) = (cpu(100, "dot.1", 30), cpu(120, "dot.41", 50));
    let budgets = [
        "step_time=+2%",
        "op:dot.41=+10%",
        "scope:layer_0=+10%",
        "op:add.2=+10%",
        "launch_count=+0",
        "compilation_count<=0",
        "device_busy>=10%",
    ];
    let report = check(&[&before, &after], &budgets);
    let expected = [
        "broken", "broken", "broken", "passed", "passed", "passed", "passed",
    ];
    assert_eq!(verdicts(&report), expected);
    assert_eq!(report["verdict"], "broken");
    assert_eq!(report["is_passed"], false);
    assert_eq!(report["session"], "second");
    assert_eq!(report["baselines"], json!(["first"]));
    assert_eq!(
        report["conclusion"],
        "second breaks 3 of its 7 budgets: step_time, op:dot.41, scope:layer_0."
    );
    let dot = row(&report, "op:dot.41=+10%");
    assert_eq!(
        [micros(&dot["baseline"]), micros(&dot["value"])],
        [30.0, 50.0]
    );
    assert!((micros(&dot["limit"]) - 33.0).abs() < 1e-9, "{dot}");
    assert_eq!(dot["source"], "train.py:7");
    let scope = row(&report, "scope:layer_0=+10%");
    assert_eq!(
        [micros(&scope["baseline"]), micros(&scope["value"])],
        [40.0, 60.0]
    );
    let causes = report["causes"].as_array().expect("causes");
    let slower = causes.iter().find(|cause| cause["kind"] == "op_slower");
    assert_eq!(slower.expect("the product")["source"], "train.py:7");
}

/// Equal steps, so the interval is that of runs that differ by 1 % each: 1.96 × 1 % × √(1 + (1000 ÷ 1025)²)
/// of the longer, 2.738 % of it on either side.
#[test]
fn a_difference_that_runs_explain_is_within_noise() {
    let (before, after) = (cpu(1000, "dot.1", 300), cpu(1025, "dot.1", 300));
    let report = check(&[&before, &after], &["step_time=+2%", "step_time=+3%"]);
    assert_eq!(verdicts(&report), ["within_noise", "passed"]);
    assert_eq!(report["verdict"], "within_noise");
    assert_eq!(report["is_passed"], true);
    assert_eq!(
        report["conclusion"],
        "second meets its 2 budgets; step_time is beyond the limit, within noise."
    );
    let step = row(&report, "step_time=+2%");
    let (value, low) = (micros(&step["value"]), micros(&step["low"]));
    assert!((value - low - 0.027_38 * value).abs() < 0.01, "{step}");
    let warned = report["notes"].as_array().expect("notes").iter();
    let mut warned = warned.filter(|note| note["kind"] == "warning");
    let text = warned.next().expect("a warning")["text"].to_string();
    assert!(text.contains("beyond its limit"), "{text}");
    let known = [("budget", "step_time=+2%"), ("run-noise", "0.001")];
    let report = ask("check", &[&before, &after], &known, &[]).expect("a report");
    assert_eq!(verdicts(&report), ["broken"]);
}

/// Steps of 1000, 1010 and 990 us: the median is 1000, the standard deviation 10, √(1 + π/6) of it
/// 12.34, and Student's 4.303 with two degrees of freedom makes it 53.1 us.
#[test]
fn three_baselines_say_how_much_runs_differ() {
    let runs = [1000, 1010, 990].map(|period| cpu(period, "dot.1", 300));
    let (slower, slow) = (cpu(1090, "dot.1", 300), cpu(1060, "dot.1", 300));
    let of = |checked| {
        let [a, b, c] = &runs;
        check(&[a, b, c, checked], &["step_time=+2%"])
    };
    let report = of(&slower);
    let step = row(&report, "step_time=+2%");
    assert_eq!(step["verdict"], "broken", "{step}");
    let reach = micros(&step["value"]) - micros(&step["low"]);
    assert!((reach - 53.1).abs() < 0.3, "{step}");
    assert_eq!(verdicts(&of(&slow)), ["within_noise"]);
    assert_eq!(report["baselines"], json!(["first", "second", "third"]));
}

#[test]
fn what_cannot_be_checked_does_not_pass_unless_that_is_allowed() {
    let session = cpu(100, "dot.1", 30);
    let budgets = [
        "step_time=+2%",
        "step_time<=1ms",
        "memory_peak<=1GiB",
        "op:dot.9<=1ms",
    ];
    let report = check(&[&session], &budgets);
    assert_eq!(
        verdicts(&report),
        ["unknown", "passed", "unknown", "unknown"]
    );
    assert_eq!(report["verdict"], "unknown");
    assert_eq!(report["is_passed"], false);
    assert_eq!(report["baseline"], "none");
    let mut options: Vec<(&str, &str)> = budgets.iter().map(|one| ("budget", *one)).collect();
    options.push(("allow-unknown", "true"));
    let report = ask("check", &[&session], &options, &[]).expect("a report");
    assert_eq!(report["verdict"], "passed");
    assert_eq!(report["is_passed"], true);
}

#[test]
fn a_session_keeps_to_every_budget_of_its_own_figures() {
    let session = cpu(100, "dot.1", 30);
    let report = check(&[&session, &session], &["compilation_count=+0"]);
    let figures = report["figures"].as_array().expect("figures");
    let names = figures
        .iter()
        .filter_map(|figure| figure["metric"].as_str());
    let budgets: Vec<String> = names.map(|name| format!("{name}=+0%")).collect();
    assert!(budgets.len() > 12, "{budgets:?}");
    let budgets: Vec<&str> = budgets.iter().map(String::as_str).collect();
    let report = check(&[&session, &session], &budgets);
    assert!(
        verdicts(&report).iter().all(|verdict| *verdict == "passed"),
        "{report:#}"
    );
}

#[test]
fn options_that_choose_rows_are_refused() {
    let session = cpu(100, "dot.1", 30);
    for option in [("match", "dot"), ("program", "5"), ("sort", "value")] {
        let error = ask("check", &[&session], &[option], &[]).expect_err("refused");
        assert!(error.to_string().contains("has no effect here"), "{error}");
    }
}

/// Twelve runs at 100 us and twelve at 150, give or take two; the last is broken.
fn history() -> String {
    let line = |run: u32| {
        let level = if run < 12 { 100.0 } else { 150.0 };
        let value = (level + f64::from(run % 5) - 2.0) * 1e6;
        let (verdict, value) = if run == 23 {
            ("broken", 190e6)
        } else {
            ("passed", value)
        };
        let memory = if run < 20 { 1000.0 } else { 1200.0 };
        json!({
            "run": format!("run-{run}"),
            "commit": format!("c{run}"),
            "program": "jit_step",
            "devices": "1 × XLA:CPU",
            "verdict": verdict,
            "figures": {
                "step_time": { "unit": "picos", "value": value },
                "memory_peak": { "unit": "bytes", "value": memory },
            },
        })
        .to_string()
    };
    (0..24).map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_history_is_a_baseline_from_its_last_change_on() {
    let text = history();
    let of = |period: u64| {
        let session = cpu(period, "dot.1", 30);
        let budgets = [("budget", "step_time=+2%"), ("budget", "memory_peak=+2%")];
        ask("check", &[&session], &budgets, &[("history.jsonl", &text)]).expect("a report")
    };
    let report = of(151);
    assert_eq!(verdicts(&report), ["passed", "unknown"]);
    assert_eq!(report["baseline"], "history");
    assert_eq!(report["baselines"], json!(["history.jsonl (24 runs)"]));
    let step = row(&report, "step_time=+2%");
    assert_eq!(micros(&step["baseline"]), 150.0);
    assert_eq!(verdicts(&of(165))[0], "broken");
}

#[test]
fn a_history_tells_when_a_figure_changed() {
    let text = history();
    let report = ask("history", &[], &[], &[("history.jsonl", &text)]).expect("a report");
    assert_eq!(report["runs"].as_array().map(Vec::len), Some(24));
    let changes = report["changes"].as_array().expect("changes");
    let told: Vec<(&str, u64)> = changes
        .iter()
        .filter_map(|change| Some((change["metric"].as_str()?, change["run"].as_u64()?)))
        .collect();
    assert_eq!(told, [("memory_peak", 20), ("step_time", 12)]);
    let step = &changes[1];
    assert_eq!(
        [micros(&step["before"]), micros(&step["after"])],
        [99.5, 150.0]
    );
    assert_eq!(step["is_worse"], true);
    assert_eq!([&step["commit"], &step["previous_commit"]], ["c12", "c11"]);
    let only = [("metric", "memory_peak")];
    let report = ask("history", &[], &only, &[("history.jsonl", &text)]).expect("a report");
    assert_eq!(report["rows"].as_array().map(Vec::len), Some(1));
    let none = ask(
        "history",
        &[],
        &[("metric", "speed")],
        &[("history.jsonl", &text)],
    );
    let error = none.expect_err("no such figure").to_string();
    assert!(error.contains("step_time, memory_peak"), "{error}");
    assert!(ask("history", &[], &[], &[("history.jsonl", "")]).is_err());
}

#[test]
fn sessions_are_runs_of_a_history_too() {
    let runs = [100, 101, 102].map(|period| cpu(period, "dot.1", 30));
    let [a, b, c] = &runs;
    let report = ask("history", &[a, b, c], &[], &[]).expect("a report");
    let names: Vec<&Value> = report["runs"]
        .as_array()
        .expect("runs")
        .iter()
        .map(|run| &run["name"])
        .collect();
    assert_eq!(names, ["first", "second", "third"]);
    assert_eq!(report["changes"], json!([]));
    let rows = report["rows"].as_array().expect("rows");
    let step = rows
        .iter()
        .find(|row| row["metric"] == "step_time")
        .expect("steps");
    assert_eq!(step["run_count"], 3);
}

/// A run of a program on some devices, with its step time.
fn line_of(program: &str, devices: &str, run: u32, value: f64) -> String {
    json!({
        "run": format!("{program}-{run}"),
        "program": program,
        "devices": devices,
        "figures": { "step_time": { "unit": "picos", "value": value } },
    })
    .to_string()
}

/// Two programs take turns, and one becomes slower; then a run on fewer devices, and an unknown one.
fn mixed() -> String {
    let lines = (0..20).flat_map(|run| {
        let slower = if run < 10 { 0.0 } else { 5e6 };
        let noise = f64::from(run % 3) * 1e5;
        [
            line_of("jit_train", "8 × TPU v6 Lite", run, 20e6 + slower + noise),
            line_of("jit_eval", "8 × TPU v6 Lite", run, 90e6 + noise),
        ]
    });
    let mut lines: Vec<String> = lines.collect();
    lines.push(line_of("jit_train", "4 × TPU v6 Lite", 0, 40e6));
    lines.push(line_of("", "", 0, 1e6));
    lines.join("\n")
}

#[test]
fn different_workloads_are_never_on_one_line() {
    let text = mixed();
    let report = ask("history", &[], &[], &[("h.jsonl", &text)]).expect("a report");
    let groups = report["groups"].as_array().expect("groups");
    let told: Vec<(&str, u64)> = groups
        .iter()
        .filter_map(|group| Some((group["name"].as_str()?, group["run_count"].as_u64()?)))
        .collect();
    let expected = [
        ("jit_train on 8 × TPU v6 Lite", 20),
        ("jit_eval on 8 × TPU v6 Lite", 20),
        ("jit_train on 4 × TPU v6 Lite", 1),
        ("h.jsonl (program and devices unknown)", 1),
    ];
    assert_eq!(told, expected);
    assert_eq!(groups[0]["apart_because"], "");
    let why = groups[3]["apart_because"].as_str().expect("a reason");
    assert!(why.starts_with("Program and devices unknown"), "{why}");
    let changes = report["changes"].as_array().expect("changes");
    assert_eq!(changes.len(), 1, "{changes:#?}");
    assert_eq!(changes[0]["group"], 0);
    // Runs alternate, so the tenth of the program is the twentieth of all.
    assert_eq!(changes[0]["run"], 20);
    let levels = [micros(&changes[0]["before"]), micros(&changes[0]["after"])];
    assert_eq!(levels, [20.1, 25.1]);
    let values = report["rows"][0]["values"].as_array().expect("values");
    assert_eq!(values.iter().filter(|value| !value.is_null()).count(), 20);
    assert_eq!(
        report["conclusion"],
        "42 runs of 4 workloads on different programs or devices, each compared with itself only: \
         figures changed for jit_train on 8 × TPU v6 Lite."
    );
}

#[test]
fn a_check_is_compared_with_runs_of_its_own_workload() {
    let session = cpu(100, "dot.1", 30);
    let budgets = [("budget", "step_time=+2%")];
    let check =
        |text: &str| ask("check", &[&session], &budgets, &[("h.jsonl", text)]).expect("a report");
    let report = check(&mixed());
    assert_eq!(report["program"], "jit_step");
    assert_eq!(report["devices"], "1 × XLA:CPU");
    assert_eq!(report["baselines"], json!(["h.jsonl (0 runs)"]));
    assert_eq!(verdicts(&report), ["unknown"]);
    let own: Vec<String> = (0..12)
        .map(|run| {
            line_of(
                "jit_step",
                "1 × XLA:CPU",
                run,
                100e6 + f64::from(run % 3) * 1e5,
            )
        })
        .collect();
    let report = check(&format!("{}\n{}", mixed(), own.join("\n")));
    assert_eq!(report["baselines"], json!(["h.jsonl (12 runs)"]));
    assert_eq!(verdicts(&report), ["passed"]);
}

#[test]
fn steps_of_unknown_length_pass_no_gate() {
    let mut untimed = cpu(100, "dot.1", 30);
    // Steps are there, and nothing says how long they take.
    untimed.step_origin = None;
    let budgets = ["step_time<=1s", "device_busy>=1%", "launch_count<=1000"];
    let report = check(&[&untimed], &budgets);
    assert_eq!(verdicts(&report), ["unknown", "unknown", "passed"]);
    assert_eq!(report["is_passed"], false);
    let row = row(&report, "step_time<=1s");
    assert_eq!(row["value"], Value::Null);
    assert_eq!(
        row["text"],
        "Step times were not recorded: the recorded end of a step is not the end of the devices' work."
    );
    let against = check(&[&cpu(100, "dot.1", 30), &untimed], &["step_time=+2%"]);
    assert_eq!(verdicts(&against), ["unknown"]);
    assert!(
        against["comparison"]
            .as_str()
            .is_some_and(|text| text.contains("the step times of second were not recorded")),
        "{}",
        against["comparison"]
    );
}

#[test]
fn other_work_and_steps_without_overlap_break_a_budget() {
    let before = crate::support::uneven([150, 250, 180, 220, 200], 20);
    let same = crate::support::uneven([380, 620, 430, 560, 480], 20);
    let other = crate::support::uneven([380, 620, 430, 560, 480], 60);
    let budget = ["step_time=+2%"];
    assert_eq!(
        verdicts(&check(&[&before, &same], &budget)),
        ["within_noise"]
    );
    assert_eq!(verdicts(&check(&[&before, &other], &budget)), ["broken"]);
}
