//! An executor: asks the scheduler for tasks, opens sessions, and serves what tasks leave.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use ballista_core::config::TaskSchedulingPolicy;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use datafusion::error::DataFusionError;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use stepscope_catalog::Catalog;
use stepscope_storage::memory_budget;
#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};
use url::Url;

use crate::address::{Address, MOST_MESSAGE_BYTES};
use crate::allowed::Allowed;
use crate::codec::Codec;
use crate::work::Opener;

/// How an executor runs.
#[derive(Debug)]
pub struct ExecutorOptions {
    /// The scheduler that gives it tasks.
    pub scheduler: Address,
    /// Where other executors and the scheduler fetch what tasks left.
    pub listen: SocketAddr,
    /// The name under which others reach it; that of `listen` if there is none.
    pub host: Option<String>,
    /// Tasks at a time.
    pub slots: usize,
    /// Folders and URLs that it may open.
    pub allowed: Vec<PathBuf>,
    /// Where tasks leave their rows, below which a folder is made; the system's temporary folder if
    /// there is none.
    pub work: Option<PathBuf>,
}

/// How long rows of a task are kept that nobody removed.
const KEPT: Duration = Duration::from_hours(6);

/// How long the scheduler may take to start.
const WAITED_SECONDS: u16 = 60;

/// Runs until it is asked to end.
///
/// # Errors
///
/// A path that does not exist, a port that is taken, or no scheduler.
pub async fn execute(options: ExecutorOptions) -> Result<()> {
    let allowed = Allowed::below(&options.allowed).map_err(|reason| anyhow!("{reason}"))?;
    let opener = Arc::new(Opener {
        allowed,
        catalog: Arc::new(Catalog::of_user()),
    });
    let folder = match &options.work {
        Some(work) => tempfile::tempdir_in(work),
        None => tempfile::tempdir(),
    };
    let folder = folder.context("cannot make a folder for rows")?;
    let work = folder.path().to_string_lossy().into_owned();
    let spilled = work.clone();
    let configuration = ExecutorProcessConfig {
        bind_host: options.listen.ip().to_string(),
        external_host: Some(
            options
                .host
                .unwrap_or_else(|| options.listen.ip().to_string()),
        ),
        port: options.listen.port(),
        scheduler_host: options.scheduler.host,
        scheduler_port: options.scheduler.port,
        scheduler_connect_timeout_seconds: WAITED_SECONDS,
        vcores: options.slots,
        task_scheduling_policy: TaskSchedulingPolicy::PullStaged,
        work_dir: Some(work),
        job_data_ttl_seconds: KEPT.as_secs(),
        job_data_clean_up_interval_seconds: KEPT.as_secs() / 6,
        grpc_max_decoding_message_size: MOST_MESSAGE_BYTES,
        grpc_max_encoding_message_size: MOST_MESSAGE_BYTES,
        // Half of the budget for sorts, joins and groups, as on one machine; the rest for sessions.
        memory_pool_size: Some(memory_budget() / 2),
        override_physical_codec: Some(Arc::new(Codec::opening(opener))),
        override_runtime_producer: Some(Arc::new(move |_| {
            let environment = RuntimeEnvBuilder::new().with_temp_file_path(&spilled);
            let environment = environment.build_arc()?;
            without_files(&environment)?;
            Ok(environment)
        })),
        ..ExecutorProcessConfig::default()
    };
    tokio::select! {
        ended = start_executor_process(Arc::new(configuration)) => Ok(ended?),
        asked = late() => asked.context("cannot wait for signals"),
    }
}

/// How long an executor that is asked to end may take.
const GRACE: Duration = Duration::from_secs(5);

/// Until it was asked to end and did not in time: it tells its scheduler, which may be gone.
async fn late() -> std::io::Result<()> {
    #[cfg(unix)]
    {
        let mut ended = signal(SignalKind::terminate())?;
        tokio::select! {
            _ = ended.recv() => {}
            interrupted = tokio::signal::ctrl_c() => interrupted?,
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await?;
    tokio::time::sleep(GRACE).await;
    Ok(())
}

/// Takes files from an environment: plans come over the network, and could otherwise read any file
/// of a format that the engine knows.
pub(crate) fn without_files(environment: &RuntimeEnv) -> Result<(), DataFusionError> {
    let files = Url::parse("file://");
    let files = files.map_err(|error| DataFusionError::External(Box::new(error)))?;
    environment.deregister_object_store(&files)?;
    Ok(())
}
