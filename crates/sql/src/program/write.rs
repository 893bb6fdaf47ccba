//! Rows in the form that was asked for. All but tables and JSON are written as they come.

use std::io::{self, BufWriter, Write};

use crate::engine::{Engine, QueryError, Rows};
use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, SchemaRef};
use serde_json::{Value, json};
use stepscope_analysis::telling::csv::to_csv;
use stepscope_analysis::{Cell, Table, Unit};
use stepscope_cli::render::table_page;
use stepscope_export::arrow::table_of;

use super::arguments::{Arguments, Form};

/// What an error says if nobody reads the output anymore.
pub(crate) const BROKEN_PIPE: &str = "nobody reads the output";

/// Widest table without a terminal.
const WIDTH: usize = 160;

/// Writes the rows and returns their number.
pub(crate) async fn rows(
    mut rows: Rows,
    arguments: &Arguments,
    engine: &Engine,
) -> Result<usize, QueryError> {
    let most = arguments.most_rows();
    let mut out = BufWriter::with_capacity(1 << 20, io::stdout());
    match arguments.format {
        Form::Table | Form::Json => {
            let (table, count) = collected(&mut rows, most).await?;
            let text = match arguments.format {
                Form::Json => answer_json(&table, count, engine).to_string(),
                _ if is_plan(&table) => plan(&table),
                _ => table_page(&table, width(), most, arguments.wide),
            };
            out.write_all(text.trim_end().as_bytes())
                .and_then(|()| out.write_all(b"\n"))
                .map_err(told)?;
            out.flush().map_err(told)?;
            Ok(count)
        }
        form => stream(&mut rows, form, most, &mut out).await,
    }
}

/// Whether the rows are the answer of `explain`.
fn is_plan(table: &Table) -> bool {
    let keys: Vec<&str> = table.columns.iter().map(|column| column.key).collect();
    keys == ["plan_type", "plan"]
}

