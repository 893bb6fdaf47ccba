//! A session's host threads in the file format of speedscope.app: an evented profile for each thread,
//! times in nanoseconds since the session began.
//!
//! Slices of a thread that overlap others only in part stand in a profile of their own, since frames
//! open and close like brackets.

use std::io::{self, Write};

use stepscope_model::Session;

use super::chrome::text;
use super::stacks::{Event, Frame, Frames, events, threads};
use super::{BLOCK, Wanted, Written};

const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

/// Writes the wanted slices of host threads. Nothing of `out` is read or flushed.
///
/// # Errors
///
/// Those of `out`.
pub fn write_speedscope(
    session: &Session,
    wanted: &Wanted,
    out: &mut dyn Write,
) -> io::Result<Written> {
    let frames = Frames::of(session);
    let mut writer = Writer {
        out,
        buffer: Vec::with_capacity(2 * BLOCK),
        written: Written::default(),
        profile_count: 0,
    };
    writer.push(&format!("{{\"$schema\":\"{SCHEMA}\",\"name\":"));
    text(&mut writer.buffer, session.name.as_bytes());
    let version = env!("CARGO_PKG_VERSION");
    writer.push(&format!(
        ",\"exporter\":\"stepscope@{version}\",\"activeProfileIndex\":0,\"shared\":{{\"frames\":["
    ));
    for (position, frame) in frames.all.iter().enumerate() {
        writer.frame(frame, position == 0)?;
    }
    writer.push("\n]},\"profiles\":[");
    for (id, title) in threads(session, wanted) {
        let track = session.track(id);
        let before = writer.profile_count;
        for nest in &track.nests {
            let number = writer.profile_count - before;
            let title = match number {
                0 => title.clone(),
                _ => format!("{title} (overlapping {number})"),
            };
            writer.profile(&title, |visit| events(wanted, &frames, track, nest, visit))?;
        }
        writer.written.tracks += u64::from(writer.profile_count > before);
    }
    writer.push("\n]}\n");
    writer.flush()?;
    Ok(writer.written)
}

struct Writer<'a> {
    out: &'a mut dyn Write,
    buffer: Vec<u8>,
    written: Written,
    profile_count: usize,
}

impl Writer<'_> {
    fn push(&mut self, text: &str) {
        self.buffer.extend_from_slice(text.as_bytes());
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.written.bytes += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    fn frame(&mut self, frame: &Frame, is_first: bool) -> io::Result<()> {
        self.push(if is_first {
            "\n{\"name\":"
        } else {
            ",\n{\"name\":"
        });
        text(&mut self.buffer, frame.name.as_bytes());
        if !frame.file.is_empty() {
            self.push(",\"file\":");
            text(&mut self.buffer, frame.file.as_bytes());
        }
        if let Some(line) = frame.line {
            self.push(&format!(",\"line\":{line}"));
        }
        self.push("}");
        self.flush_when_full()
    }

    fn flush_when_full(&mut self) -> io::Result<()> {
        if self.buffer.len() >= BLOCK {
            return self.flush();
        }
        Ok(())
    }

    /// A profile of the events that `walk` visits; none where there are none.
    fn profile(
        &mut self,
        title: &str,
        walk: impl FnOnce(&mut dyn FnMut(Event) -> io::Result<()>) -> io::Result<()>,
    ) -> io::Result<()> {
        let (mut first, mut last) = (None, 0);
        walk(&mut |event| {
            let (kind, frame, at) = match event {
                Event::Open(frame, at) => ('O', frame, at),
                Event::Close(frame, at) => ('C', frame, at),
            };
            if first.is_none() {
                first = Some(at);
                let separator = if self.profile_count == 0 { "\n" } else { ",\n" };
                self.push(separator);
                self.push("{\"type\":\"evented\",\"unit\":\"nanoseconds\",\"name\":");
                text(&mut self.buffer, title.as_bytes());
                self.push(",\"events\":[\n");
            } else {
                self.push(",\n");
            }
            last = last.max(at);
            self.written.slices += u64::from(kind == 'O');
            let at = nanos(at);
            self.push(&format!(
                "{{\"type\":\"{kind}\",\"frame\":{frame},\"at\":{at}}}"
            ));
            self.flush_when_full()
        })?;
        let Some(first) = first else {
            return Ok(());
        };
        self.profile_count += 1;
        let (start, end) = (nanos(first), nanos(last.max(first)));
        self.push(&format!("\n],\"startValue\":{start},\"endValue\":{end}}}"));
        Ok(())
    }
}

/// Picoseconds as nanoseconds, exactly.
fn nanos(picos: i64) -> String {
    let (sign, picos) = (if picos < 0 { "-" } else { "" }, picos.unsigned_abs());
    match picos % 1000 {
        0 => format!("{sign}{}", picos / 1000),
        rest => format!("{sign}{}.{rest:03}", picos / 1000),
    }
}
