//! Files with extreme numbers, and mutated copies of all fixtures: every question is asked of each,
//! with overflow checks. `cargo xtask mutate --files N` runs it over many more files.

mod exports;
mod fuzzed;
mod questions;
mod served;
#[expect(dead_code, reason = "the end-to-end tests use the rest")]
#[path = "../cli/server.rs"]
mod server;
#[expect(dead_code, reason = "the end-to-end tests use the rest")]
#[path = "../cli/support.rs"]
mod support;
mod traces;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use questions::{Slowest, ask};
use stepscope_testing::corpus::{read_bytes, repository_root};
use stepscope_testing::mutate::{self, EXTREMES, Random};
use stepscope_testing::pprof::Profile;
use stepscope_testing::seeds::of as fuzz_seeds;
use stepscope_testing::space::{EventData, XSpace};
use stepscope_testing::{corrupt, drawing};

/// How many files are made, and from which seed on.
const FILES: &str = "STEPSCOPE_MUTATED_FILES";
const SEED: &str = "STEPSCOPE_MUTATION_SEED";
/// Files of a normal run.
const FEW: u64 = 48;
/// Longest file that is mutated: large ones take long and show nothing else.
const LONGEST: usize = 200_000;
/// No answer over a small file may take longer. Checked only where many files were asked for, which
/// `cargo xtask mutate` does with optimized code.
const SLOW: Duration = Duration::from_secs(20);

/// A file to start from: its name, as it is stored without compression.
struct Seed {
    name: String,
    bytes: Vec<u8>,
}

fn files_under(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files_under(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn drawn() -> Vec<Seed> {
    let folder = repository_root().join("fixtures/drawn");
    let mut paths = Vec::new();
    files_under(&folder, &mut paths);
    let draw = |path: &PathBuf| {
        let text = fs::read_to_string(path).expect("a drawing");
        let space = drawing::draw(&text).unwrap_or_else(|error| panic!("{error}"));
        Seed {
            name: "vm.xplane.pb".to_owned(),
            bytes: space.to_bytes(),
        }
    };
    paths.iter().map(draw).collect()
}

/// Every kind of file among the fixtures, the drawings, and traces written by hand.
fn seeds() -> Vec<Seed> {
    let mut paths = Vec::new();
    files_under(&repository_root().join("fixtures"), &mut paths);
    let mut seeds = drawn();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.trim_end_matches(".gz").to_owned();
        let is_wanted = [".xplane.pb", ".trace.json", ".prof", ".riegeli"]
            .iter()
            .any(|ending| name.ends_with(ending));
        let bytes = is_wanted.then(|| read_bytes(&path).expect("readable"));
        if let Some(bytes) = bytes.filter(|bytes| bytes.len() <= LONGEST) {
            seeds.push(Seed { name, bytes });
        }
    }
    let perfetto = traces::perfetto(&[(1_000, 0), (2_000, 500), (9_000, 100)]);
    for (name, bytes) in [
        ("run.pftrace", perfetto),
        (
            "run.trace.json",
            traces::chrome(&[("1", "5"), ("2.5", "1")]),
        ),
    ] {
        let name = name.to_owned();
        seeds.push(Seed { name, bytes });
    }
    seeds.extend(archives_and_programs());
    seeds
}

/// The seeds of the fuzz targets that no fixture is like: zip, tar, and programs alone.
fn archives_and_programs() -> Vec<Seed> {
    let archives = fuzz_seeds("archives").into_iter();
    let is_archive = |name: &str| [".zip", ".tar"].iter().any(|kind| name.ends_with(kind));
    let archives = archives.filter(|(name, _)| is_archive(name));
    let programs = fuzz_seeds("hlo").into_iter();
    let programs = programs.map(|(_, bytes)| ("jit_f.hlo_proto.pb".to_owned(), bytes));
    let all = archives.chain(programs);
    let seeds: Vec<Seed> = all.map(|(name, bytes)| Seed { name, bytes }).collect();
    for kind in ["zip", "tar", "pb"] {
        assert!(seeds.iter().any(|seed| seed.name.ends_with(kind)), "{kind}");
    }
    seeds
}

fn number_of(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

fn first_seed() -> u64 {
    number_of(SEED).unwrap_or(1)
}

/// A mutated copy of a seed.
struct Mutated {
    /// How to make it again.
    about: String,
    name: String,
    bytes: Vec<u8>,
}

fn mutated(number: u64, seeds: &[Seed]) -> Mutated {
    let mut random = Random::of(number);
    let seed = &seeds[random.below(seeds.len())];
    let other = &seeds[random.below(seeds.len())];
    let space = XSpace::from_bytes(&seed.bytes).ok();
    let bytes = match space.filter(|_| seed.name.contains(".xplane.pb") && random.below(3) > 0) {
        Some(mut space) => {
            mutate::space(&mut space, &mut random);
            space.to_bytes()
        }
        None => mutate::bytes(&seed.bytes, &other.bytes, &mut random),
    };
    Mutated {
        about: format!("{SEED}={number}, of {}", seed.name),
        name: seed.name.clone(),
        bytes,
    }
}

#[test]
fn fixtures_as_they_are_give_possible_figures() {
    let mut slowest = Slowest::default();
    for seed in seeds() {
        assert!(
            ask(&seed.name, &seed.name, seed.bytes.clone(), &mut slowest),
            "{} is refused",
            seed.name
        );
    }
}

#[test]
fn mutated_fixtures_are_answered_or_refused() {
    let seeds = seeds();
    let count = number_of(FILES).unwrap_or(FEW);
    let first = first_seed();
    let (mut slowest, mut opened) = (Slowest::default(), 0);
    for number in first..first + count {
        let Mutated { about, name, bytes } = mutated(number, &seeds);
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            ask(&about, &name, bytes, &mut slowest)
        }));
        opened += u64::from(caught.unwrap_or_else(|_| panic!("{about} fails")));
    }
    eprintln!(
        "{count} files, {opened} opened; the slowest took {:.1?}: {}",
        slowest.took, slowest.asked
    );
    assert!(opened > 0);
    assert!(number_of(FILES).is_none() || slowest.took < SLOW);
}

