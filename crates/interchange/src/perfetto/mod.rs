//! Perfetto's protobuf: track events with their tracks, interned names, clocks and arrows. Other
//! packets are counted and named.
//!
//! Packets are read one by one through a window. Field numbers are those of Perfetto's public
//! `perfetto_trace.proto`; the writer shares them (`fields`).

mod annotations;
mod clocks;
pub(crate) mod fields;
mod packets;
mod sequence;
mod tracks;

use std::io::Read;

use stepscope_wire::{Cursor, WireError};

use fields::packet;
use packets::Packets;
pub(crate) use tracks::{HOST_LABEL, LINE_NUMBER};

use crate::window::{LARGEST_OBJECT, Window};
use crate::{HostTrace, Trace, TraceError};

/// Reads a trace to its end, or to where it is cut off.
///
/// # Errors
///
/// [`TraceError`] where there is no track event at all.
pub fn read(reader: impl Read) -> Result<Trace, TraceError> {
    let mut window = Window::new(reader);
    let mut packets = Packets::default();
    let mut problem = None;
    loop {
        match next_packet(&mut window) {
            Next::Packet(from, to) => {
                packets.take(&window.rest()[from..to]);
                window.advance(to);
            }
            Next::Other(to) => window.advance(to),
            Next::TooLarge(length) => {
                packets.too_large += 1;
                if !skip(&mut window, length) {
                    problem = Some(cut_off(&window));
                    break;
                }
            }
            Next::End => break,
            Next::CutOff => {
                problem = Some(cut_off(&window));
                break;
            }
            Next::Damaged => {
                problem = Some(format!(
                    "the bytes from {} on are not packets; what came before is shown",
                    window.position()
                ));
                break;
            }
        }
    }
    let mut hosts = packets.finish()?;
    let (zero, epoch) = (hosts.zero_ps, hosts.epoch_ns);
    let hosts = hosts.drafts.drain(..).map(|(name, mut draft)| {
        draft.epoch_ns = epoch;
        HostTrace {
            name,
            bytes: draft.into_bytes(zero),
        }
    });
    Ok(Trace {
        hosts: hosts.collect(),
        problem,
    })
}

enum Next {
    /// A packet's body within the window.
    Packet(usize, usize),
    /// Something else, which ends here.
    Other(usize),
    /// A packet that is not held in memory, with its header.
    TooLarge(u64),
    End,
    CutOff,
    Damaged,
}

/// What comes next in the window, which is filled for it.
fn next_packet<R: Read>(window: &mut Window<R>) -> Next {
    loop {
        let rest = window.rest();
        match head(rest) {
            Ok((tag, value, from)) => {
                let length = match tag & 7 {
                    2 => value,
                    0 => 0,
                    _ => return Next::Damaged,
                };
                if tag >> 3 == 0 {
                    return Next::Damaged;
                }
                if length > LARGEST_OBJECT as u64 {
                    return Next::TooLarge(length.saturating_add(from as u64));
                }
                let to = from + usize::try_from(length).unwrap_or(0);
                if to <= rest.len() {
                    return if tag == u64::from(packet::TAG) {
                        Next::Packet(from, to)
                    } else {
                        Next::Other(to)
                    };
                }
            }
            Err(WireError::Malformed) => return Next::Damaged,
            Err(WireError::Truncated) => {}
        }
        if !window.more() {
            return if window.rest().is_empty() && window.failure.is_none() {
                Next::End
            } else {
                Next::CutOff
            };
        }
    }
}

/// A tag, the number behind it, and how many bytes they take.
fn head(bytes: &[u8]) -> Result<(u64, u64, usize), WireError> {
    let mut cursor = Cursor::new(bytes);
    let (tag, value) = (cursor.varint()?, cursor.varint()?);
    Ok((tag, value, cursor.position()))
}

/// Passes over so many bytes. False where there are fewer.
fn skip<R: Read>(window: &mut Window<R>, mut count: u64) -> bool {
    loop {
        let here = u64::min(count, window.rest().len() as u64);
        window.advance(usize::try_from(here).unwrap_or(0));
        count -= here;
        if count == 0 {
            return true;
        }
        if !window.more() && window.rest().is_empty() {
            return false;
        }
    }
}

fn cut_off<R: Read>(window: &Window<R>) -> String {
    let position = window.position() + window.rest().len() as u64;
    let reason = window.failure.as_ref().map(|error| format!(" ({error})"));
    format!(
        "the trace ends within a packet, after {position} bytes{}; what came before is shown",
        reason.unwrap_or_default()
    )
}
