//! Checks for every request: methods, origin, access; and the headers of every answer.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::access::{Access, Pass, Refusal};
use crate::error::ApiError;
use crate::{agents, api, capture_routes, origin, prefix, ui};

/// Passes a request on, or rejects it.
pub(crate) async fn guard(
    State(access): State<Arc<Access>>,
    request: Request,
    next: Next,
) -> Response {
    let answer = admit(&access, request, next).await;
    with_headers(answer)
}

async fn admit(access: &Access, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_action = *request.method() == Method::POST
        && (capture_routes::is_ours(path) || path == api::sql::PATH || agents::is_ours(path));
    if !is_action && !matches!(*request.method(), Method::GET | Method::HEAD) {
        let error = "Only GET and HEAD are allowed here.";
        let answer = ApiError::new(StatusCode::METHOD_NOT_ALLOWED, error).into_response();
        return with_header(answer, header::ALLOW, "GET, HEAD");
    }
    // Before the token: a page of another site learns nothing, not even whether it is known.
    if origin::is_of_program(path)
        && let Err(error) = origin::check(request.headers())
    {
        return error.into_response();
    }
    match access.check(request.headers(), request.uri().query()) {
        Err(refusal) => refuse(refusal, request.headers()),
        Ok(_) if is_action => match check_body(request.headers()) {
            Ok(()) => next.run(request).await,
            Err(error) => error.into_response(),
        },
        Ok(Pass::InUrl) if path == "/" => {
            if origin::is_linked_from_elsewhere(request.headers()) {
                return with_cookie(access, next.run(request).await);
            }
            keep_token(access, request.uri(), prefix::forwarded(request.headers()))
        }
        Ok(Pass::Free) if origin::is_of_program(path) => {
            if access.is_of_our_page(request.headers()) {
                next.run(request).await
            } else {
                not_of_our_page().into_response()
            }
        }
        Ok(Pass::Free) if path == "/" => with_cookie(access, next.run(request).await),
        Ok(Pass::Free | Pass::Carried | Pass::InUrl) => next.run(request).await,
    }
}

fn not_of_our_page() -> ApiError {
    let error = "This request does not say that it comes from Stepscope's own page.";
    ApiError::new(StatusCode::FORBIDDEN, error)
        .with_hint("Reload the page; programs send X-Requested-With: stepscope.")
}

/// Rejects bodies that are not JSON. Browsers send JSON to other sites only after a preflight
/// request, which is rejected too.
fn check_body(headers: &HeaderMap) -> Result<(), ApiError> {
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

fn refuse(refusal: Refusal, headers: &HeaderMap) -> Response {
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let error = match refusal {
        Refusal::ForeignHost => ApiError::new(
            StatusCode::FORBIDDEN,
            format!("Unknown host in the request: {}.", host.unwrap_or("none")),
        )
        .with_hint(
            "Use http://localhost:PORT or http://127.0.0.1:PORT; behind a proxy that is called \
             otherwise, start the server with --allow-host NAME, or without --no-token.",
        ),
        Refusal::NoToken => ApiError::new(StatusCode::UNAUTHORIZED, "Missing or wrong token.")
            .with_hint(
                "Open the full URL, with ?token=…, that the server printed when it started; programs \
                 send Authorization: Bearer TOKEN.",
            ),
    };
    error.into_response()
}

/// Puts the token into a cookie and redirects the browser to the page without it, so that it is
/// neither in the history nor in a copied link. The target is relative if no proxy reports a
/// prefix.
///
/// After a click in another site, such as a terminal in a browser, the cookie would not be sent to
/// that target; there, the page itself comes at once and removes the token from its address.
fn keep_token(access: &Access, uri: &Uri, prefix: Option<String>) -> Response {
    let folder = prefix.unwrap_or_else(|| ".".to_owned());
    let query = uri.query().unwrap_or_default();
    let others: Vec<&str> = query
        .split('&')
        .filter(|pair| !pair.starts_with("token="))
        .collect();
    let target = match others.join("&") {
        rest if rest.is_empty() => format!("{folder}/"),
        rest => format!("{folder}/?{rest}"),
    };
    let mut answer = StatusCode::SEE_OTHER.into_response();
    if let Ok(location) = HeaderValue::from_str(&target) {
        answer.headers_mut().insert(header::LOCATION, location);
    }
    with_cookie(access, answer)
}

fn with_cookie(access: &Access, mut answer: Response) -> Response {
    if let Some(cookie) = access.cookie() {
        answer.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    answer
}

/// Headers of every answer. API answers are not cached: session numbers mean something else after
/// the server restarts.
fn with_headers(mut answer: Response) -> Response {
    let headers = answer.headers_mut();
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert_with(|| ui::content_security_policy().clone());
    answer = with_header(answer, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    answer = with_header(answer, header::REFERRER_POLICY, "no-referrer");
    let opener = HeaderName::from_static("cross-origin-opener-policy");
    answer = with_header(answer, opener, "same-origin");
    let resource = HeaderName::from_static("cross-origin-resource-policy");
    with_header(answer, resource, "same-origin")
}

fn with_header(mut answer: Response, name: HeaderName, value: &'static str) -> Response {
    answer
        .headers_mut()
        .insert(name, HeaderValue::from_static(value));
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: &'static str) -> Result<(), StatusCode> {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
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
}
