//! `ops`: every op with its time, work and bound.
//!
//! | Figure | Definition |
//! |---|---|
//! | row | one HLO op of one program; work without an op is one row per kernel name or direction |
//! | occurrences | slices: executions on TPU and XLA:CPU, kernel launches on GPU |
//! | executions | occurrences; on GPU, derived from runs or kernel launches, see [`executions`] |
//! | total, self | Σ duration, Σ (duration − nested slices on the same row) |
//! | flop rate, bandwidth | work of one execution × executions ÷ total |
//! | bound by | the largest of flop rate ÷ peak and, per memory, bandwidth ÷ peak; both must be known |
//! | FLOPs unknown | Σ self of ops that compute but have no known FLOPs ÷ Σ self of all |
//! | region | a part of an op, recorded by a TPU kernel itself, see [`within`] |
//! | attributed | Σ self of slices with an op ÷ Σ self of all |

pub(crate) mod collect;
pub(crate) mod columns;
mod executions;
mod expectation;
pub(crate) mod key;
pub(crate) mod links;
mod options;
mod report;
mod roofline;
mod row;
mod run;
mod tables;
mod unknown;
mod within;

pub use options::{GroupBy, OpsOptions};
use std::sync::Arc;

pub use report::{OpRegion, OpRow, OpsDevice, OpsReport};
pub(crate) use roofline::{Peaks, Roofline, Work, common_peaks, is_over_peak, roofline};
pub(crate) use row::{Measured, is_async_half, own_cost};
use stepscope_model::{DeviceKind, Reads, SaturatingSum as _, Session};
pub(crate) use tables::op_table;
pub(crate) use unknown::{MOST_UNKNOWN, beside, unknown_flops_note, unknown_flops_ratio};
pub(crate) use within::regions_within;

use crate::asking::group::Group;
use crate::asking::order;
use crate::asking::{Analysis, AnalysisError, Selection};
use crate::measuring::interval::Intervals;
use crate::measuring::selection::Selected;
use crate::measuring::totals::{WorkTotals, work_labels, work_totals};
use crate::measuring::work::work_intervals;
use crate::telling::Note;
use crate::telling::attribution;
use crate::telling::format;
use crate::telling::launched_graphs;
use crate::telling::launched_graphs::CUDA_GRAPHS_OFF;
use crate::telling::no_device_work;
use crate::views::kernels::has_cuda_graphs;

/// The `ops` analysis.
pub struct Ops;

impl Analysis for Ops {
    const NAME: &'static str = "ops";
    const ALIASES: &'static [&'static str] = &["hlo_stats", "hlo_op_stats"];
    const SUMMARY: &'static str =
        "Every op: time, occurrences, FLOP rate, bandwidth and what bounds it";
    const GROUP: Group = Group::Compute;
    const READS: Reads = Reads::Devices;
    const EXAMPLES: &'static str = "\
# The ops with the largest self time
stepscope ops ./logs
# Matrix products of steps 3 to 7, each device on its own
stepscope ops ./logs --steps 3..8 --match 'dot|convolution' --by device
# Ops far from the roofline, as CSV
stepscope ops ./logs --sort -roofline_ratio --limit 20 --csv";
    type Options = OpsOptions;
    type Report = OpsReport;

    fn run(session: &Session, options: &OpsOptions) -> Result<OpsReport, AnalysisError> {
        let selected = options.selection.resolve(session)?;
        let totals = work_totals(session, &selected);
        let labels = work_labels(session, &selected);
        let devices = devices(session, &selected, &totals, &labels);
        from_totals(session, &selected, options, &totals, devices)
    }
}

/// All ops of a selection.
pub(crate) struct AllOps {
    /// Largest self time first.
    pub(crate) ops: Vec<Measured>,
    /// Σ self time of the ops.
    pub(crate) total_self_ps: i64,
}

impl AllOps {
    /// The rows as `ops` shows them.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &OpRow> {
        self.ops.iter().map(|op| &op.row)
    }
}

