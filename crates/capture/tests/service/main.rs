//! Captures from a profiler service on real sockets that behaves as that of JAX.

mod continuous;
mod endings;
mod happy;
mod strangers;
mod support;
