//! Chrome's trace format, in the dialects people have: an object or a bare array, perhaps cut off,
//! with the empty event that JAX ends with, from PyTorch's profiler and from anything else.
//!
//! The text is read through a window and each event is serialized at once, so that memory follows the
//! size of the profile that comes of it, not of the text.

mod build;
mod event;
mod jax;
mod kineto;
mod names;
mod number;
mod open;
mod programs;
mod spans;
mod stats;
mod token;

use std::io::Read;

use crate::window::{LARGEST_OBJECT, Window};
use crate::{HostTrace, Trace, TraceError};
use build::{Builder, Tally};
use event::Raw;
use token::{Cursor, Stop, Token};

/// Reads a trace to its end, or to where it is cut off.
///
/// # Errors
///
/// [`TraceError`] where there is no event to be shown at all.
pub fn read(reader: impl Read) -> Result<Trace, TraceError> {
    let mut reading = Reading {
        window: Window::new(reader),
        builder: Builder::new(),
        raw: Raw::default(),
        devices: Vec::new(),
        problem: None,
    };
    reading.document()?;
    reading.finish()
}

/// A trace being read.
struct Reading<R> {
    window: Window<R>,
    builder: Builder,
    raw: Raw,
    /// What the trace says of its devices.
    devices: Vec<u8>,
    problem: Option<String>,
}

impl<R: Read> Reading<R> {
    fn document(&mut self) -> Result<(), TraceError> {
        if self.window.rest().is_empty() {
            self.window.more();
        }
        if self.window.rest().starts_with(b"\xef\xbb\xbf") {
            self.window.advance(3);
        }
        match self.window.peek() {
            Some(b'[') => {
                self.window.advance(1);
                // A bare array may end anywhere: that is how programs that crash leave it.
                if !self.events() && self.is_within_event() {
                    self.cut_off();
                }
                Ok(())
            }
            Some(b'{') => {
                self.window.advance(1);
                self.members();
                Ok(())
            }
            Some(_) => Err(TraceError::NotATrace {
                found: "it is no JSON",
            }),
            None => Err(TraceError::NotATrace {
                found: "it is empty",
            }),
        }
    }

    /// The members of the object around the events.
    fn members(&mut self) {
        loop {
            match self.window.peek() {
                Some(b',') => self.window.advance(1),
                Some(b'"') => {
                    if !self.member() {
                        return;
                    }
                }
                Some(b'}') => return,
                Some(_) => {
                    self.damaged();
                    return;
                }
                None => {
                    self.cut_off();
                    return;
                }
            }
        }
    }

    /// One member. False where nothing can follow it.
    fn member(&mut self) -> bool {
        let Some((key, taken)) = self.whole(|bytes| {
            let mut cursor = Cursor::new(bytes);
            let key = cursor.text()?;
            cursor.expect(b':')?;
            cursor.peek()?;
            Ok((key.text(bytes).into_owned(), cursor.at))
        }) else {
            self.cut_off();
            return false;
        };
        self.window.advance(taken);
        let is_whole = match key.as_slice() {
            b"traceEvents" if self.window.peek() == Some(b'[') => {
                self.window.advance(1);
                self.events()
            }
            b"systemTraceEvents" | b"stackFrames" | b"samples" | b"traceEvents" => self.pass_over(),
            _ => self.fact(&key),
        };
        if !is_whole {
            self.cut_off();
        }
        is_whole
    }

    /// A member beside the events: a fact about the trace.
    fn fact(&mut self, key: &[u8]) -> bool {
        let Some((value, taken)) = self.whole(|bytes| {
            let mut cursor = Cursor::new(bytes);
            let value = cursor.value()?;
            // A number at the end of the bytes may go on.
            Ok((owned(bytes, value), cursor.at))
        }) else {
            return self.pass_over();
        };
        self.window.advance(taken);
        let name = String::from_utf8_lossy(key).into_owned();
        let text = || String::from_utf8_lossy(&value.text).into_owned();
        match key {
            b"baseTimeNanoseconds" => {
                self.builder.base_ns = text().parse().ok();
            }
            b"deviceProperties" => self.devices = value.text,
            b"distributedInfo" | b"otherData" | b"metadata" => {
                for (member, value) in kineto::members(&value.text) {
                    self.builder.add_fact(&format!("{name} {member}"), value);
                }
            }
            b"displayTimeUnit" | b"schemaVersion" => {}
            _ if !value.is_nested => self.builder.add_fact(&name, text()),
            _ => {}
        }
        true
    }

