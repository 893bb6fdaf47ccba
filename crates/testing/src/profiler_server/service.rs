//! The calls of the service.

use std::collections::HashSet;
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use prost::Message;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tonic::body::Body;
use tonic::codegen::http::{Request as HttpRequest, Response as HttpResponse};
use tonic::codegen::{BoxFuture, Service};
use tonic::server::{Grpc, NamedService, UnaryService};
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;

use super::behavior::{Asked, Behavior, Continuous};
use super::messages::{Empty, ProfileRequest, ProfileResponse, SnapshotRequest, TerminateRequest};

const BUSY: &str = "Another profiling session active.";

/// Serves until the runtime ends.
pub(super) async fn serve(listener: TcpListener, behavior: Behavior, asked: Arc<Mutex<Asked>>) {
    let service = Profiler {
        behavior: Arc::new(behavior),
        asked,
        state: Arc::default(),
        wake: Arc::default(),
    };
    let incoming = tonic::transport::server::TcpIncoming::from(listener);
    let server = tonic::transport::Server::builder().add_service(service);
    // A server that cannot serve is noticed because it refuses connections.
    let _ = server.serve_with_incoming(incoming).await;
}

#[derive(Clone)]
struct Profiler {
    behavior: Arc<Behavior>,
    asked: Arc<Mutex<Asked>>,
    state: Arc<Mutex<State>>,
    wake: Arc<Notify>,
}

#[derive(Default)]
struct State {
    is_recording: bool,
    is_continuous: bool,
    /// IDs to end, until a session takes notice.
    terminated: HashSet<String>,
    requests: u32,
}

/// Frees the session when its request ends, in whatever way.
struct Recording(Arc<Mutex<State>>);

