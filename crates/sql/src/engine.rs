//! The engine: a query in, rows out.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::TableFunction;
use datafusion::common::utils::datafusion_strsim::levenshtein;
use datafusion::error::DataFusionError;
use datafusion::execution::context::SQLOptions;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::StreamExt as _;
use stepscope_export::arrow::table_of;
use tokio::sync::watch;

use crate::library::Library;
use crate::scan::{Provider, Readers, Scan, TableOptions};
use crate::tables::{SqlColumn, SqlTable, tables};
use crate::views::{SqlView, VIEWS};

/// What a query may use.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Memory of sorts, joins and groups, in bytes. What is larger is refused.
    pub memory_bytes: usize,
    /// How long it may take.
    pub time: Option<Duration>,
    /// Processors that it uses.
    pub threads: usize,
}

/// Why a query has no answer: a sentence for people.
#[derive(Debug)]
pub struct QueryError {
    /// What is wrong.
    pub message: String,
    /// What to do; empty if nothing is known.
    pub hint: String,
}

impl std::fmt::Display for QueryError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for QueryError {}

/// Runs plans on other machines.
#[async_trait]
pub trait Runner: Send + Sync {
    /// How plans are made for it.
    fn configuration(&self) -> SessionConfig;
    /// Most readers of a table. Up to this number, each session has its own, and can be read elsewhere.
    fn most_readers(&self) -> usize;
    /// The hosts of a large session that one reader reads, where rows are of one host each.
    fn hosts_per_reader(&self) -> usize {
        8
    }
    /// Starts a plan that has a [`Scan`].
    async fn run(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream, DataFusionError>;
}

/// From an address to what runs plans there.
pub type Connect = dyn Fn(&str) -> Result<Arc<dyn Runner>, QueryError>;

/// Answers queries over the sessions of a library.
pub struct Engine {
    context: SessionContext,
    library: Arc<Library>,
    limits: Limits,
    tables: Vec<SqlTable>,
    names: Arc<[String]>,
    runner: Option<Arc<dyn Runner>>,
}

/// Rows as they come.
pub struct Rows {
    stream: SendableRecordBatchStream,
    deadline: Option<Deadline>,
    limits: Limits,
    names: Arc<[String]>,
}

impl Engine {
    /// An engine with all tables, views and functions. Plans that read sessions run where the runner
    /// runs them, or here without one.
    ///
    /// # Errors
    ///
    /// A view that the engine does not understand; tests run all of them.
    pub async fn new(
        library: Arc<Library>,
        limits: Limits,
        runner: Option<Arc<dyn Runner>>,
    ) -> Result<Self, QueryError> {
        let no_disk = DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled);
        let environment = RuntimeEnvBuilder::new()
            .with_memory_pool(Arc::new(FairSpillPool::new(limits.memory_bytes)))
            .with_disk_manager_builder(no_disk)
            .build_arc();
        let configuration = match &runner {
            None => SessionConfig::new().with_target_partitions(limits.threads),
            Some(runner) => runner.configuration().with_extension(Arc::new(Readers {
                most: runner.most_readers(),
                hosts: runner.hosts_per_reader(),
            })),
        };
        let configuration = configuration.with_information_schema(true);
        let environment = environment.map_err(|error| told(&error, &[]))?;
        let context = SessionContext::new_with_config_rt(configuration, environment);
        let tables = tables();
        let names = tables.iter().map(|table| table.name.clone());
        let views = VIEWS.iter().map(|view| view.name.to_owned());
        let engine = Self {
            context,
            library,
            limits,
            names: names.chain(views).collect(),
            tables,
            runner,
        };
        engine.fill().await.map_err(|error| told(&error, &[]))?;
        Ok(engine)
    }

    async fn fill(&self) -> Result<(), DataFusionError> {
        for table in &self.tables {
            let name = table.name.clone();
            let provider = Provider::new(table.clone(), Arc::clone(&self.library));
            let options = Arc::new(TableOptions(provider.clone()));
            let function = TableFunction::new(name.clone(), options);
            self.context
                .register_udtf(function.name(), Arc::clone(function.function()));
            self.context
                .register_table(name.as_str(), Arc::new(provider))?;
        }
        for function in crate::functions::scalars() {
            self.context.register_udf(function);
        }
        for function in crate::functions::aggregates() {
            self.context.register_udaf(function);
        }
        for SqlView { name, query, .. } in VIEWS {
            self.context
                .sql(&format!("create view {name} as {query}"))
                .await?;
        }
        Ok(())
    }

    /// The sessions that it asks.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// Whether plans that read sessions run on other machines.
    pub fn runs_elsewhere(&self) -> bool {
        self.runner.is_some()
    }

    /// Its tables, by name.
    pub fn tables(&self) -> &[SqlTable] {
        &self.tables
    }

