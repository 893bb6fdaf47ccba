//! Work that says something about each place: given to executors, and what they say collected.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray as _;
use ballista_core::extension::SessionConfigExt as _;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::{StreamExt as _, TryStreamExt as _};
use stepscope_sql::Place;

use crate::address::Address;
use crate::job;
use crate::scan::SessionScan;
use crate::work::Work;

/// Tasks that read sessions, at most. Each reads one session, or several of more sessions than this.
pub(crate) const MOST_READERS: usize = 4096;

/// Why nothing was said about a place.
const SILENCE: &str = "an executor said nothing: all machines need one release";

/// Runs a plan that names places, and gives its rows as they are fetched.
///
/// # Errors
///
/// No scheduler answers, or what failed there.
pub(crate) async fn rows(
    address: &Address,
    plan: Arc<dyn ExecutionPlan>,
    context: &TaskContext,
) -> Result<SendableRecordBatchStream> {
    let schema = plan.schema();
    let parts = job::run(address, plan, context).await?;
    let configuration = context.session_config().ballista_config();
    let address = address.clone();
    let rows = parts.into_iter().map(move |part| {
        let fetched = job::fetch(address.clone(), part, configuration.clone());
        futures::stream::once(fetched).try_flatten()
    });
    let rows = futures::stream::iter(rows).flatten();
    Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
}

/// What executors say about each place, in their order: what was made, or why not.
///
/// # Errors
///
/// As for [`rows`].
pub(crate) async fn told(
    address: &Address,
    work: Work,
    places: &[Place],
    context: &TaskContext,
) -> Result<Vec<std::result::Result<String, String>>> {
    let numbered = places.iter().enumerate();
    let numbered = numbered.map(|(position, place)| place.clone().named(position.to_string()));
    let numbered: Vec<Place> = numbered.collect();
    let each = places.len().div_ceil(MOST_READERS).max(1);
    let readers: Vec<Vec<Place>> = numbered.chunks(each).map(<[Place]>::to_vec).collect();
    let plan = Arc::new(SessionScan::over(work, &readers)?);
    let batches: Vec<RecordBatch> = rows(address, plan, context).await?.try_collect().await?;
    let mut told = vec![Err(SILENCE.to_owned()); places.len()];
    for batch in &batches {
        let text = |column: usize| {
            let column = batch.columns().get(column);
            column.and_then(|column| column.as_string_opt::<i32>())
        };
        let (Some(names), Some(texts), Some(failures)) = (text(0), text(1), text(2)) else {
            let reason = "an executor gave other columns: all machines need one release";
            return Err(DataFusionError::Execution(reason.to_owned()));
        };
        for ((name, text), failure) in names.iter().zip(texts).zip(failures) {
            let position = name.and_then(|name| name.parse::<usize>().ok());
            if let Some(own) = position.and_then(|position| told.get_mut(position)) {
                let failure = failure.unwrap_or_default().to_owned();
                *own = text.map(str::to_owned).ok_or(failure);
            }
        }
    }
    Ok(told)
}
