//! What a replay covers, in notes.

use std::collections::BTreeSet;

use stepscope_model::Session;

use super::Replay;
use super::graph::EdgeKind;
use super::steps::{StepOn, WHOLE};
use crate::measuring::selection::Selected;
use crate::telling::{Note, format};

/// The replay is not believed.
pub(crate) fn refused(refusal: &str) -> Note {
    Note::warning("replay-refused", refusal)
}

/// Why the steps differ from those of `steps`: some have no beginning or end in the graph, and a path
/// leads to the end of the device that finishes last.
pub(crate) fn other_steps(
    session: &Session,
    selected: &Selected<'_>,
    steps: &[StepOn],
    path_ps: Option<f64>,
) -> Vec<Note> {
    let known: BTreeSet<usize> = steps.iter().map(|one| one.step).collect();
    let left_out: Vec<String> = selected
        .step_positions()
        .into_iter()
        .filter(|position| !known.contains(position) && !known.contains(&WHOLE))
        .map(|position| session.steps[position].number.to_string())
        .collect();
    let mut notes = Vec::new();
    if !left_out.is_empty() {
        let (verb, count) = match left_out.len() {
            1 => ("is", "Step".to_owned()),
            _ => ("are", "Steps".to_owned()),
        };
        let shown = left_out.len().min(SHOWN);
        let more = match left_out.len() - shown {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        notes.push(Note::info(
            "steps-left-out",
            format!(
                "{count} {}{more} {verb} in `steps` but not here: nothing recorded tells what {} \
                 beginning or end waited for.",
                left_out[..shown].join(", "),
                if left_out.len() == 1 { "its" } else { "their" },
            ),
        ));
    }
    let lengths = steps.iter().map(|one| one.span.duration().0 as f64);
    let mean_ps = lengths.sum::<f64>() / steps.len().max(1) as f64;
    if let Some(path_ps) = path_ps.filter(|path_ps| path_ps - mean_ps > MIN_LATER * mean_ps) {
        notes.push(Note::info(
            "paths-of-last-devices",
            format!(
                "A path is as long as the step on the device that ends it last, {} on average; the mean \
                 over all devices, as in `steps`, is {}.",
                format::duration_ps(path_ps),
                format::duration_ps(mean_ps)
            ),
        ));
    }
    notes
}

/// Number of steps listed before the rest is counted.
const SHOWN: usize = 8;
/// A path that is longer than the mean over devices by less than this share is as good as the same.
const MIN_LATER: f64 = 0.001;

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
                "{} between streams {} inferred: the other stream's work ended less than 10 µs \
                 before. Events that streams wait for are not recorded.",
                format::counted(inferred, "wait"),
                if inferred == 1 { "is" } else { "are" }
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
