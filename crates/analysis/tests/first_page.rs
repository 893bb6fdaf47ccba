//! Figures of the first page equal those of the pages that they come from, in all captures: the
//! headline and the mean step those of `steps`, the busy share those of `idle`, what `advice` says of
//! waiting those of the headline, and the base of `what_if` and `check` the step time.

use std::collections::BTreeMap;

use serde_json::Value;
use stepscope_analysis::{Compared, find_comparison, format};
use stepscope_model::Session;

use crate::support::{all_captures, ask, drawn, open};

fn list<'a>(report: &'a Value, key: &str) -> &'a [Value] {
    report[key].as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(0.0)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The parts of the overview with their keys in the rows of `steps`.
const PARTS: [(&str, &str); 10] = [
    ("device_compute", "device_compute_ps"),
    ("collectives", "collectives_ps"),
    ("host_to_device", "host_to_device_ps"),
    ("device_to_host", "device_to_host_ps"),
    ("device_to_device", "device_to_device_ps"),
    ("python_callbacks", "python_callbacks_ps"),
    ("input_wait", "input_wait_ps"),
    ("compilation", "compilation_ps"),
    ("host_overhead", "host_overhead_ps"),
    ("idle", "idle_ps"),
];

/// Mean over steps of the mean over hosts of the mean over the host's rows.
fn mean_of_rows(steps: &Value, key: &str) -> f64 {
    let mut by_step: BTreeMap<i64, BTreeMap<&str, Vec<f64>>> = BTreeMap::new();
    for row in list(steps, "rows") {
        let step = row["step"].as_i64().expect("a number");
        let hosts = by_step.entry(step).or_default();
        let host = row["host"].as_str().expect("a name");
        hosts.entry(host).or_default().push(number(&row[key]));
    }
    let of_steps = by_step.values().map(|hosts| {
        let of_hosts: Vec<f64> = hosts.values().map(|values| mean(values)).collect();
        mean(&of_hosts)
    });
    mean(&of_steps.collect::<Vec<f64>>())
}

/// What the headline calls each part.
fn doing(part: &str) -> &'static str {
    match part {
        "device_compute" => "computing",
        "collectives" => "communicating",
        "host_to_device" | "device_to_host" | "device_to_device" => "copying",
        "python_callbacks" => "in Python callbacks",
        "input_wait" => "waiting for input",
        "compilation" => "waiting for compilation",
        "host_overhead" => "in host overhead",
        "idle" => "idle",
        other => panic!("unknown part: {other}"),
    }
}

fn check_parts(name: &str, session: &Session) {
    let overview = ask(session, "overview", &[]);
    let steps = ask(session, "steps", &[("limit", "0")]);
    if list(&overview, "step_parts").is_empty() {
        return;
    }
    let duration = mean_of_rows(&steps, "duration_ps");
    let mut shares: BTreeMap<&str, f64> = BTreeMap::new();
    for part in list(&overview, "step_parts") {
        let known = PARTS.iter().find(|(known, _)| part["part"] == *known);
        let (known, key) = known.expect("a known part");
        let (own, ratio) = (mean_of_rows(&steps, key), number(&part["ratio"]));
        assert!(
            (own - number(&part["mean_ps"])).abs() <= 1e-6 * duration,
            "{name}: {known}: {part}, and {own} in steps"
        );
        *shares.entry(doing(known)).or_default() += ratio;
    }
    let headline = overview["headline"].as_str().expect("a text");
    let Some((shown, _)) = headline.split_once('.').filter(|_| !headline.is_empty()) else {
        return;
    };
    // Every share that the sentence names is that of the parts.
    let sentence = headline.split(". ").next().unwrap_or(shown);
    let mut named = 0;
    for (doing, ratio) in &shares {
        let is_named = sentence.contains(&format!(" {doing}"));
        let is_there = sentence.contains(&format!("{} {doing}", format::percent(*ratio)))
            || sentence.contains(&format!("{} of a step {doing}", format::percent(*ratio)));
        assert!(!is_named || is_there, "{name}: {doing} {ratio}: {headline}");
        named += usize::from(is_named);
    }
    assert!(named > 0, "{name}: {headline}");
}

#[test]
fn the_mean_step_is_that_of_steps() {
    for capture in all_captures() {
        check_parts(&capture.name, &open(&capture));
    }
}

