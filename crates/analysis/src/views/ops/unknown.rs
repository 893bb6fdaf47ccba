//! Time of ops that compute but whose FLOPs are unknown.
//!
//! Figures of FLOPs leave these ops out, so each is shown with this share. Ops that compute nothing
//! (copies, communication, memsets) do not count as unknown, and neither do control ops and ends of
//! asynchronous ops, whose work is counted elsewhere.

use stepscope_model::{Class, DeviceKind, Session};

use super::row::{Measured, is_async_half};
use crate::telling::Note;
use crate::telling::format;

/// Shares below this are not mentioned.
const LEAST_SHARE: f64 = 0.000_5;

/// With a larger share of work of unknown operations, rates that count them as none say little.
pub(crate) const MOST_UNKNOWN: f64 = 0.2;

/// Σ self time of computing ops without known FLOPs ÷ Σ self time of all ops, 0..1.
pub(crate) fn unknown_flops_ratio<'a>(
    session: &Session,
    ops: impl Iterator<Item = &'a Measured>,
) -> f64 {
    let (mut unknown_ps, mut all_ps) = (0i64, 0i64);
    for op in ops {
        all_ps = all_ps.saturating_add(op.row.self_ps);
        if is_unknown(session, op) {
            unknown_ps = unknown_ps.saturating_add(op.row.self_ps);
        }
    }
    unknown_ps as f64 / all_ps.max(1) as f64
}

fn is_unknown(session: &Session, op: &Measured) -> bool {
    let computes_nothing = [Class::Copy, Class::Collective]
        .iter()
        .any(|class| class.name() == op.row.class);
    op.row.flops.is_none()
        && !computes_nothing
        && op.row.category != "transfer"
        && !is_async_half(&op.row.category)
        && !op.op.is_some_and(|id| session.op(id).is_control)
}

/// Text to append to a line with a figure of FLOPs; empty if all FLOPs are known.
pub(crate) fn beside(unknown_ratio: f64) -> String {
    if unknown_ratio < LEAST_SHARE {
        return String::new();
    }
    let share = format::percent(unknown_ratio);
    format!("; {share} of device time has no known FLOPs")
}

/// The same as a note; none if no op has FLOPs.
pub(crate) fn unknown_flops_note<'a>(
    session: &Session,
    ops: impl Iterator<Item = &'a Measured> + Clone,
) -> Option<Note> {
    let ratio = unknown_flops_ratio(session, ops.clone());
    // If no op has FLOPs, no figure needs this note.
    let has_flops = ops.clone().any(|op| op.row.flops.is_some());
    if ratio < LEAST_SHARE || !has_flops {
        return None;
    }
    let note = Note::info(
        "flops-unknown",
        format!(
            "{} of device time is in ops whose FLOPs are unknown. These ops have no FLOP rate and are \
         excluded from the rates of steps, programs and the total.",
            format::percent(ratio)
        ),
    );
    let mut unknown = ops.filter(|op| is_unknown(session, op));
    // Pallas compiles kernels for accelerators; calls of Python have no FLOPs anyone declares.
    let is_kernel =
        |op: &Measured| op.row.category.starts_with("custom") && !op.row.scope.contains("callback");
    let is_accelerated = session
        .devices
        .iter()
        .any(|one| one.kind != DeviceKind::Cpu);
    let has_calls = is_accelerated && unknown.any(is_kernel);
    Some(if has_calls {
        note.with_hint(
            "A Pallas kernel declares its cost with `pallas_call(…, cost_estimate=\
             pl.CostEstimate(flops=…, transcendentals=…, bytes_accessed=…))`.",
        )
    } else {
        note
    })
}
