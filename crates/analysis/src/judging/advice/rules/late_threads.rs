//! A thread that waits for a result and goes on long after the result was ready.
//!
//! ```text
//! device   [ run ]                              [ run ]
//! host  [ wait          : ready, no core        ][launch]
//! ```
//!
//! A wait ends when the operating system gives the thread a core. An idle host does that within
//! microseconds.
//!
//! `jax.block_until_ready(tree)` waits for all arrays at once, in a native call that is not recorded: what
//! follows the last call within its frame is that wait. Afterwards it needs the interpreter, so its frame
//! tells only where no other thread runs Python.

use std::borrow::Cow;

use stepscope_model::{
    Activity, DeviceId, DeviceKind, Direction, HostId, LabelId, Picos, SaturatingSum as _, Session,
    SliceKind, Span, Track, TrackId,
};

use crate::judging::advice::facts::{Facts, Place};
use crate::judging::advice::report::AdviceFinding;
use crate::judging::verdict::Severity;
use crate::measuring::activity::{Activities, Awaits, Cause, driving_threads, own_tracks};
use crate::measuring::interval::Intervals;
use crate::measuring::pauses::Pauses;
use crate::measuring::work::AllWork;
use crate::telling::format;
use crate::views::idle::GapRow;

/// Share of the time of the longest gaps that late threads explain.
const MOSTLY: f64 = 0.5;
/// No idle host takes so long to let a thread go on.
const LEAST_PS: f64 = 1e9;

/// How late threads go on.
pub(super) struct Late {
    /// Mean over gaps.
    mean_ps: f64,
    longest_ps: i64,
}

impl Late {
    /// In the longest gaps of a place with these causes; none if that does not explain most of them.
    pub(super) fn of(
        facts: &Facts<'_>,
        (host, device): Place,
        counts: impl Fn(&GapRow) -> bool,
    ) -> Option<Self> {
        let gaps = facts.gaps().longest.iter();
        let own = gaps.filter(|gap| {
            let is_own = device.is_none_or(|device| device.0 == gap.device_index);
            is_own && counts(gap)
        });
        let gaps: Vec<(Span, i64)> = own
            .map(|gap| {
                let start = Picos(gap.start_ps);
                let span = Span::new(start, start + Picos(gap.duration_ps));
                (span, gap.cause_ps)
            })
            .collect();
        let threads = Threads::of(facts, host);
        let late = gaps.iter().map(|&(gap, _)| threads.late_ps(gap));
        let late: Vec<i64> = late.collect();
        let all_ps = gaps.iter().map(|&(_, cause_ps)| cause_ps).saturating_sum() as f64;
        let sum_ps = late.iter().copied().saturating_sum() as f64;
        let mean_ps = sum_ps / gaps.len().max(1) as f64;
        (sum_ps >= MOSTLY * all_ps && mean_ps >= LEAST_PS).then_some(Self {
            mean_ps,
            longest_ps: late.into_iter().max().unwrap_or(0),
        })
    }

    /// ` In the longest of these gaps, the result was ready …`
    pub(super) fn told(&self) -> String {
        format!(
            " In the longest of these gaps, the result was ready {} on average, and up to {}, before the \
             thread that waits for it went on.",
            format::duration_ps(self.mean_ps),
            format::duration_ps(self.longest_ps as f64)
        )
    }

    /// A finding about it. What takes the cores of the machine is no fault of a program on them.
    pub(super) fn explains(facts: &Facts<'_>, finding: AdviceFinding) -> AdviceFinding {
        let gravest = if facts.is_cpu_only() {
            Severity::Warning
        } else {
            Severity::Bad
        };
        AdviceFinding {
            severity: finding.severity.max(gravest),
            ..finding.titled(TITLE.to_owned()).why(WHY).fix(FIX)
        }
    }
}

pub(super) const TITLE: &str = "The waiting thread goes on late";
pub(super) const WHY: &str = "The device had finished, and the thread that waited for it got no core: the cores of the host \
                              are busy, with other processes or with other threads of this one.";
pub(super) const FIX: &str = "Look at what else runs on the host, and give the process more cores or run fewer threads: \
                              loaders, and libraries that start one per core (OMP_NUM_THREADS). Work that is launched \
                              before the wait begins is not delayed.";

/// The threads that drive the devices of a host, and when these work.
struct Threads<'a> {
    session: &'a Session,
    tracks: Vec<Cow<'a, Track>>,
    /// Waits that have no slice of their own.
    awaits: Vec<Span>,
    is_wait: Vec<bool>,
    /// Frames that end with a wait.
    ends_waiting: Vec<bool>,
    is_read: Vec<bool>,
    devices: Vec<DeviceId>,
}

