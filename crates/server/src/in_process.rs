//! The server without a socket, for programs that have a connection of their own to the page, such
//! as the kernel of a notebook.

use std::io;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use axum::response::Response;
use stepscope_model::Session;
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt;

use crate::access::Access;
use crate::library::Library;
use crate::router::router;

/// Requests that run at the same time; analyses have threads of their own.
const WORKERS: usize = 2;

/// The routes for one open session, answered within this process.
pub struct InProcess {
    router: Router,
    runtime: Runtime,
    key: String,
}

/// The answer to a request.
pub struct Answered {
    /// HTTP status.
    pub status: u16,
    /// Names and values of the headers.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl InProcess {
    /// The routes for a session. Captures are disabled: the page belongs to this session.
    ///
    /// # Errors
    ///
    /// No threads could be started.
    pub fn new(session: Arc<Session>) -> io::Result<Self> {
        let library = Library::empty();
        library.refuse_captures();
        let key = library.add_open(session);
        let runtime = Builder::new_multi_thread()
            .worker_threads(WORKERS)
            .enable_all()
            .build()?;
        Ok(Self {
            // Nobody but this process can send requests.
            router: router(library, Access::loopback(Vec::new())),
            runtime,
            key,
        })
    }

    /// The key of the session in routes.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Answers a request by its URL relative to the page; `body` is JSON, and empty for GET.
    ///
    /// # Errors
    ///
    /// Not a valid method or URL.
    pub fn answer(&self, method: &str, url: &str, body: Vec<u8>) -> io::Result<Answered> {
        let request = Request::builder()
            .method(method)
            .uri(format!("/{}", url.trim_start_matches('/')))
            .header(header::HOST, "localhost")
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(body))
            .map_err(io::Error::other)?;
        self.runtime.block_on(async {
            let answer = self.router.clone().oneshot(request).await;
            read(answer.unwrap_or_else(|never| match never {})).await
        })
    }
}

async fn read(answer: Response) -> io::Result<Answered> {
    let (parts, body) = answer.into_parts();
    let text = |value: &header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = parts.headers.iter();
    let headers = headers.map(|(name, value)| (name.to_string(), text(value)));
    Ok(Answered {
        status: parts.status.as_u16(),
        headers: headers.collect(),
        body: to_bytes(body, usize::MAX)
            .await
            .map_err(io::Error::other)?
            .to_vec(),
    })
}
