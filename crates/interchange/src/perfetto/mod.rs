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
mod stream;
mod tracks;

use std::io::{self, Read};

use packets::Packets;
use stream::{Next, next_packet, skip};
pub(crate) use tracks::{HOST_LABEL, LINE_NUMBER};

use crate::window::Window;
use crate::{HostTrace, Trace, TraceError};

/// Reads a trace to its end, or to where it is cut off.
///
/// # Errors
///
/// [`TraceError`] where there is no track event at all.
pub fn read(reader: impl Read) -> Result<Trace, TraceError> {
    read_charged(reader, &|_| Ok(()))
}

/// [`read`], where `charge` hears of every byte that the trace becomes beyond those of `reader`,
/// before it is held: what compressed packets unfold to, and long texts that events repeat by their
/// number. Once it refuses, reading ends.
///
/// # Errors
///
/// [`TraceError`] where there is no track event at all.
pub fn read_charged(
    reader: impl Read,
    charge: &dyn Fn(u64) -> io::Result<()>,
) -> Result<Trace, TraceError> {
    let mut window = Window::new(reader);
    let mut packets = Packets::new(charge);
    let mut problem = None;
    while !packets.is_refused {
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

fn cut_off<R: Read>(window: &Window<R>) -> String {
    let position = window.position() + window.rest().len() as u64;
    let reason = window.failure.as_ref().map(|error| format!(" ({error})"));
    format!(
        "the trace ends within a packet, after {position} bytes{}; what came before is shown",
        reason.unwrap_or_default()
    )
}