impl Drop for Recording {
    fn drop(&mut self) {
        locked(&self.0).is_recording = false;
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[expect(
    clippy::unused_async,
    reason = "all calls of the service have one form"
)]
impl Profiler {
    fn begin(&self) -> Result<Recording, Status> {
        let mut state = locked(&self.state);
        state.requests += 1;
        let is_busy = state.is_recording
            || state.is_continuous
            || state.requests <= self.behavior.busy_requests;
        if is_busy {
            return Err(if self.behavior.keeps_code {
                Status::already_exists(BUSY)
            } else {
                Status::internal(BUSY)
            });
        }
        state.is_recording = true;
        Ok(Recording(Arc::clone(&self.state)))
    }

    async fn profile(self, request: ProfileRequest) -> Result<ProfileResponse, Status> {
        locked(&self.asked).profiles.push(request.clone());
        let _recording = self.begin()?;
        if self.behavior.hangs {
            std::future::pending::<()>().await;
        }
        let options = request.opts.clone().unwrap_or_default();
        self.window(
            &request.session_id,
            options.start_timestamp_ns,
            options.duration_ms,
        )
        .await;
        tokio::time::sleep(self.behavior.gathering).await;
        if options.duration_ms == 0 {
            return Ok(ProfileResponse {
                empty_trace: true,
                xspace: Vec::new(),
            });
        }
        if let Some(root) = &self.behavior.writes_below {
            return self.write(root, &request);
        }
        Ok(ProfileResponse {
            empty_trace: self.behavior.is_empty,
            xspace: self.behavior.xspace.clone(),
        })
    }

    /// Waits for the window to pass, or to be ended.
    async fn window(&self, session_id: &str, start_timestamp_ns: u64, duration_ms: u64) {
        let start = UNIX_EPOCH + Duration::from_nanos(start_timestamp_ns);
        let until_start = start.duration_since(SystemTime::now()).unwrap_or_default();
        let length = until_start + Duration::from_millis(duration_ms);
        let ended = async {
            loop {
                let woken = self.wake.notified();
                if locked(&self.state).terminated.remove(session_id) {
                    return;
                }
                woken.await;
            }
        };
        tokio::select! {
            () = tokio::time::sleep(length) => {}
            () = ended => {}
        }
    }

    fn write(
        &self,
        root: &std::path::Path,
        request: &ProfileRequest,
    ) -> Result<ProfileResponse, Status> {
        // The paths of the other machine, below a folder of this one.
        let folder = root
            .join(request.repository_root.trim_start_matches('/'))
            .join(&request.session_id);
        let file = folder.join(format!("{}.xplane.pb", request.host_name));
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(file, &self.behavior.xspace))
            .map_err(|error| Status::internal(error.to_string()))?;
        Ok(ProfileResponse::default())
    }

    async fn terminate(self, request: TerminateRequest) -> Result<Empty, Status> {
        locked(&self.asked)
            .terminated
            .push(request.session_id.clone());
        locked(&self.state).terminated.insert(request.session_id);
        self.wake.notify_waiters();
        Ok(Empty {})
    }

    async fn start_continuous(self, request: ProfileRequest) -> Result<Empty, Status> {
        let is_busy = {
            let mut state = locked(&self.state);
            let is_busy = state.is_continuous || state.is_recording;
            state.is_continuous |= !is_busy;
            is_busy
        };
        // Whoever sees the request knows that the recording goes on.
        locked(&self.asked).profiles.push(request);
        if is_busy {
            return Err(Status::already_exists(
                "A continuous profiling session is active.",
            ));
        }
        Ok(Empty {})
    }

    async fn snapshot(self, _request: SnapshotRequest) -> Result<ProfileResponse, Status> {
        self.continuous()?;
        Ok(ProfileResponse {
            empty_trace: self.behavior.is_empty,
            xspace: self.behavior.xspace.clone(),
        })
    }

    async fn stop_continuous(self, _request: Empty) -> Result<Empty, Status> {
        self.continuous()?;
        locked(&self.state).is_continuous = false;
        Ok(Empty {})
    }

    fn continuous(&self) -> Result<(), Status> {
        if locked(&self.state).is_continuous {
            Ok(())
        } else {
            Err(Status::not_found(
                "No continuous profiling session is active.",
            ))
        }
    }
}

impl NamedService for Profiler {
    const NAME: &'static str = "tensorflow.ProfilerService";
}

impl Service<HttpRequest<Body>> for Profiler {
    type Response = HttpResponse<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Self::Error>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HttpRequest<Body>) -> Self::Future {
        let profiler = self.clone();
        let path = request.uri().path().to_owned();
        let method = path.rsplit('/').next().unwrap_or_default().to_owned();
        locked(&self.asked).calls.push(method.clone());
        let has = self.behavior.continuous;
        Box::pin(async move {
            let answer = match (method.as_str(), has) {
                ("Profile", _) => unary(profiler, request, Self::profile).await,
                ("Terminate", _) => unary(profiler, request, Self::terminate).await,
                ("StartContinuousProfiling", Continuous::Today)
                | ("ContinuousProfiling", Continuous::Older) => {
                    unary(profiler, request, Self::start_continuous).await
                }
                ("GetSnapshot", Continuous::Today) | ("GetSnapShot", Continuous::Older) => {
                    unary(profiler, request, Self::snapshot).await
                }
                ("StopContinuousProfiling", Continuous::Today | Continuous::Older) => {
                    unary(profiler, request, Self::stop_continuous).await
                }
                _ => Status::unimplemented("").into_http(),
            };
            Ok(answer)
        })
    }
}

/// Decodes the request, runs the call, encodes the reply.
async fn unary<Ask, Reply, Answer>(
    profiler: Profiler,
    request: HttpRequest<Body>,
    method: fn(Profiler, Ask) -> Answer,
) -> HttpResponse<Body>
where
    Ask: Message + Default + Send + 'static,
    Reply: Message + Default + Send + 'static,
    Answer: Future<Output = Result<Reply, Status>> + Send + 'static,
{
    let mut grpc = Grpc::new(ProstCodec::<Reply, Ask>::default());
    grpc.unary(Method { profiler, method }, request).await
}

struct Method<Ask, Answer> {
    profiler: Profiler,
    method: fn(Profiler, Ask) -> Answer,
}

impl<Ask, Reply, Answer> UnaryService<Ask> for Method<Ask, Answer>
where
    Answer: Future<Output = Result<Reply, Status>> + Send + 'static,
{
    type Response = Reply;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Reply>, Status>> + Send>>;

    fn call(&mut self, request: Request<Ask>) -> Self::Future {
        let answer = (self.method)(self.profiler.clone(), request.into_inner());
        Box::pin(async move { answer.await.map(Response::new) })
    }
}
