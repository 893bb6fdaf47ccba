//! Packets: slices, instants, samples and arrows into drafts of profiles.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io;

use rustc_hash::FxHashMap;
use stepscope_wire::{Fields, Value as Wire};

use super::annotations;
use super::clocks::Clocks;
use super::fields::{event, packet};
use super::sequence::{Sequence, numbers};
use super::stream;
use super::tracks::{Place, Tracks};
use crate::TraceError;
use crate::draft::{
    DERIVED, Draft, End, EndKind, LineIndex, PlaneIndex, Target, Value, is_plausible, written_stats,
};

/// Texts that events name by a number are charged from this length on: shorter ones are written
/// once.
const REPEATED_FROM: usize = 512;
/// More slices open at once on one track are noise.
const MOST_OPEN: usize = 1 << 20;

/// A slice that has begun.
struct Open {
    /// None of what our own traces hold beside what was recorded.
    place: Option<Place>,
    metadata: i64,
    start: i64,
    stats: Vec<u8>,
    flows: Vec<(u64, EndKind)>,
}

/// A trace on its way to drafts.
pub(super) struct Packets<'c> {
    charge: &'c dyn Fn(u64) -> io::Result<()>,
    /// Whether `charge` refused.
    pub(super) is_refused: bool,
    hosts: Vec<(Option<String>, Draft)>,
    sequences: FxHashMap<u64, Sequence>,
    clocks: Clocks,
    tracks: Tracks,
    open: FxHashMap<u64, Vec<Open>>,
    counters: FxHashMap<(usize, PlaneIndex), LineIndex>,
    running: FxHashMap<u64, i64>,
    base_ns: Option<i64>,
    events: u64,
    others: BTreeMap<u32, u64>,
    without_time: u64,
    far_away: u64,
    negative: u64,
    unmatched: u64,
    unclosed: u64,
    dropped: u64,
    pub(super) too_large: u64,
}

impl<'c> Packets<'c> {
    pub(super) fn new(charge: &'c dyn Fn(u64) -> io::Result<()>) -> Self {
        Self {
            charge,
            is_refused: false,
            hosts: vec![(None, Draft::default())],
            sequences: FxHashMap::default(),
            clocks: Clocks::default(),
            tracks: Tracks::default(),
            open: FxHashMap::default(),
            counters: FxHashMap::default(),
            running: FxHashMap::default(),
            base_ns: None,
            events: 0,
            others: BTreeMap::new(),
            without_time: 0,
            far_away: 0,
            negative: 0,
            unmatched: 0,
            unclosed: 0,
            dropped: 0,
            too_large: 0,
        }
    }

    /// Counts bytes that are about to be held once more.
    fn charge(&mut self, bytes: usize) {
        self.is_refused |= bytes > 0 && (self.charge)(bytes as u64).is_err();
    }
}

/// Why an event has no place in time.
enum NoTime {
    /// It has no timestamp, or one of a clock that nothing relates to the trace's.
    Unexplained,
    /// It is too far from the first.
    FarAway,
}

/// What all packets were read into.
pub(super) struct Finished {
    pub(super) drafts: Vec<(Option<String>, Draft)>,
    pub(super) zero_ps: i64,
    pub(super) epoch_ns: Option<i64>,
}

/// The fields of a packet that matter.
#[derive(Default)]
struct Head<'a> {
    timestamp: Option<u64>,
    clock: Option<u64>,
    sequence: u64,
    is_cleared: bool,
    track_event: Option<&'a [u8]>,
    interned: Option<&'a [u8]>,
    defaults: Option<&'a [u8]>,
    snapshot: Option<&'a [u8]>,
    descriptor: Option<&'a [u8]>,
    compressed: Option<&'a [u8]>,
    other: Option<u32>,
}

