//! The fuzz targets, one after the other, from the seeds in the repository: what each one found, in
//! a table.
//!
//! Fuzzing needs the nightly compiler and `cargo-fuzz`, which is installed into `target/tools`. What
//! a run learns is kept in `fuzz/corpus`, from which the next one goes on.

mod figures;

use std::fs;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};

use crate::{process, tree};
use figures::{Figures, table};

/// Minutes per target of a run that asks for no number.
const MINUTES: u64 = 1;
/// Memory of a target, with that of the sanitizer.
const MEMORY_MIB: u64 = 2048;
/// An input that takes longer is a finding.
const SLOW_SECONDS: u64 = 30;
/// Longer inputs are slow and show nothing else.
const LONGEST_INPUT_BYTES: u64 = 64 << 10;

const MISSING_NIGHTLY: &str = "fuzzing needs the nightly compiler, and rustup has none; install it \
                               with `rustup toolchain install nightly` (rustup itself: \
                               https://rustup.rs)";

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
enum Task {
    /// Minutes per target, and the targets.
    Run(u64, Vec<String>),
    /// An input that was found before.
    Repeat(PathBuf),
}

/// `[--minutes N] [TARGET...]` or `--repeat INPUT`. The exit code says whether anything was found.
pub(crate) fn run(arguments: &[&str]) -> Result<ExitCode> {
    let root = tree::root();
    let known = targets(&root)?;
    let task = task(arguments, &known)?;
    if !process::succeeds(Command::new("rustup").args(["run", "nightly", "rustc", "--version"])) {
        bail!(MISSING_NIGHTLY);
    }
    let tool = Tool::installed(&root)?;
    match task {
        Task::Run(minutes, targets) => tool.run(minutes, &targets),
        Task::Repeat(input) => tool.repeat(&input, &known),
    }
}

fn task(arguments: &[&str], known: &[String]) -> Result<Task> {
    let mut minutes = MINUTES;
    let mut named: Vec<String> = Vec::new();
    let mut rest = arguments.iter();
    while let Some(&argument) = rest.next() {
        match argument {
            "--minutes" => {
                let given = rest.next().context("--minutes needs a number")?;
                let wrong = || format!("--minutes {given}: a number is needed");
                minutes = given.parse().with_context(wrong)?;
            }
            "--repeat" => {
                let input = rest.next().context("--repeat needs the path of an input")?;
                return Ok(Task::Repeat(PathBuf::from(input)));
            }
            target if known.iter().any(|known| known == target) => named.push(target.to_owned()),
            other => bail!("not a target: {other}; there are {}", known.join(", ")),
        }
    }
    if named.is_empty() {
        named = known.to_vec();
    }
    Ok(Task::Run(minutes, named))
}

/// The targets, sorted, from the manifest of the fuzz crate.
fn targets(root: &Path) -> Result<Vec<String>> {
    let path = root.join("fuzz/Cargo.toml");
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let manifest: toml::Table = text.parse().context("fuzz/Cargo.toml is no TOML")?;
    let binaries = manifest.get("bin").and_then(toml::Value::as_array);
    let binaries = binaries.context("fuzz/Cargo.toml has no [[bin]]")?;
    let name = |binary: &toml::Value| Some(binary.get("name")?.as_str()?.to_owned());
    let mut names: Vec<String> = binaries.iter().filter_map(name).collect();
    names.sort();
    Ok(names)
}

/// `cargo-fuzz`, and the repository it is used in.
struct Tool {
    root: PathBuf,
    program: PathBuf,
}

impl Tool {
    fn installed(root: &Path) -> Result<Self> {
        let folder = root.join("target/tools");
        let name = format!("cargo-fuzz{}", std::env::consts::EXE_SUFFIX);
        let program = folder.join("bin").join(name);
        if !program.is_file() {
            let folder = folder.to_string_lossy();
            let arguments = ["install", "cargo-fuzz", "--locked", "--root", &folder];
            process::run(&mut process::cargo(&arguments))?;
        }
        // The versions of the project; the fuzz crate, a workspace of its own, adds few.
        let lock = root.join("fuzz/Cargo.lock");
        if !lock.exists() {
            fs::copy(root.join("Cargo.lock"), &lock).context("cannot copy Cargo.lock")?;
        }
        let root = root.to_path_buf();
        Ok(Self { root, program })
    }

