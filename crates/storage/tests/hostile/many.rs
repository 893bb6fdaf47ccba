//! Archives of very many sessions or hosts: the work grows with their number, not with its square.

use std::time::{Duration, Instant};

use stepscope_model::{ProfileData as _, Reads};
use stepscope_storage::{Found, NoProgress, open, open_hosts};

use crate::tree::{Tree, found, gzip, profile, tar, zip, zstd};

fn entries(names: &[String]) -> Vec<(&str, Vec<u8>)> {
    let numbered = names.iter().zip(1..);
    numbered
        .map(|(name, seed)| (name.as_str(), profile(seed, 3000)))
        .collect()
}

fn archives(names: &[String]) -> Vec<(&'static str, Vec<u8>)> {
    let entries = entries(names);
    let entries: Vec<(&str, &[u8])> = entries
        .iter()
        .map(|(name, bytes)| (*name, bytes.as_slice()))
        .collect();
    let plain = tar(&entries);
    vec![
        ("stored.zip", zip(&entries, zip::CompressionMethod::Stored)),
        (
            "deflated.zip",
            zip(&entries, zip::CompressionMethod::Deflated),
        ),
        ("runs.tar.gz", gzip(&plain)),
        ("runs.tar.zst", zstd(&plain)),
        ("runs.tar", plain),
    ]
}

fn runs(count: usize) -> Vec<String> {
    let name = |run| format!("log/plugins/profile/run{run}/vm.xplane.pb");
    (0..count).map(name).collect()
}

/// Opens every session, newest first, as the list of sessions does.
fn open_all(found: &Found) {
    for session in found.newest_first() {
        let number: u32 = session.name["run".len()..].parse().expect("a number");
        let bytes = open(&session.hosts[0], &NoProgress).expect("it opens");
        assert_eq!(
            bytes.as_ref(),
            profile(number + 1, 3000),
            "{}",
            session.name
        );
        assert_eq!(bytes.changed(), None);
    }
}

#[test]
fn sessions_of_an_archive_are_opened_in_time_proportional_to_their_number() {
    let tree = Tree::new();
    let (few, many) = (runs(400), runs(3200));
    for ((name, small), (_, large)) in archives(&few).into_iter().zip(archives(&many)) {
        let took = |bytes: &[u8], count: usize| -> Duration {
            let path = tree.file(&format!("{count}/{name}"), bytes);
            let began = Instant::now();
            let found = found(&path);
            assert_eq!(found.sessions.len(), count);
            open_all(&found);
            began.elapsed()
        };
        let (first, second) = (took(&small, 400), took(&large, 3200));
        // Eight times as many: 64 times the work, if every one is looked for from the start.
        let most = first * 24 + Duration::from_secs(2);
        assert!(second < most, "{name}: {first:?}, then {second:?}");
    }
}

#[test]
fn hosts_of_a_compressed_archive_are_taken_out_in_one_pass() {
    let tree = Tree::new();
    let names: Vec<String> = (0..256)
        .map(|host| format!("log/plugins/profile/run/host-{host}.xplane.pb"))
        .collect();
    for (name, bytes) in archives(&names) {
        let found = found(tree.file(name, &bytes));
        let opened = open_hosts(&found.sessions[0], Reads::Everything, |_| NoProgress);
        assert_eq!(
            (opened.inputs.len(), opened.unread.len()),
            (256, 0),
            "{name}"
        );
        for (host, input) in opened.inputs.iter().enumerate() {
            assert_eq!(input.host, format!("host-{host}"));
            let seed = u32::try_from(host + 1).expect("small");
            assert_eq!((*input.bytes).as_ref(), profile(seed, 3000), "{name}");
        }
    }
}

#[test]
fn an_archive_that_is_written_anew_is_not_read_by_the_places_of_the_old_one() {
    let tree = Tree::new();
    let names = runs(20);
    for (name, bytes) in archives(&names) {
        let path = tree.file(name, &bytes);
        open_all(&found(&path));
        let mut turned = names.clone();
        turned.reverse();
        let (_, other) = archives(&turned)
            .into_iter()
            .find(|(other, _)| *other == name)
            .expect("the same format");
        std::fs::write(&path, other).expect("a file");
        for session in &found(&path).sessions {
            let number: usize = session.name["run".len()..].parse().expect("a number");
            let seed = u32::try_from(20 - number).expect("small");
            let bytes = open(&session.hosts[0], &NoProgress).expect("it opens");
            assert_eq!(
                bytes.as_ref(),
                profile(seed, 3000),
                "{name} {}",
                session.name
            );
        }
    }
}
