//! From arguments to an answer.

use std::io::{self, IsTerminal as _};
use std::sync::Arc;
use std::time::Instant;

use crate::engine::Connect;
use crate::{Engine, Library, QueryError};
use stepscope_catalog::Catalog;
use stepscope_storage::{SessionFiles, hide_credentials};
use tokio::runtime::{Builder, Runtime};

use super::arguments::{Arguments, Asked, FAILURE, FINE, NOT_THERE, USAGE};
use super::{describe, prompt, write};

/// Answers, and returns the exit code.
pub(crate) fn run(arguments: &Arguments, connect: &Connect) -> i32 {
    if let Some(table) = &arguments.tables {
        return describe::run(table, arguments);
    }
    let asked = match arguments.asked() {
        Ok(asked) => asked,
        Err(reason) => return refuse(&reason, "", USAGE),
    };
    if asked.paths.is_empty() {
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
    let keep = |files: &SessionFiles| {
        let is_named = asked
            .names
            .as_ref()
            .is_none_or(|names| names.contains(&files.name));
        let has_part = |part: &String| files.name.contains(part.as_str());
        is_named && (wanted.is_empty() || wanted.iter().any(has_part))
    };
    let library = Library::find(&asked.paths, keep)
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

/// Asks one query and writes its rows.
pub(crate) fn answer(
    runtime: &Runtime,
    engine: &Engine,
    query: &str,
    arguments: &Arguments,
) -> i32 {
    let started = Instant::now();
    let written = runtime.block_on(async {
        let rows = engine.query(query).await?;
        write::rows(rows, arguments, engine).await
    });
    let remarks = engine.library().take_remarks();
    if !arguments.quiet {
        tell_remarks(&remarks);
    }
    match written {
        Ok(count) => {
            if !arguments.quiet && io::stderr().is_terminal() {
                let seconds = started.elapsed().as_secs_f64();
                let sessions = engine.library().sources().len();
                remark(&format!(
                    "{count} rows of {sessions} sessions in {seconds:.2} s"
                ));
            }
            FINE
        }
        Err(error) => fail(&error),
    }
}

/// Remarks that are printed one by one; more are counted.
const MOST_REMARKS: usize = 8;

fn tell_remarks(remarks: &[String]) {
    for text in remarks.iter().take(MOST_REMARKS) {
        remark(text);
    }
    if let Some(more) = remarks
        .len()
        .checked_sub(MOST_REMARKS)
        .filter(|more| *more > 0)
    {
        remark(&format!("{more} more remarks like these"));
    }
}

fn fail(error: &QueryError) -> i32 {
    // Whoever read the rows left.
    if error.message == write::BROKEN_PIPE {
        return FINE;
    }
    refuse(&error.message, &error.hint, USAGE)
}

pub(crate) fn refuse(reason: &str, hint: &str, exit: i32) -> i32 {
    let reason = shown(reason);
    anstream::eprintln!("error: {reason}");
    if !hint.is_empty() {
        anstream::eprintln!("hint: {}", shown(hint));
    }
    exit
}

fn remark(text: &str) {
    anstream::eprintln!("{}", shown(text));
}

/// Without passwords and control characters.
fn shown(text: &str) -> String {
    let text = hide_credentials(text);
    let visible = |c: char| if c.is_control() && c != '\n' { ' ' } else { c };
    text.chars().map(visible).collect()
}
