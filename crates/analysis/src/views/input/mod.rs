//! `input`: how long devices wait for data, why, and which stage of the pipeline is slowest.
//!
//! | Figure | Definition |
//! |---|---|
//! | row | one step on one device that recorded work; on a host without devices, the host |
//! | waiting | `input_wait_ps` of the step in [`steps`](crate::views::steps): the device is idle, nothing is compiled, and a thread that drives it loads input, waits for it, or copies to the device |
//! | causes | that time divided in the priority order transfer, read, preprocess, enqueue, prefetch, wait, load; they sum to waiting |
//! | copies in | `host_to_device_ps` of the step: exposed copies by the device, without those that a program makes itself |
//! | input | waiting + copies in |
//! | loading | all time in which a driving thread loads or copies to the device, whether the device waits or not; waiting in a queue is not loading |
//! | share | Σ over rows ÷ Σ durations |
//! | median | the median row of a host, which a single odd step does not distort; used by `advice` |
//! | between steps | the same from the end of a step to the start of the next, outside steps of other series; the verdict counts it, as a share of the time from step to step |
//! | stage | each name in an input pipeline, with all its slices on all threads; the program's own function that a thread spends at least 60 % of its waits for the next element in, too, and so is that of the thread that fills the queue in which it waits |

mod between;
mod collect;
mod columns;
mod other_end;
mod own_code;
mod report;
mod stages;
mod tables;

use std::fmt::Write as _;

pub(crate) use between::{BetweenSteps, between_steps};
use clap::Args;
pub(crate) use collect::words;
pub(crate) use other_end::OtherEnd;
use own_code::own_loader;
pub use report::{Bound, InputBetween, InputCause, InputHost, InputReport, InputRow, StageRow};
use stepscope_model::{Activity, Framework, HostId, LabelId, SaturatingSum as _, Session};

use crate::asking::group::Group;
use crate::asking::order;
use crate::asking::selection::Selection;
use crate::asking::{Analysis, AnalysisError};
use crate::measuring::activity::{Activities, driving_threads};
use crate::measuring::selection::Selected;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::recording;
use crate::telling::steps::step_notes;
use crate::telling::thresholds::VerdictKind;

/// The `input` analysis.
pub struct Input;

/// Options of [`Input`].
#[derive(Debug, Clone, Default, Args)]
pub struct InputOptions {
    /// Which part of the session. `--match` selects rows whose host or device matches.
    #[command(flatten)]
    pub selection: Selection,
}

impl Analysis for Input {
    const NAME: &'static str = "input";
    const GROUP: Group = Group::Waiting;
    const ALIASES: &'static [&'static str] = &[
        "input_pipeline_analyzer",
        "input_pipeline",
        "tf_data_bottleneck_analysis",
    ];
    const SUMMARY: &'static str =
        "How long devices wait for data in each step, why, and the slowest stage of the pipeline";
    const EXAMPLES: &'static str = "\
# Whether input limits the program, and why
stepscope input ./logs
# Which host loads slowest
stepscope input ./logs --table hosts
# The stages of tf.data or grain, slowest first
stepscope input ./logs --table stages --csv";
    type Options = InputOptions;
    type Report = InputReport;

    fn run(session: &Session, options: &InputOptions) -> Result<InputReport, AnalysisError> {
        let selected = options.selection.resolve(session)?;
        let mut rows = rows(session, &selected);
        let stages = stages::stages(session, &selected);
        let totals = collect::totals(&rows);
        let mut bounds = collect::bounds(&totals);
        if may_hide_loading(session, collect::quiet_ratio(session, &selected)) {
            bounds[0].verdict = VerdictKind::Unknown;
        }
        let between = between_steps(session, &selected);
        let between = between.filter(|one| one.ratio() >= collect::INPUT_LOW);
        if let Some(between) = between {
            bounds[0].verdict = between.verdict_with(&bounds[0]);
        }
        let causes = collect::causes(session, &totals);
        let hosts = collect::hosts(&rows);
        let mut conclusion = conclusion(&totals, &hosts, &stages);
        conclusion.push_str(&between.map_or_else(String::new, told));
        let mut notes = notes(session, &selected, &rows, &totals, &stages);
        if !rows.is_empty() && !has_input(&hosts) {
            notes.push(Note::info(
                "input-none",
                "No step waits for input or copies it, and no host loads any, as far as recorded.",
            ));
        }
        let row_count = order::arrange(&mut rows, &options.selection, columns::ROWS)?;
        Ok(InputReport {
            verdict: bounds
                .first()
                .map_or(VerdictKind::Unknown, |bound| bound.verdict),
            conclusion,
            bounds,
            between_steps: between.map(|one| InputBetween {
                input_ps: one.input_ps,
                ratio: one.ratio(),
            }),
            causes,
            hosts,
            rows,
            row_count,
            stages,
            notes,
        })
    }
}

