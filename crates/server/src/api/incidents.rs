//! The recorded runs of the library's path and their incidents, with the sessions of their captures.

use std::path::Path;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use stepscope_recorder::incidents_at;

use crate::error::{ApiError, compute};
use crate::library::Library;
use crate::sizes;

/// The report; empty without a recorded run. It is read anew for each request: the run may go on.
pub(crate) async fn incidents(State(library): State<Arc<Library>>) -> Result<Response, ApiError> {
    compute("The search for incidents", move || {
        library.refresh();
        let root = library.root_path();
        let mut report = root.map(incidents_at).unwrap_or_default();
        let incidents = report.incidents.iter_mut();
        for capture in incidents.flat_map(|incident| &mut incident.captures) {
            capture.session = session_of(&library, Path::new(&capture.path));
        }
        sizes::json(
            &report,
            "Start the server with the path of one recorded run.",
        )
    })
    .await
}

/// The key of the session in a folder, which may have moved with the log directory since it was
/// written.
fn session_of(library: &Library, folder: &Path) -> Option<String> {
    let moved = || {
        let name = folder.file_name()?;
        library.key_in(&library.root_path()?.join("plugins/profile").join(name))
    };
    library.key_in(folder).or_else(moved)
}
