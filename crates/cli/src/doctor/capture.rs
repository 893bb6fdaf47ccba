//! `stepscope doctor PATH`: the files of a capture, and the verdict on their contents.

use std::fs;
use std::io::{BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use flate2::bufread::MultiGzDecoder;
use stepscope_analysis::Analysis;
use stepscope_analysis::judging::verdict::{Severity, Verdict, VerdictOptions, VerdictReport};
use stepscope_analysis::telling::format::{bytes, counted};
use stepscope_model::Session;
use stepscope_storage::{Found, NoteKind, SessionFiles, open_regular, shown};

use super::check::Check;
use crate::exit::Failure;

/// IDs of the checks of files.
pub(crate) const IDS: &[&str] = &[
    "file_size",
    "file_access",
    "half_sessions",
    "viewer_cache",
    "trace_json",
];

/// A profile smaller than this has less than its own headers, so it is broken.
const SMALLEST_BYTES: u64 = 1024;

/// The verdict on an opened session.
pub(crate) fn verdict(session: &Session) -> Result<VerdictReport, Failure> {
    Ok(Verdict::run(session, &VerdictOptions {})?)
}

/// Whether the verdict has a finding for which the command exits with code 4.
pub(crate) fn is_bad(report: &VerdictReport) -> bool {
    let mut findings = report.findings.iter();
    findings.any(|finding| finding.severity == Severity::Bad)
}

/// Checks of the files of a session.
pub(crate) fn files(found: &Found, session: &SessionFiles) -> Vec<Check> {
    let mut checks = vec![sizes(session)];
    checks.extend(access(found));
    checks.extend(halves(session));
    let mut folders: Vec<PathBuf> = session
        .files()
        .filter(|host| host.entry.is_none())
        .filter_map(|host| host.path.parent().map(Path::to_owned))
        .collect();
    folders.sort();
    folders.dedup();
    for folder in folders {
        checks.extend(folder_checks(&folder));
    }
    debug_assert!(checks.iter().all(|check| IDS.contains(&check.id)));
    checks
}

fn sizes(session: &SessionFiles) -> Check {
    let small: Vec<String> = session
        .hosts
        .iter()
        .filter(|host| host.size_bytes < SMALLEST_BYTES)
        .map(|host| format!("{} has {} B", shown(&host.display_path()), host.size_bytes))
        .collect();
    if small.is_empty() {
        let files = match session.hosts.len() + session.memory.len() {
            0 => counted(session.programs.len(), "program"),
            profiles => counted(profiles, "profile"),
        };
        let size = bytes(session.size_bytes as f64);
        return Check::ok("file_size", format!("{files}, {size} in total."));
    }
    Check::bad(
        "file_size",
        format!(
            "{}: a profile with events is larger than 1 KB.",
            small.join(", ")
        ),
        "Capture again, and let the program end by itself: the file is written when the \
         profiler stops. A profile above 2 GiB leaves an empty file: capture fewer steps or with fewer \
         tracers, or have JAX 0.12 write *.xplane.riegeli (advanced_configuration \
         enable_continuous_profiling).",
    )
}

fn access(found: &Found) -> Option<Check> {
    let unreadable = found
        .notes
        .iter()
        .filter(|note| note.kind == NoteKind::Unreadable);
    let unreadable: Vec<String> = unreadable
        .map(|note| format!("{} ({})", shown(&note.path), note.message))
        .collect();
    (!unreadable.is_empty()).then(|| {
        Check::bad(
            "file_access",
            format!("Not readable: {}.", unreadable.join(", ")),
            "`chmod -R u+rX` the folder, or copy it as the user who captured it.",
        )
    })
}

fn halves(session: &SessionFiles) -> Option<Check> {
    (!session.joined_from.is_empty()).then(|| {
        Check::warning(
            "half_sessions",
            format!(
                "The hosts are in several run directories, {}: they stopped in different seconds. \
                 Stepscope shows them as one session; other tools show them separately.",
                session.joined_from.join(" and ")
            ),
            "Capture with Stepscope's Python package, or give all hosts one \
             `options.session_id`.",
        )
    })
}

fn folder_checks(folder: &Path) -> Vec<Check> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    files.sort();
    let name = |path: &PathBuf| {
        path.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let ending = |end: &[&str]| -> Vec<PathBuf> {
        let matching = files.iter().filter(|path| {
            let name = name(path);
            end.iter().any(|end| name.ends_with(end))
        });
        matching.cloned().collect()
    };
    let mut checks = Vec::new();
    let profiles = ending(&[
        ".xplane.pb",
        ".xplane.pb.gz",
        ".xplane.pb.zst",
        ".xplane.riegeli",
    ]);
    let is_cache = |path: &&PathBuf| {
        let name = name(path);
        let is_name = |part: &str| name.contains(part);
        [
            ".op_stats",
            ".SSTABLE",
            "cache_version",
            ".smart_suggestion",
        ]
        .into_iter()
        .any(is_name)
    };
    let caches: Vec<PathBuf> = files.iter().filter(is_cache).cloned().collect();
    checks.extend(cache(&profiles, &caches));
    for json in ending(&[".json.gz"]) {
        checks.extend(trace_json(&json));
    }
    checks
}

/// XProf caches its results next to the profiles, and shows them even after the profiles were
/// replaced.
fn cache(profiles: &[PathBuf], caches: &[PathBuf]) -> Option<Check> {
    let oldest = caches.iter().filter_map(|path| modified(path)).min()?;
    let newest = profiles.iter().filter_map(|path| modified(path)).max()?;
    let count = counted(caches.len(), "file");
    Some(if oldest < newest {
        Check::warning(
            "viewer_cache",
            format!(
                "XProf's cache ({count}) is older than the profile: XProf shows what was there \
                 before."
            ),
            format!("`rm {}`; Stepscope does not read them.", names(caches)),
        )
    } else {
        Check::ok(
            "viewer_cache",
            format!("XProf's cache is next to the profiles ({count}); Stepscope does not read it."),
        )
    })
}

fn names(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    names.join(" ")
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

/// A trace for Perfetto or the old trace viewer: compressed, not empty, and complete.
fn trace_json(path: &Path) -> Option<Check> {
    let size = fs::metadata(path).map_or(0, |metadata| metadata.len());
    let problem = match size {
        0 => "is empty: Perfetto cannot open it".to_owned(),
        _ => match unfolded(path) {
            Unfolded::Whole | Unfolded::Unread => return None,
            Unfolded::NotGzip => "is not gzip: Perfetto cannot open it".to_owned(),
            Unfolded::Cut(count) => format!(
                "is truncated or damaged after {}: other viewers reject it, Stepscope shows what \
                 comes before",
                bytes(count as f64)
            ),
        },
    };
    Some(Check::warning(
        "trace_json",
        format!("{} {problem}.", path.display()),
        "Open the *.xplane.pb next to it, which has more; the capture was interrupted while the \
         trace was written.",
    ))
}

/// The result of decompressing a file that should be gzip.
enum Unfolded {
    Whole,
    NotGzip,
    /// Number of bytes before it is truncated or damaged.
    Cut(u64),
    /// The system cannot read it, which is reported elsewhere.
    Unread,
}

fn unfolded(path: &Path) -> Unfolded {
    let Ok(mut file) = open_regular(path) else {
        return Unfolded::Unread;
    };
    let mut head = [0u8; 2];
    if file.read_exact(&mut head).is_err() || head != [0x1f, 0x8b] {
        return Unfolded::NotGzip;
    }
    let whole = head
        .as_slice()
        .chain(BufReader::with_capacity(1 << 18, file));
    let mut decoder = MultiGzDecoder::new(whole);
    let (mut block, mut count) = (vec![0; 1 << 18], 0);
    loop {
        match decoder.read(&mut block) {
            Ok(0) => return Unfolded::Whole,
            Ok(more) => count += more as u64,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return Unfolded::Cut(count),
        }
    }
}
