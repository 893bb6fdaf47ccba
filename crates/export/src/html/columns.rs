//! Complete tracks of the timeline: every slice, a few bytes each. The page makes the tiles itself.
//!
//! ```text
//! track    kind: 0 slices, 1 samples
//!   slices   number of lanes, then for each lane:
//!     lane     slices, unit, first start ÷ 1, gaps ÷ unit, durations ÷ unit, labels
//!   samples  number, first time, gaps; then values, 8 bytes each
//! ```
//!
//! Numbers are LEB128; first starts and times, which may be negative, are zigzag-encoded. A gap is
//! the time from the end of a slice to the start of the next, and is never negative: slices of a
//! lane are sorted and never overlap. The unit divides all gaps and durations of its lane: many
//! recorders count nanoseconds. Columns of one type are stored together because they compress
//! better.

use std::collections::{BTreeSet, HashSet};

use rayon::prelude::*;
use stepscope_analysis::views::timeline::TimelineReport;
use stepscope_model::{LabelId, Lane, Samples, Session, TrackId};

use super::packed::{entry_bytes, packed};
use super::share::ShareTrack;
use super::tiles::label_bytes;
use crate::ExportError;

const KIND_SLICES: u64 = 0;
const KIND_SAMPLES: u64 = 1;

/// Share of the space for complete tracks if some tracks only have tiles.
const SHARE_BESIDE_TILES: f64 = 0.7;

/// Complete tracks.
#[derive(Default)]
pub(super) struct Columns {
    tracks: Vec<Whole>,
    /// The same, to look them up.
    numbers: HashSet<TrackId>,
}

struct Whole {
    track: TrackId,
    text: String,
    labels: BTreeSet<LabelId>,
    bytes: u64,
}

impl Columns {
    /// All tracks if they fit, otherwise the smallest ones.
    pub(super) fn choose(
        session: &Session,
        report: &TimelineReport,
        room: u64,
    ) -> Result<Self, ExportError> {
        let tracks = report.groups.iter().flat_map(|group| &group.tracks);
        let tracks: Vec<TrackId> = tracks.map(|track| TrackId(track.track)).collect();
        let whole = |&track: &TrackId| Whole::new(session, track);
        let mut whole: Vec<Whole> = tracks.par_iter().map(whole).collect::<Result<_, _>>()?;
        if whole.iter().map(|track| track.bytes).sum::<u64>() > room {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a share of a size is a size"
            )]
            let room = (room as f64 * SHARE_BESIDE_TILES) as u64;
            whole.sort_by_key(|track| (track.bytes, track.track));
            let mut taken = 0u64;
            whole.retain(|track| {
                taken = taken.saturating_add(track.bytes);
                taken <= room
            });
            whole.sort_by_key(|track| track.track);
        }
        let numbers = whole.iter().map(|track| track.track).collect();
        Ok(Self {
            tracks: whole,
            numbers,
        })
    }

    pub(super) fn bytes(&self) -> u64 {
        self.tracks.iter().map(|track| track.bytes).sum()
    }

    pub(super) fn has(&self, wanted: TrackId) -> bool {
        self.numbers.contains(&wanted)
    }

    pub(super) fn labels(&self) -> impl Iterator<Item = LabelId> {
        self.tracks.iter().flat_map(|track| &track.labels).copied()
    }

    pub(super) fn told(&self) -> Vec<ShareTrack> {
        let tracks = self.tracks.iter().map(|track| ShareTrack {
            track: track.track.0,
            columns: track.text.clone(),
        });
        tracks.collect()
    }

    /// Drops the largest track and returns it with its size; `None` if nothing is left.
    pub(super) fn drop_largest(&mut self) -> Option<(TrackId, u64)> {
        let numbered = self.tracks.iter().enumerate();
        let (largest, _) = numbered.max_by_key(|(_, track)| track.bytes)?;
        let dropped = self.tracks.remove(largest);
        self.numbers.remove(&dropped.track);
        Some((dropped.track, dropped.bytes))
    }
}

