//! The command line.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use serde::Deserialize;
use stepscope_storage::{is_remote, memory_budget, parse_size, read_text};

use crate::engine::Limits;

/// Exit codes, as of `stepscope`.
pub(crate) const FINE: i32 = 0;
pub(crate) const FAILURE: i32 = 1;
pub(crate) const USAGE: i32 = 2;
pub(crate) const NOT_THERE: i32 = 3;
/// As a shell calls what ended by an interrupt.
pub(crate) const INTERRUPT: i32 = 130;

/// Most bytes of a query.
const MOST_BYTES: u64 = 1 << 20;
/// Most bytes of a request, which may name every session.
const MOST_REQUEST_BYTES: u64 = 64 << 20;

const EXAMPLES: &str = "\
Examples:
  # Ops that take the most time in all sessions below a folder
  stepscope sql ./logs \"select session, name, self_ps from ops order by self_ps desc limit 10\"
  # The slowest step of each session
  stepscope sql ./logs 'select session, max(duration_ps) as duration_ps from step_times group by session'
  # Every table, and the columns of one
  stepscope sql --tables
  stepscope sql --tables slices
  # A prompt with history and completion
  stepscope sql ./logs
  # The same on many machines
  stepscope sql --fleet df://scheduler:50050 gs://lab/runs 'select session, step_ps from sessions'";

/// Asks sessions in SQL: every table of every analysis, and every slice
#[derive(Debug, Parser)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
#[command(name = "stepscope sql", bin_name = "stepscope sql", version, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Paths or URLs of sessions, as for other commands, and the query. Without a query it is read
    /// from standard input; on a terminal a prompt opens
    #[arg(value_name = "PATH... [QUERY]")]
    rest: Vec<String>,
    /// File with the query
    #[arg(long, short, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Only sessions whose name contains this; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Vec<String>,
    /// Run the query on the executors of this scheduler, such as df://scheduler:50050; they open the
    /// sessions themselves
    #[arg(long, value_name = "URL")]
    pub(crate) fleet: Option<String>,
    /// Form of the rows
    #[arg(long, value_name = "FORM", value_enum, default_value_t = Form::Table)]
    pub(crate) format: Form,
    /// The same as --format json
    #[arg(long)]
    json: bool,
    /// The same as --format csv
    #[arg(long)]
    csv: bool,
    /// Most rows that are shown or written; 0 for all. The default is 40 for tables, all otherwise
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Seconds after which the query is given up; 0 for no limit
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0)]
    time: f64,
    /// Memory of sorts, joins and groups, such as 2G; the default is half of the budget
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    memory: Option<usize>,
    /// Lists the tables, views and functions, or the columns of one table
    #[arg(long, value_name = "TABLE", num_args = 0..=1, default_missing_value = "")]
    pub(crate) tables: Option<String>,
    /// Show all columns, and names in full
    #[arg(long)]
    pub(crate) wide: bool,
    /// Print no remarks
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Read paths, sessions and query as JSON from standard input, as servers ask: they are in no
    /// list of processes
    #[arg(long, hide = true)]
    request: bool,
}

/// What is asked of which sessions.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) places: Vec<Asking>,
    /// None if a terminal asks.
    pub(crate) query: Option<String>,
}

/// A path, and the sessions there that are asked.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asking {
    pub(crate) path: PathBuf,
    /// Exact names of sessions; all without.
    pub(crate) sessions: Option<HashSet<String>>,
}

/// [`Asked`] by a server.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    query: String,
    places: Vec<Asking>,
}

/// The form of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// For people, with units.
    Table,
    /// Comma-separated values, with keys as the first line.
    Csv,
    /// One object with columns and rows.
    Json,
    /// One object per row and line.
    Ndjson,
    /// An Arrow IPC stream.
    Arrow,
}

/// Rows of a table for people.
const SHOWN: usize = 40;

