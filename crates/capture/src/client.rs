//! The connection to one profiler service: calls, and the count of what has come.

use std::error::Error;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::StreamExt;
use http_body_util::{BodyStream, StreamBody};
use prost::Message;
use tokio::net::{TcpStream, lookup_host};
use tonic::body::Body;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::codegen::http::{Request as HttpRequest, Response as HttpResponse};
use tonic::codegen::{BoxFuture, Service};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};
use tonic_prost::ProstCodec;

use crate::address::Address;
use crate::failure::HostFailure;
use crate::memory::{Memory, Reservation};
use crate::request::Request;
use crate::wire::{Nothing, TERMINATE, TerminateRequest};

/// Windows of HTTP/2 flow control: profiles are large, and links between sites are long.
const STREAM_WINDOW_BYTES: u32 = 8 << 20;
const CONNECTION_WINDOW_BYTES: u32 = 16 << 20;
/// A machine that went away is noticed by TCP. Pings of HTTP/2 would be held against us: servers
/// in C++ close connections that ping more often than every five minutes.
const KEEPALIVE: Duration = Duration::from_secs(10);
const KEEPALIVE_RETRIES: u32 = 3;
/// A call that only tells something must not hold anything up.
const TERMINATE_WAIT: Duration = Duration::from_secs(2);

/// The largest reply: a message of protobuf has at most 2 GiB.
const MAX_REPLY_BYTES: usize = 2 << 30;

/// The connection to one profiler service. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    channel: Counted,
}

impl Client {
    /// Connects; an error says which step failed.
    pub(crate) async fn connect(address: &Address, request: &Request) -> Result<Self, HostFailure> {
        let wait = request.connect_timeout;
        reach(address, wait).await?;
        let endpoint = Endpoint::from_shared(address.url())
            .map_err(|error| HostFailure::Connection(error.to_string()))?
            .connect_timeout(wait)
            .tcp_nodelay(true)
            .tcp_keepalive(Some(KEEPALIVE))
            .tcp_keepalive_interval(Some(KEEPALIVE))
            .tcp_keepalive_retries(Some(KEEPALIVE_RETRIES))
            .initial_stream_window_size(STREAM_WINDOW_BYTES)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES);
        let channel = endpoint
            .connect()
            .await
            .map_err(|error| HostFailure::Connection(innermost(&error)))?;
        Ok(Self {
            channel: Counted {
                channel,
                received_bytes: Arc::default(),
                memory: request.memory.clone(),
                held: Arc::default(),
            },
        })
    }

    /// Bytes that came in replies.
    pub(crate) fn received_bytes(&self) -> u64 {
        self.channel.received_bytes.load(Ordering::Relaxed)
    }

    /// One call. Replies may have any size that a message can have, and no more is reserved for
    /// them, whatever their head says.
    pub(crate) async fn call<Ask, Reply>(
        &self,
        path: &'static str,
        ask: Ask,
    ) -> Result<Reply, Status>
    where
        Ask: Message + Send + Sync + 'static,
        Reply: Message + Default + Send + Sync + 'static,
    {
        let mut grpc = Grpc::new(self.channel.clone()).max_decoding_message_size(MAX_REPLY_BYTES);
        grpc.ready()
            .await
            .map_err(|error| Status::unavailable(innermost(&error)))?;
        let path = PathAndQuery::from_static(path);
        let codec = ProstCodec::<Ask, Reply>::default();
        let reply = grpc.unary(tonic::Request::new(ask), path, codec).await?;
        Ok(reply.into_inner())
    }

    /// The same call under the names it had over time.
    pub(crate) async fn call_any<Ask, Reply>(
        &self,
        paths: [&'static str; 2],
        ask: Ask,
    ) -> Result<Reply, Status>
    where
        Ask: Message + Clone + Send + Sync + 'static,
        Reply: Message + Default + Send + Sync + 'static,
    {
        match self.call(paths[0], ask.clone()).await {
            Err(status) if status.code() == Code::Unimplemented => self.call(paths[1], ask).await,
            answer => answer,
        }
    }

    /// Ends the capture with this id early. Servers never refuse, and a server that is gone has
    /// nothing to end.
    pub(crate) async fn terminate(&self, session_id: &str) {
        let ask = TerminateRequest {
            session_id: session_id.to_owned(),
        };
        let call = self.call::<_, Nothing>(TERMINATE, ask);
        match tokio::time::timeout(TERMINATE_WAIT, call).await {
            Ok(Ok(Nothing {})) => {}
            Ok(Err(error)) => tracing::debug!(%error, "Terminate failed"),
            Err(_) => tracing::debug!("Terminate was not answered"),
        }
    }
}