    /// The events of an array whose bracket is behind. False where the text ends before the array.
    fn events(&mut self) -> bool {
        loop {
            match self.window.peek() {
                Some(b'{') => {
                    if !self.event() {
                        return false;
                    }
                }
                Some(b',') => self.window.advance(1),
                Some(b']') => {
                    self.window.advance(1);
                    return true;
                }
                Some(_) => {
                    self.builder.tally.damaged += 1;
                    self.resume();
                }
                None => return false,
            }
        }
    }

    /// One event. False where the text ends within it.
    #[inline]
    fn event(&mut self) -> bool {
        loop {
            match self.raw.read(self.window.rest()) {
                Ok(taken) => {
                    self.builder.take(self.window.rest(), &self.raw);
                    self.window.advance(taken);
                    return true;
                }
                Err(Stop::More) if self.window.more() => {}
                Err(Stop::More) if self.window.rest().len() > LARGEST_OBJECT => {
                    self.builder.tally.too_large += 1;
                    return self.pass_over();
                }
                Err(Stop::More) => return false,
                Err(Stop::Bad) => {
                    self.builder.tally.damaged += 1;
                    self.window.advance(1);
                    self.resume();
                    return true;
                }
            }
        }
    }

    /// Goes on at the next place that could begin an event.
    fn resume(&mut self) {
        loop {
            let rest = self.window.rest();
            if let Some(at) = rest.iter().position(|&byte| byte == b'{') {
                self.window.advance(at);
                return;
            }
            let all = rest.len();
            self.window.advance(all);
            if !self.window.more() {
                return;
            }
        }
    }

    /// Something that lies whole in the window, which grows for it. None at the end of the text.
    fn whole<T>(&mut self, read: impl Fn(&[u8]) -> Result<T, Stop>) -> Option<T> {
        loop {
            match read(self.window.rest()) {
                Ok(found) => return Some(found),
                Err(Stop::More) if self.window.more() => {}
                Err(_) => return None,
            }
        }
    }

    /// Passes over one value of any size. False where the text ends within it.
    fn pass_over(&mut self) -> bool {
        let (mut depth, mut is_text, mut is_escaped) = (0_usize, false, false);
        loop {
            let mut taken = 0;
            let mut is_over = false;
            for &byte in self.window.rest() {
                let ends_scalar = depth == 0 && !is_text && matches!(byte, b',' | b'}' | b']');
                if ends_scalar {
                    is_over = true;
                    break;
                }
                taken += 1;
                match byte {
                    _ if is_escaped => is_escaped = false,
                    b'\\' if is_text => is_escaped = true,
                    b'"' => is_text = !is_text,
                    b'{' | b'[' if !is_text => depth += 1,
                    b'}' | b']' if !is_text => depth -= 1,
                    _ => {}
                }
                if depth == 0 && matches!(byte, b'}' | b']') && !is_text {
                    is_over = true;
                    break;
                }
            }
            self.window.advance(taken);
            if is_over {
                return true;
            }
            if !self.window.more() {
                return false;
            }
        }
    }

    /// The text ended within an event.
    fn is_within_event(&self) -> bool {
        !self.window.rest().is_empty() || self.window.failure.is_some()
    }

    fn cut_off(&mut self) {
        let position = self.window.position() + self.window.rest().len() as u64;
        let reason = self
            .window
            .failure
            .as_ref()
            .map(|error| format!(" ({error})"));
        self.problem = Some(format!(
            "the JSON ends before its end, after {position} bytes{}; what came before is shown",
            reason.unwrap_or_default()
        ));
    }

    fn damaged(&mut self) {
        self.problem = Some(format!(
            "the JSON is damaged at byte {}; what came before is shown",
            self.window.position()
        ));
    }

