//! Connections: HTTP/1 only, a limited number of them, and none that waits forever.
//!
//! ```text
//! accepted ──► idle ◄──► busy (a request, until its answer is sent)
//!                │ no request line and headers within the limit, room is needed, the server stops
//!                ▼
//!             ended
//! ```

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tower::ServiceExt;

use crate::patient::Patient;
use crate::timely::Timely;

/// How long a client may take to send the head of a request. It includes the time between requests.
const HEAD: Duration = Duration::from_secs(10);

/// How long a client may take to send the body of a request, which is small.
const BODY: Duration = Duration::from_secs(10);

/// Most bytes of a request's head, and of what is read ahead of its body.
const BUFFER_BYTES: usize = 64 << 10;

/// How long an answer may wait for its reader to take some of it. A browser's tab that is out of
/// sight still reads.
const READER: Duration = Duration::from_mins(1);

/// How long a connection that should end may take to send its last bytes.
const LAST_BYTES: Duration = Duration::from_secs(1);

/// How long to wait after a connection could not be accepted, such as for lack of descriptors.
const PAUSE: Duration = Duration::from_millis(200);

/// Descriptors of a process where the system does not say: the default of macOS.
const USUAL_DESCRIPTORS: usize = 256;

/// Sent to those for whom there is no room.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n\
    Content-Length: 76\r\nRetry-After: 1\r\nConnection: close\r\n\r\n\
    {\"error\":\"Too many connections to this server.\",\"hint\":\"Try again shortly.\"}";

/// What connections may cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// How many there may be.
    pub(crate) most: usize,
    /// See [`HEAD`].
    pub(crate) head: Duration,
    /// See [`BODY`].
    pub(crate) body: Duration,
    /// See [`READER`].
    pub(crate) reader: Duration,
}

impl Limits {
    /// Half of the descriptors that the process may have: the rest is for files and captures.
    pub(crate) fn of_process() -> Self {
        let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
        let descriptors = descriptors(&limits).unwrap_or(USUAL_DESCRIPTORS);
        Self {
            most: (descriptors / 2).clamp(8, 2048),
            head: HEAD,
            body: BODY,
            reader: READER,
        }
    }
}

/// The soft limit in the text of `/proc/self/limits`.
fn descriptors(limits: &str) -> Option<usize> {
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"))?;
    match line.split_whitespace().next()? {
        "unlimited" => Some(usize::MAX),
        number => number.parse().ok(),
    }
}

/// Answers requests until `stop`, then finishes those that were received.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    stop: impl Future<Output = ()>,
) {
    let mut stop = pin!(stop);
    let mut tasks = JoinSet::new();
    let mut open: Vec<Arc<Connection>> = Vec::new();
    loop {
        let stream = tokio::select! {
            () = &mut stop => break,
            stream = accepted(&listener) => stream,
        };
        if !has_room(&mut open, &mut tasks, limits.most).await {
            tracing::warn!(connections = open.len(), "too many connections");
            let _ = stream.try_write(FULL);
            continue;
        }
        let connection = Arc::new(Connection::new());
        open.push(Arc::clone(&connection));
        tasks.spawn(run(stream, router.clone(), limits, connection));
    }
    drop(listener);
    for connection in &open {
        connection.end.notify_one();
    }
    while tasks.join_next().await.is_some() {}
}

/// The next connection. Failures concern one connection, or pass.
async fn accepted(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Small answers should not wait for more data.
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "no TCP_NODELAY");
                }
                return stream;
            }
            Err(error) if is_of_one(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "cannot accept connections");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

fn is_of_one(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    )
}

