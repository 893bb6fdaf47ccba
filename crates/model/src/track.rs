//! Tracks, nests, lanes: where slices are stored.
//!
//! ```text
//! track "XLA Ops"
//! ├─ nest 0                        slices nested by containment
//! │   ├─ lane 0   ███████████  ███████
//! │   └─ lane 1   ███ ████       ██        each within one slice of the lane above
//! └─ nest 1                        slices that partly overlap nest 0
//!     └─ lane 2        ████████████
//! ```
//!
//! Within a lane, slices are sorted and never overlap, so starts and ends are both sorted and a
//! window is found by binary search. Columns, not structs: a full-width tile reads only starts.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use bytemuck::TransparentWrapper as _;

use crate::ids::{DeviceId, HostId, LabelId, StringId, TrackId};
use crate::relabeled::Relabeled;
use crate::slices::SliceBlock;
use crate::units::{Picos, Span};

/// One row of time.
#[derive(Debug, Clone)]
pub struct Track {
    /// Name to show.
    pub name: StringId,
    /// Host it was recorded on.
    pub host: HostId,
    /// The process it was recorded in, if that is not the profiled process but a helper, such as a
    /// data loader.
    pub process: Option<u32>,
    /// Device it belongs to; none for host threads.
    pub device: Option<DeviceId>,
    /// The type of row.
    pub role: TrackRole,
    /// Line id in the file (thread or stream number).
    pub line_id: i64,
    /// Lanes of all nests, nest by nest, outermost first.
    pub lanes: Vec<Lane>,
    /// For each nest the range of its lanes in `lanes`.
    pub nests: Vec<Range<u32>>,
    /// Labels that its slices may have, ascending.
    pub labels: Arc<[LabelId]>,
    /// Samples, for counter tracks.
    pub samples: Option<Samples>,
    /// Where the events are in the file, for details.
    pub origin: Origin,
}

/// The type of row that a track is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TrackRole {
    /// Recorded steps.
    Steps,
    /// Program runs.
    Programs,
    /// Ops of a device: the row that busy time is computed from.
    Ops,
    /// Spans of asynchronous ops.
    AsyncOps,
    /// A GPU stream: the row that busy time is computed from.
    Stream,
    /// What happens within the kernels of a device: regions and units of TPU kernels.
    KernelRegions,
    /// Rows derived by other tools.
    Derived,
    /// Samples over time.
    Counter,
    /// Python frames and what the Python thread did.
    Python,
    /// A host thread.
    HostThread,
    /// Anything else.
    Other,
}

impl TrackRole {
    /// The word on the wire and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Steps => "steps",
            Self::Programs => "programs",
            Self::Ops => "ops",
            Self::AsyncOps => "async_ops",
            Self::Stream => "stream",
            Self::KernelRegions => "kernel_regions",
            Self::Derived => "derived",
            Self::Counter => "counter",
            Self::Python => "python",
            Self::HostThread => "host_thread",
            Self::Other => "other",
        }
    }
}

/// Ascending, each once.
pub(crate) fn distinct(mut labels: Vec<LabelId>) -> Arc<[LabelId]> {
    labels.sort_unstable();
    labels.dedup();
    labels.into()
}

/// Gives slices other labels, by lane and position in it.
pub(crate) fn relabel(
    tracks: &mut [Track],
    changed: BTreeMap<(TrackId, u32), Vec<(u32, LabelId)>>,
) {
    for ((track, lane), changes) in changed {
        let track = &mut tracks[track.index()];
        let lane = &mut track.lanes[lane as usize];
        let mut labels = lane.labels().to_vec();
        let mut all = track.labels.to_vec();
        for (index, label) in changes {
            labels[index as usize] = label;
            all.push(label);
        }
        lane.relabel(labels);
        track.labels = distinct(all);
    }
}

/// The source of a track's events: the plane and the lines of one host file, so that details of a
/// slice can be read again from the bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// Planes of the host's file that contain the lines, with the lines' positions in the plane.
    pub lines: Vec<LineOrigin>,
}

