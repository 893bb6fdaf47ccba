//! Tiles: the content of some tracks within a window, at screen resolution.
//!
//! Per lane and pixel a tile holds at most two glyphs: one for all slices narrower than a pixel that
//! start in it, and one for the slice of at least a pixel that may follow them. Slices of a lane are
//! sorted, so each pixel is one jump by galloping search, whatever lies in between.

use std::ops::Range;
use std::sync::OnceLock;

use rayon::prelude::*;
use stepscope_model::{LabelId, Lane, Picos, Samples, Session, Span, TrackId};

use super::index::{DIRECT_GROUP, LaneIndex, TimelineIndex, direct_summary, gallop};
use super::labels::position;

/// Maximum width of a tile, beyond the widest screens.
pub const MAX_WIDTH_PX: u32 = 16_384;

/// From this many slices per pixel, examining blocks first is faster.
const DENSE_SLICES: usize = 16;

/// The requested part of the timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TileRequest {
    /// Time range.
    pub window: Span,
    /// Width of the window in pixels, clamped to 1..=[`MAX_WIDTH_PX`].
    pub width_px: u32,
    /// Tracks, in the order of the answer. Tracks that are not in the session are ignored.
    pub tracks: Vec<TrackId>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Tile {
    /// Time it covers.
    pub window: Span,
    /// Width in pixels that the tile is made for.
    pub width_px: u32,
    /// In the order of the request.
    pub tracks: Vec<TrackTile>,
}

/// The content of one track in a tile.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackTile {
    /// The track.
    pub track: TrackId,
    /// Slices or samples.
    pub content: TrackContent,
}

/// Slices or samples.
#[derive(Debug, Clone, PartialEq)]
pub enum TrackContent {
    /// All lanes of the track by flat number, including those without glyphs in the window.
    Lanes(Vec<LaneTile>),
    /// A counter.
    Counter(CounterTile),
}

/// Glyphs of one lane, by start, as columns of one length.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaneTile {
    /// Start of the first slice, picoseconds.
    pub starts: Vec<i64>,
    /// From the first start to the last end.
    pub durations: Vec<i64>,
    /// Sum of the durations inside.
    pub busy: Vec<i64>,
    /// Position of the first slice in the lane.
    pub first: Vec<u32>,
    /// Slices inside; 1 for a lone slice.
    pub counts: Vec<u32>,
    /// Label of the longest slice inside; the first one on a tie.
    pub labels: Vec<LabelId>,
}

/// Samples of a counter: one entry per pixel that has any, after the last one before the window
/// (whose value applies at the start of the window).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CounterTile {
    /// Time of the first sample of the pixel, picoseconds.
    pub times: Vec<i64>,
    /// Smallest value.
    pub minimum: Vec<f64>,
    /// Largest value.
    pub maximum: Vec<f64>,
}

/// Answers a request. Linear in glyphs, not in slices.
pub fn tile(session: &Session, index: &TimelineIndex, request: &TileRequest) -> Tile {
    let grid = Grid::new(request.window, request.width_px);
    let known = request
        .tracks
        .iter()
        .copied()
        .filter(|id| id.index() < session.tracks.len());
    let known: Vec<TrackId> = known.collect();
    // Lane by lane rather than track by track: one Python track may hold most of a session.
    let lanes: Vec<(TrackId, usize)> = known
        .iter()
        .flat_map(|&id| (0..session.track(id).lanes.len()).map(move |lane| (id, lane)))
        .collect();
    let mut tiles: Vec<LaneTile> = Vec::new();
    lanes
        .par_iter()
        .with_min_len(4)
        .map(|&(id, lane)| lane_tile(&session.track(id).lanes[lane], index.cell(id, lane), &grid))
        .collect_into_vec(&mut tiles);
    let mut tiles = tiles.into_iter();
    let tracks = known
        .into_iter()
        .map(|id| {
            let track = session.track(id);
            let lanes = tiles.by_ref().take(track.lanes.len()).collect();
            let content = match &track.samples {
                Some(samples) => TrackContent::Counter(counter_tile(samples, &grid)),
                None => TrackContent::Lanes(lanes),
            };
            TrackTile { track: id, content }
        })
        .collect();
    Tile {
        window: grid.window,
        width_px: grid.width_px,
        tracks,
    }
}

