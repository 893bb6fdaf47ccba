//! In place of `capture.rs` and `continuous.rs` where a build has no client of the profiler service:
//! no capture begins, and the error says how to get the client.

use std::future::{Ready, ready};

use tokio::runtime::Runtime;

use crate::cancel::Cancel;
use crate::failure::CaptureError;
use crate::outcome::{HostOutcome, Outcome};
use crate::progress::Progress;
use crate::request::Request;

/// Gives [`CaptureError::LeftOut`].
pub fn capture(
    _request: &Request,
    _progress: &(impl Progress + ?Sized),
    _cancel: &Cancel,
) -> Result<Outcome, CaptureError> {
    Err(CaptureError::LeftOut)
}

/// Gives [`CaptureError::LeftOut`].
pub async fn capture_async(
    _request: &Request,
    _progress: &(impl Progress + ?Sized),
    _cancel: &Cancel,
) -> Result<Outcome, CaptureError> {
    ready(Err(CaptureError::LeftOut)).await
}

pub(crate) fn runtime() -> Result<Runtime, CaptureError> {
    Err(CaptureError::LeftOut)
}

/// Continuous profiling; there is none of it.
#[derive(Debug)]
pub enum Continuous {}

impl Continuous {
    /// Gives [`CaptureError::LeftOut`].
    pub async fn start(
        _request: &Request,
        _progress: &(impl Progress + ?Sized),
        _cancel: &Cancel,
    ) -> Result<Self, CaptureError> {
        ready(Err(CaptureError::LeftOut)).await
    }

    /// Gives [`CaptureError::LeftOut`].
    pub async fn resume(
        _request: &Request,
        _progress: &(impl Progress + ?Sized),
        _cancel: &Cancel,
    ) -> Result<Self, CaptureError> {
        ready(Err(CaptureError::LeftOut)).await
    }

    /// The hosts on which it runs.
    pub fn running(&self) -> usize {
        match *self {}
    }

    /// The hosts on which it does not run, and why.
    pub fn failed(&self) -> impl Iterator<Item = HostOutcome> {
        std::iter::empty()
    }

    /// Takes what all hosts have.
    pub async fn snapshot(
        &mut self,
        _progress: &(impl Progress + ?Sized),
        _cancel: &Cancel,
    ) -> Result<Outcome, CaptureError> {
        ready(Err(CaptureError::LeftOut)).await
    }

    /// Stops on all hosts.
    pub fn stop(self) -> Ready<Vec<HostOutcome>> {
        match self {}
    }
}
