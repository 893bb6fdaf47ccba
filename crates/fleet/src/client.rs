//! Queries run on a fleet: plans go to its scheduler, rows come back.

use std::sync::Arc;

use async_trait::async_trait;
use ballista_core::config::BALLISTA_SCHEDULER_MAX_PARTITIONS_PER_TASK;
use ballista_core::execution_plans::execute_physical_plan;
use ballista_core::extension::SessionConfigExt as _;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::SessionConfig;
use datafusion_proto::protobuf::PhysicalPlanNode;
use stepscope_sql::Runner;

use crate::MOST_MESSAGE_BYTES;
use crate::address::Address;
use crate::codec::Codec;
use crate::scan::portable;

/// Tasks of stages after the first: groups, joins and sorts.
const PARTITIONS: usize = 8;

/// Tasks that read sessions, at most. Each reads one session, or several of more sessions than this.
pub(crate) const MOST_READERS: usize = 4096;

/// A scheduler and its executors.
#[derive(Debug)]
pub struct Fleet {
    address: Address,
}

impl Fleet {
    /// The fleet of a scheduler.
    pub fn at(address: Address) -> Self {
        Self { address }
    }
}

#[async_trait]
impl Runner for Fleet {
    fn configuration(&self) -> SessionConfig {
        SessionConfig::new_with_ballista()
            .with_target_partitions(PARTITIONS)
            .with_ballista_grpc_client_max_message_size(MOST_MESSAGE_BYTES as usize)
            // A task is one session: whoever is done early takes the next one.
            .set_usize(BALLISTA_SCHEDULER_MAX_PARTITIONS_PER_TASK, 1)
    }

    fn most_readers(&self) -> usize {
        MOST_READERS
    }

    async fn run(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        if plan.name() == "AnalyzeExec" {
            let reason = "`explain analyze` measures queries on this machine only";
            return Err(DataFusionError::Plan(reason.to_owned()));
        }
        let configuration = context.session_config().clone();
        let (ballista, codec) = (configuration.ballista_config(), Codec::default());
        let rows = execute_physical_plan::<PhysicalPlanNode>(
            self.address.url(),
            &ballista,
            portable(plan)?,
            &codec,
            context.session_id(),
            configuration,
        );
        rows.await.map_err(|error| self.told(error))
    }
}

impl Fleet {
    /// An error without what only developers of the protocol need.
    fn told(&self, error: DataFusionError) -> DataFusionError {
        let DataFusionError::Execution(text) = &error else {
            return error;
        };
        if text.contains("ConnectError") || text.contains("transport error") {
            let address = &self.address;
            return DataFusionError::Execution(format!("no scheduler answers at {address}"));
        }
        error
    }
}
