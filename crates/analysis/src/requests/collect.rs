//! Where the time of requests goes.
//!
//! ```text
//! request   ───────────────────────────────────────────────────
//! thread     tokenize                                  detokenize
//! batch                     ▒formation▒ h2d dispatch d2h
//! device                                     ████████
//! phases     prepare  queue formation   h2d runtime device d2h post
//! ```

use stepscope_model::details::Stat;
use stepscope_model::host_names::{BATCH_SIZE, PADDING, REQUEST_IDS, is_batch_formation};
use stepscope_model::{
    Activity, Direction, HostId, Label, Picos, Session, SliceKind, Span, TrackId,
};

use super::find::{Root, Roots};
use super::report::{BatchRow, PHASES, PercentileRow, PhaseRow, RequestRow, RequestsReport};
use crate::activity::host_tracks;
use crate::interval::Intervals;
use crate::selection::Selected;
use crate::work::{NO_LEVEL, add_levels};

/// Requests and batches with their figures.
pub(super) struct Collected {
    pub(super) requests: Vec<RequestRow>,
    pub(super) batches: Vec<BatchRow>,
    /// Requests that no batch was found for, where there are batches.
    pub(super) unlinked: usize,
}

// Positions in [`PHASES`].
const PREPARE: usize = 0;
const QUEUE: usize = 1;
const FORMATION: usize = 2;
const RUNTIME: usize = 3;
const TO_DEVICE: usize = 4;
const DEVICE: usize = 5;
const TO_HOST: usize = 6;
const FINISH: usize = 7;
const IDLE: usize = 8;

/// What the host's threads do, as far as phases tell it apart.
const THREAD_LEVELS: usize = 5;

fn thread_level(session: &Session, label: &Label, is_root: bool) -> u8 {
    let activity = label.activity;
    if is_root || label.kind == SliceKind::Marker || label.kind.is_work() {
        return NO_LEVEL;
    }
    if activity != Activity::None && is_batch_formation(session.text(label.name)) {
        return 0;
    }
    match activity {
        Activity::Transfer(Direction::HostToDevice) => 1,
        Activity::Transfer(Direction::DeviceToHost) => 2,
        Activity::Dispatch
        | Activity::Runtime
        | Activity::Compile(_)
        | Activity::Transfer(_)
        | Activity::GarbageCollection => 3,
        Activity::None | Activity::Blocked | Activity::Sleep => NO_LEVEL,
        _ => 4,
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
        unlinked: 0,
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
            add_levels(session.track(id), &levels, &[within], &mut lists);
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
        if linked.is_none() {
            found.unlinked += usize::from(!batches.is_empty());
        }
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

/// Where the longest pause of the request's own thread ends: there its answer came.
fn waited_until(request: Span, own: Option<&[Intervals]>) -> Picos {
    let all = own.unwrap_or_default().iter();
    let worked = all.fold(Intervals::default(), |sum, times| {
        sum.union(&times.clip(request))
    });
    let pauses = Intervals::union_of(vec![request]).subtract(&worked);
    let longest = pauses.spans().iter().max_by_key(|pause| pause.duration());
    longest.map_or(request.end, |pause| pause.end)
}

/// The last batch that began within the request and was done, or nearly, when its answer came: the
/// answer leaves a batch shortly before the batch ends.
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

/// Disjoint: compute, copies to the device, copies to the host.
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
            add_levels(track, &levels, &[within], &mut lists);
        }
    }
    disjoint(lists.into_iter().map(Intervals::union_of_sorted))
}

/// Each has what no earlier one covers.
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

/// The phases of a request; they sum to its span. `core` is its batch, or the request itself.
fn phases(
    request: Span,
    core: Span,
    devices: &[Intervals],
    own: Option<&[Intervals]>,
    worker: Option<&[Intervals]>,
    is_batched: bool,
) -> [i64; PHASES.len()] {
    let mut phases = [0i64; PHASES.len()];
    let core = core.intersection(request).unwrap_or(request);
    let within = |times: &Intervals, span: Span| times.clip(span);
    let thread = |level: usize, span: Span| {
        worker.map_or_else(Intervals::default, |times| within(&times[level], span))
    };
    // In the batch: device work, copies by device and host, formation, then the rest of the host.
    let first = [
        (DEVICE, within(&devices[0], core)),
        (TO_DEVICE, within(&devices[1], core)),
        (TO_HOST, within(&devices[2], core)),
        (FORMATION, thread(0, core)),
        (TO_DEVICE, thread(1, core)),
        (TO_HOST, thread(2, core)),
    ];
    let mut taken = Intervals::default();
    for (phase, times) in first {
        let rest = times.subtract(&taken);
        phases[phase] += rest.duration().0;
        taken = taken.union(&rest);
    }
    let device = within(&devices[0], core);
    let started = device.spans().first().map_or(core.end, |span| span.start);
    let ended = device.spans().last().map_or(core.end, |span| span.end);
    let (runtime, other) = (thread(3, core), thread(4, core).subtract(&thread(3, core)));
    let mut claim = |phase: usize, times: Intervals, taken: &mut Intervals| {
        let rest = times.subtract(taken);
        phases[phase] += rest.duration().0;
        *taken = taken.union(&rest);
    };
    claim(RUNTIME, runtime, &mut taken);
    let before = Span {
        start: core.start,
        end: started,
    };
    let after = Span {
        start: ended.max(started),
        end: core.end.max(ended),
    };
    claim(PREPARE, within(&other, before), &mut taken);
    claim(FINISH, within(&other, after), &mut taken);
    claim(RUNTIME, other, &mut taken);
    if is_batched {
        let ahead = Span {
            start: request.start,
            end: core.start,
        };
        let behind = Span {
            start: core.end,
            end: request.end,
        };
        let own_work = |span: Span| {
            own.map_or_else(Intervals::default, |times| {
                let all = times.iter().map(|times| within(times, span));
                all.fold(Intervals::default(), |sum, next| sum.union(&next))
            })
        };
        let prepared = own_work(ahead).duration().0;
        phases[PREPARE] += prepared;
        phases[QUEUE] += ahead.duration().0 - prepared;
        phases[FINISH] += own_work(behind).duration().0;
    }
    let known: i64 = phases.iter().sum();
    phases[IDLE] = request.duration().0 - known;
    phases
}

