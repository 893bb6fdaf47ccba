//! Fetches only those planes of remote profiles that a question reads.
//!
//! ```text
//! file    │ plane │ plane    │ plane         │ texts │    no table of contents: the beginning of
//!           ▲       ▲          ▲           ▲   ▲        a piece says how long it is
//! ```
//!
//! If the file is not as writers produce it (truncated, table not found), the whole file is fetched
//! instead, so that damage is reported as usual.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use stepscope_model::{LeftOut, Reads};
use stepscope_remote::{Object, Parts, RemoteError};

use crate::budget::Reserved;
use crate::bytes::ProfileBytes;
use crate::encoding::Encoding;
use crate::host_file::HostFile;
use crate::progress::Progress;

/// Smaller files are fetched whole: finding their planes would take as long.
const MIN_FILE_BYTES: u64 = 16 << 20;
/// Bytes requested at the start of a piece; small pieces often fit in them completely.
const HEAD_BYTES: u64 = 16 << 10;
/// Number of bytes at the start of a piece that identify it.
const TELLING_BYTES: u64 = 256;
/// Bytes first requested at the end of a skipped piece; then eight times as many.
const TAIL_BYTES: u64 = 64 << 10;
/// Maximum number of pieces in a file.
const MAX_PIECES: usize = 2048;
/// Number of files read at the same time.
const FILES_AT_ONCE: usize = 16;

/// A profile without some of its planes.
pub(crate) struct Partial {
    /// What was read, one plane after the other: a valid profile.
    pub(crate) bytes: ProfileBytes,
    /// Bytes that were left out.
    pub(crate) left_out_bytes: u64,
}

/// Reads parts of those files for which parts are enough, several at a time.
pub(crate) fn read_all<P: Progress>(
    files: &[&HostFile],
    reads: Reads,
    listeners: &[P],
) -> Vec<Option<Partial>> {
    let mut partial: Vec<Option<Partial>> = files.iter().map(|_| None).collect();
    let large: Vec<(usize, &Object)> = files
        .iter()
        .enumerate()
        .filter_map(|(position, file)| Some((position, in_parts(file, reads)?)))
        .collect();
    // They wait for the network, so there are more of them than processors.
    let next = AtomicUsize::new(0);
    let read_some = || {
        let mut read = Vec::new();
        while let Some(&(position, object)) = large.get(next.fetch_add(1, Ordering::Relaxed)) {
            let listener = &listeners[position];
            // Fetching the whole file hits the same error, and reports it.
            if let Ok(Some(found)) = Reading::of(object, reads, listener) {
                read.push((position, found));
            }
        }
        read
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..large.len().min(FILES_AT_ONCE))
            .map(|_| scope.spawn(read_some))
            .collect();
        for (position, found) in threads
            .into_iter()
            .filter_map(|thread| thread.join().ok())
            .flatten()
        {
            partial[position] = Some(found);
        }
    });
    partial
}

/// The remote file, if it may be read in parts.
fn in_parts(file: &HostFile, reads: Reads) -> Option<&Object> {
    let object = file.remote.as_ref()?;
    let may = reads != Reads::Everything
        && file.entry.is_none()
        && file.encoding == Encoding::Plain
        && !file.is_riegeli()
        && object.size_bytes >= MIN_FILE_BYTES;
    may.then_some(object)
}

/// The pieces of a file.
#[derive(Default)]
struct Pieces {
    read: Vec<Range<u64>>,
    others: Vec<Range<u64>>,
}

/// A file that is being read in parts.
struct Reading<'a> {
    parts: Parts,
    size_bytes: u64,
    reads: Reads,
    progress: &'a dyn Progress,
}

impl<'a> Reading<'a> {
    /// `None` if the whole file has to be fetched.
    fn of(
        object: &Object,
        reads: Reads,
        progress: &'a dyn Progress,
    ) -> Result<Option<Partial>, RemoteError> {
        let Some(parts) = Parts::open(object)? else {
            return Ok(None);
        };
        let mut reading = Self {
            parts,
            size_bytes: object.size_bytes,
            reads,
            progress,
        };
        let found = reading.read();
        reading.parts.close()?;
        found
    }

    fn read(&mut self) -> Result<Option<Partial>, RemoteError> {
        let Some(pieces) = self.pieces()? else {
            return Ok(None);
        };
        let left_out_bytes: u64 = pieces.others.iter().map(length).sum();
        // If little is saved, a completely fetched file is worth more.
        if left_out_bytes < self.size_bytes / 8 || self.parts.is_whole() {
            return Ok(None);
        }
        let mut left_out = Vec::with_capacity(pieces.others.len());
        for piece in &pieces.others {
            let Some(told) = self.left_out(piece)? else {
                return Ok(None);
            };
            left_out.push(told);
        }
        // A whole file is mapped: that needs no memory.
        let read_bytes: u64 = pieces.read.iter().map(length).sum();
        let mut reserved = Reserved::default();
        if reserved.grow_to(read_bytes).is_err() {
            return Ok(None);
        }
        let (progress, size_bytes) = (self.progress, self.size_bytes);
        let told = |done: u64| progress.bytes(left_out_bytes + done, Some(size_bytes));
        let bytes = self.parts.read(&pieces.read, &told)?;
        Ok(self.reads.suffices(&bytes, &left_out).then(|| Partial {
            bytes: ProfileBytes::held_with(bytes, reserved, None),
            left_out_bytes,
        }))
    }

    /// `None` if the file does not consist of pieces only.
    fn pieces(&mut self) -> Result<Option<Pieces>, RemoteError> {
        let mut pieces = Pieces::default();
        let (mut head, mut head_at) = (Vec::new(), 0);
        let mut position = 0;
        while position < self.size_bytes {
            let telling = (position + TELLING_BYTES).min(self.size_bytes);
            if telling > head_at + head.len() as u64 {
                let end = (position + HEAD_BYTES).min(self.size_bytes);
                head = self.bytes(position..end)?;
                head_at = position;
            }
            let within = usize::try_from(position - head_at).unwrap_or(usize::MAX);
            let piece = head.get(within..).and_then(|head| self.reads.piece(head));
            let Some(piece) = piece.filter(|piece| piece.length > 0) else {
                return Ok(None);
            };
            let end = position.saturating_add(piece.length);
            if end > self.size_bytes || pieces.read.len() + pieces.others.len() >= MAX_PIECES {
                return Ok(None);
            }
            let side = if piece.is_read {
                &mut pieces.read
            } else {
                &mut pieces.others
            };
            side.push(position..end);
            position = end;
        }
        Ok(Some(pieces))
    }

    fn bytes(&mut self, range: Range<u64>) -> Result<Vec<u8>, RemoteError> {
        self.parts.read(std::slice::from_ref(&range), &|_| {})
    }

    /// What a skipped piece may contain; `None` if its end is not as writers produce it.
    fn left_out(&mut self, piece: &Range<u64>) -> Result<Option<LeftOut>, RemoteError> {
        let mut count = TAIL_BYTES;
        loop {
            let start = piece.end.saturating_sub(count).max(piece.start);
            let mut reserved = Reserved::default();
            if reserved.grow_to(piece.end - start).is_err() {
                return Ok(None);
            }
            let tail = self.bytes(start..piece.end)?;
            if let Some(told) = LeftOut::by_tail(&tail) {
                return Ok(Some(told));
            }
            if start == piece.start || count > self.size_bytes / 8 {
                return Ok(None);
            }
            count *= 8;
        }
    }
}

const fn length(range: &Range<u64>) -> u64 {
    range.end - range.start
}
