//! From arguments to an answer.

use std::path::PathBuf;
use std::sync::Arc;

use crate::engine::{Connect, Engine};
use crate::library::Library;
use stepscope_catalog::Catalog;
use stepscope_storage::SessionFiles;
use tokio::runtime::Builder;

use super::answer::{answer, fail, refuse};
use super::arguments::{Arguments, Asked, FAILURE, NOT_THERE, USAGE};
use super::{describe, prompt};

/// Answers, and returns the exit code.
pub(crate) fn run(arguments: &Arguments, connect: &Connect) -> i32 {
    if let Some(table) = &arguments.tables {
        return describe::run(table, arguments);
    }
    let asked = match arguments.asked() {
        Ok(asked) => asked,
        Err(reason) => return refuse(&reason, "", USAGE),
    };
    if asked.places.is_empty() {
        let hint = "give the path of a log directory, run or profile, and a query in quotes";
        return refuse("no path was given", hint, USAGE);
    }
    let runner = arguments.fleet.as_deref().map(connect).transpose();
    let runner = match runner {
        Ok(runner) => runner,
        Err(error) => return fail(&error),
    };
    let library = match library(&asked, arguments) {
        Ok(library) => library,
        Err((reason, hint)) => return refuse(&reason, &hint, NOT_THERE),
    };
    let runtime = Builder::new_multi_thread().enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return refuse(&format!("cannot start threads: {error}"), "", FAILURE),
    };
    let engine = runtime.block_on(Engine::new(Arc::new(library), arguments.limits(), runner));
    let engine = match engine {
        Ok(engine) => engine,
        Err(error) => return fail(&error),
    };
    let exit = match asked.query {
        Some(query) => answer(&runtime, &engine, &query, arguments),
        None => prompt::run(&runtime, &engine, arguments),
    };
    // A query that took too long may still compute without a pause: nobody waits for it.
    runtime.shutdown_background();
    exit
}

fn library(asked: &Asked, arguments: &Arguments) -> Result<Library, (String, String)> {
    let wanted = &arguments.session;
    let has_part = |files: &SessionFiles| {
        wanted.is_empty() || wanted.iter().any(|part| files.name.contains(part.as_str()))
    };
    let keep = |place: usize, files: &SessionFiles| {
        let names = asked
            .places
            .get(place)
            .and_then(|one| one.sessions.as_ref());
        has_part(files) && names.is_none_or(|names| names.contains(&files.name))
    };
    let paths: Vec<PathBuf> = asked.places.iter().map(|one| one.path.clone()).collect();
    let library = Library::find(&paths, keep)
        .map_err(|error| (error.to_string(), error.hint().unwrap_or_default()))?;
    if library.sources().is_empty() {
        let reason = match wanted.as_slice() {
            [] => "the sessions are not there anymore".to_owned(),
            wanted => format!("no session is named {}", wanted.join(" or ")),
        };
        return Err((reason, "`stepscope sessions PATH` lists them".to_owned()));
    }
    Ok(library.with_catalog(Catalog::of_user()))
}
