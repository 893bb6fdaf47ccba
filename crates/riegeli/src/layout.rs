//! Blocks and headers: where things lie in a file.

use std::borrow::Cow;

use highway::{HighwayHash as _, HighwayHasher, Key};

/// A block header stands at every multiple of this.
pub(crate) const BLOCK: usize = 1 << 16;
pub(crate) const BLOCK_HEADER: usize = 24;
pub(crate) const CHUNK_HEADER: usize = 40;
const USABLE: usize = BLOCK - BLOCK_HEADER;

/// With which every file begins: the first block header, and a chunk that says what file it is.
pub const SIGNATURE: [u8; 64] = [
    0x83, 0xaf, 0x70, 0xd1, 0x0d, 0x88, 0x4a, 0x3f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x91, 0xba, 0xc2, 0x3c, 0x92, 0x87, 0xe1, 0xa9,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xe1, 0x9f, 0x13, 0xc0, 0xe9, 0xb1, 0xc3, 0x72,
    0x73, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
];

/// Whether a file that begins with these bytes is a Riegeli file. The block header is left out: it
/// is no use to who reads from the beginning, so a file where only that is damaged is whole.
pub fn is_riegeli(head: &[u8]) -> bool {
    head.get(BLOCK_HEADER..SIGNATURE.len()) == Some(&SIGNATURE[BLOCK_HEADER..])
}

/// HighwayHash with the key of the format: `Riegeli/records\n`, twice.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let (name, records) = (0x2f69_6c65_6765_6952, 0x0a73_6472_6f63_6572);
    HighwayHasher::new(Key([name, records, name, records])).hash64(bytes)
}

pub(crate) fn u64_at(bytes: &[u8], position: usize) -> u64 {
    let eight = bytes.get(position..).and_then(<[u8]>::first_chunk);
    eight.map_or(0, |eight| u64::from_le_bytes(*eight))
}

/// `size` bytes of a chunk from `position` on, without the block headers between them, and where they
/// end. None where the file ends before.
pub(crate) fn gather(file: &[u8], position: usize, size: u64) -> Option<(Cow<'_, [u8]>, usize)> {
    let mut left = usize::try_from(size).ok()?;
    if left > file.len().checked_sub(position)? {
        return None;
    }
    let mut pieces: Cow<'_, [u8]> = Cow::Borrowed(&[]);
    let mut at = position;
    while left > 0 {
        if at.is_multiple_of(BLOCK) {
            at += BLOCK_HEADER;
        }
        let room = BLOCK - at % BLOCK;
        let piece = file.get(at..at + left.min(room))?;
        if pieces.is_empty() && piece.len() == left {
            pieces = Cow::Borrowed(piece);
        } else {
            let gathered = pieces.to_mut();
            if gathered.is_empty() {
                gathered.reserve_exact(left);
            }
            gathered.extend_from_slice(piece);
        }
        at += piece.len();
        left -= piece.len();
    }
    Some((pieces, at))
}

/// What a block header says about the chunk that it interrupts: how far before the block it begins,
/// and how far behind the block's beginning it ends. None where the header is damaged or cut off.
pub(crate) fn block_header(file: &[u8], block: usize) -> Option<(usize, usize)> {
    let header = file.get(block..block + BLOCK_HEADER)?;
    if hash(&header[8..]) != u64_at(header, 0) {
        return None;
    }
    let before = usize::try_from(u64_at(header, 8)).ok()?;
    let after = usize::try_from(u64_at(header, 16)).ok()?;
    let is_possible = before % BLOCK < USABLE && after > 0 && (after - 1) % BLOCK >= BLOCK_HEADER;
    is_possible.then_some((before, after))
}

/// The first place at or behind this one where a chunk may begin: not within a block header, and not
/// right behind one.
pub(crate) fn chunk_border(position: usize) -> usize {
    match position % BLOCK {
        1..=BLOCK_HEADER => position - position % BLOCK + BLOCK_HEADER + 1,
        _ => position,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_carries_the_hashes_that_we_compute() {
        assert_eq!(hash(&SIGNATURE[8..24]), u64_at(&SIGNATURE, 0));
        assert_eq!(hash(&SIGNATURE[32..64]), u64_at(&SIGNATURE, 24));
        assert_eq!(hash(&[]), u64_at(&SIGNATURE, 40), "of no data");
        assert_eq!(block_header(&SIGNATURE, 0), Some((0, 64)));
    }

    #[test]
    fn bytes_are_gathered_around_block_headers() {
        let file: Vec<u8> = (0..3 * BLOCK)
            .map(|at| u8::from(at % BLOCK >= 24))
            .collect();
        for (position, size) in [(0, 10), (100, 70_000), (BLOCK - 1, 2), (BLOCK, 65_512)] {
            let (bytes, end) = gather(&file, position, size as u64).unwrap();
            assert_eq!(bytes.len(), size);
            assert!(bytes.iter().all(|&byte| byte == 1), "no header among them");
            let headers: usize = file[position..end]
                .iter()
                .map(|&byte| usize::from(byte == 0))
                .sum();
            assert_eq!(end, position + size + headers);
        }
        assert_eq!(gather(&file, 0, (3 * BLOCK) as u64), None);
        assert_eq!(gather(&file, 4 * BLOCK, 0), None);
        assert_eq!(gather(&file, 0, u64::MAX), None);
    }

    #[test]
    fn chunks_begin_where_they_may() {
        let cases = [
            (0, 0),
            (1, 25),
            (24, 25),
            (25, 25),
            (65_535, 65_535),
            (65_537, 65_561),
        ];
        for (position, border) in cases {
            assert_eq!(chunk_border(position), border);
        }
    }
}
