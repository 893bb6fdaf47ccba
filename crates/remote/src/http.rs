//! Ranged reads over plain HTTP, for web servers and for Google's JSON interface.

use reqwest::header::{self, HeaderMap};
use reqwest::{Client, RequestBuilder, Response, StatusCode};

use crate::error::{self, RemoteError, RemoteErrorKind, Service};
use crate::object::Object;

/// What a request carries beside its URL, and how errors are told.
#[derive(Debug, Clone)]
pub(crate) struct Asker {
    pub(crate) client: Client,
    pub(crate) service: Service,
    /// The value of `Authorization`.
    pub(crate) authorization: Option<String>,
    /// User and password, where these are asked for instead.
    pub(crate) user: Option<(String, Option<String>)>,
    /// Which credentials these are, or where none were found.
    pub(crate) tried: String,
}

impl Asker {
    /// Asks, and takes anything but success for an error told about `url`.
    pub(crate) async fn get(&self, request: &str, url: &str) -> Result<Response, RemoteError> {
        self.send(self.client.get(request), url).await
    }

    pub(crate) async fn head(&self, request: &str, url: &str) -> Result<Response, RemoteError> {
        self.send(self.client.head(request), url).await
    }

    /// Asks for a part. A server that knows no ranges answers with the whole: see
    /// [`is_part`].
    pub(crate) async fn get_range(
        &self,
        request: &str,
        url: &str,
        first: u64,
        end: u64,
    ) -> Result<Response, RemoteError> {
        let range = format!("bytes={first}-{}", end.saturating_sub(1));
        let builder = self.client.get(request).header(header::RANGE, range);
        self.send(builder, url).await
    }

    async fn send(&self, builder: RequestBuilder, url: &str) -> Result<Response, RemoteError> {
        let builder = match (&self.authorization, &self.user) {
            (Some(value), _) => builder.header(header::AUTHORIZATION, value),
            (None, Some((user, password))) => builder.basic_auth(user, password.as_ref()),
            (None, None) => builder,
        };
        let answer = builder.send().await;
        let answer = answer.map_err(|error| error::of_transport(&error, url))?;
        let status = answer.status();
        if status.is_success() {
            return Ok(answer);
        }
        let body = answer.text().await.unwrap_or_default();
        Err(error::of_status(
            self.service,
            status.as_u16(),
            &body,
            url,
            &self.tried,
        ))
    }
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
    http_date(value)
}

/// An answer about another version than the one that was listed.
pub(crate) fn changed(object: &Object) -> RemoteError {
    let message = "the file was changed while it was fetched";
    RemoteError::new(RemoteErrorKind::Other, &object.url, message)
        .with_hint("ask again: the new one is fetched then")
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that servers send, in seconds since the epoch.
fn http_date(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let mut words = text.split_once(", ")?.1.split(' ');
    let day: i64 = words.next()?.parse().ok()?;
    let name = words.next()?;
    let month = MONTHS.iter().position(|month| *month == name)?;
    let year: i64 = words.next()?.parse().ok()?;
    let mut clock = words
        .next()?
        .split(':')
        .map(|part| part.parse::<i64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let days = days_from_civil(year, i64::try_from(month).ok()? + 1, day);
    u64::try_from(((days * 24 + hour) * 60 + minute) * 60 + second).ok()
}

/// `2026-11-21T09:30:15.123Z` in seconds since the epoch.
pub(crate) fn iso_date(text: &str) -> Option<u64> {
    let (date, time) = text.split_once('T')?;
    let mut date = date.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let time = time.get(..8)?;
    let mut clock = time.split(':').map(|part| part.parse::<i64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let days = days_from_civil(year, month, day);
    u64::try_from(((days * 24 + hour) * 60 + minute) * 60 + second).ok()
}

/// Days since 1970-01-01 in the Gregorian calendar. The year is taken to begin in March, so that
/// the leap day is its last: months then have 153 days in every five.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_servers_are_read() {
        assert_eq!(
            http_date("Sun, 06 Nov 1994 08:49:37 GMT"),
            Some(784_111_777)
        );
        assert_eq!(
            http_date("Thu, 29 Feb 2024 00:00:00 GMT"),
            Some(1_709_164_800)
        );
        assert_eq!(iso_date("1970-01-02T00:00:01.5Z"), Some(86_401));
        assert_eq!(iso_date("2024-03-01T00:00:00Z"), Some(1_709_251_200));
        assert_eq!(http_date("yesterday"), None);
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
