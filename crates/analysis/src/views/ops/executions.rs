//! How often an op was executed. On GPU, this differs from how many kernels it launched.
//!
//! An op may be lowered to several kernels. Counting its work once per kernel, as other tools do,
//! multiplies its FLOP rate. The evidence, best first:
//!
//! 1. The op is in the entry computation, so it runs once per program run: executions = runs of the
//!    program on the device that start in the selected steps, but at most what (2) gives: of a run that
//!    was cut, only some ops were recorded.
//! 2. Otherwise, each execution launches every distinct kernel of the op at least once: executions =
//!    launches of the kernel with the most launches.

use rustc_hash::FxHashMap;
use stepscope_model::{DeviceId, LabelId, OpId, ProgramId, Session, SliceKind, Span, StringId};

use super::key::{Key, key_of};
use crate::measuring::interval::Intervals;
use crate::measuring::selection::Selected;
use crate::measuring::totals::Totals;

/// Executions of the ops on one GPU.
pub(super) struct Executions<'a> {
    session: &'a Session,
    /// For ops that launched kernels: launches of the kernel with the most launches.
    most_launches: FxHashMap<OpId, i64>,
    runs: FxHashMap<ProgramId, i64>,
}

impl<'a> Executions<'a> {
    pub(super) fn new(
        session: &'a Session,
        selected: &Selected<'_>,
        device: DeviceId,
        labels: &[(LabelId, Totals)],
    ) -> Self {
        if !session.device(device).kind.is_gpu() {
            let (most_launches, runs) = Default::default();
            return Self {
                session,
                most_launches,
                runs,
            };
        }
        let windows = Intervals::union_of(selected.windows(device));
        Self {
            session,
            most_launches: most_launches(session, labels),
            runs: runs(session, device, windows.spans()),
        }
    }

    /// Number of executions that a group of slices represents.
    pub(super) fn of(&self, key: Key, occurrences: i64) -> i64 {
        let Key::Op(op) = key else { return occurrences };
        let Some(&most_launches) = self.most_launches.get(&op) else {
            return occurrences;
        };
        let runs = self.runs.get(&self.session.op(op).program).copied();
        match runs.filter(|_| is_in_entry(self.session, op)) {
            Some(runs) if runs > 0 => runs.min(most_launches),
            _ => most_launches,
        }
    }
}

/// Launches of the most launched kernel per op. All launch geometries of a kernel name are summed.
fn most_launches(session: &Session, labels: &[(LabelId, Totals)]) -> FxHashMap<OpId, i64> {
    let mut by_kernel: FxHashMap<(OpId, StringId), i64> = FxHashMap::default();
    let mut most: FxHashMap<OpId, i64> = FxHashMap::default();
    for &(id, totals) in labels {
        let label = session.label(id);
        let is_launch = matches!(label.kind, SliceKind::Kernel | SliceKind::Transfer);
        let Key::Op(op) = key_of(label) else { continue };
        if is_launch {
            let launches = by_kernel.entry((op, label.name)).or_default();
            *launches = launches.saturating_add(totals.occurrences);
            let most = most.entry(op).or_default();
            *most = (*most).max(*launches);
        }
    }
    most
}

/// Runs of each program that start within the windows.
fn runs(session: &Session, device: DeviceId, windows: &[Span]) -> FxHashMap<ProgramId, i64> {
    let mut runs = FxHashMap::default();
    for run in session
        .program_runs
        .iter()
        .filter(|run| run.device == device)
    {
        let next = windows.partition_point(|window| window.end <= run.span.start);
        if windows
            .get(next)
            .is_some_and(|window| window.contains_instant(run.span.start))
        {
            *runs.entry(run.program).or_default() += 1;
        }
    }
    runs
}

fn is_in_entry(session: &Session, op: OpId) -> bool {
    let op = session.op(op);
    let Some(hlo) = &session.program(op.program).hlo else {
        return false;
    };
    let Some(entry) = hlo.entry_computation else {
        return false;
    };
    let instruction = hlo.instruction(session.text(op.name));
    instruction.is_some_and(|instruction| instruction.computation == entry)
}
