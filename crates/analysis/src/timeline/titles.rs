//! How tracks and their groups are called, on the timeline and wherever it is spoken of.

use stepscope_model::{Session, StepSpan, Track, TrackId};

use super::report::SliceRefReport;
use stepscope_model::SliceId;

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

/// A step's span as one row shows it: the device's own, else the host's annotation.
pub(super) fn span_on<'a>(spans: &'a [StepSpan], track: &Track) -> Option<&'a StepSpan> {
    let own = spans
        .iter()
        .find(|span| track.device.is_some() && span.device == track.device);
    own.or_else(|| {
        spans
            .iter()
            .find(|span| span.device.is_none() && span.host == track.host)
    })
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
