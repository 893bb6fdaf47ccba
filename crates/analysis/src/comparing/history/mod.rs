//! `history`: figures of many runs in chronological order, and where they changed.
//!
//! | Figure | Definition |
//! |---|---|
//! | run | a line of a history that `check --history` wrote, or a session |
//! | group | the runs of one program on the same devices: [`groups`] |
//! | series | a figure of `check` over the runs of a group |
//! | change point | the first run at a new level: [`changes`] |
//! | level | median of the runs since the last change point |

mod changes;
mod chart;
mod columns;
mod groups;
mod report;
mod sample;
mod series;
mod tables;

use clap::Args;
pub use report::{HistoryChange, HistoryGroup, HistoryReport, HistoryRun, HistorySeries};
pub(crate) use sample::Recorded;
use sample::{CONFIDENCE, SESSION};
pub use sample::{Sample, SampleFigure};
use serde::{Deserialize, Serialize};

use crate::asking::group::Group;
use crate::asking::selection::Selection;
use crate::asking::{AnalysisError, Asks, AsksEach, Compared, Comparison, NamedText};
use crate::comparing::check::{Check, CheckOptions};
use crate::comparing::compare::checked_confidence;
use crate::telling::Note;
use crate::telling::places::file_name;

/// The `history` comparison.
pub struct History;

/// Options of [`History`].
#[derive(Debug, Clone, Args)]
pub struct HistoryOptions {
    /// Which part of each session; history files are not affected.
    #[command(flatten)]
    pub selection: Selection,
    /// Only these figures, such as step_time; may be repeated
    #[arg(long = "metric", value_name = "METRIC", value_delimiter = ',')]
    pub metrics: Vec<String>,
    /// Confidence of change points; 1 − confidence is the share of unchanged series that get one
    #[arg(long, value_name = "RATIO", default_value_t = CONFIDENCE)]
    pub confidence: f64,
    /// Text of history files, which the caller has read.
    #[arg(skip)]
    pub files: Vec<NamedText>,
}

impl Default for HistoryOptions {
    fn default() -> Self {
        Self {
            selection: Selection::default(),
            metrics: Vec::new(),
            confidence: CONFIDENCE,
            files: Vec::new(),
        }
    }
}

/// With fewer runs, no change point reaches a confidence of 99 %.
const FEWEST_RUNS: usize = 10;

impl Comparison for History {
    const NAME: &'static str = "history";
    const ALIASES: &'static [&'static str] = &[];
    const SUMMARY: &'static str = "Figures of many runs, and the runs at which they changed";
    const EXAMPLES: &'static str = "\
# What `stepscope check --history` recorded, run by run
stepscope history stepscope-history.jsonl
# Every session of a log directory, without a history file
stepscope history ./logs
# One figure, as CSV
stepscope history stepscope-history.jsonl --metric step_time --csv --table changes";
    const GROUP: Group = Group::Summary;
    const LEAST_SESSIONS: usize = 0;
    const ASKS: Asks = Asks::EverySession;
    // Sessions without events are skipped with a note.
    const NEEDS_EVENTS: bool = false;
    const TAKES_FILES: bool = true;
    type Options = HistoryOptions;
    type Report = HistoryReport;

    fn with_files(options: &mut HistoryOptions, files: Vec<NamedText>) {
        let histories = files.into_iter().filter(|file| !is_benchmark(&file.name));
        options.files = histories.collect();
    }

    fn run(
        mut sessions: &[Compared<'_>],
        options: &HistoryOptions,
    ) -> Result<HistoryReport, AnalysisError> {
        Self::run_each(&mut sessions, options)
    }
}

/// What became of a session.
#[derive(Debug, Serialize, Deserialize)]
pub enum Measured {
    /// It is a run.
    Run(Sample),
    /// It has no events.
    WithoutEvents,
    /// What was selected is not in it.
    NothingSelected(String),
}

impl AsksEach for History {
    type Measured = Measured;

    fn selection(options: &HistoryOptions) -> &Selection {
        &options.selection
    }

    fn check(options: &HistoryOptions) -> Result<(), AnalysisError> {
        checked_confidence(options.confidence)
    }

    fn measure(one: Compared<'_>, selection: &Selection) -> Result<Measured, AnalysisError> {
        if one.session.is_memory_only() || one.session.is_program_only() {
            return Ok(Measured::WithoutEvents);
        }
        match measured(one, selection).map_err(AnalysisError::cause) {
            Err(AnalysisError::NothingSelected { what, .. }) => Ok(Measured::NothingSelected(what)),
            sample => Ok(Measured::Run(sample?)),
        }
    }

