//! The UI: files embedded when the crate was compiled.

use std::borrow::Cow;
use std::io::Read as _;
use std::sync::OnceLock;

use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use flate2::read::GzDecoder;
use rust_embed::RustEmbed;
use sha2::{Digest, Sha256};

use crate::encoding::Encoding;
use crate::error::ApiError;
use crate::prefix;

#[derive(RustEmbed)]
#[folder = "$STEPSCOPE_UI_DIR"]
struct Files;

const START_PAGE: &str = "index.html";
/// The page for single-file reports, which is not served: it is filled and written.
const SHARE_PAGE: &str = "share.html";

/// The page for single-file reports; `None` if it was left out of this build.
pub(crate) fn share_page() -> Option<String> {
    String::from_utf8(plain(SHARE_PAGE)?.into_owned()).ok()
}

/// A file as it is. Of most files only compressed copies are embedded.
fn plain(path: &str) -> Option<Cow<'static, [u8]>> {
    if let Some(file) = Files::get(path) {
        return Some(file.data);
    }
    let packed = Files::get(&format!("{path}{}", Encoding::Gzip.extension()))?;
    let mut bytes = Vec::new();
    GzDecoder::new(&*packed.data).read_to_end(&mut bytes).ok()?;
    Some(Cow::Owned(bytes))
}

/// Serves the file for a path, and the start page for `/`. Everything after `#` stays in the
/// browser, so there are no other pages.
pub(crate) async fn serve(uri: Uri, sent: HeaderMap) -> Response {
    let path = match uri.path().trim_start_matches('/') {
        "" => START_PAGE,
        path => path,
    };
    let Some(file) = served(path, &sent) else {
        return ApiError::not_found(format!("Nothing found at {}.", uri.path()))
            .with_hint("The pages are at the root of this server.")
            .into_response();
    };
    let kind = mime_guess::from_path(path).first_or_octet_stream();
    // Vite puts a file's digest into its name, so the content behind a name never changes.
    let caching = if path.starts_with("assets/") {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let headers = [
        (header::CONTENT_TYPE, kind.as_ref()),
        (header::CACHE_CONTROL, caching),
        (header::VARY, "accept-encoding, x-forwarded-prefix"),
    ];
    if path == START_PAGE
        && let Some(prefix) = prefix::forwarded(&sent)
    {
        let page = plain(path).unwrap_or_default();
        let page = with_base(&String::from_utf8_lossy(&page), &prefix);
        return (headers, page).into_response();
    }
    let tag = entity_tag(&file);
    let mut response = if is_known(&sent, &tag) {
        (StatusCode::NOT_MODIFIED, headers).into_response()
    } else {
        (headers, file.content).into_response()
    };
    let answered = response.headers_mut();
    if let Some(encoding) = file.encoding {
        let name = HeaderValue::from_static(encoding.name());
        answered.insert(header::CONTENT_ENCODING, name);
    }
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        answered.insert(header::ETAG, tag);
    }
    response
}

/// What is sent of a file.
struct Served {
    encoding: Option<Encoding>,
    content: Cow<'static, [u8]>,
    /// Of the embedded file.
    digest: [u8; 32],
}

/// The file that a path names: a copy that the build compressed in advance, the best that the client
/// accepts, else the file as it is. Copies have no path of their own.
fn served(path: &str, sent: &HeaderMap) -> Option<Served> {
    let copy = |encoding: Encoding| Files::get(&format!("{path}{}", encoding.extension()));
    let is_copy = Encoding::ALL
        .iter()
        .any(|encoding| path.ends_with(encoding.extension()));
    if path == SHARE_PAGE || is_copy {
        return None;
    }
    let accepted = Encoding::ALL.into_iter();
    let mut accepted = accepted.filter(|encoding| encoding.is_accepted(sent));
    if let Some((encoding, file)) = accepted.find_map(|one| Some((one, copy(one)?))) {
        return Some(Served {
            encoding: Some(encoding),
            digest: file.metadata.sha256_hash(),
            content: file.data,
        });
    }
    let content = plain(path)?;
    Some(Served {
        encoding: None,
        digest: Sha256::digest(&content).into(),
        content,
    })
}

/// Names the exact bytes of a copy.
fn entity_tag(file: &Served) -> String {
    format!("\"{}\"", URL_SAFE_NO_PAD.encode(&file.digest[..16]))
}

/// Whether the client already has the copy with this tag.
fn is_known(sent: &HeaderMap, tag: &str) -> bool {
    sent.get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|known| {
            let known = known.trim();
            known == "*" || known.trim_start_matches("W/") == tag
        })
}

/// The page with its prefix: a proxy that strips `/x` requests the same page whether the browser
/// was at `/x` or at `/x/`.
fn with_base(page: &str, prefix: &str) -> String {
    page.replacen("<head>", &format!("<head><base href=\"{prefix}/\" />"), 1)
}

/// What a page of this server may load: files of this server, and the scripts in the start page.
/// Other local pages (notebooks) may show it in a frame.
pub(crate) fn content_security_policy() -> &'static HeaderValue {
    static POLICY: OnceLock<HeaderValue> = OnceLock::new();
    POLICY.get_or_init(|| {
        let page = plain(START_PAGE).unwrap_or_default();
        let mut policy = "default-src 'none'; script-src 'self'".to_owned();
        for script in inline_scripts(&String::from_utf8_lossy(&page)) {
            let digest = STANDARD.encode(Sha256::digest(script.as_bytes()));
            policy.extend([" 'sha256-", &digest, "'"]);
        }
        policy.push_str(
            "; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; \
             connect-src 'self'; worker-src 'self' blob:; manifest-src 'self'; base-uri 'self'; \
             form-action 'none'; frame-ancestors 'self' http://localhost:* http://127.0.0.1:*",
        );
        HeaderValue::from_str(&policy)
            .unwrap_or_else(|_| HeaderValue::from_static("default-src 'none'"))
    })
}

/// The text of every `<script>` without a source.
fn inline_scripts(page: &str) -> Vec<&str> {
    let tags = page.split("<script").skip(1);
    tags.filter_map(|tag| {
        let (attributes, rest) = tag.split_once('>')?;
        let (text, _) = rest.split_once("</script>")?;
        (!attributes.contains("src=")).then_some(text)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_below_a_prefix_knows_it() {
        let page = with_base("<html><head><title>", "/lab/x");
        assert_eq!(page, "<html><head><base href=\"/lab/x/\" /><title>");
    }

    #[test]
    fn scripts_in_the_page_are_found() {
        let page = "<script>a()</script><script type=\"module\" src=\"x.js\"></script><script >b\n</script>";
        assert_eq!(inline_scripts(page), ["a()", "b\n"]);
    }

    #[test]
    fn the_policy_names_no_outside_origin() {
        let policy = content_security_policy().to_str().expect("text");
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self'"),
            "{policy}"
        );
        let origins: Vec<&str> = policy
            .split(' ')
            .filter(|word| word.contains("://"))
            .collect();
        assert!(origins.iter().all(|origin| {
            origin.starts_with("http://localhost:") || origin.starts_with("http://127.0.0.1:")
        }));
        assert!(!policy.contains("unsafe-eval") && !policy.contains("script-src 'unsafe"));
    }
}
