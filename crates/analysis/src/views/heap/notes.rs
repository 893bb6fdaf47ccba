//! Notes that accompany the figures of `heap`.

use stepscope_model::Session;

use super::HeapOptions;
use super::report::{HeapChange, HeapReport};
use super::select::Wanted;
use super::tally::Tally;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::recording;

pub(super) fn no_snapshot(session: &Session) -> Note {
    let note = Note::info("no-snapshot", "This capture has no memory snapshot.");
    match recording::memory_snapshot(session) {
        "" => note,
        line => note.with_hint(format!(
            "Save one to the run directory or its log directory: `{line}`"
        )),
    }
}

pub(super) fn notes(
    session: &Session,
    options: &HeapOptions,
    wanted: &Wanted,
    tally: &Tally,
    report: &HeapReport,
) -> Vec<Note> {
    let mut notes = Vec::new();
    let selection = &options.selection;
    let meaningless = [
        ("--steps", &selection.steps),
        ("--time", &selection.time),
        ("--host", &selection.host),
        ("--program", &selection.program),
    ];
    for (option, _) in meaningless.iter().filter(|(_, value)| value.is_some()) {
        notes.push(Note::info(
            "option-without-effect",
            format!("{option} has no effect: a snapshot shows one moment of one process."),
        ));
    }
    if report.rows.is_empty() && report.row_count == 0 {
        notes.push(Note::info(
            "nothing-alive",
            "Nothing in this selection was alive.",
        ));
        return notes;
    }
    notes.extend(folded(tally));
    notes.extend(compared(session, wanted, report));
    if report.tree.len() < report.tree_count {
        let (shown, all) = (report.tree.len(), report.tree_count);
        notes.push(Note::info(
            "tree-limited",
            format!("The tree has {all} nodes; the {shown} largest are shown."),
        ));
    }
    if report.total_bytes > 0 {
        notes.push(Note::info(
            "snapshot-scope",
            "A snapshot counts live arrays, each with the call that created it. It does not include \
             memory that a program needs only while it runs.",
        ));
    }
    notes
}

fn folded(tally: &Tally) -> Vec<Note> {
    let mut notes = Vec::new();
    let folded = tally.folded_frames.len();
    if folded > 0 {
        notes.push(
            Note::info(
                "frames-folded",
                format!(
                "{} of JAX, its libraries and Python {} folded, so that each stack ends in your \
                 code.",
                format::counted(folded, "frame"),
                if folded == 1 { "is" } else { "are" }
            ))
            .with_hint("`--internal` shows them"),
        );
    }
    if tally.foreign_stacks > 0 {
        notes.push(Note::info(
            "stacks-unfolded",
            format!(
                "{} no frame in your code and {} shown in full.",
                if tally.foreign_stacks == 1 {
                    "1 stack has".to_owned()
                } else {
                    format!("{} stacks have", tally.foreign_stacks)
                },
                if tally.foreign_stacks == 1 {
                    "is"
                } else {
                    "are"
                }
            ),
        ));
    }
    notes
}

/// Limits of a comparison.
fn compared(session: &Session, wanted: &Wanted, report: &HeapReport) -> Vec<Note> {
    let snapshots = &session.heap.snapshots;
    let mut notes = Vec::new();
    match wanted.against {
        None if snapshots.len() > 1 => notes.push(
            Note::info(
                "other-snapshots",
                format!(
                    "The session has {} snapshots; this one is {}.",
                    snapshots.len(),
                    report.snapshot
                ),
            )
            .with_hint("`--against first` shows what grew"),
        ),
        None => {}
        Some(against) => {
            let taken = |index: usize| snapshots[index].taken.map(stepscope_model::Taken::epoch_ns);
            if against > wanted.snapshot
                && taken(against)
                    .zip(taken(wanted.snapshot))
                    .is_none_or(|(then, now)| then > now)
            {
                let name = &snapshots[against].name;
                notes.push(Note::warning(
                    "snapshots-reversed",
                    format!(
                    "{name} was taken later than the snapshot shown, so \"grown\" means that memory shrank."
                )));
            }
            let moved = [HeapChange::New, HeapChange::Gone];
            let is_moved = |change| report.rows.iter().any(|row| row.change == Some(change));
            if moved.into_iter().all(is_moved) {
                notes.push(Note::info(
                    "stacks-by-line",
                    "Stacks are distinguished by their lines. If one line created an array and another \
                     line has replaced it since, as training steps do with parameters, it is \
                     listed as gone at the first line and as new at the second.",
                ));
            }
        }
    }
    notes
}
