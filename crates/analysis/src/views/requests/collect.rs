//! Where request time goes.
//!
//! ```text
//! request   ───────────────────────────────────────────────────
//! thread     tokenize                                  detokenize
//! batch                     ▒formation▒ h2d dispatch d2h
//! device                                     ████████
//! phases     prepare  queue formation   h2d runtime device d2h post
//! ```

use stepscope_model::details::Stat;
use stepscope_model::host_names::{BATCH_SIZE, PADDING, REQUEST_IDS};
use stepscope_model::{Direction, HostId, Picos, Session, Span, TrackId};

use super::find::{Root, Roots};
use super::phases::{THREAD_LEVELS, phases, thread_level};
use super::report::{BatchRow, RequestRow};
use crate::measuring::activity::host_tracks;
use crate::measuring::interval::Intervals;
use crate::measuring::selection::Selected;
use crate::measuring::work::{NO_LEVEL, add_levels, add_levels_in_passing};

/// Requests and batches with their figures.
pub(super) struct Collected {
    pub(super) requests: Vec<RequestRow>,
    pub(super) batches: Vec<BatchRow>,
    /// Number of requests before any selection of steps, times or names.
    pub(super) recorded: usize,
}

impl Collected {
    /// Keeps batches that pass the filter or that a request waited for. Requests still refer to theirs.
    pub(super) fn keep_batches(&mut self, passes: impl Fn(&BatchRow) -> bool) {
        let mut is_kept: Vec<bool> = self.batches.iter().map(passes).collect();
        let of = |row: &RequestRow| usize::try_from(row.batch_id?).ok();
        for at in self.requests.iter().filter_map(of) {
            is_kept[at] = true;
        }
        let mut next = 0i64;
        let places: Vec<Option<i64>> = is_kept
            .iter()
            .map(|&is_kept| {
                let place = is_kept.then_some(next);
                next += i64::from(is_kept);
                place
            })
            .collect();
        for row in &mut self.requests {
            row.batch_id = of(row).and_then(|at| places[at]);
        }
        let mut kept = is_kept.into_iter();
        self.batches.retain(|_| kept.next().unwrap_or(false));
    }
}

/// Times of one thread, or of the devices of a host.
type Times = Vec<Intervals>;

pub(super) fn collect(session: &Session, selected: &Selected<'_>, roots: Roots) -> Collected {
    let Roots { requests, batches } = roots;
    let mut is_root = vec![false; session.labels.len()];
    for root in requests.iter().chain(&batches) {
        let lane = session.lane(root.slice.track, root.slice.lane);
        let label = lane.and_then(|lane| lane.labels().get(root.slice.index as usize));
        if let Some(label) = label {
            is_root[label.index()] = true;
        }
    }
    let mut found = Collected {
        requests: Vec::new(),
        batches: Vec::new(),
        recorded: requests.len(),
    };
    let mut hosts: Vec<HostId> = requests.iter().map(|root| root.host).collect();
    hosts.extend(batches.iter().map(|root| root.host));
    hosts.sort_unstable();
    hosts.dedup();
    for host in hosts {
        let of_host = |roots: &[Root]| -> Vec<Root> {
            let own = roots.iter().filter(|root| root.host == host);
            own.cloned().collect()
        };
        let (requests, batches) = (of_host(&requests), of_host(&batches));
        collect_host(
            session, selected, host, &requests, &batches, &is_root, &mut found,
        );
    }
    found
}

