//! Child processes and what they cost.

use std::fmt;
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use wait4::{ResUse, Wait4};

use crate::http;

/// A server that is not listening by then never will.
const PATIENCE: Duration = Duration::from_mins(2);

/// What one process used for one answer.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// From its start to the last byte of the answer.
    pub wall_seconds: f64,
    /// User and system time of all its threads.
    pub processor_seconds: f64,
    /// Peak resident memory, mapped pages of files included.
    pub peak_bytes: u64,
}

impl Cost {
    fn new(wall: Duration, used: &ResUse) -> Self {
        Self {
            wall_seconds: wall.as_secs_f64(),
            processor_seconds: (used.rusage.utime + used.rusage.stime).as_secs_f64(),
            peak_bytes: used.rusage.maxrss,
        }
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let megabytes = self.peak_bytes as f64 / 1e6;
        let (wall, processor) = (self.wall_seconds, self.processor_seconds);
        write!(
            formatter,
            "{wall:.2} s, {processor:.2} s of processor, {megabytes:.0} MB"
        )
    }
}

/// Runs a command to its end and discards its output.
///
/// # Errors
///
/// It cannot be started, or it fails.
pub fn run(command: &mut Command) -> Result<Cost> {
    let start = Instant::now();
    let mut child = spawn(command)?;
    let used = child.wait4()?;
    let wall = start.elapsed();
    ensure!(
        used.status.success(),
        "{command:?} ended with {}",
        used.status
    );
    Ok(Cost::new(wall, &used))
}

/// Starts a server, sends requests until it has answered, and stops it. `ask` gets the port; its
/// result is checked by `check` once the clock has stopped.
///
/// # Errors
///
/// It cannot be started or does not answer, or the answer is not what it has to be.
pub fn serve<T>(
    command: &mut Command,
    port: u16,
    ask: impl FnOnce(u16) -> Result<T>,
    check: impl FnOnce(T) -> Result<()>,
) -> Result<Cost> {
    let start = Instant::now();
    let mut child = spawn(command)?;
    let answer = listening(&mut child, port).and_then(|()| ask(port));
    let wall = start.elapsed();
    child.kill()?;
    let used = child.wait4()?;
    check(answer.with_context(|| format!("no answer from {command:?}"))?)?;
    Ok(Cost::new(wall, &used))
}

/// A free port.
///
/// # Errors
///
/// The system has none.
pub fn free_port() -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(listener.local_addr()?.port())
}

fn spawn(command: &mut Command) -> Result<Child> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
        .spawn()
        .with_context(|| format!("cannot start {command:?}"))
}

fn listening(child: &mut Child, port: u16) -> Result<()> {
    let start = Instant::now();
    while !http::listens(port) {
        if let Some(status) = child.try_wait()? {
            bail!("it ended with {status} before it listened");
        }
        ensure!(
            start.elapsed() < PATIENCE,
            "it does not listen at port {port}"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}