    /// The columns of a view, with the meanings of the columns that it takes from a table.
    ///
    /// # Errors
    ///
    /// A view that the engine does not understand; tests run all of them.
    pub async fn columns_of(&self, view: &SqlView) -> Result<Vec<SqlColumn>, QueryError> {
        let planned = self.context.table(view.name).await;
        let planned = planned.map_err(|error| told(&error, &self.names))?;
        let schema = Arc::new(planned.schema().as_arrow().clone());
        let empty = table_of(&schema, &[], 0).map_err(|error| told(&error.into(), &[]))?;
        let source = view
            .query
            .split_whitespace()
            .skip_while(|word| *word != "from")
            .nth(1);
        let source = self
            .tables
            .iter()
            .find(|table| Some(table.name.as_str()) == source);
        let known: Vec<SqlColumn> = source
            .into_iter()
            .flat_map(SqlTable::every_column)
            .collect();
        let meaning = |key: &str| known.iter().find(|one| one.column.key == key);
        let columns = empty.columns.into_iter().map(|column| SqlColumn {
            meaning: meaning(column.key)
                .map(|one| one.meaning.clone())
                .unwrap_or_default(),
            column,
        });
        Ok(columns.collect())
    }

    /// Starts a query. It only reads: statements that change or write anything are refused.
    ///
    /// # Errors
    ///
    /// What is wrong with the query.
    pub async fn query(&self, text: &str) -> Result<Rows, QueryError> {
        let deadline = self.limits.time.map(Deadline::after);
        let only_reading = SQLOptions::new()
            .with_allow_ddl(false)
            .with_allow_dml(false)
            .with_allow_statements(false);
        let started = async {
            let frame = self.context.sql_with_options(text, only_reading).await?;
            let context = Arc::new(frame.task_ctx());
            let plan = frame.create_physical_plan().await?;
            match &self.runner {
                Some(runner) if Scan::is_in(&plan)? => runner.run(plan, context).await,
                _ => execute_stream(plan, context),
            }
        };
        let stream = started.await.map_err(|error| told(&error, &self.names))?;
        Ok(Rows {
            stream,
            deadline,
            limits: self.limits,
            names: Arc::clone(&self.names),
        })
    }
}

impl Rows {
    /// Names and types of the columns.
    pub fn schema(&self) -> SchemaRef {
        self.stream.schema()
    }

    /// The next rows; `None` at the end.
    ///
    /// # Errors
    ///
    /// What went wrong while computing them, or a limit that was reached.
    pub async fn next(&mut self) -> Result<Option<RecordBatch>, QueryError> {
        let next = self.stream.next();
        let batch = match &mut self.deadline {
            None => next.await,
            Some(deadline) => tokio::select! {
                biased;
                Ok(_) = deadline.passed.wait_for(|is_over| *is_over) => {
                    let seconds = self.limits.time.unwrap_or_default().as_secs_f64();
                    return Err(QueryError {
                        message: format!("the query took longer than {seconds} s"),
                        hint: "ask for fewer sessions or rows, or raise the limit".to_owned(),
                    });
                }
                batch = next => batch,
            },
        };
        batch.transpose().map_err(|error| told(&error, &self.names))
    }
}

/// A moment in time, told by a thread of its own: operators that compute without a pause leave no
/// thread of the runtime to look at its clock.
struct Deadline {
    passed: watch::Receiver<bool>,
    /// Ends the thread when the query has ended.
    _query: mpsc::Sender<()>,
}

impl Deadline {
    fn after(time: Duration) -> Self {
        let (query, ended) = mpsc::channel();
        let (pass, passed) = watch::channel(false);
        thread::spawn(move || {
            if ended.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                // Nobody waits for it if the query ended meanwhile.
                let _ = pass.send(true);
            }
        });
        Self {
            passed,
            _query: query,
        }
    }
}

/// An error as a sentence, with what to do about it.
fn told(error: &DataFusionError, tables: &[String]) -> QueryError {
    let message = match error.find_root() {
        DataFusionError::SQL(error, _) => format!("not understood: {error}"),
        DataFusionError::ResourcesExhausted(_) => {
            "the query needs more memory than it may use".to_owned()
        }
        DataFusionError::ArrowError(error, _) => error.to_string(),
        DataFusionError::Plan(text) | DataFusionError::Execution(text) => text.clone(),
        other => other.strip_backtrace(),
    };
    let message = message.trim_start_matches("External error: ");
    let message = message
        .trim_start_matches("Schema error: ")
        .replace("datafusion.public.", "");
    let is_about_tables = message.contains("not found") && message.contains("table");
    let hint = if is_about_tables && !tables.is_empty() {
        let asked = message.split('\'').nth(1).unwrap_or_default();
        closest(asked, tables)
    } else if matches!(error.find_root(), DataFusionError::ResourcesExhausted(_)) {
        "ask for fewer columns or rows, or raise the limit with --memory".to_owned()
    } else {
        String::new()
    };
    QueryError { message, hint }
}

/// The tables whose names are most like one that does not exist.
fn closest(asked: &str, tables: &[String]) -> String {
    let distance = |name: &String| levenshtein(asked, name);
    let is_like = |name: &&String| {
        let is_part = asked.len() > 2 && name.contains(asked);
        is_part || distance(name) <= (asked.len() / 3).max(1)
    };
    let mut alike: Vec<&String> = tables.iter().filter(is_like).collect();
    alike.sort_by_key(|name| distance(name));
    alike.truncate(3);
    let names: Vec<&str> = alike.into_iter().map(String::as_str).collect();
    if names.is_empty() {
        "`stepscope sql --tables` lists the tables".to_owned()
    } else {
        let names = names.join(" or ");
        format!("did you mean {names}? `stepscope sql --tables` lists all tables")
    }
}
