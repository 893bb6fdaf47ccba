//! Lines of a history file: one JSON object per run.
//!
//! ```text
//! {"run":"main-41","recorded_unix_s":1795336836,"commit":"4f0c2d1","program":"jit_step",
//!  "devices":"8 × XLA:CPU","verdict":"passed","figures":{"step_time":{"unit":"picos","value":5055262000.0}, …}}
//! ```

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::changes::change_points;
use super::report::HistoryRun;
use crate::asking::NamedText;
use crate::comparing::check::{CheckReport, FigureUnit};
use crate::telling::Note;
use crate::telling::format::counted;

/// Default confidence; high, because many series are tested.
pub(crate) const CONFIDENCE: f64 = 0.99;

/// Source of runs that were measured from a session.
pub(super) const SESSION: &str = "session";

/// Whether figures of the unit are counted, so that they have no noise.
pub(crate) const fn is_counted(unit: FigureUnit) -> bool {
    matches!(unit, FigureUnit::Bytes | FigureUnit::Count)
}

/// One run, as stored in a line of a history file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Name of the session.
    pub run: String,
    /// Time at which it was captured or recorded, in seconds since the Unix epoch; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded_unix_s: Option<i64>,
    /// Commit of the program; empty if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub commit: String,
    /// Program with the most device time; empty if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub program: String,
    /// Devices that worked, such as `8 × XLA:CPU`; empty if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub devices: String,
    /// Verdict of `check`, such as `passed` or `broken`; empty if nothing was checked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub verdict: String,
    /// Whether its level was accepted, so that baselines start with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_accepted: bool,
    /// Figures by their names.
    pub figures: BTreeMap<String, SampleFigure>,
}

/// One figure of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SampleFigure {
    /// Unit of the value.
    pub unit: FigureUnit,
    /// Value of the figure.
    pub value: f64,
}

impl Sample {
    /// The figures of a `check` report, as a run of a history.
    pub fn of(report: &CheckReport) -> Self {
        let figures = report.figures.iter().map(|figure| {
            let (unit, value) = (figure.unit, figure.value);
            (figure.metric.clone(), SampleFigure { unit, value })
        });
        let is_checked = !report.rows.is_empty();
        let verdict = if is_checked { report.verdict.key() } else { "" };
        Self {
            run: report.session.clone(),
            recorded_unix_s: None,
            commit: String::new(),
            program: report.program.clone(),
            devices: report.devices.clone(),
            verdict: verdict.to_owned(),
            is_accepted: false,
            figures: figures.collect(),
        }
    }

    /// The line of the file, without the line break.
    pub fn line(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    pub(super) fn run(&self, source: &str, group: usize) -> HistoryRun {
        HistoryRun {
            name: self.run.clone(),
            group,
            recorded_unix_s: self.recorded_unix_s,
            commit: self.commit.clone(),
            verdict: self.verdict.clone(),
            is_accepted: self.is_accepted,
            source: source.to_owned(),
        }
    }
}

/// Runs read from history files, in the order of their lines.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recorded {
    /// Name of the file, and the run on its line.
    pub(super) samples: Vec<(String, Sample)>,
    names: Vec<String>,
    /// Number of runs that were left out because their program or devices are others.
    other_count: usize,
    /// File, line number from 1, and why the line is not a run.
    damaged: Vec<(String, usize, String)>,
}

