//! A stream of packets: where each begins and ends in a window.

use std::io::{self, Read};

use flate2::read::ZlibDecoder;
use stepscope_wire::{Cursor, WireError};

use super::fields::packet;
use crate::window::{LARGEST_OBJECT, Window};

/// Bytes unfolded at a time: compressed packets are many and often small.
const UNFOLDED_BYTES: usize = 16 << 10;

pub(super) enum Next {
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
pub(super) fn next_packet<R: Read>(window: &mut Window<R>) -> Next {
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
pub(super) fn skip<R: Read>(window: &mut Window<R>, mut count: u64) -> bool {
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

/// The packets in a compressed one, unfolded as they are taken. `charge` hears of what they unfold
/// to and may refuse; what damage leaves is used. Gives how many were too large to be held.
pub(super) fn unfold(
    bytes: &[u8],
    charge: &dyn Fn(u64) -> io::Result<()>,
    mut take: impl FnMut(&[u8]),
) -> u64 {
    let inner = ZlibDecoder::new(bytes);
    let mut window = Window::with_chunk(Charging { inner, charge }, UNFOLDED_BYTES);
    let mut too_large = 0;
    loop {
        match next_packet(&mut window) {
            Next::Packet(from, to) => {
                take(&window.rest()[from..to]);
                window.advance(to);
            }
            Next::Other(to) => window.advance(to),
            Next::TooLarge(length) => {
                too_large += 1;
                if !skip(&mut window, length) {
                    return too_large;
                }
            }
            Next::End | Next::CutOff | Next::Damaged => return too_large,
        }
    }
}

/// Tells what comes of a stream before anybody holds it.
struct Charging<'a, R> {
    inner: R,
    charge: &'a dyn Fn(u64) -> io::Result<()>,
}

impl<R: Read> Read for Charging<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        (self.charge)(count as u64)?;
        Ok(count)
    }
}
