//! What an HTTP status means: the sentence and the hint, by service and by credentials.

use crate::error::{CHECK_PATH, RemoteError, RemoteErrorKind};

/// Which of the places that buckets are in; decides on words and hints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Service {
    Amazon,
    Google,
    Azure,
    Web,
}

impl Service {
    /// What it calls a place.
    const fn place(self) -> &'static str {
        match self {
            Self::Amazon | Self::Google => "bucket",
            Self::Azure => "container",
            Self::Web => "page",
        }
    }
}

/// The credentials that requests carry, or why they carry none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Credentials {
    /// Where they come from, such as `AWS_ACCESS_KEY_ID`.
    From(String),
    /// None, as requested.
    Unwanted,
    /// None were found: why, and what to do about that; the hint may be empty.
    NotFound { why: String, hint: String },
}

/// What an HTTP status means there.
pub(crate) fn of_status(
    service: Service,
    status: u16,
    body: &str,
    url: &str,
    credentials: &Credentials,
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
    let answer = format!("HTTP {status}{}", said(body));
    let place = service.place();
    let message = match kind {
        RemoteErrorKind::Credentials | RemoteErrorKind::Refused => {
            denied(service, kind, &answer, credentials)
        }
        RemoteErrorKind::NoBucket => format!("the {place} does not exist ({answer})"),
        RemoteErrorKind::NotFound => format!("nothing was found at this URL ({answer})"),
        _ => format!("the server returned {answer}"),
    };
    RemoteError::new(kind, url, message).with_hint(hint(service, kind, credentials))
}

fn denied(
    service: Service,
    kind: RemoteErrorKind,
    answer: &str,
    credentials: &Credentials,
) -> String {
    let place = service.place();
    match credentials {
        Credentials::NotFound { why, .. } => {
            format!("no credentials were found ({why}), and the {place} is not public ({answer})")
        }
        Credentials::Unwanted => {
            format!("the {place} is not public, and anonymous access was requested ({answer})")
        }
        Credentials::From(name) if kind == RemoteErrorKind::Credentials => {
            format!("the server rejected the credentials from {name} ({answer})")
        }
        Credentials::From(_) if service == Service::Web => {
            format!("the server denied access ({answer})")
        }
        Credentials::From(name) => {
            format!("the credentials from {name} do not allow access ({answer})")
        }
    }
}

/// What of a bucket's objects is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed {
    Write,
    Delete,
}

/// That objects may not be written or deleted: `body` is what the other side said.
pub(crate) fn not_allowed(
    service: Service,
    deed: Deed,
    bucket: &str,
    url: &str,
    body: &str,
    credentials: &Credentials,
) -> RemoteError {
    let place = service.place();
    let what = match deed {
        Deed::Write => format!("writing to {place} {bucket}"),
        Deed::Delete => format!("deleting from {place} {bucket}"),
    };
    let answer = format!("HTTP 403{}", said(body));
    let message = match credentials {
        Credentials::From(name) => {
            format!("the credentials from {name} do not allow {what} ({answer})")
        }
        Credentials::Unwanted => {
            format!("{what} is not allowed, and anonymous access was requested ({answer})")
        }
        Credentials::NotFound { why, .. } => {
            format!("no credentials were found ({why}), and {what} needs some ({answer})")
        }
    };
    let needed = match (service, deed) {
        (Service::Amazon, Deed::Write) => format!(
            "ask for s3:PutObject on the objects of {bucket}; `aws sts get-caller-identity` shows \
             who you are"
        ),
        (Service::Amazon, Deed::Delete) => {
            format!("ask for s3:DeleteObject on the objects of {bucket}")
        }
        (Service::Google, Deed::Write) => {
            "ask for storage.objects.create and storage.objects.delete, which replacing an object \
             needs (role Storage Object User)"
                .to_owned()
        }
        (Service::Google, Deed::Delete) => {
            "ask for storage.objects.delete (role Storage Object User)".to_owned()
        }
        _ => "ask for the role Storage Blob Data Contributor".to_owned(),
    };
    let hint = match credentials {
        Credentials::From(_) => needed,
        _ => hint(service, RemoteErrorKind::Refused, credentials).to_owned(),
    };
    RemoteError::new(RemoteErrorKind::Refused, url, message).with_hint(hint)
}

