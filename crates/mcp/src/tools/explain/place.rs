//! Where on the timeline something is: the slice of an op, or the slice that is a range.

use stepscope_analysis::views::timeline::SliceRefReport;
use stepscope_model::{LabelId, Session, SliceId, Span, TrackId};

/// The longest slice of an op or kernel; `within` limits where it is looked for, `device` (a title, or
/// empty) on which device.
pub(super) fn of_op(
    session: &Session,
    name: &str,
    within: Option<Span>,
    device: &str,
) -> Option<SliceRefReport> {
    let is_named = |label: LabelId| {
        let op = session.label(label).op;
        session.label_name(label) == name
            || op.is_some_and(|op| session.text(session.op(op).name) == name)
    };
    longest(session, within, device, is_named, |_| true).filter(|_| is_lasting(session))
}

/// Whether addresses are those of the whole session: tracks are numbered host by host, so a session
/// of several hosts that was read without their threads has other numbers.
fn is_lasting(session: &Session) -> bool {
    session.hosts.len() == 1 || session.tracks.iter().any(|track| track.device.is_none())
}

/// The slice that takes exactly this time: what a range was made from.
pub(super) fn exactly(session: &Session, span: Span) -> Option<SliceRefReport> {
    longest(session, Some(span), "", |_| true, |found| found == span)
}

/// The longest of the slices that pass, the first of equally long ones.
fn longest(
    session: &Session,
    within: Option<Span>,
    device: &str,
    is_label: impl Fn(LabelId) -> bool,
    is_span: impl Fn(Span) -> bool,
) -> Option<SliceRefReport> {
    let ids = (0..session.labels.len()).map(LabelId::from_index);
    let labels: Vec<bool> = ids.map(is_label).collect();
    let passes = |label: LabelId| labels[label.index()];
    let is_there = |id: &TrackId| {
        let of = session.track(*id).device;
        device.is_empty() || of.is_some_and(|of| session.device_title(of) == device)
    };
    let mut found: Option<(Span, SliceId)> = None;
    for id in session.track_ids().filter(is_there) {
        let Some(track) = session.track_having(id, passes) else {
            continue;
        };
        for (position, lane) in (0_u32..).zip(&track.lanes) {
            let range = within.map_or(0..lane.len(), |span| lane.overlapping(span));
            for index in range.filter(|index| passes(lane.labels()[*index])) {
                let span = lane.span(index);
                let is_longer = found.is_none_or(|(one, _)| span.duration() > one.duration());
                if is_longer && is_span(span) {
                    let slice = SliceId {
                        track: id,
                        lane: position,
                        index: u32::try_from(index).unwrap_or(u32::MAX),
                    };
                    found = Some((span, slice));
                }
            }
        }
    }
    found.map(|(_, slice)| slice.into())
}
