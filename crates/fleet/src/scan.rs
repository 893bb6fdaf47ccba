//! The leaf of a plan as it travels: what is asked of sessions, over the places of these.
//!
//! The places are rows of a leaf below, one partition per reader. Ballista cuts such a leaf to the
//! partitions of a task, so a task names only its own sessions; a leaf of ours it would send whole,
//! and run whole in every task.

use std::fmt;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::tree_node::{Transformed, TransformedResult as _, TreeNode as _};
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{
    Boundedness, EmissionType, ReplaceChildrenOptions,
};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricBuilder, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
};
use futures::{StreamExt as _, TryStreamExt as _};
use stepscope_catalog::Catalog;
use stepscope_sql::{Library, Place, Question, Scan, Source};

use crate::allowed::Allowed;

/// The column of places.
const PLACE: &str = "place";

/// Opens sessions for tasks.
#[derive(Debug)]
pub struct Opener {
    /// What may be opened.
    pub allowed: Allowed,
    /// What is known of sessions without opening them.
    pub catalog: Arc<Catalog>,
}

impl Opener {
    fn library(&self, places: &[Place]) -> Result<Library> {
        let library = Library::at(places, &|path| self.allowed.check(path));
        let library = library.map_err(DataFusionError::Execution)?;
        Ok(library.with_catalog(Arc::clone(&self.catalog)))
    }
}

/// Rows of a table from sessions at places that its input names.
#[derive(Debug)]
pub struct SessionScan {
    question: Question,
    places: Arc<dyn ExecutionPlan>,
    /// None where plans are only passed on.
    opener: Option<Arc<Opener>>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

/// A plan that other machines can run: its scans name the places of their sessions.
///
/// # Errors
///
/// A session whose place must not be in a plan, such as a URL with a password.
pub fn portable(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let replaced = plan.transform_up(|node| match node.downcast_ref::<Scan>() {
        Some(scan) => Ok(Transformed::yes(SessionScan::of(scan)?)),
        None => Ok(Transformed::no(node)),
    });
    replaced.data()
}

impl SessionScan {
    /// A scan of sessions that `places` names.
    pub(crate) fn new(
        question: Question,
        schema: SchemaRef,
        places: Arc<dyn ExecutionPlan>,
        opener: Option<Arc<Opener>>,
    ) -> Self {
        let readers = places.properties().output_partitioning().partition_count();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(readers),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Self {
            question,
            places,
            opener,
            properties: Arc::new(properties),
            metrics: ExecutionPlanMetricsSet::new(),
        }
    }

    fn of(scan: &Scan) -> Result<Arc<dyn ExecutionPlan>> {
        let schema = Arc::new(Schema::new(vec![Field::new(PLACE, DataType::Utf8, false)]));
        let part = |sources: Vec<&Source>| -> Result<Vec<RecordBatch>> {
            let texts = sources
                .into_iter()
                .map(written)
                .collect::<Result<StringArray>>()?;
            Ok(vec![RecordBatch::try_new(
                Arc::clone(&schema),
                vec![Arc::new(texts)],
            )?])
        };
        let parts = scan.sessions().map(part).collect::<Result<Vec<_>>>()?;
        let places = MemorySourceConfig::try_new_exec(&parts, Arc::clone(&schema), None)?;
        Ok(Arc::new(Self::new(
            scan.question(),
            scan.schema(),
            places,
            None,
        )))
    }

    /// What it asks every session.
    pub(crate) fn question(&self) -> &Question {
        &self.question
    }

    fn over(&self, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let (Some(places), true) = (children.pop(), children.is_empty()) else {
            return Err(DataFusionError::Internal("a scan has one input".to_owned()));
        };
        let (question, opener) = (self.question.clone(), self.opener.clone());
        Ok(Arc::new(Self::new(question, self.schema(), places, opener)))
    }
}

/// A place as text, or why no plan may contain it.
fn written(source: &Source) -> Result<Option<String>> {
    let place = source.place().map_err(DataFusionError::Plan)?;
    let text = serde_json::to_string(&place);
    Ok(Some(text.map_err(|error| {
        DataFusionError::External(Box::new(error))
    })?))
}

/// The places in rows.
fn read(batches: &[RecordBatch]) -> Result<Vec<Place>> {
    let texts = batches.iter().flat_map(|batch| {
        let texts = batch
            .columns()
            .first()
            .and_then(|texts| texts.as_string_opt::<i32>());
        texts.into_iter().flat_map(|texts| texts.iter().flatten())
    });
    let place = |text: &str| {
        let place = serde_json::from_str(text);
        place.map_err(|error| DataFusionError::Execution(format!("not a place: {error}")))
    };
    texts.map(place).collect()
}

impl DisplayAs for SessionScan {
    fn fmt_as(&self, _: DisplayFormatType, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Question { table, columns, .. } = &self.question;
        write!(
            formatter,
            "SessionScan: table={table}, columns=[{}]",
            columns.join(", ")
        )
    }
}

impl ExecutionPlan for SessionScan {
    fn name(&self) -> &'static str {
        "SessionScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.places]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.over(children)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.over(children)
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let opener = self.opener.clone();
        let opener = opener.ok_or_else(|| {
            DataFusionError::Internal("sessions are read by executors".to_owned())
        })?;
        let places = self.places.execute(partition, Arc::clone(&context))?;
        let question = self.question.clone();
        let rows = MetricBuilder::new(&self.metrics).output_rows(partition);
        let opening = async move {
            let places = read(&places.try_collect::<Vec<_>>().await?)?;
            // Finding files waits for disks and networks.
            let found = tokio::task::spawn_blocking(move || {
                question.scan(Arc::new(opener.library(&places)?))
            });
            let scan = found
                .await
                .map_err(|error| DataFusionError::External(Box::new(error)))??;
            scan.execute(0, context)
        };
        let stream = futures::stream::once(opening).try_flatten();
        let counted = stream.inspect(move |batch| {
            if let Ok(batch) = batch {
                rows.add(batch.num_rows());
            }
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            self.schema(),
            counted,
        )))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}
