//! What each annotation launched on every device of its host.

use std::collections::BTreeSet;

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
/// work. Work belongs to the last annotation that started before its launch. If no launch is known,
/// it belongs to the annotation around it.
pub(super) fn device_works(
    evidence: &Evidence<'_>,
    Pieces(pieces): &Pieces,
    host: HostId,
    annotations: &[HostStep],
) -> Option<Vec<DeviceWorks>> {
    let devices = evidence.devices.iter().zip(pieces).enumerate();
    let devices = devices.filter(|(_, (device, own))| device.host == host && !own.is_empty());
    if devices.clone().count().saturating_mul(annotations.len()) > MAX_STEP_SPANS {
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

fn works(annotations: &[HostStep], pieces: &[Piece]) -> Option<Works> {
    let mut works: Vec<Option<Span>> = vec![None; annotations.len()];
    let mut within = works.clone();
    let (mut unknown_ps, mut all_ps) = (0i64, 0i64);
    let in_open_call = in_open_call(annotations, pieces);
    let in_flight = in_flight(annotations, pieces);
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
        let after = annotations.partition_point(|step| step.span.start <= began);
        let Some(step) = after.checked_sub(1) else {
            continue;
        };
        let around = annotations[step].span;
        if piece.launched.is_none() && !lies_within(piece.span, around) {
            unknown_ps = unknown_ps.saturating_add(duration);
            continue;
        }
        // Long after the last annotation follows something else: evaluation, a checkpoint.
        if after == annotations.len() && began >= around.end {
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
fn beside(annotations: &[HostStep], pieces: &[Piece]) -> BTreeSet<ProgramId> {
    let threads: BTreeSet<TrackId> = annotations.iter().map(|step| step.track).collect();
    let mut with_own: BTreeSet<usize> = BTreeSet::new();
    let (mut own, mut others) = (BTreeSet::new(), BTreeSet::new());
    for piece in pieces {
        let launch = piece.launched.zip(piece.launched_on);
        let Some((program, (began, thread))) = piece.program.zip(launch) else {
            continue;
        };
        if threads.contains(&thread) {
            own.insert(program);
            let after = annotations.partition_point(|step| step.span.start <= began);
            with_own.extend(after.checked_sub(1));
        } else {
            others.insert(program);
        }
    }
    // Otherwise, other threads do the work of the steps.
    if with_own.len() * 10 < annotations.len() * 9 {
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
