//! Why something far away could not be listed or fetched, and what to do about it.

use std::error::Error as _;

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
    /// The URL asked for.
    pub url: String,
    /// What to do; may be empty.
    pub hint: String,
}

impl RemoteError {
    pub(crate) fn new(kind: RemoteErrorKind, url: &str, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            url: url.to_owned(),
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
            format!("the cache cannot be {what} ({error})"),
        )
        .with_hint("STEPSCOPE_CACHE_DIR names another folder for the cache")
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

/// Which of the places that buckets are in; decides on hints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Service {
    Amazon,
    Google,
    Azure,
    Web,
}

/// What an HTTP status means there.
pub(crate) fn of_status(
    service: Service,
    status: u16,
    body: &str,
    url: &str,
    tried: &str,
) -> RemoteError {
    let kind = match status {
        401 => RemoteErrorKind::Credentials,
        403 if body.contains("SignatureDoesNotMatch")
            || body.contains("InvalidAccessKeyId")
            || body.contains("ExpiredToken")
            || body.contains("AuthenticationFailed") =>
        {
            RemoteErrorKind::Credentials
        }
        403 => RemoteErrorKind::Refused,
        404 if body.contains("NoSuchBucket")
            || body.contains("ContainerNotFound")
            || body.contains("bucket does not exist") =>
        {
            RemoteErrorKind::NoBucket
        }
        404 | 410 => RemoteErrorKind::NotFound,
        301 | 307 | 308 | 400 if is_about_region(body) => return wrong_region(body, url),
        _ => RemoteErrorKind::Other,
    };
    let said = said(body);
    let message = match kind {
        RemoteErrorKind::Credentials | RemoteErrorKind::Refused if tried.starts_with("none") => {
            format!("no credentials ({tried}), and it is not public (HTTP {status}{said})")
        }
        RemoteErrorKind::Credentials => {
            format!("the credentials are not accepted (HTTP {status}{said}; used {tried})")
        }
        RemoteErrorKind::Refused if service == Service::Web => {
            format!("the server refuses (HTTP {status}{said})")
        }
        RemoteErrorKind::Refused => {
            format!("these credentials may not read it (HTTP {status}{said}; used {tried})")
        }
        RemoteErrorKind::NoBucket => format!("there is no such bucket (HTTP {status}{said})"),
        RemoteErrorKind::NotFound => format!("there is nothing there (HTTP {status}{said})"),
        _ => format!("the server answered HTTP {status}{said}"),
    };
    RemoteError::new(kind, url, message).with_hint(hint(service, kind, tried))
}

/// What can be done about it, in the words of that service.
fn hint(service: Service, kind: RemoteErrorKind, tried: &str) -> &'static str {
    use RemoteErrorKind::{Credentials, NoBucket, NotFound, Refused};
    let has_none = tried.starts_with("none");
    match (service, kind) {
        (Service::Amazon, Credentials | Refused) if has_none || kind == Credentials => {
            "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; after `aws sso login`: \
             eval \"$(aws configure export-credentials --format env)\""
        }
        (Service::Amazon, Refused) => {
            "it takes s3:ListBucket on the bucket and s3:GetObject on its objects; \
             `aws sts get-caller-identity` says who you are"
        }
        (Service::Google, Credentials | Refused) if has_none || kind == Credentials => {
            "run `gcloud auth application-default login`, or name a key file in \
             GOOGLE_APPLICATION_CREDENTIALS"
        }
        (Service::Google, Refused) => {
            "it takes storage.objects.list and storage.objects.get (role Storage Object Viewer); \
             `gcloud auth list` says who you are"
        }
        (Service::Azure, Credentials | Refused) => {
            "set AZURE_STORAGE_ACCOUNT_NAME with AZURE_STORAGE_ACCOUNT_KEY or a SAS token in \
             AZURE_STORAGE_SAS_TOKEN, or run `az login`; reading takes the role Storage Blob Data Reader"
        }
        (Service::Web, Credentials | Refused) => {
            "put user and password into the URL (https://user:password@host/…), or the whole header \
             into STEPSCOPE_HTTP_AUTHORIZATION"
        }
        (Service::Amazon, NoBucket) => "look at the name: `aws s3 ls` lists your buckets",
        (Service::Google, NoBucket) => {
            "look at the name: `gcloud storage ls` lists the buckets of your project"
        }
        (Service::Azure, NoBucket) => {
            "look at the names of account and container: az://CONTAINER/PATH with \
             AZURE_STORAGE_ACCOUNT_NAME, or abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/PATH"
        }
        (_, NotFound) => "look at the path: give the log directory, or one *.xplane.pb",
        _ => "",
    }
}

