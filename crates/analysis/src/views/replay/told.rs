//! What a replay covers, in notes.

use stepscope_model::Session;

use super::Replay;
use super::graph::EdgeKind;
use crate::telling::{Note, format};

/// The replay is not believed.
pub(crate) fn refused(refusal: &str) -> Note {
    Note::warning("replay-refused", refusal)
}

/// What the graph could not be told from.
pub(crate) fn notes(session: &Session, replay: &Replay) -> Vec<Note> {
    let graph = &replay.graph;
    let mut notes = Vec::new();
    if session.steps.is_empty() {
        notes.push(Note::info(
            "replay-whole",
            "No steps were recorded, so each device's whole recording counts as one step.",
        ));
    }
    let inferred = graph
        .edges
        .iter()
        .filter(|edge| edge.kind == EdgeKind::Inferred)
        .count();
    if inferred > 0 {
        notes.push(Note::info(
            "waits-inferred",
            format!(
                "{} between streams are inferred: the other stream's work ended less than 10 µs \
                 before. Events that streams wait for are not recorded.",
                format::counted(inferred, "wait")
            ),
        ));
    }
    if graph.launches == 0 {
        notes.push(Note::info(
            "launches-unknown",
            "No launches were recorded, so hosts are known only through the gaps of devices.",
        ));
    }
    if graph.early_leaves > 0 {
        notes.push(Note::info(
            "collectives-apart",
            format!(
                "In {} of {} matched collectives a device left before the last one arrived, so \
                 these count as separate work of each device.",
                graph.early_leaves, graph.meetings
            ),
        ));
    }
    notes
}
