//! Assembling: decoded tracks become a session.

use std::sync::Arc;

use rayon::prelude::*;
use stepscope_xplane::Space;

use super::async_ops::completed;
use super::build::BuiltTrack;
use super::clocks::Clocks;
use super::devices::add_cpu_devices;
use super::environment::facts;
use super::finish::finish;
use super::input::HostInput;
use super::labels::Labels;
use super::parts::Parts;
use super::plan::{Plan, plan_tracks};
use super::programs::decode_programs;
use super::round::{Headers, Round, outlines, survey};
use super::tracks::build_tracks;
use super::warn::Warnings;
use crate::ids::LabelId;
use crate::session::{Device, Host, Session};

/// Builds the session, this many hosts at a time, which changes nothing in it. `None` if no file is
/// a profile.
pub(super) fn assemble(name: &str, inputs: &[HostInput], hosts_at_once: usize) -> Option<Session> {
    assemble_wanted(name, inputs, &vec![true; inputs.len()], hosts_at_once)
}

/// Builds the session with nothing of some hosts but their clocks and programs. `None` if no file is a
/// profile.
pub(super) fn assemble_wanted(
    name: &str,
    inputs: &[HostInput],
    wanted: &[bool],
    hosts_at_once: usize,
) -> Option<Session> {
    let assembly = assembled(inputs, wanted, hosts_at_once, None)?;
    if !assembly.is_usable {
        return None;
    }
    Some(assembly.into_session(name))
}

/// Decodes some files of a session, which need not be profiles. `elsewhere` is when the first host of
/// the others began.
pub(super) fn assemble_range(
    inputs: &[HostInput],
    hosts_at_once: usize,
    elsewhere: Option<u64>,
) -> Option<Assembly> {
    assembled(inputs, &vec![true; inputs.len()], hosts_at_once, elsewhere)
}

fn assembled(
    inputs: &[HostInput],
    wanted: &[bool],
    hosts_at_once: usize,
    elsewhere: Option<u64>,
) -> Option<Assembly> {
    let of = |headers| Assembly::of(inputs, wanted, headers, hosts_at_once, elsewhere);
    of(Headers::BeforeEvents).or_else(|| of(Headers::Whole))
}

/// A session as far as its hosts have been decoded.
pub(super) struct Assembly {
    /// Whether some file is a profile.
    pub(super) is_usable: bool,
    /// Whether hosts were decoded in several rounds.
    has_rounds: bool,
    pub(super) clocks: Clocks,
    hosts: Vec<Host>,
    devices: Vec<Device>,
    pub(super) labels: Labels,
    pub(super) parts: Parts,
    warnings: Warnings,
}

impl Assembly {
    /// `None` if lines have fields behind their events, which were not read.
    fn of(
        inputs: &[HostInput],
        wanted: &[bool],
        headers: Headers,
        hosts_at_once: usize,
        elsewhere: Option<u64>,
    ) -> Option<Self> {
        let keep = inputs.len() <= hosts_at_once;
        let (survey, mut kept) = survey(inputs, headers, keep, elsewhere);
        let mut assembly = Self {
            is_usable: survey.is_usable,
            has_rounds: !keep,
            clocks: survey.clocks,
            hosts: Vec::with_capacity(inputs.len()),
            devices: Vec::new(),
            labels: Labels::default(),
            parts: Parts::default(),
            warnings: Warnings::default(),
        };
        assembly.warnings.clocks(inputs, &assembly.clocks);
        let mut found = Some(survey.programs);
        let rounds = inputs
            .chunks(hosts_at_once)
            .zip(wanted.chunks(hosts_at_once));
        for (inputs, wanted) in rounds {
            let spaces = if keep {
                of_wanted(std::mem::take(&mut kept), wanted)
            } else {
                outlines(inputs, wanted, headers)
            };
            let round = Round::new(assembly.hosts.len(), inputs, &spaces, !keep);
            let plan = plan_tracks(&round);
            let (built, programs) = rayon::join(
                || build_tracks(&plan, &assembly.clocks, &round),
                || {
                    let found = found.take()?;
                    Some(decode_programs(found))
                },
            );
            let is_misplaced = built.iter().any(|track| track.decoded.is_misplaced);
            if is_misplaced && headers == Headers::BeforeEvents {
                return None;
            }
            if let Some(programs) = programs {
                assembly.warnings.programs(&programs);
                assembly.labels = Labels::new(programs);
            }
            assembly.add(&round, plan, built);
        }
        Some(assembly)
    }

