//! Notes on missing counters, and how to record them.

use stepscope_model::{DeviceKind, Framework, Lane, Session, TrackRole};

use super::report::{CounterRow, UtilizationRow};
use crate::telling::Note;
use crate::telling::format;

pub(super) fn notes(
    session: &Session,
    rows: &[CounterRow],
    utilization: &[UtilizationRow],
) -> Vec<Note> {
    let mut notes = Vec::new();
    if rows.is_empty() {
        let has_any = session.tracks.iter().any(|track| track.samples.is_some());
        if has_any {
            return vec![Note::warning(
                "no-counters-selected",
                "No counters in this selection.",
            )];
        }
        let bare = without_values(session);
        if bare > 0 {
            let events = format::counted(bare, "event");
            return vec![Note::warning(
                "counters-without-values",
                format!("The profile has {events} on counter tracks, but none has a value."),
            )];
        }
        notes.push(Note::info(
            "no-counters",
            "The profile has no counters: none were requested, or the device has none.",
        ));
        notes.extend(how_to_record(session));
        return notes;
    }
    let unnamed = rows
        .iter()
        .filter(|row| row.name.starts_with("counter "))
        .count();
    if unnamed > 0 {
        let count = i64::try_from(unnamed).unwrap_or(i64::MAX);
        notes.push(Note::info(
            "counters-unnamed",
            format!(
                "{} recorded without a name, shown by number.",
                format::counted(count, "register")
            ),
        ));
    }
    let has_registers = rows.iter().any(|row| !row.register.is_empty());
    if has_registers && utilization.is_empty() {
        notes.push(Note::info(
            "counters-without-utilization",
            "These registers give no utilization: the cycles of the core are missing, or the names are \
             not those of a TPU v6e or v7x.",
        ));
    }
    let over = utilization
        .iter()
        .find(|row| row.ratio.is_some_and(|ratio| ratio > 1.0005));
    if let Some(over) = over {
        notes.push(Note::warning(
            "counters-above-limit",
            format!(
                "{} of {} is above its limit; shown as counted. Source of the limit: {}.",
                over.name, over.unit, over.peak_source
            ),
        ));
    }
    notes
}

/// Number of slices on counter tracks.
fn without_values(session: &Session) -> usize {
    let tracks = session.tracks.iter();
    let rows = tracks.filter(|track| track.role == TrackRole::Counter);
    rows.flat_map(|track| &track.lanes).map(Lane::len).sum()
}

/// How to record counters, for each kind of device in the profile.
fn how_to_record(session: &Session) -> Vec<Note> {
    let mut kinds: Vec<DeviceKind> = session.devices.iter().map(|device| device.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let is_jax = session.framework() == Framework::Jax;
    let options = |text: &str| {
        let text = if is_jax { text } else { "" };
        text.to_owned()
    };
    let advice = |kind: &DeviceKind| {
        Some(match kind {
            DeviceKind::Tpu | DeviceKind::SparseCore => Note::info(
                "record-counters",
                "The TPU profiler records registers around kernels if its performance counters are \
                 enabled.",
            )
            .with_code(options(
                "options = jax.profiler.ProfileOptions()\noptions.advanced_configuration = \
                 {\"tpu_perf_counters\": True}",
            )),
            DeviceKind::NvidiaGpu => Note::info(
                "record-counters",
                "The NVIDIA profiler samples performance monitors during the trace if metrics are \
                 specified.",
            )
            .with_code(options(
                "options = jax.profiler.ProfileOptions()\noptions.advanced_configuration = \
                 {\"gpu_pm_sample_counters\": \"sm__cycles_active.avg,dram__bytes.sum\"}",
            )),
            DeviceKind::AmdGpu => Note::info(
                "record-counters",
                "Profiles of AMD GPUs contain no counters; rocprofv3 records them separately.",
            )
            .with_code("rocprofv3 --pmc SQ_WAVES -- python train.py"),
            DeviceKind::Cpu => Note::info(
                "record-counters",
                "XLA:CPU records no counters; perf reads those of the processor.",
            )
            .with_code("perf stat -e cycles,instructions,cache-misses python train.py"),
            DeviceKind::OtherGpu | DeviceKind::Custom => return None,
        })
    };
    kinds.iter().filter_map(advice).collect()
}
