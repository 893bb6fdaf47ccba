//! Rows: each selected step on each device that recorded work, or on a host without such a device.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;
use stepscope_model::{DeviceId, HostId, Session, Span};

use super::host::host_activities;
use super::parts::{Division, PartLengths};
use crate::measuring::activity::Loops;
use crate::measuring::interval::Intervals;
use crate::measuring::levels::device_levels;
use crate::measuring::selection::Selected;
use crate::measuring::windows::observed_windows;
use crate::measuring::work::has_worked;

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

/// A device, or a host whose devices recorded no work.
type Place = (HostId, Option<DeviceId>);

/// The selected steps, row by row, and the divisions that the rows are cut from.
pub(crate) struct DividedSteps {
    /// By step, then device, then host.
    pub(crate) rows: Vec<StepParts>,
    /// The devices and hosts that are divided, with their divisions unless there are many hosts.
    divisions: Vec<(Place, Option<Division>)>,
    /// The time that the divisions cover.
    within: Option<Span>,
}

impl DividedSteps {
    /// How long the device was busy in the windows; none unless the divisions are kept and cover all
    /// of them.
    pub(crate) fn busy_ps(&self, device: DeviceId, windows: &Intervals) -> Option<i64> {
        let within = self.within?;
        let mut divisions = self.divisions.iter();
        let found = divisions.find(|((_, place), _)| *place == Some(device))?;
        let division = found.1.as_ref()?;
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
    windows.retain(|(device, windows)| selected.is_main(*device) && !windows.spans().is_empty());
    let hull = |windows: &Intervals| windows.spans().iter().copied().reduce(Span::hull);
    let spans: Vec<Span> = windows.iter().filter_map(|(_, own)| hull(own)).collect();
    let Some(within) = spans.iter().copied().reduce(Span::hull) else {
        return Vec::new();
    };
    let of_device =
        |&(device, _): &(DeviceId, Intervals)| (session.device(device).host, Some(device));
    let places: Vec<Place> = windows.iter().map(of_device).collect();
    let row = |position: usize, division: Division| {
        let ((host, device), span) = (places[position], spans[position]);
        StepParts {
            step: WHOLE,
            host,
            device,
            span,
            lengths: division.within(span),
        }
    };
    let rows = divide_places(session, (&places, selected.loops()), within, row).into_iter();
    rows.filter(|row| row.lengths.busy_ps > 0).collect()
}

fn divide(session: &Session, selected: &Selected<'_>) -> DividedSteps {
    let places = places(session, selected);
    let spans = spans(session, selected, &places);
    let within = spans
        .iter()
        .flatten()
        .map(|&(_, span)| span)
        .reduce(Span::hull);
    let Some(hull) = within else {
        return DividedSteps {
            rows: Vec::new(),
            divisions: Vec::new(),
            within,
        };
    };
    let of_place = |place: usize, division: Division| {
        let (host, device) = places[place];
        let rows = spans[place].iter().map(|&(step, span)| StepParts {
            step,
            host,
            device,
            span,
            lengths: division.within(span),
        });
        let rows: Vec<StepParts> = rows.collect();
        let kept = (!session.has_many_hosts()).then_some(division);
        (rows, ((host, device), kept))
    };
    let (rows, divisions): (Vec<_>, _) =
        divide_places(session, (&places, selected.loops()), hull, of_place)
            .into_iter()
            .unzip();
    let mut rows: Vec<StepParts> = joined(rows);
    let mut order = vec![0; session.steps.len()];
    for (number, step) in selected.step_positions().into_iter().enumerate() {
        order[step] = number;
    }
    // Stable: places stay in their order.
    rows.sort_by_key(|row| order[row.step]);
    DividedSteps {
        rows,
        divisions,
        within,
    }
}

/// All rows, in memory of just their size: of a thousand hosts they are what a session needs most of.
fn joined(parts: Vec<Vec<StepParts>>) -> Vec<StepParts> {
    let mut rows = Vec::with_capacity(parts.iter().map(Vec::len).sum());
    for part in parts {
        rows.extend(part);
    }
    rows
}

/// The devices that worked in a selected step, ascending: those of the rows.
pub(crate) fn devices_in_steps(session: &Session, selected: &Selected<'_>) -> BTreeSet<DeviceId> {
    let places = places(session, selected);
    let spans = spans(session, selected, &places);
    let in_steps = places
        .iter()
        .zip(spans)
        .filter(|(_, spans)| !spans.is_empty());
    in_steps.filter_map(|((_, device), _)| *device).collect()
}

/// For each place: the selected steps with a time there, each with its position and that time.
fn spans(session: &Session, selected: &Selected<'_>, places: &[Place]) -> Vec<Vec<(usize, Span)>> {
    let positions = selected.step_positions();
    let runs = SelectedRuns::of(session, selected);
    let on_place = |&(host, device): &Place| {
        let spans = positions.iter().filter_map(|&step| {
            let span = session.steps[step].seen_from(host, device)?.span;
            runs.overlap(device, span).then_some((step, span))
        });
        spans.collect()
    };
    places.par_iter().map(on_place).collect()
}

/// What `of_place` makes of the division of each place, in order.
fn divide_places<T: Send>(
    session: &Session,
    (places, loops): (&[Place], Loops),
    within: Span,
    of_place: impl Fn(usize, Division) -> T + Sync,
) -> Vec<T> {
    let levels = device_levels(session);
    let mut hosts: Vec<HostId> = places.iter().map(|&(host, _)| host).collect();
    hosts.sort_unstable();
    hosts.dedup();
    let activities = host_activities(session, (&hosts, loops), within);
    places
        .par_iter()
        .enumerate()
        .map(|(position, &(host, device))| {
            let found = activities.binary_search_by_key(&host, |&(host, _)| host);
            let activity = &activities[found.unwrap_or(0)].1;
            let division = match device {
                Some(device) => Division::of_device(session, device, &levels, activity, within),
                None => Division::of_host(activity),
            };
            of_place(position, division)
        })
        .collect()
}

/// Main devices that recorded work, and selected hosts without any device that did.
fn places(session: &Session, selected: &Selected<'_>) -> Vec<Place> {
    let works = |device: DeviceId| has_worked(session, device);
    let main = selected.main_devices.iter();
    let mut places: Vec<Place> = main
        .filter(|&&device| works(device))
        .map(|&device| (session.device(device).host, Some(device)))
        .collect();
    let working: BTreeSet<HostId> = session
        .device_ids()
        .filter(|&device| works(device))
        .map(|device| session.device(device).host)
        .collect();
    let idle_hosts = selected.hosts.iter();
    let idle_hosts = idle_hosts.filter(|host| !working.contains(host));
    places.extend(idle_hosts.map(|&host| (host, None)));
    places
}

/// Runs of the selected programs; all steps count without `--program`.
struct SelectedRuns(Option<BTreeMap<DeviceId, Vec<Span>>>);

impl SelectedRuns {
    fn of(session: &Session, selected: &Selected<'_>) -> Self {
        if selected.has_program(None) {
            return Self(None);
        }
        let mut by_device: BTreeMap<DeviceId, Vec<Span>> = BTreeMap::new();
        for run in &session.program_runs {
            if selected.has_program(Some(run.program)) {
                by_device.entry(run.device).or_default().push(run.span);
            }
        }
        Self(Some(by_device))
    }

    /// Whether a run of a selected program overlaps the step on the device.
    fn overlap(&self, device: Option<DeviceId>, step: Span) -> bool {
        let Some(by_device) = &self.0 else {
            return true;
        };
        let own = device.and_then(|device| by_device.get(&device));
        own.is_some_and(|runs| runs.iter().any(|run| run.intersection(step).is_some()))
    }
}
