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
use datafusion::common::tree_node::{
    Transformed, TransformedResult as _, TreeNode as _, TreeNodeRecursion,
};
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
use stepscope_sql::{Place, Scan};

use crate::work::{Opener, Work};

/// The column of places.
const PLACE: &str = "place";

/// What is asked of sessions at places that its input names.
#[derive(Debug)]
pub struct SessionScan {
    work: Work,
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
        Some(scan) => Ok(Transformed::yes(Arc::new(SessionScan::of(scan)?))),
        None => Ok(Transformed::no(node)),
    });
    replaced.data()
}

impl SessionScan {
    /// Work on the sessions that `places` names, one partition per reader.
    pub(crate) fn new(
        work: Work,
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
            work,
            places,
            opener,
            properties: Arc::new(properties),
            metrics: ExecutionPlanMetricsSet::new(),
        }
    }

    /// Work on these sessions, those of each reader.
    ///
    /// # Errors
    ///
    /// As for [`Work::schema`].
    pub(crate) fn over(work: Work, readers: &[Vec<Place>]) -> Result<Self> {
        let schema = Arc::new(Schema::new(vec![Field::new(PLACE, DataType::Utf8, false)]));
        let part = |places: &Vec<Place>| -> Result<Vec<RecordBatch>> {
            let texts = places
                .iter()
                .map(|place| serde_json::to_string(place).map(Some));
            let texts = texts.collect::<Result<StringArray, _>>();
            let texts = texts.map_err(|error| DataFusionError::External(Box::new(error)))?;
            let batch = RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(texts)])?;
            Ok(vec![batch])
        };
        let parts = readers.iter().map(part).collect::<Result<Vec<_>>>()?;
        let places = MemorySourceConfig::try_new_exec(&parts, Arc::clone(&schema), None)?;
        let schema = work.schema()?;
        Ok(Self::new(work, schema, places, None))
    }

    fn of(scan: &Scan) -> Result<Self> {
        Self::over(Work::Rows(scan.question()), &scan.places()?)
    }

    /// What it asks of every session.
    pub(crate) fn work(&self) -> &Work {
        &self.work
    }

    fn with_places(
        &self,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let (Some(places), true) = (children.pop(), children.is_empty()) else {
            return Err(DataFusionError::Internal("a scan has one input".to_owned()));
        };
        let (work, opener) = (self.work.clone(), self.opener.clone());
        Ok(Arc::new(Self::new(work, self.schema(), places, opener)))
    }
}

/// The places in rows.
fn read(batches: &[RecordBatch]) -> Result<Vec<Place>> {
    let texts = batches.iter().flat_map(|batch| {
        let column = batch.columns().first();
        let texts = column.and_then(|column| column.as_string_opt::<i32>());
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
        match &self.work {
            Work::Rows(question) => {
                let (table, columns) = (&question.table, question.columns.join(", "));
                write!(formatter, "SessionScan: table={table}, columns=[{columns}]")
            }
            Work::RollUps => formatter.write_str("SessionScan: roll-ups"),
            Work::Surveys => formatter.write_str("SessionScan: surveys"),
        }
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
        self.with_places(children)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.with_places(children)
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
        let work = self.work.clone();
        let rows = MetricBuilder::new(&self.metrics).output_rows(partition);
        let opening = async move {
            let places = read(&places.try_collect::<Vec<_>>().await?)?;
            let started =
                tokio::task::spawn_blocking(move || work.start(&opener, &places, context));
            let started = started.await;
            started.map_err(|error| DataFusionError::External(Box::new(error)))?
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
