//! Sums per region, or per stack of regions, from one walk over the slices of each thread.
//!
//! Memory use depends on the number of distinct regions or stacks, not on the number of slices.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use stepscope_model::{HostId, LabelId, Picos, Session, SliceId, Span, Track, TrackId};

use super::durations::Durations;
use super::launches::{Launch, Launches};
use super::names::{NONE, Names};
use crate::measuring::activity::host_tracks;
use crate::measuring::interval::Intervals;
use crate::measuring::selection::Selected;

/// Maximum number of distinct stacks per thread. Beyond that, new ones count as `(other)` below the
/// last known region.
const STACKS_MAX: usize = 200_000;
/// The region for stacks beyond that maximum.
pub(super) const OTHER: u32 = NONE - 1;

/// One slice of a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) start_ps: i64,
    pub(super) duration_ps: i64,
    pub(super) slice: SliceId,
}

/// Sums over the slices of a region or stack.
#[derive(Debug, Clone, Default)]
pub(super) struct Stats {
    pub(super) count: i64,
    /// Σ duration, including slices nested in another slice of the same region.
    pub(super) sum_ps: i64,
    /// Σ duration of slices that are not nested in another slice of the same region. For a stack,
    /// what was counted at or below it.
    pub(super) total_ps: i64,
    pub(super) self_ps: i64,
    pub(super) device_ps: i64,
    /// Part of `count` and of the durations from slices that start within a step.
    pub(super) step_count: i64,
    pub(super) step_ps: i64,
    pub(super) first: Option<Place>,
    pub(super) longest: Option<Place>,
    pub(super) durations: Durations,
}

impl Stats {
    pub(super) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.sum_ps = self.sum_ps.saturating_add(other.sum_ps);
        self.total_ps = self.total_ps.saturating_add(other.total_ps);
        self.self_ps = self.self_ps.saturating_add(other.self_ps);
        self.device_ps = self.device_ps.saturating_add(other.device_ps);
        self.step_count += other.step_count;
        self.step_ps = self.step_ps.saturating_add(other.step_ps);
        let places = other.first.into_iter().chain(other.longest);
        places.for_each(|place| self.place(place));
        self.durations.merge(other.durations);
    }

    fn place(&mut self, place: Place) {
        let is_earlier = |first: Place| place.start_ps < first.start_ps;
        if self.first.is_none_or(is_earlier) {
            self.first = Some(place);
        }
        let key = |place: Place| (place.duration_ps, std::cmp::Reverse(place.start_ps));
        if self.longest.is_none_or(|longest| key(place) > key(longest)) {
            self.longest = Some(place);
        }
    }
}

/// A region, or a stack: a region below another entry.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// Position of the enclosing entry; `NONE` for the outermost, or if stacks are not requested.
    pub(super) parent: u32,
    pub(super) region: u32,
    pub(super) stats: Stats,
}

/// Sums over one thread.
pub(super) struct ThreadSums {
    pub(super) track: TrackId,
    /// Parents before children.
    pub(super) entries: Vec<Entry>,
    /// Time of the outermost slices that count.
    pub(super) covered_ps: i64,
    /// Device time launched within them.
    pub(super) device_ps: i64,
    /// Number of slices that count.
    pub(super) count: i64,
}

/// Input of the walk.
pub(super) struct Question<'a> {
    pub(super) session: &'a Session,
    pub(super) selected: &'a Selected<'a>,
    pub(super) names: &'a Names,
    pub(super) launches: &'a Launches,
    /// Whether regions are distinguished by the regions around them.
    pub(super) by_stack: bool,
}

/// The sums of every thread of the selected hosts that has regions to show, in track order.
pub(super) fn threads(question: &Question<'_>) -> Vec<ThreadSums> {
    let Question {
        session, selected, ..
    } = question;
    let hosts: Vec<(HostId, Intervals, Intervals)> = selected
        .hosts
        .iter()
        .map(|&host| {
            let windows = selected.host_windows(host);
            (host, windows, step_times(session, selected, host))
        })
        .collect();
    let tracks: Vec<(TrackId, &Intervals, &Intervals)> = hosts
        .iter()
        .flat_map(|(host, windows, steps)| {
            host_tracks(session, *host).map(move |track| (track, windows, steps))
        })
        .filter(|(track, ..)| {
            let is_shown = |label| {
                let label = question.names.label(label);
                label.region != NONE || label.in_compiler != NONE
            };
            session.track(*track).may_have(is_shown)
        })
        .collect();
    let mut sums: Vec<ThreadSums> = tracks
        .into_par_iter()
        .with_max_len(1)
        .map(|(track, windows, steps)| Thread::new(question, track, windows, steps).sums())
        .collect();
    sums.retain(|sums| !sums.entries.is_empty());
    sums
}

/// The selected steps as recorded on the host, or else on its devices.
fn step_times(session: &Session, selected: &Selected<'_>, host: HostId) -> Intervals {
    let positions = selected.step_positions().into_iter();
    let spans = positions.flat_map(|position| session.steps[position].times_on(host));
    Intervals::union_of(spans.map(|on| on.span).collect())
}

