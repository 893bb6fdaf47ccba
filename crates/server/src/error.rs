//! Errors of the server as a whole, and of one request.

use std::net::SocketAddr;
use std::num::NonZero;
use std::sync::{Arc, LazyLock};

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use stepscope_analysis::AnalysisError;
use stepscope_storage::hide_credentials;

use crate::opening::OpenError;
use crate::reports::ErrorReport;
use crate::shares::{Kind, Shares};
use crate::slot::OpenSession;

/// Why the server could not start or had to stop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// No port could be bound.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The first address tried.
        address: SocketAddr,
        /// The system's error.
        source: std::io::Error,
    },
    /// All ports are taken.
    #[error("no free port from {first} to {last}")]
    NoFreePort {
        /// First port tried.
        first: u16,
        /// Last port tried.
        last: u16,
    },
    /// No random bytes for a token.
    #[error("the system provides no random bytes for a token: {0}")]
    NoRandomness(String),
    /// A given token cannot be sent.
    #[error("the token is empty or has control characters")]
    BadToken,
    /// Without a token, everybody who can reach the address could read all sessions.
    #[error("cannot serve {0} without a token: other machines could read all sessions")]
    OpenToOthers(std::net::IpAddr),
    /// Serving failed.
    #[error("the server stopped: {0}")]
    Stopped(#[from] std::io::Error),
}

/// An error response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiError {
    pub(crate) status: StatusCode,
    pub(crate) report: ErrorReport,
}

impl ApiError {
    pub(crate) fn new(status: StatusCode, error: impl Into<String>) -> Self {
        let report = ErrorReport {
            error: hide_credentials(&error.into()).into_owned(),
            hint: String::new(),
        };
        Self { status, report }
    }

    pub(crate) fn bad_request(error: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error)
    }

    pub(crate) fn not_found(error: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, error)
    }

    /// A bug in Stepscope, in the named place.
    pub(crate) fn internal(place: &str, detail: &str) -> Self {
        let error = format!("{place} failed with an internal error: {detail}");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, error)
            .with_hint("This is a bug in Stepscope; please report it. Other pages still work.")
    }

    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.report.hint = hide_credentials(&hint.into()).into_owned();
        self
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.status, Json(self.report)).into_response()
    }
}

impl From<AnalysisError> for ApiError {
    fn from(error: AnalysisError) -> Self {
        match error {
            // clap's messages end with a usage text, which is about the command line.
            AnalysisError::Options(text) => {
                let first = text.lines().next().unwrap_or_default();
                Self::bad_request(first.trim_start_matches("error: "))
            }
            AnalysisError::TooFewSessions { .. } => Self::bad_request(error.to_string())
                .with_hint("Give session=… once per session, the baseline first."),
            AnalysisError::OfSession { session, source } => {
                let mut of_one = Self::from(*source);
                of_one.report.error = format!("{session}: {}", of_one.report.error);
                of_one
            }
            AnalysisError::NothingSelected { .. } => Self::not_found(error.to_string())
                .with_hint("Widen the selection, or choose one of the available ones."),
            AnalysisError::NoEvents { .. } => Self::not_found(error.to_string())
                .with_hint("`stepscope heap PATH` shows what was alive and who allocated it."),
            AnalysisError::NeverRan { .. } => Self::not_found(error.to_string()).with_hint(
                "`stepscope graph PATH` and `stepscope buffers PATH` show what programs compute and \
                 the memory they use.",
            ),
            AnalysisError::Changed(_) => {
                Self::new(StatusCode::CONFLICT, error.to_string()).with_hint(AnalysisError::REOPEN)
            }
            _ => Self::internal("The analysis", &error.to_string()),
        }
    }
}

impl From<&OpenError> for ApiError {
    fn from(error: &OpenError) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, error.message.clone())
            .with_hint(error.hint.clone())
    }
}

/// [`compute`] of an open session: an error, whatever came out, if its files changed meanwhile.
pub(crate) async fn compute_of<T: Send + 'static>(
    open: Arc<OpenSession>,
    place: &str,
    work: impl FnOnce(&OpenSession) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let of = Arc::clone(&open);
    let kind = (open.opening + 1, place.to_owned());
    let computed = compute_in_turn(kind, place, move || work(&of)).await;
    AnalysisError::if_changed(&open.session)?;
    computed
}

/// How many computations run at once. Each needs memory, and more of them than processors are faster
/// for nobody; several times as many, so that a long one keeps nobody waiting.
static AT_ONCE: LazyLock<Arc<Shares>> = LazyLock::new(|| {
    let processors = std::thread::available_parallelism().map_or(2, NonZero::get);
    Shares::new((4 * processors).clamp(8, 64))
});

/// Runs a long computation on a thread where it may block; a panic becomes an error of this request
/// alone. While too many run, it waits, in turn with those that ask for something else; a request that
/// is given up while it waits costs nothing.
pub(crate) async fn compute<T: Send + 'static>(
    place: &str,
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    compute_in_turn((0, place.to_owned()), place, work).await
}

async fn compute_in_turn<T: Send + 'static>(
    kind: Kind,
    place: &str,
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let turn = AT_ONCE.take(kind).await;
    let working = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        work()
    });
    match working.await {
        Ok(answer) => answer,
        Err(failure) => {
            let detail = match failure.try_into_panic() {
                Ok(panic) => panic_text(panic.as_ref()),
                Err(failure) => failure.to_string(),
            };
            tracing::error!(place, detail, "a computation failed");
            Err(ApiError::internal(place, &detail))
        }
    }
}

/// The message of a panic.
pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("it panicked without a message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_the_error_of_one_request() {
        let answer: Result<(), _> = compute("The analysis ops", || panic!("no such column")).await;
        let error = answer.expect_err("it panicked");
        assert_eq!(error.status, StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(
            error.report.error,
            "The analysis ops failed with an internal error: no such column"
        );
        assert!(compute("The next one", || Ok(7)).await.is_ok());
    }
}
