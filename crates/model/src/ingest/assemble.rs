//! Assembling: decoded tracks become a session.

use std::sync::Arc;

use rayon::prelude::*;
use stepscope_xplane::{Line, Space};

use super::build::BuiltTrack;
use super::clocks::Clocks;
use super::devices::add_cpu_devices;
use super::environment::facts;
use super::finish::finish;
use super::input::HostInput;
use super::labels::Labels;
use super::parts::Parts;
use super::plan::{TrackPlan, plan_tracks};
use super::programs::decode_programs;
use super::tracks::build_tracks;
use super::warn::Warnings;
use crate::ids::LabelId;
use crate::session::{Host, Session};

/// Builds the session. `spaces` are the scanned files of `inputs`, in the same order.
pub(super) fn assemble(name: &str, inputs: &[HostInput], spaces: &mut [Space<'_>]) -> Session {
    let mut plan = plan_tracks(spaces);
    let mut clocks = Clocks::of(spaces);
    let (mut built, programs) = rayon::join(
        || build_tracks(&plan, &clocks, inputs, spaces),
        || decode_programs(spaces, inputs),
    );
    if built.iter().any(|track| track.decoded.is_misplaced) {
        complete_lines(spaces);
        plan = plan_tracks(spaces);
        clocks = Clocks::of(spaces);
        built = build_tracks(&plan, &clocks, inputs, spaces);
    }
    for (track, built) in plan.tracks.iter_mut().zip(&mut built) {
        let shown = built.decoded.shown_name.take();
        let name = shown.unwrap_or(std::mem::take(&mut track.name));
        track.name = match track.process {
            Some(process) => format!("{name} (process {process})"),
            None => name,
        };
    }
    let spaces: &[Space<'_>] = spaces;
    let mut warnings = Warnings::default();
    warnings.files(inputs, spaces, &plan);
    warnings.clocks(inputs, &clocks);
    warnings.tracks(inputs, spaces, &plan.tracks, &built);

    let mut labels = Labels::new(programs);
    warnings.programs(&labels.programs);
    let cpu_devices = add_cpu_devices(&mut plan, &built, inputs.len());
    let event_counts = event_counts(&built, &plan.tracks, inputs.len());
    let mut parts = Parts::default();
    let mut ids: Vec<Vec<LabelId>> = Vec::with_capacity(built.len());
    let numbered = plan.tracks.iter().zip(&built);
    for tracks in numbered
        .collect::<Vec<_>>()
        .chunk_by(|a, b| a.0.host == b.0.host)
    {
        let host = tracks[0].0.host.index();
        let resolved = tracks
            .iter()
            .map(|(track, built)| built.resolve_labels(&spaces[host], track, &mut labels));
        ids.extend(resolved);
        // Names of labels stand all over the file.
        inputs[host].bytes.release_all();
    }
    built
        .par_iter_mut()
        .zip(&ids)
        .for_each(|(built, ids)| built.apply_labels(ids));
    for ((track, built), ids) in plan.tracks.iter().zip(built).zip(&ids) {
        parts.add(track, built, ids, spaces, &cpu_devices, &mut labels);
    }
    warnings.nameless(labels.nameless);
    let mut session = Session {
        name: name.to_owned(),
        epoch_ns: clocks.session_epoch_ns,
        hosts: hosts(inputs, spaces, &clocks, &event_counts),
        devices: plan.devices,
        labels: labels.all,
        strings: labels.strings,
        programs: labels.programs.all,
        ops: labels.ops,
        launches: labels.launches,
        aggregates: parts.aggregates,
        ..Session::default()
    };
    finish(&mut session, parts.tracks, parts.cpu_runs, &mut warnings);
    session.warnings = warnings.into_sorted();
    session
}

/// Reads all header fields of all lines, because rows may be distinguished only by fields after the
/// events. Writers do not put them there, so walking over all events beforehand would be wasted.
fn complete_lines(spaces: &mut [Space<'_>]) {
    let planes = spaces.iter_mut().flat_map(|space| &mut space.planes);
    let lines: Vec<_> = planes.flat_map(|plane| &mut plane.lines).collect();
    lines
        .into_par_iter()
        .with_max_len(1)
        .for_each(Line::complete);
}

fn event_counts(built: &[BuiltTrack], plans: &[TrackPlan], hosts: usize) -> Vec<u64> {
    let mut counts = vec![0; hosts];
    for (track, built) in plans.iter().zip(built) {
        counts[track.host.index()] += built.decoded.event_count;
    }
    counts
}

fn hosts(
    inputs: &[HostInput],
    spaces: &[Space<'_>],
    clocks: &Clocks,
    event_counts: &[u64],
) -> Vec<Host> {
    inputs
        .iter()
        .zip(spaces)
        .enumerate()
        .map(|(position, (input, space))| Host {
            manifest: None,
            name: input.host.clone(),
            bytes: Arc::clone(&input.bytes),
            offset: clocks.offsets[position],
            profile_epoch_ns: clocks.profile_epochs[position],
            facts: facts(space),
            event_count: event_counts[position],
        })
        .collect()
}
