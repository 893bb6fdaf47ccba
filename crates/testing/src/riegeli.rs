//! Writes Riegeli files of simple chunks, like JAX, following the public description of the format.

use std::io::Write as _;

use highway::{HighwayHash as _, HighwayHasher, Key};

const BLOCK: usize = 1 << 16;
const BLOCK_HEADER: usize = 24;
const CHUNK_HEADER: usize = 40;

/// How chunks are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codec {
    /// Uncompressed.
    None,
    /// Brotli.
    Brotli,
    /// Zstandard.
    Zstd,
    /// Snappy.
    Snappy,
}

/// All of them.
pub const CODECS: [Codec; 4] = [Codec::None, Codec::Brotli, Codec::Zstd, Codec::Snappy];

/// A file of records, in chunks of about this many bytes.
pub fn write<R: AsRef<[u8]>>(codec: Codec, chunk_bytes: usize, records: &[R]) -> Vec<u8> {
    let mut file = Vec::new();
    push_chunk(&mut file, b's', &[], 0, 0);
    let (mut sizes, mut values, mut count) = (Vec::new(), Vec::new(), 0);
    for (index, record) in records.iter().enumerate() {
        let record = record.as_ref();
        push_varint(&mut sizes, record.len() as u64);
        values.extend_from_slice(record);
        count += 1;
        if values.len() >= chunk_bytes || index + 1 == records.len() {
            let data = simple(codec, &sizes, &values);
            push_chunk(&mut file, b'r', &data, count, values.len() as u64);
            (sizes, values, count) = (Vec::new(), Vec::new(), 0);
        }
    }
    file
}

/// Pads a file to a whole number of blocks, so that others can be appended.
pub fn pad(file: &mut Vec<u8>) {
    let rest = file.len() % BLOCK;
    if rest == 0 {
        return;
    }
    let room = BLOCK - rest;
    let data = match room.checked_sub(CHUNK_HEADER) {
        Some(data) => data,
        None => room + BLOCK - BLOCK_HEADER - CHUNK_HEADER,
    };
    push_chunk(file, b'p', &vec![0; data], 0, 0);
}

fn simple(codec: Codec, sizes: &[u8], values: &[u8]) -> Vec<u8> {
    let sizes = compressed(codec, sizes);
    let name = match codec {
        Codec::None => 0,
        Codec::Brotli => b'b',
        Codec::Zstd => b'z',
        Codec::Snappy => b's',
    };
    let mut data = vec![name];
    push_varint(&mut data, sizes.len() as u64);
    data.extend(sizes);
    data.extend(compressed(codec, values));
    data
}

fn compressed(codec: Codec, bytes: &[u8]) -> Vec<u8> {
    let packed = match codec {
        Codec::None => return bytes.to_vec(),
        Codec::Brotli => {
            let mut writer = brotli::CompressorWriter::new(Vec::new(), 4096, 5, 20);
            writer.write_all(bytes).expect("in memory");
            writer.into_inner()
        }
        Codec::Zstd => zstd::encode_all(bytes, 3).expect("in memory"),
        Codec::Snappy => snap::raw::Encoder::new()
            .compress_vec(bytes)
            .expect("in memory"),
    };
    let mut out = Vec::new();
    push_varint(&mut out, bytes.len() as u64);
    out.extend(packed);
    out
}

fn push_chunk(file: &mut Vec<u8>, kind: u8, data: &[u8], records: u64, decoded: u64) {
    let mut header = Vec::with_capacity(CHUNK_HEADER);
    header.extend((data.len() as u64).to_le_bytes());
    header.extend(hash(data).to_le_bytes());
    header.extend((records << 8 | u64::from(kind)).to_le_bytes());
    header.extend(decoded.to_le_bytes());
    let mut chunk = hash(&header).to_le_bytes().to_vec();
    chunk.extend(header);
    chunk.extend_from_slice(data);
    let begin = file.len();
    let end = end_of(begin, chunk.len(), records);
    let mut bytes = chunk.into_iter();
    while file.len() < end {
        let at = file.len();
        if at.is_multiple_of(BLOCK) {
            let mut header = ((at - begin) as u64).to_le_bytes().to_vec();
            header.extend(((end - at) as u64).to_le_bytes());
            file.extend(hash(&header).to_le_bytes());
            file.extend(header);
        } else {
            // After the data there is padding.
            file.push(bytes.next().unwrap_or(0));
        }
    }
}

/// Where a chunk ends: behind its bytes and the block headers between them, far enough to have a
/// position for each record, and not in or right behind a block header.
fn end_of(begin: usize, size: usize, records: u64) -> usize {
    let usable = BLOCK - BLOCK_HEADER;
    let headers = (size + (begin + usable - 1) % BLOCK) / usable;
    let numbered = begin + usize::try_from(records).expect("few records");
    let room = (BLOCK - numbered % BLOCK) % BLOCK;
    let border = numbered + room.saturating_sub(usable - 1);
    (begin + size + headers * BLOCK_HEADER).max(border)
}

fn hash(bytes: &[u8]) -> u64 {
    let (name, records) = (0x2f69_6c65_6765_6952, 0x0a73_6472_6f63_6572);
    HighwayHasher::new(Key([name, records, name, records])).hash64(bytes)
}

fn push_varint(out: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}
