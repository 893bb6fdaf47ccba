//! Serving under a path prefix: behind a proxy that passes it on, or one that strips it.

use std::convert::Infallible;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use tower::{ServiceExt, service_fn};

/// The header in which proxies report the prefix that they stripped.
const FORWARDED: &str = "x-forwarded-prefix";

/// Normalizes a prefix: empty, or `/a/b` without a trailing slash. `None` if it is not a path.
pub fn normal_prefix(given: &str) -> Option<String> {
    let parts: Vec<&str> = given.split('/').filter(|part| !part.is_empty()).collect();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~%@:+".contains(&byte);
    let is_fine = |part: &&str| part.bytes().all(is_plain) && !matches!(*part, "." | "..");
    parts.iter().all(is_fine).then(|| {
        parts.iter().fold(String::new(), |mut path, part| {
            path.push('/');
            path.push_str(part);
            path
        })
    })
}

/// The prefix under which the browser knows this server, if a proxy reports it.
pub(crate) fn forwarded(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(FORWARDED)?.to_str().ok()?;
    // Several proxies in a row append theirs after a comma; the first is the outermost.
    let first = value.split(',').next().unwrap_or_default().trim();
    normal_prefix(first).filter(|prefix| !prefix.is_empty())
}

/// The same routes under a prefix as at the root: a proxy may or may not strip it.
pub(crate) fn below(prefix: &str, inner: Router) -> Router {
    if prefix.is_empty() {
        return inner;
    }
    let prefix = prefix.to_owned();
    let service = service_fn(move |request: Request| {
        let (prefix, inner) = (prefix.clone(), inner.clone());
        async move { Ok::<_, Infallible>(answer(&prefix, inner, request).await) }
    });
    Router::new().fallback_service(service)
}

async fn answer(prefix: &str, inner: Router, mut request: Request) -> Response {
    if request.uri().path() == prefix {
        return with_slash(prefix, request.uri());
    }
    if let Some(uri) = without(prefix, request.uri()) {
        *request.uri_mut() = uri;
        if !request.headers().contains_key(FORWARDED)
            && let Ok(value) = HeaderValue::from_str(prefix)
        {
            request.headers_mut().insert(FORWARDED, value);
        }
    }
    match inner.oneshot(request).await {
        Ok(answer) => answer,
        Err(never) => match never {},
    }
}

/// Links on the page are relative, so the browser must know that the prefix is a folder.
fn with_slash(prefix: &str, uri: &Uri) -> Response {
    let last = prefix.rsplit('/').next().unwrap_or_default();
    let query = uri
        .query()
        .map_or_else(String::new, |query| format!("?{query}"));
    let mut answer = StatusCode::PERMANENT_REDIRECT.into_response();
    if let Ok(location) = HeaderValue::from_str(&format!("{last}/{query}")) {
        answer.headers_mut().insert(header::LOCATION, location);
    }
    answer
}

fn without(prefix: &str, uri: &Uri) -> Option<Uri> {
    let rest = uri.path().strip_prefix(prefix)?;
    if !rest.starts_with('/') {
        return None;
    }
    let query = uri
        .query()
        .map_or_else(String::new, |query| format!("?{query}"));
    format!("{rest}{query}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_have_one_form() {
        let normal = |text: &str| normal_prefix(text);
        assert_eq!(normal(""), Some(String::new()));
        assert_eq!(normal("/"), Some(String::new()));
        assert_eq!(normal("x"), Some("/x".to_owned()));
        assert_eq!(
            normal("/user/me@lab/proxy/6006/"),
            Some("/user/me@lab/proxy/6006".to_owned())
        );
        for wrong in ["/a b", "/\"><script>", "/a/../b", "/a?b", "/a#b", "/ä"] {
            assert_eq!(normal(wrong), None, "{wrong}");
        }
        assert_eq!(
            normal("//evil.example"),
            Some("/evil.example".to_owned()),
            "never another host"
        );
    }

    #[test]
    fn only_whole_parts_are_cut_off() {
        let cut = |text: &str| {
            let uri: Uri = text.parse().expect("a URI");
            without("/x", &uri).map(|uri| uri.to_string())
        };
        assert_eq!(
            cut("/x/api/version?a=b").as_deref(),
            Some("/api/version?a=b")
        );
        assert_eq!(cut("/x/").as_deref(), Some("/"));
        assert_eq!(cut("/xy/"), None);
        assert_eq!(cut("/api"), None);
    }
}
