//! What each annotation launched on every device of its host.

use std::collections::{BTreeMap, BTreeSet};

use super::begins::free_from;
use super::evidence::{Evidence, HostStep};
use crate::ids::{DeviceId, HostId, ProgramId, TrackId};
use crate::units::{Picos, Span};

/// The work of the steps on one device.
pub(super) struct DeviceWorks {
    pub(super) device: DeviceId,
    /// For each annotation, the hull of its launches.
    pub(super) works: Vec<Option<Span>>,
    /// The same of launches within the annotation, without those between it and the next.
    pub(super) within: Vec<Option<Span>>,
    /// For each annotation with work, when the device was done with all that it began before.
    pub(super) free_from: Vec<Option<Picos>>,
}

impl DeviceWorks {
    /// Those of some of the annotations.
    pub(super) fn of_annotations(&self, positions: &[usize]) -> Self {
        Self {
            device: self.device,
            works: positions.iter().map(|&at| self.works[at]).collect(),
            within: positions.iter().map(|&at| self.within[at]).collect(),
            free_from: positions.iter().map(|&at| self.free_from[at]).collect(),
        }
    }
}

/// More steps times devices than any host has: such a file tries to exhaust memory.
const MAX_STEP_SPANS: usize = 1 << 24;

/// Maximum share of a device's work, in the time of the steps, that cannot be attributed to an
/// annotation.
const MOST_UNKNOWN: f64 = 0.1;

/// The work of all devices: runs, and kernels without a program.
pub(super) struct Pieces(Vec<Vec<Piece>>);

impl Pieces {
    /// Collected once for all hosts: of a thousand hosts, looking through the runs of all of them for
    /// each would take a million times those of one.
    pub(super) fn of(evidence: &Evidence<'_>) -> Self {
        let mut pieces: Vec<Vec<Piece>> = vec![Vec::new(); evidence.devices.len()];
        for run in evidence.runs {
            pieces[run.device.index()].push(Piece {
                launched: run.launched,
                launched_on: run.launched_on,
                span: run.span,
                program: Some(run.program),
            });
        }
        for work in evidence.foreign {
            pieces[work.device.index()].push(Piece {
                launched: Some(work.launched),
                launched_on: None,
                span: work.span,
                program: None,
            });
        }
        Self(pieces)
    }
}

/// For each device of a host, what each annotation launched; `None` if that is unknown for too much
/// work. Work belongs to the last annotation that started before its launch: if threads annotate loops of
/// their own, to the last one of its thread. If no launch is known, it belongs to the annotation around it.
pub(super) fn device_works(
    evidence: &Evidence<'_>,
    Pieces(pieces): &Pieces,
    host: HostId,
    annotations: &Annotations<'_>,
) -> Option<Vec<DeviceWorks>> {
    let devices = evidence.devices.iter().zip(pieces).enumerate();
    let devices = devices.filter(|(_, (device, own))| device.host == host && !own.is_empty());
    if devices
        .clone()
        .count()
        .saturating_mul(annotations.all.len())
        > MAX_STEP_SPANS
    {
        return Some(Vec::new());
    }
    devices
        .map(|(position, (_, own))| {
            let (works, within) = works(annotations, own)?;
            let all = own.iter().map(|piece| piece.span);
            Some(DeviceWorks {
                device: DeviceId::from_index(position),
                free_from: free_from(&works, all),
                works,
                within,
            })
        })
        .collect()
}

/// The annotations of a host, in order, by the loops that they are of.
pub(super) struct Annotations<'a> {
    all: &'a [HostStep],
    /// Positions of the annotations of each thread with a loop of its own, if there are several: an actor
    /// and a learner.
    loops: BTreeMap<TrackId, Vec<usize>>,
}

