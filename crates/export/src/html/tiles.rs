//! Tiles of the timeline, from the whole session down to where nothing is merged anymore, for
//! tracks that do not fit completely.
//!
//! ```text
//! level 34  ┌───────────────────────────────┐   one tile holds the session
//! level 33  ├───────────────┬───────────────┤
//! level 32  ├───────┐       ├───────┬───────┤   no tile below one in which every slice stands alone
//!           …                                   until there is no room
//! ```
//!
//! The grid is that of the page (`ui/src/timeline/tile-grid.ts`): level L shows 2^L picoseconds per
//! pixel.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use stepscope_analysis::telling::format as figures;
use stepscope_analysis::views::timeline::encode::encode;
use stepscope_analysis::views::timeline::tile::{Tile, TileRequest, TrackContent, tile};
use stepscope_analysis::views::timeline::{TimelineIndex, TimelineReport};
use stepscope_model::{LabelId, Picos, Session, Span, TrackId};

use super::packed::{entry_bytes, packed};
use super::share::{ShareReport, ShareTileGroup};
use crate::ExportError;

/// Pixels per tile.
const TILE_PX: u32 = 1024;
/// The coarsest level with an exact number of picoseconds.
const MAX_LEVEL: u32 = 52;
/// Minimum duration of a session, so that there is something to zoom into.
const MIN_SPAN_PS: i64 = 100;
/// Packed size of the name and the class of a label, in addition to the letters.
const LABEL_BYTES: usize = 12;

/// Tiles of all groups.
#[derive(Default)]
pub(super) struct Pyramid {
    groups: Vec<Group>,
}

/// Adjacent tracks of the timeline.
struct Group {
    tracks: Vec<TrackId>,
    /// Coarse to fine.
    levels: Vec<Level>,
    /// Tiles of the next level that would show more.
    next: Vec<i64>,
}

struct Level {
    number: u32,
    tiles: BTreeMap<String, String>,
    labels: BTreeSet<LabelId>,
}

impl Level {
    fn bytes(&self) -> u64 {
        let tiles = self.tiles.iter();
        tiles.map(|(key, text)| entry_bytes(key, text)).sum()
    }
}

/// A tile, ready for the page.
struct Packed {
    index: i64,
    text: String,
    labels: BTreeSet<LabelId>,
    /// Whether finer tiles show nothing more.
    is_complete: bool,
}

impl Pyramid {
    /// Level by level as long as there is space, for the tracks that are not complete.
    pub(super) fn build(
        session: &Session,
        report: &TimelineReport,
        is_whole: impl Fn(TrackId) -> bool,
        room: u64,
    ) -> Result<Self, ExportError> {
        let end_ps = report
            .end_ps
            .max(report.start_ps.saturating_add(MIN_SPAN_PS));
        let span = Span::new(Picos(report.start_ps), Picos(end_ps));
        let mut level = root_level(span);
        let groups = report.groups.iter().map(|group| Group {
            tracks: group
                .tracks
                .iter()
                .map(|track| TrackId(track.track))
                .filter(|&track| !is_whole(track))
                .collect(),
            levels: Vec::new(),
            next: vec![tile_index(level, span.start.0)],
        });
        let groups = groups.filter(|group: &Group| !group.tracks.is_empty());
        let mut pyramid = Self {
            groups: groups.collect(),
        };
        let index = TimelineIndex::new(session);
        let mut left = room;
        loop {
            let mut is_finer = false;
            for group in &mut pyramid.groups {
                is_finer |= group.grow(session, &index, span, level, &mut left)?;
            }
            if !is_finer || level == 0 {
                return Ok(pyramid);
            }
            level -= 1;
        }
    }

    /// Drops the finest level of all or, if only the first is left, that of the last group, and
    /// returns its size; `None` if nothing is left.
    pub(super) fn drop_finest(&mut self) -> Option<u64> {
        let has_several = |group: &&mut Group| group.levels.len() > 1;
        let of_several = self.groups.iter().filter(|group| group.levels.len() > 1);
        let finest = of_several.filter_map(|group| group.levels.last());
        let Some(finest) = finest.map(|level| level.number).min() else {
            let mut groups = self.groups.iter_mut().rev();
            let last = groups.find(|group| !group.levels.is_empty());
            return Some(last?.levels.pop()?.bytes());
        };
        let mut freed = 0;
        for group in self.groups.iter_mut().filter(has_several) {
            if group
                .levels
                .last()
                .is_some_and(|level| level.number == finest)
            {
                freed += group.levels.pop().map_or(0, |level| level.bytes());
                // The dropped level was finer.
                group.next.push(0);
            }
        }
        Some(freed)
    }

    /// A track that should be complete but does not fit: it is not shown at all.
    pub(super) fn add_undrawn(&mut self, track: TrackId) {
        self.groups.push(Group {
            tracks: vec![track],
            levels: Vec::new(),
            next: Vec::new(),
        });
    }

    /// Labels that the tiles refer to.
    pub(super) fn labels(&self) -> impl Iterator<Item = LabelId> {
        let levels = self.groups.iter().flat_map(|group| &group.levels);
        levels.flat_map(|level| &level.labels).copied()
    }