/// The pixels of a window, in exact picoseconds.
pub(super) struct Grid {
    pub(super) window: Span,
    width_px: u32,
    /// First picosecond of each pixel, and the window's end.
    edges: Vec<i64>,
    /// Slices of at least this length are at least one pixel wide.
    wide_ps: i64,
}

impl Grid {
    pub(super) fn new(window: Span, width_px: u32) -> Self {
        let width_px = width_px.clamp(1, MAX_WIDTH_PX);
        let window = Span::new(window.start, window.end);
        let (length, width) = (i128::from(window.duration().0), i128::from(width_px));
        let start = window.start.0;
        // k × length ÷ width, rounded up: k pixels of length ÷ width end there at the latest.
        let offset = |pixel: i128| i64::try_from((pixel * length + width - 1) / width);
        let edge = |pixel: i128| start.saturating_add(offset(pixel).unwrap_or(i64::MAX));
        let edges = (0..=width).map(edge).collect();
        let wide_ps = offset(1).unwrap_or(i64::MAX);
        Self {
            window,
            width_px,
            edges,
            wide_ps,
        }
    }

    /// First instant after the pixel that contains `instant`. `hint` is an earlier pixel and is set to
    /// this one.
    fn end_of_pixel(&self, hint: &mut usize, instant: i64) -> i64 {
        let next = gallop(
            &self.edges,
            *hint + 1,
            self.edges.len(),
            instant.saturating_add(1),
        );
        *hint = next - 1;
        self.edges.get(next).copied().unwrap_or(i64::MAX)
    }
}

fn lane_tile(lane: &Lane, index: Option<&OnceLock<LaneIndex>>, grid: &Grid) -> LaneTile {
    let range = lane.overlapping(grid.window);
    let mut glyphs = Glyphs::new(lane, grid, range.len());
    let mut first = range.start;
    if first < range.end && lane.starts()[first] < grid.window.start.0 {
        glyphs.push_lone(first);
        first += 1;
    }
    let blocks = || index.map(|cell| cell.get_or_init(|| LaneIndex::new(lane)));
    let is_dense = range.len() >= DENSE_SLICES * grid.width_px as usize;
    if let Some(blocks) = is_dense.then(blocks).flatten() {
        glyphs.push_dense(blocks, first..range.end);
    } else {
        glyphs.push_sparse(blocks, first..range.end);
    }
    glyphs.finish()
}

/// The glyphs of a lane under construction. Labels are added last, when their slices are known, so
/// that the processor can fetch many in parallel.
struct Glyphs<'a> {
    lane: &'a Lane,
    grid: &'a Grid,
    tile: LaneTile,
    /// The longest slice of each glyph.
    longest: Vec<usize>,
}

impl<'a> Glyphs<'a> {
    fn new(lane: &'a Lane, grid: &'a Grid, slice_count: usize) -> Self {
        let capacity = slice_count.min(2 * grid.width_px as usize);
        Self {
            lane,
            grid,
            tile: LaneTile::with_capacity(capacity),
            longest: Vec::with_capacity(capacity),
        }
    }

    /// Pixel by pixel, for many slices in each.
    fn push_dense(&mut self, blocks: &LaneIndex, slices: Range<usize>) {
        let lane = self.lane;
        let ends = blocks.first_from_each(lane, slices.clone(), &self.grid.edges[1..]);
        // In a separate loop, so that many are fetched in parallel.
        let last_ps: Vec<i64> = ends
            .iter()
            .map(|&end| lane.durations()[end.max(slices.start + 1) - 1])
            .collect();
        let mut first = slices.start;
        for (next, last_ps) in ends.into_iter().zip(last_ps) {
            if next > first {
                self.push_pixel(first..next, last_ps, |group| blocks.summary(lane, group));
            }
            first = next;
        }
    }

