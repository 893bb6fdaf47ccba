//! What the fuzz target checks, on files of another writer that were changed at random.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "../../../fuzz/src/riegeli.rs"]
#[expect(unreachable_pub, reason = "shared with the fuzz targets")]
mod fuzz;

/// Files of another implementation: both kinds of chunks in all compressions.
fn files() -> Vec<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/written");
    let paths = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    paths.map(|path| std::fs::read(path).unwrap()).collect()
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
        // The first chunk of records: its header begins at 64.
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
                whole[at] = (noise(&mut seed) % 256).try_into().expect("a byte");
                let at = noise(&mut seed) % chunk.len();
                chunk[at] = (noise(&mut seed) % 256).try_into().expect("a byte");
            }
            fuzz::check(&whole);
            fuzz::check(&chunk);
        }
    }
}
