//! Regions that TPU kernels recorded while they ran, by op.
//!
//! The row `XLA TraceMe` of a TPU holds what kernels record about themselves: in `ep_wait_in`, the
//! pipeline of a Pallas kernel waits for its inputs to be copied in; `ep_run_kernel` is its body. The
//! rows `Pallas Primitives` and `LLO Ops` hold what was traced within kernels: the primitives that
//! the author called, and the compiler's instructions by unit. A region belongs to the innermost op
//! on the same device in which it starts.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use stepscope_model::{DeviceId, LabelId, OpId, Session, SliceKind, StringId, Track, TrackRole};

use super::report::OpRegion;
use crate::measuring::interval::Intervals;
use crate::measuring::selection::Selected;

/// The row that kernels record regions on by themselves.
const ROW: &str = "XLA TraceMe";

/// Time of one region in one op.
#[derive(Default)]
struct Sum {
    occurrences: i64,
    total_ps: i64,
}

/// Regions of the selected devices by op, longest first.
pub(crate) fn regions_within(session: &Session, selected: &Selected<'_>) -> Vec<OpRegion> {
    let mut sums: FxHashMap<(OpId, LabelId, StringId), Sum> = FxHashMap::default();
    let is_selected = selected.labels();
    for &device in &selected.devices {
        let rows: Vec<Cow<'_, Track>> = rows(session, device).collect();
        if rows.is_empty() {
            continue;
        }
        let windows = Intervals::union_of(selected.windows(device));
        let ops = Ops::of(session, device);
        let lanes = rows.iter().flat_map(|track| {
            let name = track.name;
            track.lanes.iter().map(move |lane| (name, lane))
        });
        for (row, lane) in lanes {
            let windows = windows.spans().iter();
            for index in windows.flat_map(|&window| lane.starting_in(window)) {
                let found = ops.at(session, lane.starts()[index]);
                let Some((op, _)) = found.filter(|(_, label)| is_selected[label.index()]) else {
                    continue;
                };
                let sum = sums.entry((op, lane.labels()[index], row)).or_default();
                sum.occurrences += 1;
                sum.total_ps = sum.total_ps.saturating_add(lane.durations()[index]);
            }
        }
    }
    let mut regions: Vec<OpRegion> = sums
        .into_iter()
        .map(|((op, label, row), sum)| OpRegion {
            row: session.text(row).to_owned(),
            ..region(session, op, label, &sum)
        })
        .collect();
    regions.sort_by(|a, b| {
        let names = |own: &OpRegion| {
            let program = own.program_id.clone();
            (own.op.clone(), program, own.name.clone(), own.row.clone())
        };
        b.total_ps
            .cmp(&a.total_ps)
            .then_with(|| names(a).cmp(&names(b)))
    });
    regions
}

fn region(session: &Session, op: OpId, label: LabelId, sum: &Sum) -> OpRegion {
    let op = session.op(op);
    let name = session.label_name(label);
    OpRegion {
        op: session.text(op.name).to_owned(),
        program_id: session.program(op.program).id.to_string(),
        name: name.to_owned(),
        row: String::new(),
        occurrences: sum.occurrences,
        total_ps: sum.total_ps,
        op_ratio: None,
        is_wait: name.contains("wait"),
    }
}

/// The rows of a device that show what happens within kernels.
fn rows(session: &Session, device: DeviceId) -> impl Iterator<Item = Cow<'_, Track>> {
    let tracks = session.device_tracks(device).map(|(_, track)| track);
    tracks.filter(|track| match track.role {
        TrackRole::KernelRegions => true,
        TrackRole::Other => session.text(track.name) == ROW,
        _ => false,
    })
}

/// The ops of a device by time.
struct Ops<'a> {
    tracks: Vec<Cow<'a, Track>>,
}

impl<'a> Ops<'a> {
    fn of(session: &'a Session, device: DeviceId) -> Self {
        let tracks = session.work_tracks(device).map(|(_, track)| track);
        Self {
            tracks: tracks
                .filter(|track| track.role == TrackRole::Ops)
                .collect(),
        }
    }

    /// The shortest op that contains an instant, which is the innermost of nested ops.
    fn at(&self, session: &Session, instant: i64) -> Option<(OpId, LabelId)> {
        let lanes = self.tracks.iter().flat_map(|track| &track.lanes);
        let around = lanes.filter_map(|lane| {
            let next = lane.starts().partition_point(|&start| start <= instant);
            let index = next.checked_sub(1)?;
            let duration = lane.durations()[index];
            let is_around = instant < lane.starts()[index].saturating_add(duration);
            let id = lane.labels()[index];
            let label = session.label(id);
            let op = label
                .op
                .filter(|_| is_around && label.kind == SliceKind::Op)?;
            Some((duration, op, id))
        });
        around.min().map(|(_, op, label)| (op, label))
    }
}
