//! Lines around a source line of an op.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;

use super::opened;
use crate::error::{ApiError, compute_of};
use crate::library::Library;
use crate::parameters::Parameters;
use crate::sizes;
use crate::source::{Unshown, excerpt};

pub(crate) async fn source(
    State(library): State<Arc<Library>>,
    Path(id): Path<String>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let wanted = parameters.text("source")?.to_owned();
    let open = opened(&library, &id).await?;
    compute_of(open, "The source", move |open| {
        let session = &open.session;
        let mut ops = session.ops.iter();
        if !ops.any(|op| session.text(op.source) == wanted) {
            return Err(ApiError::not_found(
                "No op of the session has this source line.",
            ));
        }
        let lines = excerpt(library.source_roots(), &wanted);
        sizes::json(&lines.map_err(|why| refusal(&why, &wanted))?, "")
    })
    .await
}

fn refusal(why: &Unshown, wanted: &str) -> ApiError {
    match why {
        Unshown::Off => ApiError::not_found("This server does not show source files.").with_hint(
            "start it with a folder that it may show: `stepscope view LOGDIR --source-root FOLDER`",
        ),
        Unshown::NoLine => ApiError::not_found(format!("{wanted} names no line.")),
        Unshown::NotFound => ApiError::not_found(format!(
            "{wanted} is not below the folders of --source-root."
        ))
        .with_hint("name the folder of the program: `--source-root FOLDER`, repeatable"),
        Unshown::Unreadable(why) => ApiError::not_found(format!("{wanted} cannot be read: {why}.")),
        Unshown::TooShort(lines) => ApiError::not_found(format!(
            "The file has {lines} lines by now; the capture was of another version."
        )),
    }
}
