//! The phases of one request. Each instant counts once.

use stepscope_model::host_names::is_batch_formation;
use stepscope_model::{Activity, Direction, Label, SaturatingSum as _, Session, SliceKind, Span};

use super::report::PHASES;
use crate::measuring::interval::Intervals;
use crate::measuring::work::NO_LEVEL;

// Positions in [`PHASES`].
const PREPARE: usize = 0;
const QUEUE: usize = 1;
const FORMATION: usize = 2;
const COMPILATION: usize = 3;
const RUNTIME: usize = 4;
const TO_DEVICE: usize = 5;
const DEVICE: usize = 6;
const TO_HOST: usize = 7;
const FINISH: usize = 8;
const IDLE: usize = 9;

/// Number of host activities that the phases distinguish.
pub(super) const THREAD_LEVELS: usize = 6;
/// The one of them that compiles.
const COMPILES: u8 = 5;

pub(super) fn thread_level(session: &Session, label: &Label, is_root: bool) -> u8 {
    let activity = label.activity;
    if is_root || label.kind == SliceKind::Marker || label.kind.is_work() {
        return NO_LEVEL;
    }
    if activity != Activity::None && is_batch_formation(session.text(label.name)) {
        return 0;
    }
    match activity {
        Activity::Transfer(Direction::HostToDevice) => 1,
        Activity::Transfer(Direction::DeviceToHost) => 2,
        Activity::Dispatch
        | Activity::Runtime
        | Activity::Transfer(_)
        | Activity::GarbageCollection => 3,
        Activity::Compile(_) => COMPILES,
        Activity::None | Activity::Blocked | Activity::Sleep => NO_LEVEL,
        _ => 4,
    }
}

/// The phases of a request, which sum to its span. `core` is its batch, or the request itself.
pub(super) fn phases(
    request: Span,
    core: Span,
    devices: &[Intervals],
    own: Option<&[Intervals]>,
    worker: Option<&[Intervals]>,
    is_batched: bool,
) -> [i64; PHASES.len()] {
    let mut phases = [0i64; PHASES.len()];
    let core = core.intersection(request).unwrap_or(request);
    let within = |times: &Intervals, span: Span| times.clip(span);
    let thread = |level: usize, span: Span| {
        worker.map_or_else(Intervals::default, |times| within(&times[level], span))
    };
    // In the batch: device work, copies by device and host, formation, compilation, then the rest of the
    // host. A call that compiles dispatches only once it has compiled.
    let first = [
        (DEVICE, within(&devices[0], core)),
        (TO_DEVICE, within(&devices[1], core)),
        (TO_HOST, within(&devices[2], core)),
        (FORMATION, thread(0, core)),
        (TO_DEVICE, thread(1, core)),
        (TO_HOST, thread(2, core)),
        (COMPILATION, thread(usize::from(COMPILES), core)),
    ];
    let mut taken = Intervals::default();
    for (phase, times) in first {
        let rest = times.subtract(&taken);
        phases[phase] += rest.duration().0;
        taken = taken.union(&rest);
    }
    let device = within(&devices[0], core);
    let started = device.spans().first().map_or(core.end, |span| span.start);
    let ended = device.spans().last().map_or(core.end, |span| span.end);
    let (runtime, other) = (thread(3, core), thread(4, core).subtract(&thread(3, core)));
    let mut claim = |phase: usize, times: Intervals, taken: &mut Intervals| {
        let rest = times.subtract(taken);
        phases[phase] += rest.duration().0;
        *taken = taken.union(&rest);
    };
    claim(RUNTIME, runtime, &mut taken);
    let before = Span {
        start: core.start,
        end: started,
    };
    let after = Span {
        start: ended.max(started),
        end: core.end.max(ended),
    };
    claim(PREPARE, within(&other, before), &mut taken);
    claim(FINISH, within(&other, after), &mut taken);
    claim(RUNTIME, other, &mut taken);
    if is_batched {
        let ahead = Span {
            start: request.start,
            end: core.start,
        };
        let behind = Span {
            start: core.end,
            end: request.end,
        };
        let own_work = |span: Span| {
            own.map_or_else(Intervals::default, |times| {
                let all = times.iter().map(|times| within(times, span));
                all.fold(Intervals::default(), |sum, next| sum.union(&next))
            })
        };
        let compiles = own.map(|times| within(&times[usize::from(COMPILES)], ahead));
        let compiled_ps = compiles.map_or(0, |times| times.duration().0);
        let own_ps = own_work(ahead).duration().0;
        phases[COMPILATION] += compiled_ps;
        phases[PREPARE] += own_ps - compiled_ps;
        phases[QUEUE] += ahead.duration().0 - own_ps;
        phases[FINISH] += own_work(behind).duration().0;
    }
    let known: i64 = phases.iter().saturating_sum();
    phases[IDLE] = request.duration().0 - known;
    phases
}
