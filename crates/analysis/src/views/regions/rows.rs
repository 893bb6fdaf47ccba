//! From the sums of threads to rows: by name, or by name and thread.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;
use stepscope_model::{HostId, Session, TrackId};

use super::collect::{OTHER, Place, Stats, ThreadSums};
use super::launches::{Launches, Placed};
use super::names::Names;
use super::report::{RegionPlace, RegionRow, RegionThread};
use crate::measuring::activity::host_tracks;
use crate::measuring::selection::Selected;

/// Writes rows.
pub(super) struct Scribe<'a> {
    session: &'a Session,
    names: &'a Names,
    /// Titles of threads, by track.
    titles: Vec<String>,
    /// Selected steps, by host.
    steps: Vec<usize>,
    /// How much device work was placed, by host.
    placed: &'a [Placed],
    covered_ps: i64,
}

/// The sums of a region or stack over threads, from which rows are made.
#[derive(Debug, Clone, Default)]
pub(super) struct Sum {
    pub(super) region: u32,
    pub(super) stats: Stats,
    /// Ascending.
    tracks: Vec<TrackId>,
    hosts: Vec<HostId>,
    step_hosts: Vec<HostId>,
}

impl Sum {
    /// An empty sum.
    pub(super) fn of(region: u32) -> Self {
        Self {
            region,
            ..Self::default()
        }
    }

    /// Adds the sums of a thread. Threads must come in order.
    pub(super) fn add(&mut self, session: &Session, track: TrackId, stats: Stats) {
        let host = session.track(track).host;
        let add = |hosts: &mut Vec<HostId>| {
            if hosts.last() != Some(&host) {
                hosts.push(host);
            }
        };
        add(&mut self.hosts);
        if stats.step_count > 0 {
            add(&mut self.step_hosts);
        }
        if self.tracks.last() != Some(&track) {
            self.tracks.push(track);
        }
        self.stats.merge(stats);
    }
}

impl<'a> Scribe<'a> {
    pub(super) fn new(
        session: &'a Session,
        selected: &Selected<'_>,
        names: &'a Names,
        launches: &'a Launches,
        threads: &[ThreadSums],
    ) -> Self {
        let mut steps = vec![0; session.hosts.len()];
        for position in selected.step_positions() {
            let spans = session.steps[position].spans.iter();
            let mut hosts: Vec<HostId> = spans.map(|on| on.host).collect();
            hosts.sort_unstable();
            hosts.dedup();
            for host in &hosts {
                steps[host.index()] += 1;
            }
        }
        Self {
            session,
            names,
            titles: titles(session),
            steps,
            placed: &launches.hosts,
            covered_ps: threads
                .iter()
                .fold(0, |sum: i64, thread| sum.saturating_add(thread.covered_ps)),
        }
    }

    /// Σ time within regions.
    pub(super) const fn covered_ps(&self) -> i64 {
        self.covered_ps
    }

    /// The row of a sum.
    pub(super) fn row(&self, sum: &Sum) -> RegionRow {
        let stats = &sum.stats;
        let (name, kind, source, name_count) = match sum.region {
            OTHER => ("(other)", "other", "", 0),
            region => {
                let named = self.names.region(region);
                (
                    named.name.as_str(),
                    named.kind.name(),
                    named.source.as_str(),
                    named.name_count,
                )
            }
        };
        let steps: usize = sum
            .step_hosts
            .iter()
            .map(|host| self.steps[host.index()])
            .sum();
        let per_step = |figure: i64| (steps > 0).then(|| figure as f64 / steps as f64);
        RegionRow {
            name: name.to_owned(),
            kind: kind.to_owned(),
            source: source.to_owned(),
            thread: match sum.tracks.as_slice() {
                [only] => self.titles[only.index()].clone(),
                _ => String::new(),
            },
            thread_count: u32::try_from(sum.tracks.len()).unwrap_or(u32::MAX),
            name_count,
            count: stats.count,
            total_ps: stats.total_ps,
            self_ps: stats.self_ps,
            ratio: self.ratio(stats.self_ps),
            mean_ps: (stats.count > 0).then(|| stats.sum_ps as f64 / stats.count as f64),
            p95_ps: stats.durations.percentile(95),
            step_count: per_step(stats.step_count),
            step_ps: per_step(stats.step_ps),
            device_ps: self.device(stats.device_ps, &sum.hosts),
            first: stats.first.map(|place| self.place(place)),
            longest: stats.longest.map(|place| self.place(place)),
            ..RegionRow::default()
        }
    }

