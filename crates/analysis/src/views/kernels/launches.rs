//! Launches: which host call started which kernel, how long the kernel waited, and how many did.
//!
//! ```text
//! host     ▐launch▌                    ▐▌ latency: from the start of the call to the start of the kernel
//! stream        ···········▐kernel▌        queued: from the start of the call to the end of the kernel
//!          └──── latency ──┘
//! ```
//!
//! If a call starts several kernels (a CUDA graph), only the first has a latency, since the others
//! wait for each other. A kernel that starts before its call has no latency: the clocks disagree.

use rustc_hash::FxHashSet;
use stepscope_model::{
    Activity, DeviceId, HostId, LabelId, Picos, SaturatingSum as _, Session, Span, TrackReader,
};

use super::report::{LaunchStep, QueuePoint};
use crate::measuring::interval::Intervals;
use crate::measuring::launch_calls::{LaunchCall, launch_calls};
use crate::measuring::selection::{Selected, device_span};

/// Number of points in the chart of the queue over time.
const QUEUE_POINTS: usize = 240;

/// A kernel or copy, and the call that started it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Launched {
    pub(super) device: DeviceId,
    pub(super) label: LabelId,
    pub(super) call: Span,
    pub(super) run: Span,
    /// Only for the first kernel or copy that the call started, and only if the clocks agree.
    pub(super) latency_ps: Option<i64>,
}

/// All launches of a selection.
pub(super) struct Launches {
    /// By device, then start of the call.
    pub(super) all: Vec<Launched>,
    /// Number of kernels that started before their call.
    pub(super) ahead_count: usize,
    /// Calls by host, in order, each once; blocking copies are excluded.
    calls: Vec<(HostId, Vec<Span>)>,
}

/// The launches of the selected kernels. Empty without GPUs; flows are not even joined then.
pub(super) fn launches(session: &Session, selected: &Selected<'_>, labels: &[bool]) -> Launches {
    let mut found = Launches {
        all: Vec::new(),
        ahead_count: 0,
        calls: Vec::new(),
    };
    let is_gpu = |device: DeviceId| session.device(device).kind.is_gpu();
    if !selected.devices.iter().any(|&device| is_gpu(device)) {
        return found;
    }
    let windows: Vec<Option<Intervals>> = session
        .device_ids()
        .map(|device| {
            let is_selected = selected.has_device(device) && is_gpu(device);
            is_selected.then(|| Intervals::union_of(selected.windows(device)))
        })
        .collect();
    let mut hosts: Vec<HostId> = selected
        .devices
        .iter()
        .map(|&device| session.device(device).host)
        .collect();
    hosts.sort_unstable();
    hosts.dedup();
    for host in hosts {
        found.add_host(session, host, &windows, labels);
    }
    found
        .all
        .sort_by_key(|launch| (launch.device, launch.call.start, launch.run.start));
    for (_, calls) in &mut found.calls {
        calls.sort_unstable();
    }
    found.calls.sort_by_key(|(host, _)| *host);
    found
}

impl Launches {
    fn add_host(
        &mut self,
        session: &Session,
        host: HostId,
        windows: &[Option<Intervals>],
        labels: &[bool],
    ) {
        let mut reader = TrackReader::new(session);
        let is_wanted = |device: DeviceId| windows[device.index()].is_some();
        let mut pairs = launch_calls(session, host, &mut reader, is_wanted);
        pairs.sort_unstable_by_key(|pair| (pair.call, pair.kernel));
        for of_call in pairs.chunk_by(|a, b| a.call == b.call) {
            self.add_call(&mut reader, session, of_call, windows, labels);
        }
    }

