//! `stepscope index`: computes the roll-ups of sessions, lists them, and removes them.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::available_parallelism;

use clap::{Arg, ArgMatches, Command, value_parser};
use indicatif::ProgressBar;
use serde::Serialize;
use stepscope_analysis::telling::csv::to_csv;
use stepscope_analysis::telling::format::{bytes, counted};
use stepscope_analysis::{Cell, Column, Table, Unit};
use stepscope_catalog::{Catalog, CatalogError, Listener, Outcome, Todo};
use stepscope_storage::{RemoteErrorKind, is_remote, shown};

use crate::args::{far_away, flag, formats, output as output_file, parse_size, path, wide};
use crate::commands::programs;
use crate::exit::{Exit, Failure};
use crate::format::date;
use crate::open;
use crate::output::Output;
use crate::table::{self, View};

/// A session that other machines index.
#[derive(Debug)]
pub struct Located {
    /// The session.
    pub todo: Todo,
    /// The path or URL that was searched.
    pub root: PathBuf,
    /// Path or URL of the session.
    pub path: PathBuf,
}

/// Makes roll-ups on the machines of a scheduler, given its address, the catalog that all of them
/// see, and the sessions. An error is a sentence, and what to do.
pub type IndexElsewhere = dyn Fn(&str, &Catalog, &[Located]) -> Result<Outcome, (String, String)>;

/// Size of a catalog unless told otherwise.
const DEFAULT_SIZE: &str = "5G";

/// The subcommand.
pub(crate) fn command() -> Command {
    Command::new("index")
        .about("Compute what lists and queries of many sessions need, once per session")
        .after_help(
            "Examples:\n  # Every session below two places; only new ones take time\n  \
             stepscope index ./logs gs://lab/runs\n  \
             # Then lists and queries open no session\n  stepscope sessions ./logs\n  \
             stepscope sql ./logs \"select session, step_ps, mfu_ratio from sessions\"\n  \
             # For a team, in a folder that all can read\n  \
             stepscope index ./logs --to /shared/catalog\n  \
             STEPSCOPE_CATALOG=/shared/catalog stepscope sessions ./logs\n  \
             # The same in a bucket, for machines that share no folder\n  \
             stepscope index gs://lab/runs --to gs://lab/catalog\n  \
             STEPSCOPE_CATALOG=gs://lab/catalog stepscope history gs://lab/runs\n  \
             # On many machines, which see the same folder\n  \
             stepscope index gs://lab/runs --to /shared/catalog --fleet df://scheduler:50050\n  \
             # What is there; remove it\n  stepscope index --list\n  stepscope index --clear",
        )
        .arg(
            path()
                .num_args(1..)
                .required_unless_present_any(["list", "clear"]),
        )
        .arg(
            Arg::new("to")
                .long("to")
                .value_name("FOLDER|URL")
                .value_parser(value_parser!(PathBuf))
                .help(
                    "Keep roll-ups in this folder or bucket, such as s3://lab/catalog [default: \
                     $STEPSCOPE_CATALOG, else a folder of the user's cache]",
                ),
        )
        .arg(
            Arg::new("size")
                .long("size")
                .value_name("SIZE")
                .env("STEPSCOPE_CATALOG_SIZE")
                .hide_env_values(true)
                .default_value(DEFAULT_SIZE)
                .value_parser(parse_size)
                .help(
                    "Maximum size of the folder; roll-ups that were not used for longest go first. \
                     Of a bucket: of what is kept of it on this machine",
                ),
        )
        .arg(
            Arg::new("fleet")
                .long("fleet")
                .value_name("URL")
                .conflicts_with_all(["list", "clear"])
                .help(
                    "Run on the executors of this scheduler, such as df://scheduler:50050; their \
                     catalog must be the same folder or bucket",
                ),
        )
        .arg(
            flag("list", "List the sessions that are indexed")
                .conflicts_with_all(["path", "clear"]),
        )
        .arg(flag("clear", "Remove all roll-ups from the folder or bucket").conflicts_with("path"))
        .args(far_away())
        .args(formats())
        .arg(output_file())
        .arg(wide())
}

