//! Why something far away could not be listed or fetched, and what to do about it.

#[cfg(feature = "clients")]
use std::error::Error as _;

use crate::credentials::hide_credentials;

/// The hint where nothing was found.
pub(crate) const CHECK_PATH: &str = "check the path: use the log directory, or one *.xplane.pb";

/// What went wrong, as far as callers treat it differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemoteErrorKind {
    /// The URL is not one that is understood.
    Address,
    /// Nothing answered: no network, no such host, a timeout.
    Unreachable,
    /// No credentials were found, or those found are not accepted.
    Credentials,
    /// The credentials are known and not allowed to do this.
    Refused,
    /// There is no such bucket.
    NoBucket,
    /// There is nothing at this place.
    NotFound,
    /// The local cache cannot be written or read.
    Cache,
    /// Anything else the other side said.
    Other,
}

/// An answer that was not hoped for: a sentence that names no place, the place, and a hint.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}: {url}")]
pub struct RemoteError {
    /// What it was.
    pub kind: RemoteErrorKind,
    /// A sentence without trailing dot.
    pub message: String,
    /// The URL asked for, without credentials.
    pub url: String,
    /// What to do; may be empty.
    pub hint: String,
}

impl RemoteError {
    pub(crate) fn new(kind: RemoteErrorKind, url: &str, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: hide_credentials(&message.into()).into_owned(),
            url: hide_credentials(url).into_owned(),
            hint: String::new(),
        }
    }

    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    pub(crate) fn cache(url: &str, what: &str, error: &std::io::Error) -> Self {
        Self::new(
            RemoteErrorKind::Cache,
            url,
            format!("could not {what} the cache ({error})"),
        )
        .with_hint("set STEPSCOPE_CACHE_DIR to use another folder")
    }

    /// Whether asking again later may help, so that what was kept serves until then.
    pub(crate) const fn is_out_of_reach(&self) -> bool {
        matches!(
            self.kind,
            RemoteErrorKind::Unreachable | RemoteErrorKind::Credentials
        )
    }
}

/// An error and everything it was caused by, each said once.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.contains(&said) {
            text.push_str(": ");
            text.push_str(&said);
        }
        cause = error.source();
    }
    text
}

/// An answer about another version than the one that was listed.
pub(crate) fn changed(url: &str) -> RemoteError {
    let message = "the file changed while it was being fetched";
    RemoteError::new(RemoteErrorKind::Other, url, message)
        .with_hint("run the command again to fetch the new version")
}

/// A name with empty parts, or another that `object_store` cannot keep apart from the rest.
#[cfg(feature = "clients")]
pub(crate) fn unreadable_name(error: &object_store::path::Error, url: &str) -> RemoteError {
    let message = format!("Stepscope cannot read this object name ({error})");
    RemoteError::new(RemoteErrorKind::Other, url, message)
        .with_hint("names with empty parts (a//b) are not supported; use a URL further down")
}

/// An error of a request without an answer, or an answer that broke off.
#[cfg(feature = "clients")]
pub(crate) fn of_transport(error: &reqwest::Error, url: &str) -> RemoteError {
    let text = match error.source() {
        Some(source) => chain(source),
        None => error.to_string(),
    };
    unreachable(&text, error.is_timeout(), url)
}

/// Says why nothing answers, from the words of the HTTP client.
pub(crate) fn unreachable(text: &str, is_timeout: bool, url: &str) -> RemoteError {
    let lower = text.to_ascii_lowercase();
    let has = |word: &str| lower.contains(word);
    let (message, hint) = if has("certificate") || has("unknownissuer") {
        (
            format!("the server's TLS certificate is not trusted ({text})"),
            "Stepscope uses the system's certificates; set SSL_CERT_FILE to use others",
        )
    } else if has("dns error") || has("lookup") || has("name or service not known") {
        (
            "the host name could not be resolved".to_owned(),
            "check the name, and whether this machine is online",
        )
    } else if is_timeout || has("timed out") || has("timeout") || has("elapsed") {
        (
            "the server did not answer in time".to_owned(),
            "check VPN and firewall; behind a proxy, set HTTPS_PROXY",
        )
    } else if has("connection refused") || has("refused") {
        (
            "connection refused: no server on that port".to_owned(),
            "check host and port; a custom endpoint comes from AWS_ENDPOINT_URL, \
             STORAGE_EMULATOR_HOST or AZURITE_BLOB_STORAGE_URL",
        )
    } else {
        (format!("the connection failed ({text})"), "")
    };
    RemoteError::new(RemoteErrorKind::Unreachable, url, message).with_hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_out_of_reach_is_told_apart() {
        let kinds = [
            ("dns error: failed to lookup", "could not be resolved"),
            (
                "tcp connect error: Connection refused (os error 111)",
                "no server on that port",
            ),
            ("operation timed out", "did not answer in time"),
            ("invalid peer certificate: UnknownIssuer", "certificate"),
        ];
        for (text, expected) in kinds {
            let error = unreachable(text, false, "https://x");
            assert!(error.is_out_of_reach());
            assert!(error.message.contains(expected), "{error}");
        }
    }
}
