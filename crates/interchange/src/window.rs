//! A window that slides over a stream: what is being read lies in it whole.

use std::io::{self, Read};

/// Bytes asked of the stream at a time.
const CHUNK: usize = 1 << 20;
/// An object larger than this is passed over: no event is that long.
pub(crate) const LARGEST_OBJECT: usize = 64 << 20;

/// The stream and the part of it that is in memory.
pub(crate) struct Window<R> {
    reader: R,
    chunk: usize,
    bytes: Vec<u8>,
    /// Where the unread part begins.
    at: usize,
    /// Where the filled part ends.
    end: usize,
    /// Bytes of the stream before the window.
    before: u64,
    is_at_end: bool,
    /// Why the stream ended before its end.
    pub(crate) failure: Option<io::Error>,
}

impl<R: Read> Window<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self::with_chunk(reader, CHUNK)
    }

    /// A window that asks for so many bytes at first.
    pub(crate) fn with_chunk(reader: R, chunk: usize) -> Self {
        Self {
            reader,
            chunk,
            bytes: Vec::new(),
            at: 0,
            end: 0,
            before: 0,
            is_at_end: false,
            failure: None,
        }
    }

    /// What is unread of what is in memory.
    #[inline]
    pub(crate) fn rest(&self) -> &[u8] {
        &self.bytes[self.at..self.end]
    }

    #[inline]
    pub(crate) fn advance(&mut self, count: usize) {
        self.at = (self.at + count).min(self.end);
    }

    /// Bytes of the stream that have been read.
    pub(crate) fn position(&self) -> u64 {
        self.before + self.at as u64
    }

    /// Reads on, keeping what is unread. False at the end of the stream, and where more than the
    /// largest object would be held.
    #[cold]
    pub(crate) fn more(&mut self) -> bool {
        if self.is_at_end || self.end - self.at > LARGEST_OBJECT {
            return false;
        }
        self.bytes.copy_within(self.at..self.end, 0);
        self.before += self.at as u64;
        (self.at, self.end) = (0, self.end - self.at);
        // Twice as much each time, so that a long object is not begun again at every chunk.
        let most = LARGEST_OBJECT + self.chunk - self.end;
        let room = self.chunk.max(self.end).min(most);
        if self.bytes.len() < self.end + room {
            self.bytes.resize(self.end + room, 0);
        }
        let wanted = self.end + room;
        while self.end < wanted {
            match self.reader.read(&mut self.bytes[self.end..wanted]) {
                Ok(0) => {
                    self.is_at_end = true;
                    break;
                }
                Ok(count) => self.end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.failure = Some(error);
                    self.is_at_end = true;
                    break;
                }
            }
        }
        true
    }

    /// The next byte that is not white space, left in place.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        loop {
            let rest = self.rest();
            let spaces = rest
                .iter()
                .take_while(|byte| byte.is_ascii_whitespace())
                .count();
            let found = rest.get(spaces).copied();
            self.advance(spaces);
            if found.is_some() {
                return found;
            }
            if !self.more() && self.rest().is_empty() {
                return None;
            }
        }
    }
}
