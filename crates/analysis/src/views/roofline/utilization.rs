//! HFU and MFU: how much of what the devices could compute they did.
//!
//! | Figure | Definition |
//! |---|---|
//! | HFU | Σ over operand types (FLOPs executed ÷ peak of the type) ÷ device time |
//! | MFU | the same with the FLOPs that the model needs: products alone, without rematerialized ones, those that a causal mask hides, and copies on other devices; or, with `--model-flops N`, N ÷ (peak × device time) |
//! | device time | Σ over devices of the selected steps; without steps, from first to last work |
//! | coverage | share of device time in ops whose FLOPs are known, or that compute nothing |
//!
//! FLOPs come from the HLO times executions, and from what the profile records. The FLOPs of opaque
//! custom calls are unknown and count as none, so both are bounds from below where the coverage is
//! incomplete.

use stepscope_model::Session;

use super::options::{Choice, ModelFlops, RooflineOptions};
use super::report::RooflineRow;
use super::steps::step_points;
use super::{elapsed, points};
use crate::measuring::selection::Selected;
use crate::telling::format;
use crate::views::ops::{Measured, Work, common_peaks, unknown_flops_ratio};

/// HFU and MFU of a selection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Utilization {
    /// FLOPs executed, at their peaks.
    pub(crate) hfu: Option<f64>,
    /// FLOPs that the model needs, at their peaks.
    pub(crate) mfu: Option<f64>,
    /// Share of device time in ops whose FLOPs are known, or that compute nothing.
    pub(crate) known_ratio: Option<f64>,
    /// Both by position in `Session::steps`.
    pub(crate) steps: Vec<(usize, Option<f64>, Option<f64>)>,
    /// The resource that bounds the work as a whole, as in `roofline`; empty if unknown.
    pub(crate) bound_by: String,
    /// Share of the peak of that resource, over the same time as both; absent if unknown.
    pub(crate) bound_ratio: Option<f64>,
    /// Formula with figures, or why they are unknown.
    pub(crate) derivation: String,
}

/// Measures both. `model_flops` are those of one step over all devices, if the user states them.
pub(crate) fn utilization(
    session: &Session,
    selected: &Selected<'_>,
    ops: &[Measured],
    model_flops: Option<f64>,
) -> Utilization {
    let unknown = |why: &str| Utilization {
        derivation: why.to_owned(),
        ..Utilization::default()
    };
    if ops.is_empty() {
        return unknown("No device recorded work.");
    }
    let peaks = common_peaks(session, &selected.main_devices);
    if peaks.flops.is_none() {
        return unknown("The peak of the chip is unknown, or the devices have different chips.");
    }
    if ops.iter().all(|op| op.row.flops.is_none()) {
        return unknown("The FLOPs of all ops are unknown.");
    }
    let options = RooflineOptions {
        model: ModelFlops { model_flops },
        ..RooflineOptions::default()
    };
    let points = step_points(session, selected, &options, ops, &peaks);
    let (row, work, steps) = if let Some(found) = points {
        let steps = found.steps.iter();
        let steps = steps.map(|(step, row)| (*step, row.compute_ratio, row.mfu_ratio));
        (found.mean, found.work, steps.collect())
    } else {
        let elapsed_ps = elapsed::elapsed_ps(session, selected, Choice::Include);
        let row = points::total(ops, elapsed_ps, &peaks);
        let mut work = Work::default();
        for own in ops.iter().filter_map(|op| op.work.as_ref()) {
            work.add(own);
        }
        (row, Some(work), Vec::new())
    };
    let known_ratio = 1.0 - unknown_flops_ratio(session, ops.iter());
    let effective = work.as_ref().and_then(|work| {
        let seconds = peaks
            .compute_seconds(work)
            .filter(|&seconds| seconds > 0.0)?;
        Some((work.products.total() + work.other_flops) / seconds)
    });
    let is_stated = model_flops.is_some() && !steps.is_empty();
    Utilization {
        hfu: row.compute_ratio,
        mfu: row.mfu_ratio,
        known_ratio: Some(known_ratio),
        derivation: derivation(
            &row,
            effective,
            known_ratio,
            is_stated.then_some(model_flops).flatten(),
        ),
        bound_ratio: bound_ratio(&row),
        bound_by: row.bound_by,
        steps,
    }
}

fn bound_ratio(row: &RooflineRow) -> Option<f64> {
    if row.bound_by == "compute" {
        return row.compute_ratio;
    }
    let mut levels = row.levels.iter();
    levels.find(|level| level.level == row.bound_by)?.ratio
}

/// `HFU = 1.1 PFLOP of the mean step ÷ (918.0 TFLOP/s × 2.12 ms of devices); …`
fn derivation(
    row: &RooflineRow,
    peak: Option<f64>,
    known_ratio: f64,
    stated: Option<f64>,
) -> String {
    let Some((flops, peak)) = row.flops.zip(peak) else {
        return "The FLOPs of all ops are unknown.".to_owned();
    };
    let whole = if row.kind == "average" {
        "in the mean step"
    } else {
        "from first to last work"
    };
    let model = stated.map_or_else(
        || needed(row, flops),
        |stated| format!("MFU counts the stated {}", format::rate(stated, "FLOP")),
    );
    format!(
        "HFU = {} executed {whole} ÷ ({} × {} of device time); {model}; ops with known FLOPs, or \
         without any, take {} of the work time.",
        format::rate(flops, "FLOP"),
        format::rate(peak, "FLOP/s"),
        format::duration_ps(row.total_ps as f64),
        format::percent(known_ratio),
    )
}

/// What MFU counts, and what it leaves out, as shares of what was executed.
fn needed(row: &RooflineRow, flops: f64) -> String {
    let needed = row.needed_flops.unwrap_or_default();
    let parts = [
        (row.recomputed_flops, "rematerialized"),
        (row.masked_flops, "behind a causal mask"),
        (row.copied_flops, "computed alike on other devices"),
    ];
    let known = parts.map(|(part, words)| (part.unwrap_or_default(), words));
    let products: f64 = needed + known.iter().map(|(part, _)| part).sum::<f64>();
    let rest = (flops - products, "outside matrix products and convolutions");
    let listed: Vec<String> = known
        .into_iter()
        .chain([rest])
        // Less than the smallest share that is shown.
        .filter(|(part, _)| *part > flops * 5e-4)
        .map(|(part, words)| format!("{} {words}", format::percent(part / flops.max(1.0))))
        .collect();
    let without = if listed.is_empty() {
        String::new()
    } else {
        format!(", without {}", listed.join(", "))
    };
    format!(
        "MFU counts the {} that the model needs{without}",
        format::rate(needed, "FLOP")
    )
}