impl Whole {
    fn new(session: &Session, id: TrackId) -> Result<Self, ExportError> {
        let track = session.track(id);
        let mut bytes = Vec::new();
        let mut labels = BTreeSet::new();
        if let Some(samples) = &track.samples {
            write_samples(&mut bytes, samples);
        } else {
            write(&mut bytes, KIND_SLICES);
            write(&mut bytes, track.lanes.len() as u64);
            for lane in &track.lanes {
                write_lane(&mut bytes, lane);
                labels.extend(lane.labels().iter().copied());
            }
        }
        let text = packed(&bytes)?;
        let names = labels.iter().map(|&label| label_bytes(session, label));
        let bytes = entry_bytes("", &text) + names.sum::<u64>();
        Ok(Self {
            track: id,
            text,
            labels,
            bytes,
        })
    }
}

fn write_lane(bytes: &mut Vec<u8>, lane: &Lane) {
    let (starts, durations) = (lane.starts(), lane.durations());
    let gaps = || (1..lane.len()).map(|index| length(starts[index], lane.end(index - 1)));
    let durations = || durations.iter().map(|&duration| length(duration, 0));
    let unit = gaps().chain(durations()).fold(0, greatest_common_divisor);
    let unit = unit.max(1);
    write(bytes, lane.len() as u64);
    write(bytes, unit);
    let Some(&first) = starts.first() else { return };
    write(bytes, zigzag(first));
    for part in gaps().chain(durations()) {
        write(bytes, part / unit);
    }
    for label in lane.labels() {
        write(bytes, u64::from(label.0));
    }
}

fn write_samples(bytes: &mut Vec<u8>, samples: &Samples) {
    let times = &samples.times;
    write(bytes, KIND_SAMPLES);
    write(bytes, times.len() as u64);
    if let Some(&first) = times.first() {
        write(bytes, zigzag(first));
    }
    for pair in times.windows(2) {
        write(bytes, length(pair[1], pair[0]));
    }
    for value in samples.values.iter().take(times.len()) {
        bytes.extend(value.to_le_bytes());
    }
}

/// The time from one instant to a later one; zero if they are in the wrong order.
fn length(later: i64, earlier: i64) -> u64 {
    u64::try_from(later.saturating_sub(earlier)).unwrap_or(0)
}

const fn greatest_common_divisor(mut one: u64, mut other: u64) -> u64 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// 0, −1, 1, −2, … as 0, 1, 2, 3, …
const fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

/// LEB128: seven bits per byte, lowest first, the top bit on all but the last.
fn write(bytes: &mut Vec<u8>, mut value: u64) {
    loop {
        let [low, ..] = value.to_le_bytes();
        value >>= 7;
        if value == 0 {
            bytes.push(low & 0x7f);
            return;
        }
        bytes.push(low | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_page() {
        // The same bytes as in ui/src/share/columns.test.ts.
        let mut bytes = Vec::new();
        for value in [
            0,
            1,
            127,
            128,
            300,
            zigzag(0),
            zigzag(-1),
            zigzag(1),
            zigzag(-300),
        ] {
            write(&mut bytes, value);
        }
        let expected = [0, 1, 127, 128, 1, 172, 2, 0, 1, 2, 215, 4];
        assert_eq!(bytes, expected);
        let samples = Samples {
            times: vec![10, 15],
            values: vec![1.5, -2.0],
            ..Samples::default()
        };
        bytes.clear();
        write_samples(&mut bytes, &samples);
        assert_eq!(bytes[..4], [1, 2, 20, 5]);
        assert_eq!(
            bytes[4..],
            [1.5f64.to_le_bytes(), (-2f64).to_le_bytes()].concat()
        );
        assert_eq!([12, 18, 0].into_iter().fold(0, greatest_common_divisor), 6);
    }
}