    /// Slice by slice, skipping slices that start in the same pixel.
    fn push_sparse<'b>(
        &mut self,
        blocks: impl Fn() -> Option<&'b LaneIndex>,
        slices: Range<usize>,
    ) {
        let lane = self.lane;
        let (mut first, mut pixel) = (slices.start, 0);
        while first < slices.end {
            let edge = self.grid.end_of_pixel(&mut pixel, lane.starts()[first]);
            let next = gallop(lane.starts(), first + 1, slices.end, edge);
            self.push_pixel(first..next, lane.durations()[next - 1], |group| {
                let is_long = group.len() >= DIRECT_GROUP;
                match is_long.then(&blocks).flatten() {
                    Some(blocks) => blocks.summary(lane, group),
                    None => direct_summary(lane, group),
                }
            });
            first = next;
        }
    }

    /// Adds the slices that start in one pixel (at least one), given the duration of the last one.
    fn push_pixel(
        &mut self,
        slices: Range<usize>,
        last_ps: i64,
        summary: impl FnOnce(Range<usize>) -> (i64, usize),
    ) {
        // A slice of a pixel or more reaches the next pixel, so only the last can be one.
        let last = slices.end - 1;
        let is_last_wide = last_ps >= self.grid.wide_ps;
        let narrow = slices.start..if is_last_wide { last } else { slices.end };
        match narrow.len() {
            0 => {}
            1 => self.push_lone(narrow.start),
            _ => {
                let (sum, longest) = summary(narrow.clone());
                self.push_group(narrow, sum, longest);
            }
        }
        if is_last_wide {
            self.push_lone(last);
        }
    }

    fn push_lone(&mut self, index: usize) {
        let duration = self.lane.durations()[index];
        self.tile.starts.push(self.lane.starts()[index]);
        self.tile.durations.push(duration);
        self.tile.busy.push(duration);
        self.tile.first.push(position(index));
        self.tile.counts.push(1);
        self.longest.push(index);
    }

    fn push_group(&mut self, range: Range<usize>, sum: i64, longest: usize) {
        let start = self.lane.starts()[range.start];
        let end = self.lane.end(range.end - 1);
        self.tile.starts.push(start);
        self.tile.durations.push(end.saturating_sub(start));
        self.tile.busy.push(sum);
        self.tile.first.push(position(range.start));
        self.tile.counts.push(position(range.len()));
        self.longest.push(longest);
    }

    fn finish(mut self) -> LaneTile {
        let longest = self.longest.into_iter();
        self.tile.labels = longest.map(|index| self.lane.labels()[index]).collect();
        self.tile
    }
}

impl LaneTile {
    fn with_capacity(glyphs: usize) -> Self {
        Self {
            starts: Vec::with_capacity(glyphs),
            durations: Vec::with_capacity(glyphs),
            busy: Vec::with_capacity(glyphs),
            first: Vec::with_capacity(glyphs),
            counts: Vec::with_capacity(glyphs),
            labels: Vec::new(),
        }
    }

    /// Number of glyphs.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// No glyphs.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }
}

fn counter_tile(samples: &Samples, grid: &Grid) -> CounterTile {
    let Span {
        start: Picos(start),
        end: Picos(end),
    } = grid.window;
    let times = &samples.times;
    let mut first = times.partition_point(|&time| time < start);
    let end = times.partition_point(|&time| time < end).max(first);
    let mut tile = CounterTile::default();
    if let Some(before) = first.checked_sub(1) {
        tile.push(times[before], &samples.values[before..first]);
    }
    let mut pixel = 0;
    while first < end {
        let edge = grid.end_of_pixel(&mut pixel, times[first]);
        let next = gallop(times, first + 1, end, edge);
        tile.push(times[first], &samples.values[first..next]);
        first = next;
    }
    tile
}

impl CounterTile {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// No entries.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    fn push(&mut self, time: i64, values: &[f64]) {
        self.times.push(time);
        self.minimum
            .push(values.iter().copied().fold(f64::INFINITY, f64::min));
        self.maximum
            .push(values.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    }
}

#[cfg(test)]
#[path = "tile_tests.rs"]
mod tests;
