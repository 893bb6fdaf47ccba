//! What the points of a roofline do not say by themselves.

use stepscope_model::{CostSource, DeviceKind, MemoryLevel, SaturatingSum as _, Session};

use super::report::RooflineRow;
use super::{Choice, RooflineOptions};
use crate::measuring::selection::Selected;
use crate::telling::Note;
use crate::telling::format;
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
        return vec![Note::warning(
            "No device work was recorded in this selection, so there is no point to show.",
        )];
    }
    let mut notes = peak_notes(session, selected);
    notes.extend(coverage(ops));
    notes.extend(unknown_flops_note(session, ops.iter()));
    notes.extend(over_peak(rows));
    notes.extend(traffic(session, ops));
    if session.steps.is_empty() {
        notes.push(
            Note::info("The profile has no steps, so there are points of ops and programs only.")
                .with_code(recording::steps(session)),
        );
    }
    if selected.devices.len() > 1 {
        notes.push(Note::info(
            "Times of the total, of programs and of steps are sums over devices, so that rates are \
             those of one device.",
        ));
    }
    if !session.steps.is_empty() && selected.is_all_time() && options.idle == Choice::Include {
        notes.push(Note::info(
            "The total is over the time from each device's first to its last work, steps or not.",
        ));
    }
    if options.idle == Choice::Exclude {
        notes.push(Note::info(
            "Idle time of devices is left out of steps and of the total.",
        ));
    }
    if options.infeed == Choice::Exclude {
        notes.push(Note::info(
            "Infeed and outfeed are left out, their work and their time.",
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
            "The peaks of a CPU are in no profile of it, so points are drawn at the rates they \
             achieved, without roofs, and nothing is said of what bounds them.",
        ));
    }
    let mut chips: Vec<&str> = devices().map(|device| device.chip.name.as_str()).collect();
    chips.sort_unstable();
    chips.dedup();
    if chips.len() > 1 {
        notes.push(
            Note::warning(format!(
                "The selected devices are of {} models: work of several of them has no common \
                 roof.",
                chips.len()
            ))
            .with_hint("Select devices of one model with `--device`."),
        );
    }
    notes
}

/// How much of the time has known work.
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
            "The work of no op is known: they have no HLO, call opaque kernels, control other ops, or \
             wait for an asynchronous one.",
        ));
    }
    let share = format::percent(rated as f64 / all as f64);
    Some(Note::info(format!(
        "{share} of device time is of ops whose work is known; the rest has no HLO, calls \
         opaque kernels, controls other ops, or waits for an asynchronous one.",
    )))
}

fn over_peak(rows: &[RooflineRow]) -> Option<Note> {
    let over: Vec<&RooflineRow> = rows.iter().filter(|row| row.is_over_peak).collect();
    let first = over.first()?;
    let ratio = first.roofline_ratio.unwrap_or_default();
    Some(Note::warning(format!(
        "{} above a peak and shown as measured, {} first at {}: bytes that stay in a cache count as \
         device memory, work that is skipped counts as done, or the peak is not this chip's.",
        format::counted(i64::try_from(over.len()).unwrap_or(i64::MAX), "op"),
        first.name,
        format::percent(ratio),
    )))
}

/// Whether bytes are told apart by memory.
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
        "the profile records traffic with device memory only"
    } else {
        "work computed from the HLO does not tell memories apart"
    };
    Some(Note::info(format!(
        "Roofs of memories on the chip have no points of their own: {why}.",
    )))
}
