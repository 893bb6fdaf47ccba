//! A session as Chrome's JSON: one event to a line, times exact to the picosecond.

use std::io::{self, Write};

use stepscope_model::walk::{Moment, walk};
use stepscope_model::{Class, LabelId, Session, SliceId, TrackId};
use stepscope_xplane::{Plane, StatValue, lossy};

use super::arrows::{Arrows, OfTrack};
use super::layout::{Group, groups, spaces};
use super::source::{EventSource, stats};
use super::steps::step_rows;
use super::{BLOCK, Wanted, Written, contains};
use crate::draft::DERIVED;

/// Rows of steps have this thread number, and rows of threads count on from the next.
const STEPS_THREAD: u64 = 1;

/// Writes the wanted part of a session. Nothing of `out` is read or flushed.
///
/// # Errors
///
/// Those of `out`.
pub fn write_chrome(
    session: &Session,
    wanted: &Wanted,
    out: &mut dyn Write,
) -> io::Result<Written> {
    let spaces = spaces(session);
    let arrows = Arrows::of(session, wanted);
    let groups = groups(session, &spaces, wanted);
    let rows = step_rows(session, wanted);
    let mut writer = Writer {
        session,
        wanted,
        out,
        buffer: Vec::with_capacity(2 * BLOCK),
        names: vec![None; session.labels.len()],
        written: Written::default(),
        is_first: true,
    };
    writer.written.flows = arrows.count();
    writer
        .buffer
        .extend_from_slice(b"{\"displayTimeUnit\":\"ns\",");
    if let Some(epoch) = session.epoch_ns {
        writer
            .buffer
            .extend_from_slice(format!("\"baseTimeNanoseconds\":{epoch},").as_bytes());
    }
    writer.buffer.extend_from_slice(b"\"traceEvents\":[");
    for (index, group) in groups.iter().enumerate() {
        let process = index as u64 + 1;
        writer.process(process, group)?;
        for row in rows
            .iter()
            .filter(|row| (row.host, row.device) == (group.host, group.device))
        {
            writer.steps(process, &row.steps)?;
        }
        let mut thread = STEPS_THREAD;
        for &id in &group.tracks {
            let track = session.track(id);
            let mut source = EventSource::new(&spaces[track.host.index()], track);
            writer.track(process, &mut thread, id, &mut source, &arrows.of_track(id))?;
        }
    }
    writer.buffer.extend_from_slice(b"\n]}\n");
    writer.flush()?;
    Ok(writer.written)
}

struct Writer<'a> {
    session: &'a Session,
    wanted: &'a Wanted,
    out: &'a mut dyn Write,
    buffer: Vec<u8>,
    /// Names of labels as JSON.
    names: Vec<Option<Box<[u8]>>>,
    written: Written,
    is_first: bool,
}

