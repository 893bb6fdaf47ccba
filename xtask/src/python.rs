//! The Python package: environments with pinned requirements, the wheel, and its tests.

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use self::interpreters::Python;
use crate::counts::Counts;
use crate::{process, tree};

mod interpreters;

/// One environment: what is installed in it, and which tests run there.
struct Environment {
    name: &'static str,
    requirements: &'static str,
    /// `None` if only the browser tests use it.
    tests: Option<&'static str>,
    selection: &'static [&'static str],
}

const LATEST: Environment = Environment {
    name: "latest",
    requirements: "python/tests/requirements.txt",
    tests: Some("python/tests"),
    selection: &[],
};

const OLDEST: Environment = Environment {
    name: "oldest",
    requirements: "python/tests/requirements-oldest.txt",
    tests: Some("python/tests"),
    selection: &["-m", "oldest"],
};

/// The newest jax, on the newest Python of the machine: all tests that make captures, but not those
/// of reading them and of other programs, for which the version of jax makes no difference.
const NEWEST: Environment = Environment {
    name: "newest",
    requirements: "python/tests/requirements-newest.txt",
    tests: Some("python/tests"),
    selection: &[
        "--ignore=python/tests/test_arrow.py",
        "--ignore=python/tests/test_benchmark_overhead.py",
        "--ignore=python/tests/test_docs.py",
        "--ignore=python/tests/test_examples.py",
        "--ignore=python/tests/test_export.py",
        "--ignore=python/tests/test_gate.py",
        "--ignore=python/tests/test_names.py",
        "--ignore=python/tests/test_notebook_widget.py",
        "--ignore=python/tests/test_notebooks.py",
        "--ignore=python/tests/test_plots.py",
        "--ignore=python/tests/test_session_errors.py",
        "--ignore=python/tests/test_sessions.py",
        "--ignore=python/tests/test_share.py",
        "--ignore=python/tests/test_xprof.py",
    ],
};

/// Other servers and TensorBoard, which need their own versions and no jax.
const FAR: Environment = Environment {
    name: "far",
    requirements: "python/tests_far/requirements.txt",
    tests: Some("python/tests_far"),
    selection: &[],
};

/// JupyterLab and marimo, which the browser tests start.
const NOTEBOOKS: Environment = Environment {
    name: "notebooks",
    requirements: "ui/e2e/requirements-notebooks.txt",
    tests: None,
    selection: &[],
};

/// What makes releases: it has no tests.
const RELEASE: Environment = Environment {
    name: "release",
    requirements: "xtask/requirements.txt",
    tests: None,
    selection: &[],
};

/// What installs the requirements of all others.
const INSTALLER: Environment = Environment {
    name: "installer",
    requirements: "xtask/requirements-installer.txt",
    tests: None,
    selection: &[],
};

const ENVIRONMENTS: [Environment; 5] = [LATEST, OLDEST, NEWEST, FAR, NOTEBOOKS];

/// Test files run side by side: most wait for processes that they start.
const SIDE_BY_SIDE: [&str; 4] = ["--numprocesses", "2", "--dist", "loadfile"];

/// The Python for an environment; `None` if the machine lacks it and it is optional.
fn python_of(environment: &Environment, usual: &Python) -> Option<Python> {
    if environment.name == NEWEST.name {
        interpreters::newest()
    } else {
        Some(usual.clone())
    }
}

/// Creates the environments whose requirements or Python changed.
pub(crate) fn set_up() -> Result<()> {
    let usual = interpreters::find_or_install()?;
    for environment in &ENVIRONMENTS {
        match python_of(environment, &usual) {
            Some(python) => make(environment, &python)?,
            None => println!("{}: {}", environment.name, interpreters::untried()),
        }
    }
    Ok(())
}

/// The environment with maturin, Zig and uv, in which releases are made and tried.
pub(crate) fn release_tools() -> Result<PathBuf> {
    let python = interpreters::find_or_install()?;
    make(&RELEASE, &python)?;
    folder(&RELEASE, &python)
}

/// The Python that makes environments.
pub(crate) fn usual() -> Result<PathBuf> {
    Ok(interpreters::require()?.program)
}

/// Builds the wheel, installs it into each environment as users do, and runs the tests there.
pub(crate) fn test(counts: &mut Counts) -> Result<()> {
    let usual = interpreters::require()?;
    let wheel = wheel(&folder(&LATEST, &usual)?)?;
    for environment in &ENVIRONMENTS {
        let Some(python) = python_of(environment, &usual) else {
            println!("{}: {}", environment.name, interpreters::untried());
            continue;
        };
        let folder = folder(environment, &python)?;
        let wheel = wheel.to_string_lossy();
        let install = [
            "-m",
            "pip",
            "install",
            "--quiet",
            "--force-reinstall",
            "--no-deps",
            &wheel,
        ];
        process::run(&mut python_in(&folder, &install))?;
        let Some(tests) = environment.tests else {
            continue;
        };
        let mut arguments = vec!["-m", "pytest", "--quiet", tests];
        arguments.extend(SIDE_BY_SIDE);
        arguments.extend(environment.selection);
        let mut command = python_in(&folder, &arguments);
        command.env("STEPSCOPE_SQL", queries());
        process::run_counting(&mut command, counts)?;
    }
    Ok(())
}

/// The program that answers queries, as stage cargo-test builds it. A release build takes half an
/// hour of processor, and tests ask small questions.
pub(crate) fn queries() -> PathBuf {
    let name = format!("target/debug/stepscope-sql{}", env::consts::EXE_SUFFIX);
    tree::root().join(name)
}

