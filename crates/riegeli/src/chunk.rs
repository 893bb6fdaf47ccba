//! From a file to its chunks, past what is damaged.

use std::borrow::Cow;

use crate::layout::{BLOCK, CHUNK_HEADER, block_header, chunk_border, gather, hash, u64_at};
use crate::lost::{Cause, Lost};
use crate::{simple, transposed};

/// A chunk as it stands in the file: its data has the hash that its header names.
pub(crate) struct Chunk<'a> {
    pub(crate) header: Header,
    begin: usize,
    end: usize,
    data: Cow<'a, [u8]>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Header {
    data_bytes: u64,
    data_hash: u64,
    kind: u8,
    pub(crate) records: u64,
    /// Sum of the sizes of the records.
    pub(crate) decoded_bytes: u64,
}

impl Header {
    fn of(bytes: &[u8]) -> Option<Self> {
        (hash(&bytes[8..]) == u64_at(bytes, 0)).then(|| Self {
            data_bytes: u64_at(bytes, 8),
            data_hash: u64_at(bytes, 16),
            kind: bytes[24],
            records: u64_at(bytes, 24) >> 8,
            decoded_bytes: u64_at(bytes, 32),
        })
    }

    /// Whether it holds records; signatures, metadata and padding hold none.
    pub(crate) fn has_records(&self) -> bool {
        !matches!(self.kind, b's' | b'm' | b'p')
    }

    /// Records that are gone with it.
    fn lost_records(&self) -> u64 {
        if self.has_records() { self.records } else { 0 }
    }
}

impl Chunk<'_> {
    /// Writes all records into `into`, which has their size.
    pub(crate) fn decode(&self, into: &mut [u8]) -> Result<(), Cause> {
        if self.header.records == 0 && !into.is_empty() {
            return Err(Cause::Malformed);
        }
        match self.header.kind {
            b'r' => simple::decode(&self.data, into),
            b't' => transposed::decode(&self.data, self.header.records, into),
            other => Err(Cause::UnknownKind(other)),
        }
    }

    pub(crate) fn lost(&self, cause: Cause) -> Lost {
        Lost {
            range: self.begin as u64..self.end as u64,
            records: Some(self.header.lost_records()),
            cause,
        }
    }

    /// Where it ends in the file.
    pub(crate) fn end(&self) -> u64 {
        self.end as u64
    }
}

/// The chunks of a file, and the parts of it that are none.
pub(crate) struct Chunks<'a> {
    file: &'a [u8],
    position: usize,
    /// Bytes that may still be hashed a second time in search of chunks within damaged ones, so that
    /// no file makes that take long.
    second_looks: usize,
}

impl<'a> Chunks<'a> {
    pub(crate) fn new(file: &'a [u8]) -> Self {
        Self {
            file,
            position: 0,
            second_looks: file.len().saturating_mul(4),
        }
    }

    /// Where to go on when the chunk at `begin` cannot be read: block headers up to `end` tell.
    fn resume(&self, begin: usize, end: usize) -> Option<usize> {
        let mut block = begin.next_multiple_of(BLOCK);
        while block < end.min(self.file.len()) {
            if let Some((before, after)) = block_header(self.file, block) {
                let interrupted = block.saturating_sub(before);
                let behind = block.saturating_add(after);
                let found = if interrupted > begin {
                    interrupted
                } else {
                    behind
                };
                // Headers within the chunk itself point to its end.
                if found > begin && found < end {
                    return Some(found);
                }
            }
            block += BLOCK;
        }
        None
    }

    fn lose(
        &mut self,
        begin: usize,
        end: usize,
        records: Option<u64>,
        cause: Cause,
    ) -> Result<Chunk<'a>, Lost> {
        self.position = end;
        Err(Lost {
            range: begin as u64..end as u64,
            records,
            cause,
        })
    }

    fn read(&mut self, begin: usize) -> Result<Chunk<'a>, Lost> {
        let end_of_file = self.file.len();
        let Some((bytes, behind_header)) = gather(self.file, begin, CHUNK_HEADER as u64) else {
            return self.lose(begin, end_of_file, None, Cause::CutShort);
        };
        let Some(header) = Header::of(&bytes) else {
            let end = self.resume(begin, end_of_file).unwrap_or(end_of_file);
            return self.lose(begin, end, None, Cause::HeaderHash);
        };
        let records = Some(header.lost_records());
        let Some((data, behind_data)) = gather(self.file, behind_header, header.data_bytes) else {
            // A writer that was killed leaves this, and another may have gone on behind it.
            let end = self.resume(begin, end_of_file).unwrap_or(end_of_file);
            return self.lose(begin, end, records, Cause::CutShort);
        };
        // Records have numbers like positions in the file, so a chunk is as long as it has records.
        let numbered = usize::try_from(header.records)
            .ok()
            .and_then(|records| begin.checked_add(records))
            .map_or(usize::MAX, |position| {
                chunk_border(position.min(usize::MAX - BLOCK))
            });
        let end = behind_data.max(numbered).min(end_of_file);
        if hash(&data) != header.data_hash {
            let within = match self.second_looks.checked_sub(end - begin) {
                Some(left) => {
                    self.second_looks = left;
                    self.resume(begin, end)
                }
                None => None,
            };
            return self.lose(begin, within.unwrap_or(end), records, Cause::DataHash);
        }
        self.position = end;
        Ok(Chunk {
            header,
            begin,
            end,
            data,
        })
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Result<Chunk<'a>, Lost>;

    fn next(&mut self) -> Option<Self::Item> {
        let begin = self.position;
        (begin < self.file.len()).then(|| self.read(begin))
    }
}

/// Bytes of all records as the headers tell it, without a look at the data.
pub(crate) fn claimed_bytes(file: &[u8]) -> u64 {
    let (mut position, mut claimed) = (0, 0_u64);
    while let Some((bytes, behind)) = gather(file, position, CHUNK_HEADER as u64) {
        let Some(header) = Header::of(&bytes) else {
            break;
        };
        if header.has_records() {
            claimed = claimed.saturating_add(header.decoded_bytes);
        }
        let Some(end) = end_of_data(behind, header.data_bytes, file.len()) else {
            break;
        };
        let numbered = usize::try_from(header.records).map_or(file.len(), |records| {
            chunk_border(position.saturating_add(records).min(file.len()))
        });
        position = end.max(numbered);
    }
    claimed
}

/// Where `size` bytes end that begin at `position`, with the block headers between them.
fn end_of_data(position: usize, size: u64, file_bytes: usize) -> Option<usize> {
    let mut left = usize::try_from(size)
        .ok()
        .filter(|&size| size <= file_bytes)?;
    let room = (BLOCK - position % BLOCK) % BLOCK;
    if left <= room {
        return Some(position + left);
    }
    left -= room;
    let usable = BLOCK - crate::layout::BLOCK_HEADER;
    let headers = left.div_ceil(usable) * crate::layout::BLOCK_HEADER;
    Some(position + room + left + headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_ends_where_gathering_it_ends() {
        let file = vec![0; 5 * BLOCK];
        for position in [0, 25, 64, 65_535, BLOCK, BLOCK + 25, 2 * BLOCK - 1] {
            for size in [0, 1, 40, 65_471, 65_472, 65_511, 65_512, 65_513, 140_000] {
                let gathered = gather(&file, position, size).map(|(_, end)| end);
                assert_eq!(end_of_data(position, size, file.len()), gathered);
            }
        }
    }
}
