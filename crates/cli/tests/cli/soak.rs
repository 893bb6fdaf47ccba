//! Many requests of many kinds over many sessions: no errors, and the server's memory and open
//! files do not grow. `cargo xtask soak --minutes N` runs it longer.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use stepscope_testing::corpus::{read_bytes, repository_root};
use stepscope_testing::mutate::Random;

use crate::server::Server;

const MINUTES: &str = "STEPSCOPE_SOAK_MINUTES";
const SESSIONS: usize = 30;
const CLIENTS: u64 = 6;
/// Of a run whose growth is judged: caches are full by then.
const LONG: Duration = Duration::from_mins(3);

const FIXTURES: [&str; 3] = [
    "fixtures/demo-gpt-cpu/plugins/profile/demo/vm.xplane.pb.gz",
    "fixtures/hosts4-cpu/plugins/profile/mlp_dp/host-0.xplane.pb.gz",
    "fixtures/drawn/gpu-h100.txt",
];

const PATHS: [&str; 12] = [
    "/analyses/report",
    "/analyses/overview",
    "/analyses/ops?limit=50&steps=1..2",
    "/analyses/advice",
    "/analyses/graph",
    "/analyses/memory",
    "/analyses/ops?format=csv",
    "/timeline/tile?start_ps=0&end_ps=1e12&width_px=1600",
    "/timeline/tile?start_ps=0&end_ps=1e9&width_px=800",
    "/timeline/search?query=dot",
    "/timeline/area?start_ps=0&end_ps=1e11&by=class",
    "/export.html",
];

fn sessions_in(folder: &Path) {
    for index in 0..SESSIONS {
        let run = folder.join(format!("plugins/profile/run_{index:02}"));
        fs::create_dir_all(&run).expect("a folder");
        let source = repository_root().join(FIXTURES[index % FIXTURES.len()]);
        let bytes = if source.extension().is_some_and(|ending| ending == "txt") {
            let text = fs::read_to_string(&source).expect("a drawing");
            stepscope_testing::drawing::draw(&text)
                .expect("a profile")
                .to_bytes()
        } else {
            read_bytes(&source).expect("a fixture")
        };
        fs::write(run.join("vm.xplane.pb"), bytes).expect("a file");
    }
}

/// What the server holds.
#[derive(Debug)]
struct Held {
    memory_bytes: u64,
    descriptors: usize,
}

fn held(server: &Server) -> Option<Held> {
    Some(Held {
        memory_bytes: server.memory_bytes("VmRSS")?,
        descriptors: server.descriptors()?,
    })
}

