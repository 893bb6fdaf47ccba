//! An op: its figures, where it comes from, and its HLO text.

use stepscope_analysis::find;

use super::about::{About, Explained, address};
use super::place;
use crate::page::{Next, Whole};
use crate::roots::Refusal;
use crate::tables;
use crate::tools::{ask_about, borrowed};

/// Most lines of HLO text.
const LINES: usize = 40;

/// The name and nothing else.
fn pattern(name: &str) -> String {
    format!("^{}$", regex::escape(name))
}

pub(super) fn explain(about: &About<'_>, name: &str) -> Result<Explained, Refusal> {
    let session = &about.open.session;
    let list = ask_about(about.handle, "ops", "the names of all ops");
    let mut whole = Whole::new(format!("op {name}"), about.handle);
    // What is not an op may be a kernel.
    let mut refusal = None;
    for (analysis, key) in [("ops", "name"), ("kernels", "name")] {
        let Some(entry) = find(analysis) else {
            continue;
        };
        let mut pairs = about.pairs.clone();
        pairs.retain(|(option, _)| option != "match");
        pairs.push(("match".to_owned(), pattern(name)));
        let answer = match entry.run_pairs(session, borrowed(&pairs)) {
            Ok(answer) => answer,
            Err(error) => {
                refusal = refusal.or(Some(about.refused(error, entry)));
                continue;
            }
        };
        let tables = answer.tables();
        let Some(table) = tables.first() else {
            continue;
        };
        let at = table.columns.iter().position(|column| column.key == key);
        let is_it = |row: &&Vec<stepscope_analysis::Cell>| {
            at.is_some_and(|at| row[at] == stepscope_analysis::Cell::from(name))
        };
        if let Some(row) = table.rows.iter().find(is_it) {
            tables::push_facts(&mut whole, &table.columns, row);
            break;
        }
    }
    if whole.blocks.is_empty() {
        let unknown = Refusal::new(format!("Unknown op {name:?}."))
            .hint("Names are exact; `match` takes a regular expression.");
        return Err(refusal
            .filter(|_| !about.pairs.is_empty())
            .unwrap_or(unknown)
            .next(list));
    }
    push_text(&mut whole, about, name);
    if let Some(slice) = place::of_op(session, name, None, "") {
        whole.told("longest_slice", &address(slice));
        let next = about.slice(slice, "the longest time that it ran, and what is around it");
        whole.next.push(next);
    }
    let change = format!("remove:{}", pattern(name));
    let next = Next::new(
        "what_if",
        &[("session", about.handle)],
        "the step time without it",
    );
    whole.next.push(next.with("changes", vec![change]));
    whole.next.push(list);
    Ok(Explained {
        whole,
        view: "ops".to_owned(),
        parameters: vec![("match".to_owned(), pattern(name))],
    })
}

/// Its HLO text, if the program was recorded.
fn push_text(whole: &mut Whole, about: &About<'_>, name: &str) {
    let Some(graph) = find("graph") else { return };
    let pairs = [("op", name), ("text", "short"), ("of", "called")];
    let of_itself = [("op", name), ("text", "short")];
    for pairs in [&of_itself[..], &pairs[..]] {
        let Ok(answer) = graph.run_pairs(&about.open.session, pairs.iter().copied()) else {
            return;
        };
        let text = answer.document().unwrap_or_default();
        for line in text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .take(LINES)
        {
            whole.line(line);
        }
    }
}
