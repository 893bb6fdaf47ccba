//! What the overview does not cover, what was repaired, and what to record next time.

use stepscope_model::{Alike, Session, WarningKind, alike};

use crate::asking::selection::Selection;
use crate::measuring::busy::{self, DeviceBusy};
use crate::measuring::selection::Selected;
use crate::measuring::steps::StepParts;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::steps::step_notes;
use crate::views::ops::OpsReport;

/// What a selection of programs or names leaves as it is.
pub(super) fn of_selection(selection: &Selection) -> Option<Note> {
    (selection.program.is_some() || selection.pattern.is_some()).then(|| {
        Note::info(
            "overview-of-all",
            "Only the top ops are those of the selected programs and names; all other figures are of \
             all work.",
        )
    })
}

pub(super) fn notes(
    session: &Session,
    selected: &Selected<'_>,
    devices: &[DeviceBusy],
    ops: &OpsReport,
    parts: &[StepParts],
) -> Vec<Note> {
    let mut notes: Vec<Note> = alike(&session.warnings).iter().map(warning).collect();
    notes.extend(step_notes(session, Some(selected)));
    notes.extend(idle_devices(devices));
    notes.extend(outside_of_steps(devices, parts));
    if parts.iter().any(|row| row.device.is_none()) {
        notes.push(Note::warning(
            "steps-of-host",
            "On hosts that recorded no device work, steps are divided by what the host did.",
        ));
    }
    notes.extend(ops.notes.iter().cloned());
    // Warnings come first; otherwise the order is kept.
    notes.sort_by_key(|note| note.kind);
    notes
}

fn warning(alike: &Alike<'_>) -> Note {
    let (warning, text) = (alike.first, alike.text());
    let note = match warning.kind {
        WarningKind::Unread => Note::warning("host-unread", text),
        WarningKind::Damaged => Note::warning("data-damaged", text),
        WarningKind::Truncated => Note::warning("data-truncated", text),
        WarningKind::Recorder => Note::warning("recorder-problem", text),
        WarningKind::Repaired => Note::info("data-repaired", text),
        WarningKind::Missing => Note::info("data-missing", text),
    };
    note.with_hint(warning.hint.clone())
}

fn idle_devices(devices: &[DeviceBusy]) -> Option<Note> {
    let idle: Vec<&str> = devices
        .iter()
        .filter(|device| device.busy_ratio.is_none())
        .map(|device| device.device.as_str())
        .collect();
    if idle.is_empty() || idle.len() == devices.len() {
        return None;
    }
    let share = format::counted(idle.len(), "device");
    Some(Note::warning(
        "devices-without-work",
        format!(
            "{share} of {} recorded no work in the observed time and are excluded from means: {}.",
            devices.len(),
            idle.join(", ")
        ),
    ))
}

/// Devices that work, but in no step: the steps, and thus the busy share, are those of the others.
fn outside_of_steps(devices: &[DeviceBusy], parts: &[StepParts]) -> Option<Note> {
    let counted = busy::counted(devices, parts);
    let working = busy::counted(devices, &[]).into_iter();
    let is_left_out = |device: &&DeviceBusy| {
        let mut counted = counted.iter();
        counted.all(|other| other.device_index != device.device_index)
    };
    let left_out: Vec<&str> = working
        .filter(is_left_out)
        .map(|device| device.device.as_str())
        .collect();
    (!left_out.is_empty()).then(|| {
        Note::info(
            "devices-outside-of-steps",
            format!(
                "Excluded from means, as in `idle`, because they did no work in the steps: {}.",
                left_out.join(", ")
            ),
        )
    })
}