/// Indexes, lists, or clears.
pub(crate) fn run(
    arguments: &ArgMatches,
    output: &Output,
    elsewhere: Option<&IndexElsewhere>,
) -> Result<Exit, Failure> {
    let to = arguments.get_one::<PathBuf>("to");
    let catalog = to.map_or_else(Catalog::of_user, |place| Catalog::named(place));
    if !arguments.get_flag("clear") {
        catalog.prepare().map_err(|error| failed(&error))?;
    }
    if arguments.get_flag("list") {
        return list(&catalog, arguments, output);
    }
    if arguments.get_flag("clear") {
        let (count, size) = catalog.clear().map_err(|error| failed(&error))?;
        let roll_ups = counted(count, "roll-up");
        output.remark(&format!("removed {roll_ups}, {}", bytes(size as f64)));
        return Ok(Exit::Fine);
    }
    let located = located(arguments, output)?;
    let outcome = match (arguments.get_one::<String>("fleet"), elsewhere) {
        (None, _) => here(&catalog, &located, output)?,
        (Some(_), None) => return Err(programs::missing_fleet()),
        (Some(address), Some(elsewhere)) => {
            let made = elsewhere(address, &catalog, &located);
            made.map_err(|(message, hint)| Failure::new(Exit::Failure, message).hint(hint))?
        }
    };
    if arguments.contains_id("fleet") {
        for (name, failure) in &outcome.failed {
            output.warn(&format!("{name}: not indexed: {failure}"), "");
        }
    }
    let limit = arguments.get_one::<u64>("size").copied();
    let evicted = catalog
        .evict(limit.unwrap_or(u64::MAX))
        .map_err(|error| failed(&error))?;
    if evicted > 0 {
        let went = counted(evicted, "roll-up");
        output.remark(&format!(
            "{went} that had not been used for longest went, so that the rest fits: --size raises \
             the limit"
        ));
    }
    open::warn_of_catalog(&catalog, output);
    tell(&outcome, &catalog, arguments, output)?;
    let is_usable = outcome.failed.len() < located.len();
    Ok(if is_usable { Exit::Fine } else { Exit::Path })
}

fn failed(error: &CatalogError) -> Failure {
    let exit = match error {
        CatalogError::Bucket(error) if error.kind == RemoteErrorKind::Address => Exit::Usage,
        _ => Exit::Failure,
    };
    let hint = match error.hint() {
        "" => "choose another folder with --to or STEPSCOPE_CATALOG",
        hint => hint,
    };
    Failure::new(exit, error.to_string()).hint(hint)
}

/// Makes the roll-ups in this process.
fn here(catalog: &Catalog, located: &[Located], output: &Output) -> Result<Outcome, Failure> {
    let todo: Vec<Todo> = located.iter().map(|one| one.todo.clone()).collect();
    let size = todo.iter().map(|todo| todo.files.size_bytes).sum();
    let watch = Watch {
        bar: output.progress(size, "indexing"),
        output,
        done: AtomicUsize::new(0),
        count: todo.len(),
    };
    let threads = available_parallelism().map_or(1, usize::from);
    let outcome = stepscope_catalog::index(catalog, &todo, threads, &watch);
    watch.bar.finish_and_clear();
    outcome.map_err(|error| failed(&error))
}

/// The sessions at all paths.
fn located(arguments: &ArgMatches, output: &Output) -> Result<Vec<Located>, Failure> {
    let paths = arguments.get_many::<PathBuf>("path").unwrap_or_default();
    let mut located = Vec::new();
    for root in paths {
        let found = open::find(root, output)?;
        let of_path = found.sessions.iter().map(|files| {
            let path = found.path_of(files);
            Located {
                todo: Todo {
                    location: place(&path),
                    files: files.clone(),
                },
                root: root.clone(),
                path,
            }
        });
        located.extend(of_path);
    }
    Ok(located)
}

/// A path that means the same in another folder.
fn place(path: &Path) -> String {
    if is_remote(path) {
        return shown(path);
    }
    std::path::absolute(path).map_or_else(|_| shown(path), |path| shown(&path))
}