#[test]
fn extreme_times_of_a_profile_give_possible_figures() {
    let mut slowest = Slowest::default();
    for (name, space) in corrupt::extreme_spaces() {
        ask(name, "vm.xplane.pb", space.to_bytes(), &mut slowest);
    }
    for seed in drawn() {
        let space = XSpace::from_bytes(&seed.bytes).expect("a profile");
        for shift in 0..6 {
            let mut extreme = space.clone();
            let events = extreme.planes.iter_mut().flat_map(|plane| &mut plane.lines);
            for (index, event) in events.flat_map(|line| &mut line.events).enumerate() {
                let start = EXTREMES[(index * 5 + shift) % EXTREMES.len()];
                event.data = Some(EventData::OffsetPs(start));
                event.duration_ps = EXTREMES[(index * 7 + shift * 2) % EXTREMES.len()];
            }
            let about = format!("extreme times {shift}");
            assert!(ask(
                &about,
                "vm.xplane.pb",
                extreme.to_bytes(),
                &mut slowest
            ));
        }
        let mut longest = space;
        let lines = longest.planes.iter_mut().flat_map(|plane| &mut plane.lines);
        for event in lines.flat_map(|line| &mut line.events) {
            event.duration_ps = i64::MAX;
        }
        assert!(ask(
            "longest",
            "vm.xplane.pb",
            longest.to_bytes(),
            &mut slowest
        ));
    }
}

#[test]
fn extreme_times_of_traces_give_possible_figures() {
    let mut slowest = Slowest::default();
    let texts: Vec<String> = EXTREMES.iter().map(i64::to_string).collect();
    let mut texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    texts.extend([
        "1e300",
        "-1e18",
        "9e18",
        "0.5",
        "99999999999999999999",
        "1e12",
    ]);
    let texts = texts.as_slice();
    let every = |shift: usize| {
        let start = move |index: usize| texts[(index + shift) % texts.len()];
        let duration = move |index: usize| texts[(index * 5 + shift) % texts.len()];
        (0..40).map(move |index| (start(index), duration(index)))
    };
    for shift in 0..texts.len() {
        let events: Vec<(&str, &str)> = std::iter::once(("0", "1")).chain(every(shift)).collect();
        let file = traces::chrome(&events);
        assert!(ask("extreme trace", "run.trace.json", file, &mut slowest));
        let events: Vec<(u64, u64)> = (0..40)
            .map(|index| {
                let number = |at: usize| EXTREMES[at % EXTREMES.len()].cast_unsigned();
                (number(index + shift), number(index * 5 + shift))
            })
            .collect();
        let file = traces::perfetto(&events);
        assert!(ask("extreme packets", "run.pftrace", file, &mut slowest));
    }
}

#[test]
fn extreme_amounts_of_memory_give_possible_figures() {
    let mut slowest = Slowest::default();
    let stack: &[&str] = &["inner a.py:1", "outer b.py:2"];
    for (index, &bytes) in EXTREMES.iter().enumerate() {
        let count = EXTREMES[(index * 5) % EXTREMES.len()];
        let sample = (stack, "buffer", "TPU_0", count, bytes);
        let profile = Profile::drawn(&[sample, sample, sample]);
        assert!(ask("memory", "m.prof", profile.to_bytes(), &mut slowest));
    }
}
