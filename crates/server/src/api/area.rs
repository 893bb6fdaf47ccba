//! Areas of the timeline: statistics, pivot tables, flame graphs.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use serde::Serialize;
use stepscope_analysis::views::timeline::area::{self, AreaKey};
use stepscope_analysis::views::timeline::flame::{self, FlameOrder};
use stepscope_analysis::views::timeline::pivot;
use stepscope_analysis::views::timeline::search::DEFAULT_LIMIT;
use stepscope_model::{Session, Span, TrackId};

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
    let options = key(&parameters, "by", "name").and_then(|by| Ok((by, limit(&parameters)?)));
    let needs = area::most_bytes;
    answer(
        &library,
        &id,
        &parameters,
        options,
        "The area",
        needs,
        |session, area, (by, limit)| area::area(session, area.window, &area.tracks, by, limit),
    )
    .await
}

pub(crate) async fn pivot(
    State(library): State<Arc<Library>>,
    Path(id): Path<String>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let options = pivot_options(&parameters);
    let needs = pivot::most_bytes;
    answer(
        &library,
        &id,
        &parameters,
        options,
        "The pivot table",
        needs,
        |session, area, (keys, limit)| {
            pivot::pivot(session, area.window, &area.tracks, keys, limit)
        },
    )
    .await
}

fn pivot_options(parameters: &Parameters) -> Result<((AreaKey, AreaKey), usize), ApiError> {
    let keys = (
        key(parameters, "by", "name")?,
        key(parameters, "across", "step")?,
    );
    Ok((keys, limit(parameters)?))
}

pub(crate) async fn flame(
    State(library): State<Arc<Library>>,
    Path(id): Path<String>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let options = flame_options(&parameters);
    let needs = flame::most_bytes;
    answer(
        &library,
        &id,
        &parameters,
        options,
        "The flame graph",
        needs,
        |session, area, (order, limit)| {
            flame::flame(session, area.window, &area.tracks, order, limit)
        },
    )
    .await
}

fn flame_options(parameters: &Parameters) -> Result<(FlameOrder, usize), ApiError> {
    let order = match parameters.get("order").unwrap_or("callees") {
        "callees" => FlameOrder::Callees,
        "callers" => FlameOrder::Callers,
        other => {
            let error = format!("Unknown value {other:?} for the parameter order.");
            return Err(ApiError::bad_request(error).with_hint("Available: callees, callers."));
        }
    };
    Ok((order, limit(parameters)?))
}

/// What a request is about.
struct Area {
    window: Span,
    tracks: Vec<TrackId>,
}

/// An answer about an area, within the memory that `needs` says it may take. Of several wrong parameters
/// those of the area are named first, and an unknown session before them.
async fn answer<O: Send + 'static, T: Serialize + 'static>(
    library: &Arc<Library>,
    id: &str,
    parameters: &Parameters,
    options: Result<O, ApiError>,
    what: &'static str,
    needs: fn(&Session, Span, &[TrackId]) -> u64,
    report: fn(&Session, &Area, O) -> T,
) -> Result<Response, ApiError> {
    let open = opened(library, id).await?;
    let area = Area {
        window: parameters.window()?,
        tracks: parameters.tracks(&open.session)?,
    };
    let options = options?;
    compute_of(open, what, move |open| {
        let needed = needs(&open.session, area.window, &area.tracks);
        let _reserved = sizes::reserve(needed, MAX_WORK_BYTES, FEWER_TRACKS)?;
        sizes::json(&report(&open.session, &area, options), FEWER_TRACKS)
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