    /// Adds what was decoded of a round.
    fn add(&mut self, round: &Round<'_, '_>, mut plan: Plan, mut built: Vec<BuiltTrack>) {
        for (track, built) in plan.tracks.iter_mut().zip(&mut built) {
            let shown = built.decoded.shown_name.take();
            let name = shown.unwrap_or(std::mem::take(&mut track.name));
            track.name = match track.process {
                Some(process) => format!("{name} (process {process})"),
                None => name,
            };
        }
        complete_async_ops(&plan, &mut built);
        self.warnings.files(round, &plan);
        self.warnings.tracks(round, &plan.tracks, &built);
        self.add_hosts(round, &plan, &built);
        let hosts = round.hosts().map(|(host, ..)| host);
        let cpu_devices = add_cpu_devices(&mut plan, &built, hosts, self.devices.len());
        let ids = self.resolve_labels(round, &plan, &built);
        built.par_iter_mut().zip(&ids).for_each(|(built, ids)| {
            built.apply_labels(ids);
            if round.is_one_of_several {
                built.forget_kept(ids);
            }
        });
        let first_run = self.parts.cpu_runs.len();
        for ((track, built), ids) in plan.tracks.iter().zip(built).zip(&ids) {
            let space = round.space(track.host);
            let (parts, labels) = (&mut self.parts, &mut self.labels);
            parts.add(track, built, ids, space, &cpu_devices, labels);
        }
        self.parts.merge_runs(first_run);
        self.devices.append(&mut plan.devices);
        for (_, input, _) in round.hosts() {
            input.bytes.release_all();
        }
    }

    /// The labels of each track's keys.
    fn resolve_labels(
        &mut self,
        round: &Round<'_, '_>,
        plan: &Plan,
        built: &[BuiltTrack],
    ) -> Vec<Arc<[LabelId]>> {
        let mut ids: Vec<Arc<[LabelId]>> = Vec::with_capacity(built.len());
        let numbered: Vec<_> = plan.tracks.iter().zip(built).collect();
        for tracks in numbered.chunk_by(|a, b| a.0.host == b.0.host) {
            let host = tracks[0].0.host;
            let space = round.space(host);
            self.labels.programs.begin(host);
            for (track, built) in tracks {
                let own = built.resolve_labels(space, track, &mut self.labels);
                ids.push(self.parts.shared.get(own.into()));
            }
            self.labels.forget_keys();
            // Names of labels stand all over the file.
            round.input(host).bytes.release_all();
        }
        ids
    }

    fn add_hosts(&mut self, round: &Round<'_, '_>, plan: &Plan, built: &[BuiltTrack]) {
        let mut event_counts = vec![0; round.hosts().count()];
        for (track, built) in plan.tracks.iter().zip(built) {
            event_counts[round.position(track.host)] += built.decoded.event_count;
        }
        for ((id, input, space), event_count) in round.hosts().zip(event_counts) {
            self.hosts
                .push(self.host(id.index(), input, space, event_count));
        }
    }

    fn host(&self, position: usize, input: &HostInput, space: &Space<'_>, events: u64) -> Host {
        Host {
            manifest: None,
            name: input.host.clone(),
            bytes: Arc::clone(&input.bytes),
            offset: self.clocks.offsets[position],
            profile_epoch_ns: self.clocks.profile_epochs[position],
            facts: facts(space),
            event_count: events,
        }
    }

    /// What was decoded, as a session.
    pub(super) fn into_session(mut self, name: &str) -> Session {
        self.warnings.nameless(self.labels.nameless);
        let mut session = Session {
            name: name.to_owned(),
            has_rounds: self.has_rounds,
            epoch_ns: self.clocks.session_epoch_ns,
            hosts: self.hosts,
            devices: self.devices,
            labels: self.labels.all,
            strings: self.labels.strings,
            programs: self.labels.programs.all,
            ops: self.labels.ops,
            launches: self.labels.launches,
            aggregates: self.parts.aggregates,
            ..Session::default()
        };
        let (tracks, runs) = (self.parts.tracks, self.parts.cpu_runs);
        finish(&mut session, tracks, runs, &mut self.warnings);
        session.warnings = self.warnings.into_sorted();
        session
    }
}

/// Outlines of files, empty for hosts that are not wanted.
fn of_wanted<'a>(mut spaces: Vec<Space<'a>>, wanted: &[bool]) -> Vec<Space<'a>> {
    for (space, &is_wanted) in spaces.iter_mut().zip(wanted) {
        if !is_wanted {
            *space = Space::default();
        }
    }
    spaces
}

/// Asynchronous ops of XLA:CPU end on another thread of their host than the one that started them.
fn complete_async_ops(plan: &Plan, built: &mut [BuiltTrack]) {
    let has_unpaired = |&position: &usize| built[position].decoded.unpaired.is_some();
    let positions: Vec<usize> = (0..built.len()).filter(has_unpaired).collect();
    let host = |position: usize| plan.tracks[position].host;
    for positions in positions.chunk_by(|&a, &b| host(a) == host(b)) {
        let unpaired = |&position: &usize| {
            let own = built[position].decoded.unpaired.as_deref()?;
            Some((position, own))
        };
        let first_after = |track: usize, after: i64| built[track].first_op_after(after);
        let mut ops = completed(positions.iter().filter_map(unpaired), first_after);
        ops.sort_unstable_by_key(|&(track, op)| (track, op.event));
        for own in ops.chunk_by(|a, b| a.0 == b.0) {
            built[own[0].0].complete(own.iter().map(|&(_, op)| op).collect());
        }
    }
}
