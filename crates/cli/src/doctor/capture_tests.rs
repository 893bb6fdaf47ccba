//! Captures generated as folders, with everything that can be wrong with their files; and the
//! troubleshooting page, which must name only what exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use stepscope_analysis::judging::verdict::rules::RULES;
use stepscope_testing::{corpus, drawing};
use tempfile::TempDir;

use super::capture::{IDS, files};
use super::check::{Check, Status};
use super::checks::GROUPS;

const PROFILE: &str = "
    host vm
    device gpu:0 nvidia H100
    stream 7 Compute
    repeat 40 every 100us
      10..90us  gemm$i [hlo_op=dot.1 program_id=5 hlo_module=jit_step]
    end
";

/// A run directory with files, created in this order.
struct Logs {
    folder: TempDir,
}

impl Logs {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self { folder }
    }

    fn path(&self, run: &str, name: &str) -> PathBuf {
        self.folder
            .path()
            .join("plugins/profile")
            .join(run)
            .join(name)
    }

    fn file(self, run: &str, name: &str, bytes: &[u8]) -> Self {
        let path = self.path(run, name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("created");
        fs::write(path, bytes).expect("written");
        self
    }

    fn profile(self, run: &str, host: &str) -> Self {
        let bytes = drawing::draw(PROFILE).expect("well formed").to_bytes();
        assert!(bytes.len() > 1024);
        self.file(run, &format!("{host}.xplane.pb"), &bytes)
    }

    fn checks(&self) -> Vec<Check> {
        let found = stepscope_storage::find(self.folder.path()).expect("a capture");
        files(&found, found.newest().expect("a session"))
    }
}

const RUN: &str = "2026_11_21_10_00_00";

/// For each complaint: a capture that has it, its status, and part of the message.
fn ill() -> Vec<(Logs, &'static str, Status, &'static str)> {
    use Status::{Bad, Warning};
    let healthy = || Logs::new().profile(RUN, "vm");
    let broken_link = healthy();
    std::os::unix::fs::symlink(
        "/nowhere/vm2.xplane.pb",
        broken_link.path(RUN, "vm2.xplane.pb"),
    )
    .expect("a link");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, &b"{\"traceEvents\": []}".repeat(99)).expect("in memory");
    let whole = gzip.finish().expect("in memory");
    let cut = whole[..whole.len() - 4].to_vec();
    let stale = Logs::new()
        .file(RUN, "ALL_HOSTS.op_stats_v2.pb", b"cache")
        .profile(RUN, "vm");
    let cache = fs::File::options()
        .write(true)
        .open(stale.path(RUN, "ALL_HOSTS.op_stats_v2.pb"))
        .expect("it is there");
    cache
        .set_modified(std::time::SystemTime::UNIX_EPOCH)
        .expect("it is ours");
    vec![
        (
            Logs::new().file(RUN, "vm.xplane.pb", b""),
            "file_size",
            Bad,
            "vm.xplane.pb has 0 B",
        ),
        (broken_link, "file_access", Bad, "a link that leads nowhere"),
        (
            healthy().profile("2026_11_21_10_00_01", "vm2"),
            "half_sessions",
            Warning,
            "2026_11_21_10_00_00 and 2026_11_21_10_00_01",
        ),
        (stale, "viewer_cache", Warning, "is older than the profile"),
        (
            healthy().file(RUN, "vm.trace.json.gz", b""),
            "trace_json",
            Warning,
            "vm.trace.json.gz is empty",
        ),
        (
            healthy().file(RUN, "perfetto_trace.json.gz", b"{\"traceEvents\": []}"),
            "trace_json",
            Warning,
            "perfetto_trace.json.gz is not gzip",
        ),
        (
            healthy().file(RUN, "vm.trace.json.gz", &cut),
            "trace_json",
            Warning,
            "vm.trace.json.gz is truncated or damaged after",
        ),
    ]
}

