//! A server without a socket, with synthetic sessions.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode, header};
use serde_json::Value;
use stepscope_server::{Access, Library, router};
use stepscope_testing::drawing::draw;
use tempfile::TempDir;
use tower::ServiceExt;

/// Two steps on one TPU with an op, a nested op and a thread.
pub(crate) const TWO_STEPS: &str = "
    host vm
    device tpu:0 v6e
    line XLA Ops
    repeat 2 every 100us
      10..60us  fusion.1
      20..30us  dot.2
      70..80us  all-reduce.3
    end
    thread python
    repeat 2 every 100us
      0..90us train #step_num=$i,_r=1#
    end
    program 5 jit_step
      p.0 = f32[8,16] parameter(0)
      ROOT dot.2 = f32[8,8] dot(p.0, p.0) op_name=\"jit(step)/mul\" source=\"train.py:7\"
";

/// A log directory with one run per synthetic profile; the last one is the newest.
pub(crate) fn log_directory(drawings: &[&str]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (number, drawing) in drawings.iter().enumerate() {
        let run = format!("plugins/profile/2025_01_0{}_00_00_00", number + 1);
        write_run(&folder.path().join(run), &draw(drawing).unwrap().to_bytes());
    }
    folder
}

/// A run directory with one host.
pub(crate) fn write_run(folder: &Path, bytes: &[u8]) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("vm.xplane.pb"), bytes).unwrap();
}

/// The server for a folder, for requests from this machine.
pub(crate) fn server_at(folder: &Path) -> Router {
    let library = Library::at(folder).unwrap();
    router(library, Access::loopback(Vec::new()))
}

/// The server for a library.
pub(crate) fn server_of(library: Arc<Library>) -> Router {
    router(library, Access::loopback(Vec::new()))
}

/// An answer, read completely.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: header::HeaderName) -> &str {
        let value = self.headers.get(name);
        value
            .map(|value| value.to_str().unwrap())
            .unwrap_or_default()
    }
}

/// A GET as a browser on this machine sends it.
pub(crate) async fn get(server: &Router, uri: &str) -> Answer {
    let request = Request::get(uri).header(header::HOST, "localhost:6006");
    send(server, request.body(Body::empty()).unwrap()).await
}

/// The JSON of a GET that must succeed.
pub(crate) async fn get_json(server: &Router, uri: &str) -> Value {
    let answer = get(server, uri).await;
    let text = String::from_utf8_lossy(&answer.body);
    assert_eq!(answer.status, StatusCode::OK, "{uri}: {text}");
    answer.json()
}

/// The status and the error report of a GET that must fail.
pub(crate) async fn get_error(server: &Router, uri: &str) -> (StatusCode, String) {
    let answer = get(server, uri).await;
    assert!(answer.status.as_u16() >= 400, "{uri}: {}", answer.status);
    let error = answer.json()["error"].as_str().unwrap().to_owned();
    assert!(!error.is_empty());
    (answer.status, error)
}

/// Any request.
pub(crate) async fn send(server: &Router, request: Request<Body>) -> Answer {
    let response = server.clone().oneshot(request).await.unwrap();
    let (status, headers) = (response.status(), response.headers().clone());
    let body = to_bytes(response.into_body(), usize::MAX)
        .await
        .unwrap()
        .to_vec();
    Answer {
        status,
        headers,
        body,
    }
}
