//! The state machine of a transposed chunk. It writes records from the last byte to the first, so
//! that the length of a message is known when it is to be written before it.

use crate::lost::Cause;
use crate::varint::{Cursor, Varint};

/// What a state does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Action {
    Nothing,
    /// A record that is no message; its size stands in the last buffer.
    Bytes(usize),
    StartOfMessage,
    StartOfSubmessage,
    EndOfSubmessage,
    /// A field that the tag says all about: a small varint, or a border of a group.
    Tag,
    /// From this buffer, of so many bytes; the bits that say whether more follow are left out there.
    Varint(usize, u8),
    /// From this buffer, so many bytes.
    Fixed(usize, usize),
    /// From this buffer, with its length.
    Text(usize),
}

/// A tag as it is written, perhaps with a value of one byte behind it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tag {
    bytes: [u8; 6],
    length: u8,
}

impl Tag {
    pub(crate) fn of(tag: u32) -> Self {
        let (mut bytes, mut length) = ([0; 6], 0);
        for &byte in Varint::of(u64::from(tag)).as_bytes() {
            bytes[usize::from(length)] = byte;
            length += 1;
        }
        Self { bytes, length }
    }

    pub(crate) fn with(mut self, value: u8) -> Self {
        self.bytes[usize::from(self.length)] = value;
        self.length += 1;
        self
    }

    fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

/// A state.
pub(crate) struct State {
    pub(crate) action: Action,
    pub(crate) tag: Tag,
    /// The state that follows, or the first of those that a transition chooses from.
    pub(crate) next: usize,
    /// Whether the next state follows without a transition.
    pub(crate) is_implicit: bool,
}

/// A machine about to run.
pub(crate) struct Machine<'a> {
    pub(crate) states: &'a [State],
    pub(crate) buffers: Vec<Cursor<'a>>,
    pub(crate) transitions: Cursor<'a>,
    pub(crate) records: usize,
}

impl Machine<'_> {
    /// Fills `into` with all records.
    pub(crate) fn run(mut self, first: usize, into: &mut [u8]) -> Result<(), Cause> {
        let mut writing = Writing {
            room: into,
            open: Vec::new(),
            records_left: self.records,
        };
        // Each step writes something, begins a record or a message, or is one of the few on the way
        // to a state that is far off. What takes many more goes in circles.
        let things = writing.room.len().saturating_add(self.records);
        let mut steps_left = things.saturating_mul(16).saturating_add(1 << 16);
        let mut current = first;
        let mut repeats = u8::from(self.state(first)?.is_implicit);
        loop {
            steps_left = steps_left.checked_sub(1).ok_or(Cause::Malformed)?;
            self.act(current, &mut writing)?;
            current = self.state(current)?.next;
            if repeats > 0 {
                repeats -= u8::from(!self.state(current)?.is_implicit);
                continue;
            }
            if self.transitions.0.is_empty() {
                break;
            }
            let transition = self.transitions.byte()?;
            current += usize::from(transition >> 2);
            repeats = (transition & 3) + u8::from(self.state(current)?.is_implicit);
        }
        writing.finish()
    }

    fn state(&self, index: usize) -> Result<&State, Cause> {
        self.states.get(index).ok_or(Cause::Malformed)
    }

    fn act(&mut self, current: usize, writing: &mut Writing<'_>) -> Result<(), Cause> {
        let State { action, tag, .. } = self.states.get(current).ok_or(Cause::Malformed)?;
        let tag = tag.as_bytes();
        match *action {
            Action::Nothing => Ok(()),
            Action::Tag => writing.put(tag),
            Action::Varint(buffer, length) => {
                let (last, rest) = self.buffers[buffer]
                    .take(usize::from(length))?
                    .split_last()
                    .ok_or(Cause::Malformed)?;
                writing.put(&[*last])?;
                for byte in rest.iter().rev() {
                    writing.put(&[byte | 0x80])?;
                }
                writing.put(tag)
            }
            Action::Fixed(buffer, length) => {
                writing.put(self.buffers[buffer].take(length)?)?;
                writing.put(tag)
            }
            Action::Text(buffer) => {
                let cursor = &mut self.buffers[buffer];
                let whole = cursor.0;
                let length = cursor.size()?;
                cursor.take(length)?;
                writing.put(&whole[..whole.len() - cursor.0.len()])?;
                writing.put(tag)
            }
            Action::EndOfSubmessage => writing.end_message(current),
            Action::StartOfSubmessage => {
                let (state, length) = writing.begin_message()?;
                writing.put(Varint::of(length as u64).as_bytes())?;
                writing.put(self.state(state)?.tag.as_bytes())
            }
            Action::StartOfMessage => writing.begin_record(),
            Action::Bytes(buffer) => {
                let sizes = self.buffers.last_mut().ok_or(Cause::Malformed)?;
                let size = sizes.size()?;
                writing.put(self.buffers[buffer].take(size)?)?;
                writing.begin_record()
            }
        }
    }
}

/// Records being written from their end.
struct Writing<'a> {
    /// What is still to be filled.
    room: &'a mut [u8],
    /// Messages whose beginning is not yet written: the state of their end, and the room then.
    open: Vec<(usize, usize)>,
    records_left: usize,
}

impl Writing<'_> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) -> Result<(), Cause> {
        let left = self.room.len().checked_sub(bytes.len());
        let left = left.ok_or(Cause::Malformed)?;
        let (rest, end) = std::mem::take(&mut self.room).split_at_mut(left);
        end.copy_from_slice(bytes);
        self.room = rest;
        Ok(())
    }

    fn end_message(&mut self, state: usize) -> Result<(), Cause> {
        // Each will need a tag and a length.
        if self.open.len() * 2 >= self.room.len() {
            return Err(Cause::Malformed);
        }
        self.open.push((state, self.room.len()));
        Ok(())
    }

    fn begin_message(&mut self) -> Result<(usize, usize), Cause> {
        let (state, room) = self.open.pop().ok_or(Cause::Malformed)?;
        Ok((state, room - self.room.len()))
    }

    fn begin_record(&mut self) -> Result<(), Cause> {
        if !self.open.is_empty() {
            return Err(Cause::Malformed);
        }
        self.records_left = self.records_left.checked_sub(1).ok_or(Cause::Malformed)?;
        Ok(())
    }

    fn finish(self) -> Result<(), Cause> {
        let is_whole = self.room.is_empty() && self.open.is_empty() && self.records_left == 0;
        if is_whole {
            Ok(())
        } else {
            Err(Cause::Malformed)
        }
    }
}