fn is_about_region(body: &str) -> bool {
    body.contains("PermanentRedirect")
        || body.contains("TemporaryRedirect")
        || body.contains("AuthorizationHeaderMalformed")
        || body.contains("IllegalLocationConstraint")
}

pub(crate) fn wrong_region(body: &str, url: &str) -> RemoteError {
    let right = between(body, "<Region>", "</Region>");
    let hint = match right {
        Some(region) => format!("set AWS_REGION={region}"),
        None => "set AWS_REGION to the bucket's; `aws s3api get-bucket-location --bucket NAME` \
                 names it"
            .to_owned(),
    };
    RemoteError::new(
        RemoteErrorKind::Other,
        url,
        "the bucket is in another region than the one asked",
    )
    .with_hint(hint)
}

/// What the other side says about it, after a comma: the code or message of its XML or JSON, or
/// nothing.
fn said(body: &str) -> String {
    let found = between(body, "<Message>", "</Message>")
        .or_else(|| between(body, "\"message\": \"", "\""))
        .or_else(|| between(body, "\"message\":\"", "\""))
        .or_else(|| between(body, "<Code>", "</Code>"));
    match found.map(|text| {
        text.lines()
            .next()
            .unwrap_or_default()
            .trim_end_matches('.')
    }) {
        Some(text) if !text.is_empty() => format!(", {}", shortened(text)),
        _ => String::new(),
    }
}

fn shortened(text: &str) -> &str {
    const MOST: usize = 240;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(inner, _)| inner)
}

/// An error of a request without an answer, or an answer that broke off.
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
            format!("its TLS certificate is not trusted ({text})"),
            "the system's certificates are used; SSL_CERT_FILE names others",
        )
    } else if has("dns error") || has("lookup") || has("name or service not known") {
        (
            "no such host, or no network".to_owned(),
            "look at the name, and whether this machine is online",
        )
    } else if is_timeout || has("timed out") || has("timeout") || has("elapsed") {
        (
            "nothing answered in time".to_owned(),
            "a firewall or a proxy may be in between: HTTPS_PROXY names a proxy",
        )
    } else if has("connection refused") || has("refused") {
        (
            "connection refused: no server on that port".to_owned(),
            "look at host and port; a custom endpoint comes from AWS_ENDPOINT_URL, \
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
    fn a_status_becomes_a_sentence_and_a_hint() {
        let body = "<Error><Code>NoSuchBucket</Code><Message>The specified bucket does not exist\
                    </Message></Error>";
        let error = of_status(Service::Amazon, 404, body, "s3://b/x", "AWS_ACCESS_KEY_ID");
        assert_eq!(error.kind, RemoteErrorKind::NoBucket);
        assert!(error.to_string().ends_with(": s3://b/x"), "{error}");
        assert!(error.hint.contains("aws s3 ls"));
        let error = of_status(Service::Google, 403, "", "gs://b", "none: no key file");
        assert!(
            error.message.starts_with("no credentials (none: no key"),
            "{error}"
        );
        assert!(error.hint.contains("application-default login"));
        let error = of_status(Service::Amazon, 403, "", "s3://b", "profile default");
        assert!(error.hint.contains("s3:ListBucket"), "{}", error.hint);
    }

    #[test]
    fn the_right_region_is_named_where_it_is_told() {
        let body = "<Error><Code>AuthorizationHeaderMalformed</Code><Message>expecting 'eu-west-1'\
                    </Message><Region>eu-west-1</Region></Error>";
        let error = of_status(Service::Amazon, 400, body, "s3://b", "");
        assert_eq!(error.hint, "set AWS_REGION=eu-west-1");
    }

    #[test]
    fn what_is_out_of_reach_is_told_apart() {
        let kinds = [
            ("dns error: failed to lookup", "no such host"),
            (
                "tcp connect error: Connection refused (os error 111)",
                "no server on that port",
            ),
            ("operation timed out", "nothing answered"),
            ("invalid peer certificate: UnknownIssuer", "certificate"),
        ];
        for (text, expected) in kinds {
            let error = unreachable(text, false, "https://x");
            assert!(error.is_out_of_reach());
            assert!(error.message.contains(expected), "{error}");
        }
    }
}