    /// Moves the tiles into the report.
    pub(super) fn tell(&self, report: &mut ShareReport) {
        report.tiles = self.groups.iter().map(Group::told).collect();
        report
            .left_out
            .retain(|line| !line.starts_with(COARSE) && !line.starts_with(UNDRAWN));
        let undrawn = self.groups.iter().filter(|group| group.levels.is_empty());
        let tracks: usize = undrawn.map(|group| group.tracks.len()).sum();
        if tracks > 0 {
            let tracks = figures::counted(tracks, "track");
            report.left_out.push(format!("{UNDRAWN}{tracks}."));
        }
        let coarse = self.groups.iter().filter(|group| !group.next.is_empty());
        let coarse: Vec<&Level> = coarse.filter_map(|group| group.levels.last()).collect();
        if let Some(finest) = coarse.iter().map(|level| level.number).max() {
            report.left_out.push(format!(
                "{COARSE}{} of the timeline.",
                figures::duration_ps(2f64.powi(i32::try_from(finest).unwrap_or(i32::MAX)))
            ));
        }
    }
}

/// Starts of the sentences about missing tiles.
const COARSE: &str = "Slices that are closer together than ";
const UNDRAWN: &str = "Everything on ";

impl Group {
    /// Adds a level; false if it shows nothing more or there is no space.
    fn grow(
        &mut self,
        session: &Session,
        index: &TimelineIndex,
        span: Span,
        level: u32,
        left: &mut u64,
    ) -> Result<bool, ExportError> {
        let is_next = self
            .levels
            .last()
            .is_none_or(|last| last.number == level + 1);
        if self.next.is_empty() || !is_next {
            return Ok(false);
        }
        let mut known: BTreeSet<LabelId> = BTreeSet::new();
        for level in &self.levels {
            known.extend(&level.labels);
        }
        let make = |&number: &i64| one(session, index, &self.tracks, level, number);
        let tiles: Vec<Packed> = self.next.par_iter().map(make).collect::<Result<_, _>>()?;
        let (mut bytes, mut labels) = (0, BTreeSet::new());
        for tile in &tiles {
            bytes += entry_bytes(&key(level, tile.index), &tile.text);
            labels.extend(tile.labels.difference(&known));
        }
        let names = labels.iter().map(|&label| label_bytes(session, label));
        bytes += names.sum::<u64>();
        if bytes > *left {
            return Ok(false);
        }
        *left = left.saturating_sub(bytes);
        let below = tiles.iter().filter(|tile| !tile.is_complete);
        let below = below.flat_map(|tile| [tile.index * 2, tile.index * 2 + 1]);
        let is_inside = |number: &i64| {
            let window = tile_window(level.saturating_sub(1), *number);
            window.intersection(span).is_some()
        };
        self.next = if level == 0 {
            Vec::new()
        } else {
            below.filter(is_inside).collect()
        };
        let tiles = tiles
            .into_iter()
            .map(|tile| (key(level, tile.index), tile.text));
        self.levels.push(Level {
            number: level,
            tiles: tiles.collect(),
            labels,
        });
        Ok(!self.next.is_empty())
    }

    fn told(&self) -> ShareTileGroup {
        let tiles = self.levels.iter().flat_map(|level| level.tiles.clone());
        ShareTileGroup {
            tracks: self.tracks.iter().map(|track| track.0).collect(),
            tiles: tiles.collect(),
        }
    }
}

/// Approximate size of a label in the file.
pub(super) fn label_bytes(session: &Session, label: LabelId) -> u64 {
    (session.label_name(label).len() / 2 + LABEL_BYTES) as u64
}

fn one(
    session: &Session,
    index: &TimelineIndex,
    tracks: &[TrackId],
    level: u32,
    number: i64,
) -> Result<Packed, ExportError> {
    let request = TileRequest {
        window: tile_window(level, number),
        width_px: TILE_PX,
        tracks: tracks.to_vec(),
    };
    let tile = tile(session, index, &request);
    Ok(Packed {
        index: number,
        text: packed(&encode(&tile))?,
        labels: labels_of(&tile),
        is_complete: is_complete(&tile),
    })
}

/// Whether every slice is separate, and no two samples share a pixel.
fn is_complete(tile: &Tile) -> bool {
    tile.tracks.iter().all(|track| match &track.content {
        TrackContent::Lanes(lanes) => lanes.iter().all(|lane| lane.counts.iter().all(|&n| n == 1)),
        TrackContent::Counter(counter) => counter.minimum == counter.maximum,
    })
}

fn labels_of(tile: &Tile) -> BTreeSet<LabelId> {
    let contents = tile.tracks.iter().map(|track| &track.content);
    let lanes = contents.flat_map(|content| match content {
        TrackContent::Lanes(lanes) => lanes.as_slice(),
        TrackContent::Counter(_) => &[],
    });
    lanes.flat_map(|lane| &lane.labels).copied().collect()
}

fn key(level: u32, index: i64) -> String {
    format!("{level}/{index}")
}

/// Picoseconds per tile.
const fn tile_span(level: u32) -> i64 {
    (TILE_PX as i64) << level
}

fn tile_index(level: u32, time_ps: i64) -> i64 {
    time_ps.div_euclid(tile_span(level))
}

fn tile_window(level: u32, index: i64) -> Span {
    let span = tile_span(level);
    let start = index.saturating_mul(span);
    Span::new(Picos(start), Picos(start.saturating_add(span)))
}

/// The first level at which one tile contains the whole session.
fn root_level(span: Span) -> u32 {
    let mut level = 0;
    while level < MAX_LEVEL
        && tile_index(level, span.start.0) < tile_index(level, span.end.0.saturating_sub(1))
    {
        level += 1;
    }
    level
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_is_that_of_the_page() {
        let span = |start, end| Span::new(Picos(start), Picos(end));
        assert_eq!(root_level(span(0, 1024)), 0);
        assert_eq!(root_level(span(0, 1025)), 1);
        assert_eq!(root_level(span(1000, 1100)), 1);
        assert_eq!(tile_index(0, -1), -1);
        assert_eq!(tile_window(3, 2), span(16384, 24576));
    }
}
