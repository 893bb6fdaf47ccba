//! Where a request comes from: pages of other sites get no answers of programs, not even into an
//! `<img>` that they cannot read, because answers are costly.

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use crate::agents;
use crate::error::ApiError;

/// Whether a path is for programs: the pages and scripts. All others are files of the UI, which
/// anybody may link to.
pub(crate) fn is_of_program(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/") || agents::is_ours(path)
}

/// Whether a page of another site led a browser here, as it says itself.
pub(crate) fn is_linked_from_elsewhere(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    matches!(site, Some(b"cross-site" | b"same-site"))
}

/// Rejects requests that a page of another site makes. Browsers say how that site is related to
/// this one, also behind a proxy that serves this one under another name; older ones name the site
/// in some requests. Programs other than browsers say nothing, and pass.
pub(crate) fn check(headers: &HeaderMap) -> Result<(), ApiError> {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let is_ours = match text(HeaderName::from_static("sec-fetch-site")) {
        Some(site) => matches!(site, "same-origin" | "none"),
        None => text(header::ORIGIN).is_none_or(|origin| {
            let authority = origin.split_once("://").map(|(_, authority)| authority);
            authority.is_some() && authority == text(header::HOST)
        }),
    };
    if is_ours {
        return Ok(());
    }
    Err(ApiError::new(
        StatusCode::FORBIDDEN,
        "This request comes from a page of another site.",
    )
    .with_hint("Open Stepscope's own page, or send the request from outside a browser."))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: (&str, &str) = ("host", "localhost:6006");

    fn check_with(pair: (&'static str, &'static str)) -> Result<(), StatusCode> {
        let mut headers = HeaderMap::new();
        for (name, value) in [HOST, pair] {
            headers.insert(name, header::HeaderValue::from_static(value));
        }
        check(&headers).map_err(|error| error.status)
    }

    #[test]
    fn only_our_own_pages_and_programs_pass() {
        let ours = [
            HOST,
            ("origin", "http://localhost:6006"),
            ("sec-fetch-site", "same-origin"),
            ("sec-fetch-site", "none"),
        ];
        for pair in ours {
            assert_eq!(check_with(pair), Ok(()), "{pair:?}");
        }
        let foreign = [
            ("origin", "http://evil.example"),
            ("origin", "http://localhost:8888"),
            ("origin", "null"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
            ("sec-fetch-site", "anything"),
        ];
        for pair in foreign {
            assert_eq!(check_with(pair), Err(StatusCode::FORBIDDEN), "{pair:?}");
        }
    }

    #[test]
    fn the_page_itself_may_be_linked() {
        for path in ["/", "/assets/x.js", "/apiary"] {
            assert!(!is_of_program(path), "{path}");
        }
        for path in [
            "/api",
            "/api/version",
            "/api/sessions/0/timeline/tile",
            "/mcp",
        ] {
            assert!(is_of_program(path), "{path}");
        }
    }
}