impl Writer<'_> {
    /// Begins the line of an event.
    #[inline]
    fn next(&mut self) -> io::Result<()> {
        if self.buffer.len() >= BLOCK {
            self.flush()?;
        }
        let separator: &[u8] = if self.is_first { b"\n" } else { b",\n" };
        self.buffer.extend_from_slice(separator);
        self.is_first = false;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.written.bytes += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    fn metadata(&mut self, what: &str, place: (u64, u64), arguments: &[u8]) -> io::Result<()> {
        self.next()?;
        let (process, thread) = place;
        let head = format!(
            "{{\"ph\":\"M\",\"name\":\"{what}\",\"pid\":{process},\"tid\":{thread},\"args\":{{"
        );
        self.buffer.extend_from_slice(head.as_bytes());
        self.buffer.extend_from_slice(arguments);
        self.buffer.extend_from_slice(b"}}");
        Ok(())
    }

    fn process(&mut self, process: u64, group: &Group) -> io::Result<()> {
        let mut arguments = b"\"name\":".to_vec();
        text(&mut arguments, group.name.as_bytes());
        arguments.extend_from_slice(b",\"host\":");
        text(
            &mut arguments,
            self.session.host(group.host).name.as_bytes(),
        );
        self.metadata("process_name", (process, 0), &arguments)?;
        if self.session.hosts.len() > 1 {
            let mut labels = b"\"labels\":".to_vec();
            text(&mut labels, self.session.host(group.host).name.as_bytes());
            self.metadata("process_labels", (process, 0), &labels)?;
        }
        let rank = format!("\"sort_index\":{process}");
        self.metadata("process_sort_index", (process, 0), rank.as_bytes())
    }

    fn thread(&mut self, place: (u64, u64), name: &str, line: Option<i64>) -> io::Result<()> {
        self.written.tracks += 1;
        let mut arguments = b"\"name\":".to_vec();
        text(&mut arguments, name.as_bytes());
        if let Some(line) = line {
            arguments.extend_from_slice(format!(",\"line\":{line}").as_bytes());
        }
        self.metadata("thread_name", place, &arguments)?;
        let rank = format!("\"sort_index\":{}", place.1);
        self.metadata("thread_sort_index", place, rank.as_bytes())
    }

    fn steps(&mut self, process: u64, steps: &[(i64, stepscope_model::Span)]) -> io::Result<()> {
        let place = (process, STEPS_THREAD);
        self.thread(place, "Steps", None)?;
        for (number, span) in steps {
            let name = format!("\"step {number}\"");
            let duration = span.end.0 - span.start.0;
            self.written.slices += 1;
            self.begin(
                place,
                name.as_bytes(),
                DERIVED,
                span.start.0,
                Some(duration),
            )?;
            self.buffer.push(b'}');
        }
        Ok(())
    }

    /// The members that all events have; the closing brace is left to the caller.
    #[inline]
    fn begin(
        &mut self,
        place: (u64, u64),
        name: &[u8],
        category: &[u8],
        start: i64,
        duration: Option<i64>,
    ) -> io::Result<()> {
        self.next()?;
        let out = &mut self.buffer;
        out.extend_from_slice(if duration.is_some() {
            b"{\"ph\":\"X\",\"pid\":"
        } else {
            b"{\"ph\":\"C\",\"pid\":"
        });
        whole(out, place.0);
        out.extend_from_slice(b",\"tid\":");
        whole(out, place.1);
        out.extend_from_slice(b",\"ts\":");
        micros(out, start);
        if let Some(duration) = duration {
            out.extend_from_slice(b",\"dur\":");
            micros(out, duration);
        }
        out.extend_from_slice(b",\"name\":");
        out.extend_from_slice(name);
        if !category.is_empty() {
            out.extend_from_slice(b",\"cat\":\"");
            out.extend_from_slice(category);
            out.push(b'"');
        }
        Ok(())
    }

    fn track(
        &mut self,
        process: u64,
        thread: &mut u64,
        id: TrackId,
        source: &mut EventSource<'_, '_>,
        arrows: &OfTrack<'_>,
    ) -> io::Result<()> {
        let session = self.session;
        let track = session.track(id);
        let name = session.text(track.name);
        let wanted = self.wanted;
        let windows = wanted.windows(track).unwrap_or_default();
        if let Some(samples) = &track.samples {
            self.written.tracks += 1;
            let mut quoted = Vec::new();
            text(&mut quoted, name.as_bytes());
            for (index, &time) in samples.times.iter().enumerate() {
                if contains(windows, time) {
                    self.written.samples += 1;
                    self.begin((process, 0), &quoted, b"", time, None)?;
                    self.buffer.extend_from_slice(b",\"args\":{\"value\":");
                    match samples.exact.get(index) {
                        Some(&value) => whole(&mut self.buffer, value),
                        None => double(&mut self.buffer, samples.values[index]),
                    }
                    self.buffer.extend_from_slice(b"}}");
                }
            }
        }
        let is_derived = track.origin.lines.is_empty();
        for nest in &track.nests {
            let mut row = None;
            walk(
                track,
                nest,
                |lane, index| {
                    let lane = &track.lanes[lane as usize];
                    wanted.has_label(lane.labels()[index])
                        && contains(windows, lane.starts()[index])
                },
                |moment| {
                    let Moment::Begin(lane, index) = moment else {
                        return Ok(());
                    };
                    let place = if let Some(place) = row {
                        place
                    } else {
                        *thread += 1;
                        let place = *row.insert((process, *thread));
                        self.thread(place, name, Some(track.line_id))?;
                        place
                    };
                    let slice = SliceId {
                        track: id,
                        lane,
                        index: u32::try_from(index).unwrap_or(u32::MAX),
                    };
                    self.slice(place, slice, source, is_derived)?;
                    self.arrows(place, slice, arrows)
                },
            )?;
        }
        Ok(())
    }

    #[inline]
    fn slice(
        &mut self,
        place: (u64, u64),
        slice: SliceId,
        source: &mut EventSource<'_, '_>,
        is_derived: bool,
    ) -> io::Result<()> {
        self.written.slices += 1;
        let session = self.session;
        let track = session.track(slice.track);
        let lane = &track.lanes[slice.lane as usize];
        let index = slice.index as usize;
        let label = lane.labels()[index];
        let class: Class = session.label(label).class;
        let category = if is_derived {
            DERIVED
        } else {
            class.name().as_bytes()
        };
        let name = self.name(label);
        let started = self.begin(
            place,
            &name,
            category,
            lane.starts()[index],
            Some(lane.durations()[index]),
        );
        self.names[label.index()] = Some(name);
        started?;
        let mut is_first = true;
        if let Some((_, plane, event)) = source.get(lane.events()[index]) {
            for stat in stats(session, track, plane, &event) {
                self.argument(plane, stat.metadata_id, stat.value(), &mut is_first);
            }
            let metadata = plane.event_metadata.get(event.metadata_id);
            for stat in metadata
                .into_iter()
                .flat_map(stepscope_xplane::EventMetadata::stats)
            {
                let is_own = event.stats().any(|own| own.metadata_id == stat.metadata_id);
                if !is_own {
                    self.argument(plane, stat.metadata_id, stat.value(), &mut is_first);
                }
            }
        }
        self.buffer
            .extend_from_slice(if is_first { b"}" } else { b"}}" });
        Ok(())
    }

    /// A label's name as JSON, taken out of its place.
    fn name(&mut self, label: LabelId) -> Box<[u8]> {
        self.names[label.index()].take().unwrap_or_else(|| {
            let mut quoted = Vec::new();
            text(&mut quoted, self.session.label_name(label).as_bytes());
            quoted.into()
        })
    }

    fn argument(
        &mut self,
        plane: &Plane<'_>,
        metadata: i64,
        value: StatValue<'_>,
        is_first: &mut bool,
    ) {
        if value == StatValue::None {
            return;
        }
        let out = &mut self.buffer;
        out.extend_from_slice(if *is_first { b",\"args\":{" } else { b"," });
        *is_first = false;
        match plane.stat_metadata.get(metadata) {
            Some(found) => text(out, found.name),
            None => text(out, format!("stat {metadata}").as_bytes()),
        }
        out.push(b':');
        match value {
            StatValue::Double(value) => double(out, value),
            StatValue::Uint(value) => whole(out, value),
            StatValue::Int(value) => out.extend_from_slice(value.to_string().as_bytes()),
            StatValue::Text(value) => text(out, value),
            StatValue::Ref(id) => {
                let found = plane.stat_metadata.get(id.cast_signed());
                text(out, found.map_or(&[][..], |found| found.name));
            }
            StatValue::Bytes(bytes) | StatValue::CompressedText(bytes) => {
                text(out, format!("{} bytes", bytes.len()).as_bytes());
            }
            StatValue::None => {}
        }
    }

    fn arrows(
        &mut self,
        place: (u64, u64),
        slice: SliceId,
        arrows: &OfTrack<'_>,
    ) -> io::Result<()> {
        let lane = &self.session.track(slice.track).lanes[slice.lane as usize];
        let start = lane.starts()[slice.index as usize];
        let leaving = arrows.leaving(slice).map(|number| (number, "s"));
        let arriving = arrows
            .arriving(slice)
            .map(|number| (number, "f\",\"bp\":\"e"));
        for (number, phase) in leaving.chain(arriving) {
            self.next()?;
            let out = &mut self.buffer;
            let (process, thread) = place;
            let head = format!(
                "{{\"ph\":\"{phase}\",\"id\":{number},\"name\":\"flow\",\"cat\":\"flow\",\
                 \"pid\":{process},\"tid\":{thread},\"ts\":"
            );
            out.extend_from_slice(head.as_bytes());
            micros(out, start);
            out.push(b'}');
        }
        Ok(())
    }
}

