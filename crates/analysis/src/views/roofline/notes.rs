//! Notes on the points of a roofline.

use stepscope_model::{CostSource, DeviceKind, MemoryLevel, SaturatingSum as _, Session};

use super::report::RooflineRow;
use super::{Choice, RooflineOptions};
use crate::measuring::selection::Selected;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::no_device_work;
use crate::telling::recording;
use crate::views::ops::{Measured, unknown_flops_note};

pub(super) fn notes(
    session: &Session,
    selected: &Selected<'_>,
    options: &RooflineOptions,
    ops: &[Measured],
    rows: &[RooflineRow],
) -> Vec<Note> {
    if ops.is_empty() {
        return vec![no_device_work(selected, ", so there are no points to show")];
    }
    let mut notes = peak_notes(session, selected);
    notes.extend(coverage(ops));
    notes.extend(unknown_flops_note(session, ops.iter()));
    notes.extend(over_peak(rows));
    notes.extend(traffic(session, ops));
    if session.steps.is_empty() {
        notes.push(
            Note::info(
                "steps-missing",
                "The profile has no steps, so only ops and programs have points.",
            )
            .with_code(recording::steps(session)),
        );
    }
    if selected.devices.len() > 1 {
        notes.push(Note::info(
            "summed-over-devices",
            "Times of the total and of programs are summed over devices, those of steps are means over \
             devices, so rates are \
             per device.",
        ));
    }
    if !session.steps.is_empty() && selected.is_all_time() && options.idle == Choice::Include {
        notes.push(Note::info(
            "total-window",
            "The total covers the time from each device's first to its last work, including outside steps.",
        ));
    }
    if options.idle == Choice::Exclude {
        notes.push(Note::info(
            "idle-excluded",
            "Steps and the total exclude idle time of devices.",
        ));
    }
    if options.infeed == Choice::Exclude {
        notes.push(Note::info(
            "infeed-excluded",
            "Work and time of infeed and outfeed are excluded.",
        ));
    }
    notes
}

fn peak_notes(session: &Session, selected: &Selected<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    let devices = || {
        selected
            .devices
            .iter()
            .map(|&device| session.device(device))
    };
    if devices().any(|device| device.kind == DeviceKind::Cpu) {
        notes.push(Note::info(
            "peaks-unknown",
            "Profiles of XLA:CPU do not record the peaks of the CPU, so points show achieved rates \
             without roofs, and their bound is unknown.",
        ));
    }
    let mut chips: Vec<&str> = devices().map(|device| device.chip.name.as_str()).collect();
    chips.sort_unstable();
    chips.dedup();
    if chips.len() > 1 {
        notes.push(
            Note::warning(
                "several-chips",
                format!(
                "The selected devices have {} different chip models, so work across them has no \
                 common roof.",
                chips.len()
            ))
            .with_hint("Select devices of one model with `--device`."),
        );
    }
    notes
}

/// How much of the device time has known work.
fn coverage(ops: &[Measured]) -> Option<Note> {
    let sum = |filter: fn(&&Measured) -> bool| -> i64 {
        ops.iter()
            .filter(filter)
            .map(|op| op.row.self_ps)
            .saturating_sum()
    };
    let (rated, all) = (sum(|op| op.roofline.flop_rate.is_some()), sum(|_| true));
    if all == 0 || rated == all {
        return None;
    }
    if rated == 0 {
        return Some(Note::info(
            "work-unknown",
            "The work of every op is unknown: ops have no HLO, call opaque kernels, control other \
             ops, or wait for an asynchronous one.",
        ));
    }
    let share = format::percent(rated as f64 / all as f64);
    Some(Note::info(
        "work-unknown",
        format!(
            "{share} of device time is in ops whose work is known; the rest has no HLO, calls \
         opaque kernels, controls other ops, or waits for an asynchronous one.",
        ),
    ))
}

/// ` of its peak of compute (f32 as tf32)`, ` of its peak of memory`.
fn of_roof(row: &RooflineRow) -> String {
    if row.bound_by == "compute" && !row.operand_type.is_empty() {
        return format!(" of its peak of compute ({})", row.operand_type);
    }
    format!(" of its peak of {}", row.bound_by)
}

fn over_peak(rows: &[RooflineRow]) -> Option<Note> {
    let over: Vec<&RooflineRow> = rows.iter().filter(|row| row.is_over_peak).collect();
    let first = over.first()?;
    let ratio = first.roofline_ratio.unwrap_or_default();
    Some(Note::warning(
        "above-roofline",
        format!(
            "{} above a peak and shown as measured, such as {} at {}{}: cached bytes count as device \
         memory traffic, skipped work counts as done, products are computed in a narrower type than \
         the HLO has, or the peak is that of another chip or clock.",
            format::counted(i64::try_from(over.len()).unwrap_or(i64::MAX), "op"),
            first.name,
            format::percent(ratio),
            of_roof(first),
        ),
    ))
}

/// A note if bytes are not known per memory.
fn traffic(session: &Session, ops: &[Measured]) -> Option<Note> {
    let works = || {
        ops.iter()
            .filter_map(|op| Some((op.op?, op.work.as_ref()?)))
    };
    let has_on_chip = works().any(|(_, work)| {
        let mut levels = MemoryLevel::ALL.iter().skip(1);
        levels.any(|&level| work.traffic.get(level) > 0.0)
    });
    let has_roof = session
        .devices
        .iter()
        .any(|device| !device.chip.on_chip.is_empty());
    if has_on_chip || !has_roof {
        return None;
    }
    let is_recorded = works().any(|(op, _)| {
        session
            .op(op)
            .cost
            .is_some_and(|cost| cost.source == CostSource::Recorded)
    });
    let why = if is_recorded {
        "the profile records only the traffic of device memory"
    } else {
        "work computed from the HLO does not distinguish memories"
    };
    Some(Note::info(
        "memory-roofs",
        format!("Roofs of on-chip memories have no separate points: {why}."),
    ))
}
