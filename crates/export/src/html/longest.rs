//! Details of the slices that people click first: the longest ones.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use stepscope_analysis::views::timeline::{SliceDetails, details};
use stepscope_model::{Session, SliceId};

use super::packed::packed;
use super::share::ShareReport;
use super::shared::Shared;
use crate::ExportError;

/// Maximum number of slices with details.
const MOST: usize = 3500;

/// Details already read, so that a second attempt at a smaller file doesn't read them again.
#[derive(Default)]
pub(super) struct Known(BTreeMap<SliceId, SliceDetails>);

impl Known {
    fn read(&mut self, session: &Session, slices: &[(i64, SliceId)]) {
        let slices = slices.iter().map(|&(_, slice)| slice);
        let unknown: Vec<SliceId> = slices.filter(|slice| !self.0.contains_key(slice)).collect();
        let read = details::details_of(session, &unknown);
        let read = unknown.into_iter().zip(read);
        let read = read.filter_map(|(slice, details)| Some((slice, details?)));
        self.0.extend(read);
    }
}

/// Adds details of the longest slices of the tracks that are shown, fewer if there is less space,
/// and the values that they and the answers refer to.
pub(super) fn add(
    session: &Session,
    report: &mut ShareReport,
    shared: &Shared,
    known: &mut Known,
    spare_bytes: u64,
) -> Result<(), ExportError> {
    let whole = report.tracks.iter().map(|track| &track.track);
    let tracks = whole.chain(report.tiles.iter().flat_map(|group| &group.tracks));
    let mut longest: BinaryHeap<Reverse<(i64, SliceId)>> = BinaryHeap::new();
    let shown = tracks.map(|&track| stepscope_model::TrackId(track));
    for id in shown {
        for (number, lane) in (0..).zip(&session.track(id).lanes) {
            for (index, &duration) in (0..).zip(lane.durations()) {
                let is_full = longest.len() >= MOST;
                if is_full
                    && longest
                        .peek()
                        .is_some_and(|Reverse((least, _))| duration <= *least)
                {
                    continue;
                }
                if is_full {
                    longest.pop();
                }
                let slice = SliceId {
                    track: id,
                    lane: number,
                    index,
                };
                longest.push(Reverse((duration, slice)));
            }
        }
    }
    let mut slices: Vec<(i64, SliceId)> = longest.into_iter().map(|Reverse(one)| one).collect();
    slices.sort_unstable_by_key(|&(duration, slice)| (Reverse(duration), slice));
    known.read(session, &slices);
    let found: Vec<(String, &SliceDetails)> = slices
        .iter()
        .filter_map(|(_, slice)| {
            let SliceId { track, lane, index } = slice;
            Some((format!("{}/{lane}/{index}", track.0), known.0.get(slice)?))
        })
        .collect();
    let mut count = found.len();
    loop {
        let some: BTreeMap<&str, &SliceDetails> = found[..count]
            .iter()
            .map(|(key, details)| (key.as_str(), *details))
            .collect();
        let json = serde_json::to_string(&some).map_err(std::io::Error::other)?;
        let mut shared = shared.clone();
        shared.look(&json);
        let text = packed(shared.shorten(&json).as_bytes())?;
        let values = packed(shared.json().as_bytes())?;
        let more = (text.len() + values.len()).saturating_sub(report.shared.len());
        if more as u64 <= spare_bytes || count == 0 {
            report.details = if count == 0 { String::new() } else { text };
            report.detail_count = count;
            report.shared = values;
            return Ok(());
        }
        count /= 2;
    }
}