/// What can be done about it, in the words of that service.
fn hint(service: Service, kind: RemoteErrorKind, credentials: &Credentials) -> &str {
    use RemoteErrorKind::{Credentials as Login, NoBucket, NotFound, Refused};
    match credentials {
        Credentials::NotFound { hint, .. }
            if matches!(kind, Login | Refused) && !hint.is_empty() =>
        {
            return hint;
        }
        _ => {}
    }
    let is_known = matches!(credentials, Credentials::From(_));
    match (service, kind) {
        (Service::Amazon, Refused) if is_known => {
            "ask for s3:ListBucket on the bucket and s3:GetObject on its objects; \
             `aws sts get-caller-identity` shows who you are"
        }
        (Service::Amazon, Login | Refused) => {
            "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or set AWS_PROFILE to a profile of \
             the AWS CLI; profiles with SSO need `aws sso login`"
        }
        (Service::Google, Refused) if is_known => {
            "ask for storage.objects.list and storage.objects.get (role Storage Object Viewer); \
             `gcloud auth list` shows who you are"
        }
        (Service::Google, Login | Refused) => {
            "run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS to \
             a key file"
        }
        (Service::Azure, Login | Refused) => {
            "set AZURE_STORAGE_ACCOUNT_NAME with AZURE_STORAGE_ACCOUNT_KEY or with a SAS token in \
             AZURE_STORAGE_SAS_TOKEN, or run `az login`; the role Storage Blob Data Reader allows \
             reading"
        }
        (Service::Web, Login | Refused) => {
            "put user and password into the URL (https://user:password@host/…), or set \
             STEPSCOPE_HTTP_AUTHORIZATION to the host and the header, `HOST Bearer …`"
        }
        (Service::Amazon, NoBucket) => "check the name: `aws s3 ls` lists your buckets",
        (Service::Google, NoBucket) => {
            "check the name: `gcloud storage ls` lists the buckets of your project"
        }
        (Service::Azure, NoBucket) => {
            "check the names of account and container: use az://CONTAINER/PATH with \
             AZURE_STORAGE_ACCOUNT_NAME, or abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/PATH"
        }
        (_, NotFound) => CHECK_PATH,
        _ => "",
    }
}

/// Credentials of Google from which no token could be made.
pub(crate) fn no_token(text: &str, url: &str, credentials: &Credentials) -> RemoteError {
    let from = match credentials {
        Credentials::From(name) => format!(" with the credentials from {name}"),
        _ => String::new(),
    };
    let message = format!("could not get an access token{from} ({text})");
    RemoteError::new(RemoteErrorKind::Credentials, url, message)
        .with_hint("run `gcloud auth application-default login` again")
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
        None => "set AWS_REGION to the region of the bucket; `aws s3api get-bucket-location \
                 --bucket NAME` shows it"
            .to_owned(),
    };
    RemoteError::new(
        RemoteErrorKind::Other,
        url,
        "the bucket is in a different region",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_becomes_a_sentence_and_a_hint() {
        let body = "<Error><Code>NoSuchBucket</Code><Message>The specified bucket does not exist\
                    </Message></Error>";
        let from = |name: &str| Credentials::From(name.to_owned());
        let error = of_status(Service::Amazon, 404, body, "s3://b/x", &from("a file"));
        assert_eq!(error.kind, RemoteErrorKind::NoBucket);
        assert!(error.to_string().ends_with(": s3://b/x"), "{error}");
        assert!(error.hint.contains("aws s3 ls"));
        let profile = from("profile default");
        let error = of_status(Service::Amazon, 403, "", "s3://b", &profile);
        assert_eq!(
            error.message,
            "the credentials from profile default do not allow access (HTTP 403)"
        );
        assert!(error.hint.contains("s3:ListBucket"), "{}", error.hint);
        let error = of_status(Service::Azure, 404, "", "az://b", &Credentials::Unwanted);
        assert_eq!(error.kind, RemoteErrorKind::NotFound);
    }

    #[test]
    fn missing_credentials_say_why_and_what_to_do() {
        let missing = |hint: &str| Credentials::NotFound {
            why: "no key file".to_owned(),
            hint: hint.to_owned(),
        };
        let error = of_status(Service::Google, 403, "", "gs://b", &missing(""));
        assert_eq!(
            error.message,
            "no credentials were found (no key file), and the bucket is not public (HTTP 403)"
        );
        assert!(error.hint.contains("application-default login"));
        let error = of_status(Service::Amazon, 403, "", "s3://b", &missing("run this"));
        assert_eq!(error.hint, "run this");
        let error = of_status(Service::Amazon, 404, "", "s3://b", &missing("run this"));
        assert_eq!(error.hint, CHECK_PATH);
    }

    #[test]
    fn the_region_of_the_bucket_is_named_if_it_is_known() {
        let body = "<Error><Code>AuthorizationHeaderMalformed</Code><Message>expecting 'eu-west-1'\
                    </Message><Region>eu-west-1</Region></Error>";
        let error = of_status(Service::Amazon, 400, body, "s3://b", &Credentials::Unwanted);
        assert_eq!(error.hint, "set AWS_REGION=eu-west-1");
    }
}
