//! Tiles, labels, search, and what is known about a slice.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use stepscope_analysis::telling::places::SliceRefReport;
use stepscope_analysis::views::timeline::chain;
use stepscope_analysis::views::timeline::details;
use stepscope_analysis::views::timeline::encode::{encode, most_bytes};
use stepscope_analysis::views::timeline::nesting;
use stepscope_analysis::views::timeline::occurrences::{self, Around};
use stepscope_analysis::views::timeline::participants;
use stepscope_analysis::views::timeline::search;
use stepscope_analysis::views::timeline::tile;
use stepscope_analysis::views::timeline::tile::{MAX_WIDTH_PX, TileRequest};
use stepscope_model::{LabelId, Picos, Session, SliceId};

use super::opened;
use crate::error::{ApiError, compute_of};
use crate::library::Library;
use crate::parameters::Parameters;
use crate::sizes::{self, MAX_ANSWER_BYTES};

/// Maximum number of slices in a search, and of names within a slice.
const MAX_LIMIT: usize = 10_000;

/// Maximum length of a search pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 1000;

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
    let slice = slice_ref(&parameters)?;
    compute_of(open, "The details", move |open| {
        let details = details::details(&open.session, slice.into());
        sizes::json(
            &details.ok_or_else(|| no_slice(slice))?,
            "The recorded stats of this slice are too long for a page.",
        )
    })
    .await
}

/// What is around a slice and within it.
pub(crate) async fn nesting(
    State(library): State<Arc<Library>>,
    Path(id): Path<String>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let limit = parameters.number_or("limit", search::DEFAULT_LIMIT);
    let report = |session: &Session, slice, limit: usize| {
        nesting::nesting(session, slice, limit.min(MAX_LIMIT))
    };
    about_slice(
        &library,
        &id,
        &parameters,
        limit,
        "The nesting",
        "Reduce limit.",
        report,
    )
    .await
}

/// The participants of the collective that a slice is part of.
pub(crate) async fn participants(
    State(library): State<Arc<Library>>,
    Path(id): Path<String>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let hint = "This collective has too many participants for a page.";
    let report = |session: &Session, slice, ()| participants::participants(session, slice);
    about_slice(
        &library,
        &id,
        &parameters,
        Ok(()),
        "The participants",
        hint,
        report,
    )
    .await
}

/// What leads to a slice and follows from it.
pub(crate) async fn chain(
    State(library): State<Arc<Library>>,
    Path(id): Path<String>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let hint = "The names of these slices are too long for a page.";
    let report = |session: &Session, slice, ()| chain::chain(session, slice);
    about_slice(
        &library,
        &id,
        &parameters,
        Ok(()),
        "The arrows",
        hint,
        report,
    )
    .await
}

/// An answer about the slice of a request, which `report` has none for if it does not exist; `hint` is
/// for answers that are too long.
async fn about_slice<O: Send + 'static, T: Serialize + 'static>(
    library: &Arc<Library>,
    id: &str,
    parameters: &Parameters,
    options: Result<O, ApiError>,
    what: &'static str,
    hint: &'static str,
    report: fn(&Session, SliceId, O) -> Option<T>,
) -> Result<Response, ApiError> {
    let open = opened(library, id).await?;
    let slice = slice_ref(parameters)?;
    let options = options?;
    compute_of(open, what, move |open| {
        let found = report(&open.session, slice.into(), options);
        sizes::json(&found.ok_or_else(|| no_slice(slice))?, hint)
    })
    .await
}

fn slice_ref(parameters: &Parameters) -> Result<SliceRefReport, ApiError> {
    Ok(SliceRefReport {
        track: parameters.number("track")?,
        lane: parameters.number("lane")?,
        index: parameters.number("index")?,
    })
}

fn no_slice(slice: SliceRefReport) -> ApiError {
    let SliceRefReport { track, lane, index } = slice;
    ApiError::not_found(format!("No slice {index} in lane {lane} of track {track}."))
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

/// All slices of one name: their durations, and those around a moment.
pub(crate) async fn occurrences(
    State(library): State<Arc<Library>>,
    Path(id): Path<String>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let open = opened(&library, &id).await?;
    let name = parameters.text("name")?.to_owned();
    let limit: usize = parameters.number_or("limit", search::DEFAULT_LIMIT)?;
    let around = Around {
        start_ps: parameters.picos_or("start_ps", Picos(0))?.0,
        duration_ps: parameters.picos_or("duration_ps", Picos(0))?.0,
        limit: limit.min(MAX_LIMIT),
    };
    compute_of(open, "The occurrences", move |open| {
        let found = occurrences::occurrences(&open.session, &name, around);
        // Every listed slice repeats the name.
        let bytes = found.slices.len() * name.len();
        let hint = "Reduce limit.";
        let _reserved = sizes::reserve(bytes as u64, MAX_ANSWER_BYTES, hint)?;
        sizes::json(&found, hint)
    })
    .await
}