    fn report(
        measured: Vec<(String, Measured)>,
        options: &HistoryOptions,
    ) -> Result<HistoryReport, AnalysisError> {
        let recorded = Recorded::of(&options.files);
        let mut notes = recorded.notes();
        let mut samples = recorded.samples;
        for (name, measured) in measured {
            match measured {
                Measured::Run(sample) => {
                    // It may have had another name when it was measured.
                    let sample = Sample {
                        run: name,
                        ..sample
                    };
                    samples.push((SESSION.to_owned(), sample));
                }
                Measured::WithoutEvents => {
                    let text = format!("{name}: no events, skipped.");
                    notes.push(Note::warning("session-unusable", text));
                }
                Measured::NothingSelected(what) => {
                    let text = format!("{name}: {what} selects nothing, skipped.");
                    notes.push(Note::warning("nothing-selected", text));
                }
            }
        }
        if samples.is_empty() {
            let why: Vec<&str> = notes.iter().map(|note| note.text.as_str()).collect();
            return Err(AnalysisError::Options(format!(
                "no runs in this history: {}",
                why.join(" ")
            )));
        }
        let grouped = groups::groups(&samples);
        let found = series::all(&samples, &grouped, &options.metrics, options.confidence)?;
        let positions = grouped.iter().enumerate();
        let groups: Vec<HistoryGroup> = positions
            .map(|(position, group)| {
                group.report(series::conclusion(&found, position, group.members.len()))
            })
            .collect();
        notes.extend(remarks(&groups, options.confidence));
        let group_of = |run: usize| {
            grouped
                .iter()
                .position(|group| group.members.contains(&run))
        };
        let runs = samples.iter().enumerate();
        Ok(HistoryReport {
            conclusion: series::overall(&groups, &found.changes),
            changes: found.changes,
            groups,
            rows: found.series,
            runs: runs
                .map(|(run, (file, one))| one.run(file, group_of(run).unwrap_or(0)))
                .collect(),
            confidence_ratio: options.confidence,
            notes,
        })
    }
}

/// Benchmark results may be stored next to sessions; they are not histories.
fn is_benchmark(name: &str) -> bool {
    let file = file_name(name);
    let suffix = file.rsplit_once('.').map(|(_, suffix)| suffix);
    suffix == Some("json") && (file.starts_with("results") || file.starts_with("scaling_"))
}

/// The figures of a session that `check` would record.
fn measured(one: Compared<'_>, selection: &Selection) -> Result<Sample, AnalysisError> {
    let options = CheckOptions {
        selection: selection.clone(),
        ..CheckOptions::default()
    };
    let mut sample = Sample::of(&Check::run(&[one], &options)?);
    let mut hosts = one.session.hosts.iter();
    let manifest = hosts.find_map(|host| host.manifest.as_ref());
    if let Some(manifest) = manifest {
        let began = manifest
            .captured_epoch_ns
            .map(|(began, _)| began / 1_000_000_000);
        sample.recorded_unix_s = began.and_then(|seconds| i64::try_from(seconds).ok());
        sample.commit = manifest.git_commit.clone().unwrap_or_default();
    }
    Ok(sample)
}

fn remarks(groups: &[HistoryGroup], confidence: f64) -> Vec<Note> {
    let mut notes = Vec::new();
    if groups.len() > 1 {
        notes.push(Note::info(
            "history-groups",
            "Runs of different programs or on different devices are never compared. The program is \
             the one with the most device time, by its name (of the jitted function); devices are \
             those that worked.",
        ));
    }
    let run_count = groups
        .iter()
        .map(|group| group.run_count)
        .max()
        .unwrap_or(0);
    if run_count < FEWEST_RUNS {
        notes.push(Note::info(
            "too-few-runs",
            format!(
            "A change point in a time needs {FEWEST_RUNS} runs, to distinguish a clear one from noise; \
             there {} {run_count}.",
            if run_count == 1 { "is" } else { "are" }
        )));
    }
    notes.push(Note::info(
        "change-point-test",
        format!(
        "Change points are tested against random orders of the runs: at most {} of the series that did \
         not change get one, whatever their distribution, if runs are independent. Counts and bytes \
         that were constant are not tested: a new level is a change point.",
        crate::telling::format::percent(1.0 - confidence)
    )));
    notes
}
