//! Finishing: final positions of tracks, arrows, program runs, steps.

use std::collections::BTreeMap;

use super::calls::match_runs;
use super::decode::recorded_graph;
use super::graphs;
use super::marks::{Mark, steps_of};
use super::order::{add_program_tracks, display_key};
use super::parts::PlacedTrack;
use super::recorded_calls::Calls;
use super::runs::{gpu_runs, recorded_runs};
use super::steps::{Evidence, steps};
use super::warn::Warnings;
use crate::flow::{Flows, TrackEnds};
use crate::ids::{HostId, TrackId};
use crate::session::{ProgramRun, Session};
use crate::units::Picos;

/// Puts tracks in order, joins arrows, finds runs and steps.
pub(super) fn finish(
    session: &mut Session,
    mut placed: Vec<PlacedTrack>,
    cpu_runs: Vec<ProgramRun>,
    warnings: &mut Warnings,
) {
    placed.retain(|placed| placed.track.slice_count() > 0 || placed.track.samples.is_some());
    placed.sort_by_cached_key(|placed| display_key(session, &placed.track));
    let mut ends = Vec::new();
    let mut run_ids: BTreeMap<(TrackId, u32), i64> = BTreeMap::new();
    let mut launches: BTreeMap<(HostId, i64), (Picos, TrackId)> = BTreeMap::new();
    let mut annotations = Vec::new();
    for (position, placed) in placed.iter_mut().enumerate() {
        let (id, host) = (TrackId::from_index(position), placed.track.host);
        let on_device = placed.track.device.is_some();
        ends.push(TrackEnds {
            host,
            track: id,
            on_device,
            ends: std::mem::take(&mut placed.ends),
        });
        for (event, run_id, start) in std::mem::take(&mut placed.run_ids) {
            if on_device {
                run_ids.insert((id, event), run_id);
            } else {
                let own = (Picos(start), id);
                let first = launches.entry((host, run_id)).or_insert(own);
                *first = (*first).min(own);
            }
        }
        let own = std::mem::take(&mut placed.annotations).into_iter();
        annotations.extend(own.map(|(mark, series)| Mark {
            host,
            track: id,
            span: mark.span,
            number: mark.number,
            series,
            is_block: mark.is_block,
        }));
    }
    let graph_events: Vec<_> = placed
        .iter_mut()
        .map(|placed| std::mem::take(&mut placed.graph_events))
        .collect();
    session.tracks = placed.into_iter().map(|placed| placed.track).collect();
    // They were collected in the memory of the placed ones, which are twice as large.
    session.tracks.shrink_to_fit();
    session.flows = Flows::joined_on_demand(ends);

    let mut runs = recorded_runs(&session.tracks, &session.labels, |track, event| {
        run_ids.get(&(track, event)).copied()
    });
    runs.extend(merged(cpu_runs));
    let (gpu, foreign, attributed) = gpu_runs(
        &mut session.tracks,
        &session.devices,
        &session.flows,
        &mut session.labels,
        |track, event| recorded_graph(&graph_events, track, event)?.correlation,
    );
    let named = graphs::attribute(session, &graph_events, &gpu);
    runs.extend(gpu);
    warnings.attributed(attributed.saturating_sub(named));
    for run in &mut runs {
        let host = session.devices[run.device.index()].host;
        let began = run.run_id.and_then(|id| launches.get(&(host, id)).copied());
        let began = began.filter(|&(began, _)| began <= run.span.start);
        if let (None, Some((began, thread))) = (run.launched, began) {
            (run.launched, run.launched_on) = (Some(began), Some(thread));
        }
    }
    let calls = Calls::recorded(session);
    let without_run = match_runs(session, &calls, &mut runs);
    runs.sort_unstable_by_key(|run| (run.span, run.device, run.program));
    session.program_runs = runs;
    add_program_tracks(session);
    (session.steps, session.step_origin) = steps(&Evidence {
        tracks: &session.tracks,
        has_rounds: session.has_rounds,
        labels: &session.labels,
        strings: &session.strings,
        devices: &session.devices,
        programs: &session.programs,
        runs: &session.program_runs,
        foreign: &foreign,
        calls_without_run: &without_run,
        annotations: steps_of(annotations, &session.program_runs, |track, at| {
            calls.is_within(track, at)
        }),
    });
}

/// One run may have ops on several threads.
fn merged(mut runs: Vec<ProgramRun>) -> Vec<ProgramRun> {
    runs.sort_unstable_by_key(|run| (run.device, run.program, run.run_id, run.span));
    let mut merged: Vec<ProgramRun> = Vec::new();
    for run in runs {
        match merged.last_mut() {
            Some(last)
                if (last.device, last.program, last.run_id)
                    == (run.device, run.program, run.run_id) =>
            {
                last.span = last.span.hull(run.span);
            }
            _ => merged.push(run),
        }
    }
    merged
}
