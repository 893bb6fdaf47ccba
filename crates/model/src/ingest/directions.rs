//! Directions of copies that only the calls which launched them tell.
//!
//! AMD's runtime copies with kernels of its own, all of one name, and profilers write `Unknown` for kinds
//! that they do not know. The call on the host says where to: `hipMemcpyHtoDAsync`.

use std::collections::BTreeMap;

use crate::flow::{FlowKind, HostFlows};
use crate::ids::{LabelId, SliceId, TrackId};
use crate::label::{Direction, Label};
use crate::strings::Strings;
use crate::track::{Track, relabel};
use crate::vendor::events::call_direction;

/// Gives the copies on these streams the directions of their launches, where only these have one, using
/// labels that differ only in it. `flows` are the host's arrows.
pub(super) fn direct(
    tracks: &mut [Track],
    labels: &mut Vec<Label>,
    strings: &Strings,
    flows: &HostFlows,
    streams: &[usize],
) {
    let is_open = |label: &Label| {
        let transfer = label.transfer;
        transfer.is_some_and(|transfer| transfer.direction == Direction::Other)
    };
    let is_open: Vec<bool> = labels.iter().map(is_open).collect();
    if !is_open.contains(&true) {
        return;
    }
    let mut known: BTreeMap<LabelId, Option<Direction>> = BTreeMap::new();
    let mut directed: BTreeMap<(LabelId, Direction), LabelId> = BTreeMap::new();
    let mut changed: BTreeMap<(TrackId, u32), Vec<(u32, LabelId)>> = BTreeMap::new();
    for &position in streams {
        for (number, lane) in tracks[position].lanes.iter().enumerate() {
            for (index, &label) in lane.labels().iter().enumerate() {
                if !is_open[label.index()] {
                    continue;
                }
                let slice = SliceId {
                    track: TrackId::from_index(position),
                    lane: u32::try_from(number).unwrap_or(u32::MAX),
                    index: u32::try_from(index).unwrap_or(u32::MAX),
                };
                let mut launches = flows.to_slice(slice);
                let launch = launches.find(|flow| flow.kind == FlowKind::Launch);
                let Some(call) = launch.and_then(|flow| label_of(tracks, flow.from)) else {
                    continue;
                };
                let name = || strings.get(labels[call.index()].name);
                let told = *known.entry(call).or_insert_with(|| call_direction(name()));
                let Some(direction) = told else { continue };
                let new = *directed.entry((label, direction)).or_insert_with(|| {
                    let mut new = labels[label.index()].clone();
                    if let Some(transfer) = &mut new.transfer {
                        transfer.direction = direction;
                    }
                    labels.push(new);
                    LabelId::from_index(labels.len() - 1)
                });
                let of_lane = changed.entry((slice.track, slice.lane));
                of_lane.or_default().push((slice.index, new));
            }
        }
    }
    relabel(tracks, changed);
}

fn label_of(tracks: &[Track], slice: SliceId) -> Option<LabelId> {
    let track = tracks.get(slice.track.index())?;
    let lane = track.lanes.get(slice.lane as usize)?;
    lane.labels().get(slice.index as usize).copied()
}
