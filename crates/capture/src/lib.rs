//! Captures of running jobs: asks the profiler service that `jax.profiler.start_server` opens in a
//! job to record for a while, and writes what it hands over.
//!
//! ```text
//! Request ──► session folder made (exclusive) ──► hosts reached, side by side
//!                                                     │  Profile, common start
//!                                                     ▼
//!   <logdir>/plugins/profile/<session id>/<host>_<port>.xplane.pb     written whole, then renamed
//! ```
//!
//! ```no_run
//! use stepscope_capture::{Cancel, NoProgress, Request, capture};
//!
//! # fn main() -> Result<(), stepscope_capture::CaptureError> {
//! let request = Request::new(&["trainer-0:9999", "trainer-1:9999"], "logs")?;
//! let outcome = capture(&request, &NoProgress, &Cancel::new())?;
//! for host in outcome.failed() {
//!     if let Some(failure) = host.failure() {
//!         eprintln!("{} is missing: {failure}", host.address);
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Constraints: it knows the service and the layout of a log directory, and nothing of what a
//! profile holds: no model, no analysis. It prints nothing. The service is plain HTTP/2 without
//! encryption or passwords, as the profiler offers it.
//!
//! Without the feature `client`, every capture is [`CaptureError::LeftOut`].

#![cfg_attr(
    not(feature = "client"),
    expect(dead_code, reason = "what only captures use is left out with them")
)]

mod address;
mod cancel;
mod failure;
mod folder;
mod manifest;
mod memory;
mod outcome;
mod progress;
mod repeat;
mod request;

#[cfg(feature = "client")]
mod capture;
#[cfg(not(feature = "client"))]
#[path = "left_out.rs"]
mod capture;

#[cfg(feature = "client")]
mod client;
#[cfg(feature = "client")]
mod continuous;
#[cfg(feature = "client")]
mod host;
#[cfg(feature = "client")]
mod probe;
#[cfg(feature = "client")]
mod wire;

pub use address::Address;
pub use cancel::Cancel;
#[cfg(not(feature = "client"))]
pub use capture::Continuous;
pub use capture::{capture, capture_async};
#[cfg(feature = "client")]
pub use continuous::Continuous;
pub use failure::{CaptureError, HostFailure};
pub use memory::{Memory, Reservation};
pub use outcome::{HostFile, HostOutcome, Outcome, Status};
pub use progress::{HostProgress, NoProgress, Phase, Progress};
pub use repeat::{Repetition, capture_repeatedly};
pub use request::{OptionValue, Request, TracerLevels};
