//! Rows: each selected step on each device that recorded work, or on a host without such a device.

use std::sync::Arc;

use rayon::prelude::*;
use stepscope_model::{DeviceId, HostId, Session, Span, Step};

use super::host::host_activities;
use super::parts::{Division, PartLengths};
use crate::measuring::interval::Intervals;
use crate::measuring::levels::device_levels;
use crate::measuring::selection::{Selected, device_span};
use crate::measuring::windows::observed_windows;

/// One step on one row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepParts {
    /// Position in `Session::steps`.
    pub(crate) step: usize,
    /// Host of the row.
    pub(crate) host: HostId,
    /// Device of the row; none for a host whose devices recorded no work.
    pub(crate) device: Option<DeviceId>,
    /// The step's time there.
    pub(crate) span: Span,
    /// Its parts.
    pub(crate) lengths: PartLengths,
}

/// The selected steps, row by row, and the divisions that the rows are cut from.
pub(crate) struct DividedSteps {
    /// By step, then device, then host.
    pub(crate) rows: Vec<StepParts>,
    places: Vec<(HostId, Option<DeviceId>)>,
    divisions: Vec<Division>,
    /// The time that the divisions cover.
    within: Option<Span>,
}

impl DividedSteps {
    /// How long the device was busy in the windows; none unless the divisions cover all of them.
    pub(crate) fn busy_ps(&self, device: DeviceId, windows: &Intervals) -> Option<i64> {
        let within = self.within?;
        let place = self
            .places
            .iter()
            .position(|&(_, place)| place == Some(device))?;
        let division = &self.divisions[place];
        let mut windows = windows.spans().iter();
        windows.try_fold(0i64, |sum, &window| {
            within
                .contains(window)
                .then(|| sum + division.within(window).busy_ps)
        })
    }
}

/// Divides the selected steps. The division of a whole session is computed once.
pub(crate) fn divide_steps(session: &Session, selected: &Selected<'_>) -> Arc<DividedSteps> {
    if selected.is_everything() {
        return session.memo.get_or_compute(|| divide(session, selected));
    }
    Arc::new(divide(session, selected))
}

/// Stands in for a step's position in rows that cover the whole observed time.
pub(crate) const WHOLE: usize = usize::MAX;

/// The observed time of each device that worked in it, divided like a step. Used for recordings
/// without steps.
pub(crate) fn divide_recording(session: &Session, selected: &Selected<'_>) -> Vec<StepParts> {
    let mut windows = observed_windows(session, selected);
    windows.retain(|(_, windows)| !windows.spans().is_empty());
    let hull = |windows: &Intervals| windows.spans().iter().copied().reduce(Span::hull);
    let spans: Vec<Span> = windows.iter().filter_map(|(_, own)| hull(own)).collect();
    let Some(within) = spans.iter().copied().reduce(Span::hull) else {
        return Vec::new();
    };
    let of_device =
        |&(device, _): &(DeviceId, Intervals)| (session.device(device).host, Some(device));
    let places: Vec<(HostId, Option<DeviceId>)> = windows.iter().map(of_device).collect();
    let divisions = divisions(session, &places, within);
    let rows = places.into_iter().zip(spans).zip(divisions);
    let rows = rows.map(|(((host, device), span), division)| StepParts {
        step: WHOLE,
        host,
        device,
        span,
        lengths: division.within(span),
    });
    rows.filter(|row| row.lengths.busy_ps > 0).collect()
}

fn divide(session: &Session, selected: &Selected<'_>) -> DividedSteps {
    let places = places(session, selected);
    let spans = spans(session, selected, &places);
    let within = spans.iter().map(|&(_, _, span)| span).reduce(Span::hull);
    let divisions = within
        .map(|within| divisions(session, &places, within))
        .unwrap_or_default();
    let row = |(step, place, span): (usize, usize, Span)| {
        let (host, device) = places[place];
        let lengths = divisions[place].within(span);
        StepParts {
            step,
            host,
            device,
            span,
            lengths,
        }
    };
    let rows = spans.into_iter().map(row).collect();
    DividedSteps {
        rows,
        places,
        divisions,
        within,
    }
}

/// For each step on each place: the step's position, the place's position, and the step's time there.
fn spans(
    session: &Session,
    selected: &Selected<'_>,
    places: &[(HostId, Option<DeviceId>)],
) -> Vec<(usize, usize, Span)> {
    let on_places = |step: usize| {
        places
            .iter()
            .enumerate()
            .filter_map(move |(place, &(host, device))| {
                let span = span_on(session, &session.steps[step], host, device)?;
                has_program(session, selected, device, span).then_some((step, place, span))
            })
    };
    selected
        .step_positions()
        .into_iter()
        .flat_map(on_places)
        .collect()
}

fn divisions(
    session: &Session,
    places: &[(HostId, Option<DeviceId>)],
    within: Span,
) -> Vec<Division> {
    let levels = device_levels(session);
    let mut hosts: Vec<HostId> = places.iter().map(|&(host, _)| host).collect();
    hosts.sort_unstable();
    hosts.dedup();
    let activities = host_activities(session, &hosts, within);
    places
        .par_iter()
        .map(|&(host, device)| {
            let found = activities.binary_search_by_key(&host, |&(host, _)| host);
            let activity = &activities[found.unwrap_or(0)].1;
            match device {
                Some(device) => Division::of_device(session, device, &levels, activity, within),
                None => Division::of_host(activity),
            }
        })
        .collect()
}

/// Selected devices that recorded work, and selected hosts without any device that did.
fn places(session: &Session, selected: &Selected<'_>) -> Vec<(HostId, Option<DeviceId>)> {
    let works = |device: DeviceId| {
        let mut tracks = session.work_tracks(device);
        tracks.any(|(_, track)| track.slice_count() > 0)
    };
    let devices: Vec<DeviceId> = selected
        .devices
        .iter()
        .copied()
        .filter(|&device| works(device))
        .collect();
    let mut places: Vec<(HostId, Option<DeviceId>)> = devices
        .iter()
        .map(|&device| (session.device(device).host, Some(device)))
        .collect();
    let idle_hosts = selected.hosts.iter().filter(|&&host| {
        let mut devices = session
            .device_ids()
            .filter(|&id| session.device(id).host == host);
        !devices.any(works)
    });
    places.extend(idle_hosts.map(|&host| (host, None)));
    places
}

fn span_on(session: &Session, step: &Step, host: HostId, device: Option<DeviceId>) -> Option<Span> {
    if let Some(device) = device {
        return device_span(step, session, device);
    }
    let own = step
        .spans
        .iter()
        .find(|span| span.device.is_none() && span.host == host);
    own.map(|span| span.span)
}

/// Whether a run of a selected program overlaps the step on the device; always true without `--program`.
fn has_program(
    session: &Session,
    selected: &Selected<'_>,
    device: Option<DeviceId>,
    span: Span,
) -> bool {
    selected.has_program(None)
        || session.program_runs.iter().any(|run| {
            Some(run.device) == device
                && selected.has_program(Some(run.program))
                && run.span.intersection(span).is_some()
        })
}