/// Every op, merged over devices. The ops of a whole session are measured only once.
pub(crate) fn all_ops(
    session: &Session,
    selected: &Selected<'_>,
    totals: &[WorkTotals],
) -> Arc<AllOps> {
    let measure = || {
        let ops = measured(session, selected, totals, GroupBy::Op);
        let total_self_ps = ops.iter().map(|one| one.row.self_ps).saturating_sum();
        AllOps { ops, total_self_ps }
    };
    if selected.is_everything() {
        return session.memo.get_or_compute(measure);
    }
    Arc::new(measure())
}

/// The rows of a selection, with its filters and order.
pub(crate) fn filtered_rows(
    session: &Session,
    selection: &Selection,
) -> Result<Vec<OpRow>, AnalysisError> {
    let selected = selection.resolve(session)?;
    let ops = all_ops(session, &selected, &work_totals(session, &selected));
    let mut rows = ops.rows().cloned().collect();
    order::arrange(&mut rows, selection, columns::ROWS)?;
    Ok(rows)
}

/// The report from existing totals; `devices` is passed through.
pub(crate) fn from_totals(
    session: &Session,
    selected: &Selected<'_>,
    options: &OpsOptions,
    totals: &[WorkTotals],
    devices: Vec<OpsDevice>,
) -> Result<OpsReport, AnalysisError> {
    let merged = all_ops(session, selected, totals);
    let mut rows: Vec<OpRow> = match options.by {
        GroupBy::Op => merged.rows().cloned().collect(),
        GroupBy::Device => {
            let all = measured(session, selected, totals, options.by);
            all.into_iter().map(|one| one.row).collect()
        }
    };
    let total_self_ps = rows.iter().map(|row| row.self_ps).saturating_sum();
    let attribution = attribution::shares(session, totals, |_| true);
    let attributed_ratio = attribution::covered_ratio(&attribution);
    let mut notes = notes(session, selected, &rows, attributed_ratio);
    notes.extend(unknown_flops_note(session, merged.ops.iter()));
    let mut regions = regions_within(session, selected);
    for region in &mut regions {
        let mut ops = merged.rows();
        let own = ops.find(|op| op.name == region.op && op.program_id == region.program_id);
        region.op_ratio = own.map(|op| region.total_ps as f64 / op.total_ps.max(1) as f64);
    }
    let row_count = order::arrange(&mut rows, &options.selection, columns::ROWS)?;
    Ok(OpsReport {
        rows,
        row_count,
        devices,
        total_self_ps,
        attributed_ratio,
        attribution,
        regions,
        flops_unknown_ratio: unknown_flops_ratio(session, merged.ops.iter()),
        notes,
    })
}

/// Every op with its work and rates, largest self time first.
pub(crate) fn measured(
    session: &Session,
    selected: &Selected<'_>,
    totals: &[WorkTotals],
    by: GroupBy,
) -> Vec<Measured> {
    let groups = collect::groups(session, selected, totals, by);
    let total_self_ps = groups
        .iter()
        .map(|group| group.totals.self_ps)
        .saturating_sum();
    let mut measured: Vec<Measured> = groups
        .iter()
        .map(|group| row::measure(session, group, total_self_ps))
        .collect();
    measured.sort_by(|a, b| {
        let (a, b) = (&a.row, &b.row);
        (b.self_ps, b.total_ps)
            .cmp(&(a.self_ps, a.total_ps))
            .then_with(|| a.name.cmp(&b.name))
            .then_with(|| a.program_id.cmp(&b.program_id))
            .then_with(|| a.device.cmp(&b.device))
    });
    measured
}

fn devices(
    session: &Session,
    selected: &Selected<'_>,
    totals: &[WorkTotals],
    labels: &[bool],
) -> Vec<OpsDevice> {
    use rayon::prelude::*;
    let devices: Vec<OpsDevice> = selected
        .devices
        .par_iter()
        .map(|&device| {
            let windows = Intervals::union_of(selected.windows(device));
            let busy = work_intervals(session, device, windows.spans(), labels).duration();
            let own = totals.iter().filter(|totals| totals.device == device);
            let sums =
                own.flat_map(|totals| &totals.labels)
                    .fold((0i64, 0i64), |sums, (_, totals)| {
                        (
                            sums.0.saturating_add(totals.self_ps),
                            sums.1.saturating_add(totals.occurrences),
                        )
                    });
            OpsDevice {
                device: session.device_title(device),
                busy_ps: busy.0,
                self_ps: sums.0,
                occurrences: sums.1,
            }
        })
        .collect();
    devices
}

