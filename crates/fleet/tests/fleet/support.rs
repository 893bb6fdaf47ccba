//! An engine over files, whose plans may travel as bytes before they run.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use arrow_array::RecordBatch;
use async_trait::async_trait;
use ballista_core::extension::SessionConfigExt as _;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use datafusion::prelude::SessionConfig;
use datafusion_proto::physical_plan::AsExecutionPlan as _;
use datafusion_proto::protobuf::PhysicalPlanNode;
use stepscope_catalog::Catalog;
use stepscope_export::arrow::table_of;
use stepscope_fleet::{Allowed, Codec, Opener, portable};
use stepscope_sql::{Engine, Library, Limits, Runner};

/// The folder of our own captures.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// Questions of every kind, over several sessions: options, filters, functions, groups, joins, windows.
pub(crate) const QUERIES: &[&str] = &[
    "select session, device, name, self_ps from ops('per=device', 'steps=1..1')",
    "select name from ops('match=dot') where self_ps > 1000 and name like '%dot%'",
    "select count(*), sum(duration_ps) from slices where ms(duration_ps) > 0.1 and class = 'compute'",
    "select session, name, start_ps from slices where start_ps between 0 and 20000000000",
    "select session, device, union_ps(start_ps, duration_ps) from slices where role = 'ops' \
     group by session, device",
    "select scope_prefix(scope, 1), sum(self_ps) from slices group by 1",
    "select session, step_ps from sessions where session like '%s%' order by step_ps limit 2",
    "select a.session, a.name, b.self_ps from ops a join ops b on a.name = b.name and \
     a.session < b.session",
    "select name from slices where duration_ps > (select avg(duration_ps) from slices)",
    "select session, rank() over (partition by session order by self_ps desc, name), name from ops",
    "select count(*) from slices where session = 'nobody'",
    "select 1 + 1",
];

/// Runs plans in this process, after they were bytes.
#[derive(Debug)]
pub(crate) struct Travelled {
    opener: Arc<Opener>,
    /// The bytes of the last plan.
    pub(crate) bytes: Mutex<Vec<u8>>,
}

impl Travelled {
    pub(crate) fn allowing(roots: &[PathBuf]) -> Arc<Self> {
        let opener = Opener {
            allowed: Allowed::below(roots).expect("roots"),
            catalog: Arc::new(Catalog::at(Path::new("/nowhere"))),
        };
        Arc::new(Self {
            opener: Arc::new(opener),
            bytes: Mutex::default(),
        })
    }
}

#[async_trait]
impl Runner for Travelled {
    fn configuration(&self) -> SessionConfig {
        SessionConfig::new_with_ballista().with_target_partitions(2)
    }

    fn most_readers(&self) -> usize {
        64
    }

    async fn run(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let mut bytes = Vec::new();
        let message = PhysicalPlanNode::try_from_physical_plan(portable(plan)?, &Codec::default())?;
        message.try_encode(&mut bytes)?;
        // As a scheduler does, then as an executor does.
        let passed_on = PhysicalPlanNode::try_decode(&bytes)?;
        let passed_on = passed_on.try_into_physical_plan(&context, &Codec::default())?;
        let message = PhysicalPlanNode::try_from_physical_plan(passed_on, &Codec::default())?;
        let codec = Codec::opening(Arc::clone(&self.opener));
        let plan = message.try_into_physical_plan(&context, &codec)?;
        *self.bytes.lock().expect("bytes") = bytes;
        execute_stream(plan, context)
    }
}

/// Asks sessions below a path.
pub(crate) struct Asked {
    engine: Engine,
    runtime: tokio::runtime::Runtime,
}

impl Asked {
    pub(crate) fn new(path: &Path, runner: Option<Arc<dyn Runner>>) -> Self {
        let library = Library::find(&[path.to_path_buf()], |_, _| true).expect("sessions");
        let limits = Limits {
            memory_bytes: 256 << 20,
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

    pub(crate) fn sessions(&self) -> usize {
        self.engine.library().sources().len()
    }

    /// What was said besides the rows since the last call.
    pub(crate) fn remarks(&self) -> Vec<String> {
        self.engine.library().take_remarks()
    }

    /// The rows of a query as text, sorted.
    pub(crate) fn rows(&self, query: &str) -> Vec<String> {
        let rows = self.try_rows(query);
        rows.unwrap_or_else(|error| panic!("{query}: {error}"))
    }

    pub(crate) fn try_rows(&self, query: &str) -> std::result::Result<Vec<String>, String> {
        self.runtime.block_on(async {
            let asked = self.engine.query(query).await;
            let mut rows = asked.map_err(|error| error.message)?;
            let (schema, mut batches) = (rows.schema(), Vec::new());
            while let Some(batch) = rows.next().await.map_err(|error| error.message)? {
                batches.push(batch);
            }
            let count = batches.iter().map(RecordBatch::num_rows).sum();
            let table = table_of(&schema, &batches, count).expect("cells");
            let mut rows: Vec<String> = table.rows.iter().map(|row| format!("{row:?}")).collect();
            rows.sort();
            Ok(rows)
        })
    }
}
