//! What the figures of `collectives` rest on.

use stepscope_model::DeviceKind;

use super::Evidence;
use super::report::CollectiveRow;
use crate::format;
use crate::note::Note;
use crate::selection::Selected;

pub(super) fn notes(
    evidence: &Evidence<'_>,
    rows: &[CollectiveRow],
    selected: &Selected<'_>,
) -> Vec<Note> {
    if rows.is_empty() {
        return vec![nothing(evidence, selected)];
    }
    let mut notes = Vec::new();
    notes.extend(unmatched(evidence, rows));
    notes.extend(guessed(evidence));
    notes.extend(clocks(evidence));
    let unsized_count = rows.iter().filter(|row| row.bytes.is_none()).count();
    if unsized_count > 0 {
        notes.push(
            Note::info(format!(
                "{} without a size: the profile does not hold their programs, so bytes and \
                 bandwidths are unknown.",
                format::counted(unsized_count, "collective")
            ))
            .with_hint("Programs are recorded by default; keep `enable_hlo_proto` on."),
        );
        if selected.devices.len() > 2 {
            notes.push(Note::warning(
                "Without their programs it is not known which devices exchange with each other: all \
                 are taken for one group, and waiting is told too long where groups are smaller.",
            ));
        }
    }
    let is_cpu = selected
        .devices
        .iter()
        .all(|&device| evidence.session.device(device).kind == DeviceKind::Cpu);
    if is_cpu {
        notes.push(Note::info(
            "XLA:CPU moves data through the memory of the host, or over the network between \
             processes; its bandwidths say nothing of an accelerator's links.",
        ));
    }
    notes
}

fn nothing(evidence: &Evidence<'_>, selected: &Selected<'_>) -> Note {
    let session = evidence.session;
    let working = selected.devices.iter().filter(|&&device| {
        let mut tracks = session.work_tracks(device);
        tracks.any(|(_, track)| track.slice_count() > 0)
    });
    let working = working.count();
    if !evidence.survey.ops.is_empty() {
        return Note::warning("No collective was executed in this selection.");
    }
    match working {
        0 => Note::warning("No device work was recorded in this selection."),
        1 => Note::info("The work ran on one device, which communicates with no other."),
        _ => Note::info(format!(
            "{working} devices worked, and no op or kernel of theirs communicates."
        )),
    }
}

/// How much could be matched over participants.
fn unmatched(evidence: &Evidence<'_>, rows: &[CollectiveRow]) -> Option<Note> {
    let occurrences: i64 = rows.iter().map(|row| row.occurrences).sum();
    let matched: i64 = rows.iter().map(|row| row.matched).sum();
    if matched == occurrences {
        return None;
    }
    let share = format::percent(matched as f64 / occurrences.max(1) as f64);
    let mut text = format!(
        "{share} of occurrences were matched with those of other participants; waiting is known of \
         these only."
    );
    if evidence.session.devices.len() == 1 || matched == 0 {
        text.push_str(" The other participants are not in the session.");
    }
    Some(Note::info(text).with_hint("Capture all hosts of the job at the same time."))
}

fn guessed(evidence: &Evidence<'_>) -> Option<Note> {
    let participants = &evidence.matched.participants;
    let is_guess = participants
        .iter()
        .any(|found| found.is_guess && !found.groups.is_empty());
    is_guess.then(|| {
        Note::info(
            "Which devices belong together was told by the order of hosts and devices, since the \
             profile does not say which ids its devices have.",
        )
    })
}

fn clocks(evidence: &Evidence<'_>) -> Option<Note> {
    let clocks = &evidence.clocks;
    if !clocks.has_any() {
        return None;
    }
    let worst = clocks
        .hosts
        .iter()
        .filter(|clock| clock.reference.is_some());
    let residual = worst.map(|clock| clock.residual_ps).fold(0.0, f64::max);
    Some(
        Note::info(format!(
            "Arrivals on different hosts are compared on clocks aligned by the ends of common \
             collectives, to within {} in the median; times shown are those recorded.",
            format::duration_ps(residual)
        ))
        .with_hint("stepscope hosts PATH shows the clocks"),
    )
}