/// A text in quotes. What is no UTF-8 is replaced.
pub(super) fn text(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    let shown = lossy(text);
    let mut rest = shown.as_bytes();
    while let Some(at) = rest
        .iter()
        .position(|&byte| byte < 0x20 || matches!(byte, b'"' | b'\\'))
    {
        out.extend_from_slice(&rest[..at]);
        match rest[at] {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\t' => out.extend_from_slice(b"\\t"),
            control => out.extend_from_slice(format!("\\u{control:04x}").as_bytes()),
        }
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

/// A number with decimals; what is no number is null.
fn double(out: &mut Vec<u8>, value: f64) {
    if value.is_finite() {
        out.extend_from_slice(value.to_string().as_bytes());
    } else {
        out.extend_from_slice(b"null");
    }
}

#[inline]
fn whole(out: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0_u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10).to_le_bytes()[0];
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Picoseconds as microseconds with up to six decimals.
#[inline]
fn micros(out: &mut Vec<u8>, picos: i64) {
    if picos < 0 {
        out.push(b'-');
    }
    let picos = picos.unsigned_abs();
    whole(out, picos / 1_000_000);
    let mut rest = picos % 1_000_000;
    if rest > 0 {
        out.push(b'.');
        let mut scale = 100_000;
        while rest > 0 {
            out.push(b'0' + (rest / scale).to_le_bytes()[0]);
            rest %= scale;
            scale /= 10;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_their_picoseconds() {
        for (picos, expected) in [
            (0, "0"),
            (1, "0.000001"),
            (1_500_000, "1.5"),
            (-2_000_001, "-2.000001"),
            (123_456_789_012, "123456.789012"),
        ] {
            let mut out = Vec::new();
            micros(&mut out, picos);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }

    #[test]
    fn texts_are_json_whatever_they_hold() {
        for bytes in ["a\"b\\c\n\u{1}é".as_bytes(), b"\xff\xfe"] {
            let mut out = Vec::new();
            text(&mut out, bytes);
            let back: String = serde_json::from_slice(&out).unwrap();
            assert_eq!(back, lossy(bytes));
        }
    }
}
