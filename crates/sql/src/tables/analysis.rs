//! The tables of analyses: each is what its analysis answers, with all rows.

use std::sync::Arc;

use arrow_array::{
    Array as _, ArrayRef, RecordBatch, RecordBatchOptions, StringArray, new_null_array,
};
use arrow_schema::{ArrowError, Field, Schema};
use stepscope_analysis::{ANALYSES, AnalysisError, Column, Entry, Table, Unit};
use stepscope_export::arrow::{TextType, batch, data_type};
use stepscope_export::tables::{every_row, table_name};
use stepscope_model::{HostId, Reads, Session};

use super::table::{Opened, Receive, Rows, SqlColumn, SqlTable};
use crate::asking::Ask;
use crate::library::{Library, Source};

/// Every table of every analysis.
pub(super) fn tables() -> Vec<SqlTable> {
    ANALYSES
        .iter()
        .flat_map(|entry| {
            let declared = entry.tables().into_iter().enumerate();
            declared.map(|(position, declared)| {
                let rows = AnalysisTable {
                    entry,
                    key: declared.key,
                    options: Vec::new(),
                    per: None,
                    named: &[],
                };
                SqlTable {
                    name: table_name(entry, position, declared.key),
                    meaning: entry.summary.to_owned(),
                    columns: declared.columns.into_iter().map(SqlColumn::from).collect(),
                    options: Vec::new(),
                    text: TextType::Plain,
                    rows: Arc::new(rows),
                }
            })
        })
        .collect()
}

/// A table of an answer.
#[derive(Clone)]
pub(crate) struct AnalysisTable {
    entry: &'static Entry,
    key: &'static str,
    /// Options as on the command line.
    options: Vec<(String, String)>,
    per: Option<Per>,
    /// Columns that name the part that was asked, where the analysis has no such columns itself:
    /// none, one group, in the form of [`Rows::filtered_early`].
    named: &'static [&'static [&'static str]],
}

/// What the analysis is asked for, one after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Per {
    Host,
    Device,
}

impl std::fmt::Debug for AnalysisTable {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "{}.{} {:?}",
            self.entry.name, self.key, self.options
        )
    }
}

impl SqlTable {
    /// The same table with options of its analysis, such as `by=scope`, `steps=3..8`, and `per=host` or
    /// `per=device`: asked for each of them, named in further columns.
    ///
    /// # Errors
    ///
    /// A table without options, or an option that is wrong.
    pub(crate) fn with_options(&self, options: &[String]) -> Result<Self, String> {
        let rows = (self.rows.as_ref() as &dyn std::any::Any).downcast_ref::<AnalysisTable>();
        let Some(rows) = rows else {
            return Err(format!("{} takes no options; use `where`", self.name));
        };
        let mut rows = rows.clone();
        let mut columns = Vec::new();
        for option in options {
            let (key, value) = option.split_once('=').unwrap_or((option, "true"));
            match (key.trim(), value.trim()) {
                ("per", "host") => rows.per = Some(Per::Host),
                ("per", "device") => rows.per = Some(Per::Device),
                ("per", other) => {
                    return Err(format!(
                        "per={other} does not exist; available: host, device"
                    ));
                }
                (key, value) => {
                    let key = key.trim_start_matches("--").replace('_', "-");
                    rows.options.push((key, value.to_owned()));
                }
            }
        }
        let pairs = rows.options.iter();
        let pairs = pairs.map(|(name, value)| (name.as_str(), value.as_str()));
        let checked = rows.entry.matches(pairs);
        checked.map_err(|error| error.to_string())?;
        let own = |key: &str| self.columns.iter().any(|column| column.column.key == key);
        let leading = [
            Column::new("host", "Host", Unit::Text).means("Host that was asked for."),
            Column::new("device", "Device", Unit::Text).means("Device that was asked for."),
        ];
        let count = match rows.per {
            None => 0,
            Some(Per::Host) => 1,
            Some(Per::Device) => 2,
        };
        let leading = leading.into_iter().take(count);
        let leading: Vec<Column> = leading.filter(|column| !own(column.key)).collect();
        rows.named = match leading.as_slice() {
            [] => &[],
            [host, _device] if host.key == "host" => &[&["host", "device"]],
            [host] if host.key == "host" => &[&["host"]],
            _ => &[&["device"]],
        };
        columns.extend(leading.into_iter().map(SqlColumn::of));
        columns.extend(self.columns.iter().cloned());
        Ok(Self {
            columns,
            options: options.to_vec(),
            rows: Arc::new(rows),
            ..self.clone()
        })
    }
}

impl Rows for AnalysisTable {
    fn reads(&self) -> Reads {
        let is_timed = self.options.iter().any(|(name, _)| name == "time");
        if is_timed {
            Reads::Everything
        } else {
            self.entry.usually_reads()
        }
    }

    fn filtered_early(&self) -> &[&[&str]] {
        self.named
    }

    fn is_of_roll_ups(&self) -> bool {
        self.options.is_empty() && self.per.is_none()
    }

    fn read_indexed(
        &self,
        library: &Library,
        source: &Source,
        ask: &Ask,
        send: &mut Receive<'_>,
    ) -> Result<bool, ArrowError> {
        if !self.is_of_roll_ups() {
            return Ok(false);
        }
        let roll_up = library.roll_up(source);
        let Some(roll_up) = roll_up else {
            return Ok(false);
        };
        let Some(answer) = roll_up.answer(self.entry.name) else {
            return Ok(false);
        };
        if answer.left_out.iter().any(|key| key == self.key) {
            return Ok(false);
        }
        if !answer.error.is_empty() {
            library.remark(self.no_rows(source, &answer.error));
            return Ok(true);
        }
        let Some(table) = answer.tables.iter().find(|table| table.key == self.key) else {
            self.remark(library, source, answer.notes.iter());
            return Ok(true);
        };
        // What is damaged is computed.
        let Ok((rows, columns)) = roll_up.columns(table, &ask.columns) else {
            return Ok(false);
        };
        let columns = columns.into_iter().zip(&ask.columns);
        let arrays = columns.map(|(array, column)| {
            array.unwrap_or_else(|| new_null_array(&data_type(column), rows))
        });
        send(batch_of(&ask.columns, arrays.collect(), rows)?);
        Ok(true)
    }

