//! XProf's recorded answers for the corpus, figure by figure beside ours.

use std::collections::BTreeMap;

use serde_json::Value;
use stepscope_model::Session;
use stepscope_testing::corpus;

use super::ask;

/// One figure of one capture.
pub(crate) struct Figure {
    /// Folder of the capture.
    pub(crate) capture: String,
    /// The figure, in words with its unit.
    pub(crate) name: String,
    /// What XProf says; absent where it does not have it.
    pub(crate) theirs: Option<f64>,
    /// What we say; absent where we do not.
    pub(crate) ours: Option<f64>,
}

impl Figure {
    /// Ours ÷ theirs.
    pub(crate) fn ratio(&self) -> Option<f64> {
        match (self.theirs?, self.ours?) {
            (theirs, ours) if theirs == ours => Some(1.0),
            (theirs, ours) if theirs != 0.0 => Some(ours / theirs),
            _ => None,
        }
    }

    /// Within 0.1 %, or equal in the one decimal that XProf prints of milliseconds and percents.
    pub(crate) fn agrees(&self) -> bool {
        let is_printed = self.name.ends_with(", ms") || self.name.ends_with(", %");
        let rounding = if is_printed { 0.05 } else { 0.0 };
        match (self.theirs, self.ours) {
            (Some(theirs), Some(ours)) => {
                (ours - theirs).abs() <= (1e-3 * theirs.abs()).max(rounding)
            }
            (theirs, ours) => theirs.is_none() && ours.is_none(),
        }
    }
}

