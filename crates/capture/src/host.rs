//! One host, from the request to its file: asked again while busy, ended early when wanted.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, interval, sleep, sleep_until};
use tonic::{Code, Status};

use crate::address::Address;
use crate::cancel::Cancel;
use crate::client::{Client, reach};
use crate::failure::HostFailure;
use crate::folder::{Folder, write_whole};
use crate::outcome::HostFile;
use crate::probe::{Listener, probe};
use crate::progress::{HostProgress, Phase, Progress};
use crate::request::Request;
use crate::wire::{PROFILE, ProfileRequest, ProfileResponse};

/// How often progress is told.
const TICK: Duration = Duration::from_millis(200);
/// First wait before a busy host is asked again; it doubles up to the last.
const FIRST_BACK_OFF: Duration = Duration::from_millis(50);
const LAST_BACK_OFF: Duration = Duration::from_secs(1);
/// How long a process that ends may take to close its door.
const SECOND_LOOK: Duration = Duration::from_millis(300);
/// How long a host that was told to end may take to hand over what it has.
const EARLY_WAIT: Duration = Duration::from_mins(1);

/// The limits of a call, from the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) duration: Duration,
    pub(crate) busy_wait: Duration,
    pub(crate) reply_timeout: Duration,
}

/// Where progress of one host goes.
pub(crate) struct Report<'a> {
    pub(crate) index: usize,
    pub(crate) progress: &'a dyn Progress,
}

impl Report<'_> {
    pub(crate) fn say(&self, phase: Phase, elapsed: Duration, received_bytes: u64) {
        let progress = HostProgress::new(phase, elapsed, received_bytes);
        self.progress.host(self.index, &progress);
    }
}

/// One host that was reached.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) address: Address,
    pub(crate) client: Client,
}

/// A reply, and what it took to get it.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) reply: ProfileResponse,
    pub(crate) attempts: u32,
}

impl Host {
    /// Reaches a host, unless the user gives up first.
    pub(crate) async fn connect(
        address: Address,
        request: &Request,
        cancel: &Cancel,
        report: &Report<'_>,
    ) -> Result<Self, HostFailure> {
        report.say(Phase::Connecting, Duration::ZERO, 0);
        let connected = tokio::select! {
            connected = Client::connect(&address, request) => connected,
            () = cancel.finishing() => Err(HostFailure::GivenUp),
        };
        match connected {
            Ok(client) => Ok(Self { address, client }),
            Err(failure) => {
                report.say(Phase::Failed(failure.to_string()), Duration::ZERO, 0);
                Err(failure)
            }
        }
    }

    /// Has it record, and hands back what it gave. `start` is when it begins.
    pub(crate) async fn profile(
        &self,
        ask: &ProfileRequest,
        start: Instant,
        limits: Limits,
        cancel: &Cancel,
        report: &Report<'_>,
    ) -> Result<Answer, HostFailure> {
        let first = Instant::now();
        let mut back_off = FIRST_BACK_OFF;
        let mut attempts = 0;
        loop {
            attempts += 1;
            let start = start.max(Instant::now());
            let status = match self.one_call(ask, start, limits, cancel, report).await {
                Ok(reply) => return Ok(Answer { reply, attempts }),
                Err(Ended::Failure(failure)) => return Err(failure),
                Err(Ended::Status(status)) => status,
            };
            if !is_busy(&status) {
                return Err(self.failure(&status).await);
            }
            let waited = first.elapsed();
            if waited + back_off > limits.busy_wait {
                return Err(HostFailure::Busy { waited, attempts });
            }
            report.say(Phase::Busy, waited, 0);
            tokio::select! {
                () = sleep(back_off) => {}
                () = cancel.finishing() => return Err(HostFailure::GivenUp),
            }
            back_off = (back_off * 2).min(LAST_BACK_OFF);
        }
    }

    /// One call, with progress told beside it.
    async fn one_call(
        &self,
        ask: &ProfileRequest,
        start: Instant,
        limits: Limits,
        cancel: &Cancel,
        report: &Report<'_>,
    ) -> Result<ProfileResponse, Ended> {
        let call = self.client.call::<_, ProfileResponse>(PROFILE, ask.clone());
        tokio::pin!(call);
        let end = start + limits.duration;
        let mut deadline = end + limits.reply_timeout;
        let mut is_ended = false;
        let mut ticks = interval(TICK);
        loop {
            tokio::select! {
                reply = &mut call => return reply.map_err(Ended::Status),
                () = cancel.finishing(), if !is_ended => {
                    is_ended = true;
                    self.client.terminate(&ask.session_id).await;
                    deadline = deadline.min(Instant::now() + EARLY_WAIT);
                }
                () = cancel.aborted() => {
                    self.client.terminate(&ask.session_id).await;
                    return Err(Ended::Failure(HostFailure::GivenUp));
                }
                () = sleep_until(deadline) => {
                    // Whatever it does there, it is to stop.
                    self.client.terminate(&ask.session_id).await;
                    let waited = deadline.saturating_duration_since(end);
                    return Err(Ended::Failure(HostFailure::NoAnswer(waited)));
                }
                _ = ticks.tick() => {
                    let received_bytes = self.client.received_bytes();
                    let (phase, elapsed) = phase(start, end, is_ended, received_bytes);
                    report.say(phase, elapsed, received_bytes);
                }
            }
        }
    }