impl Packets<'_> {
    /// Takes one packet.
    pub(super) fn take(&mut self, message: &[u8]) {
        self.take_at(message, 0);
    }

    fn take_at(&mut self, message: &[u8], depth: usize) {
        let mut head = Head::default();
        for field in Fields::of(message) {
            match field.number {
                packet::TIMESTAMP => head.timestamp = Some(field.value.number()),
                packet::CLOCK_ID => head.clock = Some(field.value.number()),
                packet::SEQUENCE => head.sequence = field.value.number(),
                packet::SEQUENCE_FLAGS => head.is_cleared |= field.value.number() & 1 != 0,
                packet::STATE_CLEARED => head.is_cleared |= field.value.number() != 0,
                packet::PACKET_DROPPED => self.dropped += u64::from(field.value.number() != 0),
                packet::TRACK_EVENT => head.track_event = Some(field.value.bytes()),
                packet::INTERNED_DATA => head.interned = Some(field.value.bytes()),
                packet::DEFAULTS => head.defaults = Some(field.value.bytes()),
                packet::CLOCK_SNAPSHOT => head.snapshot = Some(field.value.bytes()),
                packet::TRACK_DESCRIPTOR => head.descriptor = Some(field.value.bytes()),
                packet::COMPRESSED => head.compressed = Some(field.value.bytes()),
                _ if matches!(field.value, Wire::Bytes(_)) => head.other = Some(field.number),
                _ => {}
            }
        }
        if let Some(bytes) = head.compressed.filter(|_| depth == 0) {
            self.unfold(bytes);
        }
        if head.is_cleared {
            self.sequences.insert(head.sequence, Sequence::default());
        }
        if head.interned.is_some() || head.defaults.is_some() {
            let sequence = self.sequences.entry(head.sequence).or_default();
            head.interned
                .into_iter()
                .for_each(|data| sequence.intern(data));
            head.defaults
                .into_iter()
                .for_each(|data| sequence.set_defaults(data));
        }
        if let Some(snapshot) = head.snapshot {
            self.clocks.snapshot(head.sequence, snapshot);
        }
        if let Some(descriptor) = head.descriptor {
            self.tracks.describe(descriptor);
        }
        if let Some(found) = head.track_event {
            self.track_event(&head, found);
        } else if let Some(other) = head.other {
            *self.others.entry(other).or_default() += 1;
        }
    }

    fn unfold(&mut self, bytes: &[u8]) {
        let charge = self.charge;
        let refused = Cell::new(false);
        let told = |count| charge(count).inspect_err(|_| refused.set(true));
        let too_large = stream::unfold(bytes, &told, |packet| self.take_at(packet, 1));
        self.too_large += too_large;
        self.is_refused |= refused.get();
    }

    /// Picoseconds since the first timestamp.
    fn time_ps(&mut self, head: &Head<'_>, default_clock: u64) -> Result<i64, NoTime> {
        let clock = head.clock.unwrap_or(default_clock);
        let timestamp = head.timestamp.ok_or(NoTime::Unexplained)?;
        let time = self.clocks.time_ns(head.sequence, clock, timestamp);
        let time = time.ok_or(NoTime::Unexplained)?;
        let base = *self.base_ns.get_or_insert(time);
        let since = time
            .checked_sub(base)
            .and_then(|since| since.checked_mul(1000));
        since
            .filter(|&since| is_plausible(since))
            .ok_or(NoTime::FarAway)
    }

    fn track_event(&mut self, head: &Head<'_>, message: &[u8]) {
        // Taken out, so that names can be looked up while drafts grow.
        let sequence = self.sequences.remove(&head.sequence).unwrap_or_default();
        match self.time_ps(head, sequence.default_clock) {
            Ok(time) => self.timed_event(&sequence, message, time),
            Err(NoTime::Unexplained) => self.without_time += 1,
            Err(NoTime::FarAway) => self.far_away += 1,
        }
        self.sequences.insert(head.sequence, sequence);
    }

    fn timed_event(&mut self, sequence: &Sequence, message: &[u8], time: i64) {
        let mut found = TrackEvent::read(sequence, message);
        self.charge(found.repeated_bytes(sequence, message));
        if self.is_refused {
            return;
        }
        let track = found.track.or(sequence.default_track).unwrap_or(0);
        for (track, value) in std::mem::take(&mut found.extra) {
            self.sample(track, time, value);
        }
        match found.kind {
            event::BEGIN => {
                let open = self.opened(sequence, message, &found, track, time);
                let waiting = self.open.entry(track).or_default();
                if waiting.len() < MOST_OPEN {
                    waiting.push(open);
                } else {
                    self.unclosed += 1;
                }
            }
            event::END => match self.open.get_mut(&track).and_then(Vec::pop) {
                Some(open) => {
                    let extra = open.place.map_or_else(Vec::new, |place| {
                        self.written_annotations(sequence, message, place)
                    });
                    self.close(open, time, &extra);
                }
                None => self.unmatched += 1,
            },
            event::INSTANT => {
                let open = self.opened(sequence, message, &found, track, time);
                self.close(open, time.saturating_add(found.duration_ps), &[]);
            }
            event::COUNTER => {
                if let Some(value) = found.value {
                    self.sample(track, time, value);
                }
            }
            _ => *self.others.entry(11).or_default() += 1,
        }
    }

    fn written_annotations(
        &mut self,
        sequence: &Sequence,
        message: &[u8],
        place: Place,
    ) -> Vec<u8> {
        let (_, tables) = self.hosts[place.host].1.line_and_tables(place.line);
        written_stats(tables, |stats| {
            for field in Fields::of(message) {
                if field.number == event::ANNOTATIONS {
                    annotations::add(stats, sequence, field.value.bytes());
                }
            }
        })
    }

    fn opened(
        &mut self,
        sequence: &Sequence,
        message: &[u8],
        found: &TrackEvent<'_>,
        track: u64,
        start: i64,
    ) -> Open {
        if found.category == Some(DERIVED) {
            return Open {
                place: None,
                metadata: 0,
                start,
                stats: Vec::new(),
                flows: Vec::new(),
            };
        }
        let place = self.tracks.place(track, &mut self.hosts);
        let mut stats = self.written_annotations(sequence, message, place);
        let (_, tables) = self.hosts[place.host].1.line_and_tables(place.line);
        if let Some(category) = found.category {
            stats.extend(written_stats(tables, |stats| {
                stats.add(b"category", Value::Text(category));
            }));
        }
        Open {
            place: Some(place),
            metadata: tables.event(found.name.unwrap_or(b"(unnamed)")),
            start,
            stats,
            flows: found.flows.clone(),
        }
    }

    fn close(&mut self, open: Open, end: i64, more: &[u8]) {
        let Some(place) = open.place else { return };
        self.events += 1;
        let duration = end.saturating_sub(open.start);
        self.negative += u64::from(duration < 0);
        let duration = duration.max(0);
        let (host, draft) = &mut self.hosts[place.host];
        let (line, tables) = draft.line_and_tables(place.line);
        line.event(tables, open.metadata, open.start, duration, |stats| {
            stats.add_written(&open.stats);
            stats.add_written(more);
        });
        // Arguments of our own traces say what arrows join, as they do in the capture.
        let flows = open.flows.into_iter().filter(|_| host.is_none());
        for (key, kind) in flows {
            draft.arrows.add(End {
                line: place.line,
                time: open.start,
                key,
                kind,
                target: Target::Exact(duration),
            });
        }
    }

    fn sample(&mut self, track: u64, time: i64, value: Value<'_>) {
        let name = self.tracks.counter_name(track);
        let counter = self.tracks.counter(track).cloned().unwrap_or_default();
        let value = match value {
            Value::Int(value) => {
                let value = value.saturating_mul(counter.multiplier.max(1));
                if counter.is_incremental {
                    let sum = self.running.entry(track).or_default();
                    *sum = sum.saturating_add(value);
                    Value::Int(*sum)
                } else {
                    Value::Int(value)
                }
            }
            other => other,
        };
        self.events += 1;
        // The plane is that of the track; samples share one line of it.
        let (host, plane) = self.tracks.plane(track, &mut self.hosts);
        let draft = &mut self.hosts[host].1;
        let line = *self
            .counters
            .entry((host, plane))
            .or_insert_with(|| draft.add_line(plane, 0, "_counters_"));
        let (line, tables) = draft.line_and_tables(line);
        let metadata = tables.event(name.as_bytes());
        line.event(tables, metadata, time, 0, |stats| {
            stats.add(b"counter_value", value);
        });
    }

    /// The drafts, and where their time begins: with the trace, which its first clock snapshot tells,
    /// or with its first event.
    pub(super) fn finish(mut self) -> Result<Finished, TraceError> {
        let last = self
            .hosts
            .iter()
            .map(|(_, draft)| draft.last_end())
            .max()
            .unwrap_or(0);
        let mut left: Vec<(u64, Vec<Open>)> = self.open.drain().collect();
        left.sort_unstable_by_key(|(track, _)| *track);
        for open in left.into_iter().flat_map(|(_, open)| open) {
            self.unclosed += u64::from(open.place.is_some());
            let end = last.max(open.start);
            self.close(open, end, &[]);
        }
        if self.events == 0 {
            return Err(TraceError::NotATrace {
                found: "it is a Perfetto trace without track events",
            });
        }
        let remarks = self.remarks();
        self.hosts[0].1.remarks = remarks;
        let base = self.base_ns.unwrap_or(0);
        let first = self
            .hosts
            .iter()
            .filter_map(|(_, draft)| draft.first_start())
            .min();
        let began = self
            .clocks
            .first_ns
            .and_then(|first| first.checked_sub(base)?.checked_mul(1000));
        let zero_ps = first.into_iter().chain(began).min().unwrap_or(0);
        Ok(Finished {
            zero_ps,
            epoch_ns: self
                .clocks
                .epoch_ns
                .and_then(|epoch| epoch.checked_add(base)),
            drafts: self.hosts,
        })
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks = vec![
            "This is a trace in Perfetto's format: it holds no compiled programs, so figures that \
             need them are not there"
                .to_owned(),
        ];
        let mut add = |count: u64, what: &str| {
            if count > 0 {
                remarks.push(format!("{count} {what}"));
            }
        };
        add(
            self.without_time,
            "events have a clock that the trace does not explain and are not shown",
        );
        add(
            self.far_away,
            "events lie more than 13 days from the first and are not shown",
        );
        add(
            self.negative,
            "slices end before they begin; they are shown as instants",
        );
        add(
            self.unmatched,
            "ends of slices have no beginning and are not shown",
        );
        add(
            self.unclosed,
            "slices have no end; they are drawn to the end of the trace",
        );
        add(self.dropped, "times the recorder lost packets");
        add(
            self.too_large,
            "packets are larger than 64 MiB and were skipped",
        );
        let others: Vec<String> = self
            .others
            .iter()
            .filter(|(number, _)| !is_about_the_trace(**number))
            .map(|(number, count)| format!("{} ({count})", packet_name(*number)))
            .collect();
        if !others.is_empty() {
            let others = others.join(", ");
            remarks.push(format!("Packets of these kinds are not shown: {others}"));
        }
        remarks
    }
}

