//! Tiles against the definition, slice by slice.

use proptest::prelude::*;

use super::*;
use crate::views::timeline::encode::{decode, encode, most_bytes};
use crate::views::timeline::samples;

fn only_lane(tile: &Tile) -> &LaneTile {
    match &tile.tracks[0].content {
        TrackContent::Lanes(lanes) => &lanes[0],
        TrackContent::Counter(_) => panic!("a track of slices"),
    }
}

fn request(start: i64, end: i64, width_px: u32) -> TileRequest {
    let window = Span::new(Picos(start), Picos(end));
    TileRequest {
        window,
        width_px,
        tracks: vec![TrackId(0)],
    }
}

fn one_track(lane: Lane) -> Session {
    samples::session(|strings| vec![samples::track(strings, "main", vec![lane])])
}

#[test]
fn narrow_neighbors_merge_and_wide_slices_stay_alone() {
    // Pixels of 10 ps: three slices in the first pixel, a wide one, and one more behind it.
    let slices = [(0, 1, 1), (2, 4, 2), (7, 1, 3), (8, 12, 4), (21, 3, 5)];
    let session = one_track(samples::lane(&slices));
    let index = TimelineIndex::new(&session);
    let tile = tile(&session, &index, &request(0, 100, 10));
    let lane = only_lane(&tile);
    assert_eq!(lane.starts, [0, 8, 21]);
    assert_eq!(lane.durations, [8, 12, 3]);
    assert_eq!(lane.busy, [6, 12, 3]);
    assert_eq!(lane.first, [0, 3, 4]);
    assert_eq!(lane.counts, [3, 1, 1]);
    assert_eq!(lane.labels, [LabelId(2), LabelId(4), LabelId(5)]);
}

#[test]
fn a_slice_that_began_before_the_window_is_there() {
    let session = one_track(samples::lane(&[(0, 50, 1), (50, 10, 2), (200, 10, 3)]));
    let index = TimelineIndex::new(&session);
    let tile = tile(&session, &index, &request(20, 60, 4));
    assert_eq!(only_lane(&tile).starts, [0, 50]);
    assert_eq!(only_lane(&tile).durations, [50, 10]);
}

#[test]
fn empty_windows_and_unknown_tracks_give_empty_tiles() {
    let session = one_track(samples::lane(&[(0, 50, 1)]));
    let index = TimelineIndex::new(&session);
    assert!(only_lane(&tile(&session, &index, &request(100, 100, 10))).is_empty());
    assert!(only_lane(&tile(&session, &index, &request(60, 10, 0))).is_empty());
    assert!(only_lane(&tile(&session, &index, &request(i64::MIN, i64::MAX, 3))).len() == 1);
    let unknown = TileRequest {
        tracks: vec![TrackId(9)],
        ..request(0, 100, 10)
    };
    assert!(tile(&session, &index, &unknown).tracks.is_empty());
}

#[test]
fn counters_keep_the_extremes_of_each_pixel_and_the_value_before_the_window() {
    let session = samples::two_steps();
    let index = TimelineIndex::new(&session);
    let request = TileRequest {
        tracks: vec![TrackId(1)],
        ..request(50, 250, 4)
    };
    let tile = tile(&session, &index, &request);
    let TrackContent::Counter(counter) = &tile.tracks[0].content else {
        panic!("a counter")
    };
    assert_eq!(counter.times, [0, 90, 200]);
    assert_eq!(counter.minimum, [1.0, 2.0, 3.0]);
    assert_eq!(counter.maximum, [1.0, 7.0, 3.0]);
    assert_eq!(decode(&encode(&tile)), Ok(tile));
}

#[test]
fn a_size_follows_the_pixels_and_the_slices_of_the_window() {
    let slices: Vec<(i64, i64, u32)> = (0..1000).map(|k| (k * 10, 5, 1)).collect();
    let session = one_track(samples::lane(&slices));
    let size = |end, width| most_bytes(&session, &request(0, end, width));
    assert_eq!(size(10_000, 1000), 32 + 16 + 8 + 1000 * 36 + 4);
    assert_eq!(size(10_000, 10), 32 + 16 + 8 + 21 * 36 + 4);
    assert_eq!(size(100, 1000), 32 + 16 + 8 + 10 * 36 + 4);
    let twice = TileRequest {
        tracks: vec![TrackId(0); 2],
        ..request(0, 100, 1000)
    };
    assert_eq!(
        most_bytes(&session, &twice),
        32 + 2 * (16 + 8 + 10 * 36 + 4)
    );
}

