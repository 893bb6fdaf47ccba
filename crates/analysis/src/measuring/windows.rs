//! The observed time of each device, gaps between steps included.

use crate::measuring::interval::Intervals;
use crate::measuring::selection::{Selected, device_span};
use crate::measuring::work::work_labels;
use rayon::prelude::*;
use stepscope_model::{DeviceId, LabelId, Session, Span};

/// The observed time of each selected device: the selected steps and times; otherwise from the first to
/// the last step that is not cut off, or without such steps from the first to the last work of any
/// device.
pub(crate) fn observed_windows(
    session: &Session,
    selected: &Selected<'_>,
) -> Vec<(DeviceId, Intervals)> {
    let labels = work_labels(session);
    let any_work = any_work(session, &labels);
    let devices = selected.devices.iter();
    devices
        .map(|&device| (device, windows(session, selected, device, any_work)))
        .collect()
}

fn windows(
    session: &Session,
    selected: &Selected<'_>,
    device: DeviceId,
    any_work: Option<Span>,
) -> Intervals {
    if !selected.is_all_time() {
        // Selected times may be unbounded or end long after the recording.
        let windows = Intervals::union_of(selected.windows(device));
        let recorded = session.extent();
        return recorded.map_or_else(Intervals::default, |extent| windows.clip(extent));
    }
    // Work of a cut step was not recorded completely, so its time would count as idle or busy at random.
    let steps = session.steps.iter().filter(|step| !step.is_cut);
    let own = steps
        .clone()
        .filter_map(|step| device_span(step, session, device));
    let any = steps.flat_map(|step| step.spans.iter().map(|span| span.span));
    let whole = own
        .reduce(Span::hull)
        .or_else(|| any.reduce(Span::hull))
        .or(any_work);
    Intervals::union_of(whole.into_iter().collect())
}

fn any_work(session: &Session, labels: &[bool]) -> Option<Span> {
    session
        .device_ids()
        .filter_map(|id| work_extent(session, id, labels))
        .reduce(Span::hull)
}

/// First start and last end of each device's work; none for devices that recorded no work.
pub(crate) fn work_extents(session: &Session) -> Vec<Option<Span>> {
    let labels = work_labels(session);
    let devices: Vec<DeviceId> = session.device_ids().collect();
    devices
        .into_par_iter()
        .map(|device| work_extent(session, device, &labels))
        .collect()
}

/// First start and last end of the device's work.
fn work_extent(session: &Session, device: DeviceId, labels: &[bool]) -> Option<Span> {
    let lanes = session
        .work_tracks(device)
        .flat_map(|(_, track)| &track.lanes);
    let extents = lanes.filter_map(|lane| {
        let is_work = |label: &LabelId| labels[label.index()];
        let first = lane.labels().iter().position(is_work)?;
        let last = lane.labels().iter().rposition(is_work)?;
        Some(lane.span(first).hull(lane.span(last)))
    });
    extents.reduce(Span::hull)
}
