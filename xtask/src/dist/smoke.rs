//! Tries a release as a user gets it, with the network off: the archive's programs, the first tile of
//! the timeline, the wheel in an environment of its own, the wheel through `uvx`, and, where there is
//! Podman, the image.

mod image;
mod packages;
mod said;
mod served;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use self::said::{REPORTED, said};
use super::programs::names;
use super::release::Release;
use super::target::VERSION;
use super::{offline, sums, wheel};
use crate::python;

/// A capture of the repository, as a user has one in a folder.
const CAPTURE: &str = "fixtures/demo-gpt-cpu";

/// Files that the archive has beside the programs.
const BESIDE: [&str; 4] = [
    "LICENSE-MIT",
    "README.md",
    "THIRD-PARTY-LICENSES.txt",
    "stepscope.cdx.json",
];

/// Installs what the checks need, and runs them without a network.
pub(super) fn run(release: &Release) -> Result<()> {
    python::release_tools()?;
    let mut arguments = release.target.arguments();
    arguments.push(offline::INSIDE);
    offline::again(&arguments)?;
    // Podman needs this system's network to give the image none.
    image::tried(release)
}

/// The checks; there is no network here.
pub(super) fn inside(release: &Release) -> Result<()> {
    offline::check()?;
    checksums(release)?;
    let folder = tempfile::tempdir().context("cannot make a folder")?;
    let unpacked = unpack(release, &folder)?;
    let program = unpacked.join(release.target.program("stepscope"));
    let capture = release.root.join(CAPTURE);
    programs(release, &program, &capture)?;
    served::first_tile(&program, &capture)?;
    passed("first tile");
    let wheels = wheel::found(release)?;
    ensure!(
        !wheels.is_empty(),
        "there is no wheel in dist/; `cargo xtask dist wheel` makes it"
    );
    for name in wheels {
        let wheel = release.file(&name);
        packages::with_pip(&wheel, folder.path(), &capture)?;
        passed("pip install");
        packages::with_uvx(&wheel, folder.path())?;
        passed("uvx");
    }
    Ok(())
}

/// Every checksum is that of its file, and no file is without one.
fn checksums(release: &Release) -> Result<()> {
    let path = release.file(&release.target.sums());
    let text = fs::read_to_string(&path);
    let text = text.with_context(|| format!("cannot read {}", path.display()))?;
    let lines = text.lines().filter_map(|line| line.split_once("  "));
    let named: Vec<(&str, &str)> = lines.collect();
    for (digest, name) in &named {
        let bytes = fs::read(release.file(name)).with_context(|| format!("no {name}"))?;
        ensure!(
            sums::digest(&bytes) == *digest,
            "{name} has another checksum"
        );
    }
    let mut wanted = vec![release.target.archive(), release.target.bill()];
    wanted.extend(wheel::found(release)?);
    let has = |wanted: &String| named.iter().any(|(_, name)| name == wanted);
    let missing = wanted.iter().find(|name| !has(name));
    ensure!(missing.is_none(), "{missing:?} has no checksum");
    passed("checksums");
    Ok(())
}

/// Unpacks the archive with the system's own tool, as users do.
fn unpack(release: &Release, folder: &TempDir) -> Result<PathBuf> {
    let archive = release.file(&release.target.archive());
    // The tar of Windows reads zip files too.
    let mut tar = Command::new("tar");
    tar.arg("-xf").arg(&archive).current_dir(folder.path());
    said(&mut tar)?;
    let unpacked = folder.path().join(release.target.stem());
    for name in BESIDE {
        ensure!(unpacked.join(name).is_file(), "the archive lacks {name}");
    }
    passed("archive");
    Ok(unpacked)
}

fn programs(release: &Release, program: &Path, capture: &Path) -> Result<()> {
    for name in names() {
        let path = program.with_file_name(release.target.program(name));
        let version = said(Command::new(&path).arg("--version"))?;
        ensure!(version.contains(VERSION), "{} is {version}", path.display());
    }
    let demo = said(Command::new(program).args(["demo", "--no-serve"]))?;
    ensure!(
        demo.contains(REPORTED),
        "the demo has no step time:\n{demo}"
    );
    passed("demo");
    let report = said(Command::new(program).arg("report").arg(capture))?;
    ensure!(
        report.contains(REPORTED),
        "the report has no step time:\n{report}"
    );
    passed("report");
    let mut query = Command::new(program);
    query.arg("sql").arg(capture);
    query.args(["--csv", "select count(*) as slices from slices"]);
    let rows = said(&mut query)?;
    let count = rows
        .lines()
        .nth(1)
        .and_then(|line| line.parse::<u64>().ok());
    ensure!(
        count.is_some_and(|count| count > 0),
        "the query answers {rows}"
    );
    passed("query");
    Ok(())
}

fn passed(what: &str) {
    println!("{what}: ok");
}
