//! The Pythons of this machine that can create environments, found by name and in pyenv's folders.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::setup;

/// Variable that names the Python to use.
const VARIABLE: &str = "STEPSCOPE_PYTHON";
/// Oldest first: most requirements are pinned to versions that it can install.
const NAMES: [&str; 7] = [
    "python3.11",
    "python3.12",
    "python3.13",
    "python3.14",
    "python3.15",
    "python3",
    "python",
];
/// The oldest Python that the package supports.
const OLDEST: (u32, u32) = (3, 11);
/// The Pythons that only the newest jax has wheels for.
const NEWEST: [(u32, u32); 3] = [(3, 12), (3, 13), (3, 14)];

/// Prints the version, and fails if environments cannot be created.
const PROBE: &str = "import sys, venv, ensurepip; print(*sys.version_info[:2])";

/// A Python that can create environments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Python {
    pub(super) program: PathBuf,
    pub(super) version: (u32, u32),
}

/// The Python of most environments, installed if that is safe to do.
pub(super) fn find_or_install() -> Result<Python> {
    if let Some(python) = find() {
        return Ok(python);
    }
    if setup::may_install() {
        setup::apt_install(&["python3", "python3-venv"])?;
    }
    require()
}

/// The Python of most environments.
pub(super) fn require() -> Result<Python> {
    find().with_context(missing)
}

/// The newest Python that the newest jax supports; `None` if the machine has none of them.
pub(super) fn newest() -> Option<Python> {
    let found = NAMES.iter().map(PathBuf::from).chain(of_pyenv());
    pick(found.filter_map(probe))
}

/// The message if `newest` finds nothing.
pub(super) fn untried() -> String {
    let versions = NEWEST.map(|(major, minor)| format!("{major}.{minor}"));
    format!(
        "no Python {} with its venv module is here, on the path or in the versions of pyenv, so the \
         tests were not tried with them",
        versions.join(", ")
    )
}

fn find() -> Option<Python> {
    let named = env::var_os(VARIABLE).map(PathBuf::from);
    let candidates = NAMES.iter().map(PathBuf::from);
    named.into_iter().chain(candidates).find_map(probe)
}

/// The first one with the newest version among those that qualify.
fn pick(found: impl Iterator<Item = Python>) -> Option<Python> {
    let mut best: Option<Python> = None;
    for python in found.filter(|python| NEWEST.contains(&python.version)) {
        if best
            .as_ref()
            .is_none_or(|best| best.version < python.version)
        {
            best = Some(python);
        }
    }
    best
}

/// Pythons that pyenv installed, whether or not its shims are on the path.
fn of_pyenv() -> Vec<PathBuf> {
    let root = env::var_os("PYENV_ROOT").map(PathBuf::from);
    let home = env::home_dir().map(|home| home.join(".pyenv"));
    root.or(home)
        .map_or_else(Vec::new, |root| in_versions(&root.join("versions")))
}

fn in_versions(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut programs: Vec<PathBuf> = entries
        .map(|entry| entry.path().join("bin/python"))
        .filter(|program| program.is_file())
        .collect();
    programs.sort();
    programs
}

fn probe(program: PathBuf) -> Option<Python> {
    let output = Command::new(&program).args(["-c", PROBE]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut numbers = text.split_whitespace().map_while(|part| part.parse().ok());
    let version = (numbers.next()?, numbers.next()?);
    (output.status.success() && version >= OLDEST).then_some(Python { program, version })
}

fn missing() -> String {
    format!(
        "the Python package is built and tested with Python {}.{} or newer with its venv module, and \
         none of {} is one; install it, or name one in {VARIABLE}",
        OLDEST.0,
        OLDEST.1,
        NAMES.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn python(program: &str, version: (u32, u32)) -> Python {
        Python {
            program: PathBuf::from(program),
            version,
        }
    }

    #[test]
    fn what_is_no_python_is_passed_over() {
        assert!(probe(PathBuf::from("no-such-python")).is_none());
        assert!(probe(PathBuf::from("cargo")).is_none());
    }

    #[test]
    fn the_newest_that_counts_is_picked() {
        let pick_of = |found: &[Python]| pick(found.iter().cloned());
        let (old, new) = (python("old", (3, 11)), python("new", (3, 13)));
        let (middle, later) = (python("middle", (3, 12)), python("later", (3, 99)));
        let all = [old.clone(), middle.clone(), new.clone(), later.clone()];
        assert_eq!(pick_of(&all), Some(new));
        assert_eq!(
            pick_of(&[middle.clone(), python("again", (3, 12))]),
            Some(middle)
        );
        assert_eq!(pick_of(&[old, later]), None);
        assert!(untried().contains("3.12, 3.13, 3.14"));
    }

    #[test]
    fn versions_of_pyenv_are_found_in_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["3.13.0", "3.12.1", "empty"] {
            fs::create_dir_all(folder.path().join(name).join("bin")).unwrap();
        }
        let programs = ["3.12.1", "3.13.0"].map(|name| folder.path().join(name).join("bin/python"));
        for program in &programs {
            fs::write(program, "").unwrap();
        }
        assert_eq!(in_versions(folder.path()), programs);
        assert!(in_versions(&folder.path().join("absent")).is_empty());
    }
}
