//! Tracks: their descriptions, and which line of which plane each becomes.

use rustc_hash::FxHashMap;
use stepscope_wire::{Fields, lossy};

use super::fields::track;
use crate::draft::{Draft, LineIndex, PlaneIndex};

/// What is known of a track.
#[derive(Debug, Clone, Default)]
pub(super) struct Described {
    pub(super) name: String,
    pub(super) parent: Option<u64>,
    /// Process id, name, and labels.
    process: Option<(i64, String, Vec<String>)>,
    /// Process id, thread id, name.
    thread: Option<(i64, i64, String)>,
    pub(super) counter: Option<Counter>,
    description: String,
}

/// What is known of a counter.
#[derive(Debug, Clone, Default)]
pub(super) struct Counter {
    unit: String,
    pub(super) multiplier: i64,
    pub(super) is_incremental: bool,
}

/// Where the events of a track go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) host: usize,
    pub(super) line: LineIndex,
}

/// All tracks.
#[derive(Default)]
pub(super) struct Tracks {
    described: FxHashMap<u64, Described>,
    /// The track of each process.
    processes: FxHashMap<i64, u64>,
    places: FxHashMap<u64, Place>,
    counter_planes: FxHashMap<u64, (usize, PlaneIndex)>,
    planes: FxHashMap<(usize, String), PlaneIndex>,
    lines: FxHashMap<(usize, PlaneIndex, i64, String), LineIndex>,
}

/// The label of a process that stands for a host in our own traces.
pub(crate) const HOST_LABEL: &str = "host";
/// How the number of a line stands in the description of its track in our own traces.
pub(crate) const LINE_NUMBER: &str = "line ";
/// More ancestors than this are a circle.
const MOST_ANCESTORS: usize = 32;

impl Tracks {
    pub(super) fn describe(&mut self, message: &[u8]) {
        let mut uuid = 0;
        let mut found = Described::default();
        for field in Fields::of(message) {
            let text = || lossy(field.value.bytes()).into_owned();
            match field.number {
                track::UUID => uuid = field.value.number(),
                track::NAME | track::STATIC_NAME | track::ATRACE_NAME => found.name = text(),
                track::PARENT => found.parent = Some(field.value.number()),
                track::PROCESS => found.process = Some(process(field.value.bytes())),
                track::THREAD => found.thread = Some(thread(field.value.bytes())),
                track::COUNTER => found.counter = Some(counter(field.value.bytes())),
                track::DESCRIPTION => found.description = text(),
                _ => {}
            }
        }
        if let Some((pid, ..)) = &found.process {
            self.processes.insert(*pid, uuid);
        }
        self.described.insert(uuid, found);
    }

    pub(super) fn counter(&self, uuid: u64) -> Option<&Counter> {
        self.described.get(&uuid)?.counter.as_ref()
    }

    /// The name of a counter, with its unit.
    pub(super) fn counter_name(&self, uuid: u64) -> String {
        let Some(found) = self.described.get(&uuid) else {
            return format!("counter {uuid}");
        };
        let unit = found.counter.as_ref().map_or("", |counter| &counter.unit);
        let name = if found.name.is_empty() {
            format!("counter {uuid}")
        } else {
            found.name.clone()
        };
        if unit.is_empty() || name.contains(unit) {
            name
        } else {
            format!("{name} ({unit})")
        }
    }

    /// Where the events of a track go; its line is made when first asked for.
    pub(super) fn place(&mut self, uuid: u64, hosts: &mut Vec<(Option<String>, Draft)>) -> Place {
        if let Some(&place) = self.places.get(&uuid) {
            return place;
        }
        let resolved = self.resolve(uuid);
        let (host, plane) = self.plane_of(&resolved, hosts);
        let draft = &mut hosts[host].1;
        let line = *self
            .lines
            .entry((host, plane, resolved.number, resolved.line.clone()))
            .or_insert_with(|| draft.add_line(plane, resolved.number, &resolved.line));
        let found = Place { host, line };
        self.places.insert(uuid, found);
        found
    }

    /// The plane of a track, for what shares a line with others there.
    pub(super) fn plane(
        &mut self,
        uuid: u64,
        hosts: &mut Vec<(Option<String>, Draft)>,
    ) -> (usize, PlaneIndex) {
        if let Some(&found) = self.counter_planes.get(&uuid) {
            return found;
        }
        let resolved = self.resolve(uuid);
        let found = self.plane_of(&resolved, hosts);
        self.counter_planes.insert(uuid, found);
        found
    }

    fn plane_of(
        &mut self,
        resolved: &Resolved,
        hosts: &mut Vec<(Option<String>, Draft)>,
    ) -> (usize, PlaneIndex) {
        let host = host_index(hosts, resolved.host.as_deref());
        let draft = &mut hosts[host].1;
        let plane = *self
            .planes
            .entry((host, resolved.plane.clone()))
            .or_insert_with(|| draft.add_plane(resolved.plane.clone()));
        (host, plane)
    }

