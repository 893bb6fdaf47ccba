//! One process of the program, with limits. Dropping it ends it.

use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use axum::http::StatusCode;
use stepscope_storage::{Reserved, memory_budget};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdout, Command};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use crate::error::ApiError;
use crate::sizes;

/// How long a query may take.
const MOST: Duration = Duration::from_mins(5);
/// How much longer the process has, to say so itself.
const GRACE: Duration = Duration::from_secs(5);
/// Least memory of a query.
const LEAST_BYTES: u64 = 128 << 20;
/// Longest error that is read.
const ERROR_BYTES: u64 = 64 << 10;
/// How many queries run at once; each uses all processors.
static AT_ONCE: Semaphore = Semaphore::const_new(2);
/// A query has one part in so many of the memory budget, so that open sessions keep the rest.
const PARTS: u64 = 4;

/// A process that answers.
pub(super) struct Process {
    child: Child,
    output: ChildStdout,
    error: JoinHandle<String>,
    deadline: Instant,
    _turn: Option<SemaphorePermit<'static>>,
    _reserved: Reserved,
}

impl Process {
    /// Starts the program, for something small, with these arguments and this text as its input.
    pub(super) fn start(
        program: &Path,
        arguments: &[&str],
        input: Vec<u8>,
    ) -> Result<Self, ApiError> {
        let reserved = sizes::reserve(LEAST_BYTES, u64::MAX, "")?;
        Self::new(program, arguments, input, (reserved, LEAST_BYTES), None)
    }

    /// The same, after others: waits while too many run.
    pub(super) async fn in_turn(
        program: &Path,
        arguments: &[&str],
        input: Vec<u8>,
    ) -> Result<Self, ApiError> {
        // It is never closed.
        let turn = AT_ONCE.acquire().await.ok();
        Self::new(program, arguments, input, memory()?, turn)
    }

    fn new(
        program: &Path,
        arguments: &[&str],
        input: Vec<u8>,
        (reserved, bytes): (Reserved, u64),
        turn: Option<SemaphorePermit<'static>>,
    ) -> Result<Self, ApiError> {
        let mut child = command(program, arguments, bytes)
            .spawn()
            .map_err(|error| failed(&format!("it does not start: {error}")))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(mut to), Some(output), Some(error)) = pipes else {
            return Err(failed("it has no pipes"));
        };
        // A process that ended says why on its error output.
        tokio::spawn(async move { to.write_all(&input).await });
        Ok(Self {
            child,
            output,
            error: tokio::spawn(text(error)),
            deadline: Instant::now() + MOST + GRACE,
            _turn: turn,
            _reserved: reserved,
        })
    }

    /// The next bytes of its output; empty at its end, if it ended well.
    pub(super) async fn next(&mut self) -> Result<Vec<u8>, ApiError> {
        let mut bytes = Vec::with_capacity(64 << 10);
        let read = timeout_at(self.deadline, self.output.read_buf(&mut bytes)).await;
        match read.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())) {
            Ok(0) => self.end().await.map(|()| bytes),
            Ok(_) => Ok(bytes),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => Err(ApiError::bad_request(
                format!("The query took longer than {} s.", MOST.as_secs()),
            )
            .with_hint("Ask for fewer sessions or rows.")),
            Err(error) => Err(failed(&error.to_string())),
        }
    }

    /// All of its output, at most so many bytes.
    pub(super) async fn all(mut self, most: usize) -> Result<Vec<u8>, ApiError> {
        let mut all = Vec::new();
        loop {
            let bytes = self.next().await?;
            if bytes.is_empty() {
                return Ok(all);
            }
            if all.len() + bytes.len() > most {
                let error = format!("The answer is larger than {} MiB.", most >> 20);
                let error = ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, error);
                return Err(error.with_hint("Ask for fewer rows or columns, or for CSV or Arrow."));
            }
            all.extend_from_slice(&bytes);
        }
    }

    async fn end(&mut self) -> Result<(), ApiError> {
        let ended = self.child.wait().await;
        let ended = ended.map_err(|error| failed(&error.to_string()))?;
        if ended.success() {
            return Ok(());
        }
        let text = (&mut self.error).await.unwrap_or_default();
        let Some(text) = text.strip_prefix("error: ") else {
            return Err(failed(&format!("{ended}: {text}")));
        };
        let (message, hint) = text.split_once("\nhint: ").unwrap_or((text, ""));
        Err(ApiError::bad_request(message.trim()).with_hint(hint.trim()))
    }
}

fn command(program: &Path, arguments: &[&str], bytes: u64) -> Command {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .args(["--quiet", "--time", &MOST.as_secs().to_string()])
        .env("STEPSCOPE_MEMORY_BYTES", bytes.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// A share of what others leave of the budget.
fn memory() -> Result<(Reserved, u64), ApiError> {
    let mut bytes = (memory_budget() / PARTS).max(LEAST_BYTES);
    loop {
        match sizes::reserve(bytes, u64::MAX, "") {
            Ok(reserved) => return Ok((reserved, bytes)),
            Err(error) if bytes / 2 < LEAST_BYTES => return Err(error),
            Err(_) => bytes /= 2,
        }
    }
}

async fn text(from: impl AsyncRead + Unpin) -> String {
    let mut bytes = Vec::new();
    // What cannot be read is not said.
    let _ = from.take(ERROR_BYTES).read_to_end(&mut bytes).await;
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(super) fn failed(why: &str) -> ApiError {
    ApiError::internal("The program for queries", why)
}
