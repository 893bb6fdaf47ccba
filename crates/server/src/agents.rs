//! The route for agents. The protocol is not known here: whoever starts the server hands in a service
//! that speaks it, and its requests pass the same checks as all others.

use std::convert::Infallible;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::{Request, Response};
use axum::response::IntoResponse;
use tower::util::BoxCloneSyncService;
use tower::{BoxError, Service, ServiceExt};

/// Where agents send their requests.
pub const AGENT_PATH: &str = "/mcp";

/// A service for agents, mounted at [`AGENT_PATH`].
#[derive(Debug, Clone)]
pub struct AgentRoute(BoxCloneSyncService<Request<Body>, axum::response::Response, Infallible>);

impl AgentRoute {
    /// Of a service that answers HTTP requests.
    pub fn new<S, B>(service: S) -> Self
    where
        S: Service<Request<Body>, Response = Response<B>, Error = Infallible>,
        S: Clone + Send + Sync + 'static,
        S::Future: Send,
        B: HttpBody<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        Self(BoxCloneSyncService::new(
            service.map_response(IntoResponse::into_response),
        ))
    }

    pub(crate) fn mount(self, router: Router) -> Router {
        router.route_service(AGENT_PATH, self.0)
    }
}

/// Whether a path is for agents.
pub(crate) fn is_ours(path: &str) -> bool {
    path == AGENT_PATH
}
