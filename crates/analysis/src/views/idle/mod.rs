//! `idle`: every gap on a device, and what the host that drives it did meanwhile.
//!
//! | Figure | Definition |
//! |---|---|
//! | window | the same as for busy time in the overview: the selected steps; otherwise from the first to the last step; without steps, from the first to the last work of any device |
//! | busy | union of the device's work within the window |
//! | gap | a part of the window without work: listed if at least `--min-gap` long, else short |
//! | idle | Σ gaps, including short ones: exactly window − busy |
//! | cause | what the threads that drive the device do: each instant belongs to the first applicable cause in the order of [`Cause`](crate::measuring::activity::Cause); causes sum to the gaps |
//! | gap's cause | the cause with the most time in the gap |

mod collect;
mod columns;
mod explain;
mod report;
mod tables;

use clap::Args;
pub(crate) use collect::StepCauses;
pub(crate) use explain::OWN_CODE;
pub use report::{CauseRow, GapBucket, GapRow, IdleDevice, IdleReport, IdleStep};
use stepscope_model::{DeviceKind, SaturatingSum as _, Session};

use crate::asking::group::Group;
use crate::asking::order;
use crate::asking::selection::Selection;
use crate::asking::{Analysis, AnalysisError};
use crate::measuring::activity::Cause;
use crate::measuring::selection::{Selected, other_steps, parse_length};
use crate::telling::Note;
use crate::telling::format;
use crate::telling::recording;

/// The `idle` analysis.
pub struct Idle;

/// Options of [`Idle`].
#[derive(Debug, Clone, Default, Args)]
pub struct IdleOptions {
    /// Minimum length of a listed gap: `10us`, `0.5ms`, `0` for all. Default: 10us on GPU and TPU,
    /// 100us on XLA:CPU
    #[arg(long, value_name = "TIME")]
    pub min_gap: Option<String>,
    /// Only gaps with this cause, such as `data_loading`; comma separated
    #[arg(long, value_name = "CAUSE")]
    pub cause: Option<String>,
    /// Which part of the session. `--match` selects gaps whose cause, frame, annotation or device
    /// matches.
    #[command(flatten)]
    pub selection: Selection,
}

/// Number of gaps listed by default: the longest.
const MOST_ROWS: usize = 2000;

impl Analysis for Idle {
    const NAME: &'static str = "idle";
    const GROUP: Group = Group::Waiting;
    const ALIASES: &'static [&'static str] = &["gaps"];
    const SUMMARY: &'static str =
        "Each gap on each device, and what the host did meanwhile, summed by cause";
    const EXAMPLES: &'static str = "\
# Why devices wait, and the longest gaps
stepscope idle ./logs
# Gaps from 1 ms on of one device, in steps 10 to 19
stepscope idle ./logs --min-gap 1ms --device 0 --steps 10..20
# Only gaps in which input was loaded
stepscope idle ./logs --cause data_loading";
    type Options = IdleOptions;
    type Report = IdleReport;

    fn run(session: &Session, options: &IdleOptions) -> Result<IdleReport, AnalysisError> {
        let selected = options.selection.resolve(session)?;
        let min_gap = options.min_gap.as_deref().map(parse_length).transpose()?;
        let wanted = options.cause.as_deref().map(parse_causes).transpose()?;
        let devices = devices(session, &selected, min_gap);
        let most = match options.selection.limit {
            Some(0) => usize::MAX,
            Some(limit) => limit.max(MOST_ROWS),
            None => MOST_ROWS,
        };
        let (mut rows, listed) = collect::gaps(
            session,
            (&devices, selected.loops()),
            wanted.as_deref(),
            most,
        );
        let found = rows.len();
        rows.retain(|row| {
            selected.matches(&[
                row.cause.name(),
                &row.what,
                &row.annotation,
                &row.python,
                &row.device,
            ])
        });
        let is_matched = rows.len() < found;
        let shown = order::arrange(&mut rows, &options.selection, columns::ROWS)?;
        let row_count = if is_matched { shown } else { listed };
        let mut report = collect::report(session, &selected, &devices);
        report.notes = notes(session, &report, row_count, rows.len());
        report.notes.extend(left_out(session, &selected, &devices));
        report.rows = rows;
        report.row_count = row_count;
        Ok(report)
    }
}

fn devices(
    session: &Session,
    selected: &Selected<'_>,
    min_gap: Option<i64>,
) -> Vec<collect::DeviceGaps> {
    collect::devices(session, selected, |kind| {
        min_gap.unwrap_or_else(|| usual_min_gap(kind))
    })
}

/// Gaps of a selection, with what hosts did during them, and the longest ones.
pub(crate) struct Gaps {
    /// Every device, over the whole selection.
    pub(crate) devices: Vec<IdleDevice>,
    /// Causes within each step on each device.
    pub(crate) steps: Vec<IdleStep>,
    /// The same for steps of other series.
    pub(crate) other_steps: Vec<IdleStep>,
    /// The longest, longest first.
    pub(crate) longest: Vec<GapRow>,
    /// Gaps shorter than this have no cause. If devices differ, the smallest of their limits.
    pub(crate) min_gap_ps: i64,
    /// Share of the idle time in such short gaps, 0..1.
    pub(crate) short_ratio: f64,
}

