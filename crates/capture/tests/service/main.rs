//! Captures from a profiler service on real sockets that behaves as that of JAX.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod continuous;
mod endings;
mod happy;
mod strangers;
mod support;
