//! A table as the engine sees it.

use std::sync::Arc;

use arrow_array::{Array as _, BooleanArray, RecordBatch, StringArray, StringViewArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::scalar::ScalarValue;
use stepscope_export::arrow::TextType;

use super::elsewhere::{Readable, Readers, is_divisible};
use super::kept::kept_files;
use super::plan::{Part, Scan};
use crate::asking::{Ask, Filter, external};
use crate::library::Library;
use crate::tables::{SESSION, SqlTable};

/// A table over all sessions of a library.
#[derive(Debug, Clone)]
pub(crate) struct Provider {
    table: SqlTable,
    library: Arc<Library>,
    schema: SchemaRef,
}

impl Provider {
    pub(crate) fn new(table: SqlTable, library: Arc<Library>) -> Self {
        let schema = table.schema();
        Self {
            table,
            library,
            schema,
        }
    }

    /// The sessions that filters on their names keep, by position.
    fn sessions(&self, filters: &[Filter]) -> Result<Vec<usize>> {
        let sources = self.library.sources();
        let names = sources.iter().map(|source| Some(source.name.as_str()));
        let (kind, names): (DataType, arrow_array::ArrayRef) = match self.table.text {
            TextType::Plain => (DataType::Utf8, Arc::new(names.collect::<StringArray>())),
            TextType::View => (
                DataType::Utf8View,
                Arc::new(names.collect::<StringViewArray>()),
            ),
        };
        let schema = Schema::new(vec![Field::new(SESSION.key, kind, true)]);
        let rows = RecordBatch::try_new(Arc::new(schema), vec![names])?;
        let mut kept = vec![true; sources.len()];
        for filter in filters
            .iter()
            .filter(|filter| filter.needs_only(&[SESSION.key]))
        {
            let own = filter.evaluate(&rows).map_err(external)?;
            let Some(own) = own.as_any().downcast_ref::<BooleanArray>() else {
                continue;
            };
            for (kept, own) in kept.iter_mut().zip(own.iter()) {
                *kept &= own == Some(true);
            }
        }
        Ok((0..kept.len()).filter(|&position| kept[position]).collect())
    }

    /// A session for readers on other machines, which may divide it.
    fn readable(
        &self,
        position: usize,
        filters: &[Filter],
        is_divisible: bool,
    ) -> Result<Readable> {
        let files = &self.library.sources()[position].files;
        let ask = Ask {
            columns: Vec::new(),
            filters: Arc::new(filters.to_vec()),
            share: (0, 1),
        };
        let kept = is_divisible.then(|| kept_files(&self.table, &ask, files));
        Ok(Readable {
            position,
            host_count: files.hosts.len(),
            kept: kept.transpose().map_err(external)?.flatten(),
        })
    }

    /// Who reads which sessions: at most as many readers as there are processors, so that no more
    /// sessions are open at a time.
    fn parts(&self, sessions: Vec<usize>, readers: usize) -> Vec<Part> {
        let count = sessions.len();
        if count == 0 {
            return vec![Part::default()];
        }
        if self.table.rows.is_divisible() && count < readers {
            let shares = readers / count;
            let each = |session: usize| {
                (0..shares).map(move |share| Part {
                    sessions: vec![session],
                    share: (share, shares),
                    hosts: None,
                })
            };
            return sessions.into_iter().flat_map(each).collect();
        }
        let mut parts = vec![Part::default(); readers.clamp(1, count)];
        let readers = parts.len();
        for (position, session) in sessions.into_iter().enumerate() {
            parts[position % readers].sessions.push(session);
        }
        parts
    }
}

#[async_trait]
impl TableProvider for Provider {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        let early = self.table.rows.filtered_early();
        let support = filters.iter().map(|expression| {
            let filter = Filter::of(expression);
            let is_early = |columns: &&[&str]| filter.needs_only(columns);
            if !filter.is_alone() {
                TableProviderFilterPushDown::Unsupported
            } else if filter.needs_only(&[SESSION.key]) || early.iter().any(is_early) {
                TableProviderFilterPushDown::Exact
            } else {
                TableProviderFilterPushDown::Inexact
            }
        });
        Ok(support.collect())
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        _limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let filters: Vec<Filter> = filters.iter().map(Filter::of).collect();
        let sessions = self.sessions(&filters)?;
        let all: Vec<usize> = (0..self.schema.fields().len()).collect();
        let projection = projection.unwrap_or(&all);
        let parts = match state.config().get_extension::<Readers>() {
            Some(readers) => {
                let fields = projection.iter().map(|&column| self.schema.field(column));
                let columns: Vec<&str> = fields.map(|field| field.name().as_str()).collect();
                let is_divisible = is_divisible(&self.table, &columns, &filters);
                let sessions = sessions.into_iter();
                let sessions = sessions.map(|one| self.readable(one, &filters, is_divisible));
                readers.parts(&sessions.collect::<Result<Vec<_>>>()?, is_divisible)
            }
            None => self.parts(sessions, state.config().target_partitions().max(1)),
        };
        let (table, library) = (self.table.clone(), Arc::clone(&self.library));
        let scan = Scan::new(table, library, projection, filters, parts)?;
        Ok(Arc::new(scan))
    }
}

/// The function of a table's name: the same table with options of its analysis.
#[derive(Debug)]
pub(crate) struct TableOptions(pub(crate) Provider);

impl TableFunctionImpl for TableOptions {
    fn call_with_args(
        &self,
        arguments: TableFunctionArgs<'_, '_>,
    ) -> Result<Arc<dyn TableProvider>> {
        let Provider { table, library, .. } = &self.0;
        let text = |expression: &Expr| match expression {
            Expr::Literal(ScalarValue::Utf8(Some(text)), _) => Ok(text.clone()),
            other => {
                let name = &table.name;
                Err(DataFusionError::Plan(format!(
                    "{name}({other}): options are texts as on the command line, such as \
                     {name}('steps=3..8')"
                )))
            }
        };
        let options: Vec<String> = arguments.exprs().iter().map(text).collect::<Result<_>>()?;
        let table = table
            .with_options(&options)
            .map_err(DataFusionError::Plan)?;
        Ok(Arc::new(Provider::new(table, Arc::clone(library))))
    }
}
