//! `scaling`: what more devices give, for each method, and what limits the next doubling.
//!
//! | Figure | Definition |
//! |---|---|
//! | device count | devices that worked in typical steps |
//! | step | mean of the typical steps: the selected ones but outliers, by the rule of `steps` |
//! | throughput | 1 ÷ step; with weak scaling × device count |
//! | speed-up | throughput ÷ that of the least count of the method |
//! | efficiency | speed-up ÷ (count ÷ least count) |
//! | communication | union of a device's communication in a step, by `collectives` |
//! | exposed | the part *collectives* of a step |
//! | balance | mean over devices of their computation ÷ that of the device with most |
//! | limits | [`limits`]: Amdahl's law, and how each part of a step goes on |
//!
//! Several sessions of a method on one count are samples: a row is their mean.

mod benchmark;
mod chart;
mod columns;
mod limits;
mod measure;
mod naming;
mod report;
mod rows;
mod tables;

use clap::Args;
pub use report::{
    ScalingKind, ScalingLimit, ScalingMethod, ScalingReport, ScalingRow, ScalingSample,
};

use crate::asking::group::Group as MenuGroup;
use crate::asking::order;
use crate::asking::selection::Selection;
use crate::asking::{AnalysisError, Asks, Compared, Comparison, NamedText};
use crate::telling::Note;
use crate::telling::format;
use crate::telling::recording;
use measure::{Measured, Missing, measure};
use rows::Group;

/// The `scaling` comparison.
pub struct Scaling;

/// Options of [`Scaling`].
#[derive(Debug, Clone, Default, Args)]
pub struct ScalingOptions {
    /// Which part of each session; `--sort` and `--limit` are about the table.
    #[command(flatten)]
    pub selection: Selection,
    /// Weak scaling: a step has more work with more devices, so it should take the same time
    #[arg(long)]
    pub weak: bool,
    /// What in a session's name is its method: the first group of this regular expression; names
    /// that do not match are left out
    #[arg(long, value_name = "REGEX")]
    pub method: Option<String>,
    /// Examples in a step over all devices, with --weak in a step of one device; adds examples per
    /// second
    #[arg(long, value_name = "N")]
    pub batch: Option<f64>,
    /// Benchmarks, which a caller read from files.
    #[arg(skip)]
    pub benchmarks: Vec<NamedText>,
}

impl Comparison for Scaling {
    const NAME: &'static str = "scaling";
    const ALIASES: &'static [&'static str] = &[];
    const SUMMARY: &'static str =
        "What 2, 4, 8… devices give: speed-up, efficiency, and what limits the next doubling";
    const EXAMPLES: &'static str = "\
# Every session below a folder, such as tensorboard_logs/<n>gpu_<time>/<method>
stepscope scaling ./tensorboard_logs
# Benchmarks: JSON with execution_time, as benchmark_function writes it
stepscope scaling results_1gpu.json results_2gpu.json results_4gpu.json
# Each device has a batch of 32 of its own
stepscope scaling ./logs --weak --batch 32
# What the method is called in the names of sessions
stepscope scaling ./logs --method '/([a-z]+)_bf16'";
    const GROUP: MenuGroup = MenuGroup::Summary;
    const LEAST_SESSIONS: usize = 0;
    const ASKS: Asks = Asks::EverySession;
    // Sessions in which nothing happens are left out with a note.
    const NEEDS_EVENTS: bool = false;
    const TAKES_FILES: bool = true;
    type Options = ScalingOptions;
    type Report = ScalingReport;

    fn with_files(options: &mut ScalingOptions, files: Vec<NamedText>) {
        options.benchmarks = files;
    }

    fn run(
        sessions: &[Compared<'_>],
        options: &ScalingOptions,
    ) -> Result<ScalingReport, AnalysisError> {
        let batch = options.batch.map(checked_batch).transpose()?;
        let (samples, mut notes) = samples(sessions, options)?;
        if samples.is_empty() {
            return Err(nothing(&notes));
        }
        let kind = if options.weak {
            ScalingKind::Weak
        } else {
            ScalingKind::Strong
        };
        let groups = Group::all(&samples);
        let rows = groups.iter().flat_map(|group| group.rows(kind, batch));
        let mut rows: Vec<ScalingRow> = rows.collect();
        notes.extend(remarks(&rows, sessions));
        order::arrange(&mut rows, &options.selection, columns::ROWS)?;
        Ok(ScalingReport {
            kind,
            methods: groups
                .iter()
                .map(|group| limits::method(group, kind))
                .collect(),
            rows,
            samples: sample_rows(&groups),
            notes,
        })
    }
}

fn checked_batch(batch: f64) -> Result<f64, AnalysisError> {
    if batch.is_finite() && batch > 0.0 {
        return Ok(batch);
    }
    Err(AnalysisError::Options(format!(
        "--batch takes a number of examples above 0, not {batch}"
    )))
}

