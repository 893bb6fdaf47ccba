//! Reading allocator events: which slices they are, then their stats from the file's bytes.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use stepscope_xplane::{Event, Plane, Space, StatValue, lossy};

use super::{Allocator, AllocatorEvent, AllocatorLog, Purpose};
use crate::ids::{DeviceId, HostId, LabelId, SliceId, TrackId};
use crate::session::{DeviceKind, Session};
use crate::strings::Strings;
use crate::units::Picos;
use crate::vendor::memory::{
    MemoryStat, allocator_device, allocator_event, data_type, is_host_allocator, is_nothing,
    memory_stats,
};

impl Session {
    /// Whether any allocator event was recorded. Only checks labels.
    pub fn has_allocator_events(&self) -> bool {
        !actions(self).is_empty()
    }

    /// Reads all allocator events from the bytes of the files.
    pub fn allocator_log(&self) -> AllocatorLog {
        let hosts: Vec<HostId> = (0..self.hosts.len()).map(HostId::from_index).collect();
        self.allocator_log_of(&hosts)
    }

    /// Those of some hosts, for questions that can be asked a few hosts at a time.
    pub fn allocator_log_of(&self, hosts: &[HostId]) -> AllocatorLog {
        log(self, hosts)
    }
}

/// Labels of allocator events; the flag distinguishes allocations from deallocations.
fn actions(session: &Session) -> Vec<(LabelId, bool)> {
    let labels = (0..session.labels.len()).map(LabelId::from_index);
    let found = labels.filter_map(|label| {
        let action = allocator_event(session.label_name(label))?;
        Some((label, action))
    });
    found.collect()
}

/// A recorded instant, before its stats are read.
struct Mark {
    ordinal: u32,
    time: i64,
    is_allocation: bool,
    slice: SliceId,
}

/// Allocator of an event, by the texts of its track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
struct Who {
    name: u32,
    index: Option<i64>,
}

/// The events of one track, with their texts in a separate table.
struct TrackEvents {
    host: HostId,
    strings: Strings,
    purposes: Vec<Purpose>,
    events: Vec<(Who, AllocatorEvent)>,
}

fn log(session: &Session, hosts: &[HostId]) -> AllocatorLog {
    let actions = actions(session);
    let mut log = AllocatorLog {
        purposes: vec![Purpose::default()],
        ..AllocatorLog::default()
    };
    if actions.is_empty() {
        return log;
    }
    let mut is_action = vec![None; session.labels.len()];
    for (label, is_allocation) in &actions {
        is_action[label.index()] = Some(*is_allocation);
    }
    let mut of_hosts: Vec<Vec<TrackId>> = vec![Vec::new(); session.hosts.len()];
    for id in session.track_ids() {
        let track = session.track(id);
        if track.may_have(|label| is_action[label.index()].is_some()) {
            of_hosts[track.host.index()].push(id);
        }
    }
    let tracks: Vec<TrackEvents> = hosts
        .par_iter()
        .map(|&host| read_host(session, host, &of_hosts[host.index()], &is_action))
        .flatten_iter()
        .collect();
    gather(session, tracks, &mut log);
    log
}

/// The allocator events of a host, track by track. Its file is scanned and let go.
fn read_host(
    session: &Session,
    host: HostId,
    tracks: &[TrackId],
    is_action: &[Option<bool>],
) -> Vec<TrackEvents> {
    let marks: Vec<(TrackId, Vec<Mark>)> = tracks
        .par_iter()
        .map(|&track| (track, marks(session, track, is_action)))
        .filter(|(_, marks)| !marks.is_empty())
        .collect();
    if marks.is_empty() {
        return Vec::new();
    }
    let bytes = &session.host(host).bytes;
    let space = Space::scan((**bytes).as_ref());
    let read = marks
        .par_iter()
        .map(|(track, marks)| read_track(session, *track, &space, marks))
        .collect();
    bytes.release_all();
    read
}

/// The allocator events of a track, in file order.
fn marks(session: &Session, id: TrackId, is_action: &[Option<bool>]) -> Vec<Mark> {
    let track = session.track_in_passing(id);
    let mut marks = Vec::new();
    for (number, lane) in (0u32..).zip(&track.lanes) {
        let events = lane.labels().iter().zip(lane.starts()).zip(lane.events());
        for (index, ((label, &time), &ordinal)) in (0u32..).zip(events) {
            if let Some(is_allocation) = is_action[label.index()] {
                let slice = SliceId {
                    track: id,
                    lane: number,
                    index,
                };
                marks.push(Mark {
                    ordinal,
                    time,
                    is_allocation,
                    slice,
                });
            }
        }
    }
    marks.sort_by_key(|mark| mark.ordinal);
    marks
}

