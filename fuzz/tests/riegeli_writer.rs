//! Files of another writer, with arbitrary records and with damage that its hashes cover. Here and
//! not in the workspace because that writer depends on Google's protobuf in C.

use proptest::prelude::*;
use riegeli::{CompressionType, RecordWriter, WriterOptions};
use stepscope_riegeli::{Cause, Joined, is_riegeli, join};

const CODECS: [CompressionType; 4] = [
    CompressionType::None,
    CompressionType::Brotli,
    CompressionType::Zstd,
    CompressionType::Snappy,
];

#[derive(Debug, Clone, Copy)]
struct Shape {
    codec: CompressionType,
    is_transposed: bool,
    chunk_bytes: u64,
    padding: u64,
}

/// Every kind of chunk in every compression, in small chunks, and padded like JAX does.
fn shapes(chunk_bytes: u64) -> impl Iterator<Item = Shape> {
    CODECS.into_iter().flat_map(move |codec| {
        [(false, 0), (true, 0), (false, 1 << 16)].map(|(is_transposed, padding)| Shape {
            codec,
            is_transposed,
            chunk_bytes,
            padding,
        })
    })
}

fn write(shape: Shape, records: &[Vec<u8>]) -> Vec<u8> {
    let options = WriterOptions::new()
        .compression(shape.codec)
        .transpose(shape.is_transposed)
        .chunk_size(shape.chunk_bytes)
        .final_padding(shape.padding.max(1));
    let mut file = Vec::new();
    let mut writer = RecordWriter::new(&mut file, options).unwrap();
    for record in records {
        writer.write_record(record).unwrap();
    }
    writer.close().unwrap();
    file
}

fn read(file: &[u8]) -> Joined {
    join(file, 1 << 30, &|_| {}).unwrap()
}

/// A message with everything that transposing separates: nested messages, groups, every wire type,
/// small and large numbers, texts, and repeated fields.
fn message(seed: u64) -> Vec<u8> {
    let noise = |index: u64| {
        seed.wrapping_mul(0x9e37_79b9)
            .wrapping_add(index * 0x85eb_ca6b)
    };
    let mut inner = vec![0x08, (seed % 3) as u8, 0x10];
    inner.extend(varint(noise(1) << (seed % 40)));
    inner.extend([0x1d]);
    inner.extend((noise(2) as u32).to_le_bytes());
    inner.extend([0x21]);
    inner.extend(noise(3).to_le_bytes());
    let text: Vec<u8> = (0..seed % 50)
        .map(|at| b'a' + (noise(at) % 26) as u8)
        .collect();
    let mut outer = vec![0x0a];
    outer.extend(varint(inner.len() as u64));
    outer.extend(&inner);
    for _ in 0..seed % 4 {
        outer.extend([0x12, text.len() as u8]);
        outer.extend(&text);
    }
    outer.extend([0x23, 0x28, 0x01, 0x24]);
    let mut nested = vec![0x0a];
    nested.extend(varint(outer.len() as u64));
    nested.extend(&outer);
    nested.extend([0x98, 0x06, 0x05]);
    nested
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 0x7f {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn messages(count: u64) -> Vec<Vec<u8>> {
    let mut records: Vec<Vec<u8>> = (0..count).map(message).collect();
    records.push(Vec::new());
    records.push(b"\xff\xffno message at all".to_vec());
    records
}

#[test]
fn all_records_come_in_their_order_whatever_the_compression() {
    for records in [Vec::new(), vec![Vec::new()], messages(10), messages(3000)] {
        for shape in shapes(20_000) {
            let file = write(shape, &records);
            assert!(is_riegeli(&file));
            let joined = read(&file);
            assert!(joined.bytes == records.concat(), "{shape:?}");
            assert_eq!(joined.records, records.len() as u64, "{shape:?}");
            assert!(joined.lost.is_empty(), "{shape:?}: {:?}", joined.lost);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// For all records, messages or not, and however they are divided into chunks.
    #[test]
    fn any_records_are_read_back(
        records in prop::collection::vec(
            prop_oneof![
                prop::collection::vec(any::<u8>(), 0..200),
                (0_u64..1000).prop_map(message),
                prop::collection::vec(0_u8..20, 0..200),
            ],
            0..60,
        ),
        chunk_bytes in 1_u64..4000,
    ) {
        for shape in shapes(chunk_bytes) {
            let joined = read(&write(shape, &records));
            prop_assert!(joined.bytes == records.concat(), "{:?}", shape);
            prop_assert_eq!(joined.records, records.len() as u64);
            prop_assert!(joined.lost.is_empty());
        }
    }

    /// Nothing panics, and the reports add up, for chunks with correct hashes but damaged data.
    #[test]
    fn data_that_only_hashes_vouch_for_is_survived(
        seed in 0_u64..1000,
        flips in prop::collection::vec((any::<prop::sample::Index>(), 1_u8..=255), 1..6),
        codec in 0_usize..4,
        is_transposed in any::<bool>(),
    ) {
        let shape = Shape { codec: CODECS[codec], is_transposed, chunk_bytes: 1 << 20, padding: 1 };
        let records: Vec<Vec<u8>> = (seed..seed + 20).map(message).collect();
        let mut file = write(shape, &records);
        // The chunk after the signature: header at 64, data at 104, all in the first block.
        let data_bytes = usize::try_from(u64::from_le_bytes(file[72..80].try_into().unwrap())).unwrap();
        for (index, flip) in flips {
            file[104 + index.index(data_bytes)] ^= flip;
        }
        let key = [0x2f69_6c65_6765_6952, 0x0a73_6472_6f63_6572, 0x2f69_6c65_6765_6952, 0x0a73_6472_6f63_6572];
        let hash = |bytes: &[u8]| {
            use highway::HighwayHash as _;
            highway::HighwayHasher::new(highway::Key(key)).hash64(bytes).to_le_bytes()
        };
        let data_hash = hash(&file[104..104 + data_bytes]);
        file[80..88].copy_from_slice(&data_hash);
        let header_hash = hash(&file[72..104]);
        file[64..72].copy_from_slice(&header_hash);
        let joined = read(&file);
        let records = if joined.lost.is_empty() { 20 } else { 0 };
        prop_assert_eq!(joined.records, records);
        prop_assert!(joined.lost.first.iter().all(|lost| lost.cause != Cause::DataHash));
    }
}
