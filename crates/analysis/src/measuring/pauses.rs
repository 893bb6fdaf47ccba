//! Pauses: when a device did nothing although it had work, so its host is not the cause.
//!
//! ```text
//! host      [launch 1][launch 2]......
//! device    [ run 1   ██  ██ ]   [ run 2   ███  ]
//! pauses              ^^     ^^^^             between ops of a program that the device runs on its
//!                                             own, and before a program that was already launched
//! ```
//!
//! A call that compiles launches its program afterwards: until then, the host is the cause.
//!
//! On a GPU the host launches every kernel, so gaps within a run are not pauses of the device. What it
//! waits after a launch returned is: see [`long_launches`]. On XLA:CPU, a program may be incomplete after
//! its last op: see [`completions`]. Of several devices, one may be done with its part of a run before
//! the others: see [`tails`]; or several work one after another on what the host waits for: see [`relays`].

use std::borrow::Cow;
use std::sync::Arc;

use stepscope_model::{DeviceId, DeviceKind, Program, ProgramRun, Session, Span};

use crate::measuring::compiled_calls::CompiledCalls;
use crate::measuring::completions::completions;
use crate::measuring::interval::Intervals;
use crate::measuring::long_launches::long_launches;
use crate::measuring::relays::relays;
use crate::measuring::tails::tails;
use crate::measuring::work::AllWork;

/// Pauses of every device: found once per session and kept, or with many hosts found for whoever
/// asks.
pub(crate) struct Pauses {
    work: Arc<AllWork>,
    calls: Arc<CompiledCalls>,
    /// Positions of each device's program runs, by start.
    runs: Vec<Vec<u32>>,
    /// By device: launches on their way, and programs that are not complete.
    others: Vec<Intervals>,
    /// By device: when another one still worked on the same run.
    tails: Vec<Intervals>,
    /// By device: when the host waited for another one.
    relays: Vec<Intervals>,
    /// By device; empty with many hosts.
    kept: Vec<Intervals>,
}

impl Pauses {
    /// Computes or reuses the pauses of the session.
    pub(crate) fn of(session: &Session) -> Arc<Self> {
        session.memo.get_or_compute(|| {
            let mut pauses = Self {
                work: AllWork::of(session),
                calls: CompiledCalls::of(session),
                runs: vec![Vec::new(); session.devices.len()],
                others: Vec::new(),
                tails: Vec::new(),
                relays: Vec::new(),
                kept: Vec::new(),
            };
            let is_trial = Program::trials(&session.programs);
            for (position, run) in (0..).zip(&session.program_runs) {
                // The compiler, not the device, decides when it tries out the next one.
                if is_trial[run.program.index()] {
                    continue;
                }
                pauses.runs[run.device.index()].push(position);
            }
            let runs = session
                .device_ids()
                .map(|device| pauses.runs(session, device));
            let runs: Vec<Vec<&ProgramRun>> = runs.collect();
            let incomplete = completions(session, &runs).into_iter();
            let launches = long_launches(session, &runs);
            let both = incomplete.zip(&launches);
            let others = both.map(|(one, other)| one.union(other)).collect();
            let tails = tails(session, &runs);
            let relays = relays(session, &runs, &pauses.calls);
            (pauses.others, pauses.tails, pauses.relays) = (others, tails, relays);
            if !session.has_many_hosts() {
                let devices = session.device_ids();
                pauses.kept = devices.map(|device| pauses.find(session, device)).collect();
            }
            pauses
        })
    }

    /// Pauses of one device.
    pub(crate) fn of_device(&self, session: &Session, device: DeviceId) -> Cow<'_, Intervals> {
        match self.kept.get(device.index()) {
            Some(own) => Cow::Borrowed(own),
            None => Cow::Owned(self.find(session, device)),
        }
    }

    /// When a device had done its part of a run, and another one had not.
    pub(crate) fn tails_of(&self, device: DeviceId) -> &Intervals {
        &self.tails[device.index()]
    }

    /// When a device had nothing to do, and its host waited for another one.
    pub(crate) fn relays_of(&self, device: DeviceId) -> &Intervals {
        &self.relays[device.index()]
    }

    fn runs<'a>(&self, session: &'a Session, device: DeviceId) -> Vec<&'a ProgramRun> {
        let own = self.runs[device.index()].iter();
        let run = |&position: &u32| &session.program_runs[position as usize];
        own.map(run).collect()
    }

    fn find(&self, session: &Session, device: DeviceId) -> Intervals {
        let runs = self.runs(session, device);
        let spans = spans(session.device(device).kind, &runs, &self.calls);
        let spans = Intervals::union_of(spans).union(&self.others[device.index()]);
        let spans = spans.union(&self.tails[device.index()]);
        let spans = spans.union(&self.relays[device.index()]);
        spans.subtract(&self.work.of_device(session, device))
    }
}

/// Times in which a device had work: while it ran a program on its own, and between two runs if the
/// second was handed over before the first began. A launch takes a while to arrive, so a launch during
/// the first run does not prove that the device had work.
fn spans(kind: DeviceKind, runs: &[&ProgramRun], calls: &CompiledCalls) -> Vec<Span> {
    let runs_by_itself = !kind.is_gpu();
    let within = runs.iter().filter(|_| runs_by_itself).map(|run| run.span);
    let between = runs.windows(2).filter_map(|pair| {
        let (first, second) = (pair[0].span, pair[1].span);
        let is_queued = calls.handed_over(pair[1])? <= first.start && first.end < second.start;
        is_queued.then_some(Span {
            start: first.end,
            end: second.start,
        })
    });
    within.chain(between).collect()
}