#[test]
fn each_ill_capture_is_found_and_no_other() {
    for (logs, id, status, part) in ill() {
        let checks = logs.checks();
        let complaints: Vec<&Check> = checks
            .iter()
            .filter(|check| check.status != Status::Ok)
            .collect();
        let [complaint] = complaints.as_slice() else {
            panic!("{id}: {complaints:?}");
        };
        assert_eq!(
            (complaint.id, complaint.status),
            (id, status),
            "{}",
            complaint.what
        );
        assert!(complaint.what.contains(part), "{id}: {}", complaint.what);
        assert!(!complaint.fix.is_empty(), "{id}");
    }
}

#[test]
fn every_check_of_files_is_told_by_some_capture() {
    let told: BTreeSet<&str> = ill().iter().map(|case| case.1).collect();
    assert_eq!(told, IDS.iter().copied().collect());
}

#[test]
fn healthy_captures_have_no_complaints() {
    for capture in corpus::fixtures().into_iter().chain(corpus::captures()) {
        let found = stepscope_storage::find(&capture.folder).expect("a capture");
        for check in files(&found, found.newest().expect("a session")) {
            assert_eq!(check.status, Status::Ok, "{}: {check:?}", capture.name);
        }
    }
    let cached = Logs::new()
        .profile(RUN, "vm")
        .file(RUN, "ALL_HOSTS.op_stats_v2.pb", b"cache");
    assert!(
        cached
            .checks()
            .iter()
            .all(|check| check.status == Status::Ok)
    );
}

/// Every row of the page names findings or checks that exist; the tests of the rules and checks
/// prove that each one is reported for some synthetic profile.
#[test]
fn the_troubleshooting_page_names_what_there_is() {
    let path = corpus::repository_root().join("docs/guides/troubleshooting.md");
    let page = fs::read_to_string(path).expect("the page is there");
    let findings: BTreeSet<&str> = RULES.iter().flat_map(|rule| rule.ids).copied().collect();
    let checks = GROUPS.iter().flat_map(|group| group.ids).chain(IDS);
    let checks: BTreeSet<&str> = checks.copied().collect();
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let rows: Vec<&str> = rows.filter(|line| !line.starts_with("| Symptom")).collect();
    assert!(rows.len() >= 25, "{} rows", rows.len());
    let mut named = BTreeSet::new();
    for row in rows {
        let columns: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        assert_eq!(columns.len(), 4, "{row}");
        let shown = columns[3].trim();
        // Commands that reach other machines report errors from there; their own tests cover them.
        if shown == "the message itself" {
            continue;
        }
        for name in shown.split(", ") {
            let (kind, id) = name.split_once(' ').unwrap_or_else(|| panic!("{row}"));
            let id = id.trim_matches('`');
            let known = match kind {
                "finding" => &findings,
                "check" => &checks,
                _ => panic!("{kind} in {row}"),
            };
            assert!(known.contains(id), "no {kind} {id}: {row}");
            named.insert(id.to_owned());
        }
    }
    // What is bad has a row where people look for it.
    for id in [
        "truncated",
        "no_events",
        "no_device_work",
        "jaxlib",
        "cupti",
        "file_size",
    ] {
        assert!(named.contains(id), "{id} has no row");
    }
}

/// The page of the analysis lists every finding and no others.
#[test]
fn the_page_of_the_verdict_lists_its_findings() {
    let path = corpus::repository_root().join("docs/reference/analyses/verdict.md");
    let page = fs::read_to_string(path).expect("the page is there");
    let table = page.split("| id | severity |").nth(1).unwrap_or_default();
    let rows = table.lines().take_while(|line| !line.starts_with('#'));
    let rows = rows.filter(|line| line.starts_with("| `"));
    let listed: BTreeSet<&str> = rows
        .filter_map(|row| row.split(" | ").next())
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect();
    let declared: BTreeSet<&str> = RULES.iter().flat_map(|rule| rule.ids).copied().collect();
    assert_eq!(listed, declared);
}
