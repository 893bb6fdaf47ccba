//! What a release consists of, made for one target into `dist/`: an archive with the programs, a
//! bill of materials, the wheel, a container image, and their checksums.
//!
//! ```text
//! programs ──┬── archive   programs, licenses, bill of materials
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
mod smoke;
mod sums;
mod target;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};

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
        Task::Make(parts) => release.make(&parts),
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

/// A release of one target.
struct Release {
    root: PathBuf,
    target: Target,
}

impl Release {
    /// The folder with everything that is released.
    fn folder(&self) -> PathBuf {
        self.root.join("dist")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    fn make(&self, parts: &[Part]) -> Result<()> {
        fs::create_dir_all(self.folder()).context("cannot make dist/")?;
        for part in parts {
            let start = Instant::now();
            match part {
                Part::Programs => self.programs()?,
                Part::Wheel => wheel::build(self)?,
                Part::Image => image::build(self)?,
            }
            let seconds = start.elapsed().as_secs();
            println!("{part:?}: {seconds} s");
        }
        let names = sums::write(self)?;
        for name in names {
            println!("{:>12} bytes  dist/{name}", size_bytes(&self.file(&name))?);
        }
        Ok(())
    }

    /// The programs, and the archive with them.
    fn programs(&self) -> Result<()> {
        let programs = programs::build(self)?;
        let components = components::of(&self.root, &self.target)?;
        let bill = bill::text(&self.target, &components)?;
        fs::write(self.file(&self.target.bill()), &bill).context("cannot write the bill")?;
        let licenses = licenses::text(&components);
        archive::write(self, &programs, &bill, &licenses)
    }
}

fn size_bytes(path: &Path) -> Result<u64> {
    let metadata = fs::metadata(path);
    Ok(metadata
        .with_context(|| format!("not there: {}", path.display()))?
        .len())
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