fn read_track(session: &Session, track: TrackId, space: &Space<'_>, marks: &[Mark]) -> TrackEvents {
    let track = session.track(track);
    let mut read = TrackEvents {
        host: track.host,
        strings: Strings::default(),
        purposes: vec![Purpose::default()],
        events: Vec::with_capacity(marks.len()),
    };
    let mut rest = marks;
    for (position, line) in track.origin.lines.iter().enumerate() {
        let next = track.origin.lines.get(position + 1);
        let end = next.map_or(u32::MAX, |next| next.first_event);
        let (of_line, after) = rest.split_at(rest.partition_point(|mark| mark.ordinal < end));
        rest = after;
        let plane = space.planes.get(line.plane as usize);
        let Some((plane, recorded)) =
            plane.and_then(|plane| Some((plane, plane.lines.get(line.line as usize)?)))
        else {
            continue;
        };
        let mut reader = Reader::new(plane, &mut read.strings, &mut read.purposes);
        let (mut events, mut ordinal) = (recorded.events(), line.first_event);
        for mark in of_line {
            let skipped = mark.ordinal.saturating_sub(ordinal) as usize;
            let Some(event) = events.nth(skipped) else {
                break;
            };
            ordinal = mark.ordinal.saturating_add(1);
            read.events.push(reader.event(&event, mark));
        }
    }
    read
}

/// Reads the stats of the events of one line.
struct Reader<'r, 'a> {
    plane: &'r Plane<'a>,
    roles: FxHashMap<i64, MemoryStat>,
    /// Texts in the plane's table, by ID.
    references: FxHashMap<u64, u32>,
    strings: &'r mut Strings,
    purposes: &'r mut Vec<Purpose>,
    numbers: FxHashMap<Purpose, u32>,
}

impl<'r, 'a> Reader<'r, 'a> {
    fn new(plane: &'r Plane<'a>, strings: &'r mut Strings, purposes: &'r mut Vec<Purpose>) -> Self {
        let numbers = purposes.iter().copied().zip(0u32..).collect();
        Self {
            plane,
            roles: memory_stats(plane),
            references: FxHashMap::default(),
            strings,
            purposes,
            numbers,
        }
    }

    fn event(&mut self, event: &Event<'a>, mark: &Mark) -> (Who, AllocatorEvent) {
        let mut found = AllocatorEvent {
            time: Picos(mark.time),
            is_allocation: mark.is_allocation,
            in_use: 0,
            reserved: 0,
            available: 0,
            fragmentation: 0.0,
            purpose: 0,
            peak: 0,
            requested: 0,
            allocated: 0,
            address: 0,
            slice: mark.slice,
        };
        let (mut who, mut purpose) = (Who::default(), Purpose::default());
        for stat in event.stats() {
            let Some(&role) = self.roles.get(&stat.metadata_id) else {
                continue;
            };
            let value = stat.value();
            let bytes = || value.as_int().unwrap_or(0).max(0);
            match role {
                MemoryStat::AllocatorName => who.name = self.text(value),
                MemoryStat::Index => who.index = value.as_int(),
                MemoryStat::Reserved => found.reserved = bytes(),
                MemoryStat::InUse => found.in_use = bytes(),
                MemoryStat::Available => found.available = bytes(),
                MemoryStat::Fragmentation => found.fragmentation = ratio(value),
                MemoryStat::Peak => found.peak = bytes(),
                MemoryStat::Requested => found.requested = bytes(),
                MemoryStat::Allocated => found.allocated = bytes(),
                MemoryStat::Address => {
                    found.address = value.as_int().unwrap_or(0).cast_unsigned();
                }
                MemoryStat::Op => purpose.op.0 = self.text(value),
                MemoryStat::Region => purpose.region.0 = self.text(value),
                MemoryStat::DataType => purpose.data_type = data_type(value.as_int().unwrap_or(0)),
                MemoryStat::Shape => purpose.shape.0 = self.text(value),
            }
        }
        found.purpose = self.purpose(purpose);
        (who, found)
    }

