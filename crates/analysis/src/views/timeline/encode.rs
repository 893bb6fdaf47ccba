//! Tiles as bytes: the binary format of `docs/internals/wire.md`, little-endian, sections of
//! whole 8 bytes.

use rayon::prelude::*;
use stepscope_model::{LabelId, Lane, Picos, Samples, Session, Span, TrackId};

use super::tile::{
    CounterTile, LaneTile, MAX_WIDTH_PX, Tile, TileRequest, TrackContent, TrackTile,
};

/// `SST1`.
const MAGIC: u32 = 0x3154_5353;
const HEADER_BYTES: usize = 32;
const TRACK_BYTES: usize = 16;
const LANE_BYTES: usize = 8;
const GLYPH_BYTES: usize = 36;
const SAMPLE_BYTES: usize = 24;
const PADDING_BYTES: usize = 4;
const KIND_SLICES: u32 = 0;
const KIND_COUNTER: u32 = 1;

/// Bytes that are not a valid tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a timeline tile: {problem} at byte {offset}")]
pub struct TileError {
    /// The problem.
    pub problem: &'static str,
    /// Byte offset of the problem.
    pub offset: usize,
}

/// The bytes that the answer to a request has at most, without making it: a lane has at most two
/// glyphs per pixel and one that begins before the window, and no more glyphs than slices.
pub fn most_bytes(session: &Session, request: &TileRequest) -> u64 {
    let width = request.width_px.clamp(1, MAX_WIDTH_PX) as usize;
    let window = Span::new(request.window.start, request.window.end);
    let of_lane = |lane: &Lane| {
        let slices = slices_in(lane, window).min(2 * width + 1);
        LANE_BYTES + slices * GLYPH_BYTES + PADDING_BYTES
    };
    let of_samples = |samples: &Samples| {
        let entries = samples.times.len().min(width + 1);
        LANE_BYTES + entries * SAMPLE_BYTES
    };
    let tracks = request.tracks.iter().copied();
    let known = tracks.filter(|id| id.index() < session.tracks.len());
    let bytes = known.map(|id| {
        let track = session.track(id);
        let content: usize = match &track.samples {
            Some(samples) => of_samples(samples),
            None => track.lanes.iter().map(of_lane).sum(),
        };
        (TRACK_BYTES + content) as u64
    });
    HEADER_BYTES as u64 + bytes.sum::<u64>()
}

/// How many slices of a lane a window has; columns are read only where the window cuts the lane.
pub(super) fn slices_in(lane: &Lane, window: Span) -> usize {
    let hull = lane.hull();
    let is_outside = hull.end < window.start || window.end < hull.start;
    let is_inside = window.start <= hull.start && hull.end <= window.end;
    match (is_outside, is_inside) {
        (true, _) => 0,
        (_, true) => lane.len(),
        _ => lane.overlapping(window).len(),
    }
}

/// Encodes a tile.
pub fn encode(tile: &Tile) -> Vec<u8> {
    let sizes: Vec<usize> = tile.tracks.iter().map(track_bytes).collect();
    let mut bytes = vec![0; HEADER_BYTES + sizes.iter().sum::<usize>()];
    let (header, mut rest) = bytes.split_at_mut(HEADER_BYTES);
    write_header(tile, header);
    let mut sections = Vec::with_capacity(tile.tracks.len());
    for (track, size) in tile.tracks.iter().zip(sizes) {
        let (section, behind) = rest.split_at_mut(size);
        sections.push((track, section));
        rest = behind;
    }
    sections
        .into_par_iter()
        .for_each(|(track, section)| write_track(track, section));
    bytes
}

/// Decodes a tile.
pub fn decode(bytes: &[u8]) -> Result<Tile, TileError> {
    let mut reader = Reader { bytes, offset: 0 };
    if reader.u32()? != MAGIC {
        return Err(TileError {
            problem: "missing magic number SST1",
            offset: 0,
        });
    }
    let track_count = reader.u32()?;
    let window = Span::new(Picos(reader.picos()?), Picos(reader.picos()?));
    let width_px = reader.picos()?;
    let width_px = u32::try_from(width_px)
        .ok()
        .filter(|width| (1..=MAX_WIDTH_PX).contains(width))
        .ok_or_else(|| reader.error("invalid width"))?;
    let mut tracks = Vec::new();
    for _ in 0..track_count {
        tracks.push(read_track(&mut reader)?);
    }
    if reader.offset < bytes.len() {
        return Err(reader.error("extra bytes after the last track"));
    }
    Ok(Tile {
        window,
        width_px,
        tracks,
    })
}

fn write_header(tile: &Tile, header: &mut [u8]) {
    let mut writer = Writer(header);
    writer.u32(MAGIC);
    writer.u32(count(tile.tracks.len()));
    writer.f64(picos(tile.window.start.0));
    writer.f64(picos(tile.window.end.0));
    writer.f64(f64::from(tile.width_px));
}

fn track_bytes(track: &TrackTile) -> usize {
    TRACK_BYTES
        + match &track.content {
            TrackContent::Lanes(lanes) => lanes.iter().map(|lane| lane_bytes(lane.len())).sum(),
            TrackContent::Counter(counter) => LANE_BYTES + SAMPLE_BYTES * counter.len(),
        }
}

const fn lane_bytes(glyphs: usize) -> usize {
    LANE_BYTES + (GLYPH_BYTES * glyphs).next_multiple_of(8)
}

