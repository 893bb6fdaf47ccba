//! Slices and arrow ends that stay in the file until they are first used.
//!
//! Threads that run XLA:CPU ops also record as many slices of their own, and a host of TPUs has a
//! hundred threads; most questions never read them. Of many hosts, what devices did stays there too:
//! it would fill memory, and questions that read all of it read it in passing. Opening counts
//! and nests slices; their memory is allocated, and filled by a second pass over the same bytes, when
//! a lane is first read. Such a pass also finds their arrow ends, and those of the Python thread,
//! whose slices show what a device waited for and are read immediately. Of many hosts nothing is read
//! immediately, and ops of XLA:CPU stay in the file as well: all that a thread ran is decoded again as it
//! was at first, with the ends that other threads knew. Kernels of GPUs are followed to their launches
//! while the session is put together: with few hosts, nothing is deferred beside them; with many, a
//! host's slices are forgotten again before the next host is read.

use std::ops::Range;
use std::sync::Arc;

use stepscope_xplane::{Line, Space};

use super::async_ops::Marked;
use super::decode::{LineInput, TrackKind, decode_track};
use super::input::HostInput;
use super::nest::{Keep, NestedLane, Nester, Target};
use crate::flow::FlowEnd;
use crate::ids::LabelId;
use crate::session::ProfileData;
use crate::slices::{ColumnsMut, SliceBlock};
use crate::track::TrackRole;
use crate::vendor::stats::StatRoles;

/// A thread with fewer bytes is not worth a second pass.
const LEAST_BYTES: usize = 4 << 10;

/// What is needed to decode a thread again.
pub(super) struct Deferred {
    bytes: Arc<dyn ProfileData>,
    lines: Vec<DeferredLine>,
    kind: TrackKind,
    /// The part of the thread that is not deferred.
    pub(super) keep: Keep,
}

/// A line of the thread, by its position in the file.
struct DeferredLine {
    plane: u32,
    line_position: u32,
    range: Range<usize>,
    roles: Arc<StatRoles>,
    muted: Arc<[Option<Marked>]>,
    base_ps: i64,
}

impl Deferred {
    /// Whether the track's own slices or arrow ends can be deferred: those of threads, and, of many
    /// hosts, those of devices.
    pub(super) fn of(
        lines: &[LineInput<'_>],
        kind: TrackKind,
        role: TrackRole,
        of_many: bool,
        space: &Space<'_>,
        input: &HostInput,
    ) -> Option<Self> {
        let bytes: usize = lines.iter().map(|input| input.line.byte_len()).sum();
        if bytes < LEAST_BYTES {
            return None;
        }
        let keep = match role {
            TrackRole::HostThread if kind.is_host => Keep::AllButOwn,
            TrackRole::Python if kind.is_host && !of_many => Keep::Slices,
            // Runs and steps are found from rows of their own, before anything is asked.
            TrackRole::HostThread
            | TrackRole::Python
            | TrackRole::Ops
            | TrackRole::Stream
            | TrackRole::AsyncOps
            | TrackRole::KernelRegions
            | TrackRole::Derived
                if of_many =>
            {
                Keep::AllButOwn
            }
            _ => return None,
        };
        let lines = lines.iter().map(|input| {
            let start = space.offset_of(input.line.as_bytes());
            DeferredLine {
                plane: input.plane,
                line_position: input.line_position,
                range: start..start + input.line.byte_len(),
                roles: Arc::clone(input.roles),
                muted: Arc::clone(input.muted),
                base_ps: input.base_ps,
            }
        });
        Some(Self {
            lines: lines.collect(),
            bytes: Arc::clone(&input.bytes),
            kind,
            keep,
        })
    }

    /// A block for the lanes of the thread's own slices, whose keys have these labels.
    pub(super) fn block(
        self: &Arc<Self>,
        lanes: &[NestedLane],
        labels: &Arc<[LabelId]>,
    ) -> SliceBlock {
        let mut rows: Vec<(u32, Range<usize>)> = lanes
            .iter()
            .map(|lane| (lane.row, lane.range.clone()))
            .collect();
        rows.sort_unstable_by_key(|(row, _)| *row);
        let rows: Vec<Range<usize>> = rows.into_iter().map(|(_, range)| range).collect();
        let count = rows.iter().map(ExactSizeIterator::len).sum();
        let labels = Arc::clone(labels);
        let deferred = Arc::clone(self);
        SliceBlock::deferred(count, move |columns| {
            deferred.fill(columns, rows.clone(), &labels);
        })
    }

    fn fill(&self, columns: ColumnsMut<'_>, rows: Vec<Range<usize>>, labels: &[LabelId]) {
        let mut nester = Nester::into_target(Target {
            columns,
            rows,
            labels,
        });
        self.decode(|lines, kind| decode_track(lines, kind, &mut nester));
    }

    /// The arrow ends of the thread's own slices.
    pub(super) fn ends(&self) -> Vec<FlowEnd> {
        let mut nester = Nester::for_ends();
        self.decode(|lines, kind| decode_track(lines, kind, &mut nester));
        nester.finish_ends()
    }

    /// What `decode` makes of the thread's lines.
    pub(super) fn decode<R>(&self, decode: impl FnOnce(&[LineInput<'_>], TrackKind) -> R) -> R {
        let bytes = (*self.bytes).as_ref();
        let part = |line: &DeferredLine| bytes.get(line.range.clone()).unwrap_or_default();
        let lines: Vec<Line<'_>> = self
            .lines
            .iter()
            .map(|line| Line::decode(part(line)))
            .collect();
        let inputs = self
            .lines
            .iter()
            .zip(&lines)
            .map(|(place, line)| LineInput {
                plane: place.plane,
                line_position: place.line_position,
                line,
                roles: &place.roles,
                muted: &place.muted,
                base_ps: place.base_ps,
            });
        let inputs: Vec<LineInput<'_>> = inputs.collect();
        let decoded = decode(&inputs, self.kind);
        for line in &self.lines {
            self.bytes.release(line.range.clone());
        }
        decoded
    }
}