/// Rows of a data table, each column by its id.
pub(crate) fn table(value: &Value) -> Vec<BTreeMap<String, Value>> {
    let columns: Vec<&str> = array(&value["cols"])
        .iter()
        .filter_map(|c| c["id"].as_str())
        .collect();
    let row = |row: &Value| {
        let cells = array(&row["c"]).iter().map(|cell| cell["v"].clone());
        columns
            .iter()
            .map(|id| (*id).to_owned())
            .zip(cells)
            .collect()
    };
    array(&value["rows"]).iter().map(row).collect()
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn sum(rows: &[BTreeMap<String, Value>], column: &str) -> f64 {
    rows.iter().filter_map(|row| row[column].as_f64()).sum()
}

/// What ops are told apart by: program id and name.
type OpName = (String, String);

/// Figures of ops: occurrences, total and self time in µs, rates per second.
pub(crate) type OpFigures = BTreeMap<OpName, BTreeMap<&'static str, f64>>;

/// XProf's ops.
pub(crate) fn their_ops(capture: &str) -> OpFigures {
    let Some(answer) = corpus::oracle_json(capture, "hlo_stats") else {
        return OpFigures::new();
    };
    let figures = |row: &BTreeMap<String, Value>| {
        let columns = [
            ("occurrences", "occurrences", 1.0),
            ("total time, µs", "total_time", 1.0),
            ("self time, µs", "total_self_time", 1.0),
            ("FLOP rate, GFLOP/s", "normalized_flop_rate", 1.0),
            ("bandwidth, GiB/s", "measured_memory_bw", 1.0),
        ];
        columns.map(|(ours, theirs, scale)| (ours, row[theirs].as_f64().unwrap_or(0.0) * scale))
    };
    table(&answer)
        .iter()
        .map(|row| {
            let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
            (
                (text("program_id"), text("hlo_op_name")),
                figures(row).into(),
            )
        })
        .collect()
}

/// Our ops in the same form; work without an HLO op is left out.
pub(crate) fn our_ops(session: &Session) -> OpFigures {
    const GIB: f64 = 1_073_741_824.0;
    let report = ask(session, "ops", &[]);
    let with_op = array(&report["rows"])
        .iter()
        .filter(|row| row["attribution"] != "none");
    with_op
        .map(|row| {
            // Not a number where we have none.
            let number = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
            let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
            let figures = [
                ("occurrences", number("occurrences")),
                ("total time, µs", number("total_ps") * 1e-6),
                ("self time, µs", number("self_ps") * 1e-6),
                ("FLOP rate, GFLOP/s", number("flop_rate") * 1e-9),
                ("bandwidth, GiB/s", number("bandwidth") / GIB),
            ];
            ((text("program_id"), text("name")), figures.into())
        })
        .collect()
}

/// The figures of one capture.
pub(crate) fn figures(capture: &str, session: &Session) -> Vec<Figure> {
    let mut figures = Vec::new();
    let mut add = |name: &str, theirs: Option<f64>, ours: Option<f64>| {
        let (capture, name) = (capture.to_owned(), name.to_owned());
        figures.push(Figure {
            capture,
            name,
            theirs,
            ours,
        });
    };
    let (theirs, ours) = (their_ops(capture), our_ops(session));
    let count = |ops: &OpFigures| (!ops.is_empty()).then_some(ops.len() as f64);
    let total = |ops: &OpFigures, key: &str| {
        (!ops.is_empty()).then(|| ops.values().map(|figures| figures[key]).sum::<f64>())
    };
    if !(theirs.is_empty() && ours.is_empty()) {
        add("HLO ops", count(&theirs), count(&ours));
        for key in ["occurrences", "total time, µs", "self time, µs"] {
            add(
                &format!("HLO ops, Σ {key}"),
                total(&theirs, key),
                total(&ours, key),
            );
        }
    }
    if let Some(answer) = corpus::oracle_json(capture, "kernel_stats") {
        let theirs = table(&answer);
        let report = ask(session, "kernels", &[]);
        let ours = array(&report["rows"]);
        if !(theirs.is_empty() && ours.is_empty()) {
            let ours_sum = |key: &str| ours.iter().filter_map(|row| row[key].as_f64()).sum::<f64>();
            add(
                "kernel launches",
                Some(sum(&theirs, "occurrences")),
                Some(ours_sum("occurrences")),
            );
            add(
                "Σ kernel time, µs",
                Some(sum(&theirs, "total_duration_us")),
                Some(ours_sum("total_ps") * 1e-6),
            );
        }
    }
    let overview = ask(session, "overview", &[]);
    if let Some(answer) = corpus::oracle_json(capture, "overview_page") {
        let property = |page: usize, key: &str| {
            let text = answer[page]["p"][key]
                .as_str()?
                .trim_end_matches('%')
                .to_owned();
            text.parse::<f64>().ok()
        };
        let steps = array(&answer[1]["rows"]).len();
        let has_steps = steps > 0;
        let ours = &overview["step_time_ps"];
        let ours_ms = |key: &str| ours[key].as_f64().map(|ps| ps * 1e-9);
        if has_steps || !ours.is_null() {
            let theirs = |key: &str| property(1, key).filter(|_| has_steps);
            add(
                "steps",
                has_steps.then_some(steps as f64),
                ours["count"].as_f64(),
            );
            add(
                "mean step, ms",
                theirs("steptime_ms_average"),
                ours_ms("mean"),
            );
            add(
                "shortest step, ms",
                theirs("steptime_ms_minimum"),
                ours_ms("min"),
            );
            add(
                "longest step, ms",
                theirs("steptime_ms_maximum"),
                ours_ms("max"),
            );
        }
        let idle = overview["device_busy_ratio"]
            .as_f64()
            .map(|busy| 100.0 * (1.0 - busy));
        add(
            "device idle, %",
            property(0, "device_idle_time_percent"),
            idle,
        );
    }
    figures
}

/// FLOP rate and bandwidth of every op that both have.
pub(crate) fn rates(capture: &str, session: &Session) -> Vec<Figure> {
    let (theirs, ours) = (their_ops(capture), our_ops(session));
    let mut figures = Vec::new();
    for (key, their_figures) in &theirs {
        let Some(our_figures) = ours.get(key) else {
            continue;
        };
        for rate in ["FLOP rate, GFLOP/s", "bandwidth, GiB/s"] {
            let (program, op) = key;
            let theirs = their_figures[rate];
            let ours = Some(our_figures[rate]).filter(|ours| !ours.is_nan());
            let (name, unit) = rate.split_once(", ").unwrap_or((rate, ""));
            figures.push(Figure {
                capture: capture.to_owned(),
                name: format!("{name} of {op} in program {program}, {unit}"),
                theirs: Some(theirs).filter(|&theirs| theirs != 0.0 || ours.is_some()),
                ours,
            });
        }
    }
    figures
}
