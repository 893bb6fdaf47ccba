//! Threads that wait in queues. A thread that loads fills the queue of a loop, but several threads that
//! call the same compiled function and take what it needs from a queue are those of a server: they wait
//! for requests, and nothing loads.

use std::collections::BTreeMap;

use stepscope_model::host_names::{
    dispatched_function, is_method_get, is_pool_worker, is_queue_get, is_queue_put, is_waiting_put,
};
use stepscope_model::{Activity, Direction, HostId, LabelId, Session, Span, TrackId};

use super::lookups::Lookups;
use super::{Loops, calls_functions, driving_threads, outermost, own_tracks};
use crate::measuring::interval::Intervals;
use crate::measuring::work::{NO_LEVEL, add_levels};

/// An end of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QueueEnd {
    /// Where threads take something, and wait if it is empty.
    Get,
    /// Where threads put something, and wait if it is full.
    Put,
}

impl QueueEnd {
    /// For each label, whether a thread may wait at this end.
    fn waits(self, session: &Session) -> Vec<bool> {
        match self {
            Self::Get => gets(session),
            Self::Put => {
                let labels = session.labels.iter();
                labels
                    .map(|label| is_waiting_put(session.text(label.name)))
                    .collect()
            }
        }
    }
}

/// For each label, whether a thread takes something from a queue.
fn gets(session: &Session) -> Vec<bool> {
    let lookups = Lookups::of(session);
    let ids = (0..session.labels.len()).map(LabelId::from_index);
    let is_get = ids.map(|id| is_queue_get(session.label_name(id)) && !lookups.has(id));
    is_get.collect()
}

/// Labels of what the thread of a loop does in a `SimpleQueue` that a thread with batches fills: it puts
/// arrays on the device, and calls no function. Those of a server, and of pools, get requests.
pub(super) fn gets_of_batches(session: &Session) -> Vec<LabelId> {
    let is_get = gets(session);
    let ids = (0..session.labels.len()).map(LabelId::from_index);
    let own: Vec<LabelId> = ids
        .filter(|id| is_get[id.index()] && is_method_get(session.label_name(*id)))
        .collect();
    let hosts = (0..session.hosts.len()).map(HostId::from_index);
    let mut hosts = hosts.filter(|_| !own.is_empty());
    if hosts.any(|host| is_fed(session, host, &own)) {
        own
    } else {
        Vec::new()
    }
}

/// Whether one thread of a host calls functions and takes what it needs from a queue, and another one
/// puts arrays on the device and something into a queue.
fn is_fed(session: &Session, host: HostId, gets: &[LabelId]) -> bool {
    let has = |id: TrackId, is_one: &dyn Fn(LabelId) -> bool| {
        let track = session.track_having(id, is_one);
        let mut labels = track.iter().flat_map(|track| &track.lanes);
        labels.any(|lane| lane.labels().iter().any(|&label| is_one(label)))
    };
    let is_put = |label: LabelId| is_queue_put(session.label_name(label));
    let is_worker = |label: LabelId| is_pool_worker(session.label_name(label));
    let copies = |label: LabelId| {
        session.label(label).activity == Activity::Transfer(Direction::HostToDevice)
    };
    let waiting = own_tracks(session, host);
    let waiting: Vec<TrackId> = waiting
        .filter(|&id| has(id, &|label| gets.contains(&label)))
        .collect();
    let [own] = waiting[..] else {
        return false;
    };
    let feeds = |id: TrackId| {
        id != own && !calls_functions(session, id) && has(id, &is_put) && has(id, &copies)
    };
    calls_functions(session, own) && !has(own, &is_worker) && own_tracks(session, host).any(feeds)
}

/// Labels of what threads of servers do in queues.
pub(super) fn gets_of_servers(session: &Session) -> Vec<LabelId> {
    let is_get = gets(session);
    if !is_get.contains(&true) {
        return Vec::new();
    }
    let mut hosts = (0..session.hosts.len()).map(HostId::from_index);
    if !hosts.any(|host| is_served_by_several(session, host, &is_get)) {
        return Vec::new();
    }
    let ids = (0..session.labels.len()).map(LabelId::from_index);
    ids.filter(|id| is_get[id.index()]).collect()
}

