//! Evals without a model: captures with a known cause, drawn, and what tools say of them. An agent that
//! only reads the answers of two or three calls has to find the cause and its figure, within 1 %: the
//! cause is the first thing that the report warns of, and the figure stands under its own name.
//!
//! The captures are those that the rules of `advice` are tested with; the figures follow from their
//! drawings by hand.

#[path = "../../../analysis/tests/advice/cases.rs"]
mod cases;
#[path = "../../../analysis/tests/advice/drawings.rs"]
mod drawings;
#[path = "../../../analysis/tests/advice/program_cases.rs"]
mod program_cases;
mod recorded;
#[path = "../../../analysis/tests/advice/step_cases.rs"]
mod step_cases;
mod truths;

use std::path::Path;

use serde_json::{Value, json};
use stepscope_mcp::Agent;
use stepscope_testing::drawing::draw;

use cases::Case;
use truths::{Figure, Place, TRUTHS, Truth};

/// How far a figure may be off.
const WITHIN: f64 = 0.01;

fn cases() -> Vec<Case> {
    let mut all = cases::cases();
    all.extend(step_cases::cases());
    all.extend(program_cases::cases());
    all
}

/// Writes the hosts of a drawing as a capture.
fn write(folder: &Path, hosts: &[String]) {
    let run = folder.join("plugins/profile/run");
    std::fs::create_dir_all(&run).expect("folders");
    for (number, text) in hosts.iter().enumerate() {
        let space = draw(text).unwrap_or_else(|error| panic!("{error}"));
        let host = space
            .hostnames
            .first()
            .cloned()
            .unwrap_or(format!("host-{number}"));
        std::fs::write(run.join(format!("{host}.xplane.pb")), space.to_bytes()).expect("a file");
    }
}

async fn ask(agent: &Agent, tool: &str, arguments: Value) -> Value {
    let Value::Object(arguments) = arguments else {
        panic!("{arguments} is an object")
    };
    let shown = agent.call(tool, arguments.clone()).await;
    assert!(!shown.is_error, "{tool} {arguments:?}: {}", shown.text);
    shown.json
}

/// The figure in the answers, if they hold it.
async fn found(agent: &Agent, truth: &Truth, report: &Value) -> Option<f64> {
    match truth.figure {
        Figure::Gain => finding(report, truth.cause)?["gain_ps_per_step"].as_f64(),
        Figure::Op(name, fact) => {
            let answer = ask(agent, "explain", json!({ "kind": "op", "id": name })).await;
            answer["facts"][fact].as_f64()
        }
        Figure::Cell {
            analysis,
            table,
            row: (key, value),
            column,
        } => {
            let question = json!({ "analysis": analysis, "table": table, "columns": ["all"] });
            let answer = ask(agent, "ask", question).await;
            let table = &answer["tables"][0];
            let at = |key: &str| {
                let mut keys = table["columns"].as_array()?.iter();
                keys.position(|one| one == key)
            };
            let (key, column) = (at(key)?, at(column)?);
            let mut rows = table["rows"].as_array()?.iter();
            let is_it = |row: &&Value| row[key].to_string().trim_matches('"') == value;
            rows.find(is_it)?[column].as_f64()
        }
        Figure::Said(sentence) => {
            let text = finding(report, truth.cause)?["what"].as_str()?;
            said(text, sentence)
        }
    }
}

/// The number that stands in a text where a sentence has `{}`.
fn said(text: &str, sentence: &str) -> Option<f64> {
    let (before, after) = sentence.split_once("{}").expect("a place of a number");
    let mut places = text.match_indices(before);
    places.find_map(|(at, _)| {
        let rest = &text[at + before.len()..];
        let end = rest.find(|c: char| !c.is_ascii_digit() && !".,".contains(c));
        let (number, rest) = rest.split_at(end.unwrap_or(rest.len()));
        rest.starts_with(after).then_some(())?;
        number.replace(',', "").parse().ok()
    })
}