/// The fields of a track event.
struct TrackEvent<'a> {
    kind: u64,
    name: Option<&'a [u8]>,
    category: Option<&'a [u8]>,
    track: Option<u64>,
    value: Option<Value<'a>>,
    extra: Vec<(u64, Value<'a>)>,
    flows: Vec<(u64, EndKind)>,
    /// Of old events that are whole in one packet.
    duration_ps: i64,
}

impl<'a> TrackEvent<'a> {
    fn read(sequence: &'a Sequence, message: &'a [u8]) -> Self {
        let mut found = Self {
            kind: 0,
            name: None,
            category: None,
            track: None,
            value: None,
            extra: Vec::new(),
            flows: Vec::new(),
            duration_ps: 0,
        };
        let (mut extra_tracks, mut extra_values) = (Vec::new(), Vec::new());
        let (mut double_tracks, mut double_values) = (Vec::new(), Vec::new());
        let step = |id| (id, EndKind::Step);
        let finish = |id| (id, EndKind::Finish);
        for field in Fields::of(message) {
            let (value, flows) = (field.value, &mut found.flows);
            match field.number {
                event::TYPE => found.kind = value.number(),
                event::NAME_IID => found.name = sequence.names.get(value.number()),
                event::NAME => found.name = Some(value.bytes()),
                event::CATEGORY_IIDS => {
                    let first = numbers(value).next().unwrap_or(0);
                    found.category = found.category.or(sequence.categories.get(first));
                }
                event::CATEGORIES => found.category = found.category.or(Some(value.bytes())),
                event::TRACK => found.track = Some(value.number()),
                event::COUNTER_VALUE => {
                    found.value = Some(Value::Int(value.number().cast_signed()));
                }
                event::DOUBLE_COUNTER_VALUE => {
                    found.value = Some(Value::Double(f64::from_bits(value.number())));
                }
                event::FLOWS => flows.extend(value.fixed64_numbers().map(step)),
                event::ENDING_FLOWS => flows.extend(value.fixed64_numbers().map(finish)),
                event::FLOWS_OLD => flows.extend(numbers(value).map(step)),
                event::ENDING_FLOWS_OLD => flows.extend(numbers(value).map(finish)),
                event::EXTRA_TRACKS => extra_tracks.extend(numbers(value)),
                event::EXTRA_VALUES => extra_values.extend(numbers(value)),
                event::EXTRA_DOUBLE_TRACKS => double_tracks.extend(numbers(value)),
                event::EXTRA_DOUBLE_VALUES => double_values.extend(value.fixed64_numbers()),
                event::LEGACY => found.read_legacy(sequence, value.bytes()),
                _ => {}
            }
        }
        let own_or = |own: Vec<u64>, default: &[u64], count: usize| {
            if own.is_empty() {
                default[..default.len().min(count)].to_vec()
            } else {
                own
            }
        };
        let extra = own_or(extra_tracks, &sequence.extra_tracks, extra_values.len());
        let values = extra_values
            .into_iter()
            .map(|value| Value::Int(value.cast_signed()));
        found.extra.extend(extra.into_iter().zip(values));
        let defaults = &sequence.extra_double_tracks;
        let extra = own_or(double_tracks, defaults, double_values.len());
        let values = double_values
            .into_iter()
            .map(|bits| Value::Double(f64::from_bits(bits)));
        found.extra.extend(extra.into_iter().zip(values));
        found
    }