/// Asks at random until the time is over; every fourth request is not waited for.
fn client(server: &Server, seed: u64, until: Instant, asked: &AtomicU64) {
    let mut random = Random::of(seed);
    while Instant::now() < until {
        let session = random.below(SESSIONS);
        let path = PATHS[random.below(PATHS.len())];
        let path = format!("/api/sessions/{session}{path}");
        if random.below(4) == 0 {
            drop(server.ask(&path, ""));
        } else {
            let (status, body) = server.get_with(&path, "");
            // A session without memory or device refuses what would show it.
            assert!([200, 404].contains(&status), "{status} {path}: {body}");
        }
        asked.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn mixed_requests_leave_memory_and_descriptors_as_they_were() {
    let minutes = std::env::var(MINUTES)
        .ok()
        .and_then(|text| text.parse().ok());
    let length = minutes.map_or(Duration::from_secs(6), Duration::from_mins);
    let folder = tempfile::tempdir().expect("a folder");
    sessions_in(folder.path());
    let path = folder.path().to_str().expect("text");
    let server = Server::start(&["view", path, "--port", "0", "--no-report", "--no-token"]);
    let asked = AtomicU64::new(0);
    let begin = Instant::now();
    let run = |until: Instant, seed: u64| {
        std::thread::scope(|scope| {
            for client_number in 0..CLIENTS {
                let (server, asked) = (&server, &asked);
                scope.spawn(move || client(server, seed + client_number, until, asked));
            }
        });
        settled(&server)
    };
    let warm = run(begin + length / 3, 1);
    let later = run(begin + length, 100);
    eprintln!("{} requests: {warm:?}, then {later:?}", asked.into_inner());
    if let (Some(warm), Some(later)) = (warm, later) {
        assert!(
            later.descriptors <= warm.descriptors + 8,
            "{warm:?}, then {later:?}"
        );
        let most = warm.memory_bytes + warm.memory_bytes / 5;
        assert!(
            length < LONG || later.memory_bytes <= most,
            "{warm:?}, then {later:?}"
        );
    }
    assert_eq!(server.interrupt(), Some(0));
}

/// What the server holds after requests that nobody waits for have ended.
fn settled(server: &Server) -> Option<Held> {
    std::thread::sleep(Duration::from_secs(1));
    let _ = server.get_with("/api/version", "");
    held(server)
}

/// What others ask for beside a flood, some of it never asked before.
fn others(number: u32) -> [(&'static str, String); 3] {
    let of = "/api/sessions/1";
    [
        ("version", "/api/version".to_owned()),
        (
            "tile",
            format!("{of}/timeline/tile?start_ps=0&end_ps={number}e9&width_px=800"),
        ),
        ("report", format!("{of}/analyses/ops?limit={number}")),
    ]
}

/// Asks for one thing after the other until the flood is over, and once at least: how long the slowest
/// of each took.
fn ask_beside(server: &Server, is_over: &AtomicBool) -> Vec<(&'static str, Duration)> {
    let mut slowest: Vec<(&str, Duration)> = Vec::new();
    for number in 1.. {
        for (index, (name, path)) in others(number).into_iter().enumerate() {
            let start = Instant::now();
            assert_eq!(server.get_with(&path, "").0, 200, "{path}");
            let took = start.elapsed();
            match slowest.get_mut(index) {
                None => slowest.push((name, took)),
                Some((_, most)) => *most = took.max(*most),
            }
        }
        if is_over.load(Ordering::Relaxed) {
            break;
        }
    }
    slowest
}

/// Five hundred requests at once, of which half go away before their answer: how long the others took
/// in all, and the slowest that somebody else asked meanwhile.
fn flood(server: &Server, path: &str) -> (Duration, Vec<(&'static str, Duration)>) {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let start = Instant::now();
        let mut open: Vec<_> = (0..250).map(|_| server.ask(path, "")).collect();
        drop((0..250).map(|_| server.ask(path, "")).collect::<Vec<_>>());
        let beside = scope.spawn(|| ask_beside(server, &is_over));
        for stream in &mut open {
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).expect("an answer");
            assert!(answer.starts_with(b"HTTP/1.1 200"));
        }
        let took = start.elapsed();
        is_over.store(true, Ordering::Relaxed);
        (took, beside.join().expect("answered"))
    })
}

/// Answers of a flood are made in turn with what others ask for, not before it.
#[test]
fn five_hundred_tiles_or_reports_at_once_are_answered_and_others_are_not_kept_waiting() {
    let folder = tempfile::tempdir().expect("a folder");
    sessions_in(folder.path());
    let path = folder.path().to_str().expect("text");
    let server = Server::start(&["view", path, "--port", "0", "--no-report", "--no-token"]);
    for session in [0, 1] {
        let open = format!("/api/sessions/{session}/analyses/overview");
        assert_eq!(server.get_with(&open, "").0, 200);
    }
    for flooded in [
        "/api/sessions/0/timeline/tile?start_ps=0&end_ps=1e12&width_px=4000",
        "/api/sessions/0/timeline/area?start_ps=0&end_ps=1e12&by=name",
        // A table, which is made anew for each request.
        "/api/sessions/0/analyses/ops?format=csv",
    ] {
        let (took, beside) = flood(&server, flooded);
        eprintln!("{flooded} took {took:.1?}; beside it {beside:.1?}");
        for (name, slowest) in beside {
            // Where they wait for the flood, they take about as long as it does.
            let share = slowest.as_secs_f64() / took.as_secs_f64();
            assert!(
                share < 0.5,
                "{name} beside {flooded}: {slowest:?} of {took:?}"
            );
        }
    }
    assert_eq!(server.interrupt(), Some(0));
}
