//! `roofline`: arithmetic intensity vs. achieved rate, under the roofs of the chip.
//!
//! | Figure | Definition |
//! |---|---|
//! | roof | peak of compute, or intensity × peak of a memory; each peak names its source |
//! | ridge | peak of compute ÷ peak of the memory, FLOP per byte; to its left, the memory is the bound |
//! | intensity | FLOPs ÷ bytes, per memory and for all bytes |
//! | rates, bound by, of roofline | the same as in [`ops`](crate::views::ops), with the same work |
//! | op | work of all its executions ÷ its total time |
//! | program | Σ work of its ops ÷ Σ self time of its ops; excludes idle time |
//! | step | Σ work that starts in the step ÷ Σ of the step's time on its devices; both as means over its devices |
//! | total | Σ work ÷ Σ over devices of first to last work (with `--steps`: of the selected steps) |
//! | HFU | Σ (FLOPs of an operand type ÷ its peak) ÷ time: the share of the peak of compute |
//! | MFU | the same with the FLOPs that the model needs, or N ÷ (peak × time) with `--model-flops N` |
//! | average | Σ work of all steps ÷ Σ of their time: the mean step, as means over steps and devices |
//!
//! With several devices, rates of programs, steps and totals are per device, because times are summed
//! over devices too. `--idle exclude` uses busy time instead of elapsed time; `--infeed exclude`
//! leaves out the work and time of infeed and outfeed.

mod columns;
mod computing;
mod elapsed;
mod notes;
mod options;
mod points;
mod product;
mod report;
mod steps;
mod tables;
mod utilization;

pub(crate) use computing::{computing, while_computing};
pub(crate) use elapsed::elapsed;
use elapsed::elapsed_ps;
pub use options::{Choice, ModelFlops, RooflineOptions};
pub use report::{RooflineLevel, RooflinePeak, RooflineReport, RooflineRow};
use steps::is_feed;
use stepscope_model::{MemoryLevel, Reads, SaturatingSum as _, Session};
pub(crate) use utilization::{Utilization, utilization};

use crate::asking::group::Group;
use crate::asking::order;
use crate::asking::{Analysis, AnalysisError};
use crate::measuring::selection::Selected;
use crate::measuring::totals::work_totals;
use crate::views::ops::{
    GroupBy, Measured, Peaks, Work, common_peaks, measured, unknown_flops_ratio,
};

/// The `roofline` analysis.
pub struct Roofline;

impl Analysis for Roofline {
    const NAME: &'static str = "roofline";
    const ALIASES: &'static [&'static str] = &["roofline_model"];
    const SUMMARY: &'static str =
        "Arithmetic intensity and achieved rates, compared with the peaks of compute and memory";
    const GROUP: Group = Group::Compute;
    const READS: Reads = Reads::Devices;
    const EXAMPLES: &'static str = "\
# Every op under the roofs, and the peaks with their sources
stepscope roofline ./logs
# How near the steps come, without idle time
stepscope roofline ./logs --idle exclude
# MFU of a model with 8 billion parameters and 2^20 tokens per step
stepscope roofline ./logs --model-flops 5.03e16
# Ops that use their bound least, those of 1 % of the time and more first
stepscope roofline ./logs --sort -roofline_ratio --limit 20";
    type Options = RooflineOptions;
    type Report = RooflineReport;

    fn run(session: &Session, options: &RooflineOptions) -> Result<RooflineReport, AnalysisError> {
        options.model.checked()?;
        let selected = options.selection.resolve(session)?;
        let totals = work_totals(session, &selected);
        let mut ops = measured(session, &selected, &totals, GroupBy::Op);
        if options.infeed == Choice::Exclude {
            ops.retain(|op| !is_feed(&op.row.category));
        }
        let peaks = common_peaks(session, &selected.main_devices);
        let mut scopes = totals_and_programs(session, &selected, options, &ops, &peaks);
        scopes.extend(steps::steps(session, &selected, options, &ops, &peaks));
        let total_self_ps: i64 = ops.iter().map(|op| op.row.self_ps).saturating_sum();
        let mut rows: Vec<RooflineRow> = ops
            .iter()
            .map(|op| points::op(op, &common_peaks(session, &op.devices), total_self_ps))
            .collect();
        let peak_rows = points::peaks(session, &selected.devices);
        let flops_unknown_ratio = unknown_flops_ratio(session, ops.iter());
        let notes = notes::notes(session, &selected, options, &ops, &rows);
        let row_count = order::arrange(&mut rows, &options.selection, columns::ROWS)?;
        Ok(RooflineReport {
            rows,
            row_count,
            scopes,
            peaks: peak_rows,
            levels: used_levels(&ops, &peaks),
            flops_unknown_ratio,
            notes,
        })
    }
}

/// Memories that have a peak or traffic.
fn used_levels(ops: &[Measured], peaks: &Peaks) -> Vec<String> {
    let has_traffic = |level: MemoryLevel| {
        let mut works = ops.iter().filter_map(|op| op.work.as_ref());
        works.any(|work| work.traffic.get(level) > 0.0)
    };
    MemoryLevel::ALL
        .iter()
        .filter(|level| peaks.levels[level.index()].is_some() || has_traffic(**level))
        .map(|level| level.name().to_owned())
        .collect()
}

/// The total, then programs, largest time first.
fn totals_and_programs(
    session: &Session,
    selected: &Selected<'_>,
    options: &RooflineOptions,
    ops: &[Measured],
    peaks: &Peaks,
) -> Vec<RooflineRow> {
    if ops.is_empty() {
        return Vec::new();
    }
    let feed_ps = feed_ps(session, selected, options);
    let elapsed_ps = elapsed_ps(session, selected, options.idle) - feed_ps;
    let mut total = points::total(ops, elapsed_ps.max(0), peaks);
    let steps = i64::try_from(selected.step_positions().len()).unwrap_or(i64::MAX);
    if steps > 0 {
        let works = ops.iter().filter_map(|op| op.work.as_ref());
        let work = works.fold(Work::default(), |mut sum, own| {
            sum.add(own);
            sum
        });
        points::state_model_flops(
            &mut total,
            options.model.model_flops,
            steps,
            peaks,
            Some(&work),
        );
    }
    let mut rows = vec![total];
    rows.extend(points::programs(session, ops));
    rows
}

/// Self time of infeed and outfeed if they are excluded.
fn feed_ps(session: &Session, selected: &Selected<'_>, options: &RooflineOptions) -> i64 {
    if options.infeed == Choice::Include {
        return 0;
    }
    let totals = work_totals(session, selected);
    let all = measured(session, selected, &totals, GroupBy::Op);
    let feeds = all.iter().filter(|op| is_feed(&op.row.category));
    feeds.map(|op| op.row.self_ps).saturating_sum()
}
