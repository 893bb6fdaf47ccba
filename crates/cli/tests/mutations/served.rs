//! Mutated files in the folder of a server: every page of each is answered or refused, and the
//! server goes on, within its budget of memory.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::server::Server;
use crate::{FILES, Mutated, first_seed, mutated, number_of, seeds};

/// Files of a normal run, and of one server: each looks at its folder anew.
const FEW: u64 = 12;
const OF_A_SERVER: u64 = 50;
/// No answer over a small file may take longer, checked only where many files were asked for.
const SLOW: Duration = Duration::from_secs(20);
/// What the server may hold of profiles, and the most that it may take in all.
const BUDGET_BYTES: u64 = 512 << 20;
const MOST_BYTES: u64 = 3 << 29;

/// What the pages ask of a session.
const PATHS: [&str; 13] = [
    "/",
    "/analyses/report",
    "/analyses/overview",
    "/analyses/advice",
    "/analyses/graph",
    "/analyses/timeline",
    "/analyses/heap",
    "/timeline/tile?start_ps=0&end_ps=1e12&width_px=1600",
    "/timeline/tile?start_ps=-1e300&end_ps=1e300&width_px=16384",
    "/timeline/area?start_ps=0&end_ps=1e12&by=scope",
    "/timeline/search?query=.*",
    "/timeline/occurrences?name=dot.1&start_ps=1e9",
    "/export.html?redact=true",
];

#[test]
fn a_server_answers_about_mutated_files_and_lives() {
    let seeds = seeds();
    let count = number_of(FILES).map_or(FEW, |files| files.min(10_000));
    let first = first_seed();
    let mut slowest = (Duration::ZERO, String::new());
    for begin in (first..first + count).step_by(usize::try_from(OF_A_SERVER).expect("small")) {
        let numbers = begin..(begin + OF_A_SERVER).min(first + count);
        let files: Vec<Mutated> = numbers.map(|number| mutated(number, &seeds)).collect();
        let folder = tempfile::tempdir().expect("a folder");
        write_runs(folder.path(), &files);
        ask_all(folder.path(), &files, &mut slowest);
    }
    eprintln!(
        "served {count} files; the slowest took {:.1?}: {}",
        slowest.0, slowest.1
    );
    assert!(
        number_of(FILES).is_none() || slowest.0 < SLOW,
        "{}",
        slowest.1
    );
}

fn write_runs(folder: &Path, files: &[Mutated]) {
    for (index, file) in files.iter().enumerate() {
        let run = folder.join(format!("plugins/profile/run_{index}"));
        fs::create_dir_all(&run).expect("a folder");
        fs::write(run.join(&file.name), &file.bytes).expect("a file");
    }
}

fn ask_all(folder: &Path, files: &[Mutated], slowest: &mut (Duration, String)) {
    let path = folder.to_str().expect("text");
    let budget = BUDGET_BYTES.to_string();
    let server = Server::start_with(
        &["view", path, "--port", "0", "--no-report"],
        &[("STEPSCOPE_MEMORY_BYTES", &budget)],
    );
    for index in 0..files.len() {
        for path in PATHS {
            let start = Instant::now();
            let (status, body) = server.get(&format!("/api/sessions/{index}{path}"));
            let asked = || format!("{path} of session {index}: {}", known(files));
            assert_ne!(status, 500, "{}: {body}", asked());
            if start.elapsed() > slowest.0 {
                *slowest = (start.elapsed(), asked());
            }
        }
    }
    assert_eq!(server.get("/api/version").0, 200, "{}", known(files));
    if let Some(most) = server.memory_bytes("VmHWM") {
        assert!(most < MOST_BYTES, "{most} bytes: {}", known(files));
    }
    assert_eq!(server.interrupt(), Some(0));
}

/// How to make the files again.
fn known(files: &[Mutated]) -> &str {
    files.first().map_or("", |file| &file.about)
}
