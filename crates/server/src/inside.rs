//! The library for callers in this process that are not routes: lists, open sessions, queries.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;
use stepscope_model::Reads;
use stepscope_recorder::incident_count_at;
use stepscope_storage::histories_at;

use crate::api;
use crate::error::{ApiError, compute};
use crate::library::Library;
use crate::queries::{self, Question, SqlReport};
use crate::reports::{ErrorReport, SessionsReport};
use crate::slot::OpenSession;

/// The answer to a query.
pub struct QueryAnswer {
    /// Name and unit of each column.
    pub columns: Vec<(String, String)>,
    /// The rows, cell by cell.
    pub rows: Vec<Vec<Value>>,
    /// How many rows there are, also those that are not in `rows`.
    pub row_count: usize,
    /// What a reader has to know, such as sessions that could not be opened.
    pub remarks: Vec<String>,
}

impl Library {
    /// Searches for sessions again, unless that happened a moment ago. Blocks.
    pub fn search(&self) {
        if self.slots().is_empty() {
            self.look_again();
        } else {
            self.refresh();
        }
    }

    /// The list of sessions as they were last found, latest first.
    pub fn list(&self) -> SessionsReport {
        SessionsReport {
            root: self.root(),
            sessions: self.summaries(),
            histories: self.root_path().map(histories_at).unwrap_or_default(),
            incident_count: self.root_path().and_then(incident_count_at),
            notes: self.notes(),
        }
    }

    /// The session with a key, or with its number in the list, open as far as a question reads it.
    ///
    /// # Errors
    ///
    /// It is unknown or cannot be opened.
    pub async fn open(
        self: &Arc<Self>,
        session: &str,
        reads: Reads,
    ) -> Result<Arc<OpenSession>, ErrorReport> {
        let slot = api::slot(self, session).map_err(|error| error.report)?;
        // A file may have become a link since the list was made.
        let may_read = slot
            .files
            .as_ref()
            .is_none_or(|files| self.confines.hold(files));
        if !may_read {
            let error =
                ApiError::not_found(format!("A link of session {session:?} leads elsewhere."));
            return Err(error.report);
        }
        let open = self.opened_reading(&slot, || reads).await;
        open.map_err(|error| ApiError::from(&error).report)
    }

    /// Runs a long computation on a thread where it may block; a panic becomes its error.
    ///
    /// # Errors
    ///
    /// Those of `work`, or its panic.
    pub async fn compute<T: Send + 'static>(
        place: &str,
        work: impl FnOnce() -> Result<T, ErrorReport> + Send + 'static,
    ) -> Result<T, ErrorReport> {
        let work = move || Ok(work());
        compute(place, work).await.map_err(|error| error.report)?
    }

    /// Whether the program for queries is here.
    pub fn answers_queries(&self) -> bool {
        self.sql_program().is_some()
    }

    /// The first rows that answer a query in SQL about the named sessions of these libraries.
    ///
    /// # Errors
    ///
    /// The program for queries is missing, a session is unknown, or the query is wrong.
    pub async fn query(
        asked: &[(&Self, Vec<String>)],
        query: String,
        limit: u32,
    ) -> Result<QueryAnswer, ErrorReport> {
        let (question, keys) = question(asked, query).map_err(|error| error.report)?;
        let report = queries::answer(&question, limit, &keys).await;
        let SqlReport {
            columns,
            rows,
            row_count,
            remarks,
            ..
        } = report.map_err(|error| error.report)?;
        Ok(QueryAnswer {
            columns: columns.into_iter().map(|one| (one.key, one.unit)).collect(),
            rows,
            row_count,
            remarks,
        })
    }

    /// The tables and views of queries, by name, with what a row is and the names of their columns.
    ///
    /// # Errors
    ///
    /// The program for queries is missing.
    pub async fn query_tables(&self) -> Result<Vec<(String, String, Vec<String>)>, ErrorReport> {
        let schema = queries::schema(self.sql_program(), &self.sql_schema).await;
        let schema = schema.map_err(|error| error.report)?;
        if !schema.is_available {
            return Err(ErrorReport {
                error: schema.message,
                hint: schema.hint,
            });
        }
        let tables = schema.tables.into_iter();
        let tables = tables.map(|table| (table.name, table.meaning, table.columns));
        let views = schema.views.into_iter();
        let views = views.map(|view| (view.name, view.meaning, view.columns));
        let named = tables.chain(views).map(|(name, meaning, columns)| {
            let keys = columns.into_iter().map(|column| column.key);
            (name, meaning, keys.collect())
        });
        Ok(named.collect())
    }
}

/// What the program is asked, and the keys of the sessions by name.
fn question(
    asked: &[(&Library, Vec<String>)],
    query: String,
) -> Result<(Question, HashMap<String, String>), ApiError> {
    let Some((first, _)) = asked.first() else {
        return Err(ApiError::bad_request("There is no session to ask."));
    };
    let program = api::sql::program(first)?;
    let (mut places, mut keys) = (Vec::new(), HashMap::new());
    for (library, wanted) in asked {
        let (place, own) = api::sql::asking(library, Some(wanted))?;
        places.push(place);
        keys.extend(own);
    }
    let question = Question {
        program,
        query,
        places,
    };
    Ok((question, keys))
}
