//! Figures of a session that other analyses define: bytes of collectives, peak of memory.

use stepscope_model::{ProgramId, Session, WallClock};

use super::items::Item;
use crate::measuring::selection::Selected;
use crate::measuring::steps::mean;
use crate::views::collectives::Evidence;
use crate::views::collectives::bandwidth::payload_bytes;
use crate::views::collectives::step_index::StepIndex;
use crate::views::memory::fullest;

/// Maximum number of programs whose memory plans are read, those with the most time first.
const PLANS: usize = 8;

/// Payload of the collectives in the selected steps, per step and participating device. None if no
/// collective has known shapes.
pub(super) fn collective_bytes(session: &Session, selected: &Selected<'_>) -> Option<f64> {
    let evidence = Evidence::of(session, selected);
    let survey = &evidence.survey;
    let steps = StepIndex::of(session);
    let wanted = selected.step_positions();
    let mut bytes = 0.0;
    let mut places = Vec::new();
    for (_, occurrence) in evidence.occurrences() {
        let Some(payload) = payload_bytes(&survey.ops[occurrence.op]) else {
            continue;
        };
        let step = steps.at(occurrence.device, occurrence.span.start);
        if let Some(step) = step.filter(|step| wanted.contains(step)) {
            bytes += payload as f64;
            places.push((step, occurrence.device));
        }
    }
    places.sort_unstable();
    places.dedup();
    (!places.is_empty()).then(|| bytes / places.len() as f64)
}

/// Largest memory in use on a device, and its source: the allocator, else snapshots, else the memory
/// plan of a program that ran.
pub(super) fn memory_peak(
    session: &Session,
    selected: &Selected<'_>,
    items: &[Item],
) -> Option<(i64, &'static str)> {
    let recorded = fullest(session, selected).map(|row| (row.peak_bytes, "allocator"));
    recorded
        .or_else(|| Some((largest_snapshot(session)?, "snapshot")))
        .or_else(|| Some((largest_plan(session, items)?, "plan")))
}

/// The most bytes alive on any device in any snapshot.
fn largest_snapshot(session: &Session) -> Option<i64> {
    let heap = &session.heap;
    let of_snapshots = heap.snapshots.iter().map(|snapshot| {
        let mut devices = std::collections::BTreeMap::<&str, i64>::new();
        for sample in &snapshot.samples {
            let bytes = devices.entry(heap.text(sample.device)).or_default();
            *bytes = bytes.saturating_add(sample.bytes);
        }
        devices.into_values().max().unwrap_or(0)
    });
    of_snapshots.max()
}

/// Largest Σ allocations in the device's own memory, over the programs with the most time.
fn largest_plan(session: &Session, items: &[Item]) -> Option<i64> {
    let mut times: Vec<(ProgramId, f64)> = Vec::new();
    for item in items {
        if let Some(program) = item.program(session) {
            match times.iter_mut().find(|(known, _)| *known == program) {
                Some((_, time)) => *time += item.mean_ps(),
                None => times.push((program, item.mean_ps())),
            }
        }
    }
    times.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let plans = times.into_iter().take(PLANS).filter_map(|(program, _)| {
        let plan = session.program(program).buffer_assignment()?;
        let allocations = plan.allocations.iter();
        let own = allocations.filter(|one| one.color == 0 && !one.is_thread_local);
        let bytes = own.fold(0u64, |sum, one| sum.saturating_add(one.size));
        i64::try_from(bytes).ok()
    });
    plans.max()
}

/// Mean wall time of the captured steps by the program's own clock, mean over hosts.
pub(super) fn wall_step_ps(session: &Session) -> Option<f64> {
    let manifests = session
        .hosts
        .iter()
        .filter_map(|host| host.manifest.as_ref());
    mean(manifests.filter_map(|manifest| Some(manifest.mean_step_ns? * 1e3)))
}

/// A wall time of the captured run, from the host where it was longest.
pub(super) fn wall_clock_ps(
    session: &Session,
    seconds: impl Fn(&WallClock) -> Option<f64>,
) -> Option<f64> {
    let manifests = session
        .hosts
        .iter()
        .filter_map(|host| host.manifest.as_ref());
    let clocks = manifests.filter_map(|manifest| manifest.wall_clock.as_ref());
    let times = clocks.filter_map(seconds);
    times.reduce(f64::max).map(|seconds| seconds * 1e12)
}
