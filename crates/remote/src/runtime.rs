//! The one runtime and HTTP client of this crate, made when something far away is first asked for.
//!
//! Callers know nothing of it: they may be threads of another runtime, so they wait on a channel.

use std::future::Future;
use std::sync::{OnceLock, mpsc};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use crate::error::{RemoteError, RemoteErrorKind};

/// How long a connection may take to come about.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long nothing may arrive before an answer counts as broken off.
pub(crate) const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// Threads: they wait for the network and copy what arrives.
const THREADS: usize = 2;

/// How this program calls itself to servers.
pub(crate) const USER_AGENT: &str = concat!("stepscope/", env!("CARGO_PKG_VERSION"));

fn runtime(url: &str) -> Result<&'static Runtime, RemoteError> {
    static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();
    let made = RUNTIME.get_or_init(|| {
        // Chosen here and not by a feature: no other crate of ours speaks TLS. An error says that
        // one was chosen before.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Builder::new_multi_thread();
        builder
            .worker_threads(THREADS)
            .thread_name("remote")
            .enable_all();
        builder.build().ok()
    });
    made.as_ref()
        .ok_or_else(|| RemoteError::new(RemoteErrorKind::Other, url, "could not start a thread"))
}

/// Runs something to its end on the runtime and gives its result, whatever thread asks.
pub(crate) fn wait<T: Send + 'static>(
    url: &str,
    future: impl Future<Output = Result<T, RemoteError>> + Send + 'static,
) -> Result<T, RemoteError> {
    let (sender, receiver) = mpsc::channel();
    begin(url, async move {
        // Nobody takes the result when the thread that waited is gone.
        let _ = sender.send(future.await);
    })?;
    receiver.recv().unwrap_or_else(|_| Err(lost(url)))
}

/// A task ended without a word.
pub(crate) fn lost(url: &str) -> RemoteError {
    RemoteError::new(
        RemoteErrorKind::Other,
        url,
        "fetching failed because of a bug in Stepscope",
    )
}

/// Starts something on the runtime.
pub(crate) fn begin(
    url: &str,
    future: impl Future<Output = ()> + Send + 'static,
) -> Result<(), RemoteError> {
    runtime(url)?.spawn(future);
    Ok(())
}

/// The HTTP client: proxies of the environment, roots of trust of the system.
pub(crate) fn client(url: &str) -> Result<reqwest::Client, RemoteError> {
    static CLIENT: OnceLock<Option<reqwest::Client>> = OnceLock::new();
    let made = CLIENT.get_or_init(|| {
        let builder = reqwest::Client::builder()
            .user_agent(USER_AGENT)
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(READ_TIMEOUT);
        builder.build().ok()
    });
    made.clone().ok_or_else(|| {
        RemoteError::new(
            RemoteErrorKind::Other,
            url,
            "could not set up the HTTP client",
        )
        .with_hint("check HTTPS_PROXY and the system's certificates (SSL_CERT_FILE)")
    })
}
