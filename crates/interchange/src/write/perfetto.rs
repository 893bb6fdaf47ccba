//! A session as a trace in Perfetto's protobuf.
//!
//! ```text
//! host (a process track) ─► device or threads ─► track ─► slices, samples
//! ```
//!
//! All packets are of one sequence, so that a name is written once. Perfetto counts in nanoseconds:
//! times are rounded down, which keeps what is nested nested.

use std::io::{self, Write};

use rustc_hash::FxHashMap;
use stepscope_model::walk::{Moment, walk};
use stepscope_model::{
    Class, HostId, LabelId, Picos, Samples, Session, SliceId, Span, Track, TrackId,
};
use stepscope_wire::{
    close_message, open_message, push_bytes, push_fixed64, push_message, push_number, push_signed,
};
use stepscope_xplane::{Plane, StatValue, lossy};

use super::arrows::{Arrows, OfTrack};
use super::layout::{Group, groups, spaces};
use super::source::{EventSource, stats};
use super::steps::{StepRow, step_rows};
use super::{BLOCK, Wanted, Written, contains};
use crate::draft::DERIVED;
use crate::perfetto::fields::{annotation, clock, event, interned, packet, track as descriptor};
use crate::perfetto::{HOST_LABEL, LINE_NUMBER};

/// The only sequence.
const SEQUENCE: u64 = 1;

/// Writes the wanted part of a session. Nothing of `out` is read or flushed.
///
/// # Errors
///
/// Those of `out`.
pub fn write_perfetto(
    session: &Session,
    wanted: &Wanted,
    out: &mut dyn Write,
) -> io::Result<Written> {
    let spaces = spaces(session);
    let arrows = Arrows::of(session, wanted);
    let mut writer = Writer {
        session,
        wanted,
        out,
        buffer: Vec::with_capacity(2 * BLOCK),
        pending: Vec::new(),
        next_track: 0,
        names: vec![0; session.labels.len()],
        name_count: 0,
        texts: Texts::default(),
        annotation_names: Texts::default(),
        categories: Texts::default(),
        stat_names: FxHashMap::default(),
        stat_texts: FxHashMap::default(),
        written: Written::default(),
    };
    writer.written.flows = arrows.count();
    writer.begin()?;
    let groups = groups(session, &spaces, wanted);
    let rows = step_rows(session, wanted);
    let mut hosts: Vec<Option<u64>> = vec![None; session.hosts.len()];
    for (rank, group) in groups.iter().enumerate() {
        let host = match hosts[group.host.index()] {
            Some(host) => host,
            None => *hosts[group.host.index()].insert(writer.host(group.host)?),
        };
        let parent = writer.track(host, &group.name, rank, None, Order::OfRanks)?;
        for row in rows.iter().filter(|row| is_of(row, group)) {
            writer.steps(parent, row)?;
        }
        for (rank, &id) in group.tracks.iter().enumerate() {
            let track = session.track(id);
            let source = EventSource::new(&spaces[track.host.index()], track);
            writer.whole_track(parent, rank + 1, id, source, &arrows.of_track(id))?;
        }
    }
    writer.flush()?;
    Ok(writer.written)
}

/// A row of steps stands with the device, or with the first threads of its host.
fn is_of(row: &StepRow, group: &Group) -> bool {
    row.host == group.host && row.device == group.device
}

/// How the children of a track are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    OfRanks,
    Any,
}

/// Texts with their numbers, from 1.
#[derive(Default)]
struct Texts(FxHashMap<Box<[u8]>, u64>);

impl Texts {
    /// The number of a text, and whether it is new.
    fn number(&mut self, text: &[u8]) -> (u64, bool) {
        if let Some(&number) = self.0.get(text) {
            return (number, false);
        }
        let number = self.0.len() as u64 + 1;
        self.0.insert(text.into(), number);
        (number, true)
    }
}

/// Texts that repeat are written once; longer ones rarely do.
const LONGEST_INTERNED: usize = 4096;

struct Writer<'a> {
    session: &'a Session,
    wanted: &'a Wanted,
    out: &'a mut dyn Write,
    buffer: Vec<u8>,
    /// Interned data for the packet being written.
    pending: Vec<u8>,
    next_track: u64,
    /// The number of each label's name.
    names: Vec<u64>,
    name_count: u64,
    texts: Texts,
    annotation_names: Texts,
    categories: Texts,
    /// Numbers of names and texts by host, plane and id of the stat metadata.
    stat_names: FxHashMap<(u32, u32), Vec<u64>>,
    stat_texts: FxHashMap<(u32, u32), Vec<u64>>,
    written: Written,
}

/// Ids of metadata from here on are looked up by their texts.
const DENSE_IDS: usize = 1 << 22;

