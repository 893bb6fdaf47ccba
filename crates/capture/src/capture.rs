//! One capture over all hosts: the folder, the connections, the common start, the files.

use std::time::{Duration, SystemTime};

use futures_util::future::join_all;
use tokio::time::Instant;

use crate::cancel::Cancel;
use crate::failure::{CaptureError, HostFailure};
use crate::folder::{Folder, profiles};
use crate::host::{Host, Limits, Report, keep};
use crate::manifest::{self, unix_ns};
use crate::outcome::{HostFile, HostOutcome, Outcome};
use crate::progress::{HostProgress, Phase, Progress};
use crate::request::Request;

/// Captures, and waits for it: [`capture_async`] for those without a runtime.
pub fn capture(
    request: &Request,
    progress: &(impl Progress + ?Sized),
    cancel: &Cancel,
) -> Result<Outcome, CaptureError> {
    runtime()?.block_on(capture_async(request, progress, cancel))
}

/// The runtime of the calls that wait.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, CaptureError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(CaptureError::Runtime)
}

/// Captures all hosts of the request side by side, with a common start, into one session folder.
///
/// That hosts fail is no error: the outcome names them. An error means that nothing was begun.
/// The session folder is gone when no host gave anything.
pub async fn capture_async(
    request: &Request,
    progress: &(impl Progress + ?Sized),
    cancel: &Cancel,
) -> Result<Outcome, CaptureError> {
    request.check()?;
    let folder = Folder::create(&request.logdir, request.name.as_deref())?;
    let progress = Forward(progress);
    let hosts = connect_all(request, &progress, cancel).await;
    let begun = Begun::new(request);
    let jobs = (0..).zip(hosts).map(|(index, host)| {
        let report = Report {
            index,
            progress: &progress,
        };
        one(host, request, &folder, begun, cancel, report)
    });
    let results = join_all(jobs).await;
    let outcome = outcome(request, &folder, results, cancel);
    manifest::write(request, &outcome, &folder, begun.unix_time, "on demand");
    Ok(outcome)
}

/// Reaches all hosts side by side. Those that cannot be reached do not hold up the others for
/// longer than the request says.
pub(crate) async fn connect_all(
    request: &Request,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Vec<Result<Host, HostFailure>> {
    let jobs = (0..)
        .zip(&request.addresses)
        .map(|(index, address)| async move {
            let report = Report { index, progress };
            Host::connect(address.clone(), request, cancel, &report).await
        });
    join_all(jobs).await
}

/// One host from the common start to its file.
async fn one(
    host: Result<Host, HostFailure>,
    request: &Request,
    folder: &Folder,
    begun: Begun,
    cancel: &Cancel,
    report: Report<'_>,
) -> Result<HostFile, HostFailure> {
    let host = host?;
    let kept = async {
        let root = profiles(&request.logdir)
            .map_err(|error| HostFailure::NotWritten(error.to_string()))?;
        let id = &folder.session_id;
        let ask = request.message(&host.address, id, &root, begun.start_unix_ns);
        let limits = Limits {
            duration: request.duration,
            busy_wait: request.busy_wait,
            reply_timeout: request.reply_timeout,
        };
        let answer = host
            .profile(&ask, begun.instant, limits, cancel, &report)
            .await?;
        keep(answer, &host.address, folder).await
    };
    settled(kept.await, &report)
}

/// Tells how a host ended.
pub(crate) fn settled(
    kept: Result<HostFile, HostFailure>,
    report: &Report<'_>,
) -> Result<HostFile, HostFailure> {
    match &kept {
        Ok(file) => report.say(Phase::Done, Duration::ZERO, file.size_bytes),
        Err(failure) => report.say(Phase::Failed(failure.to_string()), Duration::ZERO, 0),
    }
    kept
}

/// Lets a progress of any size stand behind a plain reference.
pub(crate) struct Forward<'a, P: ?Sized>(pub(crate) &'a P);

impl<P: Progress + ?Sized> Progress for Forward<'_, P> {
    fn host(&self, index: usize, progress: &HostProgress) {
        self.0.host(index, progress);
    }
}

/// When the hosts begin, by all clocks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Begun {
    instant: Instant,
    pub(crate) unix_time: SystemTime,
    /// As sent; 0 is at once.
    start_unix_ns: u64,
}

impl Begun {
    fn new(request: &Request) -> Self {
        let delay = request.delay();
        let unix_time = SystemTime::now() + delay;
        Self {
            instant: Instant::now() + delay,
            unix_time,
            start_unix_ns: if delay.is_zero() {
                0
            } else {
                unix_ns(unix_time)
            },
        }
    }
}

/// The session's result, with the folder removed where nothing is in it.
pub(crate) fn outcome(
    request: &Request,
    folder: &Folder,
    results: Vec<Result<HostFile, HostFailure>>,
    cancel: &Cancel,
) -> Outcome {
    let hosts = request.addresses.iter().cloned().zip(results);
    let outcome = Outcome {
        session_id: folder.session_id.clone(),
        folder: folder.path.clone(),
        logdir: request.logdir.clone(),
        hosts: hosts
            .map(|(address, result)| HostOutcome { address, result })
            .collect(),
        was_ended_early: cancel.is_finishing(),
    };
    if outcome.files().next().is_none() {
        folder.remove_if_empty();
    }
    outcome
}