impl<'a> Annotations<'a> {
    /// A thread has a loop of its own if it launches work within most of its annotations: one that others
    /// hand work to may annotate something now and then.
    pub(super) fn of(
        evidence: &Evidence<'_>,
        Pieces(pieces): &Pieces,
        host: HostId,
        all: &'a [HostStep],
    ) -> Self {
        let mut loops: BTreeMap<TrackId, Vec<usize>> = BTreeMap::new();
        for (position, step) in all.iter().enumerate() {
            loops.entry(step.track).or_default().push(position);
        }
        if loops.len() > 1 {
            let mut launching: BTreeMap<TrackId, BTreeSet<usize>> = BTreeMap::new();
            let devices = evidence.devices.iter().zip(pieces);
            let of_host = devices.filter(|(device, _)| device.host == host);
            for piece in of_host.flat_map(|(_, own)| own) {
                let launch = piece.launched_on.zip(piece.launched);
                let around = launch.and_then(|(thread, began)| {
                    let last = last_before(all, loops.get(&thread)?, began)?;
                    let is_around = all[last].span.contains_instant(began);
                    is_around.then_some((thread, last))
                });
                if let Some((thread, step)) = around {
                    launching.entry(thread).or_default().insert(step);
                }
            }
            let launches = |thread: &TrackId| launching.get(thread).map_or(0, BTreeSet::len);
            loops.retain(|thread, own| launches(thread) * 2 > own.len());
        }
        if loops.len() < 2 {
            loops.clear();
        }
        Self { all, loops }
    }

    /// The positions of those of each loop, and of what is of none: all together if there are not several.
    pub(super) fn by_loop(&self) -> Vec<Vec<usize>> {
        let is_of_none = |at: &usize| !self.loops.contains_key(&self.all[*at].track);
        let rest: Vec<usize> = (0..self.all.len()).filter(is_of_none).collect();
        let loops = self.loops.values().cloned();
        loops.chain([rest]).filter(|own| !own.is_empty()).collect()
    }

    /// The annotation that something belongs to which began at this time, on this thread, if that is known;
    /// and whether it is the last one there.
    fn last_before(&self, began: Picos, thread: Option<TrackId>) -> Option<(usize, bool)> {
        if let Some(own) = thread.and_then(|thread| self.loops.get(&thread)) {
            let last = last_before(self.all, own, began)?;
            return Some((last, own.last() == Some(&last)));
        }
        let after = self.all.partition_point(|step| step.span.start <= began);
        Some((after.checked_sub(1)?, after == self.all.len()))
    }
}

/// The last of the annotations at these positions that started by this time.
fn last_before(all: &[HostStep], positions: &[usize], time: Picos) -> Option<usize> {
    let after = positions.partition_point(|&at| all[at].span.start <= time);
    after.checked_sub(1).map(|last| positions[last])
}

/// Nine tenths of it do: the last op may end a little after the wait for its result.
fn lies_within(work: Span, annotation: Span) -> bool {
    let common = work.intersection(annotation);
    let times = |times: i128, span: Span| times * i128::from(span.duration().0);
    common.is_some_and(|common| times(10, common) >= times(9, work))
}

/// A run, or a kernel without a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Piece {
    launched: Option<Picos>,
    /// The thread of the launch, if known.
    launched_on: Option<TrackId>,
    span: Span,
    program: Option<ProgramId>,
}

/// Of each annotation, the hull of what was launched from its start on, and of what was launched
/// within it.
type Works = (Vec<Option<Span>>, Vec<Option<Span>>);