/// A slice that has started but not ended.
#[expect(
    clippy::struct_excessive_bools,
    reason = "four facts that do not depend on each other"
)]
struct Open {
    /// Position, counted from the first slice of the walk.
    number: usize,
    /// The innermost shown slice that contains this one.
    parent: Option<usize>,
    /// The entry and the region; none if it is not shown.
    shown: Option<(u32, u32)>,
    slice: SliceId,
    span: Span,
    /// Whether it is compiler code, or within compiler code.
    is_compiler: bool,
    /// Whether it starts in the selection and `--match` matches it.
    counts: bool,
    /// Whether it counts and is not nested in another counting slice of the same region.
    is_outermost: bool,
    begins_in_step: bool,
    /// Whether `--match` matches it or an enclosing slice.
    is_match: bool,
    /// Time of the shown slices directly within it.
    nested_ps: i64,
    /// Device time launched within it.
    device_ps: i64,
    /// Time of the slices within it that count, and the device time launched in those.
    counted_within_ps: i64,
    device_within_ps: i64,
}

/// The walk over one thread. Slices that partly overlap others are in separate nests, but may still
/// be within a slice of another nest, so all nests are walked together.
struct Thread<'a> {
    question: &'a Question<'a>,
    track: TrackId,
    windows: Cursor<'a>,
    steps: Cursor<'a>,
    /// Launches that are still to come.
    launches: &'a [Launch],
    slots: FxHashMap<(u32, u32), u32>,
    /// In the order in which they started.
    open: Vec<Open>,
    begun: usize,
    sums: ThreadSums,
}

impl<'a> Thread<'a> {
    fn new(
        question: &'a Question<'a>,
        track: TrackId,
        windows: &'a Intervals,
        steps: &'a Intervals,
    ) -> Self {
        Self {
            question,
            track,
            windows: Cursor::new(windows),
            steps: Cursor::new(steps),
            launches: question.launches.on(track),
            slots: FxHashMap::default(),
            open: Vec::new(),
            begun: 0,
            sums: ThreadSums {
                track,
                entries: Vec::new(),
                covered_ps: 0,
                device_ps: 0,
                count: 0,
            },
        }
    }

    fn sums(mut self) -> ThreadSums {
        let track = &*self.question.session.track_in_passing(self.track);
        in_order(track, |lane, index| {
            let slice = SliceId {
                track: self.track,
                lane,
                index: u32::try_from(index).unwrap_or(u32::MAX),
            };
            let lane = &track.lanes[lane as usize];
            self.begin(slice, lane.span(index), lane.labels()[index]);
        });
        self.end_before(Picos::MAX);
        self.sums
    }

    fn begin(&mut self, slice: SliceId, span: Span, label: LabelId) {
        self.end_before(span.start);
        self.launched_before(span.start);
        let label = self.question.names.label(label);
        let around = self
            .open
            .iter()
            .rev()
            .find(|open| open.span.end >= span.end);
        let (in_compiler, around_match) = around.map_or((false, false), |around| {
            (around.is_compiler, around.is_match)
        });
        let parent = around.and_then(|around| match around.shown {
            Some(_) => Some(around.number),
            None => around.parent,
        });
        let region = if in_compiler {
            label.in_compiler
        } else {
            label.region
        };
        let mut open = Open {
            number: self.begun,
            parent,
            shown: None,
            slice,
            span,
            is_compiler: in_compiler || label.is_compiler,
            counts: false,
            is_outermost: false,
            begins_in_step: false,
            is_match: around_match,
            nested_ps: 0,
            device_ps: 0,
            counted_within_ps: 0,
            device_within_ps: 0,
        };
        self.begun += 1;
        if region != NONE {
            self.show(&mut open, region);
        }
        self.open.push(open);
    }

    fn show(&mut self, open: &mut Open, region: u32) {
        let by_stack = self.question.by_stack;
        let parent = open.parent.and_then(|parent| self.open_at(parent));
        let around = parent.and_then(|at| self.open[at].shown);
        let above = around.filter(|_| by_stack).map_or(NONE, |(slot, _)| slot);
        let slot = self.slot(above, region);
        open.shown = Some((slot, region));
        open.is_match |= self.question.names.region(region).is_match;
        open.counts = self.windows.contains(open.span.start) && (open.is_match || !by_stack);
        open.is_outermost = open.counts && !self.is_within(parent, region);
        open.begins_in_step = self.steps.contains(open.span.start);
    }

    /// Whether one of the enclosing slices belongs to the region and counts.
    fn is_within(&self, mut around: Option<usize>, region: u32) -> bool {
        while let Some(at) = around {
            let outer = &self.open[at];
            if outer.counts && outer.shown.is_some_and(|(_, own)| own == region) {
                return true;
            }
            around = outer.parent.and_then(|parent| self.open_at(parent));
        }
        false
    }

    /// Position of the slice with this number among the open ones.
    fn open_at(&self, number: usize) -> Option<usize> {
        self.open
            .binary_search_by_key(&number, |open| open.number)
            .ok()
    }