    fn finish(mut self) -> Result<Trace, TraceError> {
        let mut builder = self.builder;
        builder.close_all();
        if builder.events == 0 {
            return Err(TraceError::NotATrace {
                found: match self.problem {
                    Some(_) => "its JSON is cut off or damaged before the first event of a trace",
                    None => "it is JSON without any event of a trace",
                },
            });
        }
        builder.name_all();
        builder.join_programs();
        if builder.is_kineto {
            builder.add_fact("profiler", "Kineto".to_owned());
        }
        builder.describe_devices(&std::mem::take(&mut self.devices));
        let epoch = builder.epoch_ns();
        let remarks = remarks(&builder);
        let hosts: Vec<_> = std::mem::take(&mut builder.hosts);
        let first = hosts
            .iter()
            .filter_map(|(_, draft)| draft.first_start())
            .min();
        let zero = zero_ps(first.unwrap_or(0), builder.is_jax);
        let hosts = hosts
            .into_iter()
            .enumerate()
            .map(|(index, (name, mut draft))| {
                draft.epoch_ns = epoch;
                if index == 0 {
                    draft.remarks.clone_from(&remarks);
                }
                HostTrace {
                    name,
                    bytes: draft.into_bytes(zero),
                }
            });
        Ok(Trace {
            hosts: hosts.collect(),
            problem: self.problem,
        })
    }
}

/// Where the session's time begins: traces of JAX count from the start of the profile, others from
/// anywhere, and theirs begin with their first event.
fn zero_ps(first: i64, is_jax: bool) -> i64 {
    if is_jax && first >= 0 {
        0
    } else {
        first - first.rem_euclid(1_000_000)
    }
}

/// A value taken out of the window.
struct OwnedValue {
    text: Vec<u8>,
    is_nested: bool,
}

fn owned(bytes: &[u8], value: Token) -> OwnedValue {
    let text = match value {
        Token::Text(part) => part.text(bytes).into_owned(),
        Token::Number(part) | Token::Nested(part) => part.of(bytes).to_vec(),
        Token::Bool(value) => value.to_string().into_bytes(),
        Token::Null => Vec::new(),
    };
    OwnedValue {
        text,
        is_nested: matches!(value, Token::Nested(_)),
    }
}

/// What the conversion left out or assumed, in sentences.
fn remarks(builder: &Builder) -> Vec<String> {
    let mut remarks = Vec::new();
    if builder.hosts.iter().any(|(name, _)| name.is_some()) {
        remarks.push(
            "This trace was exported from a session: programs and costs of ops stayed in the \
             capture that it was made of"
                .to_owned(),
        );
    } else if builder.is_jax {
        remarks.push(
            "This is a trace viewer's copy of a capture: the HLO of programs, details of kernels, and \
             when asynchronous ops of CPUs were done (here they end with their calls) are only in the \
             *.xplane.pb"
                .to_owned(),
        );
        if builder.events.abs_diff(jax::MOST_EVENTS) <= 1 {
            remarks.push(format!(
                "JAX exports at most {} events to a trace viewer, and this trace has as many: \
                 later or shorter ones may be missing",
                jax::MOST_EVENTS
            ));
        }
    } else if builder.is_kineto {
        remarks.push(
            "This trace was written by PyTorch's profiler: it holds no compiled programs, so \
             figures that need them are not there"
                .to_owned(),
        );
    } else {
        remarks.push(
            "This trace is not one of JAX: it holds neither programs nor steps that Stepscope \
             knows, so only the timeline and figures of slices apply"
                .to_owned(),
        );
    }
    remarks.extend(tally_remarks(&builder.tally));
    remarks
}

fn tally_remarks(tally: &Tally) -> Vec<String> {
    let mut remarks = Vec::new();
    let mut add = |count: u64, what: &str| {
        if count > 0 {
            remarks.push(format!("{count} {what}"));
        }
    };
    add(
        tally.damaged,
        "places in the JSON are not events and were skipped",
    );
    add(
        tally.too_large,
        "events are larger than 64 MiB and were skipped",
    );
    add(tally.without_time, "events have no time and are not shown");
    add(
        tally.far_away,
        "events lie more than 13 days from the first and are not shown",
    );
    add(
        tally.negative,
        "events end before they begin; they are shown as instants",
    );
    add(
        tally.unreadable_durations,
        "events have a duration that cannot be read; they are shown as instants",
    );
    add(
        tally.unmatched_ends,
        "ends of events have no beginning and are not shown",
    );
    add(
        tally.unclosed,
        "events have no end; they are drawn to the end of the trace",
    );
    let others: u64 = tally.other_phases.values().sum();
    if others > 0 {
        let kinds: Vec<String> = tally
            .other_phases
            .iter()
            .map(|(phase, count)| format!("{phase} ({count})"))
            .collect();
        remarks.push(format!(
            "{others} events are of kinds that are not shown: {}",
            kinds.join(", ")
        ));
    }
    remarks
}
