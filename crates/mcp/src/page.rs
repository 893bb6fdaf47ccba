//! One answer: as JSON and as text, in at most 10 kB together. What does not fit is on the next page.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use stepscope_analysis::telling::escape::visible;
use stepscope_analysis::telling::format::shortened_to;

/// Most bytes of an answer, both forms together, as they are sent.
pub const MOST_BYTES: usize = 10_000;
/// What the protocol adds around both forms.
const AROUND: usize = 200;
/// Longest text that is not part of a table.
const LONGEST: usize = 900;

/// A call that is useful next.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Next {
    /// Name of the tool.
    pub tool: &'static str,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// What it answers.
    pub why: String,
}

impl Next {
    /// A call with these arguments.
    pub fn new(tool: &'static str, arguments: &[(&str, &str)], why: impl Into<String>) -> Self {
        let arguments = arguments.iter();
        Self {
            tool,
            arguments: arguments
                .map(|(name, value)| ((*name).to_owned(), Value::from(*value)))
                .collect(),
            why: why.into(),
        }
    }

    /// The call with one more argument.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.arguments.insert(name.to_owned(), value.into());
        self
    }
}

/// A table of which some rows are shown.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TablePart {
    /// Its key, for the argument `table`.
    pub key: String,
    /// Its title.
    pub title: String,
    /// Keys of the columns; their endings are the units: `_ps` picoseconds, `_bytes`, `_ratio` 0 to 1.
    pub columns: Vec<String>,
    /// The rows of this page, cell by cell; null is unknown.
    pub rows: Vec<Vec<Value>>,
    /// All its rows, also those on other pages.
    pub row_count: usize,
    /// Columns that are left out; the argument `columns` names those to show.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more_columns: Vec<String>,
    #[serde(skip)]
    pub(crate) headers: Vec<String>,
}

/// An answer as JSON.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Page {
    /// What it is about.
    pub about: String,
    /// Handle of the session.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// Key figures, by name.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub facts: Map<String, Value>,
    /// The answer in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// Findings `of` the program (what to change, the one that saves most first) and of the capture (what
    /// it lacks); `explain` has the rest of each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Value>,
    /// Tables.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TablePart>,
    /// What the figures do not cover, and what to record next time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What went wrong.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// Useful next calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<Next>,
    /// The page that shows this, or the command that opens it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub open: String,
    /// Where the answer goes on: the same call with this `cursor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A piece of an answer, which stands on one page.
#[derive(Debug, Clone)]
pub(crate) enum Block {
    /// A key figure.
    Fact(String, Value, String),
    /// A sentence.
    Line(String),
    /// A finding, and the same as text.
    Finding(Value, String),
    /// A row of a table, by the table's position, and its cells as text.
    Row(usize, Vec<Value>, Vec<String>),
    /// A note.
    Note(String),
}

/// A whole answer, before it is divided into pages.
#[derive(Debug, Clone, Default)]
pub(crate) struct Whole {
    pub(crate) about: String,
    pub(crate) session: String,
    pub(crate) blocks: Vec<Block>,
    /// Without rows.
    pub(crate) tables: Vec<TablePart>,
    pub(crate) next: Vec<Next>,
    pub(crate) open: String,
    pub(crate) error: String,
    /// A picture, as PNG; on the first page.
    pub(crate) picture: Option<Vec<u8>>,
}

/// A page as it is sent.
#[derive(Debug, Clone)]
pub struct Shown {
    /// As JSON.
    pub json: Value,
    /// As text.
    pub text: String,
    /// Whether the call failed.
    pub is_error: bool,
    /// A picture beside both forms, as PNG.
    pub picture: Option<Vec<u8>>,
}

impl Whole {
    pub(crate) fn new(about: impl Into<String>, session: &str) -> Self {
        Self {
            about: plain(&about.into(), 200),
            session: session.to_owned(),
            ..Self::default()
        }
    }

    pub(crate) fn fact(&mut self, name: &str, value: impl Into<Value>, text: &str) {
        let value = match value.into() {
            Value::String(text) => Value::String(plain(&text, LONGEST)),
            other => other,
        };
        let (name, text) = (plain(name, 80), plain(text, LONGEST));
        self.blocks.push(Block::Fact(name, value, text));
    }

    /// A figure that is a text in both forms.
    pub(crate) fn told(&mut self, name: &str, text: &str) {
        if !text.is_empty() {
            self.fact(name, text, text);
        }
    }

    /// A sentence; a long one is divided.
    pub(crate) fn line(&mut self, text: &str) {
        let text = visible(text);
        let letters: Vec<char> = text.chars().collect();
        for part in letters.chunks(LONGEST) {
            self.blocks.push(Block::Line(part.iter().collect()));
        }
    }

    pub(crate) fn note(&mut self, text: &str) {
        self.blocks.push(Block::Note(plain(text, LONGEST)));
    }

    /// The page at a cursor.
    ///
    /// # Errors
    ///
    /// The cursor is not one of this answer.
    pub(crate) fn page(mut self, cursor: Option<&str>) -> Result<Shown, String> {
        let start = match cursor {
            None => 0,
            Some(cursor) => cursor
                .parse()
                .ok()
                .filter(|start| *start > 0 && *start < self.blocks.len())
                .ok_or_else(|| format!("{cursor:?} is not a cursor of this answer"))?,
        };
        let mut count = self.estimate(start);
        loop {
            let shown = self.assemble(start, count);
            if shown.bytes() <= MOST_BYTES {
                return Ok(shown);
            }
            match (count, self.next.len()) {
                (0 | 1, 0) => return Ok(shown.cut()),
                (0 | 1, _) => drop(self.next.pop()),
                _ => count -= (count / 16).max(1),
            }
        }
    }

