//! Tiles, labels, details, search and areas.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use stepscope_analysis::telling::places::SliceRefReport;
use stepscope_analysis::views::timeline::area;
use stepscope_analysis::views::timeline::area::AreaKey;
use stepscope_analysis::views::timeline::details;
use stepscope_analysis::views::timeline::encode::{encode, most_bytes};
use stepscope_analysis::views::timeline::search;
use stepscope_analysis::views::timeline::tile;
use stepscope_analysis::views::timeline::tile::{MAX_WIDTH_PX, TileRequest};
use stepscope_model::{LabelId, Picos};

use super::opened;
use crate::error::{ApiError, compute_of};
use crate::library::Library;
use crate::parameters::Parameters;
use crate::sizes::{self, MAX_ANSWER_BYTES, MAX_WORK_BYTES};

/// Maximum number of slices in a search, and of rows of an area.
const MAX_LIMIT: usize = 10_000;

/// Maximum length of a search pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 1000;

/// What makes an answer about tracks smaller.
const FEWER_TRACKS: &str = "Name fewer tracks, or a shorter time.";

pub(crate) async fn tile(
    State(library): State<Arc<Library>>,
    Path(id): Path<String>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let open = opened(&library, &id).await?;
    let request = TileRequest {
        window: parameters.window()?,
        width_px: width_px(&parameters)?,
        tracks: parameters.tracks(&open.session)?,
    };
    compute_of(open, "The timeline", move |open| {
        let hint = "Name fewer tracks, a shorter time, or a smaller width_px.";
        let size = most_bytes(&open.session, &request);
        let reserved = sizes::reserve(size, MAX_ANSWER_BYTES, hint)?;
        let bytes = encode(&tile::tile(&open.session, &open.timeline, &request));
        let bytes = sizes::sent(bytes, reserved);
        Ok(([(header::CONTENT_TYPE, "application/octet-stream")], bytes).into_response())
    })
    .await
}

fn width_px(parameters: &Parameters) -> Result<u32, ApiError> {
    let width_px = parameters.number("width_px")?;
    if (1..=MAX_WIDTH_PX).contains(&width_px) {
        return Ok(width_px);
    }
    Err(ApiError::bad_request(format!(
        "The parameter width_px is {width_px}; it must be from 1 to {MAX_WIDTH_PX}."
    )))
}

fn label_ids(parameters: &Parameters) -> Result<Vec<LabelId>, ApiError> {
    let ids = parameters.list("ids")?.unwrap_or_default();
    Ok(ids.into_iter().map(LabelId).collect())
}

pub(crate) async fn labels(
    State(library): State<Arc<Library>>,
    Path(id): Path<String>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let open = opened(&library, &id).await?;
    let ids = label_ids(&parameters)?;
    compute_of(open, "The labels", move |open| {
        let session = &open.session;
        let known = ids.iter().filter(|id| id.index() < session.labels.len());
        let bytes: usize = known.map(|&id| session.label_name(id).len()).sum();
        let hint = "Name fewer ids.";
        let _reserved = sizes::reserve(bytes as u64, MAX_ANSWER_BYTES, hint)?;
        sizes::json(&details::labels(session, &ids), hint)
    })
    .await
}

pub(crate) async fn label_facts(
    State(library): State<Arc<Library>>,
    Path(id): Path<String>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let open = opened(&library, &id).await?;
    let ids = label_ids(&parameters)?;
    compute_of(open, "The labels", move |open| {
        let session = &open.session;
        let hint = "Name fewer ids.";
        let bytes = details::label_facts_bytes(session, &ids);
        let _reserved = sizes::reserve(bytes as u64, MAX_ANSWER_BYTES, hint)?;
        sizes::json(&details::label_facts(session, &ids), hint)
    })
    .await
}

pub(crate) async fn slice(
    State(library): State<Arc<Library>>,
    Path(id): Path<String>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let open = opened(&library, &id).await?;
    let slice = SliceRefReport {
        track: parameters.number("track")?,
        lane: parameters.number("lane")?,
        index: parameters.number("index")?,
    };
    compute_of(open, "The details", move |open| {
        let details = details::details(&open.session, slice.into());
        let details = details.ok_or_else(|| {
            let SliceRefReport { track, lane, index } = slice;
            ApiError::not_found(format!("No slice {index} in lane {lane} of track {track}."))
        })?;
        sizes::json(
            &details,
            "The recorded stats of this slice are too long for a page.",
        )
    })
    .await
}

pub(crate) async fn search(
    State(library): State<Arc<Library>>,
    Path(id): Path<String>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let open = opened(&library, &id).await?;
    let query = parameters.text("query")?.to_owned();
    if query.len() > MAX_PATTERN_BYTES {
        return Err(ApiError::bad_request("The pattern is too long."));
    }
    let from = parameters.picos_or("from_ps", Picos(i64::MIN))?;
    let limit = parameters.number_or("limit", search::DEFAULT_LIMIT)?;
    compute_of(open, "The search", move |open| {
        let (session, index) = (&open.session, &open.timeline);
        let found = search::find(session, index, &query, from.0, limit.min(MAX_LIMIT))?;
        let hint = "Reduce limit, or search for something narrower.";
        let _reserved = sizes::reserve(found.text_bytes(session), MAX_ANSWER_BYTES, hint)?;
        sizes::json(&found.report(session), hint)
    })
    .await
}

pub(crate) async fn area(
    State(library): State<Arc<Library>>,
    Path(id): Path<String>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let open = opened(&library, &id).await?;
    let window = parameters.window()?;
    let tracks = parameters.tracks(&open.session)?;
    let by = parameters.get("by").unwrap_or("name");
    let by = AreaKey::from_name(by).ok_or_else(|| {
        ApiError::bad_request(format!("Unknown value {by:?} for the parameter by."))
            .with_hint("Available: name, class, scope, track, device, program, step.")
    })?;
    let limit = parameters.number_or("limit", search::DEFAULT_LIMIT)?;
    compute_of(open, "The area", move |open| {
        let limit = if limit == 0 {
            MAX_LIMIT
        } else {
            limit.min(MAX_LIMIT)
        };
        let needed = area::most_bytes(&open.session, window, &tracks);
        let _reserved = sizes::reserve(needed, MAX_WORK_BYTES, FEWER_TRACKS)?;
        let report = area::area(&open.session, window, &tracks, by, limit);
        sizes::json(&report, FEWER_TRACKS)
    })
    .await
}