    fn slot(&mut self, parent: u32, region: u32) -> u32 {
        let is_full = self.question.by_stack && self.sums.entries.len() >= STACKS_MAX;
        if let Some(&known) = self.slots.get(&(parent, region)) {
            return known;
        }
        let region = if is_full { OTHER } else { region };
        let entries = &mut self.sums.entries;
        *self.slots.entry((parent, region)).or_insert_with(|| {
            entries.push(Entry {
                parent,
                region,
                stats: Stats::default(),
            });
            u32::try_from(entries.len() - 1).unwrap_or(NONE)
        })
    }

    /// Ends all slices that end at or before an instant, earliest first. Of slices that end together,
    /// the one that started last ends first.
    fn end_before(&mut self, instant: Picos) {
        loop {
            let ended = self.open.iter().enumerate().rev();
            let next = ended
                .filter(|(_, open)| open.span.end <= instant)
                .min_by_key(|(_, open)| open.span.end)
                .map(|(at, open)| (at, open.span.end));
            let Some((at, end)) = next else {
                return;
            };
            self.launched_before(end);
            let slice = self.open.remove(at);
            self.end(&slice);
        }
    }

    fn end(&mut self, slice: &Open) {
        let Some((slot, _)) = slice.shown else {
            return;
        };
        let duration_ps = slice.span.duration().0;
        let (counted_ps, device_ps) = if slice.counts {
            (duration_ps, slice.device_ps)
        } else {
            (slice.counted_within_ps, slice.device_within_ps)
        };
        if let Some(at) = slice.parent.and_then(|parent| self.open_at(parent)) {
            let parent = &mut self.open[at];
            parent.nested_ps = parent.nested_ps.saturating_add(duration_ps);
            parent.counted_within_ps = parent.counted_within_ps.saturating_add(counted_ps);
            parent.device_within_ps = parent.device_within_ps.saturating_add(device_ps);
        } else {
            self.sums.covered_ps = self.sums.covered_ps.saturating_add(counted_ps);
            self.sums.device_ps = self.sums.device_ps.saturating_add(device_ps);
        }
        self.sums.count += i64::from(slice.counts);
        self.add(slice, slot, counted_ps, device_ps);
    }

    fn add(&mut self, slice: &Open, slot: u32, counted_ps: i64, device_ps: i64) {
        let stats = &mut self.sums.entries[slot as usize].stats;
        let duration_ps = slice.span.duration().0;
        // By stack, each nested slice has an entry of its own, so nothing counts twice.
        if self.question.by_stack || slice.is_outermost {
            stats.total_ps = stats.total_ps.saturating_add(counted_ps);
            stats.device_ps = stats.device_ps.saturating_add(device_ps);
        }
        if !slice.counts {
            return;
        }
        stats.count += 1;
        stats.sum_ps = stats.sum_ps.saturating_add(duration_ps);
        // Of damaged profiles, nested slices may take longer than what contains them.
        let self_ps = duration_ps.saturating_sub(slice.nested_ps).max(0);
        stats.self_ps = stats.self_ps.saturating_add(self_ps);
        if slice.begins_in_step {
            stats.step_count += 1;
            if self.question.by_stack || slice.is_outermost {
                stats.step_ps = stats.step_ps.saturating_add(duration_ps);
            }
        }
        stats.durations.add(duration_ps);
        stats.place(Place {
            start_ps: slice.span.start.0,
            duration_ps,
            slice: slice.slice,
        });
    }

    /// Adds launches before an instant to all slices that are open now.
    fn launched_before(&mut self, instant: Picos) {
        while let Some((&(at, work_ps), rest)) = self.launches.split_first()
            && at < instant.0
        {
            self.launches = rest;
            for open in &mut self.open {
                open.device_ps = open.device_ps.saturating_add(work_ps);
            }
        }
    }
}

/// Visits all slices of a track by start; of those that start together, the longest first.
fn in_order(track: &Track, mut visit: impl FnMut(u32, usize)) {
    let next = |lane: u32, index: usize| {
        let own = &track.lanes[lane as usize];
        let start = *own.starts().get(index)?;
        Some(Reverse((
            start,
            Reverse(own.durations()[index]),
            lane,
            index,
        )))
    };
    let lanes = 0..u32::try_from(track.lanes.len()).unwrap_or(u32::MAX);
    let mut heap: BinaryHeap<_> = lanes.filter_map(|lane| next(lane, 0)).collect();
    while let Some(Reverse((_, _, lane, index))) = heap.pop() {
        visit(lane, index);
        heap.extend(next(lane, index + 1));
    }
}

/// Checks whether intervals contain instants; the instants must come in order.
struct Cursor<'a> {
    spans: &'a [Span],
    next: usize,
}

impl<'a> Cursor<'a> {
    fn new(intervals: &'a Intervals) -> Self {
        Self {
            spans: intervals.spans(),
            next: 0,
        }
    }

    fn contains(&mut self, instant: Picos) -> bool {
        while self
            .spans
            .get(self.next)
            .is_some_and(|span| span.end <= instant)
        {
            self.next += 1;
        }
        self.spans
            .get(self.next)
            .is_some_and(|span| span.start <= instant)
    }
}
