//! Arbitrary requests to the server, without a socket: an answer or an error that says why, and
//! neither without the token.

use std::str::FromStr as _;
use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, Uri, header};
use serde_json::Value;
use stepscope_model::ingest::{HostInput, ingest};
use stepscope_server::{Access, Library, router};
use stepscope_testing::drawing::draw;
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt as _;

const DRAWING: &str = "
    host vm
    device tpu:0 v6e
    line Steps
      0..90us 1
      100..190us 2
    line XLA Ops
    repeat 2 every 100us
      10..60us  fusion.1
      20..30us  dot.2
      70..80us  all-reduce.3
    end
    thread python
    repeat 2 every 100us
      0..90us train #step_num=$i,_r=1#
    end";

/// No request has it: it cannot be guessed.
const TOKEN: &str = "6f1d0c7a25b84e93a0d4c8b1e7f25960";
/// Far more than any answer about the drawing.
const MOST_BYTES: usize = 64 << 20;

/// A server without a socket, and the threads that it runs on.
struct Server {
    runtime: Runtime,
    open: Router,
    guarded: Router,
}

/// Panics if an answer breaks a promise. The bytes are the path and the query.
pub fn check(bytes: &[u8]) {
    answered(bytes);
}

/// [`check`], with the status of the answer; none if the bytes are no request.
pub fn answered(bytes: &[u8]) -> Option<StatusCode> {
    let uri = std::str::from_utf8(bytes)
        .map_err(drop)
        .and_then(uri)
        .ok()?;
    let server = server();
    let (open, body) = server.answer(&server.open, &uri);
    assert!(!open.is_server_error(), "{uri}: {open}");
    if open.is_client_error() && uri.path().starts_with("/api/") {
        check_error(&uri, &body);
    }
    let (status, body) = server.answer(&server.guarded, &uri);
    assert_eq!(status, StatusCode::UNAUTHORIZED, "{uri}");
    assert!(!String::from_utf8_lossy(&body).contains("fusion"), "{uri}");
    Some(open)
}

fn uri(text: &str) -> Result<Uri, ()> {
    let text = text.trim_end_matches(['\n', '\r']);
    let uri = Uri::from_str(text).map_err(drop)?;
    let is_path = uri.host().is_none() && uri.path().starts_with('/');
    is_path.then_some(uri).ok_or(())
}

/// Errors of routes are a sentence in JSON, or nothing where there is no such route.
fn check_error(uri: &Uri, body: &[u8]) {
    let Ok(report) = serde_json::from_slice::<Value>(body) else {
        return;
    };
    let error = report.get("error").and_then(Value::as_str);
    assert!(error.is_some_and(|error| !error.is_empty()), "{uri}");
}

impl Server {
    fn answer(&self, router: &Router, uri: &Uri) -> (StatusCode, Vec<u8>) {
        let request = Request::get(uri.clone()).header(header::HOST, "localhost:6006");
        let request = request.body(Body::empty()).expect("a request");
        self.runtime.block_on(async {
            let answer = router.clone().oneshot(request).await;
            let answer = answer.expect("an answer, whatever it is");
            let headers = answer.headers();
            assert!(
                headers.contains_key(header::CONTENT_SECURITY_POLICY),
                "{uri}"
            );
            assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff", "{uri}");
            let status = answer.status();
            let body = to_bytes(answer.into_body(), MOST_BYTES).await;
            (status, body.expect("a body of reasonable size").to_vec())
        })
    }
}

fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        let library = Library::empty();
        for name in ["before", "after"] {
            let input = HostInput {
                host: "vm".to_owned(),
                bytes: Arc::new(draw(DRAWING).expect("a drawing").to_bytes()),
                problem: None,
            };
            library.add_open(ingest(name, vec![input]).expect("a session"));
        }
        let mut runtime = Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).enable_all().build();
        Server {
            runtime: runtime.expect("a runtime"),
            open: router(Arc::clone(&library), Access::loopback(Vec::new())),
            guarded: router(library, Access::with_token(TOKEN.to_owned(), 6006)),
        }
    })
}