    /// Self time as a share of what is covered.
    pub(super) fn ratio(&self, self_ps: i64) -> f64 {
        if self.covered_ps > 0 {
            self_ps as f64 / self.covered_ps as f64
        } else {
            0.0
        }
    }

    fn place(&self, place: Place) -> RegionPlace {
        RegionPlace {
            start_ps: place.start_ps,
            duration_ps: place.duration_ps,
            thread: self.titles[place.slice.track.index()].clone(),
            slice: place.slice.into(),
        }
    }

    /// The device time. A time of 0 is reported only if the launches of device work are known.
    fn device(&self, device_ps: i64, hosts: &[HostId]) -> Option<i64> {
        let is_known = || {
            hosts
                .iter()
                .all(|host| self.placed[host.index()].is_whole())
        };
        (device_ps > 0 || is_known()).then_some(device_ps)
    }

    /// The threads, in order.
    pub(super) fn threads(&self, threads: &[ThreadSums]) -> Vec<RegionThread> {
        let row = |thread: &ThreadSums| {
            let host = self.session.track(thread.track).host;
            let counted = thread.entries.iter().filter(|entry| entry.stats.count > 0);
            RegionThread {
                host: self.session.host(host).name.clone(),
                thread: self.titles[thread.track.index()].clone(),
                region_count: counted.count(),
                slice_count: thread.count,
                covered_ps: thread.covered_ps,
                device_ps: self.device(thread.device_ps, &[host]),
            }
        };
        let counting = threads.iter().filter(|thread| thread.count > 0);
        counting.map(row).collect()
    }
}

/// One sum per region, or per region and thread.
pub(super) fn sums(session: &Session, threads: Vec<ThreadSums>, by_thread: bool) -> Vec<Sum> {
    let mut sums: Vec<Sum> = Vec::new();
    let mut known: FxHashMap<(u32, Option<TrackId>), usize> = FxHashMap::default();
    for thread in threads {
        let track = thread.track;
        for entry in thread.entries {
            if entry.stats.count == 0 {
                continue;
            }
            let key = (entry.region, by_thread.then_some(track));
            let position = *known.entry(key).or_insert_with(|| {
                sums.push(Sum::of(entry.region));
                sums.len() - 1
            });
            sums[position].add(session, track, entry.stats);
        }
    }
    sums
}

/// Titles of host threads, by track: prefixed with the host's name if there are several hosts, and
/// followed by the line's id if a host has several threads of the same name.
fn titles(session: &Session) -> Vec<String> {
    let mut titles = vec![String::new(); session.tracks.len()];
    for host in (0..session.hosts.len()).map(HostId::from_index) {
        let tracks: Vec<TrackId> = host_tracks(session, host).collect();
        let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
        let name = |track: TrackId| session.text(session.track(track).name);
        for &track in &tracks {
            *counts.entry(name(track)).or_default() += 1;
        }
        for &track in &tracks {
            let mut title = match session.hosts.len() {
                1 => String::new(),
                _ => format!("{} / ", session.host(host).name),
            };
            title.push_str(name(track));
            if counts[name(track)] > 1 {
                let _ = write!(title, " {}", session.track(track).thread_number());
            }
            titles[track.index()] = title;
        }
    }
    titles
}
