//! `stepscope index --fleet`: executors make the roll-ups, this process lists them.

use std::collections::HashMap;

use datafusion::prelude::SessionContext;
use stepscope_catalog::{Catalog, Outcome, Unlisted};
use stepscope_cli::Located;
use stepscope_sql::{Place, Runner as _};
use tokio::runtime::Runtime;

use crate::address::Address;
use crate::client::{Fleet, explained};
use crate::told::told;
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
        match Place::of(files, &files.name, &one.todo.location, &one.root, &one.path) {
            Ok(place) => places.push((position, place)),
            Err(reason) => outcome.failed.push((files.name.clone(), reason)),
        }
    }
    if !places.is_empty() {
        let rows = made(&address, places).map_err(only_sentence)?;
        list(catalog, located, rows, &mut outcome).map_err(only_sentence)?;
    }
    outcome.failed.sort();
    Ok(outcome)
}

/// What became of each place, by its number.
fn made(
    address: &Address,
    places: Vec<(usize, Place)>,
) -> Result<HashMap<usize, Result<String, String>>, String> {
    let (numbers, places): (Vec<usize>, Vec<Place>) = places.into_iter().unzip();
    let configuration = Fleet::at(address.clone()).configuration();
    let context = SessionContext::new_with_config(configuration).task_ctx();
    let runtime = Runtime::new().map_err(|error| error.to_string())?;
    let told = runtime.block_on(told(address, Work::RollUps, &places, &context));
    let told = told.map_err(|error| explained(error, address).strip_backtrace())?;
    Ok(numbers.into_iter().zip(told).collect())
}

/// Lists what was made, and counts.
fn list(
    catalog: &Catalog,
    located: &[Located],
    mut rows: HashMap<usize, Result<String, String>>,
    outcome: &mut Outcome,
) -> Result<(), String> {
    let mut listed = Vec::new();
    for (position, one) in located.iter().enumerate() {
        let Some(row) = rows.remove(&position) else {
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
