//! The prompt: lines until a semicolon are a query; history and completion of names.

use std::borrow::Cow;
use std::path::PathBuf;

use crate::engine::Engine;
use crate::functions::FUNCTIONS;
use crate::views::VIEWS;
use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Editor, Helper, Highlighter, Hinter};
use tokio::runtime::Runtime;

use super::answer::{answer, refuse};
use super::arguments::{Arguments, FAILURE, FINE};

const WORDS: [&str; 24] = [
    "select",
    "from",
    "where",
    "group by",
    "order by",
    "limit",
    "join",
    "left join",
    "using",
    "on",
    "as",
    "and",
    "or",
    "not",
    "in",
    "like",
    "between",
    "sum",
    "count",
    "avg",
    "min",
    "max",
    "desc",
    "having",
];

/// Asks until the end of input.
pub(crate) fn run(runtime: &Runtime, engine: &Engine, arguments: &Arguments) -> i32 {
    let editor = Editor::<Names, FileHistory>::new();
    let mut editor = match editor {
        Ok(editor) => editor,
        Err(error) => return refuse(&format!("no prompt: {error}"), "give a query", FAILURE),
    };
    editor.set_helper(Some(Names::of(engine)));
    let history = history_path();
    if let Some(path) = &history {
        // None on the first time.
        let _ = editor.load_history(path);
    }
    greet(engine);
    loop {
        match editor.readline("sql> ") {
            Ok(line) if is_end(&line) => break,
            Ok(line) if line.trim().is_empty() => {}
            Ok(line) => {
                let _ = editor.add_history_entry(line.as_str());
                answer(
                    runtime,
                    engine,
                    line.trim().trim_end_matches(';'),
                    arguments,
                );
            }
            Err(ReadlineError::Interrupted) => {}
            Err(_) => break,
        }
    }
    if let Some(path) = &history {
        // The prompt works without it.
        let _ = editor.append_history(path);
    }
    FINE
}

fn is_end(line: &str) -> bool {
    matches!(
        line.trim().trim_end_matches(';'),
        "exit" | "quit" | "\\q" | ".exit" | ".quit"
    )
}

fn greet(engine: &Engine) {
    let count = engine.library().sources().len();
    anstream::eprintln!(
        "{count} sessions. End a query with ; and leave with Ctrl+D. Tab completes names; \
         `select * from information_schema.tables;` lists the tables."
    );
}

/// Where the history is kept: with the user's other state.
fn history_path() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    let state =
        state.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state")))?;
    let folder = state.join("stepscope");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join("sql-history"))
}

/// Names that are completed.
#[derive(Helper, Highlighter, Hinter)]
struct Names {
    names: Vec<String>,
}

impl Names {
    fn of(engine: &Engine) -> Self {
        let mut names: Vec<String> = WORDS.iter().map(|&word| word.to_owned()).collect();
        for table in engine.tables() {
            names.extend(
                table
                    .columns
                    .iter()
                    .map(|column| column.column.key.to_owned()),
            );
            names.push(table.name.clone());
        }
        names.extend(VIEWS.iter().map(|view| view.name.to_owned()));
        let functions = FUNCTIONS
            .iter()
            .filter_map(|(own, _)| own.split('(').next());
        names.extend(functions.map(|name| format!("{name}(")));
        names.sort();
        names.dedup();
        Self { names }
    }
}

impl Completer for Names {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = line.get(..position).unwrap_or_default();
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let start = typed.rfind(|c: char| !is_part(c)).map_or(0, |at| at + 1);
        let word = typed.get(start..).unwrap_or_default();
        let own = self
            .names
            .iter()
            .filter(|name| !word.is_empty() && name.starts_with(word));
        let pairs = own.map(|name| Pair {
            display: name.clone(),
            replacement: name.clone(),
        });
        Ok((start, pairs.collect()))
    }
}

impl Validator for Names {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let text: Cow<'_, str> = context.input().trim().into();
        let is_whole = text.is_empty() || text.ends_with(';') || is_end(&text);
        Ok(if is_whole {
            ValidationResult::Valid(None)
        } else {
            ValidationResult::Incomplete
        })
    }
}