/// One line of one plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineOrigin {
    /// Position of the plane in the file.
    pub plane: u32,
    /// Position of the line in the plane.
    pub line: u32,
    /// Number of events in earlier lines of the same track: the ordinal of this line's first event.
    pub first_event: u32,
}

/// Slices side by side: sorted, never overlapping. All columns have the same length.
///
/// Slices of host threads, and of devices of many hosts, may still be in the file: then the first
/// access to a column of any lane of the track decodes them. [`Lane::len`], [`Lane::hull`], and
/// [`Track::may_have`] do not.
#[derive(Clone)]
pub struct Lane {
    block: Arc<SliceBlock>,
    range: Range<usize>,
    hull: Span,
    /// Labels that replace those of the block.
    labels: Option<Box<Relabeled>>,
}

impl Lane {
    pub(crate) const fn new(block: Arc<SliceBlock>, range: Range<usize>, hull: Span) -> Self {
        Self {
            block,
            range,
            hull,
            labels: None,
        }
    }

    /// Replaces the labels; there must be one for each slice.
    fn relabel(&mut self, labels: Vec<LabelId>) {
        debug_assert_eq!(labels.len(), self.len());
        let labels = if self.block.can_be_filled_again() {
            Relabeled::packed(labels)
        } else {
            Relabeled::kept(labels)
        };
        self.labels = Some(Box::new(labels));
    }

    /// A separate lane, from columns of equal length.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn from_columns(
        starts: &[i64],
        durations: &[i64],
        labels: &[LabelId],
        events: &[u32],
    ) -> Self {
        let mut block = SliceBlock::zeroed(starts.len());
        let columns = block.columns_mut();
        columns.starts.copy_from_slice(starts);
        columns.durations.copy_from_slice(durations);
        columns.labels.copy_from_slice(LabelId::peel_slice(labels));
        columns.events.copy_from_slice(events);
        let ends = starts.first().zip(starts.last()).zip(durations.last());
        let hull = ends.map(|((&first, &last), &duration)| {
            Span::new(Picos(first), Picos(last.saturating_add(duration)))
        });
        Self::new(Arc::new(block), 0..starts.len(), hull.unwrap_or_default())
    }

    /// From the first start to the last end; an empty span at time 0 if there are no slices.
    pub const fn hull(&self) -> Span {
        self.hull
    }

    /// First instant of each slice.
    #[inline]
    pub fn starts(&self) -> &[i64] {
        self.block.starts(self.range.clone())
    }

    /// Duration of each slice, in picoseconds.
    #[inline]
    pub fn durations(&self) -> &[i64] {
        self.block.durations(self.range.clone())
    }

    /// Label of each slice.
    #[inline]
    pub fn labels(&self) -> &[LabelId] {
        match &self.labels {
            Some(labels) => labels.get(),
            None => self.block.labels(self.range.clone()),
        }
    }

    /// Ordinal of the event within the track's lines, see [`Origin`].
    #[inline]
    pub fn events(&self) -> &[u32] {
        self.block.events(self.range.clone())
    }

    /// Number of slices.
    #[inline]
    pub fn len(&self) -> usize {
        self.range.len()
    }

    /// No slices.
    pub fn is_empty(&self) -> bool {
        self.range.is_empty()
    }

    /// Time of one slice.
    pub fn span(&self, index: usize) -> Span {
        let start = Picos(self.starts()[index]);
        Span {
            start,
            end: start + Picos(self.durations()[index]),
        }
    }

    /// End of one slice.
    pub fn end(&self, index: usize) -> i64 {
        self.starts()[index].saturating_add(self.durations()[index])
    }

    /// Slices that overlap the span (including instants within it).
    pub fn overlapping(&self, span: Span) -> Range<usize> {
        let starts = self.starts();
        let last = starts.partition_point(|&start| start < span.end.0);
        let mut first = starts[..last].partition_point(|&start| start < span.start.0);
        if first > 0 && self.end(first - 1) > span.start.0 {
            first -= 1;
        }
        first..last
    }

    /// Slices that start within the span.
    pub fn starting_in(&self, span: Span) -> Range<usize> {
        let starts = self.starts();
        let first = starts.partition_point(|&start| start < span.start.0);
        let last = starts.partition_point(|&start| start < span.end.0);
        first..last.max(first)
    }
}