/// Devices, and the busy share of each, are the same in both.
fn check_busy(name: &str, session: &Session) {
    let overview = ask(session, "overview", &[]);
    let idle = ask(session, "idle", &[]);
    let Some(busy) = overview["device_busy_ratio"].as_f64() else {
        return;
    };
    let rows = list(&idle, "devices");
    let ratios: Vec<f64> = rows
        .iter()
        .map(|row| 1.0 - number(&row["idle_ratio"]))
        .collect();
    assert_eq!(
        overview["device_busy_count"].as_u64(),
        u64::try_from(ratios.len()).ok(),
        "{name}"
    );
    assert!(
        (mean(&ratios) - busy).abs() < 1e-9,
        "{name}: {busy} busy, {} in idle",
        mean(&ratios)
    );
    for row in rows {
        let mut own = list(&overview, "devices").iter();
        let own = own.find(|own| own["device_index"] == row["device_index"]);
        assert_eq!(own.expect("listed")["busy_ps"], row["busy_ps"], "{name}");
    }
    // Whoever is left out is named, on both pages.
    let all = list(&overview, "devices").len();
    let says = |report: &Value, words: &str| {
        let mut notes = list(report, "notes").iter();
        notes.any(|note| {
            note["text"]
                .as_str()
                .is_some_and(|text| text.contains(words))
        })
    };
    if rows.len() < all {
        assert!(says(&overview, "xcluded from means"), "{name}");
        assert!(says(&idle, "Excluded from sums"), "{name}");
    }
}

#[test]
fn the_busy_share_is_what_idle_leaves() {
    for capture in all_captures() {
        check_busy(&capture.name, &open(&capture));
    }
}

/// Texts of the findings and checks of advice.
fn texts(advice: &Value) -> Vec<String> {
    let found = list(advice, "findings").iter().map(|one| &one["what"]);
    let passed = list(advice, "passed").iter().map(|one| &one["text"]);
    let all = found.chain(passed);
    all.filter_map(|text| Some(text.as_str()?.to_owned()))
        .collect()
}

/// The percentage after these words.
fn percent_after(text: &str, words: &str) -> Option<f64> {
    let (_, rest) = text.split_once(words)?;
    let (figure, _) = rest.split_once(" %")?;
    figure.trim_start_matches('<').parse().ok()
}

#[test]
fn what_advice_says_of_waiting_are_the_parts_of_the_headline() {
    let mut count = 0;
    for capture in all_captures() {
        let session = open(&capture);
        let overview = ask(&session, "overview", &[]);
        if overview["step_time_ps"].is_null() {
            continue;
        }
        let share = |part: &str| {
            let mut parts = list(&overview, "step_parts").iter();
            let found = parts.find(|one| one["part"] == part);
            found.map_or(0.0, |one| number(&one["ratio"]))
        };
        for text in texts(&ask(&session, "advice", &[])) {
            let Some((before, parts)) = text.split_once(" while their host works or waits (")
            else {
                continue;
            };
            count += 1;
            let name = &capture.name;
            let [overhead, idle] =
                ["host_overhead", "idle"].map(|part| format::percent(share(part)));
            assert!(
                parts.starts_with(&format!("host overhead {overhead}, idle {idle}")),
                "{name}: {overhead} and {idle}: {text}"
            );
            let paused = percent_after(parts, ", of which ").unwrap_or(0.0);
            let start = before.rfind("idle for ").expect("a share");
            let whole = before[start..].trim_start_matches("idle for ");
            let whole = whole.trim_start_matches("only ").split_once(" %");
            let whole: f64 = whole.expect("a share").0.parse().unwrap_or(0.0);
            let sum = 100.0 * (share("host_overhead") + share("idle")) - paused;
            assert!((whole - sum).abs() < 0.11, "{name}: {sum}: {text}");
        }
    }
    assert!(count > 20, "only {count} texts say so");
}

#[test]
fn what_if_starts_from_the_time_from_step_to_step() {
    let mut count = 0;
    for capture in all_captures() {
        let session = open(&capture);
        let time = ask(&session, "steps", &[])["step_time_ps"].clone();
        let what_if = ask(&session, "what_if", &[]);
        if what_if["is_admitted"] != true || time.is_null() {
            continue;
        }
        count += 1;
        let name = &capture.name;
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-6 * b;
        let mean = number(&time["mean"]);
        let period = mean + number(&time["between"]) + number(&time["other_steps"]);
        assert!(
            close(number(&what_if["step_ps"]), mean),
            "{name}: {what_if}"
        );
        assert!(
            close(number(&what_if["before_ps"]), period),
            "{name}: {} and {period}",
            what_if["before_ps"]
        );
    }
    assert!(count > 10, "only {count} captures are replayed");
}

/// The report of a check without budgets.
fn check(session: &Session) -> Value {
    let compared = [Compared {
        name: "only",
        session,
    }];
    let entry = find_comparison("check").expect("it is listed");
    let answer = entry.run_pairs(&compared, []).expect("a report");
    answer.json().expect("a report is JSON")
}