/// What was done, as one line or as JSON.
#[derive(Serialize)]
struct Told<'a> {
    folder: String,
    made_count: usize,
    copy_count: usize,
    unchanged_count: usize,
    failed: Vec<Failed<'a>>,
}

#[derive(Serialize)]
struct Failed<'a> {
    session: &'a str,
    reason: &'a str,
}

fn tell(
    outcome: &Outcome,
    catalog: &Catalog,
    arguments: &ArgMatches,
    output: &Output,
) -> Result<(), Failure> {
    let failed = outcome.failed.iter();
    let told = Told {
        folder: catalog.place(),
        made_count: outcome.made_count,
        copy_count: outcome.copy_count,
        unchanged_count: outcome.unchanged_count,
        failed: failed
            .map(|(session, reason)| Failed { session, reason })
            .collect(),
    };
    if arguments.get_flag("json") {
        let text = serde_json::to_string(&told);
        return output.json(&text.map_err(|error| Failure::new(Exit::Failure, error.to_string()))?);
    }
    let mut parts = vec![format!("{} indexed", counted(told.made_count, "session"))];
    if told.copy_count > 0 {
        let count = told.copy_count;
        parts.push(format!("{count} with the content of one indexed before"));
    }
    if told.unchanged_count > 0 {
        parts.push(format!("{} unchanged", told.unchanged_count));
    }
    if !told.failed.is_empty() {
        parts.push(format!("{} failed", told.failed.len()));
    }
    output.text(&format!("{}: {}\n", told.folder, parts.join(", ")))
}

/// Moves the progress bar.
struct Watch<'a> {
    bar: ProgressBar,
    output: &'a Output,
    done: AtomicUsize,
    count: usize,
}

impl Listener for Watch<'_> {
    fn bytes(&self, more: u64) {
        self.bar.inc(more);
    }

    fn done(&self, name: &str, failure: Option<&str>) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.bar
            .set_message(format!("{done} of {} sessions", self.count));
        if let Some(failure) = failure {
            let warn = || {
                let text = format!("{name}: not indexed: {failure}");
                self.output.warn(&text, "");
            };
            self.bar.suspend(warn);
        }
    }
}

const COLUMNS: [Column; 6] = [
    Column::new("name", "Session", Unit::Text),
    Column::new("captured_at", "Captured (UTC)", Unit::Text),
    Column::new("bytes", "Roll-up", Unit::Bytes),
    Column::new("step_time_ps", "Step time", Unit::Picos).fractional(),
    Column::new("location", "Location", Unit::Text),
    Column::wide("address", "Address", Unit::Text),
];

fn list(catalog: &Catalog, arguments: &ArgMatches, output: &Output) -> Result<Exit, Failure> {
    let mut entries = catalog.summaries().all();
    entries.sort_by(|a, b| (&a.location, &a.name).cmp(&(&b.location, &b.name)));
    let row = |entry: &stepscope_catalog::Entry| -> Vec<Cell> {
        vec![
            entry.name.as_str().into(),
            entry.summary.facts.captured_epoch_ns.map(date).into(),
            i64::try_from(entry.bytes).ok().into(),
            entry.summary.figures.step_time_ps.into(),
            entry.location.as_str().into(),
            entry.address.as_str().into(),
        ]
    };
    let table = Table::new("indexed", "Indexed", &COLUMNS, entries.iter().map(row));
    if arguments.get_flag("json") {
        let text = serde_json::to_string(&entries);
        output.json(&text.map_err(|error| Failure::new(Exit::Failure, error.to_string()))?)?;
    } else if arguments.get_flag("csv") {
        output.data(&to_csv(&table))?;
    } else {
        let view = View {
            width: output.width,
            limit: None,
            charset: output.charset,
            is_wide: arguments.get_flag("wide"),
        };
        output.text(&table::render(&table, &view))?;
    }
    let kept = catalog.kept().map_err(|error| failed(&error))?;
    let size: u64 = kept.iter().map(|kept| kept.bytes).sum();
    output.remark(&format!(
        "{}: {}, {}",
        catalog.place(),
        counted(kept.len(), "roll-up"),
        bytes(size as f64)
    ));
    Ok(Exit::Fine)
}