    /// So many blocks may fit: more than do.
    fn estimate(&self, start: usize) -> usize {
        let mut bytes = 0;
        let mut count = 0;
        for block in &self.blocks[start..] {
            bytes += block.least_bytes();
            if bytes > MOST_BYTES {
                break;
            }
            count += 1;
        }
        count
    }

    fn assemble(&self, start: usize, count: usize) -> Shown {
        let end = start + count;
        let mut page = Page {
            about: self.about.clone(),
            session: self.session.clone(),
            next: self.next.clone(),
            open: self.open.clone(),
            error: self.error.clone(),
            cursor: (end < self.blocks.len()).then(|| end.to_string()),
            ..Page::default()
        };
        let mut text = format!("# {}\n", self.about);
        if !self.error.is_empty() {
            let _ = writeln!(text, "Error: {}", self.error);
        }
        let mut open_table = None;
        for block in &self.blocks[start..end] {
            self.add(block, &mut page, &mut text, &mut open_table);
        }
        push_end(&page, &mut text);
        let json = serde_json::to_value(&page).unwrap_or_default();
        Shown {
            json,
            text,
            is_error: !self.error.is_empty(),
            picture: self.picture.clone().filter(|_| start == 0),
        }
    }

    fn add(&self, block: &Block, page: &mut Page, text: &mut String, open: &mut Option<usize>) {
        match block {
            Block::Fact(name, value, shown) => {
                let _ = writeln!(text, "- {name}: {shown}");
                page.facts.insert(name.clone(), value.clone());
            }
            Block::Line(line) => {
                let _ = writeln!(text, "{line}");
                page.lines.push(line.clone());
            }
            Block::Finding(value, shown) => {
                let _ = writeln!(text, "{shown}");
                page.findings.push(value.clone());
            }
            Block::Note(note) => {
                let _ = writeln!(text, "note: {note}");
                page.notes.push(note.clone());
            }
            Block::Row(position, cells, shown) => {
                if *open != Some(*position) {
                    let table = self.tables[*position].clone();
                    push_head(&table, text);
                    page.tables.push(table);
                }
                if let Some(table) = page.tables.last_mut() {
                    table.rows.push(cells.clone());
                }
                let _ = writeln!(text, "{}", shown.join(" | "));
            }
        }
        *open = match block {
            Block::Row(position, ..) => Some(*position),
            _ => None,
        };
    }
}

fn push_head(table: &TablePart, text: &mut String) {
    let count = table.row_count;
    let _ = writeln!(text, "\n## {} ({}, {count} rows)", table.title, table.key);
    let _ = writeln!(text, "{}", table.headers.join(" | "));
}

fn push_end(page: &Page, text: &mut String) {
    for next in &page.next {
        let arguments = serde_json::to_string(&next.arguments).unwrap_or_default();
        let _ = writeln!(text, "next: {} {arguments} — {}", next.tool, next.why);
    }
    if !page.open.is_empty() {
        let _ = writeln!(text, "open: {}", page.open);
    }
    if let Some(cursor) = &page.cursor {
        let _ = writeln!(text, "more: the same call with cursor \"{cursor}\"");
    }
}

impl Block {
    /// What it takes at least in both forms.
    fn least_bytes(&self) -> usize {
        match self {
            Self::Fact(name, _, text) => 2 * name.len() + text.len(),
            Self::Line(text) | Self::Note(text) => 2 * text.len(),
            Self::Finding(_, text) => text.len(),
            Self::Row(_, cells, text) => {
                cells.len() + text.iter().map(|text| text.len() + 1).sum::<usize>()
            }
        }
    }
}

impl Shown {
    /// Bytes of both forms as they are sent, without a picture.
    pub fn bytes(&self) -> usize {
        let text = serde_json::to_string(&self.text).map_or(0, |text| text.len());
        text + self.json.to_string().len() + AROUND
    }

    /// Without the text, for what does not fit although it is one piece.
    fn cut(mut self) -> Self {
        self.text = shortened_to(&self.text, 500);
        self
    }
}

/// A text on one line, of which every character can be seen, and that is not too long.
pub(crate) fn plain(text: &str, longest: usize) -> String {
    shortened_to(&visible(text), longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_follow_each_other_without_a_gap() {
        let mut whole = Whole::new("lines", "run");
        for number in 0..500 {
            whole.line(&format!(
                "line {number} \"quoted\" of a text that is not short"
            ));
        }
        let mut seen = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let shown = whole.clone().page(cursor.as_deref()).expect("a page");
            assert!(shown.bytes() <= MOST_BYTES, "{}", shown.bytes());
            let lines = shown.json["lines"].as_array().expect("lines").clone();
            assert!(!lines.is_empty());
            seen.extend(lines);
            cursor = shown.json["cursor"].as_str().map(str::to_owned);
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen.len(), 500);
        assert_eq!(seen[499], "line 499 \"quoted\" of a text that is not short");
    }

    #[test]
    fn a_foreign_cursor_is_refused() {
        let mut whole = Whole::new("lines", "run");
        whole.line("one");
        for cursor in ["", "0", "1", "-1", "x", "99999999999999999999"] {
            assert!(whole.clone().page(Some(cursor)).is_err(), "{cursor}");
        }
    }

    #[test]
    fn texts_of_a_profile_are_visible() {
        let mut whole = Whole::new("a\u{1b}[31m", "run");
        whole.told("name", "x\u{202e}y\n");
        let shown = whole.page(None).expect("a page");
        assert!(shown.text.contains("a\\u{1b}[31m") && shown.text.contains("x\\u{202e}y "));
        assert_eq!(shown.json["facts"]["name"], "x\\u{202e}y ");
    }
}
