//! Files are read whole, cut short anywhere, and damaged anywhere: those of another implementation,
//! with simple and with transposed chunks, and larger ones that are written here.
#![expect(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;
use stepscope_riegeli::{Cause, JoinError, Joined, is_riegeli, join};
use stepscope_testing::riegeli::{CODECS, Codec, pad, write};

fn read(file: &[u8]) -> Joined {
    join(file, 1 << 30, &|_| {}).unwrap()
}

/// Files of another implementation's writer, all of the records of [`messages`].
fn written() -> Vec<(String, Vec<u8>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/written");
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let files = files.map(|path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read(path).unwrap())
    });
    files.collect()
}

/// A message with all that transposing takes apart: nested messages, groups, every wire type, small
/// and large numbers, texts, and fields that repeat.
fn message(seed: u64) -> Vec<u8> {
    let noise = |index: u64| {
        seed.wrapping_mul(0x9e37_79b9)
            .wrapping_add(index * 0x85eb_ca6b)
    };
    let mut inner = vec![0x08, byte(seed % 3), 0x10];
    inner.extend(varint(noise(1) << (seed % 40)));
    inner.extend([0x1d]);
    inner.extend(&noise(2).to_le_bytes()[..4]);
    inner.extend([0x21]);
    inner.extend(noise(3).to_le_bytes());
    let text: Vec<u8> = (0..seed % 50)
        .map(|at| b'a' + byte(noise(at) % 26))
        .collect();
    let mut outer = vec![0x0a];
    outer.extend(varint(inner.len() as u64));
    outer.extend(&inner);
    for _ in 0..seed % 4 {
        outer.extend([0x12, byte(text.len() as u64)]);
        outer.extend(&text);
    }
    outer.extend([0x23, 0x28, 0x01, 0x24]);
    let mut nested = vec![0x0a];
    nested.extend(varint(outer.len() as u64));
    nested.extend(&outer);
    nested.extend([0x98, 0x06, 0x05]);
    nested
}

fn byte(value: u64) -> u8 {
    u8::try_from(value).expect("less than 256")
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 0x7f {
        bytes.push(byte(value & 0x7f) | 0x80);
        value >>= 7;
    }
    bytes.push(byte(value));
    bytes
}

fn messages(count: u64) -> Vec<Vec<u8>> {
    let mut records: Vec<Vec<u8>> = (0..count).map(message).collect();
    records.push(Vec::new());
    records.push(b"\xff\xffno message at all".to_vec());
    records
}

#[test]
fn files_of_another_writer_are_read() {
    let records = messages(60);
    let files = written();
    assert_eq!(files.len(), 8, "each compression, simple and transposed");
    for (name, file) in files {
        assert!(is_riegeli(&file));
        let joined = read(&file);
        assert!(joined.bytes == records.concat(), "{name}");
        assert_eq!(joined.records, records.len() as u64, "{name}");
        assert!(joined.lost.is_empty(), "{name}: {:?}", joined.lost);
    }
}

#[test]
fn all_records_come_in_their_order_whatever_the_compression() {
    for records in [Vec::new(), vec![Vec::new()], messages(10), messages(3000)] {
        for codec in CODECS {
            let joined = read(&write(codec, 20_000, &records));
            assert!(joined.bytes == records.concat(), "{codec:?}");
            assert_eq!(joined.records, records.len() as u64, "{codec:?}");
            assert!(joined.lost.is_empty(), "{codec:?}: {:?}", joined.lost);
        }
    }
}

