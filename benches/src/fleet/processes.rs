//! A scheduler, executors and clients as processes, and the processor time that they use.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use stepscope_benches::child::{self, Cost};
use stepscope_benches::http;

/// A process that is not ready by then never will be.
const PATIENCE: Duration = Duration::from_mins(1);

/// Units of processor time in `/proc`, per second.
const TICKS_PER_SECOND: f64 = 100.0;

/// How long an idle fleet is watched.
const WATCHED: Duration = Duration::from_secs(5);

/// The program that is measured, and a folder for everything.
pub(crate) struct Programs {
    fleet: PathBuf,
    folder: PathBuf,
}

/// A fleet; ends with this.
pub(crate) struct Running {
    address: String,
    scheduler: Child,
    executors: Vec<Child>,
}

/// Processor time, seconds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Used {
    pub(crate) scheduler: f64,
    pub(crate) executors: f64,
}

/// What a query took.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Took {
    pub(crate) wall: f64,
    /// Of the process that asked.
    pub(crate) client: f64,
    pub(crate) used: Used,
}

impl Used {
    pub(crate) fn total(self) -> f64 {
        self.scheduler + self.executors
    }

    fn minus(self, other: Self) -> Self {
        Self {
            scheduler: self.scheduler - other.scheduler,
            executors: self.executors - other.executors,
        }
    }
}

impl Programs {
    pub(crate) fn in_folder(programs: &Path, folder: &Path) -> Result<Self> {
        let fleet = programs.join("stepscope-fleet");
        ensure!(
            fleet.exists(),
            "{} is absent; build it first",
            fleet.display()
        );
        Ok(Self {
            fleet,
            folder: folder.to_path_buf(),
        })
    }

    /// A new folder for captures.
    pub(crate) fn folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.folder.join(name);
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.fleet);
        // Nothing that the user has is used.
        command.env("STEPSCOPE_CATALOG", self.folder.join("catalog"));
        command.env("XDG_CACHE_HOME", self.folder.join("cache"));
        // Executors are killed and leave their rows there.
        command.env("TMPDIR", &self.folder);
        command
    }

    /// A scheduler and so many executors of one slot each.
    pub(crate) fn start(&self, executors: usize) -> Result<Running> {
        let port = child::free_port()?;
        let listen = format!("127.0.0.1:{port}");
        let mut scheduler = self.command();
        let scheduler = spawned(scheduler.args(["scheduler", "--listen", &listen]))?;
        let mut running = Running {
            address: format!("df://{listen}"),
            scheduler,
            executors: Vec::new(),
        };
        let started = Instant::now();
        while !http::listens(port) {
            ensure!(started.elapsed() < PATIENCE, "no scheduler listens");
            sleep(Duration::from_millis(20));
        }
        for _ in 0..executors {
            let mut executor = self.command();
            executor.args(["executor", "--slots", "1", "--scheduler", &running.address]);
            executor.arg("--allow").arg(&self.folder);
            running.executors.push(spawned(&mut executor)?);
        }
        Ok(running)
    }

    /// Asks a fleet, or this process's machine alone.
    pub(crate) fn ask(&self, fleet: Option<&Running>, path: &Path, query: &str) -> Result<Took> {
        let mut command = self.command();
        command.arg("sql").arg(path).args([query, "--csv"]);
        command.args(fleet.map(|fleet| format!("--fleet={}", fleet.address)));
        let before = fleet.map(Running::used).transpose()?;
        let Cost {
            wall_seconds,
            processor_seconds,
            ..
        } = child::run(&mut command)?;
        let after = fleet.map(Running::used).transpose()?;
        let used = after.zip(before);
        let used = used.map_or_else(Used::default, |(after, before)| after.minus(before));
        Ok(Took {
            wall: wall_seconds,
            client: processor_seconds,
            used,
        })
    }
}

impl Running {
    /// What it used so far.
    fn used(&self) -> Result<Used> {
        let executors = self.executors.iter().map(processor_seconds);
        Ok(Used {
            scheduler: processor_seconds(&self.scheduler)?,
            executors: executors.sum::<Result<f64>>()?,
        })
    }

    /// What it uses per second when it has nothing to do.
    pub(crate) fn idle(&self) -> Result<Used> {
        let before = self.used()?;
        sleep(WATCHED);
        let used = self.used()?.minus(before);
        let seconds = WATCHED.as_secs_f64();
        Ok(Used {
            scheduler: used.scheduler / seconds,
            executors: used.executors / seconds,
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        for child in self.executors.iter_mut().chain([&mut self.scheduler]) {
            // It may have ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn spawned(command: &mut Command) -> Result<Child> {
    command.stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let started = command.spawn();
    started.with_context(|| format!("cannot start {command:?}"))
}

/// User and system time of a process with all its threads.
fn processor_seconds(child: &Child) -> Result<f64> {
    let path = format!("/proc/{}/stat", child.id());
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
    // The name of the program, in parentheses, may have spaces.
    let Some((_, fields)) = text.rsplit_once(')') else {
        bail!("{path} has another form");
    };
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks: Vec<f64> = ticks.map(str::parse).collect::<Result<_, _>>()?;
    ensure!(ticks.len() == 2, "{path} has another form");
    Ok(ticks.iter().sum::<f64>() / TICKS_PER_SECOND)
}
