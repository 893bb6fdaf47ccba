//! The routes below `/api/capture`, and their access control.

use std::sync::Arc;

use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};

use crate::capture::Captures;
use crate::capture_reports::{CaptureReport, CaptureRequest, CaptureSettings};
use crate::error::ApiError;
use crate::library::Library;

/// Prefix of these routes.
pub(crate) const PREFIX: &str = "/api/capture";

/// The routes.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(library: Arc<Library>) -> Router<S> {
    Router::new()
        .route("/", get(settings).post(start))
        .route("/{id}", get(report))
        .route("/{id}/end", post(end))
        .with_state(Arc::new(Captures::new(library)))
}

async fn settings(State(captures): State<Arc<Captures>>) -> Json<CaptureSettings> {
    Json(captures.settings())
}

async fn start(
    State(captures): State<Arc<Captures>>,
    body: Result<Json<CaptureRequest>, JsonRejection>,
) -> Result<(StatusCode, Json<CaptureReport>), ApiError> {
    let Json(asked) = body.map_err(|rejection| ApiError::bad_request(rejection.body_text()))?;
    let job = captures.start(&asked)?;
    Ok((StatusCode::ACCEPTED, Json(job.report())))
}

async fn report(
    State(captures): State<Arc<Captures>>,
    Path(id): Path<String>,
) -> Result<Json<CaptureReport>, ApiError> {
    Ok(Json(captures.job(&id)?.report()))
}

async fn end(
    State(captures): State<Arc<Captures>>,
    Path(id): Path<String>,
) -> Result<Json<CaptureReport>, ApiError> {
    let job = captures.job(&id)?;
    job.end();
    Ok(Json(job.report()))
}

/// Whether a path belongs to these routes.
pub(crate) fn is_ours(path: &str) -> bool {
    let rest = path.strip_prefix(PREFIX);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_below_the_prefix() {
        assert!(is_ours("/api/capture"));
        assert!(is_ours("/api/capture/1/end"));
        assert!(!is_ours("/api/captured"));
        assert!(!is_ours("/api/sessions"));
    }
}
