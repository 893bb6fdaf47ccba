//! A query on a scheduler: submitted, waited for, fetched; cancelled when nobody waits for it any more.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use ballista_core::client::BallistaClient;
use ballista_core::config::BallistaConfig;
use ballista_core::error::BallistaError;
use ballista_core::extension::SessionConfigExt as _;
use ballista_core::serde::protobuf::execute_query_params::Query;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::protobuf::{
    CancelJobParams, ExecuteQueryParams, GetJobStatusParams, KeyValuePair, PartitionLocation,
    execute_query_result, job_status,
};
use ballista_core::utils::{GrpcClientConfig, create_grpc_client_endpoint};
use ballista_core::version::insert_version_header;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::SessionConfig;
use datafusion_proto::physical_plan::AsExecutionPlan as _;
use datafusion_proto::protobuf::PhysicalPlanNode;
use tokio::runtime::Builder;
use tokio::time::{sleep, timeout};
use tonic::Request;
use tonic::transport::Channel;

use crate::address::{Address, MOST_MESSAGE_BYTES};
use crate::codec::Codec;

type Scheduler = SchedulerGrpcClient<Channel>;

/// How often the scheduler is asked whether the rows are there: soon at first, then less often.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// How long whoever leaves waits for the scheduler to hear of it.
const PARTING: Duration = Duration::from_secs(2);

/// A job that the scheduler has taken. It is cancelled if this is dropped before the job has ended.
struct Job {
    address: Address,
    id: String,
    has_ended: bool,
}

/// Runs a plan, and gives where its rows are when all of them are there.
///
/// # Errors
///
/// No scheduler answers, or what failed there.
pub(crate) async fn run(
    address: &Address,
    plan: Arc<dyn ExecutionPlan>,
    context: &TaskContext,
) -> Result<Vec<PartitionLocation>> {
    let mut scheduler = connect(address, context.session_config()).await?;
    let mut job = Job {
        address: address.clone(),
        id: submit(&mut scheduler, plan, context).await?,
        has_ended: false,
    };
    let mut pause = FIRST_PAUSE;
    loop {
        let asked = GetJobStatusParams {
            job_id: job.id.clone(),
        };
        let answer = scheduler.get_job_status(asked).await.map_err(failed)?;
        let status = answer.into_inner().status.and_then(|status| status.status);
        match status {
            Some(job_status::Status::Successful(done)) => {
                job.has_ended = true;
                return Ok(done.partition_location);
            }
            Some(job_status::Status::Failed(failure)) => {
                job.has_ended = true;
                let text = format!("Job {} failed: {}", job.id, failure.error);
                return Err(DataFusionError::Execution(text));
            }
            Some(job_status::Status::Queued(_) | job_status::Status::Running(_)) | None => {}
        }
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// The rows of a part of the answer. The scheduler passes them on, so that clients need to reach
/// nothing else.
///
/// # Errors
///
/// The executor that kept them is gone.
pub(crate) async fn fetch(
    address: Address,
    location: PartitionLocation,
    configuration: BallistaConfig,
) -> Result<SendableRecordBatchStream> {
    let layout = location.layout();
    let (Some(executor), Some(rows)) = (location.executor_meta, location.partition_id) else {
        let reason = "the scheduler does not say where rows are: all machines need one release";
        return Err(DataFusionError::Execution(reason.to_owned()));
    };
    let most_bytes = MOST_MESSAGE_BYTES as usize;
    let settings = GrpcClientConfig::from(&configuration);
    let (tries, pause) = (settings.io_retries_times, settings.io_retry_wait_time_ms);
    let client = BallistaClient::try_new(
        &address.host,
        address.port,
        most_bytes,
        false,
        None,
        tries,
        pause,
        0,
        0,
    );
    let mut client = client.await.map_err(BallistaError::into_datafusion)?;
    let port = u16::try_from(executor.port).map_err(|_| {
        DataFusionError::Execution(format!("an executor has the port {}", executor.port))
    })?;
    let rows_id = rows.into();
    let fetched = client.fetch_partition_proxied(
        &executor.id,
        &rows_id,
        location.file_id,
        layout,
        &executor.host,
        port,
        true,
    );
    fetched.await.map_err(BallistaError::into_datafusion)
}

async fn connect(address: &Address, configuration: &SessionConfig) -> Result<Scheduler> {
    let settings = GrpcClientConfig::from(&configuration.ballista_config());
    let endpoint = create_grpc_client_endpoint(address.url(), Some(&settings)).map_err(failed)?;
    let channel = endpoint.connect().await.map_err(failed)?;
    let most_bytes = MOST_MESSAGE_BYTES as usize;
    Ok(Scheduler::new(channel)
        .max_encoding_message_size(most_bytes)
        .max_decoding_message_size(most_bytes))
}

/// Hands a plan over, and gives the number of its job.
async fn submit(
    scheduler: &mut Scheduler,
    plan: Arc<dyn ExecutionPlan>,
    context: &TaskContext,
) -> Result<String> {
    let plan = PhysicalPlanNode::try_from_physical_plan(plan, &Codec::default())?;
    let mut bytes = Vec::new();
    plan.try_encode(&mut bytes)?;
    let entries = context.session_config().options().entries().into_iter();
    let settings = entries.map(|entry| KeyValuePair {
        key: entry.key,
        value: entry.value,
    });
    let mut request = Request::new(ExecuteQueryParams {
        query: Some(Query::PhysicalPlan(bytes)),
        settings: settings.collect(),
        session_id: context.session_id(),
        operation_id: String::new(),
    });
    insert_version_header(request.metadata_mut());
    let answer = scheduler.execute_query(request).await.map_err(failed)?;
    match answer.into_inner().result {
        Some(execute_query_result::Result::Success(taken)) => Ok(taken.job_id),
        refused => Err(DataFusionError::Execution(format!(
            "the scheduler refuses the query: {refused:?}"
        ))),
    }
}

/// An error as the protocol's own client words it.
fn failed(error: impl std::fmt::Debug) -> DataFusionError {
    DataFusionError::Execution(format!("{error:?}"))
}

impl Drop for Job {
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        let (address, job_id) = (self.address.clone(), std::mem::take(&mut self.id));
        // On a thread with a runtime of its own: that of the query may be ending, or busy.
        let parting = thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build();
            let Ok(runtime) = runtime else { return };
            runtime.block_on(async {
                let cancelled = async {
                    let mut scheduler = connect(&address, &SessionConfig::new()).await?;
                    let answer = scheduler.cancel_job(CancelJobParams { job_id });
                    answer.await.map_err(failed)
                };
                // A scheduler that does not answer has lost the job, or will run it for nobody.
                let _ = timeout(PARTING, cancelled).await;
            });
        });
        let _ = parting.join();
    }
}
