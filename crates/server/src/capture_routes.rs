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

/// Rejects actions that a foreign page may have sent: browsers say where a request comes from, and
/// send JSON to other sites only after a preflight request, which is rejected too. Scripts outside
/// a browser send no such header and pass.
pub(crate) fn check_origin(headers: &HeaderMap) -> Result<(), ApiError> {
    let text =
        |name: header::HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let refused = || {
        ApiError::new(
            StatusCode::FORBIDDEN,
            "Captures can only be started from the pages of this server.",
        )
        .with_hint("Open Stepscope's own page, or send the request from outside a browser.")
    };
    let kind = text(header::CONTENT_TYPE).unwrap_or_default();
    if kind.split(';').next().map(str::trim) != Some("application/json") {
        return Err(ApiError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "The body of this request must be JSON (Content-Type: application/json).",
        ));
    }
    // If the browser says how the two sites are related, that decides, even behind a proxy that
    // serves this under another name.
    if let Some(site) = text(header::HeaderName::from_static("sec-fetch-site")) {
        return if matches!(site, "same-origin" | "none") {
            Ok(())
        } else {
            Err(refused())
        };
    }
    let Some(origin) = text(header::ORIGIN) else {
        return Ok(());
    };
    let authority = origin.split_once("://").map(|(_, authority)| authority);
    let is_here = authority.is_some() && authority == text(header::HOST);
    if is_here { Ok(()) } else { Err(refused()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pairs: &[(&'static str, &'static str)]) -> Result<(), StatusCode> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.insert(*name, header::HeaderValue::from_static(value));
        }
        check_origin(&headers).map_err(|error| error.status)
    }

    const JSON: (&str, &str) = ("content-type", "application/json; charset=utf-8");
    const HOST: (&str, &str) = ("host", "localhost:6006");

    #[test]
    fn only_our_own_pages_and_scripts_may_start_captures() {
        assert_eq!(check(&[JSON, HOST]), Ok(()));
        assert_eq!(
            check(&[JSON, HOST, ("origin", "http://localhost:6006")]),
            Ok(())
        );
        assert_eq!(
            check(&[JSON, HOST, ("sec-fetch-site", "same-origin")]),
            Ok(())
        );
        let foreign = [
            ("origin", "http://evil.example"),
            ("origin", "http://localhost:8888"),
            ("origin", "null"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
        ];
        for header in foreign {
            assert_eq!(
                check(&[JSON, HOST, header]),
                Err(StatusCode::FORBIDDEN),
                "{header:?}"
            );
        }
    }

    #[test]
    fn forms_of_other_pages_are_no_json() {
        for kind in ["text/plain", "application/x-www-form-urlencoded", ""] {
            let answer = check(&[("content-type", kind), HOST]);
            assert_eq!(answer, Err(StatusCode::UNSUPPORTED_MEDIA_TYPE));
        }
        assert_eq!(check(&[HOST]), Err(StatusCode::UNSUPPORTED_MEDIA_TYPE));
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
