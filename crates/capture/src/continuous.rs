//! Continuous profiling: the hosts record all the time, and hand over what they have when asked.
//!
//! Hosts with a circular buffer (TPU) hand over the last stretch. On others it is an ordinary
//! recording without end, which each snapshot empties and begins anew; its memory grows, and no
//! other capture of the job is possible meanwhile.

use std::time::{Duration, SystemTime};

use futures_util::future::join_all;
use tokio::time::{Instant, interval, sleep};
use tonic::{Code, Status};

use crate::cancel::Cancel;
use crate::capture::{Forward, connect_all, outcome, settled};
use crate::failure::{CaptureError, HostFailure};
use crate::folder::{Folder, profiles};
use crate::host::{Answer, Host, Report, keep};
use crate::manifest;
use crate::outcome::{HostFile, HostOutcome, Outcome};
use crate::progress::{Phase, Progress};
use crate::request::Request;
use crate::wire::{
    GET_SNAPSHOT, GetSnapshotRequest, Nothing, ProfileResponse, START_CONTINUOUS, STOP_CONTINUOUS,
};

/// Hosts start and stop at once, or something is wrong.
const CONTROL_WAIT: Duration = Duration::from_secs(15);
const TICK: Duration = Duration::from_millis(200);
/// A host that was just released by somebody else is asked again after these waits.
const BACK_OFF: [Duration; 3] = [
    Duration::from_millis(50),
    Duration::from_millis(200),
    Duration::from_millis(500),
];

/// Continuous profiling that runs on some hosts.
#[derive(Debug)]
pub struct Continuous {
    request: Request,
    hosts: Vec<Result<Host, HostFailure>>,
    /// When what the next snapshot holds began.
    since: SystemTime,
}

impl Continuous {
    /// Starts on all hosts of the request; see [`Self::failed`] for those that did not. The
    /// duration of the request does not matter.
    pub async fn start(
        request: &Request,
        progress: &(impl Progress + ?Sized),
        cancel: &Cancel,
    ) -> Result<Self, CaptureError> {
        request.check()?;
        // The folder of the first snapshot is made later; that it can be is known now.
        Folder::create(&request.logdir, None)?.remove_if_empty();
        let progress = Forward(progress);
        let hosts = connect_all(request, &progress, cancel).await;
        let jobs = (0..).zip(hosts).map(|(index, host)| {
            let report = Report {
                index,
                progress: &progress,
            };
            start_one(host, request, report)
        });
        let hosts = join_all(jobs).await;
        Ok(Self {
            request: request.clone(),
            hosts,
            since: SystemTime::now(),
        })
    }

    /// Continues what an earlier client began and did not stop, as when it was killed. Whether it
    /// runs at all shows in the first snapshot.
    pub async fn resume(
        request: &Request,
        progress: &(impl Progress + ?Sized),
        cancel: &Cancel,
    ) -> Result<Self, CaptureError> {
        request.check()?;
        let hosts = connect_all(request, &Forward(progress), cancel).await;
        Ok(Self {
            request: request.clone(),
            hosts,
            since: SystemTime::now(),
        })
    }

    /// The hosts on which it runs.
    pub fn running(&self) -> usize {
        self.hosts.iter().filter(|host| host.is_ok()).count()
    }

    /// The hosts on which it does not run, and why.
    pub fn failed(&self) -> impl Iterator<Item = HostOutcome> {
        let hosts = self.request.addresses.iter().zip(&self.hosts);
        hosts.filter_map(|(address, host)| {
            let failure = host.as_ref().err()?.clone();
            Some(HostOutcome {
                address: address.clone(),
                result: Err(failure),
            })
        })
    }

    /// Takes what all hosts have, into a session of its own.
    pub async fn snapshot(
        &mut self,
        progress: &(impl Progress + ?Sized),
        cancel: &Cancel,
    ) -> Result<Outcome, CaptureError> {
        let request = &self.request;
        let folder = Folder::create(&request.logdir, request.name.as_deref())?;
        let progress = Forward(progress);
        let jobs = (0..).zip(&self.hosts).map(|(index, host)| {
            let report = Report {
                index,
                progress: &progress,
            };
            let folder = &folder;
            async move {
                settled(
                    snapshot_one(host, folder, request, cancel, &report).await,
                    &report,
                )
            }
        });
        let results = join_all(jobs).await;
        let taken = Outcome {
            was_ended_early: false,
            ..outcome(request, &folder, results, cancel)
        };
        manifest::write(
            request,
            &taken,
            &folder,
            self.since,
            "snapshot of continuous profiling",
        );
        self.since = SystemTime::now();
        Ok(taken)
    }

