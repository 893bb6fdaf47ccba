//! What the figures of kernels do not cover.

use stepscope_model::{DeviceKind, Framework, SaturatingSum as _, Session};

use super::launches::Launches;
use super::report::KernelRow;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::launched_graphs;
use crate::telling::launched_graphs::CUDA_GRAPHS_OFF;
use crate::telling::recording;

pub(super) fn notes(
    session: &Session,
    rows: &[KernelRow],
    launches: &Launches,
    attributed_ratio: Option<f64>,
) -> Vec<Note> {
    if rows.is_empty() {
        return vec![no_kernels(session)];
    }
    let mut notes = Vec::new();
    notes.extend(attributed_ratio.and_then(|ratio| attribution(session, ratio)));
    notes.extend(launched_graphs::note(session));
    if rows.iter().all(|row| row.occupancy_source != "recorded") {
        let derived = rows.iter().any(|row| row.occupancy_source == "derived");
        notes.push(Note::info(
            "occupancy-missing",
            if derived {
            "The occupancy of kernels was not recorded; it is derived from their launch geometry \
             and the limits of the chip."
        } else {
            "The occupancy of kernels was not recorded, and neither were the registers needed to \
             derive it."
        }));
    }
    notes.extend(launch_notes(session, launches));
    let sum = |filter: fn(&&KernelRow) -> bool| -> i64 {
        rows.iter()
            .filter(filter)
            .map(|row| row.total_ps)
            .saturating_sum()
    };
    let (untold, all) = (
        sum(|row| row.matrix_unit == "unknown"),
        sum(|_| true).max(1),
    );
    if untold > all / 10 {
        let why = if session.programs.is_empty() {
            "."
        } else {
            ", because XLA names the kernel of a fusion after the fusion."
        };
        notes.push(Note::info(
            "matrix-units-unknown",
            format!(
                "For {} of kernel time, the kernel's name does not show whether it uses matrix \
             units{why}",
                format::percent(untold as f64 / all as f64)
            ),
        ));
    }
    notes
}

/// The share of kernel time that is attributed to an op, if not all of it is.
fn attribution(session: &Session, ratio: f64) -> Option<Note> {
    if ratio <= 0.0 {
        let text = "No kernel has an HLO op: only programs compiled by XLA have HLO ops.";
        return Some(Note::info("op-attribution", text));
    }
    let share = format::percent(ratio);
    let text =
        format!("{share} of kernel time is attributed to HLO ops; library kernels may have none");
    let note = if has_cuda_graphs(session) {
        Note::info(
            "op-attribution",
            format!("{text}, and neither may kernels in CUDA graphs."),
        )
        .with_hint(CUDA_GRAPHS_OFF)
    } else {
        Note::info("op-attribution", format!("{text}."))
    };
    (ratio < 0.9995).then_some(note)
}

/// Whether kernels may have been launched by CUDA graphs.
pub(crate) fn has_cuda_graphs(session: &Session) -> bool {
    let mut devices = session.devices.iter();
    // The flag in the hint is XLA's.
    session.framework() != Framework::PyTorch
        && devices.any(|device| device.kind == DeviceKind::NvidiaGpu)
}

fn launch_notes(session: &Session, launches: &Launches) -> Vec<Note> {
    if launches.all.is_empty() {
        return vec![
            Note::info(
                "launches-missing",
                "The profile does not record which host calls launched the kernels, so launch \
                 latencies and the queue are unknown.",
            )
            .with_code(recording::host_threads(session)),
        ];
    }
    let count = i64::try_from(launches.ahead_count).unwrap_or(i64::MAX);
    if count == 0 {
        return Vec::new();
    }
    vec![Note::warning(
        "clocks-disagree",
        format!(
            "{} started before the launching call, so the clocks of host and device disagree; no latency \
         is shown for these.",
            format::counted(count, "kernel")
        ),
    )]
}

fn no_kernels(session: &Session) -> Note {
    let has_gpu = session.devices.iter().any(|device| device.kind.is_gpu());
    let mut kinds: Vec<_> = session.devices.iter().map(|device| device.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let kinds: Vec<&str> = kinds.into_iter().map(DeviceKind::name).collect();
    let note = match (has_gpu, kinds.as_slice()) {
        (true, _) => {
            return Note::warning("no-kernel", "No kernel was recorded in this selection.");
        }
        (false, []) => Note::info(
            "no-devices",
            "The profile has no devices, so there are no kernels.",
        ),
        (false, kinds) => Note::info(
            "no-kernels-on-device",
            format!(
                "Kernels exist on GPUs only; {} records the execution of HLO ops instead.",
                kinds.join(" and ")
            ),
        ),
    };
    note.with_hint("`stepscope ops PATH` shows them")
}
