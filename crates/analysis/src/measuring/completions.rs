//! Programs of XLA:CPU that are not complete: from the end of a program's last op until its executor no
//! longer waits for it, the device has not finished, whatever the host does.
//!
//! ```text
//! executor  [execute][ wait for completion            ]
//! device    [ run  ██  ███  ]..........................
//!                            ^^^^^^^^^^^^^^^^^^^^^^^^^^ the threads of the program have no core yet
//! ```

use std::collections::BTreeMap;

use stepscope_model::host_names::is_completion_wait;
use stepscope_model::{
    DeviceId, DeviceKind, HostId, Picos, ProgramRun, Session, Span, Track, TrackId,
};

use crate::measuring::activity::host_tracks;
use crate::measuring::interval::Intervals;

/// By device: times after the last op of a run in which its executor still waits for the program.
/// `runs` are those of each device, by start.
pub(crate) fn completions(session: &Session, runs: &[Vec<&ProgramRun>]) -> Vec<Intervals> {
    let mut found: Vec<Vec<Span>> = vec![Vec::new(); runs.len()];
    let labels = session.labels.iter();
    let is_wait: Vec<bool> = labels
        .map(|label| is_completion_wait(session.text(label.name)))
        .collect();
    if is_wait.contains(&true) {
        for (host, devices) in cpu_devices(session, runs) {
            let executors = Executors::of(session, devices);
            for id in host_tracks(session, host) {
                if let Some(track) = session.track_having(id, |label| is_wait[label.index()]) {
                    for wait in waits(&track, &is_wait) {
                        if let Some((device, rest)) = executors.rest(&track, wait, runs) {
                            found[device.index()].push(rest);
                        }
                    }
                }
            }
        }
    }
    found.into_iter().map(Intervals::union_of).collect()
}

/// The XLA:CPU devices of each host that ran programs.
fn cpu_devices(session: &Session, runs: &[Vec<&ProgramRun>]) -> BTreeMap<HostId, Vec<DeviceId>> {
    let mut devices: BTreeMap<HostId, Vec<DeviceId>> = BTreeMap::new();
    for id in session.device_ids() {
        let device = session.device(id);
        if device.kind == DeviceKind::Cpu && !runs[id.index()].is_empty() {
            devices.entry(device.host).or_default().push(id);
        }
    }
    devices
}

fn waits(track: &Track, is_wait: &[bool]) -> Vec<Span> {
    let lanes = track.lanes.iter();
    let waits = lanes.flat_map(|lane| {
        let labels = lane.labels().iter().enumerate();
        let wanted = labels.filter(|(_, label)| is_wait[label.index()]);
        wanted.map(|(index, _)| lane.span(index))
    });
    waits.collect()
}

/// Which device a thread executes programs of: of several virtual devices, the one whose op it ran last.
struct Executors<'a> {
    session: &'a Session,
    devices: Vec<DeviceId>,
    /// Rows of ops by the thread that ran them.
    ops: BTreeMap<i64, Vec<(DeviceId, TrackId)>>,
}

impl<'a> Executors<'a> {
    fn of(session: &'a Session, devices: Vec<DeviceId>) -> Self {
        let mut ops: BTreeMap<i64, Vec<(DeviceId, TrackId)>> = BTreeMap::new();
        for &device in devices.iter().filter(|_| devices.len() > 1) {
            for (id, track) in session.work_tracks(device) {
                ops.entry(track.line_id).or_default().push((device, id));
            }
        }
        Self {
            session,
            devices,
            ops,
        }
    }

    /// The part of a wait after the last op of the run in which it began, until the next run.
    fn rest(
        &self,
        track: &Track,
        wait: Span,
        runs: &[Vec<&ProgramRun>],
    ) -> Option<(DeviceId, Span)> {
        let (device, since) = match self.devices[..] {
            [only] => (only, wait.start),
            _ => self.last_op(track, wait.start)?,
        };
        let runs = &runs[device.index()];
        let after = runs.partition_point(|run| run.span.start <= since);
        let run = runs[..after].last()?;
        if run.span.end < wait.start {
            return None;
        }
        let next = runs.get(after).map_or(Picos::MAX, |next| next.span.start);
        let until = wait.end.min(next);
        (run.span.end < until).then(|| (device, Span::new(run.span.end, until)))
    }

    /// The device of the last op that began on a thread before a time, and when that was.
    fn last_op(&self, track: &Track, before: Picos) -> Option<(DeviceId, Picos)> {
        let rows = self.ops.get(&track.line_id)?.iter();
        let last = rows.filter_map(|&(device, id)| {
            let row = self.session.track_in_passing(id);
            let starts = row.lanes.iter().filter_map(|lane| {
                let starts = lane.starts();
                let after = starts.partition_point(|&start| start <= before.0);
                starts[..after].last().copied()
            });
            Some((starts.max()?, device))
        });
        last.max().map(|(start, device)| (device, Picos(start)))
    }
}
