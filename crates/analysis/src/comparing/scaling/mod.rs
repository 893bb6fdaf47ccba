//! `scaling`: the speedup from more devices, for each method, and what limits the next doubling.
//!
//! | Figure | Definition |
//! |---|---|
//! | device count | devices that worked in typical steps |
//! | step | mean of the typical steps: the selected ones except outliers, by the rule of `steps` |
//! | throughput | 1 ÷ step; with weak scaling, × device count |
//! | speedup | throughput ÷ throughput on the smallest device count of the method |
//! | efficiency | speedup ÷ (device count ÷ smallest device count) |
//! | communication | union of a device's communication in a step, as in `collectives` |
//! | exposed | the part *collectives* of a step |
//! | balance | mean computation per device ÷ computation of the device with most |
//! | limits | [`limits`]: Amdahl's law, and an extrapolation of each part of a step |
//!
//! Only sessions with the same program and kind of device are compared. Several of them with the same
//! method and device count are samples; a row is their mean.

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
use crate::asking::{AnalysisError, Asks, AsksEach, Compared, Comparison, NamedText};
use crate::telling::Note;
use crate::telling::format;
pub use measure::Outcome;
use measure::{Measured, Missing, measure};
use rows::Group;

/// The `scaling` comparison.
pub struct Scaling;

/// Options of [`Scaling`].
#[derive(Debug, Clone, Default, Args)]
pub struct ScalingOptions {
    /// Which part of each session; `--sort` and `--limit` apply to the table.
    #[command(flatten)]
    pub selection: Selection,
    /// Weak scaling: the work per step grows with the devices, so the step time should stay the same
    #[arg(long)]
    pub weak: bool,
    /// Regular expression whose first group is the method in a session's name; sessions whose names do
    /// not match are skipped
    #[arg(long, value_name = "REGEX")]
    pub method: Option<String>,
    /// Examples per step over all devices; with --weak, per step and device. Adds examples per second
    #[arg(long, value_name = "N")]
    pub batch: Option<f64>,
    /// Benchmarks, which the caller has read from files.
    #[arg(skip)]
    pub benchmarks: Vec<NamedText>,
}

impl Comparison for Scaling {
    const NAME: &'static str = "scaling";
    const ALIASES: &'static [&'static str] = &[];
    const SUMMARY: &'static str =
        "Speedup and efficiency on 2, 4, 8… devices, and what limits the next doubling";
    const EXAMPLES: &'static str = "\
# Every session below a folder, such as tensorboard_logs/<n>gpu_<time>/<method>
stepscope scaling ./tensorboard_logs
# Benchmarks: JSON with execution_time, as benchmark_function writes it
stepscope scaling results_1gpu.json results_2gpu.json results_4gpu.json
# Weak scaling, with a batch of 32 per device
stepscope scaling ./logs --weak --batch 32
# Where the names of sessions contain the method
stepscope scaling ./logs --method '/([a-z]+)_bf16'";
    const GROUP: MenuGroup = MenuGroup::Summary;
    const LEAST_SESSIONS: usize = 0;
    const ASKS: Asks = Asks::EverySession;
    // Sessions without events are skipped with a note.
    const NEEDS_EVENTS: bool = false;
    const TAKES_FILES: bool = true;
    type Options = ScalingOptions;
    type Report = ScalingReport;

    fn with_files(options: &mut ScalingOptions, files: Vec<NamedText>) {
        options.benchmarks = files;
    }

    fn run(
        mut sessions: &[Compared<'_>],
        options: &ScalingOptions,
    ) -> Result<ScalingReport, AnalysisError> {
        Self::run_each(&mut sessions, options)
    }
}

impl AsksEach for Scaling {
    type Measured = Outcome;

    fn selection(options: &ScalingOptions) -> &Selection {
        &options.selection
    }

    fn check(options: &ScalingOptions) -> Result<(), AnalysisError> {
        options.batch.map_or(Ok(()), checked_batch)
    }

    fn measure(one: Compared<'_>, selection: &Selection) -> Result<Outcome, AnalysisError> {
        match measure(one.session, selection) {
            // A selection that only some sessions have, such as certain steps.
            Err(AnalysisError::NothingSelected { what, .. }) => Ok(Outcome::NothingSelected(what)),
            outcome => outcome,
        }
    }