fn write_track(track: &TrackTile, section: &mut [u8]) {
    let mut writer = Writer(section);
    let (kind, lane_count) = match &track.content {
        TrackContent::Lanes(lanes) => (KIND_SLICES, count(lanes.len())),
        TrackContent::Counter(_) => (KIND_COUNTER, 1),
    };
    for word in [track.track.0, kind, lane_count, 0] {
        writer.u32(word);
    }
    match &track.content {
        TrackContent::Lanes(lanes) => {
            for (number, lane) in lanes.iter().enumerate() {
                writer.u32(count(number));
                writer.u32(count(lane.len()));
                writer.f64s(lane.starts.iter().copied().map(picos), lane.len());
                writer.f64s(lane.durations.iter().copied().map(picos), lane.len());
                writer.f64s(lane.busy.iter().copied().map(picos), lane.len());
                writer.u32s(lane.first.iter().copied(), lane.len());
                writer.u32s(lane.counts.iter().copied(), lane.len());
                writer.u32s(lane.labels.iter().map(|label| label.0), lane.len());
                writer.skip(lane.len() % 2 * 4);
            }
        }
        TrackContent::Counter(counter) => {
            writer.u32(0);
            writer.u32(count(counter.len()));
            writer.f64s(counter.times.iter().copied().map(picos), counter.len());
            writer.f64s(counter.minimum.iter().copied(), counter.len());
            writer.f64s(counter.maximum.iter().copied(), counter.len());
        }
    }
}

fn read_track(reader: &mut Reader<'_>) -> Result<TrackTile, TileError> {
    let track = TrackId(reader.u32()?);
    let kind = reader.u32()?;
    let lane_count = reader.u32()?;
    reader.u32()?;
    let content = match (kind, lane_count) {
        (KIND_SLICES, _) => {
            let mut lanes = Vec::new();
            for number in 0..lane_count {
                if reader.u32()? != number {
                    return Err(reader.error("the lanes are not in order"));
                }
                lanes.push(read_lane(reader)?);
            }
            TrackContent::Lanes(lanes)
        }
        (KIND_COUNTER, 1) => {
            reader.u32()?;
            let samples = reader.u32()? as usize;
            let times = reader.column(samples, Reader::picos)?;
            let minimum = reader.column(samples, Reader::f64)?;
            let maximum = reader.column(samples, Reader::f64)?;
            TrackContent::Counter(CounterTile {
                times,
                minimum,
                maximum,
            })
        }
        _ => return Err(reader.error("unknown track kind")),
    };
    Ok(TrackTile { track, content })
}

fn read_lane(reader: &mut Reader<'_>) -> Result<LaneTile, TileError> {
    let glyphs = reader.u32()? as usize;
    let lane = LaneTile {
        starts: reader.column(glyphs, Reader::picos)?,
        durations: reader.column(glyphs, Reader::picos)?,
        busy: reader.column(glyphs, Reader::picos)?,
        first: reader.column(glyphs, Reader::u32)?,
        counts: reader.column(glyphs, Reader::u32)?,
        labels: reader.column(glyphs, |reader| reader.u32().map(LabelId))?,
    };
    if glyphs % 2 == 1 {
        reader.u32()?;
    }
    Ok(lane)
}

/// Picoseconds in wire format: exact up to 2^53.
const fn picos(value: i64) -> f64 {
    value as f64
}

/// A count in wire format. Tiles hold far fewer than 2^32 of anything.
fn count(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// Fills a section from the front. The section is exactly as long as what is written.
struct Writer<'a>(&'a mut [u8]);

impl<'a> Writer<'a> {
    fn take(&mut self, length: usize) -> &'a mut [u8] {
        let (front, rest) = std::mem::take(&mut self.0).split_at_mut(length);
        self.0 = rest;
        front
    }

    fn u32(&mut self, value: u32) {
        self.u32s(std::iter::once(value), 1);
    }

    fn f64(&mut self, value: f64) {
        self.f64s(std::iter::once(value), 1);
    }

    fn u32s(&mut self, values: impl Iterator<Item = u32>, length: usize) {
        let (cells, _) = self.take(4 * length).as_chunks_mut::<4>();
        for (cell, value) in cells.iter_mut().zip(values) {
            *cell = value.to_le_bytes();
        }
    }

    fn f64s(&mut self, values: impl Iterator<Item = f64>, length: usize) {
        let (cells, _) = self.take(8 * length).as_chunks_mut::<8>();
        for (cell, value) in cells.iter_mut().zip(values) {
            *cell = value.to_le_bytes();
        }
    }

    fn skip(&mut self, length: usize) {
        self.take(length);
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl Reader<'_> {
    const fn error(&self, problem: &'static str) -> TileError {
        TileError {
            problem,
            offset: self.offset,
        }
    }

    fn take<const LENGTH: usize>(&mut self) -> Result<[u8; LENGTH], TileError> {
        let taken = self.bytes.get(self.offset..).and_then(<[u8]>::first_chunk);
        let taken = taken.ok_or_else(|| self.error("truncated data"))?;
        self.offset += LENGTH;
        Ok(*taken)
    }

    fn u32(&mut self) -> Result<u32, TileError> {
        self.take().map(u32::from_le_bytes)
    }

    fn f64(&mut self) -> Result<f64, TileError> {
        self.take().map(f64::from_le_bytes)
    }

    fn picos(&mut self) -> Result<i64, TileError> {
        let value = self.f64()?;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "truncation is detected below"
        )]
        let rounded = value as i64;
        if picos(rounded).total_cmp(&value).is_eq() {
            Ok(rounded)
        } else {
            Err(self.error("a time is not a whole number of picoseconds"))
        }
    }

    /// Reads a column. Allocates only after checking that its bytes are present.
    fn column<T>(
        &mut self,
        length: usize,
        mut read: impl FnMut(&mut Self) -> Result<T, TileError>,
    ) -> Result<Vec<T>, TileError> {
        let left = self.bytes.len().saturating_sub(self.offset);
        if length > left / 4 {
            return Err(self.error("truncated data"));
        }
        (0..length).map(|_| read(self)).collect()
    }
}