fn id_of(stats: &[Stat]) -> String {
    let found = REQUEST_IDS
        .iter()
        .find_map(|key| stats.iter().find(|stat| stat.name == *key));
    found.map(|stat| stat.value.clone()).unwrap_or_default()
}

/// Percentiles shown.
const PERCENTILES: [f64; 6] = [50.0, 75.0, 90.0, 95.0, 99.0, 99.9];

/// Nearest rank: the position, from 0, of the smallest value that `percent` of `count` do not exceed.
fn rank(percent: f64, count: usize) -> usize {
    let rank = (percent / 100.0 * count as f64).ceil();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and the count"
    )]
    let rank = rank.max(1.0) as usize;
    rank.min(count) - 1
}

/// Everything but the rows.
pub(super) fn report(all: &Collected) -> RequestsReport {
    let mut sorted: Vec<&RequestRow> = all.requests.iter().collect();
    sorted.sort_by_key(|row| (row.latency_ps, row.start_ps));
    let count = sorted.len();
    let total: i64 = sorted.iter().map(|row| row.latency_ps).sum();
    let first = sorted.iter().map(|row| row.start_ps).min();
    let last = sorted.iter().map(|row| row.start_ps + row.latency_ps).max();
    let window_ps = first.zip(last).map_or(0, |(first, last)| last - first);
    let percentiles = PERCENTILES
        .into_iter()
        .filter(|_| count > 0)
        .map(|percent| {
            let row = sorted[rank(percent, count)];
            PercentileRow {
                percentile: percent,
                latency_ps: row.latency_ps,
                request_id: row.request_id.clone(),
                start_ps: row.start_ps,
                phases_ps: row.phases_ps.clone(),
            }
        });
    let phases = PHASES
        .iter()
        .enumerate()
        .filter(|_| count > 0)
        .map(|(at, (name, meaning))| {
            let mut times: Vec<i64> = all.requests.iter().map(|row| row.phases_ps[at]).collect();
            times.sort_unstable();
            let sum: i64 = times.iter().sum();
            PhaseRow {
                phase: (*name).to_owned(),
                meaning: (*meaning).to_owned(),
                mean_ps: sum as f64 / count as f64,
                median_ps: times[rank(50.0, count)],
                high_ps: times[rank(90.0, count)],
                latency_ratio: (total > 0).then(|| sum as f64 / total as f64),
            }
        });
    let sized = all
        .batches
        .iter()
        .filter_map(|batch| batch.size.zip(batch.padding));
    let (size, padding) = sized.fold((0i64, 0i64), |(size, padding), (one, padded)| {
        (size.saturating_add(one), padding.saturating_add(padded))
    });
    RequestsReport {
        mean_ps: (count > 0).then(|| total as f64 / count as f64),
        throughput: (window_ps > 0).then(|| count as f64 / (window_ps as f64 * 1e-12)),
        concurrency_mean: (window_ps > 0).then(|| total as f64 / window_ps as f64),
        concurrency_max: concurrency(&all.requests),
        padding_ratio: (size > 0).then(|| padding as f64 / size as f64),
        percentiles: percentiles.collect(),
        phases: phases.collect(),
        rows: Vec::new(),
        row_count: 0,
        batches: all.batches.clone(),
        notes: Vec::new(),
    }
}

/// The most requests that were open at once.
fn concurrency(requests: &[RequestRow]) -> usize {
    let mut changes: Vec<(i64, i64)> = requests
        .iter()
        .flat_map(|row| [(row.start_ps, 1), (row.start_ps + row.latency_ps, -1)])
        .collect();
    // Ends come before starts of the same instant.
    changes.sort_unstable();
    let (mut open, mut most) = (0i64, 0i64);
    for (_, change) in changes {
        open += change;
        most = most.max(open);
    }
    usize::try_from(most).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::rank;

    #[test]
    fn percentiles_by_nearest_rank() {
        assert_eq!(rank(50.0, 1), 0);
        assert_eq!(rank(50.0, 4), 1);
        assert_eq!(rank(75.0, 4), 2);
        assert_eq!(rank(99.9, 4), 3);
        assert_eq!(rank(99.0, 1000), 989);
    }
}