fn works(annotations: &Annotations<'_>, pieces: &[Piece]) -> Option<Works> {
    let all = annotations.all;
    let mut works: Vec<Option<Span>> = vec![None; all.len()];
    let mut within = works.clone();
    let (mut unknown_ps, mut all_ps) = (0i64, 0i64);
    let in_open_call = in_open_call(all, pieces);
    let in_flight = in_flight(all, pieces);
    let beside = beside(annotations, pieces);
    for piece in pieces {
        let is_beside = piece.program.is_some_and(|own| beside.contains(&own));
        let is_open = in_open_call.is_some_and(|last| last == *piece);
        if is_beside || is_open || in_flight.contains(piece) {
            continue;
        }
        let duration = piece.span.duration().0;
        all_ps = all_ps.saturating_add(duration);
        let began = piece.launched.unwrap_or(piece.span.start);
        let Some((step, is_last)) = annotations.last_before(began, piece.launched_on) else {
            continue;
        };
        let around = all[step].span;
        if piece.launched.is_none() && !lies_within(piece.span, around) {
            unknown_ps = unknown_ps.saturating_add(duration);
            continue;
        }
        // Long after the last annotation follows something else: evaluation, a checkpoint.
        if is_last && began >= around.end {
            continue;
        }
        let add = |work: &mut Option<Span>| {
            *work = Some(work.map_or(piece.span, |work| work.hull(piece.span)));
        };
        add(&mut works[step]);
        if around.contains_instant(began) {
            add(&mut within[step]);
        }
    }
    (unknown_ps as f64 <= MOST_UNKNOWN * all_ps as f64).then_some((works, within))
}

/// The programs that other threads launch while the loop annotates steps with work of its own, such as an
/// evaluation beside training: their runs are in the way of the steps, and no work of theirs.
fn beside(annotations: &Annotations<'_>, pieces: &[Piece]) -> BTreeSet<ProgramId> {
    let threads = annotations.all.iter().map(|step| step.track);
    let threads: BTreeSet<TrackId> = threads.collect();
    let mut with_own: BTreeSet<usize> = BTreeSet::new();
    let (mut own, mut others) = (BTreeSet::new(), BTreeSet::new());
    for piece in pieces {
        let launch = piece.launched.zip(piece.launched_on);
        let Some((program, (began, thread))) = piece.program.zip(launch) else {
            continue;
        };
        if threads.contains(&thread) {
            own.insert(program);
            let step = annotations.last_before(began, Some(thread));
            with_own.extend(step.map(|(step, _)| step));
        } else {
            others.insert(program);
        }
    }
    // Otherwise, other threads do the work of the steps.
    if with_own.len() * 10 < annotations.all.len() * 9 {
        return BTreeSet::new();
    }
    &others - &own
}

/// The runs of earlier steps that were launched before the recording: they began before the first work that
/// the first annotation launched, nothing says what launched them, and they are of the programs that it
/// launches, too. A loop that runs ahead leaves as many of them as it lets wait in the queue. They say nothing
/// about the others, and they are no work of the annotation in which they happen to run.
fn in_flight(annotations: &[HostStep], pieces: &[Piece]) -> BTreeSet<Piece> {
    let end = annotations.first().map(|step| step.span.end);
    let first = || {
        let launched = pieces.iter().filter(|piece| piece.launched.is_some());
        launched.filter(|piece| piece.launched < end)
    };
    let Some(from) = first().map(|piece| piece.span.start).min() else {
        return BTreeSet::new();
    };
    let programs: BTreeSet<ProgramId> = first().filter_map(|piece| piece.program).collect();
    let is_in_flight = |piece: &&Piece| {
        piece.launched.is_none()
            && piece.span.start < from
            && piece
                .program
                .is_some_and(|program| programs.contains(&program))
    };
    pieces.iter().filter(is_in_flight).copied().collect()
}

/// The last run, if it began after all annotations and nothing says what launched it: the recording
/// may have ended inside its call, which is then missing. One run like that says nothing about the
/// others; a loop that runs ahead leaves many, unless it has one step.
fn in_open_call(annotations: &[HostStep], pieces: &[Piece]) -> Option<Piece> {
    let end = annotations.iter().map(|step| step.span.end).max()?;
    let last = pieces.iter().max_by_key(|piece| piece.span)?;
    let is_after = last.launched.is_none() && last.span.start >= end;
    (is_after && annotations.len() > 1).then_some(*last)
}