/// The TensorBoard with which the wheel is installed.
pub(crate) fn tensorboard() -> Result<PathBuf> {
    let python = interpreters::require()?;
    Ok(program_in(&folder(&FAR, &python)?, "tensorboard"))
}

/// The folder with JupyterLab and marimo, with which the wheel is installed.
pub(crate) fn notebooks() -> Result<PathBuf> {
    let python = interpreters::require()?;
    Ok(scripts_of(&folder(&NOTEBOOKS, &python)?))
}

/// The wheel, from the artifacts of stage `program`.
fn wheel(environment: &Path) -> Result<PathBuf> {
    let out = tree::root().join("target/wheels");
    if out.is_dir() {
        fs::remove_dir_all(&out).with_context(|| format!("cannot empty {}", out.display()))?;
    }
    let out_text = out.to_string_lossy();
    let arguments = [
        "-m",
        "maturin",
        "build",
        "--profile",
        "dev",
        "--locked",
        "--out",
        &out_text,
    ];
    process::run(&mut python_in(environment, &arguments))?;
    let mut wheels = fs::read_dir(&out)
        .with_context(|| format!("maturin left nothing in {}", out.display()))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "whl"));
    match (wheels.next(), wheels.next()) {
        (Some(wheel), None) => Ok(wheel),
        _ => bail!("maturin did not leave one wheel in {}", out.display()),
    }
}

/// The environment's folder, named by its contents.
fn folder(environment: &Environment, python: &Python) -> Result<PathBuf> {
    let path = tree::root().join(environment.requirements);
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut hasher = DefaultHasher::new();
    (text, &python.program, python.version).hash(&mut hasher);
    let name = format!("{}-{:016x}", environment.name, hasher.finish());
    Ok(tree::root().join("target/python").join(name))
}

fn make(environment: &Environment, python: &Python) -> Result<()> {
    let folder = folder(environment, python)?;
    // Written last, so that an interrupted environment is created again.
    let is_complete = folder.join("complete");
    if is_complete.is_file() {
        return Ok(());
    }
    remove_others(environment, &folder)?;
    let folder_text = folder.to_string_lossy().into_owned();
    let mut venv = Command::new(&python.program);
    venv.args(["-m", "venv", "--clear", &folder_text]);
    process::run(&mut venv)?;
    install(environment, &folder)?;
    fs::write(&is_complete, "").context("cannot mark the environment as complete")
}

/// Installs the requirements with uv, in a fraction of pip's time. Where that fails, pip does it: it alone
/// reads the machine's `pip.conf`, which may name another registry.
fn install(environment: &Environment, folder: &Path) -> Result<()> {
    if environment.name != INSTALLER.name {
        match install_with_uv(environment, folder) {
            Ok(()) => return Ok(()),
            Err(error) => println!("{error:#}; trying pip"),
        }
    }
    let mut arguments = vec!["-m", "pip", "install", "--quiet"];
    arguments.extend(["--requirement", environment.requirements]);
    process::run(&mut python_in(folder, &arguments)).map(drop)
}

fn install_with_uv(environment: &Environment, folder: &Path) -> Result<()> {
    let python = interpreters::require()?;
    make(&INSTALLER, &python)?;
    let uv = program_in(&self::folder(&INSTALLER, &python)?, "uv");
    let folder = folder.to_string_lossy();
    let mut arguments = vec!["pip", "install", "--quiet", "--python", &folder];
    // As pip does: programs of tests would take longer to start for the first time.
    arguments.push("--compile-bytecode");
    arguments.extend(["--requirement", environment.requirements]);
    process::run(&mut process::program(
        &uv.to_string_lossy(),
        &arguments,
        &tree::root(),
    ))
    .map(drop)
}

/// Removes environments with this name but other requirements: they add up to gigabytes.
fn remove_others(environment: &Environment, kept: &Path) -> Result<()> {
    let Some(parent) = kept.parent().filter(|parent| parent.is_dir()) else {
        return Ok(());
    };
    for entry in fs::read_dir(parent)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if name.starts_with(&format!("{}-", environment.name)) {
            fs::remove_dir_all(&path)
                .with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

/// The folder of an environment's programs.
fn scripts_of(folder: &Path) -> PathBuf {
    folder.join(if cfg!(windows) { "Scripts" } else { "bin" })
}

/// A program of an environment.
pub(crate) fn program_in(folder: &Path, name: &str) -> PathBuf {
    scripts_of(folder).join(format!("{name}{}", env::consts::EXE_SUFFIX))
}

/// The environment's Python, in the root of the repository.
pub(crate) fn python_in(folder: &Path, arguments: &[&str]) -> Command {
    let scripts = scripts_of(folder);
    let program = scripts.join("python");
    let mut command = process::program(&program.to_string_lossy(), arguments, &tree::root());
    // Tools of the environment are found by name; nothing comes from the user's own environment.
    let path = env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(scripts).chain(env::split_paths(&path));
    if let Ok(joined) = env::join_paths(paths) {
        command.env("PATH", joined);
    }
    command
        .env("VIRTUAL_ENV", folder)
        .env_remove("CARGO_MANIFEST_DIR")
        .env_remove("PYTHONPATH")
        .env_remove("PYTHONHOME");
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_pinned() {
        for environment in ENVIRONMENTS.iter().chain([&RELEASE, &INSTALLER]) {
            let text = fs::read_to_string(tree::root().join(environment.requirements)).unwrap();
            let lines = text.lines().filter(|line| !line.starts_with('#'));
            let loose: Vec<&str> = lines.filter(|line| !line.contains("==")).collect();
            assert!(loose.is_empty(), "{}: {loose:?}", environment.requirements);
        }
    }
}