    /// A command of `cargo-fuzz` with the nightly compiler.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments).current_dir(&self.root);
        // This program itself runs under the stable compiler's cargo.
        command
            .env_remove("CARGO")
            .env("RUSTUP_TOOLCHAIN", "nightly");
        // Pages are not fuzzed.
        command.env("STEPSCOPE_NO_UI", "1");
        command
    }

    fn run(&self, minutes: u64, targets: &[String]) -> Result<ExitCode> {
        for target in targets {
            process::run(&mut self.command(&["build", target]))?;
        }
        let mut rows = Vec::new();
        for target in targets {
            rows.push((target.as_str(), self.target(target, minutes)?));
        }
        println!("\n{}", table(&rows));
        let mut has_found = false;
        for (target, figures) in &rows {
            has_found |= figures.has_failed;
            for input in &figures.inputs {
                let input = Path::new(input);
                let input = input.strip_prefix(&self.root).unwrap_or(input).display();
                println!("{target}: {input}\n  cargo xtask fuzz --repeat {input}");
            }
            if figures.has_failed && figures.inputs.is_empty() {
                println!("{target} failed without an input; its messages are above");
            }
        }
        Ok(ExitCode::from(u8::from(has_found)))
    }

    /// One target until its time is over or it found something.
    fn target(&self, target: &str, minutes: u64) -> Result<Figures> {
        let corpus = format!("fuzz/corpus/{target}");
        fs::create_dir_all(self.root.join(&corpus))
            .with_context(|| format!("cannot make {corpus}"))?;
        let seeds = format!("fuzz/seeds/{target}");
        let mut command = self.command(&["run", target, &corpus, &seeds, "--"]);
        command.args([
            format!("-max_total_time={}", minutes.saturating_mul(60)),
            format!("-rss_limit_mb={MEMORY_MIB}"),
            format!("-timeout={SLOW_SECONDS}"),
            format!("-max_len={LONGEST_INPUT_BYTES}"),
            "-print_final_stats=1".to_owned(),
        ]);
        println!("\n{target}: {minutes} min");
        let mut child = command
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot run cargo-fuzz")?;
        let messages = child.stderr.take().context("its messages were not piped")?;
        let mut figures = Figures::default();
        show(messages, &mut figures).context("cannot show the messages of cargo-fuzz")?;
        let status = child.wait().context("cannot wait for cargo-fuzz")?;
        figures.has_failed = !status.success();
        Ok(figures)
    }

    /// Runs an input of `fuzz/artifacts/TARGET` again.
    fn repeat(&self, input: &Path, known: &[String]) -> Result<ExitCode> {
        let folder = input.parent().and_then(Path::file_name);
        let target = known.iter().find(|known| folder == Some(known.as_ref()));
        let target = target.with_context(|| {
            format!(
                "no target's folder (fuzz/artifacts/TARGET): {}",
                input.display()
            )
        })?;
        let input = input.to_string_lossy();
        let status = self.command(&["run", target, &input]).status();
        let status = status.context("cannot run cargo-fuzz")?;
        Ok(ExitCode::from(u8::from(!status.success())))
    }
}

/// Shows what a target says, except for each new input.
fn show(messages: impl io::Read, figures: &mut Figures) -> io::Result<()> {
    let mut shown = io::stderr().lock();
    let mut reader = BufReader::new(messages);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        let text = String::from_utf8_lossy(&line);
        figures.read_line(&text);
        if !figures::is_step(&text) {
            shown.write_all(&line)?;
        }
        line.clear();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_name_minutes_and_targets() {
        let known = ["hlo".to_owned(), "xplane".to_owned()];
        let run = |minutes, targets: &[&str]| {
            let targets = targets.iter().map(|&target| target.to_owned());
            Task::Run(minutes, targets.collect())
        };
        assert_eq!(task(&[], &known).unwrap(), run(1, &["hlo", "xplane"]));
        let given = ["--minutes", "60", "xplane"];
        assert_eq!(task(&given, &known).unwrap(), run(60, &["xplane"]));
        let input = "fuzz/artifacts/hlo/crash-1";
        let repeated = task(&["--repeat", input], &known).unwrap();
        assert_eq!(repeated, Task::Repeat(PathBuf::from(input)));
        for wrong in [
            &["--minutes"][..],
            &["--minutes", "x"],
            &["hlx"],
            &["--repeat"],
        ] {
            assert!(task(wrong, &known).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn every_target_has_seeds_a_check_a_row_and_a_nightly_run() {
        let root = tree::root();
        let read = |path: &str| fs::read_to_string(root.join(path)).expect(path);
        let (guide, nightly) = (
            read("fuzz/README.md"),
            read(".github/workflows/nightly.yml"),
        );
        for target in targets(&root).unwrap() {
            let seeds = fs::read_dir(root.join("fuzz/seeds").join(&target));
            assert!(seeds.expect(&target).count() > 0, "{target} has no seeds");
            assert!(root.join(format!("fuzz/src/{target}.rs")).is_file());
            assert!(guide.contains(&format!("| `{target}` |")), "{target}");
            assert!(nightly.contains(&format!("- {target}\n")), "{target}");
        }
    }
}
