//! What is not among the counters, and how to record it.

use stepscope_model::{DeviceKind, Framework, Lane, Session, TrackRole};

use super::report::{CounterRow, UtilisationRow};
use crate::telling::Note;
use crate::telling::format;

pub(super) fn notes(
    session: &Session,
    rows: &[CounterRow],
    utilisation: &[UtilisationRow],
) -> Vec<Note> {
    let mut notes = Vec::new();
    if rows.is_empty() {
        let has_any = session.tracks.iter().any(|track| track.samples.is_some());
        if has_any {
            return vec![Note::warning("No counter is in this selection.")];
        }
        let bare = without_values(session);
        if bare > 0 {
            let events = format::counted(bare, "event");
            return vec![Note::warning(format!(
                "The profile has {events} on rows of counters, and no value with any of them."
            ))];
        }
        notes.push(Note::info(
            "The profile has no counters: none were asked for, or the device has none.",
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
        notes.push(Note::info(format!(
            "{} recorded by number only and shown so.",
            format::counted(count, "register")
        )));
    }
    let has_registers = rows.iter().any(|row| !row.register.is_empty());
    if has_registers && utilisation.is_empty() {
        notes.push(Note::info(
            "No ratio follows from these registers: the cycles of the core are not among them, or \
             their names are not those of a TPU v6e or v7x.",
        ));
    }
    let over = utilisation
        .iter()
        .find(|row| row.ratio.is_some_and(|ratio| ratio > 1.0005));
    if let Some(over) = over {
        notes.push(Note::warning(format!(
            "{} of {} is above its peak and shown as counted: {}.",
            over.name, over.unit, over.peak_source
        )));
    }
    notes
}

/// Slices on rows of counters.
fn without_values(session: &Session) -> usize {
    let tracks = session.tracks.iter();
    let rows = tracks.filter(|track| track.role == TrackRole::Counter);
    rows.flat_map(|track| &track.lanes).map(Lane::len).sum()
}

/// What to do, for each kind of device in the profile.
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
                "A TPU's profiler records registers around kernels when its performance counters \
                 are switched on.",
            )
            .with_code(options(
                "options = jax.profiler.ProfileOptions()\noptions.advanced_configuration = \
                 {\"tpu_perf_counters\": True}",
            )),
            DeviceKind::NvidiaGpu => Note::info(
                "NVIDIA's profiler samples performance monitors while the trace is on, if metrics \
                 are named.",
            )
            .with_code(options(
                "options = jax.profiler.ProfileOptions()\noptions.advanced_configuration = \
                 {\"gpu_pm_sample_counters\": \"sm__cycles_active.avg,dram__bytes.sum\"}",
            )),
            DeviceKind::AmdGpu => Note::info(
                "Profiles of AMD GPUs carry no counters; rocprofv3 records them beside the program.",
            )
            .with_code("rocprofv3 --pmc SQ_WAVES -- python train.py"),
            DeviceKind::Cpu => {
                Note::info("XLA:CPU records no counters; the processor's are read by perf.")
                    .with_code("perf stat -e cycles,instructions,cache-misses python train.py")
            }
            DeviceKind::OtherGpu | DeviceKind::Custom => return None,
        })
    };
    kinds.iter().filter_map(advice).collect()
}
