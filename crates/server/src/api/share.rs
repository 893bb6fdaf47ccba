//! A session as a single file to save.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use stepscope_export::ExportError;

use super::opened;
use crate::error::{ApiError, compute_of};
use crate::library::Library;
use crate::parameters::Parameters;
use crate::share;

/// Options that select a part of the session.
const SELECTION: [&str; 7] = [
    "steps", "series", "time", "device", "host", "program", "match",
];
/// The option for redaction.
const REDACT: &str = "redact";
/// Marks on the timeline, which the report shows.
const MARKS: &str = "marks";
/// About forty marks with texts of 200 characters, each in up to four bytes.
const MARKS_MOST_BYTES: usize = 32 * 1024;

pub(crate) async fn html(
    State(library): State<Arc<Library>>,
    Path(id): Path<String>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let is_redacted = is_redacted(&parameters)?;
    let marks = marks(&parameters)?;
    let open = opened(&library, &id).await?;
    compute_of(open, "The report", move |open| {
        let given = SELECTION.iter().filter_map(|&name| {
            let value = parameters.get(name)?;
            Some((name.to_owned(), value.to_owned()))
        });
        let options: Vec<(String, String)> = given.collect();
        let mut kept = None;
        let redacted =
            if is_redacted {
                Some(share::redacted(&open.session, None).map_err(|error| {
                    ApiError::bad_request(format!("Cannot redact names: {error}."))
                })?)
            } else {
                None
            };
        let (session, mut about, options) = match redacted {
            Some(mut one) => {
                let options = one.renames.options(&options);
                (&*kept.insert(one.session), one.about, options)
            }
            None => (&*open.session, share::about_now(), options),
        };
        about.marks = marks;
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

/// Whether to redact names. A parameter that could be a misspelling of this one is rejected: nobody
/// should send a report with names in it by mistake.
fn is_redacted(parameters: &Parameters) -> Result<bool, ApiError> {
    let known = |name: &str| [REDACT, MARKS].contains(&name) || SELECTION.contains(&name);
    if let Some((name, _)) = parameters.0.iter().find(|(name, _)| !known(name)) {
        let name: String = name.chars().take(60).collect();
        let hint = format!("Available: {REDACT}, {MARKS}, {}.", SELECTION.join(", "));
        let error = format!("Unknown parameter {name:?}.");
        return Err(ApiError::bad_request(error).with_hint(hint));
    }
    let mut given = parameters.0.iter().filter(|(name, _)| name == REDACT);
    let value = given.next().map_or("false", |(_, value)| value.as_str());
    match (value, given.next()) {
        ("true", None) => Ok(true),
        ("false", None) => Ok(false),
        _ => Err(ApiError::bad_request(format!(
            "The parameter {REDACT} must be given once, as true or false."
        ))),
    }
}

/// The marks, as the page writes them into links; the page checks them when it reads them.
fn marks(parameters: &Parameters) -> Result<String, ApiError> {
    let marks = parameters.get(MARKS).unwrap_or_default();
    if marks.len() > MARKS_MOST_BYTES {
        let error = format!("The parameter {MARKS} is longer than {MARKS_MOST_BYTES} bytes.");
        return Err(ApiError::bad_request(error).with_hint("Delete some marks."));
    }
    Ok(marks.to_owned())
}

/// A name that is valid in every file system and cannot end the header.
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
            ExportError::NoPage => Self::not_found("This build does not include the report page.")
                .with_hint("Build without STEPSCOPE_NO_UI=1, with Node.js 20.19 or newer."),
            ExportError::TooSmall { .. } => {
                Self::bad_request(error.to_string()).with_hint("Select fewer steps or devices.")
            }
            error => Self::internal("The report", &error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redaction(pairs: &[(&str, &str)]) -> Result<bool, ApiError> {
        let pairs = pairs.iter();
        let owned = pairs.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        is_redacted(&Parameters(owned.collect()))
    }

    #[test]
    fn marks_have_a_limit() {
        let of = |text: &str| Parameters(vec![("marks".to_owned(), text.to_owned())]);
        assert_eq!(marks(&of("5..15!late")), Ok("5..15!late".to_owned()));
        assert_eq!(marks(&Parameters(Vec::new())), Ok(String::new()));
        assert!(marks(&of(&"a".repeat(MARKS_MOST_BYTES + 1))).is_err());
    }

    #[test]
    fn redaction_is_never_a_guess() {
        assert_eq!(redaction(&[]), Ok(false));
        assert_eq!(redaction(&[("redact", "true"), ("steps", "3")]), Ok(true));
        assert_eq!(redaction(&[("redact", "false")]), Ok(false));
        for wrong in ["", "yes", "True", "1", "no"] {
            assert!(redaction(&[("redact", wrong)]).is_err(), "{wrong:?}");
        }
        assert!(redaction(&[("redcat", "true")]).is_err());
        assert!(redaction(&[("redact", "true"), ("redact", "false")]).is_err());
    }

    #[test]
    fn names_are_tame() {
        assert_eq!(file_name("a b\"\r\nc/../d"), "stepscope-a_b___c_.._d");
    }
}
