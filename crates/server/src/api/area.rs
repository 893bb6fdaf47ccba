//! Areas of the timeline: statistics, pivot tables, flame graphs.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use stepscope_analysis::views::timeline::area::{self, AreaKey};
use stepscope_analysis::views::timeline::flame::{self, FlameOrder};
use stepscope_analysis::views::timeline::pivot;
use stepscope_analysis::views::timeline::search::DEFAULT_LIMIT;

use super::opened;
use crate::error::{ApiError, compute_of};
use crate::library::Library;
use crate::parameters::Parameters;
use crate::sizes::{self, MAX_WORK_BYTES};

/// Maximum number of rows and frames.
const MAX_LIMIT: usize = 10_000;

/// What makes an answer about tracks smaller.
const FEWER_TRACKS: &str = "Name fewer tracks, or a shorter time.";

pub(crate) async fn area(
    State(library): State<Arc<Library>>,
    Path(id): Path<String>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let open = opened(&library, &id).await?;
    let window = parameters.window()?;
    let tracks = parameters.tracks(&open.session)?;
    let by = key(&parameters, "by", "name")?;
    let limit = limit(&parameters)?;
    compute_of(open, "The area", move |open| {
        let needed = area::most_bytes(&open.session, window, &tracks);
        let _reserved = sizes::reserve(needed, MAX_WORK_BYTES, FEWER_TRACKS)?;
        let report = area::area(&open.session, window, &tracks, by, limit);
        sizes::json(&report, FEWER_TRACKS)
    })
    .await
}

pub(crate) async fn pivot(
    State(library): State<Arc<Library>>,
    Path(id): Path<String>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let open = opened(&library, &id).await?;
    let window = parameters.window()?;
    let tracks = parameters.tracks(&open.session)?;
    let keys = (
        key(&parameters, "by", "name")?,
        key(&parameters, "across", "step")?,
    );
    let limit = limit(&parameters)?;
    compute_of(open, "The pivot table", move |open| {
        let needed = pivot::most_bytes(&open.session, window, &tracks);
        let _reserved = sizes::reserve(needed, MAX_WORK_BYTES, FEWER_TRACKS)?;
        let report = pivot::pivot(&open.session, window, &tracks, keys, limit);
        sizes::json(&report, FEWER_TRACKS)
    })
    .await
}

pub(crate) async fn flame(
    State(library): State<Arc<Library>>,
    Path(id): Path<String>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let open = opened(&library, &id).await?;
    let window = parameters.window()?;
    let tracks = parameters.tracks(&open.session)?;
    let order = match parameters.get("order").unwrap_or("callees") {
        "callees" => FlameOrder::Callees,
        "callers" => FlameOrder::Callers,
        other => {
            let error = format!("Unknown value {other:?} for the parameter order.");
            return Err(ApiError::bad_request(error).with_hint("Available: callees, callers."));
        }
    };
    let limit = limit(&parameters)?;
    compute_of(open, "The flame graph", move |open| {
        let needed = flame::most_bytes(&open.session, window, &tracks);
        let _reserved = sizes::reserve(needed, MAX_WORK_BYTES, FEWER_TRACKS)?;
        let report = flame::flame(&open.session, window, &tracks, order, limit);
        sizes::json(&report, FEWER_TRACKS)
    })
    .await
}

fn key(parameters: &Parameters, name: &str, first: &str) -> Result<AreaKey, ApiError> {
    let value = parameters.get(name).unwrap_or(first);
    AreaKey::from_name(value).ok_or_else(|| {
        ApiError::bad_request(format!("Unknown value {value:?} for the parameter {name}."))
            .with_hint("Available: name, class, scope, track, device, program, step.")
    })
}

fn limit(parameters: &Parameters) -> Result<usize, ApiError> {
    let limit = parameters.number_or("limit", DEFAULT_LIMIT)?;
    Ok(if limit == 0 {
        MAX_LIMIT
    } else {
        limit.min(MAX_LIMIT)
    })
}