    fn read(
        &self,
        opened: &Opened<'_>,
        ask: &Ask,
        send: &mut Receive<'_>,
    ) -> Result<(), ArrowError> {
        for part in self.kept_parts(&opened.session, ask)? {
            let mut options = self.options.clone();
            options.extend(part.options());
            let answer = self
                .entry
                .run_pairs(&opened.session, every_row(self.entry, &options));
            let answer = match answer {
                Ok(answer) => answer,
                Err(error @ (AnalysisError::Options(_) | AnalysisError::Changed(_))) => {
                    return Err(ArrowError::ExternalError(Box::new(error)));
                }
                Err(error) => {
                    let text = self.no_rows(opened.source, &error.to_string());
                    opened.library.remark(text);
                    continue;
                }
            };
            let tables = answer.tables();
            let table = tables.iter().find(|table| table.key == self.key);
            let Some(table) = table.filter(|table| !table.rows.is_empty()) else {
                let notes = answer.notes().iter().map(|note| &note.text);
                self.remark(opened.library, opened.source, notes);
                continue;
            };
            if !send(chosen(table, &part, &ask.columns)?) {
                break;
            }
        }
        Ok(())
    }
}

/// A part of a session that an analysis is asked for.
#[derive(Default)]
struct Part {
    host: Option<String>,
    device: Option<String>,
}

impl Part {
    fn options(&self) -> Option<(String, String)> {
        let device = self.device.as_ref().map(|device| ("device", device));
        let (name, value) = device.or(self.host.as_ref().map(|host| ("host", host)))?;
        Some((name.to_owned(), value.clone()))
    }

    /// The text of a column that says which part it is.
    fn text(&self, key: &str) -> Option<&str> {
        match key {
            "host" => self.host.as_deref(),
            "device" => self.device.as_deref(),
            _ => None,
        }
    }
}

impl AnalysisTable {
    /// Says what the analysis says of an answer without rows.
    fn remark<'a>(
        &self,
        library: &Library,
        source: &Source,
        notes: impl Iterator<Item = &'a String>,
    ) {
        for note in notes {
            library.remark(format!("{}: {}: {note}", source.name, self.entry.name));
        }
    }

    /// Why the analysis has no rows.
    fn no_rows(&self, source: &Source, error: &str) -> String {
        format!("{}: no rows of {}: {error}", source.name, self.entry.name)
    }

    /// The parts that filters on the columns with their names keep.
    fn kept_parts(&self, session: &Session, ask: &Ask) -> Result<Vec<Part>, ArrowError> {
        let parts = self.parts(session);
        let columns = self.named.concat();
        let kept = ask.kept(&columns, |_| {
            let texts = |&column: &&str| -> ArrayRef {
                let texts = parts.iter().map(|part| part.text(column));
                Arc::new(texts.collect::<StringArray>())
            };
            let arrays = columns.iter().map(|column| (*column, texts(column)));
            RecordBatch::try_from_iter(arrays)
        })?;
        let Some(kept) = kept else {
            return Ok(parts);
        };
        let parts = parts.into_iter().zip(kept);
        Ok(parts
            .filter_map(|(part, is_kept)| is_kept.then_some(part))
            .collect())
    }

    fn parts(&self, session: &Session) -> Vec<Part> {
        match self.per {
            None => vec![Part::default()],
            Some(Per::Host) => {
                let hosts = (0..session.hosts.len()).map(HostId::from_index);
                let part = |id| Part {
                    host: Some(session.host(id).name.clone()),
                    device: None,
                };
                hosts.map(part).collect()
            }
            Some(Per::Device) => {
                let part = |id| Part {
                    host: Some(session.host(session.device(id).host).name.clone()),
                    device: Some(session.device_title(id)),
                };
                session.device_ids().map(part).collect()
            }
        }
    }
}

/// The columns of a table that were asked for, by their keys. Those that this answer lacks are null.
fn chosen(table: &Table, part: &Part, columns: &[Column]) -> Result<RecordBatch, ArrowError> {
    let whole = batch(table)?;
    let rows = whole.num_rows();
    let array = |column: &Column| -> ArrayRef {
        let own = whole.column_by_name(column.key);
        let Some(text) = part.text(column.key) else {
            return own.map_or_else(|| new_null_array(&data_type(column), rows), Arc::clone);
        };
        // Rows that name no part are of the one that was asked.
        let texts = own.and_then(|own| own.as_any().downcast_ref::<StringArray>());
        let named = |row: usize| {
            let texts = texts.filter(|texts| texts.is_valid(row))?;
            Some(texts.value(row)).filter(|text| !text.is_empty())
        };
        let texts = (0..rows).map(|row| named(row).unwrap_or(text));
        Arc::new(StringArray::from_iter_values(texts))
    };
    batch_of(columns, columns.iter().map(array).collect(), rows)
}

/// Arrays under the keys of columns.
fn batch_of(
    columns: &[Column],
    arrays: Vec<ArrayRef>,
    rows: usize,
) -> Result<RecordBatch, ArrowError> {
    let fields = columns
        .iter()
        .map(|column| Field::new(column.key, data_type(column), true));
    let schema = Schema::new(fields.collect::<Vec<_>>());
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::new(schema), arrays, &options)
}
