//! Arbitrary bytes are a Riegeli file or damage, and so is any data of a chunk with correct hashes.

use highway::{HighwayHash as _, HighwayHasher, Key};
use stepscope_riegeli::{Joined, SIGNATURE, join};

/// Maximum size of a record in bytes.
const LIMIT: u64 = 1 << 20;
/// A chunk that ends within the first block.
const MOST_DATA: usize = 60_000;

/// Panics if reading breaks an invariant.
pub fn check(bytes: &[u8]) {
    check_file(bytes);
    let Some((&[kind, records, low, high], data)) = bytes.split_first_chunk() else {
        return;
    };
    let data = &data[..data.len().min(MOST_DATA)];
    let kind = if kind % 2 == 0 { b'r' } else { b't' };
    let decoded = u64::from(u16::from_le_bytes([low, high]));
    check_file(&file(kind, u64::from(records), decoded, data));
}

fn check_file(file: &[u8]) {
    let Ok(Joined {
        bytes,
        records,
        lost,
    }) = join(file, LIMIT, &|_| {})
    else {
        return;
    };
    assert!(bytes.len() as u64 <= LIMIT);
    assert!(records > 0 || bytes.is_empty());
    assert!(lost.bytes <= file.len() as u64, "{lost:?}");
    let mut before = 0;
    for one in &lost.first {
        assert!(
            before <= one.range.start && one.range.start < one.range.end,
            "{lost:?}"
        );
        assert!(one.range.end <= file.len() as u64, "{lost:?}");
        before = one.range.start;
    }
}

/// A file of one chunk with correct hashes.
fn file(kind: u8, records: u64, decoded: u64, data: &[u8]) -> Vec<u8> {
    let mut header = Vec::with_capacity(32);
    header.extend((data.len() as u64).to_le_bytes());
    header.extend(hash(data).to_le_bytes());
    header.extend((records << 8 | u64::from(kind)).to_le_bytes());
    header.extend(decoded.to_le_bytes());
    let mut file = SIGNATURE.to_vec();
    file.extend(hash(&header).to_le_bytes());
    file.extend(header);
    file.extend_from_slice(data);
    file
}

fn hash(bytes: &[u8]) -> u64 {
    let (name, records) = (0x2f69_6c65_6765_6952, 0x0a73_6472_6f63_6572);
    HighwayHasher::new(Key([name, records, name, records])).hash64(bytes)
}
