//! `input` and `requests` against XProf's answers for the corpus: equal within 0.1 % or in the one
//! decimal it prints, or explained. The same figures make the tables of `input.md` and `requests.md`
//! in `docs/internals/differences`, which are checked here too: a stale page is printed as it
//! should be.

use std::fmt::Write as _;

use serde_json::Value;
use stepscope_testing::corpus;

use crate::support::xprof::{Figure, table};
use crate::support::{ask, open};

/// Part of the capture's name, part of the figure's name, reason.
const REASONS: &[(&str, &str, &str)] = &[
    (
        "",
        "steps",
        "XProf needs annotations or a `Steps` line, and drops steps at the edges; ours counts every \
         recorded step, or those inferred from program runs",
    ),
    (
        "4hosts",
        "mean step",
        "XProf aligns hosts by the steps they overlap in and keeps 8 of 10; ours is the mean over all \
         steps and devices",
    ),
    (
        "mlp",
        "mean step",
        "XProf drops 2 of the 20 recorded steps, the longest among them",
    ),
    (
        "v100",
        "mean step",
        "XProf takes the longest `Steps` event of the host's GPUs, ours is the mean over the two",
    ),
    (
        "",
        "mean step",
        "XProf finds no step without annotation; ours are inferred from program runs",
    ),
    (
        "cpu-jax",
        "device compute",
        "XLA:CPU has no device plane: XProf sees no device compute there, ours are the ops of the \
         virtual devices",
    ),
    (
        "v100",
        "device compute",
        "XProf's largest GPU; ours is the mean over the two, and collectives are apart",
    ),
    (
        "",
        "input",
        "XProf counts only what a device recorded as copies from the host; ours also what \
         the host loads and copies while the device is idle",
    ),
    (
        "",
        "output",
        "XProf counts all copies to the host, ours those that no other work hides",
    ),
    (
        "",
        "collectives",
        "XProf looks for names that begin with nccl on GPU, and sees none of XLA:CPU's",
    ),
    (
        "",
        "requests",
        "XProf groups by serving roots only; ours also finds annotations of the program",
    ),
];

fn reason(capture: &str, figure: &str) -> Option<&'static str> {
    let fits =
        |&&(part, name, _): &&(&str, &str, &str)| capture.contains(part) && figure.contains(name);
    REASONS.iter().find(fits).map(|&(_, _, reason)| reason)
}

/// A property of the step table, which holds numbers as text.
fn property(answer: &Value, keys: &[&str]) -> Option<f64> {
    let properties = &answer[1]["p"];
    let found = keys.iter().find_map(|key| properties[*key].as_str())?;
    found.parse().ok()
}

fn input_figures() -> Vec<Figure> {
    let mut figures = Vec::new();
    for capture in corpus::captures() {
        let Some(answer) = corpus::oracle_json(&capture.name, "input_pipeline_analyzer") else {
            continue;
        };
        let session = open(&capture);
        let report = ask(&session, "input", &[]);
        let rows = report["rows"].as_array().cloned().unwrap_or_default();
        let theirs_count = table(&answer[1]).len();
        let has_theirs = theirs_count > 0;
        let mean = |key: &str| {
            let values = rows.iter().filter_map(|row| row[key].as_f64());
            (!rows.is_empty()).then(|| values.sum::<f64>() * 1e-9 / rows.len() as f64)
        };
        let theirs = |keys: &[&str]| property(&answer, keys).filter(|_| has_theirs);
        let mut add = |name: &str, theirs: Option<f64>, ours: Option<f64>| {
            figures.push(Figure {
                capture: capture.name.clone(),
                name: name.to_owned(),
                theirs,
                ours,
            });
        };
        let steps = (!session.steps.is_empty()).then_some(session.steps.len() as f64);
        add("steps", has_theirs.then_some(theirs_count as f64), steps);
        add(
            "mean step, ms",
            theirs(&["steptime_ms_average"]),
            mean("duration_ps"),
        );
        add(
            "device compute, ms",
            theirs(&["device_compute_time_ms_avg", "tc_compute_ms_average"]),
            mean("compute_ps"),
        );
        add(
            "collectives, ms",
            theirs(&["device_collectives_time_ms_avg"]),
            mean("collectives_ps"),
        );
        add(
            "input, ms",
            theirs(&["infeed_time_ms_avg", "tc_infeed_ms_average"]),
            mean("input_ps"),
        );
        add(
            "output, ms",
            theirs(&["outfeed_time_ms_avg", "tc_outfeed_ms_average"]),
            mean("output_ps"),
        );
    }
    // Where XProf has no step, what we make of the capture is told by three figures; where neither
    // has, there is nothing to compare.
    let is_told = |figure: &Figure| {
        let is_main = matches!(&*figure.name, "steps" | "mean step, ms" | "input, ms");
        figure.theirs.is_some() || (figure.ours.is_some() && is_main)
    };
    figures.retain(is_told);
    figures
}

fn request_figures() -> Vec<Figure> {
    let mut figures = Vec::new();
    for capture in corpus::captures() {
        let Some(answer) = corpus::oracle_json(&capture.name, "inference_profile") else {
            continue;
        };
        let latency = answer[1]["p"]["averageLatencyMs"]
            .as_str()
            .and_then(|text| text.parse::<f64>().ok())
            .unwrap_or(0.0);
        // Its one row without requests is an average of nothing.
        let rows = table(&answer[1]);
        let theirs = if latency > 0.0 {
            rows.len() as f64
        } else {
            0.0
        };
        let report = ask(&open(&capture), "requests", &[]);
        figures.push(Figure {
            capture: capture.name.clone(),
            name: "requests".to_owned(),
            theirs: Some(theirs),
            ours: report["row_count"].as_f64(),
        });
    }
    figures
}

/// Six significant digits, as short as they get.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    rounded.to_string()
}

fn lines(figures: &[Figure]) -> String {
    let mut text = String::new();
    for figure in figures {
        let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), short);
        let ratio = figure
            .ratio()
            .map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.4}"));
        let is_close = figure
            .ratio()
            .is_some_and(|ratio| (ratio - 1.0).abs() <= 1e-3);
        let reason = if figure.agrees() && (is_close || figure.theirs == figure.ours) {
            "agree"
        } else if figure.agrees() {
            "agree in the one decimal that XProf prints"
        } else {
            reason(&figure.capture, &figure.name).unwrap_or("not explained")
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {ratio} | {reason} |",
            figure.capture,
            figure.name,
            number(figure.theirs),
            number(figure.ours),
        );
    }
    text
}

fn check_page(page: &str, figures: &[Figure]) {
    for figure in figures {
        let is_explained = reason(&figure.capture, &figure.name).is_some();
        assert!(
            figure.agrees() || is_explained,
            "{} {}: XProf {:?}, ours {:?}",
            figure.capture,
            figure.name,
            figure.theirs,
            figure.ours,
        );
    }
    let expected = lines(figures);
    let stands: String = page
        .lines()
        .skip_while(|line| !line.starts_with("| Capture"))
        .skip(2)
        .fold(String::new(), |text, line| text + line + "\n");
    assert_eq!(stands, expected, "the page should hold:\n{expected}");
}

#[test]
fn input_agrees_or_is_explained() {
    if !corpus::captures().is_empty() {
        check_page(
            include_str!("../../../docs/internals/differences/input.md"),
            &input_figures(),
        );
    }
}

#[test]
fn requests_agree_or_are_explained() {
    if !corpus::captures().is_empty() {
        check_page(
            include_str!("../../../docs/internals/differences/requests.md"),
            &request_figures(),
        );
    }
}
