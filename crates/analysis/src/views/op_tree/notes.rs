//! Notes on the tree of ops.

use stepscope_model::{DeviceKind, SaturatingSum as _, Session};

use super::{OpTreeOptions, TreeBy};
use crate::measuring::selection::Selected;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::no_device_work;
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
        return vec![no_device_work(selected, ", so there is no tree to show")];
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
            "peaks-unknown",
            "Profiles of XLA:CPU do not record the peaks of the CPU, so ops have rates, but wasted \
             time is unknown.",
        ));
    }
    if devices().any(|device| device.kind.is_gpu()) && options.idle == Choice::Include {
        notes.push(Note::info(
            "concurrent-streams",
            "Self times of concurrent streams are added up, so the sum of ops and idle time can \
             exceed the elapsed time of the devices.",
        ));
    }
    if !session.steps.is_empty() && selected.is_all_time() && options.idle == Choice::Include {
        notes.push(Note::info(
            "idle-window",
            "Idle time is counted from a device's first to its last work, because ops outside of \
             steps are included; `overview` and `idle` count it from the first to the last step.",
        ));
    }
    notes.extend(times(ops));
    notes.extend(unknown_flops_note(session, ops.iter()));
    if options.by == TreeBy::Scope && ops.iter().all(|op| op.row.scope.is_empty()) {
        notes.push(
            Note::info(
                "scopes-missing",
                "No op has a name stack, so everything is listed under (no scope).",
            )
            .with_code(recording::scope(session)),
        );
    }
    notes
}

/// Shares of device time without rates, and why.
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
        notes.push(Note::info(
            "async-halves",
            format!(
            "{} of device time is spent in the halves of asynchronous ops, waiting for transfers. \
             All of it counts as wasted, and the halves have no rates.",
            format::percent(waiting_ps as f64 / all_ps as f64)
        )));
    }
    if unknown_ps > all_ps / 1000 {
        notes.push(Note::info(
            "work-unknown",
            format!(
                "{} of device time is in ops whose work is unknown: they have no HLO, call \
             opaque kernels, or control other ops.",
                format::percent(unknown_ps as f64 / all_ps as f64)
            ),
        ));
    }
    notes
}
