//! A session as one file, to save.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use stepscope_export::ExportError;

use super::opened;
use crate::error::{ApiError, compute};
use crate::library::Library;
use crate::parameters::Parameters;
use crate::share;

/// Options that select a part of the session.
const SELECTION: [&str; 6] = ["steps", "time", "device", "host", "program", "match"];

pub(crate) async fn html(
    State(library): State<Arc<Library>>,
    Path(id): Path<String>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let open = opened(&library, &id).await?;
    compute("The report", move || {
        let given = SELECTION.iter().filter_map(|&name| {
            let value = parameters.get(name)?;
            Some((name.to_owned(), value.to_owned()))
        });
        let options: Vec<(String, String)> = given.collect();
        let redacted = match parameters.get("redact") {
            Some("true") => Some(share::redacted(&open.session, None).map_err(|error| {
                ApiError::bad_request(format!("Names cannot be replaced: {error}."))
            })?),
            _ => None,
        };
        let (session, about) = match &redacted {
            Some((session, about)) => (session, about.clone()),
            None => (&open.session, share::about_now()),
        };
        let report = share::html(session, &about, &options, None)?;
        let name = file_name(&session.name);
        let headers = [
            (header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned()),
            (
                header::CONTENT_DISPOSITION,
                format!("attachment; filename=\"{name}.html\""),
            ),
        ];
        Ok((headers, report.text).into_response())
    })
    .await
}

/// A name that every file system takes and no header ends at.
fn file_name(session: &str) -> String {
    let tame = |letter: char| {
        if letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.') {
            letter
        } else {
            '_'
        }
    };
    let name: String = session.chars().map(tame).take(80).collect();
    format!("stepscope-{name}")
}

impl From<ExportError> for ApiError {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Analysis(error) => error.into(),
            ExportError::NoPage => {
                Self::not_found("The page for reports was left out of this build.")
                    .with_hint("Build without STEPSCOPE_NO_UI=1, with Node.js 20.19 or newer.")
            }
            ExportError::TooSmall { .. } => {
                Self::bad_request(error.to_string()).with_hint("Select less: steps, a device.")
            }
            error => Self::internal("The report", &error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn names_are_tame() {
        assert_eq!(file_name("a b\"\r\nc/../d"), "stepscope-a_b___c_.._d");
    }
}