    fn report(
        measured: Vec<(String, Outcome)>,
        options: &ScalingOptions,
    ) -> Result<ScalingReport, AnalysisError> {
        let session_count = measured.len();
        let (samples, mut notes) = samples(measured, options)?;
        if samples.is_empty() {
            return Err(nothing(&notes));
        }
        let kind = if options.weak {
            ScalingKind::Weak
        } else {
            ScalingKind::Strong
        };
        let groups = Group::all(&samples);
        let rows = groups
            .iter()
            .flat_map(|group| group.rows(kind, options.batch));
        let mut rows: Vec<ScalingRow> = rows.collect();
        notes.extend(remarks(&rows, session_count));
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

fn checked_batch(batch: f64) -> Result<(), AnalysisError> {
    if batch.is_finite() && batch > 0.0 {
        return Ok(());
    }
    Err(AnalysisError::Options(format!(
        "--batch must be a number of examples above 0, not {batch}"
    )))
}

fn nothing(notes: &[Note]) -> AnalysisError {
    let why: Vec<&str> = notes.iter().map(|note| note.text.as_str()).collect();
    let why = if why.is_empty() {
        "no sessions or benchmarks were given".to_owned()
    } else {
        let why = why.join(" ");
        let mut letters = why.trim_end_matches('.').chars();
        let first = letters.next().map(|letter| letter.to_ascii_lowercase());
        first.into_iter().chain(letters).collect()
    };
    AnalysisError::Options(format!("no samples to measure scaling: {why}"))
}

/// Each with its method.
type Samples = Vec<(String, Measured)>;

/// Every sample with its method, and notes on what was skipped.
fn samples(
    sessions: Vec<(String, Outcome)>,
    options: &ScalingOptions,
) -> Result<(Samples, Vec<Note>), AnalysisError> {
    let mut notes = Vec::new();
    let mut found: Vec<Measured> = Vec::new();
    let mut left_out = LeftOut::default();
    for (position, (name, outcome)) in sessions.into_iter().enumerate() {
        match outcome {
            Outcome::Measured(measured) => found.push(Measured {
                name,
                session: Some(position),
                ..*measured
            }),
            Outcome::Missing(why) => left_out.add(name, why),
            Outcome::NothingSelected(what) => {
                let text = format!("{name}: {what} selects nothing.");
                notes.push(Note::warning("nothing-selected", text));
            }
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

/// Sessions that are skipped, by reason.
#[derive(Default)]
struct LeftOut {
    without_events: Vec<String>,
    without_steps: Vec<String>,
    without_devices: Vec<String>,
    /// How to record steps, for sessions without steps.
    steps_hint: String,
    unmatched: Vec<String>,
}

impl LeftOut {
    fn add(&mut self, name: String, why: Missing) {
        let list = match why {
            Missing::Events => &mut self.without_events,
            Missing::Steps { hint } => {
                self.steps_hint = hint;
                &mut self.without_steps
            }
            Missing::Devices => &mut self.without_devices,
        };
        list.push(name);
    }

    fn notes(self) -> Vec<Note> {
        let none = String::new;
        let reasons = [
            (self.without_events, "no events were recorded in", none()),
            (
                self.without_steps,
                "no steps were recorded in or could be inferred for",
                self.steps_hint,
            ),
            (
                self.without_devices,
                "no device worked in the steps of",
                none(),
            ),
            (self.unmatched, "--method does not match", none()),
        ];
        let told = reasons.into_iter().filter(|(names, ..)| !names.is_empty());
        told.map(|(names, why, hint)| {
            let text = format!("Skipped, because {why} {}.", listed(&names));
            Note::warning("sessions-left-out", text).with_code(hint)
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

fn remarks(rows: &[ScalingRow], session_count: usize) -> Vec<Note> {
    let mut notes = Vec::new();
    if rows.iter().any(|row| row.is_virtual) {
        notes.push(Note::warning(
            "virtual-devices",
            "Virtual CPU devices share the cores of one machine: what is communicated and how evenly work \
             is split are meaningful, but their speedup does not predict that of real devices.",
        ));
    }
    if rows.iter().any(|row| row.sample_count > 1) {
        notes.push(Note::info(
            "samples-averaged",
            "Several sessions with the same method, program, and devices are samples; a row is their mean.",
        ));
    }
    if session_count > 0 {
        let counted = format::counted(session_count, "session");
        notes.push(Note::info(
            "scaling-method",
            format!(
            "{counted}; a step is the mean of the typical steps, without outliers. The method is what \
             differs between names besides device count and time; `--method REGEX` selects it."
        )));
    }
    let two_kinds = |a: &&ScalingRow, b: &&ScalingRow| a.method == b.method && a.source != b.source;
    if rows.iter().any(|a| rows.iter().any(|b| two_kinds(&a, &b))) {
        notes.push(Note::info(
            "captures-and-benchmarks",
            "Captures and benchmarks of a method are listed separately: profiling adds overhead, and \
             benchmarks time whole calls.",
        ));
    }
    let two_programs = |a: &&ScalingRow, b: &&ScalingRow| {
        (&a.method, &a.source) == (&b.method, &b.source) && a.group != b.group
    };
    if rows
        .iter()
        .any(|a| rows.iter().any(|b| two_programs(&a, &b)))
    {
        notes.push(Note::info(
            "scaling-groups",
            "Sessions of a method that ran different programs, or ran on different kinds of devices, \
             are listed separately. The program is the one with the most device time, by its name.",
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
                group: group.position,
                program: group.program.to_owned(),
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
