//! Work of devices: which slices count, and for how long a device was busy.

use stepscope_model::{DeviceId, LabelId, Session, Span};

use crate::interval::Intervals;

/// Times at which the device did work whose label passes, as a union.
///
/// Only outermost lanes that hold work are needed for the union of everything, but a filter may pass
/// a nested slice and not its parent, so all lanes are looked at.
pub fn work_intervals(
    session: &Session,
    device: DeviceId,
    window: Span,
    passes: impl Fn(LabelId) -> bool,
) -> Intervals {
    let mut spans = Vec::new();
    for (_, track) in session.work_tracks(device) {
        for lane in &track.lanes {
            for index in lane.overlapping(window) {
                let label = lane.labels[index];
                if session.label(label).kind.is_work() && passes(label) {
                    spans.extend(lane.span(index).intersection(window));
                }
            }
        }
    }
    Intervals::union_of(spans)
}
