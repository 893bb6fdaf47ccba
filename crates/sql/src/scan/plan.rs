//! The leaf of a plan: readers that open sessions and pass their rows on.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, StringArray, StringViewArray};
use arrow_schema::{ArrowError, SchemaRef};
use datafusion::common::tree_node::{TreeNode as _, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{
    Boundedness, EmissionType, ReplaceChildrenOptions,
};
use datafusion::physical_plan::metrics::{
    Count, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet,
};
use datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
};
use stepscope_export::arrow::TextType;

use super::ahead::Ahead;
use super::kept::{Kept, kept};
use crate::asking::{Ask, Filter, external};
use crate::library::{Library, OpenedPart};
use crate::tables::{Opened, SESSION, SqlTable};

/// Batches that wait for whoever computes with them.
const BATCHES_AHEAD: usize = 2;

/// What one reader reads, one session after another.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// Positions in the library.
    pub(super) sessions: Vec<usize>,
    /// The hosts of these that it reads; all if none are given.
    pub(super) hosts: Option<PartOfHosts>,
    /// Which one of how many readers of these it is.
    pub(super) share: (usize, usize),
}

/// Hosts of a session, by the positions of their files.
#[derive(Debug, Clone)]
pub(super) struct PartOfHosts {
    pub(super) own: Range<usize>,
    /// All ranges of the session, also those that filters leave out.
    pub(super) all: Arc<[Range<usize>]>,
}

impl Default for Part {
    fn default() -> Self {
        Self {
            sessions: Vec::new(),
            hosts: None,
            share: (0, 1),
        }
    }
}

/// Rows of a table, from several readers.
#[derive(Debug)]
pub struct Scan {
    pub(super) table: SqlTable,
    pub(super) library: Arc<Library>,
    pub(super) schema: SchemaRef,
    pub(super) ask: Ask,
    pub(super) parts: Vec<Part>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl Scan {
    /// A scan of some columns of a table, `session` being the first one.
    pub(super) fn new(
        table: SqlTable,
        library: Arc<Library>,
        columns: &[usize],
        filters: Vec<Filter>,
        parts: Vec<Part>,
    ) -> Result<Self> {
        let schema = Arc::new(table.schema().project(columns)?);
        let own = columns.iter().filter_map(|&column| column.checked_sub(1));
        let ask = Ask {
            columns: own.map(|column| table.columns[column].column).collect(),
            filters: Arc::new(filters),
            share: (0, 1),
        };
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            Partitioning::UnknownPartitioning(parts.len()),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Ok(Self {
            table,
            library,
            schema,
            ask,
            parts,
            properties: Arc::new(properties),
            metrics: ExecutionPlanMetricsSet::new(),
        })
    }

    /// Whether a plan reads sessions.
    pub(crate) fn is_in(plan: &Arc<dyn ExecutionPlan>) -> Result<bool> {
        plan.exists(|node| Ok(node.is::<Self>()))
    }
}

impl DisplayAs for Scan {
    fn fmt_as(&self, _: DisplayFormatType, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sessions = self.parts.iter().flat_map(|part| &part.sessions);
        let sessions = sessions.collect::<BTreeSet<_>>().len();
        let columns: Vec<&str> = self.ask.columns.iter().map(|column| column.key).collect();
        write!(
            formatter,
            "Scan: table={}, sessions={sessions}, readers={}, columns=[{}]",
            self.table.name,
            self.parts.len(),
            columns.join(", ")
        )
    }
}

impl ExecutionPlan for Scan {
    fn name(&self) -> &'static str {
        "Scan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn with_new_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(&self, partition: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let part = self.parts.get(partition).cloned().unwrap_or_default();
        let reader = Reader {
            table: self.table.clone(),
            library: Arc::clone(&self.library),
            schema: Arc::clone(&self.schema),
            ask: Ask {
                share: part.share,
                ..self.ask.clone()
            },
            rows: MetricBuilder::new(&self.metrics).output_rows(partition),
            opened: MetricBuilder::new(&self.metrics).counter("sessions_read", partition),
            slices: MetricBuilder::new(&self.metrics).counter("slices_read", partition),
        };
        let mut builder =
            RecordBatchReceiverStreamBuilder::new(Arc::clone(&self.schema), BATCHES_AHEAD);
        let sender = builder.tx();
        builder.spawn_blocking(move || {
            let mut ahead = Ahead::default();
            for (position, &session) in part.sessions.iter().enumerate() {
                reader.bring(ahead.after(&part.sessions[position..]));
                let mut is_wanted = true;
                reader.session(session, &mut |batch| {
                    reader.rows.add(batch.num_rows());
                    is_wanted = sender.blocking_send(Ok(batch)).is_ok();
                    is_wanted
                })?;
                if !is_wanted {
                    break;
                }
            }
            Ok(())
        });
        Ok(builder.build())
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}

/// Reads sessions for one partition.
struct Reader {
    table: SqlTable,
    library: Arc<Library>,
    schema: SchemaRef,
    ask: Ask,
    rows: Count,
    opened: Count,
    slices: Count,
}

impl Reader {
    /// Fetches what these sessions need from far away.
    fn bring(&self, sessions: &[usize]) {
        let rows = &self.table.rows;
        if rows.is_of_roll_ups() && !rows.is_of_files(&self.ask.columns) {
            self.library.bring_roll_ups(sessions);
        }
    }

    fn session(&self, position: usize, give: &mut dyn FnMut(RecordBatch) -> bool) -> Result<()> {
        let Some(source) = self.library.sources().get(position) else {
            return Ok(());
        };
        let mut failed = None;
        let mut send = |batch: RecordBatch| match self.named(&source.name, &batch) {
            Ok(batch) => give(batch),
            Err(error) => {
                failed = Some(error);
                false
            }
        };
        let rows = &self.table.rows;
        let read = if rows.is_of_files(&self.ask.columns) {
            rows.read_files(source, &self.ask, &mut send)
        } else if rows
            .read_indexed(&self.library, source, &self.ask, &mut send)
            .map_err(external)?
        {
            Ok(())
        } else {
            let kept = kept(&self.table, &self.ask, &source.files).map_err(external)?;
            let part = match kept {
                Kept::Nothing => return Ok(()),
                Kept::Hosts(hosts) => OpenedPart::Hosts(hosts),
                Kept::All if rows.is_of_hlo() => OpenedPart::Hosts(Vec::new()),
                Kept::All => OpenedPart::Reads(rows.reads()),
            };
            let Some(session) = self.library.open(position, &part)? else {
                return Ok(());
            };
            self.opened.add(1);
            let opened = Opened {
                library: &self.library,
                source,
                session,
                count_slices: &|count| {
                    self.slices.add(count);
                    self.library.count_slices(count);
                },
            };
            rows.read(&opened, &self.ask, &mut send)
        };
        read.map_err(external)?;
        failed.map_or(Ok(()), |error| Err(external(error)))
    }

    /// The rows with the name of their session where it was asked for.
    fn named(&self, name: &str, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let rows = batch.num_rows();
        let mut own = batch.columns().iter();
        let column = |field: &Arc<arrow_schema::Field>| -> Option<ArrayRef> {
            if field.name() != SESSION.key {
                return own.next().cloned();
            }
            let names = std::iter::repeat_n(name, rows);
            Some(match self.table.text {
                TextType::Plain => Arc::new(StringArray::from_iter_values(names)),
                TextType::View => Arc::new(StringViewArray::from_iter_values(names)),
            })
        };
        let columns: Vec<ArrayRef> = self.schema.fields().iter().filter_map(column).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)
    }
}
