//! Pauses: when a device did nothing although it had work, so that its host is not to blame.
//!
//! ```text
//! host      [launch 1][launch 2]......
//! device    [ run 1   ██  ██ ]   [ run 2   ███  ]
//! pauses              ^^     ^^^^             between ops of a program that the device runs by
//!                                             itself, and before one that was launched long ago
//! ```
//!
//! A GPU is handed every kernel by its host, so that gaps within a run say nothing of the device.

use std::sync::Arc;

use stepscope_model::{DeviceId, DeviceKind, ProgramRun, Session, Span};

use crate::measuring::interval::Intervals;
use crate::measuring::work::AllWork;

/// Pauses of every device, found once per session.
pub(crate) struct Pauses(Vec<Intervals>);

impl Pauses {
    /// Of the session.
    pub(crate) fn of(session: &Session) -> Arc<Self> {
        session.memo.get_or_compute(|| {
            let mut runs: Vec<Vec<&ProgramRun>> = vec![Vec::new(); session.devices.len()];
            for run in &session.program_runs {
                runs[run.device.index()].push(run);
            }
            let work = AllWork::of(session);
            let of_device = |(device, mut runs): (DeviceId, Vec<&ProgramRun>)| {
                runs.sort_unstable_by_key(|run| run.span);
                let spans = spans(session.device(device).kind, &runs);
                Intervals::union_of(spans).subtract(work.of_device(device))
            };
            Self(session.device_ids().zip(runs).map(of_device).collect())
        })
    }

    /// Of one device.
    pub(crate) fn of_device(&self, device: DeviceId) -> &Intervals {
        &self.0[device.index()]
    }
}

/// Times in which a device had work: while it ran a program by itself, and between two runs where the
/// second was launched before the first began. A launch takes a while, so one during the first run
/// proves nothing.
fn spans(kind: DeviceKind, runs: &[&ProgramRun]) -> Vec<Span> {
    let runs_by_itself = !kind.is_gpu();
    let within = runs.iter().filter(|_| runs_by_itself).map(|run| run.span);
    let between = runs.windows(2).filter_map(|pair| {
        let (first, second) = (pair[0].span, pair[1].span);
        let is_queued = pair[1].launched? <= first.start && first.end < second.start;
        is_queued.then_some(Span {
            start: first.end,
            end: second.start,
        })
    });
    within.chain(between).collect()
}