/// What stands in the place of the cause: it has to be the first finding that is a warning or worse,
/// unless the truth says why not.
fn misplaced(truth: &Truth, report: &Value) -> Option<String> {
    let findings = report["findings"].as_array()?;
    let is_warned = |finding: &&Value| finding["severity"] != "note";
    let first = findings.iter().find(is_warned);
    let (wanted, found, why) = match truth.place {
        Place::First => (truth.cause, first, ""),
        Place::Behind(other, why) => (other, first, why),
        // Nothing else is warned of either.
        Place::Noted(why) if first.is_none() => (truth.cause, finding(report, truth.cause), why),
        Place::Noted(why) => (truth.cause, None, why),
    };
    if found.is_some_and(|found| found["id"] == wanted) {
        return None;
    }
    let told = findings.iter().map(|one| {
        let gain = &one["gain_ps_per_step"];
        format!(
            "\n    [{}] {} {gain} {}",
            one["severity"], one["id"], one["what"]
        )
    });
    let told: String = told.collect();
    Some(format!("{wanted} does not stand first ({why}):{told}"))
}

fn finding<'a>(report: &'a Value, cause: &str) -> Option<&'a Value> {
    let mut findings = report["findings"].as_array()?.iter();
    findings.find(|finding| finding["id"] == cause && finding["of"] == "program")
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_alone_hold_the_cause_and_its_figure() {
    let cases = cases();
    let mut wrong = Vec::new();
    for truth in TRUTHS {
        let capture = cases.iter().find(|case| case.0 == truth.cause);
        let (cause, hosts, _) = capture.unwrap_or_else(|| panic!("no capture of {}", truth.cause));
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), hosts);
        let agent = Agent::new(&[folder.path().to_path_buf()], None);
        let report = ask(&agent, "report", json!({})).await;
        if finding(&report, cause).is_none() {
            wrong.push(format!(
                "{cause}: the report does not name it: {}",
                report["findings"]
            ));
            continue;
        }
        if let Some(told) = misplaced(truth, &report) {
            wrong.push(format!("{cause}: {told}"));
        }
        let explained = ask(&agent, "explain", json!({ "kind": "finding", "id": cause })).await;
        let told = explained["lines"].to_string();
        if !told.contains("What: ") || !told.contains("Change: ") && *cause != "capture_quality" {
            wrong.push(format!("{cause}: not explained: {told}"));
        }
        let figure = found(&agent, truth, &report).await;
        let is_right = figure.is_some_and(|figure| (figure / truth.value - 1.0).abs() <= WITHIN);
        if !is_right {
            let what = finding(&report, cause).map(|found| &found["what"]);
            wrong.push(format!(
                "{cause}: {figure:?}, truth {}: {what:?}",
                truth.value
            ));
        }
    }
    let score = TRUTHS.len() - wrong.len();
    assert!(
        wrong.is_empty(),
        "{score} of {}:\n{}",
        TRUTHS.len(),
        wrong.join("\n")
    );
    assert!(TRUTHS.len() >= 30, "{} captures", TRUTHS.len());
}

#[test]
fn a_figure_needs_its_name() {
    let text = "The host waits 7 times and copies 1,200 times in 12 steps.";
    assert_eq!(said(text, "waits {} times"), Some(7.0));
    assert_eq!(said(text, "copies {} times"), Some(1_200.0));
    assert_eq!(said(text, "waits {} steps"), None);
    assert_eq!(said(text, "runs {} times"), None);
}

/// What a capture without the cause is told is not the cause.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_found_where_nothing_is() {
    for (cause, _, hosts) in cases() {
        if !TRUTHS.iter().any(|truth| truth.cause == cause) {
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), &hosts);
        let agent = Agent::new(&[folder.path().to_path_buf()], None);
        let report = ask(&agent, "report", json!({})).await;
        assert!(
            finding(&report, cause).is_none(),
            "{cause} is not there: {report}"
        );
    }
}