/// Whether several threads of a host call the same compiled function and wait in queues.
fn is_served_by_several(session: &Session, host: HostId, is_get: &[bool]) -> bool {
    let waiting = own_tracks(session, host)
        .filter(|&id| calls_functions(session, id))
        .filter_map(|id| session.track_having(id, |label| is_get[label.index()]));
    let mut threads: BTreeMap<&str, usize> = BTreeMap::new();
    for track in waiting {
        let mut labels: Vec<LabelId> = track
            .lanes
            .iter()
            .flat_map(|lane| lane.labels().iter().copied())
            .collect();
        labels.sort_unstable();
        labels.dedup();
        if !labels.iter().any(|label| is_get[label.index()]) {
            continue;
        }
        let called = labels
            .iter()
            .filter_map(|&label| dispatched_function(session.label_name(label)));
        for function in called {
            *threads.entry(function).or_default() += 1;
        }
    }
    threads.values().any(|&count| count > 1)
}

/// How often and for how long threads of a host are at the ends of queues.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct QueueCalls {
    /// Number of times that a thread that drives devices takes something.
    pub(crate) gets: usize,
    /// Time in which threads put something into queues, with waits for room.
    pub(crate) puts_ps: i64,
}

impl QueueCalls {
    /// Those that begin within `windows`.
    pub(crate) fn within(
        session: &Session,
        (host, loops): (HostId, Loops),
        windows: &Intervals,
    ) -> Self {
        let (is_get, is_put) = (QueueEnd::Get.waits(session), QueueEnd::Put.waits(session));
        let driving = driving_threads(session, &[host], loops).concat();
        let mut calls = Self::default();
        for id in own_tracks(session, host) {
            let is_driving = driving.binary_search(&id).is_ok();
            let counts =
                |label: LabelId| is_put[label.index()] || is_driving && is_get[label.index()];
            let Some(track) = session.track_having(id, counts) else {
                continue;
            };
            for (span, label) in outermost(&track, windows, counts) {
                if is_put[label.index()] {
                    calls.puts_ps = calls.puts_ps.saturating_add(span.duration().0);
                } else {
                    calls.gets += 1;
                }
            }
        }
        calls
    }
}

/// What the threads that drive devices do in queues.
pub(crate) struct QueueWaits {
    /// Time in which one of them waits in a queue.
    pub(crate) times: Intervals,
    /// Number of threads that do.
    pub(crate) threads: usize,
    /// Whether some are workers of a pool.
    pub(crate) are_pooled: bool,
}

impl QueueWaits {
    /// Those of a host at one end of queues within `windows`, which are sorted and do not overlap.
    pub(crate) fn within(
        session: &Session,
        (host, loops): (HostId, Loops),
        end: QueueEnd,
        windows: &[Span],
    ) -> Self {
        let level = |waits: bool| if waits { 0 } else { NO_LEVEL };
        let levels: Vec<u8> = end.waits(session).into_iter().map(level).collect();
        let labels = session.labels.iter();
        let is_worker: Vec<bool> = labels
            .map(|label| is_pool_worker(session.text(label.name)))
            .collect();
        let mut are_pooled = false;
        let driving = driving_threads(session, &[host], loops)
            .into_iter()
            .flatten();
        let of_thread = |id: TrackId| {
            let track = session.track_having(id, |label| levels[label.index()] == 0)?;
            let mut spans = vec![Vec::new()];
            add_levels(&track, &levels, windows, &mut spans);
            let own = Intervals::union_of_sorted(spans.pop().unwrap_or_default());
            are_pooled |= track.may_have(|label| is_worker[label.index()]);
            (!own.spans().is_empty()).then_some(own)
        };
        let own: Vec<Intervals> = driving.filter_map(of_thread).collect();
        Self {
            threads: own.len(),
            are_pooled,
            times: own
                .iter()
                .fold(Intervals::default(), |all, one| all.union(one)),
        }
    }
}
