//! A profiler service that behaves like the observed behavior of `jax.profiler.start_server`, on
//! real sockets, for tests of on-demand capture.
//!
//! Behavior recorded from jaxlib 0.10.2: one session per process; a window is `opts.duration_ms`
//! long and starts at `opts.start_timestamp_ns`; a second request is refused with INTERNAL and a
//! text; `Terminate` ends the session with its ID early, or the next one with that ID; a client
//! that disconnects frees the session; replies have any size.

mod behavior;
mod messages;
mod service;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

pub use behavior::{Asked, Behavior, Continuous};
pub use messages::{AdvancedValue, ProfileOptions, ProfileRequest};
use tokio::runtime::Runtime;

/// A server that runs until it is dropped.
#[derive(Debug)]
pub struct ProfilerServer {
    address: SocketAddr,
    asked: Arc<Mutex<Asked>>,
    runtime: Option<Runtime>,
}

impl ProfilerServer {
    /// Starts on a free port of this machine.
    ///
    /// # Errors
    ///
    /// The system provides no port or no thread.
    pub fn start(behavior: Behavior) -> std::io::Result<Self> {
        Self::start_at(SocketAddr::from(([127, 0, 0, 1], 0)), behavior)
    }

    /// Starts at an address.
    ///
    /// # Errors
    ///
    /// The system provides no port or no thread.
    pub fn start_at(address: SocketAddr, behavior: Behavior) -> std::io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        let asked = Arc::new(Mutex::new(Asked::default()));
        // Bound without the runtime, so that a test running in its own runtime can start it.
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let guard = runtime.enter();
        let listener = tokio::net::TcpListener::from_std(listener)?;
        drop(guard);
        runtime.spawn(service::serve(listener, behavior, Arc::clone(&asked)));
        Ok(Self {
            address,
            asked,
            runtime: Some(runtime),
        })
    }

    /// `127.0.0.1:PORT`.
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// The requests received so far.
    pub fn asked(&self) -> Asked {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Ends it like a kill: connections break without a message.
    pub fn kill(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Drop for ProfilerServer {
    fn drop(&mut self) {
        self.kill();
    }
}