    fn resolve(&self, uuid: u64) -> Resolved {
        let mut chain: Vec<&Described> = Vec::new();
        let mut next = Some(uuid);
        while let Some(found) = next.and_then(|uuid| self.described.get(&uuid)) {
            chain.push(found);
            next = found.parent.or_else(|| {
                let (pid, ..) = found.thread.as_ref()?;
                self.processes.get(pid).copied()
            });
            if chain.len() >= MOST_ANCESTORS {
                break;
            }
        }
        let process = chain.iter().find_map(|found| found.process.as_ref());
        let host = process.filter(|(_, _, labels)| labels.iter().any(|label| label == HOST_LABEL));
        let at_plane = chain.iter().position(|found| is_plane_name(&found.name));
        let plane = match (at_plane, process) {
            (Some(position), _) if chain[position].name.starts_with("/device:CPU:") => {
                "/host:CPU".to_owned()
            }
            (Some(position), _) => chain[position].name.clone(),
            (None, Some((pid, name, _))) if name.is_empty() => format!("/host:process {pid}"),
            (None, Some((_, name, _))) => format!("/host:{name}"),
            (None, None) => "/host:trace".to_owned(),
        };
        let below = &chain[..at_plane.unwrap_or(chain.len())];
        let mut names: Vec<&str> = below
            .iter()
            .filter(|found| found.process.is_none())
            .map(|found| found.shown_name())
            .filter(|name| !name.is_empty())
            .collect();
        names.reverse();
        let own = chain.first();
        let number =
            own.and_then(|found| found.description.strip_prefix(LINE_NUMBER)?.parse().ok());
        let thread = own.and_then(|found| found.thread.as_ref());
        let line = match (names.is_empty(), thread) {
            (false, _) => names.join(" / "),
            (true, Some((_, tid, _))) => format!("thread {tid}"),
            (true, None) if process.is_some() => "process".to_owned(),
            (true, None) => "track".to_owned(),
        };
        Resolved {
            host: host.map(|(_, name, _)| name.clone()),
            plane,
            line,
            number: number.or(thread.map(|(_, tid, _)| *tid)).unwrap_or(0),
        }
    }
}

/// What a track becomes.
struct Resolved {
    host: Option<String>,
    plane: String,
    line: String,
    number: i64,
}

impl Described {
    fn shown_name(&self) -> &str {
        match &self.thread {
            Some((_, _, name)) if self.name.is_empty() => name,
            _ => &self.name,
        }
    }
}

fn host_index(hosts: &mut Vec<(Option<String>, Draft)>, name: Option<&str>) -> usize {
    let Some(name) = name else { return 0 };
    if let Some(found) = hosts
        .iter()
        .position(|(known, _)| known.as_deref() == Some(name))
    {
        return found;
    }
    if hosts.len() == 1 && hosts[0].0.is_none() && hosts[0].1.lines.is_empty() {
        hosts[0].0 = Some(name.to_owned());
        return 0;
    }
    hosts.push((Some(name.to_owned()), Draft::default()));
    hosts.len() - 1
}

fn is_plane_name(name: &str) -> bool {
    ["/host:", "/device:", "/virtualdevice:", "#Chip"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

fn process(message: &[u8]) -> (i64, String, Vec<String>) {
    let (mut pid, mut name, mut labels) = (0, String::new(), Vec::new());
    for field in Fields::of(message) {
        let text = || lossy(field.value.bytes()).into_owned();
        match field.number {
            1 => pid = field.value.number().cast_signed(),
            2 if name.is_empty() => name = text(),
            6 => name = text(),
            8 => labels.push(text()),
            _ => {}
        }
    }
    (pid, name, labels)
}

fn thread(message: &[u8]) -> (i64, i64, String) {
    let (mut pid, mut tid, mut name) = (0, 0, String::new());
    for field in Fields::of(message) {
        match field.number {
            1 => pid = field.value.number().cast_signed(),
            2 => tid = field.value.number().cast_signed(),
            5 => name = lossy(field.value.bytes()).into_owned(),
            _ => {}
        }
    }
    (pid, tid, name)
}

fn counter(message: &[u8]) -> Counter {
    let mut counter = Counter {
        multiplier: 1,
        ..Counter::default()
    };
    for field in Fields::of(message) {
        match (field.number, field.value.number()) {
            (3, 1) => "ns".clone_into(&mut counter.unit),
            (3, 3) => "bytes".clone_into(&mut counter.unit),
            (4, value) => counter.multiplier = value.cast_signed(),
            (5, value) => counter.is_incremental = value != 0,
            (6, _) => counter.unit = lossy(field.value.bytes()).into_owned(),
            _ => {}
        }
    }
    counter
}