    /// Bytes of long texts that the event names by their numbers, and that it holds anew.
    fn repeated_bytes(&self, sequence: &Sequence, message: &[u8]) -> usize {
        let long = |text: Option<&[u8]>| {
            let length = text.map_or(0, <[u8]>::len);
            if length > REPEATED_FROM { length } else { 0 }
        };
        let annotations = Fields::of(message)
            .filter(|field| field.number == event::ANNOTATIONS)
            .map(|field| annotations::repeated_bytes(sequence, field.value.bytes(), &long));
        long(self.name) + long(self.category) + annotations.sum::<usize>()
    }

    /// Events of old writers have a phase, as in Chrome's JSON, instead of a type.
    fn read_legacy(&mut self, sequence: &'a Sequence, message: &[u8]) {
        for field in Fields::of(message) {
            match field.number {
                1 if self.name.is_none() => self.name = sequence.names.get(field.value.number()),
                2 if self.kind == 0 => {
                    self.kind = match u8::try_from(field.value.number()).unwrap_or(0) {
                        b'B' => event::BEGIN,
                        b'E' => event::END,
                        b'X' | b'I' | b'i' | b'n' => event::INSTANT,
                        _ => 0,
                    };
                }
                3 => {
                    let micros = field.value.number().cast_signed().max(0);
                    self.duration_ps = micros.saturating_mul(1_000_000);
                }
                _ => {}
            }
        }
    }
}

/// Packets about the trace itself, its recording or its machine: nothing to be shown in time.
fn is_about_the_trace(number: u32) -> bool {
    matches!(number, 33..=36 | 43..=46 | 49 | 51 | 60 | 67 | 69 | 72 | 79 | 89 | 90 | 109 | 113 | 124 | 126)
}

/// Names of packets with events of other kinds.
fn packet_name(number: u32) -> String {
    let name = match number {
        1 => "kernel scheduling and ftrace",
        2 | 9 => "processes",
        5 => "Chrome's old events",
        7 => "system counters",
        11 => "track events of unknown type",
        37 | 74 | 75 => "heap profiles",
        38 | 40 => "battery and power",
        39 => "Android's log",
        52 => "GPU counters",
        53 => "GPU render stages",
        62 | 65 => "Vulkan",
        66 | 54 | 135 => "CPU samples",
        71 => "GPU memory",
        95 => "Windows events",
        133 => "packets compressed with zstd",
        other => return format!("field {other}"),
    };
    name.to_owned()
}