/// Whether somebody takes connections there, with an error that says what is wrong.
pub(crate) async fn reach(address: &Address, wait: Duration) -> Result<(), HostFailure> {
    let attempt = async {
        let place = (address.host(), address.port());
        let found: Vec<_> = lookup_host(place)
            .await
            .map_err(|error| HostFailure::UnknownHost(plain(&error)))?
            .collect();
        let mut failure = HostFailure::UnknownHost("it has no address".to_owned());
        for socket in found {
            match TcpStream::connect(socket).await {
                Ok(_) => return Ok(()),
                Err(error) => failure = unreachable(&error),
            }
        }
        Err(failure)
    };
    tokio::time::timeout(wait, attempt)
        .await
        .unwrap_or(Err(HostFailure::Unreachable(wait)))
}

fn unreachable(error: &io::Error) -> HostFailure {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => HostFailure::Refused,
        _ => HostFailure::Connection(plain(error)),
    }
}

/// The system's words without its number.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    text.trim_start_matches("failed to lookup address information: ")
        .to_owned()
}

/// The words of the error at the bottom, which is the one that says something.
fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

/// A channel that counts the bytes of replies as they come.
#[derive(Clone)]
struct Counted {
    channel: Channel,
    received_bytes: Arc<AtomicU64>,
    memory: Memory,
    /// What the last large reply takes, until the next one or the end of the connection.
    held: Held,
}

/// The reservation of a reply.
type Held = Arc<Mutex<Option<Box<dyn Reservation>>>>;

/// Smaller replies are not counted: they are told, not kept.
const SMALL_BYTES: u64 = 1 << 20;
/// A reply is held as it comes, and once more as a message.
const COPIES: u64 = 2;

/// The memory of one reply as it comes.
struct Growing {
    memory: Memory,
    held: Held,
    bytes: u64,
}

impl Growing {
    fn take(&mut self, bytes: u64) -> Result<(), Status> {
        let before = self.bytes;
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes <= SMALL_BYTES {
            return Ok(());
        }
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if before <= SMALL_BYTES {
            // Of the reply before, nothing is left.
            *held = None;
            *held = self.memory.reservation();
        }
        let needed = self.bytes.saturating_mul(COPIES);
        let grown = held.as_mut().map_or(Ok(()), |held| held.grow_to(needed));
        grown.map_err(|reason| {
            let received = self.bytes;
            Status::resource_exhausted(format!("no memory after {received} bytes: {reason}"))
        })
    }
}

impl fmt::Debug for Counted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let received = self.received_bytes.load(Ordering::Relaxed);
        write!(formatter, "Counted({received} bytes)")
    }
}

impl Service<HttpRequest<Body>> for Counted {
    type Response = HttpResponse<Body>;
    type Error = tonic::transport::Error;
    type Future = BoxFuture<Self::Response, Self::Error>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.channel.poll_ready(context)
    }

    fn call(&mut self, request: HttpRequest<Body>) -> Self::Future {
        let received_bytes = Arc::clone(&self.received_bytes);
        let mut growing = Growing {
            memory: self.memory.clone(),
            held: Arc::clone(&self.held),
            bytes: 0,
        };
        let reply = self.channel.call(request);
        Box::pin(async move {
            let reply = reply.await?;
            Ok(reply.map(|body| {
                let frames = BodyStream::new(body).map(move |frame| {
                    let frame = frame?;
                    let bytes = frame.data_ref().map_or(0, |data| data.len() as u64);
                    received_bytes.fetch_add(bytes, Ordering::Relaxed);
                    growing.take(bytes)?;
                    Ok::<_, Status>(frame)
                });
                Body::new(StreamBody::new(frames))
            }))
        })
    }
}
