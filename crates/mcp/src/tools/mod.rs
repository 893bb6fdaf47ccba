//! The tools, one file each. Each has its arguments and makes the whole answer; pages are cut later.

pub(crate) mod ask;
pub(crate) mod capture;
pub(crate) mod compare;
pub(crate) mod explain;
mod figures;
pub(crate) mod picture;
pub(crate) mod report;
pub(crate) mod sessions;
pub(crate) mod sql;
pub(crate) mod what_if;

use std::sync::Arc;

use stepscope_analysis::{Answer, Declaration, Entry, Note, NoteKind, Table};
use stepscope_server::{Captures, Library, OpenSession};

use crate::asked::{Shape, refused};
use crate::link;
use crate::page::{Next, Whole};
use crate::roots::{Chosen, Refusal, Roots};
use crate::tables;

/// What every tool needs.
pub(crate) struct Within<'a> {
    pub(crate) roots: &'a Roots,
    /// Address of the server of the pages.
    pub(crate) page: Option<&'a str>,
    /// Where captures go, if they are allowed.
    pub(crate) captures: Option<&'a Arc<Captures>>,
}

/// Names and values of options.
pub(crate) type Pairs = Vec<(String, String)>;

/// A session that is open, and its handle.
pub(crate) struct Opened<'a> {
    pub(crate) chosen: Chosen<'a>,
    pub(crate) open: Arc<OpenSession>,
}

impl<'a> Within<'a> {
    /// The session with a handle, or the latest one, as far as `entry` reads it.
    async fn open(
        &'a self,
        handle: Option<&str>,
        entry: &Entry,
        pairs: &Pairs,
    ) -> Result<Opened<'a>, Refusal> {
        let chosen = self.roots.choose(handle)?;
        let matches = entry.matches(borrowed(pairs));
        let matches = matches.map_err(|error| refused(error, entry, &chosen.handle))?;
        let open = self.roots.open(&chosen, entry.reads(&matches)).await?;
        Ok(Opened { chosen, open })
    }

    fn link(&self, chosen: &Chosen<'_>, view: &str, pairs: &Pairs) -> String {
        link::open(self.page, chosen, view, pairs)
    }
}

impl Opened<'_> {
    fn handle(&self) -> &str {
        &self.chosen.handle
    }
}

/// Computes on a thread where it may block.
async fn compute<T: Send + 'static>(
    place: &str,
    open: &Arc<OpenSession>,
    work: impl FnOnce(&OpenSession) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let open = Arc::clone(open);
    Library::compute(place, move || Ok(work(&open))).await?
}

pub(crate) fn borrowed(pairs: &Pairs) -> impl Iterator<Item = (&str, &str)> {
    pairs.iter().map(|(name, value)| (&**name, &**value))
}

/// Rows of the first table of an answer, and of its other tables, if none is named.
const FIRST_ROWS: usize = 20;
const OTHER_ROWS: usize = 6;

/// A report as an answer: what stands above its tables, the tables, the notes.
fn push_report(
    whole: &mut Whole,
    answer: &Answer,
    shape: &Shape,
    again: &Next,
) -> Result<(), Refusal> {
    let tables = tables_of(answer)?;
    if let Some(key) = &shape.table {
        let table = tables
            .iter()
            .find(|table| table.key == key)
            .ok_or_else(|| {
                let keys: Vec<&str> = tables.iter().map(|table| table.key).collect();
                Refusal::new(format!("Unknown table {key:?} of this answer."))
                    .hint(format!("It has {}.", keys.join(", ")))
                    .next(again.clone())
            })?;
        let pushed = tables::push(whole, table, &shape.columns(), None);
        pushed
            .map_err(|error| Refusal::new(error).next(again.clone().with("table", key.as_str())))?;
    } else if let Some(document) = answer.document() {
        document.lines().for_each(|line| whole.line(line));
    } else {
        for (name, value) in answer.headline() {
            whole.told(&name, &value);
        }
        for line in answer.sentences().iter().filter(|line| !line.is_empty()) {
            whole.line(line);
        }
        push_tables(whole, answer, &tables, shape, again)?;
    }
    push_notes(whole, answer.notes());
    Ok(())
}

/// The tables of an answer; rows that name a slice say its address.
fn tables_of(answer: &Answer) -> Result<Vec<Table>, Refusal> {
    let json = answer.json();
    let json = json.map_err(|error| Refusal::new(error.to_string()))?;
    let tables = answer.tables().into_iter();
    let tables = tables.map(|table| {
        let rows = &json[table.key];
        tables::with_slices(table, rows)
    });
    Ok(tables.collect())
}

fn push_tables(
    whole: &mut Whole,
    answer: &Answer,
    tables: &[Table],
    shape: &Shape,
    again: &Next,
) -> Result<(), Refusal> {
    let is_printed =
        |key: &str| !answer.unprinted().contains(&key) && !answer.only_wide().contains(&key);
    // Sentences say what the tables do.
    let is_told = !answer.sentences().is_empty();
    let (mut shown, mut cut, mut left_out) = (0, None, Vec::new());
    for table in tables.iter().filter(|table| !table.rows.is_empty()) {
        if is_told || !is_printed(table.key) {
            left_out.push(table.key);
            continue;
        }
        let limit = if shown == 0 { FIRST_ROWS } else { OTHER_ROWS };
        if table.rows.len() > limit && cut.is_none() {
            cut = Some(table.key);
        }
        let columns = if shown == 0 {
            shape.columns()
        } else {
            tables::Columns::default()
        };
        let pushed = tables::push(whole, table, &columns, Some(limit));
        pushed.map_err(|error| Refusal::new(error).next(again.clone()))?;
        shown += 1;
    }
    if let Some(key) = cut {
        let call = again.clone().with("table", key);
        whole.next.push(Next {
            why: format!("all rows of {key}"),
            ..call
        });
    }
    if !left_out.is_empty() {
        whole.note(&format!("more tables, by name: {}", left_out.join(", ")));
    }
    Ok(())
}

fn push_notes(whole: &mut Whole, notes: &[Note]) {
    let mut sorted: Vec<&Note> = notes.iter().collect();
    sorted.sort_by_key(|note| note.kind);
    for note in sorted {
        let word = match note.kind {
            NoteKind::Warning => "warning: ",
            NoteKind::Info => "",
        };
        let hint = match &*note.hint {
            "" => String::new(),
            hint => format!(" ({hint})"),
        };
        whole.note(&format!("{word}{}{hint}", note.text));
    }
}

/// A call of `ask` about a session.
fn ask_about(session: &str, analysis: &str, why: &str) -> Next {
    Next::new("ask", &[("session", session), ("analysis", analysis)], why)
}

/// What a question answers, for lists.
fn summary_of(declaration: &Declaration) -> String {
    format!("{}: {}", declaration.name, declaration.summary)
}