impl Writer<'_> {
    /// The first packet: no state before it, and the clocks.
    fn begin(&mut self) -> io::Result<()> {
        let epoch = self.session.epoch_ns;
        self.packet(|out| {
            push_number(out, packet::SEQUENCE_FLAGS, 1);
            push_number(out, packet::FIRST_ON_SEQUENCE, 1);
            push_message(out, packet::CLOCK_SNAPSHOT, |out| {
                let clocks = [(clock::BOOTTIME, Some(0)), (clock::REALTIME, epoch)];
                for (id, time) in clocks {
                    let Some(time) = time else { continue };
                    push_message(out, 1, |out| {
                        push_number(out, 1, id);
                        push_number(out, 2, time);
                    });
                }
                push_number(out, 2, clock::BOOTTIME);
            });
        })
    }

    /// Writes a packet.
    #[inline]
    fn packet(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        let body = open_message(&mut self.buffer, 1);
        write(&mut self.buffer);
        self.end_packet(body)
    }

    /// Ends a packet with the names that are new in it, and hands a full block on.
    #[inline]
    fn end_packet(&mut self, body: usize) -> io::Result<()> {
        push_number(&mut self.buffer, packet::SEQUENCE, SEQUENCE);
        if !self.pending.is_empty() {
            push_bytes(&mut self.buffer, packet::INTERNED_DATA, &self.pending);
            self.pending.clear();
        }
        close_message(&mut self.buffer, body);
        if self.buffer.len() >= BLOCK {
            self.flush()
        } else {
            Ok(())
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.written.bytes += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    fn new_track(&mut self) -> u64 {
        self.next_track += 1;
        self.next_track
    }

    fn host(&mut self, host: HostId) -> io::Result<u64> {
        let uuid = self.new_track();
        let name = &self.session.host(host).name;
        let pid = host.index() as u64 + 1;
        self.packet(|out| {
            push_message(out, packet::TRACK_DESCRIPTOR, |out| {
                push_number(out, descriptor::UUID, uuid);
                push_number(out, descriptor::CHILD_ORDERING, descriptor::EXPLICIT);
                push_message(out, descriptor::PROCESS, |out| {
                    push_number(out, 1, pid);
                    push_bytes(out, 6, name.as_bytes());
                    push_bytes(out, 8, HOST_LABEL.as_bytes());
                });
            });
        })?;
        Ok(uuid)
    }

    fn track(
        &mut self,
        parent: u64,
        name: &str,
        rank: usize,
        number: Option<i64>,
        order: Order,
    ) -> io::Result<u64> {
        self.written.tracks += 1;
        let uuid = self.new_track();
        self.packet(|out| {
            push_message(out, packet::TRACK_DESCRIPTOR, |out| {
                push_number(out, descriptor::UUID, uuid);
                push_number(out, descriptor::PARENT, parent);
                push_bytes(out, descriptor::NAME, name.as_bytes());
                push_number(out, descriptor::RANK, rank as u64);
                if order == Order::OfRanks {
                    push_number(out, descriptor::CHILD_ORDERING, descriptor::EXPLICIT);
                }
                if let Some(number) = number {
                    let text = format!("{LINE_NUMBER}{number}");
                    push_bytes(out, descriptor::DESCRIPTION, text.as_bytes());
                }
            });
        })?;
        Ok(uuid)
    }

    fn steps(&mut self, parent: u64, row: &StepRow) -> io::Result<()> {
        let track = self.track(parent, "Steps", 0, None, Order::Any)?;
        let category = self.category(DERIVED);
        for (number, span) in &row.steps {
            let name = format!("step {number}");
            self.written.slices += 1;
            self.packet(|out| {
                push_number(out, packet::TIMESTAMP, nanos(span.start.0));
                push_message(out, packet::TRACK_EVENT, |out| {
                    push_number(out, event::TYPE, event::BEGIN);
                    push_number(out, event::TRACK, track);
                    push_number(out, event::CATEGORY_IIDS, category);
                    push_bytes(out, event::NAME, name.as_bytes());
                });
            })?;
            self.end(track, span.end.0)?;
        }
        Ok(())
    }

    #[inline]
    fn end(&mut self, track: u64, time: i64) -> io::Result<()> {
        self.packet(|out| {
            push_number(out, packet::TIMESTAMP, nanos(time));
            push_message(out, packet::TRACK_EVENT, |out| {
                push_number(out, event::TYPE, event::END);
                push_number(out, event::TRACK, track);
            });
        })
    }

    fn whole_track(
        &mut self,
        parent: u64,
        rank: usize,
        id: TrackId,
        mut source: EventSource<'_, '_>,
        arrows: &OfTrack<'_>,
    ) -> io::Result<()> {
        let session = self.session;
        let track = session.track(id);
        let wanted = self.wanted;
        let windows = wanted.windows(track).unwrap_or_default();
        let name = session.text(track.name);
        if let Some(samples) = &track.samples {
            self.counter(parent, rank, name, samples, windows)?;
        }
        let is_derived = track.origin.lines.is_empty();
        for nest in &track.nests {
            // A row appears with its first slice.
            let mut row = None;
            let is_wanted = |lane: u32, index: usize| {
                let lane = &track.lanes[lane as usize];
                wanted.has_label(lane.labels()[index]) && contains(windows, lane.starts()[index])
            };
            walk(track, nest, is_wanted, |moment| {
                let row = match row {
                    Some(row) => row,
                    None => *row.insert(self.track(
                        parent,
                        name,
                        rank,
                        Some(track.line_id),
                        Order::Any,
                    )?),
                };
                match moment {
                    Moment::Begin(lane, index) => {
                        let slice = SliceId {
                            track: id,
                            lane,
                            index: u32::try_from(index).unwrap_or(u32::MAX),
                        };
                        self.begin_slice(row, track, slice, &mut source, arrows, is_derived)
                    }
                    Moment::End(time) => self.end(row, time),
                }
            })?;
        }
        Ok(())
    }

    #[inline]
    fn begin_slice(
        &mut self,
        row: u64,
        track: &Track,
        slice: SliceId,
        source: &mut EventSource<'_, '_>,
        arrows: &OfTrack<'_>,
        is_derived: bool,
    ) -> io::Result<()> {
        self.written.slices += 1;
        let lane = &track.lanes[slice.lane as usize];
        let index = slice.index as usize;
        let label = lane.labels()[index];
        let name = self.name(label);
        let class: Class = self.session.label(label).class;
        let category = if is_derived {
            self.category(DERIVED)
        } else {
            self.category(class.name().as_bytes())
        };
        let body = open_message(&mut self.buffer, 1);
        push_number(
            &mut self.buffer,
            packet::TIMESTAMP,
            nanos(lane.starts()[index]),
        );
        let message = open_message(&mut self.buffer, packet::TRACK_EVENT);
        push_number(&mut self.buffer, event::TYPE, event::BEGIN);
        push_number(&mut self.buffer, event::NAME_IID, name);
        push_number(&mut self.buffer, event::TRACK, row);
        push_number(&mut self.buffer, event::CATEGORY_IIDS, category);
        if let Some((position, plane, found)) = source.get(lane.events()[index]) {
            let place = (track.host.0, position);
            for stat in stats(self.session, track, plane, &found) {
                self.annotation(place, plane, stat.metadata_id, stat.value());
            }
            let metadata = plane.event_metadata.get(found.metadata_id);
            for stat in metadata
                .into_iter()
                .flat_map(stepscope_xplane::EventMetadata::stats)
            {
                self.annotation(place, plane, stat.metadata_id, stat.value());
            }
        }
        for number in arrows.leaving(slice) {
            push_fixed64(&mut self.buffer, event::FLOWS, u64::from(number));
        }
        for number in arrows.arriving(slice) {
            push_fixed64(&mut self.buffer, event::ENDING_FLOWS, u64::from(number));
        }
        close_message(&mut self.buffer, message);
        self.end_packet(body)
    }

    /// The number of a label's name.
    #[inline]
    fn name(&mut self, label: LabelId) -> u64 {
        if self.names[label.index()] == 0 {
            self.name_count += 1;
            self.names[label.index()] = self.name_count;
            let text = self.session.label_name(label);
            intern(
                &mut self.pending,
                interned::EVENT_NAMES,
                self.name_count,
                text.as_bytes(),
            );
        }
        self.names[label.index()]
    }

    fn category(&mut self, name: &[u8]) -> u64 {
        let (number, is_new) = self.categories.number(name);
        if is_new {
            intern(&mut self.pending, interned::CATEGORIES, number, name);
        }
        number
    }

    /// Writes a stat as an argument of the event being written.
    #[inline]
    fn annotation(
        &mut self,
        at: (u32, u32),
        plane: &Plane<'_>,
        metadata: i64,
        value: StatValue<'_>,
    ) {
        if value == StatValue::None {
            return;
        }
        let name = self.stat_name(at, plane, metadata);
        let text = match value {
            StatValue::Ref(id) => self.stat_text(at, plane, id),
            _ => 0,
        };
        let out = &mut self.buffer;
        let message = open_message(out, event::ANNOTATIONS);
        push_number(out, annotation::NAME_IID, name);
        match value {
            StatValue::Double(value) => push_fixed64(out, annotation::DOUBLE, value.to_bits()),
            StatValue::Uint(value) => push_number(out, annotation::UINT, value),
            StatValue::Int(value) => push_signed(out, annotation::INT, value),
            StatValue::Ref(_) if text > 0 => push_number(out, annotation::TEXT_IID, text),
            StatValue::Ref(id) => {
                let found = plane.stat_metadata.get(id.cast_signed());
                let found = found.map(|found| lossy(found.name)).unwrap_or_default();
                push_bytes(out, annotation::TEXT, found.as_bytes());
            }
            StatValue::Text(text) => {
                push_bytes(out, annotation::TEXT, lossy(text).as_bytes());
            }
            StatValue::Bytes(bytes) | StatValue::CompressedText(bytes) => {
                let text = format!("{} bytes", bytes.len());
                push_bytes(out, annotation::TEXT, text.as_bytes());
            }
            StatValue::None => {}
        }
        close_message(out, message);
    }

    #[inline]
    fn stat_name(&mut self, at: (u32, u32), plane: &Plane<'_>, metadata: i64) -> u64 {
        let numbers = self.stat_names.entry(at).or_default();
        let position = usize::try_from(metadata).unwrap_or(usize::MAX);
        match numbers.get(position) {
            Some(&number) if number > 0 => return number,
            _ => {}
        }
        let name = plane.stat_metadata.get(metadata);
        let name = name.map_or_else(
            || format!("stat {metadata}").into(),
            |found| lossy(found.name),
        );
        let (number, is_new) = self.annotation_names.number(name.as_bytes());
        if is_new {
            intern(
                &mut self.pending,
                interned::ANNOTATION_NAMES,
                number,
                name.as_bytes(),
            );
        }
        remember(numbers, position, number);
        number
    }

    /// The number of a text that stands in the plane's table; 0 where it is written in place.
    #[inline]
    fn stat_text(&mut self, at: (u32, u32), plane: &Plane<'_>, id: u64) -> u64 {
        let numbers = self.stat_texts.entry(at).or_default();
        let position = usize::try_from(id).unwrap_or(usize::MAX);
        match numbers.get(position) {
            Some(&number) if number > 0 => return number,
            _ => {}
        }
        let Some(found) = plane.stat_metadata.get(id.cast_signed()) else {
            return 0;
        };
        if found.name.len() > LONGEST_INTERNED {
            return 0;
        }
        let text = lossy(found.name);
        let (number, is_new) = self.texts.number(text.as_bytes());
        if is_new {
            intern(
                &mut self.pending,
                interned::ANNOTATION_TEXTS,
                number,
                text.as_bytes(),
            );
        }
        remember(numbers, position, number);
        number
    }

    fn counter(
        &mut self,
        parent: u64,
        rank: usize,
        name: &str,
        samples: &Samples,
        windows: &[Span],
    ) -> io::Result<()> {
        let uuid = self.new_track();
        self.written.tracks += 1;
        self.packet(|out| {
            push_message(out, packet::TRACK_DESCRIPTOR, |out| {
                push_number(out, descriptor::UUID, uuid);
                push_number(out, descriptor::PARENT, parent);
                push_bytes(out, descriptor::NAME, name.as_bytes());
                push_number(out, descriptor::RANK, rank as u64);
                push_bytes(out, descriptor::COUNTER, &[]);
            });
        })?;
        for (index, &time) in samples.times.iter().enumerate() {
            if !contains(windows, time) {
                continue;
            }
            self.written.samples += 1;
            let exact = samples
                .exact
                .get(index)
                .and_then(|&value| i64::try_from(value).ok());
            let value = samples.values[index];
            self.packet(|out| {
                push_number(out, packet::TIMESTAMP, nanos(time));
                push_message(out, packet::TRACK_EVENT, |out| {
                    push_number(out, event::TYPE, event::COUNTER);
                    push_number(out, event::TRACK, uuid);
                    match exact {
                        Some(exact) => push_signed(out, event::COUNTER_VALUE, exact),
                        None => {
                            push_fixed64(out, event::DOUBLE_COUNTER_VALUE, value.to_bits());
                        }
                    }
                });
            })?;
        }
        Ok(())
    }
}

fn intern(pending: &mut Vec<u8>, field: u32, number: u64, text: &[u8]) {
    push_message(pending, field, |out| {
        push_number(out, 1, number);
        push_bytes(out, 2, text);
    });
}

fn remember(numbers: &mut Vec<u64>, position: usize, number: u64) {
    if position < DENSE_IDS {
        if numbers.len() <= position {
            numbers.resize(position + 1, 0);
        }
        numbers[position] = number;
    }
}

/// Nanoseconds, rounded down; what lies before the session's beginning begins with it.
fn nanos(picos: i64) -> u64 {
    u64::try_from(Picos(picos).0 / 1000).unwrap_or(0)
}
