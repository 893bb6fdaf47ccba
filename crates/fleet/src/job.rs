//! A query on a scheduler: submitted, waited for, fetched; cancelled when nobody waits for it any more.

use std::pin::pin;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
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
use tokio::sync::oneshot;
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
const PARTING: Duration = Duration::from_secs(5);

/// Where the rows of a job are, or why there are none.
type Rows = Result<Vec<PartitionLocation>>;

/// A job, from when its plan is handed over until it has ended. Dropped before that, it is cancelled.
struct Job {
    /// Closed when nobody waits for the rows any more.
    rows: oneshot::Receiver<Rows>,
    companion: Option<JoinHandle<()>>,
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
) -> Rows {
    let configuration = context.session_config().clone();
    let mut job = Job::start(address, request(plan, context)?, configuration);
    let ended = (&mut job.rows).await;
    ended.unwrap_or_else(|_| Err(left()))
}

/// Waits until a job has ended.
async fn ended(scheduler: &mut Scheduler, job_id: &str) -> Rows {
    let mut pause = FIRST_PAUSE;
    loop {
        match status(scheduler, job_id).await? {
            Some(job_status::Status::Successful(done)) => return Ok(done.partition_location),
            Some(job_status::Status::Failed(failure)) => {
                let text = format!("Job {job_id} failed: {}", failure.error);
                return Err(DataFusionError::Execution(text));
            }
            Some(job_status::Status::Queued(_) | job_status::Status::Running(_)) | None => {}
        }
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// How far a job is, if the scheduler knows it.
async fn status(scheduler: &mut Scheduler, job_id: &str) -> Result<Option<job_status::Status>> {
    let asked = GetJobStatusParams {
        job_id: job_id.to_owned(),
    };
    let answer = scheduler.get_job_status(asked).await.map_err(failed)?;
    let status = answer.into_inner().status;
    Ok(status.and_then(|status| status.status))
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

/// What hands a plan over.
fn request(plan: Arc<dyn ExecutionPlan>, context: &TaskContext) -> Result<ExecuteQueryParams> {
    let plan = PhysicalPlanNode::try_from_physical_plan(plan, &Codec::default())?;
    let mut bytes = Vec::new();
    plan.try_encode(&mut bytes)?;
    let entries = context.session_config().options().entries().into_iter();
    let settings = entries.map(|entry| KeyValuePair {
        key: entry.key,
        value: entry.value,
    });
    Ok(ExecuteQueryParams {
        query: Some(Query::PhysicalPlan(bytes)),
        settings: settings.collect(),
        session_id: context.session_id(),
        operation_id: String::new(),
    })
}

/// Hands a plan over, and gives the number of its job.
async fn submit(scheduler: &mut Scheduler, plan: ExecuteQueryParams) -> Result<String> {
    let mut request = Request::new(plan);
    insert_version_header(request.metadata_mut());
    let answer = scheduler.execute_query(request).await.map_err(failed)?;
    match answer.into_inner().result {
        Some(execute_query_result::Result::Success(taken)) => Ok(taken.job_id),
        refused => Err(DataFusionError::Execution(format!(
            "the scheduler refuses the query: {refused:?}"
        ))),
    }
}

/// Cancels a job, again and again until it has ended: a scheduler that still plans a job forgets that
/// it is cancelled.
async fn cancel(scheduler: &mut Scheduler, job_id: &str) -> Result<()> {
    while let Some(job_status::Status::Queued(_) | job_status::Status::Running(_)) =
        status(scheduler, job_id).await?
    {
        let cancelled = CancelJobParams {
            job_id: job_id.to_owned(),
        };
        scheduler.cancel_job(cancelled).await.map_err(failed)?;
        sleep(FIRST_PAUSE).await;
    }
    Ok(())
}

/// Hands a plan over, waits for its job, and tells where the rows are. If the query leaves before, the
/// job is cancelled. A query may leave while its plan is on the way: the scheduler has the job then, and
/// only its answer says which one.
async fn accompany(
    address: &Address,
    configuration: &SessionConfig,
    plan: ExecuteQueryParams,
    told: &mut oneshot::Sender<Rows>,
) -> Rows {
    let mut scheduler = tokio::select! {
        connected = connect(address, configuration) => connected?,
        () = told.closed() => return Err(left()),
    };
    let scheduler = &mut scheduler;
    let job_id = {
        let mut submitted = pin!(submit(scheduler, plan));
        tokio::select! {
            taken = &mut submitted => taken?,
            () = told.closed() => timeout(PARTING, submitted).await.map_err(failed)??,
        }
    };
    let rows = tokio::select! {
        rows = ended(scheduler, &job_id) => rows,
        () = told.closed() => Err(left()),
    };
    if rows.is_err() {
        drop(timeout(PARTING, cancel(scheduler, &job_id)).await);
    }
    rows
}

/// Nobody waits for the rows any more.
fn left() -> DataFusionError {
    failed("the query was left before it ended")
}

/// An error as the protocol's own client words it.
fn failed(error: impl std::fmt::Debug) -> DataFusionError {
    DataFusionError::Execution(format!("{error:?}"))
}

impl Job {
    /// Hands a plan over.
    ///
    /// On a thread with a runtime of its own: that of the query may be ending, or busy, when nobody
    /// waits for the job any more.
    fn start(address: &Address, plan: ExecuteQueryParams, configuration: SessionConfig) -> Self {
        let (mut told, rows) = oneshot::channel();
        let address = address.clone();
        let companion = thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build();
            let rows = runtime.map_err(failed).and_then(|runtime| {
                runtime.block_on(accompany(&address, &configuration, plan, &mut told))
            });
            // Whoever has left does not listen.
            let _ = told.send(rows);
        });
        Self {
            rows,
            companion: Some(companion),
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.rows.close();
        if let Some(companion) = self.companion.take() {
            let _ = companion.join();
        }
    }
}
