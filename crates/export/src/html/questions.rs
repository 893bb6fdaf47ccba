//! The requests of the pages: each view when it opens, and the variants that its controls offer.

use stepscope_analysis::views::ops::{Ops, OpsOptions};
use stepscope_analysis::{ANALYSES, Analysis, Entry};
use stepscope_model::Session;

use crate::Pairs;

/// Options that only limit rows. They are not part of a question: a report has its own limits.
pub(super) const ROW_LIMITS: [&str; 2] = ["limit", "shardings"];

/// Rows that the views request; 0 for all. Other views use the default of the analysis.
const VIEW_ROWS: [(&str, usize); 14] = [
    ("regions", 20_000),
    ("op_tree", 20_000),
    ("scopes", 20_000),
    ("ops", 5000),
    ("roofline", 5000),
    ("kernels", 5000),
    ("buffers", 5000),
    ("heap", 5000),
    ("counters", 2000),
    ("steps", 0),
    ("collectives", 0),
    ("input", 0),
    ("hosts", 0),
    ("compile", 0),
];

/// Options for which every value is a control of a view, and flags.
const CONTROLS: [&str; 7] = [
    "by",
    "fold",
    "idle",
    "infeed",
    "internal",
    "merge-fusions",
    "split-combined",
];

/// Other graph sizes that the view offers.
const RADII: [&str; 4] = ["1", "2", "4", "6"];
/// Number of ops whose graphs can be opened.
const GRAPHS: usize = 12;

/// A question to an analysis.
pub(super) struct Question {
    pub(super) entry: &'static Entry,
    /// Its own options, sorted by name, without row limits and defaults.
    pub(super) own: Vec<(String, String)>,
}

impl Question {
    /// `ops`, or `ops?by=category`: the page's name for it.
    pub(super) fn key(&self) -> String {
        let own: Vec<String> = self
            .own
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        match own.as_slice() {
            [] => self.entry.name.to_owned(),
            own => format!("{}?{}", self.entry.name, own.join("&")),
        }
    }

    /// All options: its own, the selection as far as the analysis supports it, and the row limit.
    pub(super) fn pairs(
        &self,
        selection: &Pairs,
        most_rows: Option<usize>,
    ) -> Vec<(String, String)> {
        let command = self.entry.command();
        let has = |name: &str| {
            let mut arguments = command.get_arguments();
            arguments.any(|argument| argument.get_long() == Some(name))
        };
        let given = selection.iter().filter(|(name, _)| has(name)).cloned();
        let mut pairs: Vec<(String, String)> = given.chain(self.own.iter().cloned()).collect();
        let rows = VIEW_ROWS.iter().find(|(name, _)| *name == self.entry.name);
        if let Some(&(_, rows)) = rows {
            let rows = match most_rows {
                Some(most) if rows == 0 || rows > most => most,
                _ => rows,
            };
            let limits = ROW_LIMITS.into_iter().filter(|&name| has(name));
            pairs.extend(limits.map(|name| (name.to_owned(), rows.to_string())));
        }
        pairs
    }

    /// Whether the answer shrinks if fewer rows are requested.
    pub(super) fn is_limited(&self) -> bool {
        VIEW_ROWS.iter().any(|(name, _)| *name == self.entry.name)
    }
}

/// The requests of every view when it opens.
pub(super) fn usual() -> Vec<Question> {
    let questions = ANALYSES.iter().map(|entry| Question {
        entry,
        own: Vec::new(),
    });
    questions.collect()
}

/// The requests of one control of a view, most used first.
pub(super) fn variants(session: &Session, selection: &Pairs) -> Vec<Question> {
    let mut questions = Vec::new();
    for entry in ANALYSES {
        let command = entry.command();
        for argument in command.get_arguments() {
            let Some(name) = argument.get_long().filter(|name| CONTROLS.contains(name)) else {
                continue;
            };
            // The page hides idle time from the whole tree by itself.
            if (entry.name, name) == ("op_tree", "idle") {
                continue;
            }
            let defaults = argument.get_default_values().first();
            let default = defaults.map(|value| value.to_string_lossy().into_owned());
            let values: Vec<String> = if argument.get_action().takes_values() {
                let values = argument.get_possible_values();
                values
                    .iter()
                    .map(|value| value.get_name().to_owned())
                    .collect()
            } else {
                vec!["true".to_owned()]
            };
            let other = values
                .into_iter()
                .filter(|value| Some(value) != default.as_ref());
            questions.extend(other.map(|value| Question {
                entry,
                own: vec![(name.to_owned(), value)],
            }));
        }
    }
    questions.extend(graphs(session, selection));
    questions
}

/// Graphs of other sizes, and of the ops that take the most time.
fn graphs(session: &Session, selection: &Pairs) -> Vec<Question> {
    let Some(entry) = stepscope_analysis::find("graph") else {
        return Vec::new();
    };
    let question = |name: &str, value: String| Question {
        entry,
        own: vec![(name.to_owned(), value)],
    };
    let mut questions: Vec<Question> = RADII
        .iter()
        .map(|&radius| question("radius", radius.to_owned()))
        .collect();
    let mut selection = crate::selection(selection);
    selection.limit = Some(GRAPHS);
    let options = OpsOptions {
        selection,
        ..OpsOptions::default()
    };
    // Without ops there are no graphs to open.
    let Ok(report) = Ops::run(session, &options) else {
        return questions;
    };
    let mut names: Vec<String> = Vec::new();
    for row in report.rows {
        if !names.contains(&row.name) {
            names.push(row.name);
        }
    }
    questions.extend(names.into_iter().map(|name| question("op", name)));
    questions
}
