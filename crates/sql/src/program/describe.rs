//! What there is to ask: tables, views, functions, and the columns of one of them.

use std::io::{self, Write as _};
use std::sync::Arc;

use crate::engine::{Engine, QueryError};
use crate::functions::FUNCTIONS;
use crate::library::Library;
use crate::tables::{SqlColumn, SqlTable, tables};
use crate::views::{SqlView, VIEWS};
use serde_json::{Value, json};
use stepscope_analysis::telling::csv::to_csv;
use stepscope_analysis::{Column, Table, Unit};
use stepscope_cli::render::table_page;
use tokio::runtime::Builder;

use super::answer::refuse;
use super::arguments::{Arguments, FAILURE, FINE, Form, USAGE};
use super::write::{unit, width};

/// Prints the tables, or the columns of one.
pub(crate) fn run(wanted: &str, arguments: &Arguments) -> i32 {
    let all = tables();
    let text = if arguments.format == Form::Json {
        match everything(&all, arguments) {
            Ok(value) => format!("{value}\n"),
            Err(reason) => return refuse(&reason, "", FAILURE),
        }
    } else if wanted.is_empty() {
        form(&listing(&all), arguments)
    } else if let Some(table) = all.iter().find(|table| table.name == wanted) {
        form(&columns_of(table), arguments)
    } else if let Some(view) = VIEWS.iter().find(|view| view.name == wanted) {
        format!("{}\n\n{}\n", view.meaning, view.query)
    } else {
        let hint = "`stepscope sql --tables` lists all";
        return refuse(&format!("there is no table {wanted}"), hint, USAGE);
    };
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => FAILURE,
        _ => FINE,
    }
}

fn form(table: &Table, arguments: &Arguments) -> String {
    if arguments.format == Form::Csv {
        return to_csv(table);
    }
    table_page(table, width(), None, arguments.wide)
}

/// Tables, views and functions, with what they are.
fn listing(all: &[SqlTable]) -> Table {
    let columns = [
        Column::new("name", "Name", Unit::Text),
        Column::new("kind", "Kind", Unit::Text),
        Column::new("columns", "Columns", Unit::Count),
        Column::new("meaning", "Meaning", Unit::Text),
    ];
    let own = all.iter().map(|table| {
        let count = table.every_column().count();
        vec![
            table.name.as_str().into(),
            "table".into(),
            count.into(),
            table.meaning.as_str().into(),
        ]
    });
    let views = VIEWS.iter().map(|view| {
        let none: Option<i64> = None;
        vec![
            view.name.into(),
            "view".into(),
            none.into(),
            view.meaning.into(),
        ]
    });
    let functions = FUNCTIONS.iter().map(|(signature, meaning)| {
        let none: Option<i64> = None;
        vec![
            (*signature).into(),
            "function".into(),
            none.into(),
            (*meaning).into(),
        ]
    });
    Table::new(
        "tables",
        "Tables",
        &columns,
        own.chain(views).chain(functions),
    )
}

/// The columns of a table, with their units and meanings.
fn columns_of(table: &SqlTable) -> Table {
    let columns = [
        Column::new("column", "Column", Unit::Text),
        Column::new("unit", "Unit", Unit::Text),
        Column::new("meaning", "Meaning", Unit::Text),
    ];
    let rows = table.every_column().map(|SqlColumn { column, meaning }| {
        vec![column.key.into(), unit(column.unit).into(), meaning.into()]
    });
    Table::new("columns", "Columns", &columns, rows)
}

/// All of it, for programs.
fn everything(all: &[SqlTable], arguments: &Arguments) -> Result<Value, String> {
    let column = |SqlColumn { column, meaning }: SqlColumn| {
        json!({
            "key": column.key,
            "unit": unit(column.unit),
            "meaning": meaning,
        })
    };
    let tables = all.iter().map(|table| {
        let columns: Vec<Value> = table.every_column().map(column).collect();
        json!({"name": table.name, "meaning": table.meaning, "columns": columns})
    });
    let views = views(arguments)?.into_iter().map(|(one, columns)| {
        let columns: Vec<Value> = columns.into_iter().map(column).collect();
        json!({"name": one.name, "meaning": one.meaning, "query": one.query, "columns": columns})
    });
    let functions = FUNCTIONS.iter();
    let functions = functions.map(|(own, meaning)| json!({"signature": own, "meaning": meaning}));
    Ok(json!({
        "tables": tables.collect::<Vec<_>>(),
        "views": views.collect::<Vec<_>>(),
        "functions": functions.collect::<Vec<_>>(),
    }))
}

/// The views with their columns, which the engine derives from their queries.
fn views(arguments: &Arguments) -> Result<Vec<(SqlView, Vec<SqlColumn>)>, String> {
    let runtime = Builder::new_current_thread().enable_time().build();
    let runtime = runtime.map_err(|error| format!("cannot start threads: {error}"))?;
    let described = runtime.block_on(async {
        let engine = Engine::new(Arc::new(Library::default()), arguments.limits(), None).await?;
        let mut described = Vec::new();
        for view in VIEWS {
            described.push((*view, engine.columns_of(view).await?));
        }
        Ok(described)
    });
    described.map_err(|error: QueryError| error.message)
}
