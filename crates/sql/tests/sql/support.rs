//! An engine over files, and its answers.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use stepscope_analysis::{Cell, Table};
use stepscope_catalog::Catalog;
use stepscope_export::arrow::table_of;
use stepscope_sql::{Engine, Library, Limits, Runner};

/// The folder of our own captures.
pub(crate) fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// Asks sessions below some paths.
pub(crate) struct Asked {
    pub(crate) engine: Engine,
    runtime: tokio::runtime::Runtime,
}

impl Asked {
    pub(crate) fn of(paths: &[PathBuf]) -> Self {
        Self::within(paths, 256 << 20)
    }

    pub(crate) fn within(paths: &[PathBuf], memory_bytes: usize) -> Self {
        let library = Library::find(paths, |_, _| true).expect("sessions");
        Self::new(library, memory_bytes)
    }

    pub(crate) fn with_catalog(paths: &[PathBuf], catalog: Catalog) -> Self {
        let library = Library::find(paths, |_, _| true).expect("sessions");
        Self::new(library.with_catalog(catalog), 256 << 20)
    }

    /// The same, of plans that run elsewhere.
    pub(crate) fn elsewhere(path: &Path, runner: Arc<dyn Runner>) -> Self {
        let library = Library::find(&[path.to_path_buf()], |_, _| true).expect("sessions");
        Self::with_runner(library, 256 << 20, Some(runner))
    }

    fn new(library: Library, memory_bytes: usize) -> Self {
        Self::with_runner(library, memory_bytes, None)
    }

    fn with_runner(library: Library, memory_bytes: usize, runner: Option<Arc<dyn Runner>>) -> Self {
        let limits = Limits {
            memory_bytes,
            time: None,
            threads: 2,
        };
        let runtime = tokio::runtime::Runtime::new().expect("threads");
        let engine = runtime.block_on(Engine::new(Arc::new(library), limits, runner));
        Self {
            engine: engine.expect("an engine"),
            runtime,
        }
    }

    /// The rows of a query.
    pub(crate) fn table(&self, query: &str) -> Table {
        self.try_table(query)
            .unwrap_or_else(|error| panic!("{query}: {error}"))
    }

    pub(crate) fn try_table(&self, query: &str) -> Result<Table, String> {
        self.runtime.block_on(async {
            let asked = self.engine.query(query).await;
            let mut rows = asked.map_err(|error| format!("{} {}", error.message, error.hint))?;
            let (schema, mut batches) = (rows.schema(), Vec::new());
            while let Some(batch) = rows.next().await.map_err(|error| error.message)? {
                batches.push(batch);
            }
            let count = batches.iter().map(RecordBatch::num_rows).sum();
            Ok(table_of(&schema, &batches, count).expect("cells"))
        })
    }

    /// The only cell of a query.
    pub(crate) fn cell(&self, query: &str) -> Cell {
        let table = self.table(query);
        assert_eq!((table.rows.len(), table.columns.len()), (1, 1), "{query}");
        table.rows[0][0].clone()
    }
}
