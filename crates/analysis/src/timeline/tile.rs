//! Tiles: what is on some tracks within a window, at the resolution of the screen.
//!
//! Per lane and pixel a tile holds at most two glyphs: one for all slices narrower than a pixel that
//! start in it, and one for the slice of at least a pixel that may follow them. Slices of a lane are
//! sorted, so each pixel is one jump by galloping search, whatever lies in between.

use std::ops::Range;
use std::sync::OnceLock;

use rayon::prelude::*;
use stepscope_model::{LabelId, Lane, Picos, Samples, Session, Span, TrackId};

use super::index::{DIRECT_GROUP, LaneIndex, TimelineIndex, direct_summary, gallop, position};

/// Widest tile: beyond the widest screens.
pub const MAX_WIDTH_PX: u32 = 16_384;

/// With so many slices per pixel it pays to look at blocks before slices.
const DENSE_SLICES: usize = 16;

/// Which part of the timeline is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TileRequest {
    /// Time.
    pub window: Span,
    /// Pixels the window is wide, from 1 to [`MAX_WIDTH_PX`]; values outside are brought there.
    pub width_px: u32,
    /// Tracks, in the order of the answer. Tracks that the session has not are left out.
    pub tracks: Vec<TrackId>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Tile {
    /// Time it covers.
    pub window: Span,
    /// Pixels it is meant for.
    pub width_px: u32,
    /// In the order of the request.
    pub tracks: Vec<TrackTile>,
}

/// What a tile holds of one track.
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
    /// All lanes of the track by flat number, also those without glyphs in the window.
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
    /// Label of the longest slice inside, the first one of equals.
    pub labels: Vec<LabelId>,
}

/// Samples of a counter: one entry per pixel that has any, after the last one before the window
/// (whose value holds when the window begins).
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

    /// First instant after the pixel that the instant lies in; `hint` is an earlier pixel and
    /// becomes this one.
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
    let mut tile = LaneTile::with_capacity(range.len().min(2 * grid.width_px as usize));
    let mut first = range.start;
    if first < range.end && lane.starts[first] < grid.window.start.0 {
        tile.push_lone(lane, first);
        first += 1;
    }
    let blocks = || index.map(|cell| cell.get_or_init(|| LaneIndex::new(lane)));
    let is_dense = range.len() >= DENSE_SLICES * grid.width_px as usize;
    let all_blocks = is_dense.then(blocks).flatten();
    let mut pixel = 0;
    while first < range.end {
        let edge = grid.end_of_pixel(&mut pixel, lane.starts[first]);
        let next = match all_blocks {
            Some(blocks) => blocks.first_from(lane, first + 1, range.end, edge),
            None => gallop(&lane.starts, first + 1, range.end, edge),
        };
        // A slice of a pixel or more reaches the next pixel, so only the last can be one.
        let is_last_wide = lane.durations[next - 1] >= grid.wide_ps;
        let narrow_end = if is_last_wide { next - 1 } else { next };
        match narrow_end - first {
            0 => {}
            1 => tile.push_lone(lane, first),
            count => {
                let group = first..narrow_end;
                let is_long = count >= DIRECT_GROUP;
                let (sum, label) = match all_blocks.or_else(|| is_long.then(blocks).flatten()) {
                    Some(blocks) => blocks.summary(lane, group.clone()),
                    None => direct_summary(lane, group.clone()),
                };
                tile.push_group(lane, group, sum, label);
            }
        }
        if is_last_wide {
            tile.push_lone(lane, next - 1);
        }
        first = next;
    }
    tile
}

impl LaneTile {
    fn with_capacity(glyphs: usize) -> Self {
        Self {
            starts: Vec::with_capacity(glyphs),
            durations: Vec::with_capacity(glyphs),
            busy: Vec::with_capacity(glyphs),
            first: Vec::with_capacity(glyphs),
            counts: Vec::with_capacity(glyphs),
            labels: Vec::with_capacity(glyphs),
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

    fn push_lone(&mut self, lane: &Lane, index: usize) {
        self.starts.push(lane.starts[index]);
        self.durations.push(lane.durations[index]);
        self.busy.push(lane.durations[index]);
        self.first.push(position(index));
        self.counts.push(1);
        self.labels.push(lane.labels[index]);
    }

    fn push_group(&mut self, lane: &Lane, range: Range<usize>, sum: i64, label: LabelId) {
        let start = lane.starts[range.start];
        self.starts.push(start);
        self.durations
            .push(lane.end(range.end - 1).saturating_sub(start));
        self.busy.push(sum);
        self.first.push(position(range.start));
        self.counts.push(position(range.len()));
        self.labels.push(label);
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
