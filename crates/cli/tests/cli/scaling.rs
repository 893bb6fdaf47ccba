//! Scaling over the fixture of our own benchmark: every session of a folder, benchmarks, options.

use serde_json::Value;

use crate::support::{check, check_json, fixture, run};

fn json(arguments: &[&str]) -> Value {
    let all: Vec<&str> = ["scaling"].iter().chain(arguments).copied().collect();
    let answer = run(&all);
    assert_eq!(answer.code, 0, "{arguments:?}: {}", answer.stderr);
    serde_json::from_str(&answer.stdout).expect("JSON")
}

#[test]
fn every_session_of_a_folder_by_method_and_count() {
    let path = fixture("scaling-cpu");
    let answer = run(&["scaling", &path]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    check("scaling-cpu.scaling.txt", &answer.stdout);
    let csv = run(&["scaling", &path, "--csv"]);
    check("scaling-cpu.scaling.csv", &csv.stdout.replace("\r\n", "\n"));
    let report = json(&[&path, "--json"]);
    check_json("scaling-cpu.scaling.json", &report);
    let rows = report["rows"].as_array().expect("rows");
    let counts: Vec<(&str, u64)> = rows
        .iter()
        .map(|row| {
            (
                row["method"].as_str().unwrap_or(""),
                row["device_count"].as_u64().unwrap_or(0),
            )
        })
        .collect();
    let methods = [
        "lcam_trace",
        "tad_trace",
        "unitary_grad_lcam",
        "unitary_grad_tad",
    ];
    let expected = methods
        .iter()
        .flat_map(|&method| [1, 2, 4].map(|count| (method, count)));
    assert_eq!(counts, expected.collect::<Vec<_>>());
}

#[test]
fn figures_follow_from_the_steps_of_the_sessions_themselves() {
    let path = fixture("scaling-cpu");
    let report = json(&[&path, "--json"]);
    for row in report["rows"].as_array().expect("rows") {
        let number = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs().max(1.0);
        assert!(
            close(number("throughput_per_second") * number("step_ps"), 1e12),
            "{row}"
        );
        let efficiency = number("speedup_ratio") / number("ideal_speedup_ratio");
        assert!(close(number("efficiency_ratio"), efficiency), "{row}");
        if row["source"] == "capture" {
            let parts = row["parts_ps"].as_array().expect("parts").iter();
            let sum: f64 = parts.filter_map(Value::as_f64).sum();
            assert!(close(sum, number("step_ps")), "{row}");
            assert!(
                number("exposed_ps") <= number("communication_ps") + 1.0,
                "{row}"
            );
        }
    }
    // The steps of one session, as `steps` reports them, without outliers.
    let sample = &report["samples"][2];
    let name = sample["name"].as_str().expect("a name");
    let folder = name.split('/').next().expect("a folder");
    let session = format!("{path}/{folder}/lcam_trace");
    let overview: Value =
        serde_json::from_str(&run(&["overview", &session, "--json"]).stdout).expect("JSON");
    let bars = overview["step_series"].as_array().expect("steps").iter();
    let typical: Vec<f64> = bars
        .filter(|bar| bar["is_outlier"] == false)
        .filter_map(|bar| bar["duration_ps"].as_f64())
        .collect();
    let mean = typical.iter().sum::<f64>() / typical.len() as f64;
    assert!((sample["step_ps"].as_f64().expect("a step") - mean).abs() < 1.0);
    assert_eq!(sample["step_count"], typical.len());
}

#[test]
fn weak_scaling_batches_and_patterns() {
    let path = fixture("scaling-cpu");
    let pattern = ["--method", "/(lcam|tad)_", "--json", "--batch", "32"];
    let weak: Vec<&str> = [path.as_str(), "--weak"]
        .into_iter()
        .chain(pattern)
        .collect();
    let report = json(&weak);
    assert_eq!(report["kind"], "weak");
    assert_eq!(report["rows"][0]["method"], "lcam");
    for row in report["rows"].as_array().expect("rows") {
        let number = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
        let expected = 1e12 / number("step_ps") * number("device_count");
        assert!(
            (number("throughput_per_second") / expected - 1.0).abs() < 1e-9,
            "{row}"
        );
        assert!(
            (number("examples_per_second") / expected / 32.0 - 1.0).abs() < 1e-9,
            "{row}"
        );
    }
    assert_eq!(run(&["scaling", &path, "--batch", "0"]).code, 2);
    assert_eq!(run(&["scaling", &path, "--method", "("]).code, 2);
}

#[test]
fn benchmarks_alone_and_what_is_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.display().to_string()
    };
    let one = write(
        "a_1gpu.json",
        r#"{"execution_time": 8, "execution_time_unit": "ms"}"#,
    );
    let four = write(
        "a_4gpu.json",
        r#"{"execution_time": 4, "execution_time_unit": "ms"}"#,
    );
    let report = json(&[&one, &four, "--json"]);
    assert_eq!(report["rows"][1]["speedup_ratio"], 2.0);
    assert_eq!(report["rows"][1]["efficiency_ratio"], 0.5);
    // step(4) ÷ step(1) = s + (1 − s) ÷ 4 = ½, so a third does not get faster.
    let serial = report["methods"][0]["serial_ratio"]
        .as_f64()
        .expect("a share");
    assert!((serial - 1.0 / 3.0).abs() < 1e-12);
    assert_eq!(
        report["methods"][0]["fit_error_ratio"],
        Value::Null,
        "two counts always fit"
    );
    let other = write("notes.json", r#"{"loss": 3}"#);
    let answer = run(&["scaling", &other]);
    assert_eq!(answer.code, 2);
    assert!(
        answer.stderr.contains("no times: missing"),
        "{}",
        answer.stderr
    );
    let one_count = run(&["scaling", &fixture("mlp-cpu")]);
    assert!(
        one_count.stdout.contains("Measured on 1 device only"),
        "{}",
        one_count.stdout
    );
    let memory = run(&["scaling", &fixture("leak-cpu")]);
    assert_eq!(memory.code, 2, "{}", memory.stdout);
    assert!(
        memory.stderr.contains("no events were recorded"),
        "{}",
        memory.stderr
    );
}