impl<'a> Threads<'a> {
    fn of(facts: &'a Facts<'_>, host: HostId) -> Self {
        let session = facts.session;
        let ids = driving_threads(session, &[host], facts.selected.loops()).concat();
        let finder = Awaits::of(session);
        let tracks = ids.iter().map(|&id| session.track_in_passing(id));
        let tracks: Vec<Cow<'_, Track>> = tracks.collect();
        let of_ids = ids.iter().zip(&tracks);
        let awaits: Vec<Span> = of_ids
            .flat_map(|(&id, track)| finder.on(id, track))
            .map(|wait| wait.span)
            .collect();
        let activities = Activities::of(session);
        let labels = (0..session.labels.len()).map(stepscope_model::LabelId::from_index);
        // A frame of Python also waits for its turn to run Python.
        let is_wait = labels.clone().map(|id| {
            let is_native = session.label(id).kind != SliceKind::Python;
            is_native && Cause::of(activities.label(id)) == Cause::Blocked
        });
        let is_read =
            labels.map(|id| activities.label(id) == Activity::Transfer(Direction::DeviceToHost));
        let labels = session.labels.iter();
        let ends_waiting = if runs_python_elsewhere(session, host, &ids) {
            vec![false; session.labels.len()]
        } else {
            let is_frame = labels.map(|label| {
                label.kind == SliceKind::Python && is_blocking_frame(session.text(label.name))
            });
            is_frame.collect()
        };
        let devices = facts
            .working()
            .filter(|&id| session.device(id).host == host);
        Self {
            session,
            awaits,
            is_wait: is_wait.collect(),
            ends_waiting,
            is_read: is_read.collect(),
            devices: devices.collect(),
            tracks,
        }
    }

    /// How long the thread that waits when a gap begins still waits when all devices of the host are done.
    fn late_ps(&self, gap: Span) -> i64 {
        let slices = self
            .tracks
            .iter()
            .filter_map(|track| self.waits_at(track, gap.start));
        let awaits = self.awaits.iter().copied();
        let waits =
            awaits.filter(|wait| wait.contains_instant(gap.start) && wait.start < gap.start);
        let Some(until) = slices.chain(waits).map(|wait| wait.end).max() else {
            return 0;
        };
        let waited = Span::new(gap.start, until.min(gap.end));
        let work = AllWork::of(self.session);
        let pauses = Pauses::of(self.session);
        // A device that pauses with work to do is not done.
        let works = self.devices.iter();
        let ends = works.filter_map(|&device| {
            let own = work.within(self.session, device, &[waited]);
            let idle = pauses.of_device(self.session, device).clip(waited);
            let last = |times: &Intervals| times.spans().last().map(|span| span.end);
            last(&own).max(last(&idle))
        });
        let ready = ends.max().unwrap_or(waited.start);
        (waited.end - ready).0.max(0)
    }

    /// The innermost wait of a thread that began before an instant and ends after it. What a thread reads
    /// from an accelerator is copied meanwhile, which may not be recorded.
    fn waits_at(&self, track: &Track, instant: Picos) -> Option<Span> {
        let mut found = None;
        let on_cpu = self
            .devices
            .iter()
            .all(|&id| self.session.device(id).kind == DeviceKind::Cpu);
        for lane in &track.lanes {
            for index in lane.overlapping(Span::new(instant, instant + Picos(1))) {
                let (label, span) = (lane.labels()[index].index(), lane.span(index));
                if self.is_read[label] && !on_cpu {
                    return None;
                }
                if self.is_wait[label] && span.start < instant {
                    found = Some(span);
                } else if self.ends_waiting[label] {
                    let start = last_end_within(track, span);
                    if start < instant {
                        found = Some(Span::new(start, span.end));
                    }
                }
            }
        }
        found
    }
}

/// JAX's function that waits for all arrays of a tree: `$api.py:2778 block_until_ready`.
fn is_blocking_frame(name: &str) -> bool {
    name.starts_with("$api.py:") && name.ends_with(" block_until_ready")
}

/// When the last call within a frame ended; when the frame began, if it calls nothing.
fn last_end_within(track: &Track, frame: Span) -> Picos {
    let lanes = track.lanes.iter();
    let ends = lanes.flat_map(|lane| {
        let within = lane.overlapping(frame).map(|index| lane.span(index));
        within.filter(|&span| frame.contains(span) && span != frame)
    });
    ends.map(|span| span.end).max().unwrap_or(frame.start)
}

/// Whether a thread other than these ran Python.
fn runs_python_elsewhere(session: &Session, host: HostId, driving: &[TrackId]) -> bool {
    let mut others = own_tracks(session, host).filter(|id| !driving.contains(id));
    others.any(|id| {
        let is_frame = |label: LabelId| session.label(label).kind == SliceKind::Python;
        session.track_having(id, is_frame).is_some()
    })
}
