//! The tables of every analysis that has results.

use stepscope_analysis::{ANALYSES, AnalysisError, Entry, Note};
use stepscope_model::Session;

use super::manifest::LeftOut;
use super::named::NamedTable;
use crate::Pairs;

/// Existing and missing tables.
pub(super) struct Collected {
    pub(super) tables: Vec<NamedTable>,
    pub(super) left_out: Vec<LeftOut>,
}

/// Options that limit rows, with the value for all rows.
const UNLIMITED: [(&str, &str); 3] = [("limit", "0"), ("instances", "0"), ("shardings", "0")];

/// Runs every analysis with all rows. Fails if an option is invalid for an analysis that has it.
pub(super) fn tables(session: &Session, options: &Pairs) -> Result<Collected, AnalysisError> {
    let mut collected = Collected {
        tables: Vec::new(),
        left_out: Vec::new(),
    };
    for entry in ANALYSES {
        let answer = match entry.run_pairs(session, every_row(entry, options)) {
            Ok(answer) => answer,
            Err(
                error @ (AnalysisError::Options(_)
                | AnalysisError::NothingSelected { .. }
                | AnalysisError::Changed(_)),
            ) => return Err(error),
            Err(error) => {
                collected.leave_out(entry.name, error.to_string());
                continue;
            }
        };
        let mut notes = answer.notes().to_vec();
        for (position, table) in answer.tables().into_iter().enumerate() {
            let name = table_name(entry, position, table.key);
            if table.rows.is_empty() {
                collected.leave_out(&name, reason(&notes));
                continue;
            }
            collected.tables.push(NamedTable {
                name,
                analysis: entry.name,
                table,
                notes: std::mem::take(&mut notes),
            });
        }
    }
    Ok(collected)
}

impl Collected {
    fn leave_out(&mut self, name: &str, reason: String) {
        self.left_out.push(LeftOut {
            name: name.to_owned(),
            reason,
        });
    }
}

/// Why there are no rows, in the analysis's own words if it has any.
fn reason(notes: &[Note]) -> String {
    match notes {
        [] => "it has no rows".to_owned(),
        notes => {
            let texts: Vec<&str> = notes.iter().map(|note| note.text.as_str()).collect();
            format!("it has no rows: {}", texts.join(" "))
        }
    }
}

/// The name of a table among those of all analyses: that of its analysis if it is the first one.
pub fn table_name(entry: &Entry, position: usize, key: &str) -> String {
    match position {
        0 => entry.name.to_owned(),
        _ => format!("{}_{key}", entry.name),
    }
}

/// The options that an analysis supports, with all rows requested.
pub fn every_row<'a>(entry: &Entry, options: &'a Pairs) -> Vec<(&'a str, &'a str)> {
    let command = entry.command();
    let has = |name: &str| {
        let mut arguments = command.get_arguments();
        arguments.any(|argument| argument.get_long() == Some(name))
    };
    let given = options
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    // Its limit is that of the top ops, which are all in the table of ops.
    let unlimited: &[(&str, &str)] = if entry.name == "overview" {
        &[]
    } else {
        &UNLIMITED
    };
    let is_limit = |name: &str| UNLIMITED.iter().any(|(limit, _)| *limit == name);
    given
        .filter(|(name, _)| !is_limit(name))
        .chain(unlimited.iter().copied())
        .filter(|(name, _)| has(name))
        .collect()
}