#[test]
fn files_that_were_appended_to_each_other_are_one() {
    // JAX appends each part of a capture as a file of its own, padded to a block.
    let parts = [messages(20), messages(40), messages(3)];
    let mut file = Vec::new();
    for (part, codec) in parts.iter().zip(CODECS) {
        let mut one = write(codec, 1 << 20, part);
        pad(&mut one);
        assert_eq!(one.len() % (1 << 16), 0);
        file.extend(one);
    }
    let joined = read(&file);
    assert!(joined.bytes == parts.concat().concat());
    assert!(joined.lost.is_empty());
    // One that was killed while it wrote takes nothing from those that came later.
    let mut killed = write(Codec::None, 1 << 20, &[vec![7; 500_000]]);
    killed.truncate(3 << 16);
    killed.extend(&file);
    let joined = read(&killed);
    assert!(joined.bytes == parts.concat().concat());
    assert_eq!((joined.lost.count, joined.lost.records), (1, 1));
}

#[test]
fn a_file_cut_anywhere_gives_its_whole_chunks_and_says_where_it_ends() {
    let all = messages(60).concat();
    let large = messages(1500);
    let large_file = write(Codec::None, 3000, &large);
    assert!(large_file.len() > 1 << 16, "it has block headers within");
    for (name, file) in written() {
        check_cuts(&name, &file, &all, 1);
    }
    check_cuts("large", &large_file, &large.concat(), 97);
}

fn check_cuts(name: &str, file: &[u8], all: &[u8], step: usize) {
    let mut before = 0;
    for end in (0..file.len()).step_by(step).chain([file.len()]) {
        let joined = read(&file[..end]);
        assert!(all.starts_with(&joined.bytes), "{name} at {end}");
        assert!(joined.bytes.len() >= before, "{name} at {end}");
        before = joined.bytes.len();
        let lost = &joined.lost;
        assert!(lost.count <= 1, "{name} at {end}: {lost:?}");
        if let Some(only) = lost.first.first() {
            assert_eq!(only.cause, Cause::CutShort, "{name} at {end}");
            assert_eq!(only.range.end, end as u64);
            assert_eq!(lost.cut_at, Some(only.range.start));
        }
    }
    assert_eq!(before, all.len(), "{name}");
}

#[test]
fn damage_takes_one_chunk_or_one_block_and_is_told() {
    let all = messages(60).concat();
    for (name, file) in written() {
        check_damage(&name, &file, &all, 1);
    }
    let large = messages(2000);
    for codec in CODECS {
        let file = write(codec, 5000, &large);
        let step = file.len() / 200;
        check_damage(&format!("{codec:?}"), &file, &large.concat(), step);
    }
}

fn check_damage(name: &str, file: &[u8], all: &[u8], step: usize) {
    for at in (0..file.len()).step_by(step) {
        let mut damaged = file.to_vec();
        damaged[at] ^= 1 << (at % 8);
        let joined = read(&damaged);
        if joined.lost.is_empty() {
            assert!(joined.bytes == all, "{name} at {at}");
            continue;
        }
        let lost = &joined.lost.first[0];
        assert_eq!(joined.lost.count, 1, "{name} at {at}");
        assert!(
            lost.range.contains(&(at as u64)),
            "{name} at {at}: {lost:?}"
        );
        // Of a damaged chunk only itself; of a damaged header what its block begins.
        let is_header = lost.cause == Cause::HeaderHash;
        let most = if is_header { 1 << 17 } else { 12_000 };
        assert!(
            lost.range.end - lost.range.start <= most,
            "{name} at {at}: {lost:?}"
        );
        assert!(is_without_one_piece(all, &joined.bytes), "{name} at {at}");
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
    let file = write(Codec::Zstd, 1 << 30, &[vec![0; 10_000_000]]);
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

    /// Whatever the records are, and however they fall into chunks and blocks.
    #[test]
    fn any_records_are_read_back(
        records in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..3000), 0..80),
        chunk_bytes in 1_usize..60_000,
        codec in 0_usize..4,
    ) {
        let joined = read(&write(CODECS[codec], chunk_bytes, &records));
        prop_assert!(joined.bytes == records.concat());
        prop_assert_eq!(joined.records, records.len() as u64);
        prop_assert!(joined.lost.is_empty());
    }
}
