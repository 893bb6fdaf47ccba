//! Where a slice is: what tracks and their groups are called, and the address of a slice.

use serde::Serialize;
use stepscope_model::{Session, SliceId, Track, TrackId};
use ts_rs::TS;

/// The group a track stands in: `TPU:0` or `threads`, after the host's name where there are several.
pub fn group_title(session: &Session, track: &Track) -> String {
    if let Some(device) = track.device {
        return match session.hosts.len() {
            1 => session.device(device).name.clone(),
            _ => format!(
                "{} / {}",
                session.host(track.host).name,
                session.device(device).name
            ),
        };
    }
    match session.hosts.len() {
        1 => "threads".to_owned(),
        _ => format!("{} / threads", session.host(track.host).name),
    }
}

/// Group and name of a track: `host-0 / TPU:0 / XLA Ops`.
pub fn track_title(session: &Session, track: TrackId) -> String {
    let track = session.track(track);
    format!(
        "{} / {}",
        group_title(session, track),
        session.text(track.name)
    )
}

/// Address of a slice: track, flat lane within the track, index within the lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct SliceRefReport {
    /// Track.
    pub track: u32,
    /// Lane, counted over all nests of the track.
    pub lane: u32,
    /// Position in the lane.
    pub index: u32,
}

impl From<SliceId> for SliceRefReport {
    fn from(slice: SliceId) -> Self {
        Self {
            track: slice.track.0,
            lane: slice.lane,
            index: slice.index,
        }
    }
}

impl From<SliceRefReport> for SliceId {
    fn from(slice: SliceRefReport) -> Self {
        Self {
            track: TrackId(slice.track),
            lane: slice.lane,
            index: slice.index,
        }
    }
}