    fn add_call(
        &mut self,
        reader: &mut TrackReader<'_>,
        session: &Session,
        of_call: &[LaunchCall],
        windows: &[Option<Intervals>],
        labels: &[bool],
    ) {
        let Some(call) = of_call.first().and_then(|pair| reader.span(pair.call)) else {
            return;
        };
        let mut first: Option<(usize, Picos)> = None;
        for &LaunchCall { kernel, .. } in of_call {
            let (Some(run), Some(label)) = (reader.span(kernel), reader.label(kernel)) else {
                continue;
            };
            let Some(device) = session.track(kernel.track).device else {
                continue;
            };
            let is_within = windows[device.index()]
                .as_ref()
                .is_some_and(|windows| windows.contains_instant(run.start));
            if !is_within || !labels[label.index()] {
                continue;
            }
            if first.is_none_or(|(_, start)| run.start < start) {
                first = Some((self.all.len(), run.start));
            }
            self.all.push(Launched {
                device,
                label,
                call,
                run,
                latency_ps: None,
            });
        }
        let Some((first, start)) = first else { return };
        if start < call.start {
            self.ahead_count += 1;
        } else {
            self.all[first].latency_ps = Some((start - call.start).0);
        }
        // A blocking copy waits for the device, so its time is not a launch cost.
        let mut is_blocking = |call| {
            let label = reader.label(call);
            label.is_some_and(|label| is_blocking_copy(session, label))
        };
        if let Some(pair) = of_call.first().filter(|pair| !is_blocking(pair.call)) {
            let host = session.track(pair.call.track).host;
            match self.calls.iter_mut().find(|(known, _)| *known == host) {
                Some((_, calls)) => calls.push(call),
                None => self.calls.push((host, vec![call])),
            }
        }
    }

    /// The launches of one device, in the order of their calls.
    pub(super) fn of(&self, device: DeviceId) -> &[Launched] {
        let first = self.all.partition_point(|launch| launch.device < device);
        let last = self.all.partition_point(|launch| launch.device <= device);
        &self.all[first..last]
    }

    /// Host time in launch calls, by step and host.
    pub(super) fn steps(&self, session: &Session, selected: &Selected<'_>) -> Vec<LaunchStep> {
        let steps = selected.step_positions();
        let mut rows = Vec::new();
        for (host, calls) in &self.calls {
            let union = Intervals::union_of(calls.clone());
            for &step in &steps {
                let spans = host_spans(session, step, *host, selected);
                let Some(whole) = spans.iter().copied().reduce(Span::hull) else {
                    continue;
                };
                let count = i64::try_from(spans.len()).unwrap_or(i64::MAX);
                let mean = |of: &dyn Fn(Span) -> i64| {
                    spans.iter().map(|&span| of(span)).saturating_sum() / count
                };
                let started = |span: Span| {
                    let first = calls.partition_point(|call| call.start < span.start);
                    let last = calls.partition_point(|call| call.start < span.end);
                    i64::try_from(last.saturating_sub(first)).unwrap_or(i64::MAX)
                };
                let launching = |span: Span| {
                    let within = union.intersect(&Intervals::union_of(vec![span]));
                    within.duration().0
                };
                let duration_ps = mean(&|span| span.duration().0);
                let launch_ps = mean(&launching);
                rows.push(LaunchStep {
                    step: session.steps[step].number,
                    host: session.host(*host).name.clone(),
                    start_ps: whole.start.0,
                    end_ps: whole.end.0,
                    duration_ps,
                    calls: mean(&started),
                    launch_ps,
                    ratio: if duration_ps > 0 {
                        launch_ps as f64 / duration_ps as f64
                    } else {
                        0.0
                    },
                });
            }
        }
        rows.sort_by(|a, b| (a.start_ps, &a.host).cmp(&(b.start_ps, &b.host)));
        rows
    }
}

/// A step on a host: its annotation, or else the step on each of its devices, which may run it at
/// different times.
fn host_spans(session: &Session, step: usize, host: HostId, selected: &Selected<'_>) -> Vec<Span> {
    let step = &session.steps[step];
    if let Some(own) = step.annotation(host) {
        return vec![own.span];
    }
    let devices = selected.devices.iter();
    let of_host = devices.filter(|&&device| session.device(device).host == host);
    of_host
        .filter_map(|&device| device_span(step, session, device))
        .collect()
}

/// Kernels and copies launched but not finished, over time: mean and maximum in each interval.
pub(super) struct Queue {
    pub(super) points: Vec<QueuePoint>,
    pub(super) mean: f64,
    pub(super) most: i64,
    pub(super) most_at_ps: i64,
}

