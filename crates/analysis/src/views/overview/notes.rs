//! What the overview does not cover, what was repaired, and what to record next time.

use stepscope_model::{Alike, Session, WarningKind, alike};

use crate::asking::selection::Selection;
use crate::measuring::busy::{self, DeviceBusy, Excluded};
use crate::measuring::selection::Selected;
use crate::measuring::steps::StepParts;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::steps::step_notes;
use crate::telling::unknown_copies;
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
    notes.extend(excluded(session, devices, parts));
    notes.extend(unknown_copies(session, selected));
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

/// Devices that means exclude: those that never worked, and those that worked, but in no step, so that the
/// steps, and thus the busy share, are those of the others.
fn excluded(session: &Session, devices: &[DeviceBusy], parts: &[StepParts]) -> Vec<Note> {
    let Excluded {
        beside,
        outside,
        never,
    } = busy::excluded(session, devices, parts);
    let names = |devices: &[&DeviceBusy]| {
        let names = devices.iter().map(|device| device.device.as_str());
        names.collect::<Vec<&str>>().join(", ")
    };
    let mut notes = Vec::new();
    if !never.is_empty() && never.len() < devices.len() {
        let share = format::counted(never.len(), "device");
        notes.push(Note::warning(
            "devices-without-work",
            format!(
                "{share} of {} recorded no work and {} excluded from means: {}.",
                devices.len(),
                if never.len() == 1 { "is" } else { "are" },
                names(&never)
            ),
        ));
    }
    if !beside.is_empty() {
        notes.push(Note::info(
            "devices-beside-steps",
            format!(
                "Excluded from means, as in `idle`, because they ran nothing of a step, though they worked \
                 meanwhile: {}.",
                names(&beside)
            ),
        ));
    }
    if !outside.is_empty() {
        let time = observed(parts);
        notes.push(Note::info(
            "devices-outside-of-steps",
            format!(
                "Excluded from means, as in `idle`, because they worked only outside of {time}: {}.",
                names(&outside)
            ),
        ));
    }
    notes
}

/// The time that figures of devices are about, in words.
fn observed(parts: &[StepParts]) -> &'static str {
    if parts.iter().any(|row| row.device.is_some()) {
        "the steps"
    } else {
        "the observed time"
    }
}
