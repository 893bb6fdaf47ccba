//! The selected part of a session, row by row, for exports.

use stepscope_model::{HostId, Picos, Session, Span};

use super::SelectionError;
use super::{Selected, Wanted};
use crate::measuring::interval::Intervals;

/// The selected part of a session.
#[derive(Debug, Clone)]
pub struct Parts {
    /// For each device, the times whose slices are selected, sorted and disjoint. None if the device
    /// is not selected.
    pub devices: Vec<Option<Vec<Span>>>,
    /// For each host, the same for its threads.
    pub hosts: Vec<Option<Vec<Span>>>,
    /// For each label, whether it is selected. None if all are.
    pub labels: Option<Vec<bool>>,
    /// Positions of the selected steps.
    pub steps: Vec<usize>,
}

/// The selected times of every row. For each selected step, a host's threads are selected from the
/// step's first start to its last end on the host or any of its devices.
pub fn wanted_times(session: &Session, wanted: &Wanted<'_>) -> Result<Parts, SelectionError> {
    let selected = wanted.resolve(session)?;
    let mut devices = vec![None; session.devices.len()];
    for &device in &selected.devices {
        devices[device.index()] = Some(apart(selected.windows(device)));
    }
    let mut hosts = vec![None; session.hosts.len()];
    for &host in &selected.hosts {
        hosts[host.index()] = Some(host_windows(session, &selected, host));
    }
    let filters_labels = wanted.program.is_some() || wanted.pattern.is_some();
    Ok(Parts {
        devices,
        hosts,
        labels: filters_labels.then(|| selected.labels()),
        steps: selected.step_positions(),
    })
}

fn host_windows(session: &Session, selected: &Selected<'_>, host: HostId) -> Vec<Span> {
    let always = Span {
        start: Picos(i64::MIN),
        end: Picos::MAX,
    };
    let windows = match &selected.steps {
        None => vec![always],
        Some(steps) => {
            let spans = steps.iter().filter_map(|&step| {
                let spans = session.steps[step].spans.iter();
                let own = spans.filter(|span| span.host == host);
                own.map(|span| span.span).reduce(Span::hull)
            });
            apart(spans.collect())
        }
    };
    match &selected.time {
        None => windows,
        Some(time) => {
            let within = windows
                .into_iter()
                .flat_map(|window| time.clip(window).into_spans());
            apart(within.collect())
        }
    }
}

/// Sorts windows and joins those that overlap. A single window, which may be unbounded, stays as it is.
fn apart(windows: Vec<Span>) -> Vec<Span> {
    if windows.len() < 2 {
        return windows;
    }
    Intervals::union_of(windows).into_spans()
}
