//! Any analysis: run it, print its report as tables, JSON or CSV.

use std::fmt::Write;

use clap::ArgMatches;
use stepscope_analysis::catalogue::find;
use stepscope_analysis::telling::csv::to_csv;
use stepscope_analysis::{Answer, Entry, Note, NoteKind, Table};
use stepscope_model::Session;

use super::open_session;
use crate::args::DEFAULT_LIMIT;
use crate::exit::{Exit, Failure};
use crate::open;
use crate::output::Output;
use crate::page;
use crate::table::{self, View};

/// Runs the analysis and prints its report.
pub(crate) fn run(entry: &Entry, arguments: &ArgMatches, output: &Output) -> Result<Exit, Failure> {
    let session = open_session(arguments, entry.reads(arguments), output)?;
    let answer = entry.run_matches(session, arguments)?;
    print_answer(entry.name, &answer, &[session], arguments, output)
}

/// Prints the answer about a session in the format that the arguments request.
pub(super) fn print_answer(
    name: &str,
    answer: &Answer,
    sessions: &[&Session],
    arguments: &ArgMatches,
    output: &Output,
) -> Result<Exit, Failure> {
    let warn = || {
        for session in sessions {
            open::warn(session, answer.notes(), output);
        }
    };
    let key = arguments.get_one::<String>("table").map(String::as_str);
    if arguments.get_flag("json") {
        warn();
        output.json(&answer.json_text()?)?;
    } else if arguments.get_flag("csv") {
        let table = one_table(answer, key)?;
        warn();
        say_notes(answer.notes(), output);
        say_empty(&table, key, output);
        output.data(&to_csv(&table))?;
    } else if key.is_some() {
        let mut table = one_table(answer, key)?;
        warn();
        say_notes(answer.notes(), output);
        say_empty(&table, key, output);
        output.pasted.table(&mut table);
        output.text(&table::render(&table, &view(arguments, output)))?;
    } else if let Some(document) = answer.document() {
        warn();
        say_notes(answer.notes(), output);
        output.data(document)?;
    } else if answer.sentences().is_empty() {
        warn();
        output.text(&text(name, answer, &view(arguments, output), output))?;
    } else {
        // The text format prints warnings with the other notes.
        output.text(&page::sentences(
            &output.pasted.sentences(answer.sentences()),
            output.width.min(page::READABLE),
            output.charset,
        ))?;
    }
    Ok(Exit::Fine)
}

/// The table with this key, or the first one.
fn one_table(answer: &Answer, key: Option<&str>) -> Result<Table, Failure> {
    let mut tables = answer.tables();
    let keys: Vec<&str> = tables.iter().map(|table| table.key).collect();
    let wanted = match key {
        Some(key) => keys.iter().position(|known| *known == key),
        None => (!tables.is_empty()).then_some(0),
    };
    wanted.map(|at| tables.swap_remove(at)).ok_or_else(|| {
        let message = match key {
            Some(key) => format!("unknown table for --table: {key}"),
            None => "this report has no tables".to_owned(),
        };
        Failure::new(Exit::Usage, message).hint(format!("its tables: {}", keys.join(", ")))
    })
}

/// Says that the table requested by name has no rows.
fn say_empty(table: &Table, key: Option<&str>, output: &Output) {
    if key.is_some() && table.rows.is_empty() {
        output.remark(&format!("{}: no rows", table.key));
    }
}

/// Prints an analysis of a session that has no time axis.
pub(crate) fn print(
    analysis: &str,
    session: &Session,
    rows: usize,
    output: &Output,
) -> Result<(), Failure> {
    let Some(entry) = find(analysis) else {
        return Ok(());
    };
    let answer = entry.run_pairs(session, [])?;
    open::warn(session, answer.notes(), output);
    let view = View {
        width: output.width,
        limit: Some(rows),
        charset: output.charset,
        is_wide: false,
    };
    output.text(&text(entry.name, &answer, &view, output))?;
    Ok(())
}

fn view(arguments: &ArgMatches, output: &Output) -> View {
    let limit = match arguments.try_get_one::<usize>("limit").ok().flatten() {
        None => Some(DEFAULT_LIMIT),
        Some(0) => None,
        Some(&limit) => Some(limit),
    };
    View {
        width: output.width,
        limit,
        charset: output.charset,
        is_wide: arguments.get_flag("wide"),
    }
}

fn text(name: &str, answer: &Answer, view: &View, output: &Output) -> String {
    let mut tables = answer.tables();
    for table in &mut tables {
        output.pasted.table(table);
    }
    let mut text = page::headline(&answer.headline(), view.width, output.charset);
    text.push_str(&page::sentences(
        &answer.chart(),
        output.width.min(page::READABLE),
        output.charset,
    ));
    // A table without rows is left out; its note, or the table before it, says why.
    let printed = tables
        .iter()
        .filter(|table| !table.rows.is_empty() && !answer.unprinted().contains(&table.key));
    let only_wide = answer.only_wide();
    let (hidden, shown): (Vec<&Table>, Vec<&Table>) =
        printed.partition(|table| !view.is_wide && only_wide.contains(&table.key));
    for table in &shown {
        if !text.is_empty() && !text.ends_with("\n\n") {
            text.push('\n');
        }
        if tables.len() > 1 {
            text.push_str(&page::title(&table.title, output.charset));
        }
        text.push_str(&table::render(table, view));
    }
    if shown.is_empty() {
        let _ = writeln!(text, "{name}: no rows");
    }
    if !hidden.is_empty() {
        let keys: Vec<&str> = hidden.iter().map(|table| table.key).collect();
        let _ = writeln!(text, "... hidden tables: {} (--wide)", keys.join(", "));
    }
    let notes = page::notes(
        &output.pasted.notes(answer.notes()),
        output.width.min(page::READABLE),
        output.charset,
    );
    if !notes.is_empty() {
        text.push('\n');
        text.push_str(&notes);
    }
    text
}

/// CSV has no place for notes, so warnings go to standard error.
fn say_notes(notes: &[Note], output: &Output) {
    for note in notes {
        match note.kind {
            NoteKind::Warning => output.warn(&note.text, &note.hint),
            NoteKind::Info => output.detail(&note.text, &note.hint),
        }
    }
}