/// A plan is a drawing of several lines.
fn plan(table: &Table) -> String {
    let texts = table.rows.iter().flatten().map(|cell| match cell {
        Cell::Text(text) => text.clone(),
        _ => String::new(),
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Columns of the terminal, or enough for most tables.
pub(crate) fn width() -> usize {
    let width = std::env::var("COLUMNS")
        .ok()
        .and_then(|text| text.parse().ok());
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    width.or_else(terminal).unwrap_or(WIDTH)
}

/// The unit of a column in a word.
pub(crate) const fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Text => "text",
        Unit::Flag => "flag",
        Unit::Count => "count",
        Unit::Picos => "ps",
        Unit::Bytes => "bytes",
        Unit::Ratio => "ratio",
        Unit::Flops => "FLOP",
        Unit::FlopRate => "FLOP/s",
        Unit::ByteRate => "bytes/s",
    }
}

/// The first rows as a table, and the number of all.
async fn collected(rows: &mut Rows, most: Option<usize>) -> Result<(Table, usize), QueryError> {
    let schema = rows.schema();
    let (mut batches, mut count): (Vec<RecordBatch>, usize) = (Vec::new(), 0);
    while let Some(batch) = rows.next().await? {
        let room = most.map_or(usize::MAX, |most| most.saturating_sub(count));
        count += batch.num_rows();
        if room > 0 {
            batches.push(batch.slice(0, batch.num_rows().min(room)));
        }
    }
    let table = table_of(&schema, &batches, count).map_err(arrow_error)?;
    Ok((table, count))
}

/// Where rows go as they come.
enum Sink<W: Write> {
    Arrow(Box<StreamWriter<W>>),
    /// As text; whether any was written.
    Lines(W, bool),
}

async fn stream(
    rows: &mut Rows,
    form: Form,
    most: Option<usize>,
    out: impl Write,
) -> Result<usize, QueryError> {
    let schema = rows.schema();
    let mut sink = match form {
        Form::Arrow => Sink::Arrow(Box::new(
            StreamWriter::try_new(out, &schema).map_err(arrow_error)?,
        )),
        _ => Sink::Lines(out, false),
    };
    let mut count = 0;
    while let Some(batch) = rows.next().await? {
        let room = most.map_or(usize::MAX, |most| most - count);
        let batch = batch.slice(0, batch.num_rows().min(room));
        count += batch.num_rows();
        sink.write(&schema, &batch, form)?;
        if most == Some(count) {
            break;
        }
    }
    if let Sink::Lines(_, false) = sink {
        sink.write(
            &schema,
            &RecordBatch::new_empty(SchemaRef::clone(&schema)),
            form,
        )?;
    }
    sink.finish()?;
    Ok(count)
}

impl<W: Write> Sink<W> {
    fn write(
        &mut self,
        schema: &SchemaRef,
        batch: &RecordBatch,
        form: Form,
    ) -> Result<(), QueryError> {
        match self {
            Self::Arrow(writer) => writer.write(batch).map_err(arrow_error),
            Self::Lines(out, has_begun) => {
                let text = text(schema, batch, form, !*has_begun)?;
                *has_begun = true;
                out.write_all(&text).map_err(told)
            }
        }
    }

    fn finish(self) -> Result<(), QueryError> {
        match self {
            Self::Arrow(mut writer) => {
                writer.finish().map_err(arrow_error)?;
                writer
                    .into_inner()
                    .map_err(arrow_error)?
                    .flush()
                    .map_err(told)
            }
            Self::Lines(mut out, _) => out.flush().map_err(told),
        }
    }
}

/// Rows as lines.
fn text(
    schema: &SchemaRef,
    batch: &RecordBatch,
    form: Form,
    is_first: bool,
) -> Result<Vec<u8>, QueryError> {
    let table = table_of(schema, std::slice::from_ref(batch), batch.num_rows());
    let table = table.map_err(arrow_error)?;
    if form == Form::Csv {
        let text = to_csv(&table);
        let keys = text.find('\n').map_or(0, |end| end + 1);
        return Ok(text.as_bytes()[if is_first { 0 } else { keys }..].to_vec());
    }
    let mut lines = Vec::new();
    for row in &table.rows {
        let pairs = table.columns.iter().zip(row);
        let pairs = pairs.map(|(column, cell)| (column.key.to_owned(), value(cell)));
        let line = Value::Object(pairs.collect()).to_string();
        lines.extend_from_slice(line.as_bytes());
        lines.push(b'\n');
    }
    Ok(lines)
}

/// The answer as programs read it: columns with their units, rows as lists.
fn answer_json(table: &Table, count: usize, engine: &Engine) -> Value {
    let columns = table.columns.iter().map(|column| {
        json!({
            "key": column.key,
            "unit": unit(column.unit),
            "is_fractional": column.is_fractional,
        })
    });
    let rows = table
        .rows
        .iter()
        .map(|row| row.iter().map(value).collect::<Value>());
    json!({
        "columns": columns.collect::<Vec<_>>(),
        "rows": rows.collect::<Vec<_>>(),
        "row_count": count,
        "remarks": engine.library().take_remarks(),
    })
}

fn value(cell: &Cell) -> Value {
    match cell {
        Cell::Text(text) => text.as_str().into(),
        Cell::Int(number) => (*number).into(),
        Cell::Float(number) => (*number).into(),
        Cell::Flag(flag) => (*flag).into(),
        Cell::Missing => Value::Null,
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the shape of map_err")]
fn told(error: io::Error) -> QueryError {
    let message = match error.kind() {
        io::ErrorKind::BrokenPipe => BROKEN_PIPE.to_owned(),
        _ => format!("cannot write the rows: {error}"),
    };
    QueryError {
        message,
        hint: String::new(),
    }
}

fn arrow_error(error: ArrowError) -> QueryError {
    match error {
        ArrowError::IoError(_, error) => told(error),
        error => QueryError {
            message: format!("cannot write the rows: {error}"),
            hint: String::new(),
        },
    }
}
