//! Files that decompress to more than is reasonable, or than there is memory for.

use std::io::Write as _;
use std::process::Command;

use stepscope_model::Reads;
use stepscope_storage::{NoProgress, StorageError, memory_budget, open, open_hosts};

use crate::tree::{Tree, found, gzip, profile, riegeli, zip, zstd};

/// The one error of opening a file.
pub(crate) fn refusal(name: &str, bytes: &[u8]) -> StorageError {
    let tree = Tree::new();
    let path = tree.file(name, bytes);
    let host = found(&path).sessions[0]
        .files()
        .next()
        .expect("a file")
        .clone();
    open(&host, &NoProgress).expect_err("it is refused")
}

/// The start of an XSpace, then zeros: they compress a thousand times.
fn zeros(count: usize) -> Vec<u8> {
    let mut bytes = profile(1, 1000);
    bytes.resize(count, 0);
    bytes
}

pub(crate) fn packed_well(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn small_bombs_are_refused_after_some_mebibytes() {
    let zeros = zeros(60 << 20);
    let archive = zip(
        &[("vm.xplane.pb", &zeros)],
        zip::CompressionMethod::Deflated,
    );
    for (name, bytes) in [
        ("vm.xplane.pb.gz", packed_well(&zeros)),
        ("vm.xplane.pb.zst", zstd(&zeros)),
        ("run.zip", archive),
    ] {
        assert!(bytes.len() < 300_000, "{name} has {} bytes", bytes.len());
        let error = refusal(name, &bytes);
        let said = error.to_string();
        assert!(matches!(error, StorageError::TooLarge { .. }), "{said}");
        let produced = said.split("decompressed to ").nth(1).expect("a number");
        let produced: u64 = produced
            .chars()
            .take_while(char::is_ascii_digit)
            .collect::<String>()
            .parse()
            .expect("a number");
        let most = (bytes.len() as u64 * 150).max(16 << 20) + (4 << 20);
        assert!(produced <= most, "{name}: {said}");
    }
}

#[test]
fn repetitive_profiles_are_no_bombs() {
    // Five events over and over compress about a hundred times.
    let mut bytes = profile(1, 200_000);
    bytes.extend(profile(2, 100).repeat(20_000));
    let tree = Tree::new();
    let path = tree.file("vm.xplane.pb.zst", &zstd(&bytes));
    let opened = open(&found(&path).sessions[0].hosts[0], &NoProgress).expect("it opens");
    assert_eq!(opened.as_ref().len(), bytes.len());
}

#[test]
fn a_zstd_window_larger_than_the_file_allows_is_refused_before_it_is_allocated() {
    // One frame: no size, a window of 2 GiB, and one block that repeats a byte.
    let frame = |log: u8| {
        let mut bytes = vec![0x28, 0xb5, 0x2f, 0xfd, 0, (log - 10) << 3];
        let block: u32 = 1 | 1 << 1 | 1000 << 3;
        bytes.extend_from_slice(&block.to_le_bytes()[..3]);
        bytes.push(0x0a);
        bytes
    };
    let error = refusal("vm.xplane.pb.zst", &frame(31)).to_string();
    assert!(error.contains("memory"), "{error}");
    let tree = Tree::new();
    let path = tree.file("vm.xplane.pb.zst", &frame(27));
    let opened = open(&found(&path).sessions[0].hosts[0], &NoProgress).expect("it opens");
    assert_eq!(opened.as_ref().len(), 1000);
}

#[test]
fn a_large_zstd_window_opens_from_bytes_and_from_a_copy_as_from_a_path() {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).expect("memory");
    encoder.window_log(28).expect("a window");
    encoder.include_contentsize(false).expect("as a stream");
    let content = profile(1, 12 << 20);
    encoder.write_all(&content).expect("memory");
    let packed = encoder.finish().expect("memory");
    let tree = Tree::new();
    let path = tree.file("vm.xplane.pb.zst", &packed);
    let opened = open(&found(&path).sessions[0].hosts[0], &NoProgress).expect("it opens");
    assert_eq!(opened.as_ref(), content);
    let held = stepscope_storage::open_bytes("vm.xplane.pb.zst", std::sync::Arc::new(packed));
    let held = held.expect("it opens as bytes");
    assert_eq!((*held.inputs[0].bytes).as_ref(), content);
}

#[test]
fn riegeli_hosts_that_are_opened_side_by_side_share_one_budget() {
    if !is_here_with_a_small_budget("riegeli_hosts_that_are_opened_side_by_side_share_one_budget") {
        return;
    }
    let tree = Tree::new();
    for host in 0..8 {
        let records = profile(host, 3 << 20);
        let codec = stepscope_testing::riegeli::Codec::Zstd;
        let bytes = riegeli(codec, &[&records]);
        let name = format!("log/plugins/profile/run/vm{host}.xplane.riegeli");
        tree.file(&name, &bytes);
    }
    let files = found(tree.at("log")).sessions.remove(0);
    let opened = open_hosts(&files, Reads::Everything, |_| NoProgress);
    assert!(
        (1..=2).contains(&opened.inputs.len()),
        "{}",
        opened.inputs.len()
    );
    for (_, error) in &opened.unread {
        let is_it = matches!(error, StorageError::OverBudget { .. });
        assert!(is_it, "{error:?}");
    }
}