fn nothing(notes: &[Note]) -> AnalysisError {
    let why: Vec<&str> = notes.iter().map(|note| note.text.as_str()).collect();
    let why = if why.is_empty() {
        "no session and no benchmark was given".to_owned()
    } else {
        let why = why.join(" ");
        let mut letters = why.trim_end_matches('.').chars();
        let first = letters.next().map(|letter| letter.to_ascii_lowercase());
        first.into_iter().chain(letters).collect()
    };
    AnalysisError::Options(format!("there is nothing to measure scaling by: {why}"))
}

/// Each with its method.
type Samples = Vec<(String, Measured)>;

/// Every sample with its method, and notes on what is none.
fn samples(
    sessions: &[Compared<'_>],
    options: &ScalingOptions,
) -> Result<(Samples, Vec<Note>), AnalysisError> {
    let mut notes = Vec::new();
    let mut found: Vec<Measured> = Vec::new();
    let mut left_out = LeftOut::default();
    for (position, &one) in sessions.iter().enumerate() {
        match measure(position, one, &options.selection) {
            Ok(Ok(measured)) => found.push(measured),
            Ok(Err(why)) => left_out.add(one, &why),
            // A selection that fits some sessions only, such as steps that others have not.
            Err(AnalysisError::NothingSelected { what, .. }) => {
                notes.push(Note::warning(format!(
                    "{}: {what} selects nothing.",
                    one.name
                )));
            }
            Err(error) => return Err(error.of_session(one.name)),
        }
    }
    let names: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
    let methods = naming::methods(&names, options.method.as_deref())?;
    let mut samples = Vec::new();
    for (measured, method) in found.into_iter().zip(methods) {
        match method {
            Some(method) => samples.push((method, measured)),
            None => left_out.unmatched.push(measured.name),
        }
    }
    let (benchmarks, of_files) = benchmark::measured(&options.benchmarks);
    for measured in benchmarks {
        let method = measured.method.clone().unwrap_or_default();
        samples.push((method, measured));
    }
    notes.extend(of_files);
    notes.extend(left_out.notes());
    Ok((samples, notes))
}

/// Sessions that are no samples, by the reason.
#[derive(Default)]
struct LeftOut {
    without_events: Vec<String>,
    without_steps: Vec<String>,
    without_devices: Vec<String>,
    /// How to record the steps that some lack.
    steps_hint: &'static str,
    unmatched: Vec<String>,
}

impl LeftOut {
    fn add(&mut self, one: Compared<'_>, why: &Missing) {
        let list = match why {
            Missing::Events => &mut self.without_events,
            Missing::Steps => &mut self.without_steps,
            Missing::Devices => &mut self.without_devices,
        };
        list.push(one.name.to_owned());
        if matches!(why, Missing::Steps) {
            self.steps_hint = recording::steps(one.session);
        }
    }

    fn notes(self) -> Vec<Note> {
        let reasons = [
            (self.without_events, "no events are recorded in", ""),
            (
                self.without_steps,
                "no steps were recorded in or could be inferred for",
                self.steps_hint,
            ),
            (self.without_devices, "no device worked in the steps of", ""),
            (self.unmatched, "--method does not match", ""),
        ];
        let told = reasons.into_iter().filter(|(names, ..)| !names.is_empty());
        told.map(|(names, why, hint)| {
            let text = format!("Left out, because {why} {}.", listed(&names));
            Note::warning(text).with_code(hint)
        })
        .collect()
    }
}

/// The first few of the names.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 4;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn remarks(rows: &[ScalingRow], sessions: &[Compared<'_>]) -> Vec<Note> {
    let mut notes = Vec::new();
    if rows.iter().any(|row| row.is_virtual) {
        notes.push(Note::warning(
            "Virtual CPU devices share the cores of one machine: read what is communicated and how \
             evenly work is split, not the speed-up, which real devices do not share.",
        ));
    }
    if rows.iter().any(|row| row.sample_count > 1) {
        notes.push(Note::info(
            "Several sessions of a method on one count are samples; a row is their mean.",
        ));
    }
    if !sessions.is_empty() {
        let counted = format::counted(sessions.len(), "session");
        notes.push(Note::info(format!(
            "{counted}; a step is the mean of the typical ones, outliers set aside. The method is \
             what differs in the names besides device count and time; --method REGEX picks it."
        )));
    }
    let two_kinds = |a: &&ScalingRow, b: &&ScalingRow| a.method == b.method && a.source != b.source;
    if rows.iter().any(|a| rows.iter().any(|b| two_kinds(&a, &b))) {
        notes.push(Note::info(
            "Captures and benchmarks of one method are kept apart: profiling has a price, and a \
             benchmark times whole calls.",
        ));
    }
    notes
}

fn sample_rows(groups: &[Group<'_>]) -> Vec<ScalingSample> {
    let mut rows = Vec::new();
    for group in groups {
        for sample in group.counts.iter().flat_map(|count| &count.samples) {
            rows.push(ScalingSample {
                name: sample.name.clone(),
                method: group.method.to_owned(),
                source: group.source.to_owned(),
                device_count: sample.device_count,
                step_count: sample.step_count,
                step_ps: sample.step_ps,
                session: sample.session,
            });
        }
    }
    rows
}
