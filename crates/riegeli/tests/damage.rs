//! What the fuzz target checks, on files of another writer that were changed at random.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "../../../fuzz/src/riegeli.rs"]
#[expect(unreachable_pub, reason = "shared with the fuzz targets")]
mod fuzz;

use riegeli::{CompressionType, RecordWriter, WriterOptions};

/// Files of both kinds of chunks in all compressions.
fn files() -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for codec in [
        CompressionType::None,
        CompressionType::Brotli,
        CompressionType::Zstd,
        CompressionType::Snappy,
    ] {
        for is_transposed in [false, true] {
            let options = WriterOptions::new()
                .compression(codec)
                .transpose(is_transposed);
            let mut file = Vec::new();
            let mut writer = RecordWriter::new(&mut file, options).unwrap();
            for number in 0..20_u8 {
                let message = [
                    0x0a,
                    4,
                    0x08,
                    number,
                    0x10,
                    number % 3,
                    0x12,
                    2,
                    b'a',
                    number % 9,
                ];
                writer.write_record(&message).unwrap();
            }
            writer.write_record(b"\xff no message").unwrap();
            writer.close().unwrap();
            files.push(file);
        }
    }
    files
}

/// The numbers of a simple generator, so that a failure comes again.
fn noise(seed: &mut u64) -> usize {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as usize
}

#[test]
fn changed_files_and_changed_data_keep_the_promises() {
    let mut seed = 7;
    for file in files() {
        fuzz::check(&file);
        // The one chunk of records: its header begins at 64.
        let data_bytes =
            usize::try_from(u64::from_le_bytes(file[72..80].try_into().unwrap())).unwrap();
        let data = &file[104..104 + data_bytes];
        for round in 0..1500 {
            let mut whole = file.clone();
            // As the target takes it: kind, records, decoded size, data.
            let mut chunk = vec![u8::from(file[88] == b't'), file[89], file[96], file[97]];
            chunk.extend_from_slice(data);
            for _ in 0..=round % 5 {
                let at = noise(&mut seed) % whole.len();
                whole[at] = noise(&mut seed) as u8;
                let at = noise(&mut seed) % chunk.len();
                chunk[at] = noise(&mut seed) as u8;
            }
            fuzz::check(&whole);
            fuzz::check(&chunk);
        }
    }
}