impl Recorded {
    pub(crate) fn of(files: &[NamedText]) -> Self {
        let mut recorded = Self::default();
        for file in files {
            recorded.names.push(file.name.clone());
            let lines = file.text.lines().enumerate();
            for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
                match serde_json::from_str::<Sample>(line) {
                    Ok(sample) => recorded.samples.push((file.name.clone(), sample)),
                    Err(error) => {
                        let why = error.to_string();
                        recorded.damaged.push((file.name.clone(), number + 1, why));
                    }
                }
            }
        }
        recorded
    }

    /// The runs of this program on these devices alone: they can be a baseline.
    pub(crate) fn of_workload(mut self, program: &str, devices: &str) -> Self {
        let count = self.samples.len();
        self.samples
            .retain(|(_, sample)| sample.program == program && sample.devices == devices);
        self.other_count = count - self.samples.len();
        self
    }

    pub(crate) const fn run_count(&self) -> usize {
        self.samples.len()
    }

    /// Names of the files, each with its number of runs.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.names.iter().map(|name| {
            let own = self.samples.iter().filter(|(file, _)| file == name);
            format!("{name} ({})", counted(own.count(), "run"))
        });
        names.collect()
    }

    /// Values of a figure since its last change point, or since the last accepted run if that is later.
    /// Runs that broke a budget are excluded, so that a lasting regression does not become the baseline.
    pub(crate) fn latest_values(&self, metric: &str) -> Vec<f64> {
        let accepted = self
            .samples
            .iter()
            .rposition(|(_, sample)| sample.is_accepted);
        let since = &self.samples[accepted.unwrap_or(0)..];
        let kept = since
            .iter()
            .filter(|(_, sample)| sample.is_accepted || sample.verdict != "broken");
        let figures = kept.filter_map(|(_, sample)| sample.figures.get(metric));
        let (values, units): (Vec<f64>, Vec<FigureUnit>) =
            figures.map(|figure| (figure.value, figure.unit)).unzip();
        let counted = units.last().is_some_and(|&unit| is_counted(unit));
        let last = change_points(&values, counted, CONFIDENCE).pop();
        values[last.map_or(0, |change| change.at)..].to_vec()
    }

    /// Warnings about invalid lines and files without runs.
    pub(crate) fn notes(&self) -> Vec<Note> {
        const SHOWN: usize = 3;
        let mut notes = Vec::new();
        let damaged = self.damaged.iter().take(SHOWN);
        notes.extend(damaged.map(|(file, line, why)| {
            Note::warning(
                "history-record-invalid",
                format!("{file}, line {line}: not a history record: {why}."),
            )
        }));
        if let Some(more) = self
            .damaged
            .len()
            .checked_sub(SHOWN)
            .filter(|&more| more > 0)
        {
            notes.push(Note::warning(
                "more-history-records-invalid",
                format!("{} more with similar errors.", counted(more, "line")),
            ));
        }
        if self.other_count > 0 {
            let others = counted(self.other_count, "run");
            notes.push(Note::info(
                "history-other-workload",
                format!(
                    "{others} of the history not in the baseline: program or devices differ from the \
                     session's, or are unknown.",
                ),
            ));
        }
        for name in &self.names {
            if self.other_count == 0 && !self.samples.iter().any(|(file, _)| file == name) {
                notes.push(
                    Note::warning("history-empty", format!("{name}: no history records."))
                        .with_hint("`stepscope check LOGS --history FILE` records a run"),
                );
            }
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(run: &str, value: f64) -> Sample {
        let unit = FigureUnit::Picos;
        Sample {
            run: run.to_owned(),
            recorded_unix_s: Some(1_795_336_836),
            commit: "4f0c2d1".to_owned(),
            program: "jit_step".to_owned(),
            devices: "8 × XLA:CPU".to_owned(),
            verdict: String::new(),
            is_accepted: false,
            figures: [("step_time".to_owned(), SampleFigure { unit, value })].into(),
        }
    }

    fn recorded(samples: &[Sample]) -> Recorded {
        let lines = samples.iter().map(|sample| sample.line().expect("JSON"));
        Recorded::of(&[NamedText {
            name: "history.jsonl".to_owned(),
            text: lines.collect::<Vec<_>>().join("\n"),
        }])
    }

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let one = sample("a", 2.5e9);
        let line = one.line().expect("JSON");
        assert_eq!(
            line,
            r#"{"run":"a","recorded_unix_s":1795336836,"commit":"4f0c2d1","program":"jit_step","devices":"8 × XLA:CPU","figures":{"step_time":{"unit":"picos","value":2500000000.0}}}"#
        );
        let read: Sample = serde_json::from_str(&line).expect("a run");
        assert_eq!(read, one);
    }

    #[test]
    fn damaged_lines_are_told_and_the_others_count() {
        let text = format!(
            "{}\nrubbish\n\n{{\"run\":1}}\n",
            sample("a", 1.0).line().expect("JSON")
        );
        let found = Recorded::of(&[NamedText {
            name: "history.jsonl".to_owned(),
            text,
        }]);
        assert_eq!(found.run_count(), 1);
        let notes = found.notes();
        assert_eq!(notes.len(), 2);
        assert!(
            notes[0]
                .text
                .starts_with("history.jsonl, line 2: not a history record"),
            "{notes:?}"
        );
        assert!(
            notes[1]
                .text
                .starts_with("history.jsonl, line 4: not a history record"),
            "{notes:?}"
        );
        let empty = Recorded::of(&[NamedText {
            name: "history.jsonl".to_owned(),
            text: String::new(),
        }]);
        assert_eq!(empty.notes()[0].text, "history.jsonl: no history records.");
    }

    #[test]
    fn the_baseline_begins_after_the_last_change() {
        let level = |run: u32| f64::from(run % 5) + if run < 12 { 100.0 } else { 150.0 };
        let runs: Vec<Sample> = (0..24).map(|run| sample("run", level(run))).collect();
        assert_eq!(recorded(&runs).latest_values("step_time").len(), 12);
        assert!(recorded(&runs).latest_values("memory_peak").is_empty());
    }

    #[test]
    fn runs_of_other_workloads_are_no_baseline() {
        let mut runs: Vec<Sample> = (0..6).map(|_| sample("run", 100.0)).collect();
        runs[1].program = "jit_eval".to_owned();
        runs[2].devices = "4 × XLA:CPU".to_owned();
        runs[3].program = String::new();
        let own = recorded(&runs).of_workload("jit_step", "8 × XLA:CPU");
        assert_eq!(own.run_count(), 3);
        assert_eq!(own.names(), ["history.jsonl (3 runs)"]);
        assert_eq!(own.latest_values("step_time").len(), 3);
        let notes = own.notes();
        assert!(
            notes[0].text.starts_with("3 runs of the history not in"),
            "{notes:?}"
        );
        // A session whose program is unknown is compared with lines that do not name one either.
        assert_eq!(
            recorded(&runs).of_workload("", "8 × XLA:CPU").run_count(),
            1
        );
    }

    #[test]
    fn a_broken_run_is_no_baseline_unless_it_is_accepted() {
        let mut runs: Vec<Sample> = (0..8)
            .map(|run| sample("run", f64::from(100 + run % 3)))
            .collect();
        runs[7].verdict = "broken".to_owned();
        runs[7].figures.insert(
            "step_time".to_owned(),
            SampleFigure {
                unit: FigureUnit::Picos,
                value: 170.0,
            },
        );
        let values = recorded(&runs).latest_values("step_time");
        assert_eq!(values.len(), 7);
        assert!(values.iter().all(|&value| value < 110.0));
        runs[7].is_accepted = true;
        assert_eq!(recorded(&runs).latest_values("step_time"), [170.0]);
    }
}
