//! Mutated copies of the fixtures, by the thousand: the test that normal runs do a few dozen of.

use anyhow::{Context, Result, bail};

use crate::process;

/// Files of a run that asks for no number.
const FILES: u64 = 1000;

/// `--files N` and `--seed N`: how many files, and the number of the first.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let (mut files, mut seed) = (FILES, 1);
    for pair in arguments.chunks(2) {
        let &[option, value] = pair else {
            bail!("{} needs a number", pair.join(" "));
        };
        let number = value
            .parse()
            .with_context(|| format!("{option} {value}: a number is needed"))?;
        match option {
            "--files" => files = number,
            "--seed" => seed = number,
            _ => bail!("not an option: {option}; there are --files N and --seed N"),
        }
    }
    // Optimized, as users run it, so that slow answers are slow; with the checks of a test.
    let mut command = process::cargo(&[
        "test",
        "--release",
        "--config",
        "profile.release.overflow-checks=true",
        "--config",
        "profile.release.debug-assertions=true",
        "--package",
        "stepscope-cli",
        "--test",
        "mutations",
    ]);
    command
        .args(["mutated", "--", "--nocapture"])
        .env("STEPSCOPE_MUTATED_FILES", files.to_string())
        .env("STEPSCOPE_MUTATION_SEED", seed.to_string());
    process::run(&mut command).map(drop)
}