impl Default for Lane {
    fn default() -> Self {
        Self::from_columns(&[], &[], &[], &[])
    }
}

impl fmt::Debug for Lane {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = formatter.debug_list();
        for (index, label) in self.labels().iter().enumerate() {
            list.entry(&(self.span(index), label, self.events()[index]));
        }
        list.finish()
    }
}

/// Samples of one counter.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Samples {
    /// Times, sorted.
    pub times: Vec<i64>,
    /// Values.
    pub values: Vec<f64>,
    /// The exact values, if the recorder wrote integers; otherwise empty.
    pub exact: Vec<u64>,
    /// What was recorded about the counter itself.
    pub facts: CounterFacts,
}

/// What was recorded about a counter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CounterFacts {
    /// Name of its line, such as a kernel's.
    pub line: String,
    /// Number of its register.
    pub register: Option<u64>,
    /// What it counts, as described by the recorder.
    pub description: String,
    /// Groups it belongs to.
    pub sets: String,
}

impl Track {
    /// The number of its thread, to show: the file writes the 64 bits of a thread's handle as a signed number.
    pub const fn thread_number(&self) -> u64 {
        self.line_id.cast_unsigned()
    }

    /// Slices over all lanes.
    pub fn slice_count(&self) -> usize {
        self.lanes.iter().map(Lane::len).sum()
    }

    /// Whether a slice may have a label that passes: false rules it out, without reading the
    /// slices.
    pub fn may_have(&self, passes: impl FnMut(LabelId) -> bool) -> bool {
        self.labels.iter().copied().any(passes)
    }

