//! Schedulers, executors and queries as real processes.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
#[cfg(unix)]
use std::time::Instant;

/// Longer than anything takes that works.
const PATIENCE: Duration = Duration::from_secs(150);

/// A process that is ended when the test ends, and what it says.
pub(crate) struct Running {
    child: Child,
    lines: Receiver<String>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

fn command(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepscope-fleet"));
    command
        .env("HOME", home)
        .env("TMPDIR", home)
        .env("NO_COLOR", "1");
    command.env("STEPSCOPE_CATALOG", home.join("catalog"));
    command
}

impl Running {
    fn start(arguments: &[&str], home: &Path) -> Self {
        let mut child = command(home)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let (said, lines) = channel();
        let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        std::thread::spawn(move || {
            // Reads on when nobody listens: a full pipe would stop the process.
            stderr
                .lines()
                .map_while(Result::ok)
                .for_each(|line| drop(said.send(line)));
        });
        Self { child, lines }
    }

    /// Waits for a line, and returns it.
    pub(crate) fn says(&self, words: &str) -> String {
        let mut said = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) if line.contains(words) => return line,
                Ok(line) => said.push(line),
                Err(error) => panic!("{error} before {words}: {said:#?}"),
            }
        }
    }

    /// Ends it as a machine does that loses its power.
    pub(crate) fn kill(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a signal to a process.
#[cfg(unix)]
pub(crate) fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let asked = Command::new("kill").args([name, &id]).status();
    assert!(asked.expect("kill starts").success());
}

#[cfg(unix)]
impl Running {
    /// Asks it to end, and waits until it has.
    pub(crate) fn terminate(&mut self) -> bool {
        signal(&self.child, "-TERM");
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if self.child.try_wait().expect("a process").is_some() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        false
    }
}

/// A scheduler on a free port, and its address.
pub(crate) fn scheduler(home: &Path) -> (Running, String) {
    let line = [
        "scheduler",
        "--listen",
        "127.0.0.1:0",
        "--executor-timeout",
        "10",
        "-v",
    ];
    let running = Running::start(&line, home);
    let said = running.says("df://");
    let at = said.find("df://").expect("an address");
    (running, said[at..].trim().to_owned())
}

/// An executor that asks for tasks.
pub(crate) fn executor(address: &str, slots: usize, allow: &Path, home: &Path) -> Running {
    let (slots, allow) = (slots.to_string(), allow.to_string_lossy());
    let running = Running::start(
        &[
            "executor",
            "-v",
            "--scheduler",
            address,
            "--slots",
            &slots,
            "--allow",
            &allow,
        ],
        home,
    );
    running.says("Starting poll work loop");
    running
}

/// Starts a query, here or on a fleet.
pub(crate) fn query(fleet: Option<&str>, path: &Path, text: &str, home: &Path) -> Child {
    query_within("170", fleet, path, text, home)
}

/// Starts a query that may take as many seconds.
pub(crate) fn query_within(
    seconds: &str,
    fleet: Option<&str>,
    path: &Path,
    text: &str,
    home: &Path,
) -> Child {
    let mut command = command(home);
    command
        .arg("sql")
        .args(fleet.map(|address| format!("--fleet={address}")));
    command.arg(path).args([text, "--csv", "--time", seconds]);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

/// The rows of a query.
pub(crate) fn rows(child: Child) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = child.wait_with_output().expect("the program ends");
    let error = String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{error}");
    String::from_utf8(stdout).expect("text")
}

/// What `index --json` says: of roll-ups made here, or on a fleet.
pub(crate) fn index(path: &Path, catalog: &Path, fleet: Option<&str>, home: &Path) -> String {
    let mut command = command(home);
    command
        .arg("index")
        .arg(path)
        .arg("--json")
        .arg("--to")
        .arg(catalog);
    command.args(fleet.map(|address| format!("--fleet={address}")));
    let output = command.output().expect("the program starts");
    String::from_utf8(output.stdout).expect("text")
}
