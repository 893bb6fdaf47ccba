//! Ranged reads over plain HTTP, for web servers.

use std::time::{Duration, Instant, SystemTime};

use futures_util::StreamExt as _;
use reqwest::header::{self, HeaderMap};
use reqwest::{Client, RequestBuilder, Response, StatusCode};

use crate::error::{self, RemoteError, RemoteErrorKind};
use crate::pace::Pace;
use crate::status::{self, Credentials, Service};

/// Bytes of an answer that are read where it is an error.
const MAX_ERROR_BYTES: usize = 64 << 10;
/// How long an answer may take to begin.
const HEADERS: Duration = Duration::from_secs(90);

/// What a request carries beside its URL, and how errors are told.
#[derive(Debug, Clone)]
pub(crate) struct Asker {
    pub(crate) client: Client,
    /// The value of `Authorization`.
    pub(crate) authorization: Option<String>,
    /// User and password, where these are asked for instead.
    pub(crate) user: Option<(String, Option<String>)>,
    /// Which credentials these are, for messages.
    pub(crate) credentials: Credentials,
}

impl Asker {
    /// Asks, and takes anything but success for an error.
    pub(crate) async fn get(&self, url: &str) -> Result<Response, RemoteError> {
        self.send(self.client.get(url), url).await
    }

    pub(crate) async fn head(&self, url: &str) -> Result<Response, RemoteError> {
        self.send(self.client.head(url), url).await
    }

    /// Asks for a part. A server that knows no ranges answers with the whole: see
    /// [`is_part`].
    pub(crate) async fn get_range(
        &self,
        url: &str,
        first: u64,
        end: u64,
    ) -> Result<Response, RemoteError> {
        let range = format!("bytes={first}-{}", end.saturating_sub(1));
        let builder = self.client.get(url).header(header::RANGE, range);
        self.send(builder, url).await
    }

    async fn send(&self, builder: RequestBuilder, url: &str) -> Result<Response, RemoteError> {
        let builder = match (&self.authorization, &self.user) {
            (Some(value), _) => builder.header(header::AUTHORIZATION, value),
            (None, Some((user, password))) => builder.basic_auth(user, password.as_ref()),
            (None, None) => builder,
        };
        // Headers that come byte by byte keep the timeout of reads from passing.
        let answer = tokio::time::timeout(HEADERS, builder.send()).await;
        let answer = answer.map_err(|_| {
            let message = format!("the server did not answer within {} s", HEADERS.as_secs());
            RemoteError::new(RemoteErrorKind::Unreachable, url, message)
        })?;
        let answer = answer.map_err(|error| error::of_transport(&error, url))?;
        let status = answer.status();
        if status.is_success() {
            return Ok(answer);
        }
        // As much as an explanation may have, and no longer than a file may take.
        let body = text(answer, MAX_ERROR_BYTES, url).await.unwrap_or_default();
        let status = status.as_u16();
        let credentials = &self.credentials;
        Err(status::of_status(
            Service::Web,
            status,
            &body,
            url,
            credentials,
        ))
    }
}

/// The text of an answer, up to a size, as long as it comes at a pace.
pub(crate) async fn text(answer: Response, most: usize, url: &str) -> Result<String, RemoteError> {
    let mut bytes = Vec::new();
    let mut body = answer.bytes_stream();
    let mut pace = Pace::new(Instant::now());
    while let Some(chunk) = body.next().await {
        let chunk = chunk.map_err(|error| error::of_transport(&error, url))?;
        pace.take(chunk.len() as u64, Instant::now(), url)?;
        bytes.extend_from_slice(&chunk);
        if bytes.len() > most {
            bytes.truncate(most);
            break;
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether an answer is the part that was asked for, and not the whole.
pub(crate) fn is_part(answer: &Response) -> bool {
    answer.status() == StatusCode::PARTIAL_CONTENT
}

/// What changes when the content does, as an answer's headers tell it.
pub(crate) fn version(headers: &HeaderMap) -> String {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    text(header::ETAG)
        .or_else(|| text(header::LAST_MODIFIED))
        .unwrap_or_default()
        .to_owned()
}

/// The size of the whole, from the headers of an answer to `HEAD` or `GET`.
pub(crate) fn size(headers: &HeaderMap) -> Option<u64> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let total = text(header::CONTENT_RANGE).and_then(|range| range.rsplit('/').next());
    total.or_else(|| text(header::CONTENT_LENGTH))?.parse().ok()
}

/// When the file was last written, seconds since the epoch.
pub(crate) fn modified(headers: &HeaderMap) -> Option<u64> {
    let value = headers.get(header::LAST_MODIFIED)?.to_str().ok()?;
    let time = httpdate::parse_http_date(value).ok()?;
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_servers_are_read() {
        let read = |text: &'static str| {
            let value = header::HeaderValue::from_static(text);
            modified(&HeaderMap::from_iter([(header::LAST_MODIFIED, value)]))
        };
        assert_eq!(read("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(read("Thu, 29 Feb 2024 00:00:00 GMT"), Some(1_709_164_800));
        assert_eq!(read("yesterday"), None);
    }

    #[test]
    fn sizes_come_from_ranges_too() {
        let mut headers = HeaderMap::new();
        headers.insert(
            header::CONTENT_LENGTH,
            header::HeaderValue::from_static("1"),
        );
        assert_eq!(size(&headers), Some(1));
        let range = header::HeaderValue::from_static("bytes 0-0/5000");
        headers.insert(header::CONTENT_RANGE, range);
        assert_eq!(size(&headers), Some(5000));
    }
}