#[test]
fn check_says_which_steps_its_step_time_is_of() {
    for capture in all_captures() {
        let session = open(&capture);
        let overview = ask(&session, "overview", &[]);
        let check = check(&session);
        let figure = |metric: &str| {
            let mut figures = list(&check, "figures").iter();
            let found = figures.find(|one| one["metric"] == metric)?;
            found["value"].as_f64()
        };
        let Some(all) = figure("all_steps_time") else {
            continue;
        };
        let name = &capture.name;
        let mean = number(&overview["step_time_ps"]["mean"]);
        assert!((all - mean).abs() <= 1e-6 * mean, "{name}: {all}, {mean}");
        let typical = figure("step_time").expect("a time");
        let mut notes = list(&check, "notes").iter();
        let note = notes.find(|note| note["id"] == "typical-steps");
        let outliers = list(&overview, "step_series").iter();
        let outliers = outliers.filter(|bar| bar["is_outlier"] == true).count();
        // Where a fifth of the steps is far from the median, none is excluded.
        let is_some_excluded = (all - typical).abs() > 1e-6 * all;
        assert_eq!(note.is_some(), is_some_excluded, "{name}");
        assert!(outliers > 0 || !is_some_excluded, "{name}");
        if let Some(note) = note {
            let text = note["text"].as_str().expect("a text");
            for time in [all, typical] {
                assert!(text.contains(&format::duration_ps(time)), "{name}: {text}");
            }
        }
    }
}

/// Time in steps of another series is not between steps: both from the spans that `steps` lists.
fn check_between(name: &str, session: &Session, series: &str, other: &str) {
    let report = ask(session, "steps", &[("series", series), ("limit", "0")]);
    let others = ask(session, "steps", &[("series", other), ("limit", "0")]);
    let spans = |report: &Value| -> Vec<(i64, i64)> {
        let rows = list(report, "rows").iter();
        let mut spans: Vec<(i64, i64)> = rows
            .map(|row| {
                let start = row["start_ps"].as_i64().expect("a time");
                (start, start + row["duration_ps"].as_i64().expect("a time"))
            })
            .collect();
        spans.sort_unstable();
        spans
    };
    let (own, others) = (spans(&report), spans(&others));
    let (mut between, mut within) = (Vec::new(), Vec::new());
    for pair in own.windows(2) {
        let (from, to) = (pair[0].1, pair[1].0.max(pair[0].1));
        let overlaps = others
            .iter()
            .map(|&(start, end)| (end.min(to) - start.max(from)).max(0));
        let inside: i64 = overlaps.sum();
        between.push((to - from - inside) as f64);
        within.push(inside as f64);
    }
    let time = &report["step_time_ps"];
    for (key, expected) in [("between", mean(&between)), ("other_steps", mean(&within))] {
        assert!(
            (number(&time[key]) - expected).abs() <= 1e-6 * expected.max(1e6),
            "{name}: {key} {} and {expected}",
            time[key]
        );
    }
}

#[test]
fn steps_of_another_series_are_not_between_steps() {
    let mut count = 0;
    for planted in crate::support::planted::read_all("causes-cpu") {
        if planted.case == "train-and-eval" && planted.is_annotated {
            count += 1;
            check_between(&planted.name, &planted.session, "train", "eval");
        }
    }
    assert!(count > 0, "the planted captures are there");
    // 60 us of training, 10 us of nothing, 25 of evaluation, 5 of nothing.
    let session = drawn(&["
        host vm
        thread python
        repeat 4 every 100us
          0..60us  train #step_num=$i,_r=1#
          70..95us eval #step_num=$i,_r=1#
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 4 every 100us
          10..50us dot.1
          75..90us dot.2
        end
    "]);
    let time = &ask(&session, "steps", &[])["step_time_ps"];
    assert_eq!(
        [&time["mean"], &time["between"], &time["other_steps"]].map(number),
        [60e6, 15e6, 25e6]
    );
    let headline = &ask(&session, "overview", &[])["headline"];
    let headline = headline.as_str().expect("a text");
    assert!(
        headline.ends_with(
            "15.00 µs pass between steps (15.0 % of the time from step to step). 25.00 µs pass in steps \
             of other series (25.0 % of the time from step to step)."
        ),
        "{headline}"
    );
}

/// An actor's steps, on a thread of its own, pass beside the steps of a learner.
#[test]
fn steps_that_another_thread_annotates_are_beside_steps() {
    let session = drawn(&["
        host vm
        thread learner
        repeat 4 every 100us
          40..60us learn #step_num=$i,_r=1#
          41..43us PjitFunction(learn)
        end
        thread actor
        repeat 4 every 100us
          0..90us  act #step_num=$i,_r=1#
          5..6us   PjitFunction(act)
        end
        thread tf_XLAEigen/42
        repeat 4 every 100us
          45..55us dot.1 [hlo_op=dot.1 hlo_module=jit_learn program_id=5 device_ordinal=0 run_id=1$i]
          10..20us dot.2 [hlo_op=dot.2 hlo_module=jit_act program_id=6 device_ordinal=0 run_id=2$i]
        end
    "]);
    let time = &ask(&session, "steps", &[("series", "learn")])["step_time_ps"];
    assert_eq!(
        [&time["mean"], &time["between"], &time["other_steps"]].map(number),
        [20e6, 80e6, 0.0]
    );
}