    /// Stops on all hosts. What was not taken is gone. Gives those that did not stop.
    pub async fn stop(self) -> Vec<HostOutcome> {
        let hosts = self.request.addresses.iter().zip(&self.hosts);
        let jobs = hosts.filter_map(|(address, host)| {
            let host = host.as_ref().ok()?;
            Some(async move {
                let call = host.client.call::<_, Nothing>(STOP_CONTINUOUS, Nothing {});
                let result = match tokio::time::timeout(CONTROL_WAIT, call).await {
                    Ok(Ok(Nothing {})) => return None,
                    Ok(Err(status)) => Err(control_failure(host, &status).await),
                    Err(_) => Err(HostFailure::NoAnswer(CONTROL_WAIT)),
                };
                Some(HostOutcome {
                    address: address.clone(),
                    result,
                })
            })
        });
        join_all(jobs).await.into_iter().flatten().collect()
    }
}

async fn start_one(
    host: Result<Host, HostFailure>,
    request: &Request,
    report: Report<'_>,
) -> Result<Host, HostFailure> {
    let host = host?;
    let started = async {
        let root = profiles(&request.logdir)
            .map_err(|error| HostFailure::NotWritten(error.to_string()))?;
        let mut ask = request.message(&host.address, "", &root, 0);
        // A host that is given a place to write to writes snapshots there, on its own disk.
        ask.repository_root.clear();
        ask.duration_ms = 0;
        if let Some(options) = &mut ask.options {
            options.repository_path.clear();
            options.duration_ms = 0;
        }
        let mut waits = BACK_OFF.into_iter();
        loop {
            let call = host
                .client
                .call_any::<_, Nothing>(START_CONTINUOUS, ask.clone());
            let status = match tokio::time::timeout(CONTROL_WAIT, call).await {
                Ok(Ok(Nothing {})) => return Ok(()),
                Ok(Err(status)) => status,
                Err(_) => return Err(HostFailure::NoAnswer(CONTROL_WAIT)),
            };
            match waits
                .next()
                .filter(|_| status.code() == Code::AlreadyExists)
            {
                Some(wait) => sleep(wait).await,
                None => return Err(control_failure(&host, &status).await),
            }
        }
    };
    match started.await {
        Ok(()) => {
            report.say(Phase::Recording, Duration::ZERO, 0);
            Ok(host)
        }
        Err(failure) => {
            report.say(Phase::Failed(failure.to_string()), Duration::ZERO, 0);
            Err(failure)
        }
    }
}

async fn snapshot_one(
    host: &Result<Host, HostFailure>,
    folder: &Folder,
    request: &Request,
    cancel: &Cancel,
    report: &Report<'_>,
) -> Result<HostFile, HostFailure> {
    let host = host.as_ref().map_err(Clone::clone)?;
    let ask = GetSnapshotRequest {
        snapshot_session_id: folder.session_id.clone(),
    };
    let before_bytes = host.client.received_bytes();
    let call = host
        .client
        .call_any::<_, ProfileResponse>(GET_SNAPSHOT, ask);
    tokio::pin!(call);
    let begun = Instant::now();
    let mut ticks = interval(TICK);
    loop {
        tokio::select! {
            reply = &mut call => {
                let reply = match reply {
                    Ok(reply) => reply,
                    Err(status) => return Err(control_failure(host, &status).await),
                };
                return keep(Answer { reply, attempts: 1 }, &host.address, folder).await;
            }
            () = cancel.aborted() => return Err(HostFailure::GivenUp),
            _ = ticks.tick() => {
                let elapsed = begun.elapsed();
                if elapsed > request.reply_timeout {
                    return Err(HostFailure::NoAnswer(elapsed));
                }
                let received_bytes = host.client.received_bytes() - before_bytes;
                let phase = if received_bytes > 0 { Phase::Receiving } else { Phase::Gathering };
                report.say(phase, elapsed, received_bytes);
            }
        }
    }
}

/// What a status of these calls means.
async fn control_failure(host: &Host, status: &Status) -> HostFailure {
    match status.code() {
        Code::Unimplemented => HostFailure::NoContinuous,
        Code::AlreadyExists => HostFailure::AlreadyContinuous,
        Code::NotFound => HostFailure::NotContinuous,
        _ => host.failure(status).await,
    }
}