/// Whether one more connection may be held, for which an idle one is ended if need be.
async fn has_room(open: &mut Vec<Arc<Connection>>, tasks: &mut JoinSet<()>, most: usize) -> bool {
    let is_open = |one: &Arc<Connection>| !one.is_over.load(Ordering::Relaxed);
    while tasks.try_join_next().is_some() {}
    open.retain(is_open);
    if open.len() >= most && !end_oldest_idle(open) {
        return false;
    }
    // Connections that were told to end take a moment, for which there is some room.
    let most = most + most / 4;
    while open.len() >= most {
        let ended = tokio::time::timeout(PAUSE, tasks.join_next()).await;
        open.retain(is_open);
        if ended.is_err() {
            break;
        }
    }
    open.len() < most
}

/// Makes room: ends the connection that has been idle longest. Returns false if all are busy.
fn end_oldest_idle(open: &[Arc<Connection>]) -> bool {
    let is_ending = |connection: &Connection| connection.is_ending.load(Ordering::Relaxed);
    let idle = open.iter().filter(|one| one.is_idle() && !is_ending(one));
    let Some(oldest) = idle.min_by_key(|connection| connection.idle_since()) else {
        return false;
    };
    oldest.is_ending.store(true, Ordering::Relaxed);
    oldest.end.notify_one();
    true
}

/// One connection.
struct Connection {
    /// Requests that are being answered.
    requests: AtomicUsize,
    /// Nothing was asked yet, so nothing of an answer can be on its way.
    is_fresh: AtomicBool,
    idle_since: Mutex<Instant>,
    /// Tells it to end.
    end: Notify,
    is_ending: AtomicBool,
    is_over: AtomicBool,
}

impl Connection {
    fn new() -> Self {
        Self {
            requests: AtomicUsize::new(0),
            is_fresh: AtomicBool::new(true),
            idle_since: Mutex::new(Instant::now()),
            end: Notify::new(),
            is_ending: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
        }
    }

    fn is_idle(&self) -> bool {
        self.requests.load(Ordering::Relaxed) == 0
    }

    fn idle_since(&self) -> Instant {
        *self
            .idle_since
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that is being answered, until it is dropped.
struct Answering(Arc<Connection>);

impl Answering {
    fn new(connection: &Arc<Connection>) -> Self {
        connection.requests.fetch_add(1, Ordering::Relaxed);
        connection.is_fresh.store(false, Ordering::Relaxed);
        Self(Arc::clone(connection))
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        let mut since = self
            .0
            .idle_since
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *since = Instant::now();
        self.0.requests.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A connection until its task ends, even by a panic.
struct Over(Arc<Connection>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
    }
}

/// The body of an answer: while it is being sent, the connection is busy.
struct Sent {
    body: Body,
    _answering: Answering,
}

impl HttpBody for Sent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

async fn run(stream: TcpStream, router: Router, limits: Limits, connection: Arc<Connection>) {
    let _over = Over(Arc::clone(&connection));
    let service = service_fn(|request: Request<Incoming>| {
        let (router, answering) = (router.clone(), Answering::new(&connection));
        async move {
            let request = request.map(|body| Body::new(Timely::new(body, limits.body)));
            let answer = match router.oneshot(request).await {
                Ok(answer) => answer,
                Err(never) => match never {},
            };
            let sent = |body| Sent {
                body,
                _answering: answering,
            };
            Ok::<_, Infallible>(answer.map(sent))
        }
    });
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(BUFFER_BYTES);
    let stream = TokioIo::new(Patient::new(stream, limits.reader));
    let mut serving = pin!(builder.serve_connection(stream, service));
    let ended = tokio::select! {
        ended = serving.as_mut() => Some(ended),
        () = connection.end.notified() => None,
    };
    if let Some(Err(error)) = &ended {
        tracing::debug!(%error, "a connection ended");
    }
    if ended.is_none() && !connection.is_fresh.load(Ordering::Relaxed) {
        serving.as_mut().graceful_shutdown();
        let is_done = async || {
            tokio::time::sleep(LAST_BYTES).await;
            connection.is_idle()
        };
        loop {
            tokio::select! {
                _ = serving.as_mut() => break,
                is_done = is_done() => if is_done { break },
            }
        }
    }
}

#[cfg(test)]
#[path = "connections_tests.rs"]
mod tests;
