//! A first answer about a session of many hosts while all of them are being opened: the overview of
//! some, which are opened for it alone.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use stepscope_analysis::Analysis as _;
use stepscope_analysis::views::overview::{Overview, OverviewOptions};
use stepscope_storage::SessionFiles;
use tokio::sync::Semaphore;

use super::slot;
use crate::error::{ApiError, compute};
use crate::library::Library;
use crate::opening::open_files;
use crate::parameters::Parameters;
use crate::reports::PreviewReport;
use crate::sizes;

/// Hosts of a preview, at most.
const MOST_HOSTS: usize = 128;
/// A preview is of at most this part of all hosts: more of them take about as long as all.
const LEAST_PARTS: usize = 4;
/// Previews at once. They take time from the opening that they shorten the wait for.
static TURN: Semaphore = Semaphore::const_new(1);

/// The overview of `hosts=N` hosts, spread evenly over all of them in the order of their names.
pub(crate) async fn preview(
    State(library): State<Arc<Library>>,
    Path(id): Path<String>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let slot = slot(&library, &id)?;
    let wanted: usize = parameters.number("hosts")?;
    let files = slot.files.as_ref().filter(|_| slot.is_here());
    let all = files.map_or(0, |files| files.hosts.len());
    let most = MOST_HOSTS.min(all / LEAST_PARTS);
    let Some(some) = files.filter(|_| (1..=most).contains(&wanted)) else {
        let error = ApiError::bad_request(format!("No preview of {wanted} of {all} hosts."));
        return Err(error.with_hint(format!(
            "At most a quarter of the hosts, and no more than {MOST_HOSTS}, of a session on this \
             machine."
        )));
    };
    let some = spread(some, wanted);
    // It is never closed.
    let _turn = TURN.acquire().await.ok();
    compute("The preview", move || {
        let session = open_files(&some).map_err(|error| ApiError::from(&error))?;
        let overview = Overview::run(&session, &OverviewOptions::default())?;
        let report = PreviewReport {
            host_count: wanted,
            all_host_count: all,
            overview,
        };
        sizes::json(&report, "Ask for fewer hosts.")
    })
    .await
}

/// The profiles of some hosts, and nothing else.
fn spread(files: &SessionFiles, wanted: usize) -> SessionFiles {
    let all = files.hosts.len();
    let hosts = (0..wanted).map(|number| files.hosts[number * all / wanted].clone());
    let hosts: Vec<_> = hosts.collect();
    SessionFiles {
        size_bytes: hosts.iter().map(|host| host.size_bytes).sum(),
        hosts,
        memory: Vec::new(),
        programs: Vec::new(),
        manifests: Vec::new(),
        ..files.clone()
    }
}