    /// The track for whoever reads it once: slices that are still in the file are decoded for a copy
    /// of the track, and go with it.
    pub fn in_passing(&self) -> Cow<'_, Self> {
        let copies = self.unfilled_copies(|block| !block.is_filled());
        if copies.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut track = self.clone();
        track.replace_blocks(&copies);
        Cow::Owned(track)
    }

    /// Forgets decoded slices that can be decoded again.
    pub(crate) fn forget_decoded(&mut self) {
        let copies = self.unfilled_copies(SliceBlock::is_filled);
        self.replace_blocks(&copies);
        let labels = self
            .lanes
            .iter_mut()
            .filter_map(|it| it.labels.as_deref_mut());
        labels.for_each(Relabeled::forget);
    }

    /// Blocks to be filled again, as pairs with those that pass.
    fn unfilled_copies(
        &self,
        mut passes: impl FnMut(&SliceBlock) -> bool,
    ) -> Vec<(Arc<SliceBlock>, Arc<SliceBlock>)> {
        let mut copies: Vec<(Arc<SliceBlock>, Arc<SliceBlock>)> = Vec::new();
        for Lane { block, .. } in &self.lanes {
            let is_known = copies.iter().any(|(known, _)| Arc::ptr_eq(known, block));
            if !is_known && passes(block) {
                let copy = block.unfilled_copy();
                copies.extend(copy.map(|copy| (Arc::clone(block), Arc::new(copy))));
            }
        }
        copies
    }

    fn replace_blocks(&mut self, copies: &[(Arc<SliceBlock>, Arc<SliceBlock>)]) {
        for lane in &mut self.lanes {
            let mut copies = copies.iter();
            if let Some((_, copy)) = copies.find(|(block, _)| Arc::ptr_eq(block, &lane.block)) {
                lane.block = Arc::clone(copy);
            }
        }
    }

    /// The track while a session is put together, when tracks have no final positions yet: as
    /// [`Self::in_passing`] with many hosts, else as it is.
    pub(crate) fn for_one_reader(&self, has_many_hosts: bool) -> Cow<'_, Self> {
        if has_many_hosts {
            self.in_passing()
        } else {
            Cow::Borrowed(self)
        }
    }

    /// First start and last end over all lanes and samples.
    pub fn extent(&self) -> Option<Span> {
        let lanes = self.lanes.iter().filter(|lane| !lane.is_empty());
        let slices = lanes.map(Lane::hull);
        let samples = self.samples.iter().filter_map(|samples| {
            let (first, last) = (*samples.times.first()?, *samples.times.last()?);
            Some(Span {
                start: Picos(first),
                end: Picos(last),
            })
        });
        slices.chain(samples).reduce(Span::hull)
    }

    /// The nest of a lane. Nests follow one another, and slices that overlap like stairs have one
    /// each.
    pub fn nest_of(&self, lane: u32) -> Option<&Range<u32>> {
        let position = self.nests.partition_point(|nest| nest.end <= lane);
        self.nests.get(position).filter(|nest| nest.contains(&lane))
    }

    /// The lane directly below within the same nest, with the children of `lane`'s slices.
    pub fn child_lane(&self, lane: usize) -> Option<&Lane> {
        let below = u32::try_from(lane + 1).ok()?;
        let nest = self.nest_of(below - 1)?;
        nest.contains(&below).then(|| &self.lanes[below as usize])
    }

    /// The slice that directly encloses another: its lane and position.
    pub fn parent(&self, lane: u32, index: u32) -> Option<(u32, u32)> {
        let nest = self.nest_of(lane)?;
        let above = lane.checked_sub(1).filter(|above| nest.contains(above))?;
        let start = *self.lanes[lane as usize].starts().get(index as usize)?;
        let parents = &self.lanes[above as usize];
        let position = parents
            .starts()
            .partition_point(|&other| other <= start)
            .checked_sub(1)?;
        Some((above, u32::try_from(position).ok()?))
    }

    /// The slices around another, the nearest first: their lanes and positions.
    pub fn ancestors(&self, lane: u32, index: u32) -> impl Iterator<Item = (u32, u32)> {
        let parent = self.parent(lane, index);
        std::iter::successors(parent, |&(lane, index)| self.parent(lane, index))
    }

    /// The slices that run at an instant, as lane and position: those of one nest outermost first, nest
    /// by nest.
    ///
    /// For a call that another clock timed, such as CUPTI's launches: its start lies in the slice that
    /// made it, but it may end a fraction of a microsecond later, and is then in another nest, without
    /// a [`parent`](Self::parent).
    pub fn running_at(&self, instant: Picos) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.nests.iter().flat_map(move |nest| {
            nest.clone().map_while(move |lane| {
                let slices = &self.lanes[lane as usize];
                let after = slices.starts().partition_point(|&start| start <= instant.0);
                let index = after.checked_sub(1)?;
                let is_running = slices.span(index).contains_instant(instant);
                is_running.then_some((lane, u32::try_from(index).ok()?))
            })
        })
    }

    /// Calls `visit(index, self_ps)` for every slice of a lane in `range`: its duration without its
    /// direct children. Linear in the range and the children.
    pub fn for_each_self_time(
        &self,
        lane: usize,
        range: Range<usize>,
        mut visit: impl FnMut(usize, i64),
    ) {
        let parents = &self.lanes[lane];
        let (starts, durations) = (parents.starts(), parents.durations());
        let Some(children) = self.child_lane(lane).filter(|_| !range.is_empty()) else {
            range.for_each(|index| visit(index, durations[index]));
            return;
        };
        let (child_starts, child_durations) = (children.starts(), children.durations());
        let first_start = starts[range.start];
        let mut child = child_starts.partition_point(|&start| start < first_start);
        for index in range {
            let start = starts[index];
            let end = start.saturating_add(durations[index]);
            while child_starts.get(child).is_some_and(|&other| other < start) {
                child += 1;
            }
            let mut nested = 0i64;
            while child_starts.get(child).is_some_and(|&other| other < end) {
                nested = nested.saturating_add(child_durations[child]);
                child += 1;
            }
            visit(index, durations[index].saturating_sub(nested));
        }
    }
}
