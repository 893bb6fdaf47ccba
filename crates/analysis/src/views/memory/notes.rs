//! What the figures of `memory` mean, what they do not cover, and what to record if there are none.

use stepscope_model::{AllocatorLog, DeviceKind, Picos, Session};

use super::collect::Figures;
use super::replay::{last_until, peak};
use super::trend::MIN_STEPS;
use crate::measuring::selection::Selected;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::recording;

/// Share of inconsistent events from which a note is shown.
const INCONSISTENT_RATIO: f64 = 0.01;

/// Allocators of which nothing is known at a moment, because their first event comes later.
pub(super) fn before_events(at: Picos, found: &[Figures<'_>]) -> Option<Note> {
    let is_later = |figures: &&Figures<'_>| last_until(&figures.allocator.events, at).is_none();
    let later = found.iter().filter(is_later).count();
    (later > 0).then(|| {
        let who = format::counted(later, "allocator");
        Note::info(
            "before-allocator-events",
            format!(
                "What was alive at that moment is unknown for {who}: no event had been recorded."
            ),
        )
    })
}

pub(super) fn notes(
    session: &Session,
    selected: &Selected<'_>,
    log: &AllocatorLog,
    found: &[Figures<'_>],
) -> Vec<Note> {
    if log.allocators.is_empty() {
        return without_events(session);
    }
    if found.is_empty() {
        return vec![Note::warning(
            "no-allocator-events-selected",
            "No allocator recorded an event in this selection.",
        )];
    }
    let mut notes = vec![Note::info(
        "memory-source",
        "Based on the allocator events on host threads, which record every allocation while the \
         profiler runs. The peak covers this recording; the recorded peak is the allocator's own and \
         covers the time since the process started.",
    )];
    let is_before = |figures: &&Figures<'_>| {
        let row = &figures.row;
        row.recorded_peak_bytes > row.peak_bytes
    };
    let before: Vec<&Figures<'_>> = found.iter().filter(is_before).collect();
    if let Some(figures) = before.first() {
        let row = &figures.row;
        let others = match before.len() {
            1 => String::new(),
            count => format!(
                " The same is true of {}.",
                format::counted(count - 1, "other allocator")
            ),
        };
        notes.push(Note::info(
            "earlier-peak",
            format!(
            "{} had {} in use before this recording or selection, but at most {} during it.{others}",
            row.allocator,
            format::bytes(row.recorded_peak_bytes as f64),
            format::bytes(row.peak_bytes as f64)
        )));
    }
    if found.iter().any(|figures| {
        figures
            .allocator
            .events
            .iter()
            .any(|event| event.reserved > 0)
    }) {
        notes.push(Note::info(
            "program-memory",
            "Memory reserved for programs (the stack of a TPU) counts as in use and has a separate \
             row. The allocator's own peak does not include it.",
        ));
    }
    let events: usize = found
        .iter()
        .map(|figures| figures.allocator.events.len())
        .sum();
    let inconsistent: usize = found.iter().map(|figures| figures.inconsistencies).sum();
    if inconsistent as f64 > INCONSISTENT_RATIO * events as f64 {
        notes.push(Note::warning(
            "allocator-events-inconsistent",
            format!(
            "{inconsistent} of {events} events do not follow from the previous one: threads recorded \
             them out of order, or some are missing. Bytes in use are as recorded, but what was \
             alive may be wrong by these events."
        )));
    }
    if found.iter().any(has_unexplained) {
        notes.push(Note::warning(
            "deallocations-missing",
            "The recorded allocations exceed the bytes in use at the peak, so some deallocations \
             were not recorded. A row with negative bytes accounts for them.",
        ));
    }
    // The steps of an allocator are those that its host or device took part in.
    let steps = found.iter().map(|figures| figures.steps.len()).max();
    let steps = steps.unwrap_or(0);
    if steps < MIN_STEPS {
        let verb = if steps == 1 { "is" } else { "are" };
        let place = if selected.is_all_time() {
            ""
        } else {
            " in this selection"
        };
        notes.push(Note::info(
            "too-few-steps",
            format!(
                "Growth and spikes require {MIN_STEPS} steps; there {verb} {}{place}.",
                format::counted(steps, "step")
            ),
        ));
    }
    notes
}

/// Whether the live allocations exceed the bytes in use.
fn has_unexplained(figures: &Figures<'_>) -> bool {
    let events = figures.allocator.events.as_slice();
    let Some(at) = peak(events, figures.peak..figures.peak + 1) else {
        return false;
    };
    let alive = super::replay::alive_at(events, at);
    let seen = alive.iter().fold(0i64, |sum, alive| {
        sum.saturating_add(events[alive.event].allocated)
    });
    seen > events[at].in_use
}

fn record_snapshot(session: &Session) -> String {
    match recording::memory_snapshot(session) {
        "" => String::new(),
        line => format!("`{line}` records what is alive and what allocated it"),
    }
}

fn without_events(session: &Session) -> Vec<Note> {
    let snapshots = session.heap.snapshots.len();
    let is_cpu = session
        .devices
        .iter()
        .all(|device| device.kind == DeviceKind::Cpu);
    let note = if session.is_program_only() {
        Note::info(
            "no-allocator-events",
            "The HLO of programs shows planned memory, not memory in use over time.",
        )
        .with_hint("`stepscope buffers PATH` shows the plan")
    } else if session.is_memory_only() {
        Note::info(
            "no-allocator-events",
            "A memory profile shows what was alive at one moment, not memory in use over time.",
        )
    } else if is_cpu {
        let note = Note::info(
            "no-allocator-events",
            "XLA:CPU does not record allocations, so memory in use over time is unknown.",
        );
        match snapshots {
            0 => note.with_hint(record_snapshot(session)),
            _ => note,
        }
    } else {
        Note::info(
            "no-allocator-events",
            "The profile has no allocator events, so memory in use over time is unknown. TPUs and \
             GPUs record them if host tracing is on.",
        )
        .with_code(recording::host_threads(session))
    };
    let mut notes = vec![note];
    if snapshots > 0 {
        let when = if snapshots == 1 {
            "at that moment"
        } else {
            "at these moments"
        };
        let counted = format::counted(snapshots, "memory snapshot");
        notes.push(
            Note::info(
                "snapshots-available",
                format!("{counted}: what was alive {when}."),
            )
            .with_hint("`stepscope heap PATH` shows what allocated it"),
        );
    }
    notes
}
