//! Notes on what the figures of `collectives` are based on.

use std::collections::BTreeSet;

use stepscope_model::{DeviceKind, SaturatingSum as _};

use super::Evidence;
use super::participants::Grouping;
use super::report::CollectiveRow;
use crate::measuring::busy;
use crate::measuring::selection::Selected;
use crate::measuring::work::has_worked;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::recording;

pub(super) fn notes(
    evidence: &Evidence<'_>,
    rows: &[CollectiveRow],
    selected: &Selected<'_>,
) -> Vec<Note> {
    if rows.is_empty() {
        return vec![nothing(evidence, selected)];
    }
    let ops = evidence.executed_ops();
    let mut notes = Vec::new();
    notes.extend(unknown_groups(evidence, &ops));
    notes.extend(unmatched(evidence, rows, &ops));
    notes.extend(guessed(evidence, &ops));
    notes.extend(clocks(evidence));
    let unsized_count = rows.iter().filter(|row| row.bytes.is_none()).count();
    if unsized_count > 0 {
        notes.push(
            Note::info(
                "collectives-without-size",
                format!(
                    "{} without a size: the profile does not contain their programs, so bytes and \
                 bandwidths are unknown.",
                    format::counted(unsized_count, "collective")
                ),
            )
            .with_hint(recording::programs(evidence.session)),
        );
    }
    let is_cpu = selected
        .devices
        .iter()
        .all(|&device| evidence.session.device(device).kind == DeviceKind::Cpu);
    if is_cpu {
        notes.push(Note::info(
            "host-bandwidth",
            "XLA:CPU moves data through host memory, or over the network between processes; these \
             bandwidths do not predict those of an accelerator's links.",
        ));
    }
    notes
}

fn nothing(evidence: &Evidence<'_>, selected: &Selected<'_>) -> Note {
    let session = evidence.session;
    if !evidence.survey.ops.is_empty() {
        return Note::warning(
            "no-collective",
            "No collective was executed in this selection.",
        );
    }
    let devices = selected.devices.iter();
    let working = devices.filter(|&&device| has_worked(session, device));
    match working.count() {
        0 => Note::warning(
            "no-device-work",
            "No device work was recorded in this selection.",
        ),
        1 => Note::info(
            "one-device",
            "All work ran on one device, so there is no communication.",
        ),
        working => {
            // As `overview` counts them.
            let observed = busy::observed(session, selected).len();
            let when = if selected.is_all_time() {
                "steps"
            } else {
                "selected time"
            };
            let of_them = if observed == working {
                String::new()
            } else {
                format!("{observed} of them in the {when}, ")
            };
            Note::info(
                "no-communication",
                format!(
                    "{working} devices worked, {of_them}but none of their ops or kernels communicate."
                ),
            )
        }
    }
}

/// Number of executed collectives whose groups were obtained this way.
fn counted(evidence: &Evidence<'_>, ops: &BTreeSet<usize>, grouping: Grouping) -> usize {
    let participants = &evidence.matched.participants;
    let own = ops.iter().filter(|&&op| {
        let found = &participants[op];
        found.grouping == grouping && (!found.groups.is_empty() || grouping == Grouping::Unknown)
    });
    own.count()
}

/// Collectives whose participants are unknown.
fn unknown_groups(evidence: &Evidence<'_>, ops: &BTreeSet<usize>) -> Option<Note> {
    let count = counted(evidence, ops, Grouping::Unknown);
    (count > 0).then(|| {
        Note::warning(
            "participants-unknown",
            format!(
            "The participants of {} are unknown: the profile does not contain the program, or not \
             the ids of its devices. Their waiting times are missing.",
            format::counted(count, "collective")
        ))
        .with_hint(recording::programs(evidence.session))
    })
}

/// How many occurrences could be matched over participants.
fn unmatched(
    evidence: &Evidence<'_>,
    rows: &[CollectiveRow],
    ops: &BTreeSet<usize>,
) -> Option<Note> {
    let occurrences: i64 = rows.iter().map(|row| row.occurrences).saturating_sum();
    let matched: i64 = rows.iter().map(|row| row.matched).saturating_sum();
    let has_unknown = counted(evidence, ops, Grouping::Unknown) > 0;
    // Without groups there is nothing to match, which another note reports.
    if matched == occurrences || (matched == 0 && has_unknown) {
        return None;
    }
    let share = format::percent(matched as f64 / occurrences.max(1) as f64);
    let mut text = format!(
        "{share} of occurrences were matched with those of other participants; waiting is known only for \
         these."
    );
    if has_unknown {
        return Some(Note::info("occurrences-matched", text));
    }
    if matched == 0 {
        text.push_str(" The other participants are not in the session.");
    }
    Some(
        Note::info("occurrences-matched", text)
            .with_hint("Capture all hosts of the job at the same time."),
    )
}

fn guessed(evidence: &Evidence<'_>, ops: &BTreeSet<usize>) -> Vec<Note> {
    let mut notes = Vec::new();
    if counted(evidence, ops, Grouping::ByOrder) > 0 {
        notes.push(Note::info(
            "groups-inferred",
            "The groups of devices were inferred from the order of hosts and devices, because the profile \
             does not contain the ids of its devices.",
        ));
    }
    let pairs = counted(evidence, ops, Grouping::Pair);
    if pairs > 0 {
        notes.push(Note::info(
            "pairs-assumed",
            format!(
            "The two devices of {} are assumed to be one group, because they execute it at the same \
             times; the profile does not contain the program that would confirm it.",
            format::counted(pairs, "collective")
        )));
    }
    notes
}

fn clocks(evidence: &Evidence<'_>) -> Option<Note> {
    let clocks = &evidence.clocks;
    if !clocks.has_any() || evidence.instances().next().is_none() {
        return None;
    }
    let worst = clocks
        .hosts
        .iter()
        .filter(|clock| clock.reference.is_some());
    let residual = worst.map(|clock| clock.residual_ps).fold(0.0, f64::max);
    Some(
        Note::info(
            "clocks-aligned",
            format!(
                "Arrivals on different hosts are compared on clocks aligned by the ends of common \
             collectives (median error: {}); times are shown as recorded.",
                format::duration_ps(residual)
            ),
        )
        .with_hint("`stepscope hosts PATH` shows the clocks"),
    )
}