impl Arguments {
    /// Those of a command line; otherwise the exit code, with the reason printed.
    pub(crate) fn of(line: impl IntoIterator<Item = OsString>) -> Result<Self, i32> {
        let mut arguments = Self::try_parse_from(line).map_err(|error| {
            let _ = error.print();
            error.exit_code()
        })?;
        if arguments.json {
            arguments.format = Form::Json;
        }
        if arguments.csv {
            arguments.format = Form::Csv;
        }
        Ok(arguments)
    }

    /// What is asked.
    pub(crate) fn asked(&self) -> Result<Asked, String> {
        if self.request {
            let text = input(MOST_REQUEST_BYTES)?;
            return request(&text);
        }
        let mut rest = self.rest.clone();
        let query = if let Some(file) = &self.file {
            let text = read_text(file, MOST_BYTES);
            Some(text.map_err(|error| error.to_string())?)
        } else if rest.last().is_some_and(|last| !is_place(last)) {
            rest.pop()
        } else if io::stdin().is_terminal() {
            None
        } else {
            Some(input(MOST_BYTES)?)
        };
        let places = rest.into_iter().map(|path| Asking {
            path: PathBuf::from(path),
            sessions: None,
        });
        Ok(Asked {
            places: places.collect(),
            query,
        })
    }

    /// Most rows; none for all.
    pub(crate) fn most_rows(&self) -> Option<usize> {
        match self.limit {
            Some(0) => None,
            None => (self.format == Form::Table).then_some(SHOWN),
            limit => limit,
        }
    }

    /// What the query may use.
    pub(crate) fn limits(&self) -> Limits {
        let half = usize::try_from(memory_budget() / 2).unwrap_or(usize::MAX);
        let threads = std::thread::available_parallelism();
        Limits {
            memory_bytes: self.memory.unwrap_or(half),
            time: (self.time > 0.0).then(|| Duration::from_secs_f64(self.time.min(1e9))),
            threads: threads.map_or(1, std::num::NonZero::get),
        }
    }
}

fn input(most_bytes: u64) -> Result<String, String> {
    let mut text = String::new();
    let read = io::stdin().take(most_bytes).read_to_string(&mut text);
    read.map_err(|error| format!("cannot read the query: {error}"))?;
    Ok(text)
}

fn request(text: &str) -> Result<Asked, String> {
    let request: Request =
        serde_json::from_str(text).map_err(|error| format!("not a request: {error}"))?;
    Ok(Asked {
        places: request.places,
        query: Some(request.query),
    })
}

/// Whether an argument is where sessions are, not a query.
fn is_place(text: &str) -> bool {
    let path = std::path::Path::new(text);
    is_remote(path) || path.exists() || !text.contains(char::is_whitespace)
}

fn bytes(text: &str) -> Result<usize, String> {
    let size = parse_size(text).filter(|&bytes| bytes < u64::MAX);
    size.and_then(|bytes| usize::try_from(bytes).ok())
        .ok_or_else(|| "expected a size such as 500M or 2G".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_ask_in_json() {
        let text = r#"{"query": "select 1", "places": [{"path": "logs", "sessions": ["a"]},
            {"path": "others", "sessions": null}]}"#;
        let place = |path: &str, sessions| Asking {
            path: path.into(),
            sessions,
        };
        let asked = Asked {
            places: vec![
                place("logs", Some(["a".to_owned()].into())),
                place("others", None),
            ],
            query: Some("select 1".to_owned()),
        };
        assert_eq!(request(text), Ok(asked));
        for wrong in ["", "{}", r#"{"query": "", "places": [], "write": 1}"#] {
            assert!(request(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_have_suffixes() {
        assert_eq!(bytes("2G"), Ok(2 << 30));
        assert_eq!(bytes("64M"), Ok(64 << 20));
        assert_eq!(bytes("100"), Ok(100));
        for wrong in ["", "G", "2X", "-1", "99999999999G", "B"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }
}