/// Whether a step of these hosts waits for input or copies it, or a host loads some. Else rows are zeros.
fn has_input(hosts: &[InputHost]) -> bool {
    hosts
        .iter()
        .any(|host| host.longest_ps > 0 || host.loading_mean_ps > 0.0)
}

fn rows(session: &Session, selected: &Selected<'_>) -> Vec<InputRow> {
    let mut rows = collect::rows(session, selected);
    rows.retain(|row| selected.matches(&[&row.host, &row.device]));
    rows
}

/// Waiting for data: who, how long, why.
pub(crate) struct Waits {
    /// Each step on each device.
    pub(crate) rows: Vec<InputRow>,
    /// Each host, the one that waits longest first.
    pub(crate) hosts: Vec<InputHost>,
}

impl Waits {
    /// Computes them for a selection.
    pub(crate) fn of(session: &Session, selected: &Selected<'_>) -> Self {
        let rows = rows(session, selected);
        let hosts = collect::hosts(&rows);
        Self { rows, hosts }
    }

    /// Why the devices of a host wait, the largest cause first.
    pub(crate) fn causes(&self, session: &Session, host: &str) -> Vec<InputCause> {
        let own: Vec<InputRow> = self
            .rows
            .iter()
            .filter(|row| row.host == host)
            .cloned()
            .collect();
        collect::causes(session, &collect::totals(&own))
    }
}

/// Whether devices may wait for data without anything that shows it: no loading was recorded, and for a
/// considerable share of the time they are idle without a reason.
pub(crate) fn may_hide_loading(session: &Session, quiet_ratio: f64) -> bool {
    quiet_ratio >= collect::OTHER_HIGH && !has_loaded(session)
}

fn has_loaded(session: &Session) -> bool {
    let activities = Activities::of(session);
    let mut ids = (0..session.labels.len()).map(LabelId::from_index);
    ids.any(|id| matches!(activities.label(id), Activity::Input(_)))
}

/// The function of the program that makes most elements on a thread that drives the devices, when the loop
/// asks for them.
pub(crate) fn loads_itself(
    session: &Session,
    selected: &Selected<'_>,
    host: HostId,
) -> Option<LabelId> {
    let windows = selected.host_windows(host);
    let threads = driving_threads(session, &[host], selected.loops());
    let found = threads.into_iter().flatten().filter_map(|id| {
        let track = session.track_in_passing(id);
        own_loader(session, &track, &windows)
    });
    let most = found.max_by(|a, b| a.1.total_cmp(&b.1));
    most.map(|(label, _)| label)
}

/// The slowest stage that does work, over all hosts of a selection.
pub(crate) fn slowest_stage(session: &Session, selected: &Selected<'_>) -> Option<StageRow> {
    let stages = stages::stages(session, selected);
    stages.into_iter().find(|stage| stage.is_bottleneck)
}

