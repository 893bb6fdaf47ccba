//! The routes below `/api/capture`, and their access control.

use std::sync::Arc;

use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
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

/// Whether a request performs an action, which only these routes do.
pub(crate) fn is_action(method: &Method, path: &str) -> bool {
    let is_ours = path == PREFIX
        || path
            .strip_prefix(PREFIX)
            .is_some_and(|rest| rest.starts_with('/'));
    *method == Method::POST && is_ours
}

/// Rejects bodies that are not JSON. Browsers send JSON to other sites only after a preflight
/// request, which is rejected too.
pub(crate) fn check_body(headers: &HeaderMap) -> Result<(), ApiError> {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind.split(';').next().map(str::trim) == Some("application/json") {
        return Ok(());
    }
    Err(ApiError::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "The body of this request must be JSON (Content-Type: application/json).",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: &'static str) -> Result<(), StatusCode> {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static(kind));
        check_body(&headers).map_err(|error| error.status)
    }

    #[test]
    fn forms_of_other_pages_are_no_json() {
        assert_eq!(check("application/json; charset=utf-8"), Ok(()));
        for kind in ["text/plain", "application/x-www-form-urlencoded", ""] {
            assert_eq!(check(kind), Err(StatusCode::UNSUPPORTED_MEDIA_TYPE));
        }
        assert!(check_body(&HeaderMap::new()).is_err());
    }

    #[test]
    fn actions_are_posts_below_the_prefix() {
        assert!(is_action(&Method::POST, "/api/capture"));
        assert!(is_action(&Method::POST, "/api/capture/1/end"));
        assert!(!is_action(&Method::PUT, "/api/capture"));
        assert!(!is_action(&Method::POST, "/api/captured"));
        assert!(!is_action(&Method::POST, "/api/sessions"));
    }
}
