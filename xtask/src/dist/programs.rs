//! The programs of a release, built with the profile `dist`, none larger than what we promise.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use cargo_metadata::MetadataCommand;

use super::release::{Release, size_bytes};
use crate::process;

/// A program: its package, its name, and the bytes it may have.
struct Program {
    package: &'static str,
    name: &'static str,
    most_bytes: u64,
}

/// One after the other, so that `stepscope` has none of the features that the others ask of crates
/// that all use.
const PROGRAMS: [Program; 3] = [
    Program {
        package: "stepscope-cli",
        name: "stepscope",
        most_bytes: 45_000_000,
    },
    Program {
        package: "stepscope-sql",
        name: "stepscope-sql",
        most_bytes: 90_000_000,
    },
    Program {
        package: "stepscope-fleet",
        name: "stepscope-fleet",
        most_bytes: 130_000_000,
    },
];

/// The names of the programs.
pub(super) fn names() -> [&'static str; PROGRAMS.len()] {
    PROGRAMS.map(|program| program.name)
}

/// Builds the programs and gives their paths.
///
/// # Errors
///
/// A build fails, or a program is too large.
pub(super) fn build(release: &Release) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for program in &PROGRAMS {
        let mut arguments = vec!["build", "--locked", "--profile", "dist"];
        arguments.extend(["--package", program.package, "--bin", program.name]);
        arguments.extend(release.target.arguments());
        process::run(&mut process::cargo(&arguments))?;
        let path = built(release)?.join(release.target.program(program.name));
        check(program, size_bytes(&path)?)?;
        paths.push(path);
    }
    Ok(paths)
}

/// Where cargo leaves the programs.
pub(super) fn built(release: &Release) -> Result<PathBuf> {
    let metadata = MetadataCommand::new()
        .manifest_path(release.root.join("Cargo.toml"))
        .no_deps()
        .exec()
        .context("cannot ask cargo where it builds")?;
    Ok(release
        .target
        .built(metadata.target_directory.as_std_path()))
}

fn check(program: &Program, bytes: u64) -> Result<()> {
    let (name, most) = (program.name, program.most_bytes);
    if bytes > most {
        bail!("{name} has {bytes} bytes, and a release has at most {most}");
    }
    println!("{name}: {bytes} bytes of at most {most}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_too_large_is_refused() {
        let [stepscope, ..] = &PROGRAMS;
        assert!(check(stepscope, 45_000_000).is_ok());
        assert!(check(stepscope, 45_000_001).is_err());
    }
}
