//! The observed time of each device, gaps between steps included.

use std::cell::LazyCell;
use std::sync::Arc;

use crate::measuring::interval::Intervals;
use crate::measuring::selection::{Selected, device_span};
use crate::measuring::warm_up::WarmUp;
use crate::measuring::work::work_labels;
use rayon::prelude::*;
use stepscope_model::{DeviceId, LabelId, Session, Span};

/// The observed time of each selected device: the selected steps and times; otherwise from the first to
/// the last step that statistics include, or without such steps from the first to the last work of any
/// device.
pub(crate) fn observed_windows(
    session: &Session,
    selected: &Selected<'_>,
) -> Vec<(DeviceId, Intervals)> {
    let any_work = LazyCell::new(|| {
        let extents = work_extents(session);
        extents.iter().flatten().copied().reduce(Span::hull)
    });
    let devices = selected.devices.iter();
    devices
        .map(|&device| (device, windows(session, selected, device, &any_work)))
        .collect()
}

fn windows(
    session: &Session,
    selected: &Selected<'_>,
    device: DeviceId,
    any_work: &LazyCell<Option<Span>, impl FnOnce() -> Option<Span>>,
) -> Intervals {
    if !selected.is_all_time() {
        // Selected times may be unbounded or end long after the recording.
        let windows = Intervals::union_of(selected.windows(device));
        let recorded = session.extent();
        return recorded.map_or_else(Intervals::default, |extent| windows.clip(extent));
    }
    // Work of a cut step was not recorded completely, so its time would count as idle or busy at random.
    // Steps that warm up are in no other figure either.
    let warm_up = WarmUp::of(session);
    let steps = session.steps.iter().enumerate();
    let steps = steps.filter(|(position, step)| !step.is_cut && !warm_up.has(*position));
    let steps = steps.map(|(_, step)| step);
    let own = steps
        .clone()
        .filter_map(|step| device_span(step, session, device));
    let any = steps.flat_map(|step| step.spans.iter().map(|span| span.span));
    let whole = own
        .reduce(Span::hull)
        .or_else(|| any.reduce(Span::hull))
        .or_else(|| **any_work);
    Intervals::union_of(whole.into_iter().collect())
}

/// First start and last end of each device's work; none for devices that recorded no work. Computed
/// once per session.
pub(crate) fn work_extents(session: &Session) -> Arc<Vec<Option<Span>>> {
    let extents = session.memo.get_or_compute(|| {
        let labels = work_labels(session);
        let devices: Vec<DeviceId> = session.device_ids().collect();
        let extents = devices.into_par_iter();
        let extents = extents.map(|device| work_extent(session, device, &labels));
        WorkExtents(Arc::new(extents.collect()))
    });
    Arc::clone(&extents.0)
}

/// What the session keeps of [`work_extents`].
struct WorkExtents(Arc<Vec<Option<Span>>>);

/// First start and last end of the device's work.
fn work_extent(session: &Session, device: DeviceId, labels: &[bool]) -> Option<Span> {
    let tracks: Vec<_> = session.work_tracks(device).collect();
    let lanes = tracks.iter().flat_map(|(_, track)| &track.lanes);
    let extents = lanes.filter_map(|lane| {
        let is_work = |label: &LabelId| labels[label.index()];
        let first = lane.labels().iter().position(is_work)?;
        let last = lane.labels().iter().rposition(is_work)?;
        Some(lane.span(first).hull(lane.span(last)))
    });
    extents.reduce(Span::hull)
}