fn notes(
    session: &Session,
    selected: &Selected<'_>,
    rows: &[OpRow],
    attributed_ratio: Option<f64>,
) -> Vec<Note> {
    let mut notes = Vec::new();
    if rows.is_empty() {
        notes.push(no_device_work(selected, ""));
        return notes;
    }
    let kinds: Vec<DeviceKind> = selected
        .devices
        .iter()
        .map(|&device| session.device(device).kind)
        .collect();
    let has_bare_kernels = rows.iter().any(|row| row.category == "kernel");
    notes.extend(
        attributed_ratio.and_then(|ratio| attribution_note(session, ratio, has_bare_kernels)),
    );
    notes.extend(inferred_note(rows));
    notes.extend(launched_graphs::note(session));
    if kinds.contains(&DeviceKind::Cpu) {
        notes.push(Note::info(
            "peaks-unknown",
            "XLA:CPU has no known peak, so its ops have rates but no bound. Their work is computed \
             from the HLO.",
        ));
    }
    if kinds.iter().any(|kind| kind.is_gpu()) {
        notes.push(Note::info(
            "occurrences-are-launches",
            "On GPU, occurrences are kernel launches. The work of an op lowered to several kernels \
             is counted once per execution.",
        ));
    }
    let over = rows.iter().filter(|row| is_over_peak(row.roofline_ratio));
    let over: Vec<&str> = over.map(|row| row.name.as_str()).collect();
    if let Some(first) = over.first() {
        notes.push(Note::warning(
            "above-roofline",
            format!(
                "{} above the roofline, such as {first}: data that stays on the chip is counted as \
             moved, products are computed in a narrower type than the HLO has, or the peak is that of \
             another chip or clock.",
                format::counted(over.len(), "op"),
            ),
        ));
    }
    if !session.aggregates.is_empty() {
        notes.push(Note::info(
            "aggregates-without-times",
            "Some events were recorded as sums without times. Their nesting is unknown, so their \
             whole duration counts as self time.",
        ));
    }
    notes
}

/// A note on ops of which only the name is known.
fn inferred_note(rows: &[OpRow]) -> Option<Note> {
    let is_bare = |row: &&OpRow| {
        row.attribution != "none" && matches!(row.category_source.as_str(), "inferred" | "")
    };
    let count = rows.iter().filter(is_bare).count();
    let ops = format::counted(count, "op");
    (count > 0).then(|| {
        Note::info(
            "hlo-missing",
            format!(
            "The profile has no HLO for {ops}, so their work is unknown and a category can only be \
             inferred from the op's name."
        ))
    })
}

/// The share of the time that is attributed to an op, if not all of it is. Copies never are.
fn attribution_note(session: &Session, ratio: f64, has_bare_kernels: bool) -> Option<Note> {
    let rest = "listed by kernel, op of a framework or copy direction and has no FLOPs";
    if ratio <= 0.0 {
        let text = format!("No device time is attributed to HLO ops; all of it is {rest}.");
        let hint = "Only programs compiled by XLA have HLO ops.";
        return Some(Note::warning("op-attribution", text).with_hint(hint));
    }
    let share = format::percent(ratio);
    if !has_bare_kernels {
        let text = format!("{share} of device time is attributed to HLO ops; the rest is copies.");
        return (ratio < 0.9995).then(|| Note::info("op-attribution", text));
    }
    let text = format!("{share} of device time is attributed to HLO ops; the rest is {rest}.");
    let hint = if has_cuda_graphs(session) {
        CUDA_GRAPHS_OFF
    } else {
        ""
    };
    (ratio < 0.9995).then(|| Note::warning("op-attribution", text).with_hint(hint))
}