fn collect_host(
    session: &Session,
    selected: &Selected<'_>,
    host: HostId,
    requests: &[Root],
    batches: &[Root],
    is_root: &[bool],
    found: &mut Collected,
) {
    let spans = requests.iter().chain(batches).map(|root| root.span);
    let Some(within) = spans.reduce(Span::hull) else {
        return;
    };
    let devices = device_times(session, selected, host, within);
    let levels: Vec<u8> = session
        .labels
        .iter()
        .zip(is_root)
        .map(|(label, &is_root)| thread_level(session, label, is_root))
        .collect();
    let threads: Vec<(TrackId, Times)> = host_tracks(session, host)
        .filter(|id| {
            let mut roots = requests.iter().chain(batches);
            roots.any(|root| root.slice.track == *id)
        })
        .map(|id| {
            let mut lists = vec![Vec::new(); THREAD_LEVELS];
            add_levels_in_passing(session, id, &levels, &[within], &mut lists);
            let times = lists.into_iter().map(Intervals::union_of_sorted);
            (id, times.collect())
        })
        .collect();
    let times_of = |id: TrackId| threads.iter().find(|(track, _)| *track == id);
    let mut counts = vec![0usize; batches.len()];
    let mut waited = vec![0i64; batches.len()];
    let (request_names, request_stats) = (names(session, requests), stats(session, requests));
    for ((root, name), stats) in requests.iter().zip(request_names).zip(&request_stats) {
        let own = times_of(root.slice.track).map(|(_, times)| times.as_slice());
        let linked = batch_of(root, waited_until(root.span, own), batches);
        let (core, worker) = match linked {
            Some(at) => {
                let worker = times_of(batches[at].slice.track);
                (batches[at].span, worker.map(|(_, times)| times.as_slice()))
            }
            None => (root.span, own),
        };
        if let Some(at) = linked {
            counts[at] += 1;
            waited[at] = waited[at].max(core.start.0 - root.span.start.0);
        }
        let phases = phases(root.span, core, &devices, own, worker, linked.is_some());
        found.requests.push(RequestRow {
            name,
            request_id: id_of(stats),
            host: session.host(host).name.clone(),
            start_ps: root.span.start.0,
            latency_ps: root.span.duration().0,
            batch_id: None,
            phases_ps: phases.to_vec(),
        });
        if let Some(at) = linked
            && let Some(row) = found.requests.last_mut()
        {
            row.batch_id = i64::try_from(at).ok();
        }
    }
    let (batch_names, batch_stats) = (names(session, batches), stats(session, batches));
    let first_request = found.requests.len() - requests.len();
    let offset = found.batches.len();
    for (at, ((root, name), stats)) in batches
        .iter()
        .zip(batch_names)
        .zip(&batch_stats)
        .enumerate()
    {
        let number = |key: &str| -> Option<i64> {
            let stat = stats.iter().find(|stat| stat.name == key)?;
            stat.value.parse().ok().filter(|&value| value >= 0)
        };
        let (size, padding) = (number(BATCH_SIZE), number(PADDING));
        let efficiency = size
            .zip(padding)
            .filter(|&(size, padding)| size > 0 && padding <= size)
            .map(|(size, padding)| 1.0 - padding as f64 / size as f64);
        found.batches.push(BatchRow {
            name,
            batch_id: id_of(stats),
            host: session.host(host).name.clone(),
            start_ps: root.span.start.0,
            duration_ps: root.span.duration().0,
            request_count: counts[at],
            size,
            padding,
            efficiency_ratio: efficiency,
            device_ps: devices[0].duration_within(root.span).0,
            delay_ps: (counts[at] > 0).then_some(waited[at]),
        });
    }
    // Batches are numbered over all hosts.
    for row in &mut found.requests[first_request..] {
        let offset = i64::try_from(offset).unwrap_or(i64::MAX);
        row.batch_id = row.batch_id.map(|at| at.saturating_add(offset));
    }
}

fn names(session: &Session, roots: &[Root]) -> Vec<String> {
    let label = |root: &Root| {
        let lane = session.lane(root.slice.track, root.slice.lane)?;
        let label = *lane.labels().get(root.slice.index as usize)?;
        Some(session.label_name(label).trim_start_matches('$').to_owned())
    };
    roots
        .iter()
        .map(|root| label(root).unwrap_or_default())
        .collect()
}

fn stats(session: &Session, roots: &[Root]) -> Vec<Vec<Stat>> {
    let slices: Vec<_> = roots.iter().map(|root| root.slice).collect();
    session.stats_of(&slices)
}

/// The end of the longest pause of the request's thread, when its answer arrived.
fn waited_until(request: Span, own: Option<&[Intervals]>) -> Picos {
    let all = own.unwrap_or_default().iter();
    let worked = all.fold(Intervals::default(), |sum, times| {
        sum.union(&times.clip(request))
    });
    let pauses = Intervals::union_of(vec![request]).subtract(&worked);
    let longest = pauses.spans().iter().max_by_key(|pause| pause.duration());
    longest.map_or(request.end, |pause| pause.end)
}

/// The last batch that started within the request and was done, or nearly done, when the answer
/// arrived. A batch returns answers shortly before it ends.
fn batch_of(request: &Root, answered: Picos, batches: &[Root]) -> Option<usize> {
    let last = batches.partition_point(|batch| batch.span.start < request.span.end);
    let first = batches.partition_point(|batch| batch.span.start < request.span.start);
    let is_done = |batch: &Root| {
        let slack = Picos(batch.span.duration().0 / 10);
        batch.span.end <= answered + slack
    };
    let found = batches[first..last.max(first)].iter().rposition(is_done);
    found.map(|at| first + at)
}

/// Disjoint times of compute, copies to the device, and copies to the host.
fn device_times(
    session: &Session,
    selected: &Selected<'_>,
    host: HostId,
    within: Span,
) -> Vec<Intervals> {
    let levels: Vec<u8> = session
        .labels
        .iter()
        .map(|label| match (label.kind.is_work(), label.transfer) {
            (false, _) => NO_LEVEL,
            (true, Some(transfer)) => match transfer.direction {
                Direction::HostToDevice => 1,
                Direction::DeviceToHost => 2,
                _ => 0,
            },
            (true, None) => 0,
        })
        .collect();
    let mut lists = vec![Vec::new(); 3];
    let devices = selected.devices.iter();
    for &device in devices.filter(|&&device| session.device(device).host == host) {
        for (_, track) in session.work_tracks(device) {
            add_levels(&track, &levels, &[within], &mut lists);
        }
    }
    disjoint(lists.into_iter().map(Intervals::union_of_sorted))
}

/// Makes the intervals disjoint: each keeps what no earlier one covers.
fn disjoint(levels: impl Iterator<Item = Intervals>) -> Vec<Intervals> {
    let mut taken = Intervals::default();
    levels
        .map(|own| {
            let rest = own.subtract(&taken);
            taken = taken.union(&rest);
            rest
        })
        .collect()
}

fn id_of(stats: &[Stat]) -> String {
    let found = REQUEST_IDS
        .iter()
        .find_map(|key| stats.iter().find(|stat| stat.name == *key));
    found.map(|stat| stat.value.clone()).unwrap_or_default()
}
