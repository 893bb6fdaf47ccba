//! `stepscope index --fleet`: executors make the roll-ups, this process lists them.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray as _;
use datafusion::error::DataFusionError;
use datafusion::prelude::SessionContext;
use futures::TryStreamExt as _;
use stepscope_catalog::{Catalog, Outcome, Unlisted};
use stepscope_cli::Located;
use stepscope_sql::{Place, Runner as _};
use tokio::runtime::Runtime;

use crate::address::Address;
use crate::client::{Fleet, MOST_READERS};
use crate::scan::SessionScan;
use crate::work::Work;

/// Makes the roll-ups of sessions that have none on a fleet, and lists those that are then in this
/// catalog.
///
/// # Errors
///
/// A sentence and what to do: the fleet does not answer, or the folder cannot be written.
pub fn index(
    address: &str,
    catalog: &Catalog,
    located: &[Located],
) -> Result<Outcome, (String, String)> {
    let only_sentence = |message: String| (message, String::new());
    let address: Address = address.parse().map_err(only_sentence)?;
    let mut outcome = Outcome::default();
    let mut places = Vec::new();
    for (position, one) in located.iter().enumerate() {
        let files = &one.todo.files;
        if catalog.is_indexed(files) {
            outcome.unchanged_count += 1;
            continue;
        }
        let name = position.to_string();
        match Place::of(files, &name, &one.todo.location, &one.root, &one.path) {
            Ok(place) => places.push(place),
            Err(reason) => outcome.failed.push((files.name.clone(), reason)),
        }
    }
    if !places.is_empty() {
        let rows = made(&Fleet::at(address), &places);
        let rows = rows.map_err(|error| only_sentence(error.strip_backtrace()))?;
        list(catalog, located, rows, &mut outcome).map_err(only_sentence)?;
    }
    outcome.failed.sort();
    Ok(outcome)
}

/// What became of each place, by its name.
fn made(
    fleet: &Fleet,
    places: &[Place],
) -> Result<HashMap<String, Result<String, String>>, DataFusionError> {
    let each = places.len().div_ceil(MOST_READERS);
    let readers: Vec<Vec<Place>> = places.chunks(each).map(<[Place]>::to_vec).collect();
    let plan = Arc::new(SessionScan::over(Work::RollUps, &readers)?);
    let context = SessionContext::new_with_config(fleet.configuration());
    let runtime = Runtime::new()?;
    let batches: Vec<RecordBatch> = runtime.block_on(async {
        let rows = fleet.run(plan, context.task_ctx()).await?;
        rows.try_collect().await
    })?;
    let mut made = HashMap::new();
    for batch in &batches {
        let text = |column: usize| {
            let column = batch.columns().get(column);
            column.and_then(|column| column.as_string_opt::<i32>())
        };
        let (Some(names), Some(texts), Some(failures)) = (text(0), text(1), text(2)) else {
            let reason = "an executor gave other columns: all machines need one release";
            return Err(DataFusionError::Execution(reason.to_owned()));
        };
        let rows = names.iter().zip(texts).zip(failures);
        made.extend(rows.filter_map(|((name, text), failure)| {
            let text = text.map(str::to_owned);
            let failure = failure.unwrap_or_default().to_owned();
            Some((name?.to_owned(), text.ok_or(failure)))
        }));
    }
    Ok(made)
}

/// Lists what was made, and counts.
fn list(
    catalog: &Catalog,
    located: &[Located],
    mut rows: HashMap<String, Result<String, String>>,
    outcome: &mut Outcome,
) -> Result<(), String> {
    let mut listed = Vec::new();
    for (position, one) in located.iter().enumerate() {
        let Some(row) = rows.remove(&position.to_string()) else {
            continue;
        };
        let made = row.and_then(|text| {
            let made = serde_json::from_str::<Unlisted>(&text);
            made.map_err(|error| format!("an executor's answer is not understood: {error}"))
        });
        match made {
            Ok(made) => listed.push((&one.todo, made)),
            Err(reason) => outcome.failed.push((one.todo.files.name.clone(), reason)),
        }
    }
    let entries = listed.iter().map(|(todo, made)| {
        let mut entry = made.entry.clone();
        // Of the executor, only what it computed is used.
        entry.name.clone_from(&todo.files.name);
        entry.location.clone_from(&todo.location);
        (&todo.files, entry)
    });
    let here = catalog.list(entries.collect());
    let here = here.map_err(|error| error.to_string())?;
    for ((todo, made), is_here) in listed.iter().zip(here) {
        match (is_here, made.is_copy) {
            (false, _) => {
                let place = catalog.place();
                let reason =
                    format!("its roll-up is not in {place}: executors keep theirs elsewhere");
                outcome.failed.push((todo.files.name.clone(), reason));
            }
            (true, true) => outcome.copy_count += 1,
            (true, false) => outcome.made_count += 1,
        }
    }
    Ok(())
}