#[test]
fn the_bytes_are_those_of_the_documentation() {
    let session = one_track(samples::lane(&[(0, 50, 1)]));
    let index = TimelineIndex::new(&session);
    let bytes = encode(&tile(&session, &index, &request(0, 100, 10)));
    assert_eq!(bytes.len(), 32 + 16 + 8 + 40);
    assert_eq!(&bytes[..8], b"SST1\x01\0\0\0");
    assert_eq!(bytes[16..24], 100f64.to_le_bytes());
    assert_eq!(bytes[24..32], 10f64.to_le_bytes());
    assert_eq!(bytes[52..56], 1u32.to_le_bytes());
    assert_eq!(bytes[64..72], 50f64.to_le_bytes());
}

#[test]
fn damaged_bytes_are_errors() {
    let session = samples::two_steps();
    let index = TimelineIndex::new(&session);
    let tracks = session.track_ids().collect();
    let bytes = encode(&tile(
        &session,
        &index,
        &TileRequest {
            tracks,
            ..request(0, 300, 100)
        },
    ));
    for length in 0..bytes.len() {
        assert!(decode(&bytes[..length]).is_err(), "{length} bytes");
    }
    for position in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[position] ^= 0xff;
        let _ = decode(&damaged);
    }
}

proptest! {
    #[test]
    fn nothing_is_left_out_and_nothing_is_merged_too_far(
        lane in samples::any_lane(),
        start in -50i64..2000,
        length in 1i64..20_000,
        width_px in 1u32..60,
    ) {
        let session = one_track(lane);
        let lane = &session.tracks[0].lanes[0];
        let request = request(start, start + length, width_px);
        let tile = tile(&session, &TimelineIndex::new(&session), &request);
        let glyphs = only_lane(&tile);
        let overlapping: Vec<usize> = (0..lane.len())
            .filter(|&index| {
                let span = lane.span(index);
                let begins_within = request.window.contains_instant(span.start);
                begins_within || span.intersection(request.window).is_some()
            })
            .collect();
        let is_wide = |index: usize| lane.durations()[index] * i64::from(width_px) >= length;
        let mut next = overlapping.first().copied().unwrap_or(0);
        for glyph in 0..glyphs.len() {
            let first = glyphs.first[glyph] as usize;
            let members = first..first + glyphs.counts[glyph] as usize;
            prop_assert_eq!(first, next);
            next = members.end;
            let last = members.end - 1;
            prop_assert_eq!(glyphs.starts[glyph], lane.starts()[first]);
            prop_assert_eq!(glyphs.durations[glyph], lane.end(last) - lane.starts()[first]);
            let durations = &lane.durations()[members.clone()];
            prop_assert_eq!(glyphs.busy[glyph], durations.iter().sum::<i64>());
            let longest = durations.iter().max().expect("a glyph has members");
            let position = durations.iter().position(|ps| ps == longest).expect("it is there");
            prop_assert_eq!(glyphs.labels[glyph], lane.labels()[first + position]);
            if members.len() > 1 {
                prop_assert!(!members.clone().any(is_wide));
                // Starts lie within one pixel, so no two are a pixel apart.
                let spread = lane.starts()[last] - lane.starts()[first];
                prop_assert!(spread * i64::from(width_px) < length);
            }
        }
        prop_assert_eq!(next - overlapping.first().copied().unwrap_or(0), overlapping.len());
        prop_assert!(glyphs.len() <= 2 * width_px as usize + 1);
        // The size is known before the tile is made.
        let bytes = encode(&tile);
        prop_assert!(bytes.len() as u64 <= most_bytes(&session, &request));
        prop_assert_eq!(decode(&bytes), Ok(tile));
    }

    #[test]
    fn block_sums_give_the_same_tiles(lane in samples::any_lane(), width_px in 1u32..4) {
        let session = one_track(lane);
        let filled = TimelineIndex::new(&session);
        filled.fill(&session);
        let lane = &session.tracks[0].lanes[0];
        let extent = session.extent().map_or(1, |span| span.end.0 + 1);
        let tile = tile(&session, &filled, &request(0, extent, width_px));
        let busy: i64 = only_lane(&tile).busy.iter().sum();
        let count: u32 = only_lane(&tile).counts.iter().sum();
        prop_assert_eq!(busy, lane.durations().iter().sum::<i64>());
        prop_assert_eq!(count as usize, lane.len());
    }

    #[test]
    fn galloping_finds_what_a_scan_finds(
        mut values in prop::collection::vec(0i64..40, 0..80),
        first in 0usize..80,
        bound in -1i64..42,
    ) {
        values.sort_unstable();
        let first = first.min(values.len());
        let scan = (first..values.len()).find(|&i| values[i] >= bound).unwrap_or(values.len());
        prop_assert_eq!(gallop(&values, first, values.len(), bound), scan);
    }
}
