//! Files of another writer: read whole, cut short anywhere, and damaged anywhere. Here and not in the
//! workspace because that writer brings Google's protobuf in C.

use proptest::prelude::*;
use riegeli::{CompressionType, RecordWriter, WriterOptions};
use stepscope_riegeli::{Cause, JoinError, Joined, is_riegeli, join};

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

/// Every kind of chunk in every compression, in small chunks, and padded as JAX pads.
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

/// A message with all that transposing takes apart: nested messages, groups, every wire type, small
/// and large numbers, texts, and fields that repeat.
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

#[test]
fn files_that_were_appended_to_each_other_are_one() {
    // JAX appends each part of a capture as a file of its own, padded to a block.
    let parts = [messages(20), messages(40), messages(3)];
    let mut file = Vec::new();
    for (part, codec) in parts.iter().zip(CODECS) {
        let shape = Shape {
            codec,
            is_transposed: false,
            chunk_bytes: 1 << 20,
            padding: 1 << 16,
        };
        file.extend(write(shape, part));
        assert_eq!(file.len() % (1 << 16), 0);
    }
    let joined = read(&file);
    assert!(joined.bytes == parts.concat().concat());
    assert!(joined.lost.is_empty());
    // One that was killed while it wrote takes nothing from those that came later.
    let first = write(
        Shape {
            codec: CompressionType::None,
            is_transposed: false,
            chunk_bytes: 1 << 20,
            padding: 1,
        },
        &[vec![7; 500_000]],
    );
    let mut killed = first[..3 << 16].to_vec();
    killed.extend(&file);
    let joined = read(&killed);
    assert!(joined.bytes == parts.concat().concat());
    assert_eq!((joined.lost.count, joined.lost.records), (1, 1));
}

#[test]
fn a_file_cut_anywhere_gives_its_whole_chunks_and_says_where_it_ends() {
    let records = messages(150);
    let all = records.concat();
    for shape in shapes(1500).filter(|shape| shape.padding == 0) {
        let file = write(shape, &records);
        let mut before = 0;
        for end in 0..=file.len() {
            let joined = read(&file[..end]);
            assert!(all.starts_with(&joined.bytes), "{shape:?} at {end}");
            assert!(joined.bytes.len() >= before, "{shape:?} at {end}");
            before = joined.bytes.len();
            let lost = &joined.lost;
            assert!(lost.count <= 1, "{shape:?} at {end}: {lost:?}");
            if let Some(only) = lost.first.first() {
                assert_eq!(only.cause, Cause::CutShort, "{shape:?} at {end}");
                assert_eq!(only.range.end, end as u64);
                assert_eq!(lost.cut_at, Some(only.range.start));
            }
        }
        assert_eq!(before, all.len(), "{shape:?}");
    }
}

#[test]
fn damage_takes_one_chunk_or_one_block_and_is_told() {
    let records: Vec<Vec<u8>> = (0..2000).map(message).collect();
    let all = records.concat();
    for shape in shapes(5000).filter(|shape| shape.padding == 0) {
        let file = write(shape, &records);
        // All of the first block header and chunk headers, and some other places.
        let step = (file.len() / 100).max(1);
        for at in (0..256).chain((256..file.len()).step_by(step)) {
            let mut damaged = file.clone();
            damaged[at] ^= 1 << (at % 8);
            let joined = read(&damaged);
            let missing = all.len() - joined.bytes.len();
            if joined.lost.is_empty() {
                assert_eq!(missing, 0, "{shape:?} at {at}");
                assert!(joined.bytes == all);
                continue;
            }
            let lost = &joined.lost.first[0];
            assert_eq!(joined.lost.count, 1, "{shape:?} at {at}");
            assert!(
                lost.range.contains(&(at as u64)),
                "{shape:?} at {at}: {lost:?}"
            );
            // Of a damaged chunk only itself; of a damaged header what its block begins.
            let is_header = lost.cause == Cause::HeaderHash;
            let most = if is_header { (1 << 17) as u64 } else { 12_000 };
            let length = lost.range.end - lost.range.start;
            assert!(length <= most, "{shape:?} at {at}: {lost:?}");
            assert!(
                is_without_one_piece(&all, &joined.bytes),
                "{shape:?} at {at}"
            );
        }
    }
}

/// Whether one text is the other without a piece somewhere in it.
fn is_without_one_piece(all: &[u8], rest: &[u8]) -> bool {
    let same = all.iter().zip(rest).take_while(|(a, b)| a == b).count();
    let behind = rest.len().saturating_sub(same);
    all.ends_with(&rest[rest.len() - behind..])
}

#[test]
fn claims_cost_nothing_and_limits_hold() {
    let file = write(
        Shape {
            codec: CompressionType::Zstd,
            is_transposed: false,
            chunk_bytes: 1 << 30,
            padding: 1,
        },
        &[vec![0; 10_000_000]],
    );
    assert!(file.len() < 5000);
    let refused = join(&file, 9_999_999, &|_| {}).unwrap_err();
    assert_eq!(
        refused,
        JoinError::TooLarge {
            claimed: 10_000_000
        }
    );
    assert_eq!(read(&file).bytes.len(), 10_000_000);
}

#[test]
fn what_is_no_riegeli_file_is_all_damage() {
    for file in [vec![0; 200_000], b"text ".repeat(50_000), vec![0xff; 100]] {
        assert!(!is_riegeli(&file));
        let joined = read(&file);
        assert!(joined.bytes.is_empty());
        assert_eq!(joined.lost.bytes, file.len() as u64);
    }
    assert!(read(&[]).lost.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the records are, messages or not, and however they fall into chunks.
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

    /// Nothing panics, and what is told adds up, on chunks whose hashes are right and whose data
    /// are not.
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
        // The chunk behind the signature: header at 64, data at 104, all in the first block.
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
