//! The seeds of the fuzz targets, for tests that run what the targets check without a fuzzer.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;

use crate::corpus::repository_root;
use crate::mutate::{self, Random};

/// The folder with the seeds of a target.
pub fn folder(target: &str) -> PathBuf {
    repository_root().join("fuzz/seeds").join(target)
}

/// The seeds of a target by their names.
///
/// # Panics
///
/// The target has none.
pub fn of(target: &str) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder(target)).expect("a target with seeds");
    let mut seeds: Vec<(String, Vec<u8>)> = entries
        .map(|entry| {
            let entry = entry.expect("a seed");
            let bytes = fs::read(entry.path()).expect("a file");
            (entry.file_name().to_string_lossy().into_owned(), bytes)
        })
        .collect();
    seeds.sort();
    assert!(!seeds.is_empty(), "{target} has no seeds");
    seeds
}

/// Runs a check on the seeds of a target and on `copies` mutated copies of them, always the same.
/// `STEPSCOPE_MUTATED_FILES` asks for another number, and `STEPSCOPE_MUTATION_SEED` for others.
///
/// # Panics
///
/// The check does; standard error then tells which input it was.
pub fn check_mutated(target: &str, copies: u64, check: fn(&[u8])) {
    let seeds = of(target);
    let check = |about: String, bytes: &[u8]| {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(bytes))) {
            say(&format!(
                "{about} fails: {:?}",
                String::from_utf8_lossy(bytes)
            ));
            resume_unwind(panic);
        }
    };
    for (name, bytes) in &seeds {
        check(format!("{target}/{name}"), bytes);
    }
    let given = |name: &str| std::env::var(name).ok()?.parse().ok();
    let first: u64 = given("STEPSCOPE_MUTATION_SEED").unwrap_or(1);
    let copies = given("STEPSCOPE_MUTATED_FILES").unwrap_or(copies);
    for number in first..first + copies {
        let mut random = Random::of(number);
        let (name, bytes) = &seeds[random.below(seeds.len())];
        let (_, other) = &seeds[random.below(seeds.len())];
        let mutated = mutate::bytes(bytes, other, &mut random);
        check(format!("copy {number}, of {target}/{name},"), &mutated);
    }
}

#[expect(clippy::print_stderr, reason = "a failing test says what it failed on")]
fn say(text: &str) {
    eprintln!("{text}");
}
