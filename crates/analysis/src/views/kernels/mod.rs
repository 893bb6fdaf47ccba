//! `kernels`: GPU kernels, their launch costs, streams, and copies.
//!
//! | Figure | Definition |
//! |---|---|
//! | row | one kernel function with one launch geometry and op; occurrences are launches |
//! | latency | start of the kernel − start of the call that launched it, see [`launches`] |
//! | queue | kernels and copies launched − kernels and copies ended, over time |
//! | launch time of a step | union of the host's launch calls in the step |
//! | occupancy | as recorded, else by the rule in [`occupancy`], which also gives the limiting factor |
//! | matrix unit | inferred from the kernel's name, see `matrix_use` in the model |
//! | tiny | shorter than 0.1 ms |
//! | overlap of a stream | its busy time during which another stream of the device is busy |
//!
//! Other devices run ops, not kernels: see `ops`.

mod collect;
mod columns;
pub(crate) mod latency;
mod launches;
mod matrix;
mod notes;
mod occupancy;
mod report;
mod sizes;
mod streams;
mod tables;

use clap::Args;
pub(crate) use notes::has_cuda_graphs;
pub use report::{
    DurationBin, KernelRow, KernelsReport, LaunchDevice, LaunchStep, MatrixOp, QueuePoint,
    StreamRow, TransferRow, TransferSize,
};
use stepscope_model::{SaturatingSum as _, Session, SliceKind};

use self::latency::Latency;
use self::launches::Launches;
use crate::asking::group::Group;
use crate::asking::order;
use crate::asking::selection::Selection;
use crate::asking::{Analysis, AnalysisError};
use crate::measuring::selection::Selected;
use crate::measuring::totals::{WorkTotals, work_labels, work_totals};
use crate::telling::attribution::{AttributionShare, covered_ratio, shares};

/// The `kernels` analysis.
pub struct Kernels;

/// Options of [`Kernels`].
#[derive(Debug, Clone, Default, Args)]
pub struct KernelsOptions {
    /// Which part of the session.
    #[command(flatten)]
    pub selection: Selection,
}

impl Analysis for Kernels {
    const NAME: &'static str = "kernels";
    const ALIASES: &'static [&'static str] = &["kernel_stats"];
    const SUMMARY: &'static str =
        "GPU kernels: durations, launches, occupancy, matrix units; streams and copies";
    const GROUP: Group = Group::Compute;
    const EXAMPLES: &'static str = "\
# The kernels with the largest total
stepscope kernels ./logs
# Kernels launched most often
stepscope kernels ./logs --sort occurrences --limit 20
# Low occupancy first, of one device
stepscope kernels ./logs --device GPU:0 --sort -occupancy";
    type Options = KernelsOptions;
    type Report = KernelsReport;

    fn run(session: &Session, options: &KernelsOptions) -> Result<KernelsReport, AnalysisError> {
        let selected = options.selection.resolve(session)?;
        let totals = work_totals(session, &selected);
        let labels = work_labels(session, &selected);
        let Launching {
            mut rows,
            launches,
            devices,
            steps,
            matrix_ops,
            transfers,
            durations,
        } = launching(session, &selected, &totals);
        let total_ps: i64 = rows.iter().map(|row| row.total_ps).saturating_sum();
        let share = |part_ps: i64| (total_ps > 0).then(|| part_ps as f64 / total_ps as f64);
        let matrix = rows.iter().filter(|row| row.matrix_unit == "yes");
        let matrix_ratio = share(matrix.map(|row| row.total_ps).saturating_sum());
        let attribution = attribution_shares(session, &totals);
        let attributed_ratio = covered_ratio(&attribution);
        let tiny = durations.iter().filter(|bin| bin.start_ps < sizes::TINY_PS);
        let (tiny_ratio, tiny_time_ratio) = tiny.fold((0.0, 0.0), |sums, bin| {
            (sums.0 + bin.occurrence_ratio, sums.1 + bin.time_ratio)
        });
        let has_bins = !durations.is_empty();
        let notes = notes::notes(session, &rows, &launches, attributed_ratio);
        let row_count = order::arrange(&mut rows, &options.selection, columns::ROWS)?;
        Ok(KernelsReport {
            rows,
            row_count,
            total_ps,
            tiny_ratio: has_bins.then_some(tiny_ratio),
            tiny_time_ratio: has_bins.then_some(tiny_time_ratio),
            durations,
            launches: devices,
            steps,
            streams: streams::streams(session, &selected, &labels),
            matrix_ops,
            matrix_ratio,
            transfers,
            transfer_sizes: sizes::transfer_sizes(session, &totals),
            attributed_ratio,
            attribution,
            notes,
        })
    }
}

/// Kernels, and how they were launched.
pub(crate) struct Launching {
    /// Kernels, largest total first.
    pub(crate) rows: Vec<KernelRow>,
    launches: Launches,
    /// Latencies and queue of each device with launches.
    pub(crate) devices: Vec<LaunchDevice>,
    /// Host time in launch calls, by step and host.
    pub(crate) steps: Vec<LaunchStep>,
    /// Ops that use or could use matrix units, largest first.
    pub(crate) matrix_ops: Vec<MatrixOp>,
    /// Copies by direction.
    pub(crate) transfers: Vec<TransferRow>,
    /// Launches of kernels by duration.
    pub(crate) durations: Vec<DurationBin>,
}

/// Kernels of a selection and their launches.
pub(crate) fn launching(
    session: &Session,
    selected: &Selected<'_>,
    totals: &[WorkTotals],
) -> Launching {
    let labels = work_labels(session, selected);
    let launches = launches::launches(session, selected, &labels);
    Launching {
        rows: collect::kernels(session, totals, &launches),
        devices: launch_devices(session, totals, &launches),
        steps: launches.steps(session, selected),
        matrix_ops: matrix::ops(session, totals),
        transfers: collect::transfers(session, totals),
        durations: sizes::durations(session, selected, &labels),
        launches,
    }
}

/// Latencies and queue of each device with launches.
fn launch_devices(
    session: &Session,
    totals: &[WorkTotals],
    launches: &Launches,
) -> Vec<LaunchDevice> {
    let of_device = |device| {
        let own = launches.of(device);
        let latency = Latency::of(own.iter().filter_map(|launch| launch.latency_ps).collect());
        let queue = launches::queue(own)?;
        let all: i64 = totals
            .iter()
            .filter(|totals| totals.device == device && totals.stream.is_some())
            .flat_map(|totals| &totals.labels)
            .map(|(_, totals)| totals.occurrences)
            .saturating_sum();
        Some(LaunchDevice {
            device: session.device_title(device),
            launched: i64::try_from(own.len()).unwrap_or(i64::MAX),
            launched_ratio: own.len() as f64 / all.max(1) as f64,
            latency_mean_ps: latency.mean_ps,
            latency_p50_ps: latency.p50_ps,
            latency_p99_ps: latency.p99_ps,
            latency_max_ps: latency.max_ps,
            queue_mean: queue.mean,
            queue_most: queue.most,
            queue_most_at_ps: queue.most_at_ps,
            queue: queue.points,
        })
    };
    launches::devices(launches)
        .into_iter()
        .filter_map(of_device)
        .collect()
}

/// Kernel time by how it was attributed to ops.
pub(crate) fn attribution_shares(
    session: &Session,
    totals: &[WorkTotals],
) -> Vec<AttributionShare> {
    shares(session, totals, |label| label.kind == SliceKind::Kernel)
}