/// The queue of one device; none without launches.
pub(super) fn queue(launches: &[Launched]) -> Option<Queue> {
    let mut changes: Vec<(i64, i64)> = Vec::with_capacity(launches.len() * 2);
    for launch in launches {
        let end = launch.run.end.max(launch.call.start);
        changes.push((launch.call.start.0, 1));
        changes.push((end.0, -1));
    }
    changes.sort_unstable();
    let (first, last) = (changes.first()?.0, changes.last()?.0);
    let parts = i64::try_from(QUEUE_POINTS).unwrap_or(1);
    let width = ((last - first) / parts + 1).max(1);
    let mut points: Vec<QueuePoint> = (0..parts)
        .map(|part| first + part * width)
        .take_while(|&start| start <= last)
        .map(|start_ps| QueuePoint {
            start_ps,
            end_ps: start_ps + width,
            mean: 0.0,
            most: 0,
        })
        .collect();
    let (mut depth, mut most, mut most_at_ps, mut area) = (0i64, 0i64, first, 0.0f64);
    let mut since = first;
    for (at, change) in changes {
        if at > since {
            area += depth as f64 * (at - since) as f64;
            spread(&mut points, first, width, since..at, depth);
        }
        since = at;
        depth += change;
        if depth > most {
            (most, most_at_ps) = (depth, at);
        }
    }
    for point in &mut points {
        point.mean /= width as f64;
    }
    Some(Queue {
        points,
        mean: area / (last - first).max(1) as f64,
        most,
        most_at_ps,
    })
}

/// Adds an interval of constant depth to the points that it overlaps.
fn spread(
    points: &mut [QueuePoint],
    first: i64,
    width: i64,
    stretch: std::ops::Range<i64>,
    depth: i64,
) {
    let position = |at: i64| usize::try_from((at - first) / width).unwrap_or(0);
    let (from, to) = (position(stretch.start), position(stretch.end - 1));
    let to = to.min(points.len().saturating_sub(1));
    for point in points.get_mut(from..=to).unwrap_or_default() {
        let length = stretch.end.min(point.end_ps) - stretch.start.max(point.start_ps);
        point.mean += depth as f64 * length as f64;
        point.most = point.most.max(depth);
    }
}

/// Devices that have launches.
pub(super) fn devices(launches: &Launches) -> Vec<DeviceId> {
    let mut seen = FxHashSet::default();
    let ids = launches.all.iter().map(|launch| launch.device);
    ids.filter(|&device| seen.insert(device)).collect()
}

fn is_blocking_copy(session: &Session, call: LabelId) -> bool {
    let is_transfer = matches!(session.label(call).activity, Activity::Transfer(_));
    is_transfer && !session.label_name(call).contains("Async")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launched(call: i64, start: i64, end: i64) -> Launched {
        Launched {
            device: DeviceId(0),
            label: LabelId(0),
            call: Span::new(Picos(call), Picos(call + 1)),
            run: Span::new(Picos(start), Picos(end)),
            latency_ps: None,
        }
    }

    #[test]
    fn a_queue_grows_with_calls_and_shrinks_with_ends() {
        // 0 ─ one ─ 10 ─ two ─ 20 ─ three ─ 30 ─ two ─ 60 ─ one ─ 100
        let queue = queue(&[
            launched(0, 5, 30),
            launched(10, 30, 60),
            launched(20, 60, 100),
        ]);
        let queue = queue.expect("there are launches");
        assert_eq!((queue.most, queue.most_at_ps), (3, 20));
        let mean = (10.0 + 20.0 + 30.0 + 60.0 + 40.0) / 100.0;
        assert!((queue.mean - mean).abs() < 1e-9);
        let of_points: f64 = queue.points.iter().map(|point| point.mean).sum();
        assert!(
            (of_points - mean * 100.0).abs() < 1e-6,
            "a point is one picosecond here"
        );
        assert!(super::queue(&[]).is_none());
    }
}