/// The gaps of a selection, with the `most` longest explained.
pub(crate) fn gaps(session: &Session, selected: &Selected<'_>, most: usize) -> Gaps {
    let devices = devices(session, selected, None);
    let positions = selected.step_positions();
    let series = positions.first().and_then(|&at| session.steps[at].series);
    let others = other_steps(session, series);
    Gaps {
        devices: collect::device_rows(session, &devices),
        steps: collect::steps(session, &positions, &devices),
        other_steps: collect::steps(session, &others, &devices),
        longest: collect::gaps(session, (&devices, selected.loops()), None, most).0,
        min_gap_ps: collect::min_gap_ps(&devices),
        short_ratio: collect::short_ratio(&devices),
    }
}

/// What hosts did during the gaps that `idle` lists, for each selected step on each device that has
/// some in it, by step, then device.
pub(crate) fn step_causes(session: &Session, selected: &Selected<'_>) -> Vec<StepCauses> {
    collect::step_causes(session, selected, &devices(session, selected, None))
}

/// 10 µs on devices with a queue. More on XLA:CPU, where programs start and end in threads.
const fn usual_min_gap(kind: DeviceKind) -> i64 {
    match kind {
        DeviceKind::Cpu => 100_000_000,
        _ => 10_000_000,
    }
}

fn parse_causes(text: &str) -> Result<Vec<Cause>, AnalysisError> {
    let one = |word: &str| {
        let mut causes = crate::measuring::activity::CAUSES.into_iter();
        let unknown = || AnalysisError::NothingSelected {
            what: format!("--cause {word}"),
            available: crate::measuring::activity::CAUSES
                .map(Cause::name)
                .join(", "),
        };
        causes
            .find(|cause| cause.name() == word)
            .ok_or_else(unknown)
    };
    let words = text.split(',').map(str::trim);
    words.filter(|word| !word.is_empty()).map(one).collect()
}

/// Note on selected devices that are not listed.
fn left_out(
    session: &Session,
    selected: &Selected<'_>,
    devices: &[collect::DeviceGaps],
) -> Option<Note> {
    if devices.is_empty() {
        return None;
    }
    let is_listed = |id| devices.iter().any(|device| device.device == id);
    let others = selected.devices.iter().copied();
    let others = others.filter(|&id| !is_listed(id));
    let titles: Vec<String> = others.map(|id| session.device_title(id)).collect();
    (!titles.is_empty()).then(|| {
        Note::info(
            "devices-without-work",
            format!(
            "Excluded from sums, as in `overview`, because they ran nothing of a step, or did no work in \
             the observed window: {}.",
            titles.join(", ")
        ))
    })
}

fn notes(session: &Session, report: &IdleReport, row_count: usize, shown: usize) -> Vec<Note> {
    if report.devices.is_empty() {
        return vec![
            Note::warning(
                "no-device-work",
                "No device recorded work in this selection, so there are no gaps to show.",
            )
            .with_hint(
                "Host threads are on the timeline. `options.device_tracer_level = 1` records \
                     devices.",
            ),
        ];
    }
    let mut notes = Vec::new();
    let idle: i64 = report
        .devices
        .iter()
        .map(|row| row.idle_ps)
        .saturating_sum();
    let unknown = report.causes.iter().find(|row| row.cause == Cause::Unknown);
    let unknown_ps = unknown.map_or(0, |row| row.total_ps);
    if idle > 0 && unknown_ps as f64 > 0.2 * idle as f64 {
        let share = format::percent(unknown_ps as f64 / idle as f64);
        notes.push(
            Note::warning(
                "driving-threads-silent",
                format!(
                "For {share} of the idle time, nothing was recorded on the threads that drive the \
                 devices."
            ))
            .with_hint(recording::driving_threads(session)),
        );
    }
    let short: i64 = report
        .devices
        .iter()
        .map(|row| row.short_ps)
        .saturating_sum();
    let lengths: Vec<String> = report.min_gaps();
    notes.push(Note::info(
        "short-gaps",
        format!(
        "Gaps of at least {} are listed and broken down by cause; shorter ones are {} of the idle time.",
        lengths.join(" or "),
        format::percent(if idle > 0 { short as f64 / idle as f64 } else { 0.0 }),
    )));
    if !report.steps.is_empty() && !report.has_gaps_in_steps() {
        notes.push(Note::info(
            "steps-without-gaps",
            "No step has a listed gap.",
        ));
    }
    if shown < row_count {
        notes.push(
            Note::info(
                "rows-limited",
                format!(
                    "The {} longest of {} are listed; the sums include all of them.",
                    shown,
                    format::counted(row_count, "gap")
                ),
            )
            .with_hint("`--limit 0` lists all; `--min-gap` raises the minimum length"),
        );
    }
    let has_python = session
        .labels
        .iter()
        .any(|label| label.kind == stepscope_model::SliceKind::Python);
    if !has_python {
        notes.push(
            Note::info(
                "python-frames-missing",
                "Python frames were not recorded, so gaps name only calls of the runtime.",
            )
            .with_code(recording::python_frames(session)),
        );
    }
    if session
        .devices
        .iter()
        .any(|device| matches!(device.kind, DeviceKind::Tpu | DeviceKind::SparseCore))
    {
        notes.push(Note::info(
            "clock-drift",
            "TPU work is timed by the device's clock and host threads by the host's, so causes of \
             gaps shorter than the drift between them may be wrong.",
        ));
    }
    notes
}
