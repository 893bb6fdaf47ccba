//! What the tree of ops does not say by itself.

use stepscope_model::{DeviceKind, SaturatingSum as _, Session};

use super::{OpTreeOptions, TreeBy};
use crate::measuring::selection::Selected;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::recording;
use crate::views::ops::{Measured, is_async_half, unknown_flops_note};
use crate::views::roofline::Choice;

pub(super) fn notes(
    session: &Session,
    selected: &Selected<'_>,
    options: &OpTreeOptions,
    ops: &[Measured],
) -> Vec<Note> {
    if ops.is_empty() {
        return vec![Note::warning(
            "No device work was recorded in this selection, so there is no tree to show.",
        )];
    }
    let mut notes = Vec::new();
    let devices = || {
        selected
            .devices
            .iter()
            .map(|&device| session.device(device))
    };
    if devices().any(|device| device.kind == DeviceKind::Cpu) {
        notes.push(Note::info(
            "The peaks of a CPU are in no profile of it, so its ops have rates, and nothing is \
             known of what they waste.",
        ));
    }
    if devices().any(|device| device.kind.is_gpu()) && options.idle == Choice::Include {
        notes.push(Note::info(
            "Self times of streams that run at once are added, so ops and idle time together can \
             be longer than the devices' time.",
        ));
    }
    if !session.steps.is_empty() && selected.is_all_time() && options.idle == Choice::Include {
        notes.push(Note::info(
            "Idle time is that from a device's first to its last work, because ops outside of steps \
             stand here too; overview and idle count it from the first to the last step.",
        ));
    }
    notes.extend(times(ops));
    notes.extend(unknown_flops_note(session, ops.iter()));
    if options.by == TreeBy::Scope && ops.iter().all(|op| op.row.scope.is_empty()) {
        notes.push(
            Note::info("No op carries a name stack, so all stands under (no scope).")
                .with_code(recording::scope(session)),
        );
    }
    notes
}

/// Shares of time that have no rates, and why.
fn times(ops: &[Measured]) -> Vec<Note> {
    let sum = |filter: &dyn Fn(&&Measured) -> bool| -> i64 {
        ops.iter()
            .filter(filter)
            .map(|op| op.row.self_ps)
            .saturating_sum()
    };
    let all_ps = sum(&|_| true).max(1);
    let is_half = |op: &&Measured| is_async_half(&op.row.category);
    let waiting_ps = sum(&is_half);
    let unknown_ps = sum(&|op| op.roofline.flop_rate.is_none() && !is_half(op));
    let mut notes = Vec::new();
    if waiting_ps > all_ps / 1000 {
        notes.push(Note::info(format!(
            "{} of device time is spent in halves of asynchronous ops, waiting for transfers: all \
             of it counts as wasted, and neither half has rates.",
            format::percent(waiting_ps as f64 / all_ps as f64)
        )));
    }
    if unknown_ps > all_ps / 1000 {
        notes.push(Note::info(format!(
            "{} of device time is of ops whose work is not known: they have no HLO, call \
             opaque kernels, or control other ops.",
            format::percent(unknown_ps as f64 / all_ps as f64)
        )));
    }
    notes
}