    /// What a status means, after a look at what listens there now.
    pub(crate) async fn failure(&self, status: &Status) -> HostFailure {
        let text = status.message();
        match status.code() {
            Code::Unimplemented => return HostFailure::NoProfiler,
            Code::ResourceExhausted | Code::OutOfRange => {
                return HostFailure::TooLarge(text.to_owned());
            }
            // A server that speaks in its own words, not a connection that broke.
            Code::Internal | Code::Unknown | Code::Unavailable if !is_transport(status) => {
                return HostFailure::Refusal(text.to_owned());
            }
            Code::Internal | Code::Unknown | Code::Unavailable | Code::Cancelled => {}
            _ => return HostFailure::Refusal(text.to_owned()),
        }
        let mut found = probe(&self.address).await;
        if found == Listener::Unknown {
            // A process that ends may take connections a moment longer than it answers them.
            sleep(SECOND_LOOK).await;
            found = probe(&self.address).await;
        }
        match found {
            Listener::Nobody => match reach(&self.address, Duration::from_secs(1)).await {
                Err(HostFailure::Refused) => HostFailure::Ended,
                _ => HostFailure::Lost,
            },
            Listener::Web => HostFailure::WebServer,
            Listener::Tls => HostFailure::Tls,
            Listener::Http2 => HostFailure::Lost,
            Listener::Unknown => HostFailure::NotGrpc,
        }
    }
}

/// How a call ended without a reply.
enum Ended {
    Status(Status),
    Failure(HostFailure),
}

fn phase(start: Instant, end: Instant, is_ended: bool, received_bytes: u64) -> (Phase, Duration) {
    let now = Instant::now();
    if received_bytes > 0 {
        (Phase::Receiving, now.saturating_duration_since(end))
    } else if now < start && !is_ended {
        (Phase::Waiting, Duration::ZERO)
    } else if now < end && !is_ended {
        (Phase::Recording, now - start)
    } else {
        (Phase::Gathering, now.saturating_duration_since(end))
    }
}

/// Somebody else records. Servers lose the code on the way and say it in the text only.
fn is_busy(status: &Status) -> bool {
    let text = status.message().to_ascii_lowercase();
    status.code() == Code::AlreadyExists
        || text.contains("another profiling session")
        || text.contains("another profiler session")
        || text.contains("already_exists")
}

/// Whether the connection failed, rather than the server said something.
fn is_transport(status: &Status) -> bool {
    use std::error::Error;
    let text = status.message().to_ascii_lowercase();
    let words = [
        "h2 protocol error",
        "http2",
        "transport",
        "connection",
        "broken pipe",
        "protocol error",
    ];
    status.source().is_some() || text.is_empty() || words.iter().any(|word| text.contains(word))
}

/// Puts what a host gave into its file.
pub(crate) async fn keep(
    answer: Answer,
    address: &Address,
    folder: &Folder,
) -> Result<HostFile, HostFailure> {
    let Answer { reply, attempts } = answer;
    let path = folder.profile(&address.file_stem());
    if reply.xspace.is_empty() && reply.empty_trace {
        return Err(HostFailure::Nothing);
    }
    if reply.xspace.is_empty() {
        return by_host(path, folder, attempts);
    }
    let size_bytes = reply.xspace.len() as u64;
    let (target, bytes) = (path.clone(), Arc::new(reply.xspace));
    let written = tokio::task::spawn_blocking(move || write_whole(&target, &bytes)).await;
    match written {
        Ok(Ok(())) => Ok(HostFile {
            path,
            size_bytes,
            is_empty: reply.empty_trace,
            was_written_by_host: false,
            attempts,
        }),
        Ok(Err(error)) => Err(HostFailure::NotWritten(error.to_string())),
        Err(error) => Err(HostFailure::NotWritten(error.to_string())),
    }
}

/// Profilers from before the profile travelled in the reply write `<root>/<session>/<host>` on
/// their own machine. Where that is this one, or the disk is shared, it is in its place already.
fn by_host(path: PathBuf, folder: &Folder, attempts: u32) -> Result<HostFile, HostFailure> {
    match std::fs::metadata(&path) {
        Ok(metadata) if metadata.len() > 0 => Ok(HostFile {
            path,
            size_bytes: metadata.len(),
            is_empty: false,
            was_written_by_host: true,
            attempts,
        }),
        _ => Err(HostFailure::KeptByHost(folder.path.clone())),
    }
}
