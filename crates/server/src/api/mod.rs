//! Handlers of the routes below `/api`.

pub(crate) mod analyses;
pub(crate) mod area;
pub(crate) mod comparisons;
pub(crate) mod incidents;
pub(crate) mod preview;
pub(crate) mod sessions;
pub(crate) mod share;
pub(crate) mod source;
pub(crate) mod sql;
pub(crate) mod timeline;

use std::sync::Arc;

use crate::error::ApiError;
use crate::library::Library;
use crate::slot::{OpenSession, Slot};

/// The session of a route.
pub(crate) fn slot(library: &Library, id: &str) -> Result<Arc<Slot>, ApiError> {
    library.slot(id).ok_or_else(|| {
        ApiError::not_found(format!("Unknown session {id:?}."))
            .with_hint("It may have been moved or deleted; see the list of sessions.")
    })
}

/// The session of a route, open.
async fn opened(library: &Arc<Library>, id: &str) -> Result<Arc<OpenSession>, ApiError> {
    let slot = slot(library, id)?;
    library
        .opened(&slot)
        .await
        .map_err(|error| ApiError::from(&error))
}
