//! What a release consists of, made for one target into `dist/`: an archive with the programs, a
//! bill of materials, the wheel, a container image, and their checksums.
//!
//! ```text
//! programs ──┬── archive   programs, licenses, bill of materials; those are also in image and wheel
//!            └── image     static Linux programs only
//! wheel ─────┴── checksums of everything, for the target
//! ```
//!
//! `--smoke` tries the files as a user gets them, with the network off; `features` builds the
//! command without what can be left out. Nothing here publishes anything.

mod archive;
mod bill;
mod components;
mod features;
mod image;
mod licenses;
mod offline;
mod programs;
mod release;
mod smoke;
mod sums;
mod target;
mod wheel;
mod wheel_files;

use std::fs;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use self::release::{Release, size_bytes};
use self::target::Target;
use crate::tree;

/// What `cargo xtask dist` was asked for.
#[derive(Debug, PartialEq, Eq)]
enum Task {
    /// Make these parts.
    Make(Vec<Part>),
    /// Try what was made.
    Smoke,
    /// The same, in a namespace without a network, where this program called itself.
    SmokeOffline,
    /// Build the command without features.
    Features,
}

/// A part that can be made alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Programs,
    Wheel,
    Image,
}

impl Part {
    const ALL: [(&'static str, Self); 3] = [
        ("programs", Self::Programs),
        ("wheel", Self::Wheel),
        ("image", Self::Image),
    ];

    /// What is made when no part is named: an image needs static programs and a builder.
    const USUAL: [Self; 2] = [Self::Programs, Self::Wheel];
}

/// `[--target TRIPLE] [PART...]`, `--smoke` or `--check-features`.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let (triple, task) = parse(arguments)?;
    let target = match triple {
        Some(triple) => Target::named(&triple),
        None => Target::of_this_machine()?,
    };
    let release = Release {
        root: tree::root(),
        target,
    };
    match task {
        Task::Make(parts) => make(&release, &parts),
        Task::Smoke => smoke::run(&release),
        Task::SmokeOffline => smoke::inside(&release),
        Task::Features => features::check(),
    }
}

fn parse(arguments: &[&str]) -> Result<(Option<String>, Task)> {
    let mut triple = None;
    let mut parts = Vec::new();
    let mut other = None;
    let mut rest = arguments.iter();
    while let Some(&argument) = rest.next() {
        match argument {
            "--target" => {
                let given = rest.next().context("--target needs the name of a target")?;
                triple = Some((*given).to_owned());
            }
            "--smoke" => other = Some(Task::Smoke),
            offline::INSIDE => other = Some(Task::SmokeOffline),
            "--check-features" => other = Some(Task::Features),
            name => match Part::ALL.iter().find(|(known, _)| *known == name) {
                Some((_, part)) => parts.push(*part),
                None => bail!("not a part: {name}; there are {}", part_names()),
            },
        }
    }
    let task = match other {
        Some(_) if !parts.is_empty() => bail!("parts are made, and an option tries what was made"),
        Some(task) => task,
        None if parts.is_empty() => Task::Make(Part::USUAL.to_vec()),
        None => Task::Make(parts),
    };
    Ok((triple, task))
}

fn part_names() -> String {
    Part::ALL.map(|(name, _)| name).join(", ")
}

/// Makes the parts, and their checksums.
fn make(release: &Release, parts: &[Part]) -> Result<()> {
    fs::create_dir_all(release.folder()).context("cannot make dist/")?;
    for part in parts {
        let start = Instant::now();
        match part {
            Part::Programs => make_programs(release)?,
            Part::Wheel => wheel::build(release)?,
            Part::Image => image::build(release)?,
        }
        let seconds = start.elapsed().as_secs();
        println!("{part:?}: {seconds} s");
    }
    for name in sums::write(release, wheel::found(release)?)? {
        let bytes = size_bytes(&release.file(&name))?;
        println!("{bytes:>12} bytes  dist/{name}");
    }
    Ok(())
}

/// The programs, and the archive with them.
fn make_programs(release: &Release) -> Result<()> {
    let programs = programs::build(release)?;
    let components = components::of(&release.root, &release.target, components::PROGRAMS)?;
    let bill = bill::text(&release.target, &components)?;
    fs::write(release.file(&release.target.bill()), &bill).context("cannot write the bill")?;
    let licenses = licenses::text(&components);
    archive::write(release, &programs, &bill, &licenses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_name_parts_or_one_thing_to_try() {
        let task = |arguments: &[&str]| parse(arguments).unwrap();
        let usual = Task::Make(vec![Part::Programs, Part::Wheel]);
        assert_eq!(task(&[]), (None, usual));
        let given = ["--target", "x86_64-unknown-linux-musl", "image"];
        let target = Some("x86_64-unknown-linux-musl".to_owned());
        assert_eq!(task(&given), (target, Task::Make(vec![Part::Image])));
        assert_eq!(task(&["--smoke"]), (None, Task::Smoke));
        assert_eq!(task(&["--check-features"]), (None, Task::Features));
        for wrong in [&["--target"][..], &["wheels"], &["--smoke", "wheel"]] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn the_workflow_makes_what_the_guide_promises() {
        let root = tree::root();
        let read = |path: &str| fs::read_to_string(root.join(path)).expect(path);
        let workflow = read(".github/workflows/release.yml");
        let guide = read("docs/guides/packaging.md");
        let rows = guide.lines().filter_map(|line| line.strip_prefix("| `"));
        let mut promised: Vec<&str> = rows
            .filter_map(|row| row.split('`').next())
            .filter(|name| name.contains("64-"))
            .collect();
        let entries = workflow
            .lines()
            .filter_map(|line| line.split_once("{ target: "));
        let mut made: Vec<&str> = entries
            .filter_map(|(_, rest)| rest.split(',').next())
            .collect();
        promised.sort_unstable();
        made.sort_unstable();
        assert_eq!(made.len(), 5);
        assert_eq!(made, promised);
        // The job that publishes has no checkout to read the version from.
        let requirements = read("xtask/requirements.txt");
        let uv = requirements.lines().find(|line| line.starts_with("uv=="));
        assert!(workflow.contains(uv.expect("uv is pinned")), "{uv:?}");
        let actions = workflow
            .lines()
            .filter_map(|line| line.split_once("uses: "));
        for (_, action) in actions {
            let commit = action.split(['@', ' ']).nth(1).unwrap_or_default();
            assert_eq!(commit.len(), 40, "{action} is not pinned to a commit");
        }
    }
}
