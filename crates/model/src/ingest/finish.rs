//! Finishing: final positions of tracks, arrows, program runs, steps.

use std::collections::BTreeMap;

use super::calls::match_runs;
use super::graph_events::{GraphEvents, TrackEvents};
use super::graphs::{Attributor, OfHost};
use super::marks::{Mark, steps_of};
use super::order::{add_program_tracks, display_key};
use super::parts::PlacedTrack;
use super::recorded_calls::Calls;
use super::runs::{GpuRuns, gpu_runs, gpus_by_host, recorded_runs};
use super::steps::{Evidence, completes, steps};
use super::unnumbered::unnumbered;
use super::warn::Warnings;
use crate::flow::{Flows, TrackEnds};
use crate::ids::{HostId, TrackId};
use crate::session::{ProgramRun, Session};
use crate::track::Track;
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
    let unnumbered = unnumbered(session, &cpu_runs);
    for (host, count) in unnumbered.merged {
        warnings.merged_devices(&session.hosts[host.index()].name, count);
    }
    runs.extend(unnumbered.runs);
    runs.extend(cpu_runs);
    let gpu = gpu_work(session, &graph_events);
    runs.extend(gpu.runs);
    let foreign = gpu.foreign;
    warnings.attributed(gpu.attributed);
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
    runs.shrink_to_fit();
    session.program_runs = runs;
    let mut annotations = steps_of(
        annotations,
        &session.program_runs,
        |device| session.devices[device.index()].host,
        |one, other| completes(&session.programs, one, other),
        |track, at| calls.is_within(track, at),
    );
    add_program_tracks(session, &mut annotations);
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
        annotations,
    });
}

/// Runs on all GPUs, and the ops of kernels that graphs launched. Everything of a host is known from
/// its own tracks, which with many hosts are decoded for this and forgotten again.
fn gpu_work(session: &mut Session, graph_events: &[GraphEvents]) -> GpuRuns {
    let mut all = GpuRuns::default();
    let has_events = graph_events.iter().any(GraphEvents::has_any);
    let mut graphs = Attributor::of(session, has_events);
    let mut named = 0;
    for (host, gpus) in gpus_by_host(&session.tracks, &session.devices) {
        // What is kept for the next reader is kept by number, and tracks are renumbered below.
        let flows = if session.has_rounds {
            session.flows.read_of(host)
        } else {
            session.flows.kept_of(host)
        };
        let streams = gpus.iter().flat_map(|(_, streams)| streams);
        let streams = streams.map(|&stream| TrackId::from_index(stream));
        let events = TrackEvents::of(graph_events, streams);
        let own = gpu_runs(
            &mut session.tracks,
            &gpus,
            &flows,
            (&mut session.labels, &session.strings),
            |track, event| events.get(track, event)?.correlation,
        );
        let of_host = OfHost {
            gpus: &gpus,
            flows: &flows,
            events: &events,
            runs: &own.runs,
        };
        let found = graphs.as_mut().map(|graphs| graphs.host(session, &of_host));
        named += found.unwrap_or(0);
        all.attributed += own.attributed;
        all.runs.extend(own.runs);
        all.foreign.extend(own.foreign);
        if session.has_rounds {
            let tracks = session.tracks.iter_mut();
            tracks
                .filter(|track| track.host == host)
                .for_each(Track::forget_decoded);
        }
    }
    all.attributed = all.attributed.saturating_sub(named);
    all
}
