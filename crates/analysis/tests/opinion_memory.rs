//! Ours against XProf's `memory_profile` for the corpus: equal within 0.1 %, or explained. The same
//! figures make the table of `docs/internals/differences/memory.md`, which is checked here too.

use std::fmt::Write as _;

use serde_json::Value;
use stepscope_testing::corpus;

use crate::support::xprof::Figure;
use crate::support::{ask, open};

/// Why a figure differs: part of the capture's name, part of the figure's name, reason.
const REASONS: &[(&str, &str, &str)] = &[
    (
        "v100",
        "recorded peak",
        "XProf's is the figure of the event that stands last in the file, 7.7 ms before the last in \
         time; ours is the largest that any event recorded",
    ),
    (
        "v100",
        "alive at the peak that were recorded",
        "XProf lists what was allocated in the step of the peak, 66 blocks of 256 bytes, and calls the \
         rest unused; ours replays the whole recording by address",
    ),
];

fn reason(capture: &str, figure: &str) -> Option<&'static str> {
    let fits =
        |&&(part, name, _): &&(&str, &str, &str)| capture.contains(part) && figure.contains(name);
    REASONS.iter().find(fits).map(|&(_, _, reason)| reason)
}

/// Numbers of protobuf's JSON are texts where they have 64 bits.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => text.parse().ok(),
        other => other.as_f64(),
    }
}

fn figures() -> Vec<Figure> {
    let mut figures = Vec::new();
    for capture in corpus::captures() {
        let Some(answer) = corpus::oracle_json(&capture.name, "memory_profile") else {
            continue;
        };
        let report = ask(&open(&capture), "memory", &[]);
        let rows = report["allocators"].as_array().expect("allocators");
        let alive = report["rows"].as_array().expect("rows");
        let theirs_of = answer["memoryProfilePerAllocator"]
            .as_object()
            .expect("a map");
        assert_eq!(theirs_of.len(), rows.len(), "{}", capture.name);
        for row in rows {
            let name = row["allocator"].as_str().expect("a name");
            let theirs = &theirs_of[name];
            let summary = &theirs["profileSummary"];
            let mut add = |figure: &str, theirs: Option<f64>, ours: Option<f64>| {
                figures.push(Figure {
                    capture: capture.name.clone(),
                    name: format!("{name}: {figure}"),
                    theirs,
                    ours,
                });
            };
            let stats = &summary["peakStats"];
            let ours = |key: &str| row[key].as_f64();
            add(
                "peak, bytes",
                number(&stats["peakBytesInUse"]),
                ours("peak_bytes"),
            );
            add(
                "set aside at the peak, bytes",
                number(&stats["stackReservedBytes"]),
                ours("peak_reserved_bytes"),
            );
            add(
                "fragmentation at the peak",
                number(&stats["fragmentation"]),
                ours("fragmentation_ratio"),
            );
            add(
                "recorded peak, bytes",
                number(&summary["peakBytesUsageLifetime"]),
                ours("recorded_peak_bytes"),
            );
            add(
                "capacity, bytes",
                number(&summary["memoryCapacity"]),
                ours("capacity_bytes"),
            );
            let recorded = alive
                .iter()
                .filter(|row| row["kind"] == "allocation" && row["allocator"] == name)
                .filter_map(|row| row["bytes"].as_f64());
            add(
                "bytes alive at the peak that were recorded",
                Some(their_alive(theirs)),
                Some(recorded.sum()),
            );
        }
    }
    figures
}

/// Bytes of XProf's active allocations without its special rows.
fn their_alive(theirs: &Value) -> f64 {
    let snapshots = theirs["memoryProfileSnapshots"].as_array();
    let active = theirs["activeAllocations"].as_array();
    let bytes = active.into_iter().flatten().filter_map(|row| {
        let index = number(&row["snapshotIndex"])?;
        let mut all = (0u32..).zip(snapshots?);
        let (_, snapshot) = all.find(|&(position, _)| f64::from(position) == index)?;
        let each = number(&snapshot["activityMetadata"]["allocationBytes"])?;
        Some(each * number(&row["numOccurrences"])?)
    });
    bytes.sum()
}

#[test]
fn figures_agree_or_are_explained() {
    for figure in figures() {
        assert!(
            figure.agrees() || reason(&figure.capture, &figure.name).is_some(),
            "{} {}: XProf {:?}, ours {:?}",
            figure.capture,
            figure.name,
            figure.theirs,
            figure.ours,
        );
    }
}

#[test]
fn the_page_is_fresh() {
    let mut table =
        String::from("| capture | figure | XProf | ours | ratio | |\n|---|---|---|---|---|---|\n");
    let all = figures();
    if all.is_empty() {
        println!("no corpus, so the page is not compared");
        return;
    }
    for figure in &all {
        let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |v| v.to_string());
        let ratio = figure
            .ratio()
            .map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.4}"));
        let reason = if figure.agrees() {
            "agree"
        } else {
            reason(&figure.capture, &figure.name).unwrap_or("not explained")
        };
        let (theirs, ours) = (number(figure.theirs), number(figure.ours));
        let _ = writeln!(
            table,
            "| {} | {} | {theirs} | {ours} | {ratio} | {reason} |",
            figure.capture, figure.name
        );
    }
    let path = corpus::repository_root().join("docs/internals/differences/memory.md");
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    if std::env::var_os("STEPSCOPE_UPDATE").is_some() {
        let head = page.split("| capture |").next().unwrap_or_default();
        std::fs::write(&path, format!("{head}{table}")).expect("the page can be written");
        return;
    }
    assert!(
        page.ends_with(&table),
        "docs/internals/differences/memory.md is stale: STEPSCOPE_UPDATE=1 cargo test --test analyses opinion_memory"
    );
}