/// The conclusion, in one to three sentences.
fn conclusion(totals: &collect::Totals, hosts: &[InputHost], stages: &[StageRow]) -> String {
    let Some(share) = totals.ratio(totals.input_ps) else {
        return "No step was recorded, so how long devices wait for input is unknown.".to_owned();
    };
    let percent = format::percent(share);
    let mut text = if share >= collect::INPUT_HIGH {
        format!("The program is input-bound: input takes {percent} of the step.")
    } else if share >= collect::INPUT_LOW {
        format!("The program waits for input for {percent} of the step.")
    } else if totals
        .ratio(totals.idle_ps)
        .is_some_and(|idle| idle >= collect::OTHER_LOW)
    {
        format!(
            "Recorded input takes {percent} of the step. For {} of the step, devices are idle while \
             their host waits or recorded nothing, or pause between pieces of work: see `idle`.",
            format::percent(totals.ratio(totals.idle_ps).unwrap_or(0.0))
        )
    } else {
        format!("The program is not input-bound: input takes {percent} of the step.")
    };
    if let Some(worst) = worst_host(hosts) {
        let usual = format::duration_ps(worst.input_median_ps);
        let mean = format::duration_ps(worst.input_mean_ps);
        let _ = write!(
            text,
            " {} waits longest: {usual} in its median step, {mean} on average.",
            worst.host
        );
    }
    let slowest = stages.iter().find(|stage| stage.is_bottleneck);
    if let Some(stage) = slowest.filter(|_| share >= collect::INPUT_LOW) {
        let _ = write!(text, " The slowest stage is {}.", stage.name);
    }
    text
}

/// What is added to the conclusion if devices wait for input between steps.
fn told(between: BetweenSteps) -> String {
    format!(
        " Between steps, devices wait for input for {} more on average ({} of the {} from step to step), \
         which the figures of steps do not contain: annotate the whole iteration.",
        format::duration_ps(between.input_ps),
        format::percent(between.ratio()),
        format::duration_ps(between.period_ps),
    )
}

/// The host that waits longest for input, if that is at least 1.5 times as long as the median host.
fn worst_host(hosts: &[InputHost]) -> Option<&InputHost> {
    if hosts.len() < 2 {
        return None;
    }
    let mut usual: Vec<f64> = hosts.iter().map(|host| host.input_median_ps).collect();
    usual.sort_by(f64::total_cmp);
    let median = usual[(usual.len() - 1) / 2];
    let worst = hosts
        .iter()
        .max_by(|a, b| a.input_median_ps.total_cmp(&b.input_median_ps))?;
    (worst.input_median_ps > 1.5 * median && worst.input_median_ps > 0.0).then_some(worst)
}

fn notes(
    session: &Session,
    selected: &Selected<'_>,
    rows: &[InputRow],
    totals: &collect::Totals,
    stages: &[StageRow],
) -> Vec<Note> {
    let mut notes = step_notes(session, Some(selected));
    if rows.is_empty() {
        return notes;
    }
    if stages.is_empty() && has_loaded(session) {
        notes.push(Note::info(
            "no-input-selected",
            "No input loading starts in this selection, but it does elsewhere in the session.",
        ));
    } else if stages.is_empty() {
        notes.push(
            Note::warning(
                "no-input",
                "No input loading was recorded: no stage of tf.data or grain, no frame of a data \
                 loader, no such annotation. Waiting for input appears as idle time.",
            )
            .with_code(recording::region_of(
                session,
                "\"data_loading\"",
                " batch = next(iterator)",
            )),
        );
    } else if !stages.iter().any(|stage| stage.source == "tf.data") {
        let text = match session.framework() {
            Framework::PyTorch => "Input is identified by annotations and Python frames.",
            _ => {
                "No tf.data stage was recorded, so input is identified by annotations and Python frames."
            }
        };
        notes.push(Note::info("input-by-annotations", text));
    }
    let background: i64 = stages
        .iter()
        .map(|stage| stage.background_ps)
        .saturating_sum();
    if background > 0 {
        notes.push(Note::info(
            "input-in-background",
            format!(
            "{} of loading ran on threads that do not drive devices, so it does not delay steps by itself.",
            format::duration_ps(background as f64)
        )));
    }
    if totals.loading_ps > totals.waiting_ps {
        notes.push(Note::info(
            "input-overlapped",
            format!(
            "Driving threads spent {} loading input; for {} of it, the device was idle and waiting.",
            format::duration_ps(totals.loading_ps as f64),
            format::duration_ps(totals.waiting_ps as f64)
        )));
    }
    notes
}
