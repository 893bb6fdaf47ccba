//! Where a slice is: titles of tracks and their groups, and the address of a slice.

use serde::Serialize;
use stepscope_model::hlo::SourceLocation;
use stepscope_model::{Session, SliceId, Track, TrackId};
use ts_rs::TS;

/// Title of a track's group: `TPU:0` or `threads`, prefixed with the host's name if there are several
/// hosts.
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

/// Address of a slice: track, lane within the track, index within the lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct SliceRefReport {
    /// Index of the track in the session.
    pub track: u32,
    /// Index of the lane, counted across all nests of the track.
    pub lane: u32,
    /// Position of the slice in the lane.
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

/// The last part of a path, of any system.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// `train.py:12`
pub(crate) fn line_of(source: &SourceLocation) -> String {
    format!("{}:{}", file_name(&source.file), source.line)
}

/// `wait_for_quota (train.py:23)` of the frame `train.py:23 wait_for_quota`.
pub(crate) fn python_function(frame: &str) -> Option<String> {
    let (line, function) = frame.split_once(' ')?;
    Some(format!("{function} ({line})"))
}