    fn purpose(&mut self, purpose: Purpose) -> u32 {
        let purposes = &mut *self.purposes;
        *self.numbers.entry(purpose).or_insert_with(|| {
            purposes.push(purpose);
            u32::try_from(purposes.len() - 1).unwrap_or(0)
        })
    }

    fn text(&mut self, value: StatValue<'a>) -> u32 {
        let Self { plane, strings, .. } = self;
        let mut intern = |value| {
            let text = plane.stat_text(value).map(lossy).unwrap_or_default();
            if is_nothing(&text) {
                0
            } else {
                strings.intern(&text).0
            }
        };
        match value {
            StatValue::Ref(id) => *self.references.entry(id).or_insert_with(|| intern(value)),
            value => intern(value),
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a ratio, of which four digits are shown"
)]
fn ratio(value: StatValue<'_>) -> f32 {
    let ratio = value.as_double().unwrap_or(0.0);
    if ratio.is_finite() {
        ratio.clamp(0.0, 1.0) as f32
    } else {
        0.0
    }
}

/// Texts of one track in the table of all.
fn translate(from: &Strings, id: u32, into: &mut Strings) -> u32 {
    into.intern(from.get(crate::ids::StringId(id))).0
}

/// Sorts the events of all tracks by allocator and time.
fn gather(session: &Session, tracks: Vec<TrackEvents>, log: &mut AllocatorLog) {
    let mut positions: FxHashMap<(HostId, Who), usize> = FxHashMap::default();
    let mut purposes: FxHashMap<Purpose, u32> = FxHashMap::default();
    purposes.insert(Purpose::default(), 0);
    for track in tracks {
        let numbers: Vec<u32> = track
            .purposes
            .iter()
            .map(|purpose| {
                let mut purpose = *purpose;
                for id in [&mut purpose.op, &mut purpose.region, &mut purpose.shape] {
                    id.0 = translate(&track.strings, id.0, &mut log.strings);
                }
                let next = u32::try_from(log.purposes.len()).unwrap_or(0);
                *purposes.entry(purpose).or_insert_with(|| {
                    log.purposes.push(purpose);
                    next
                })
            })
            .collect();
        let mut last: Option<(Who, usize)> = None;
        for (own, mut event) in track.events {
            event.purpose = numbers[event.purpose as usize];
            let position = match last {
                Some((who, position)) if who == own => position,
                _ => {
                    let name = translate(&track.strings, own.name, &mut log.strings);
                    // A recorded name identifies an allocator; without one, its number does.
                    let index = own.index.filter(|_| name == 0);
                    let who = Who { name, index };
                    *positions.entry((track.host, who)).or_insert_with(|| {
                        let text = log.strings.get(crate::ids::StringId(name));
                        log.allocators
                            .push(allocator(session, track.host, text, own.index));
                        log.allocators.len() - 1
                    })
                }
            };
            last = Some((own, position));
            log.allocators[position].events.push(event);
        }
    }
    for allocator in &mut log.allocators {
        // Threads are read one after another; the stable sort keeps the order within each.
        allocator.events.sort_by_key(|event| event.time);
    }
    log.allocators.sort_by(|a, b| {
        (a.host, a.device.is_none(), a.device, &a.name).cmp(&(
            b.host,
            b.device.is_none(),
            b.device,
            &b.name,
        ))
    });
}

fn allocator(session: &Session, host: HostId, name: &str, index: Option<i64>) -> Allocator {
    let named = allocator_device(name);
    let device = match (named, index) {
        (Some((_, number)), _) => find(session, host, number, DeviceKind::is_gpu),
        (None, Some(number)) if !is_host_allocator(name) => {
            find(session, host, number, |kind| kind != DeviceKind::SparseCore)
        }
        _ => None,
    };
    let name = match (name, index) {
        ("", Some(index)) => index.to_string(),
        ("", None) => "allocator".to_owned(),
        (name, _) => name.to_owned(),
    };
    Allocator {
        host,
        device,
        name,
        events: Vec::new(),
    }
}

fn find(
    session: &Session,
    host: HostId,
    number: i64,
    fits: impl Fn(DeviceKind) -> bool,
) -> Option<DeviceId> {
    session.device_ids().find(|&id| {
        let device = session.device(id);
        device.host == host && device.ordinal == number && fits(device.kind)
    })
}