const SMALL_BUDGET: &str = "8M";

/// Runs a test of this file in a process of its own, with a small budget.
fn is_here_with_a_small_budget(test: &str) -> bool {
    is_in_a_small_budget(&format!("sizes::{test}"))
}

/// The same of any test of this binary, given by its path.
pub(crate) fn is_in_a_small_budget(test: &str) -> bool {
    if std::env::var("STEPSCOPE_MEMORY_BYTES").is_ok_and(|value| value == SMALL_BUDGET) {
        return true;
    }
    let output = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", test, "--test-threads=1"])
        .env("STEPSCOPE_MEMORY_BYTES", SMALL_BUDGET)
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}"
    );
    false
}

#[test]
fn what_exceeds_the_budget_says_how_much_is_needed_and_is_given_back() {
    if !is_here_with_a_small_budget(
        "what_exceeds_the_budget_says_how_much_is_needed_and_is_given_back",
    ) {
        return;
    }
    assert_eq!(memory_budget(), 8 << 20);
    let (large, fitting) = (profile(1, 12 << 20), profile(2, 6 << 20));
    let records = riegeli(stepscope_testing::riegeli::Codec::None, &[&large]);
    let archive = zip(
        &[("vm.xplane.pb", &large)],
        zip::CompressionMethod::Deflated,
    );
    for (name, bytes) in [
        ("vm.xplane.pb.gz", gzip(&large)),
        ("vm.xplane.pb.zst", zstd(&large)),
        ("vm.xplane.riegeli", records),
        ("run.zip", archive),
    ] {
        let error = refusal(name, &bytes);
        assert!(
            matches!(error, StorageError::OverBudget { .. }),
            "{error:?}"
        );
        let said = error.to_string();
        assert!(
            said.contains(" of 8388608 bytes are left"),
            "{name}: {said}"
        );
        let hint = error.hint().expect("what to do");
        assert!(hint.contains("STEPSCOPE_MEMORY_BYTES"), "{hint}");
    }
    let tree = Tree::new();
    let path = tree.file("vm.xplane.pb.gz", &gzip(&fitting));
    let host = found(&path).sessions[0].hosts[0].clone();
    for _ in 0..10 {
        let held = open(&host, &NoProgress).expect("it fits");
        assert!(open(&host, &NoProgress).is_err(), "twice does not");
        drop(held);
    }
    // A plain file is mapped, whatever its size.
    let path = tree.file("plain/vm.xplane.pb", &large);
    assert!(open(&found(&path).sessions[0].hosts[0], &NoProgress).is_ok());
}

#[test]
fn hosts_that_are_opened_side_by_side_share_one_budget() {
    if !is_here_with_a_small_budget("hosts_that_are_opened_side_by_side_share_one_budget") {
        return;
    }
    let tree = Tree::new();
    for host in 0..8 {
        let bytes = gzip(&profile(host, 3 << 20));
        tree.file(
            &format!("log/plugins/profile/run/vm{host}.xplane.pb.gz"),
            &bytes,
        );
    }
    let files = found(tree.at("log")).sessions.remove(0);
    let opened = open_hosts(&files, Reads::Everything, |_| NoProgress);
    assert!(
        (1..=2).contains(&opened.inputs.len()),
        "{}",
        opened.inputs.len()
    );
    for (_, error) in &opened.unread {
        assert!(
            matches!(error, StorageError::OverBudget { .. }),
            "{error:?}"
        );
    }
    assert_eq!(opened.inputs.len() + opened.unread.len(), 8);
}

#[test]
fn a_trace_is_charged_while_it_is_converted() {
    if !is_here_with_a_small_budget("a_trace_is_charged_while_it_is_converted") {
        return;
    }
    let event = r#"{"ph":"X","pid":1,"tid":2,"ts":1,"dur":5,"name":"event"},"#;
    let text = format!(r#"{{"traceEvents":[{}{{}}]}}"#, event.repeat(200_000));
    let error = refusal("vm.trace.json", text.as_bytes());
    assert!(
        matches!(error, StorageError::OverBudget { .. }),
        "{error:?}"
    );
}

#[test]
fn many_small_files_take_no_more_than_the_budget() {
    if !is_here_with_a_small_budget("many_small_files_take_no_more_than_the_budget") {
        return;
    }
    let tree = Tree::new();
    let content = profile(1, 3 << 20);
    let hosts = ["a", "b", "c", "d"].map(|name| {
        let path = tree.file(&format!("{name}/vm.xplane.pb"), &content);
        found(&path).sessions[0].hosts[0].clone()
    });
    let opened = hosts.map(|host| open(&host, &NoProgress).expect("it opens"));
    assert!(opened.iter().all(|one| one.as_ref() == content));
    let mapped = opened
        .each_ref()
        .map(stepscope_storage::ProfileBytes::is_mapped);
    assert_eq!(mapped, [false, false, true, true]);
}
