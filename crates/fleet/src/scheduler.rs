//! The scheduler: takes plans, divides them into tasks, and hands these to executors that ask.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::utils::default_session_builder;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::{create_scheduler, start_grpc_service_with_listener};
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use tokio::net::TcpListener;

use crate::address::MOST_MESSAGE_BYTES;
use crate::codec::Codec;
use crate::executor::without_files;

/// How a scheduler runs.
#[derive(Debug)]
pub struct SchedulerOptions {
    /// Where it listens; port 0 for any.
    pub listen: SocketAddr,
    /// The name under which others reach it; that of `listen` if there is none.
    pub host: Option<String>,
    /// How long an executor may be silent before its tasks are given to others.
    pub patience: Duration,
}

/// Runs until the process ends. `started` gets the address.
///
/// # Errors
///
/// The port is taken, or the service fails.
pub async fn schedule(options: SchedulerOptions, started: impl FnOnce(SocketAddr)) -> Result<()> {
    let listener = TcpListener::bind(options.listen).await;
    let listener = listener.with_context(|| format!("cannot listen on {}", options.listen))?;
    let address = listener.local_addr()?;
    let patience = options.patience.as_secs().max(1);
    let configuration = SchedulerConfig {
        external_host: options.host.unwrap_or_else(|| address.ip().to_string()),
        bind_host: address.ip().to_string(),
        bind_port: address.port(),
        // Executors ask for tasks: they may be behind a firewall, and busy ones are given none.
        scheduling_policy: TaskSchedulingPolicy::PullStaged,
        executor_timeout_seconds: patience,
        expire_dead_executor_interval_seconds: (patience / 2).max(1),
        no_executors_grace_period_seconds: patience,
        // Clients need to reach only the scheduler.
        enable_embedded_flight_proxy: true,
        grpc_server_max_decoding_message_size: MOST_MESSAGE_BYTES,
        grpc_server_max_encoding_message_size: MOST_MESSAGE_BYTES,
        grpc_client_max_message_size: MOST_MESSAGE_BYTES,
        override_physical_codec: Some(Arc::new(Codec::default())),
        override_session_builder: Some(Arc::new(|configuration| {
            let state = default_session_builder(configuration)?;
            without_files(state.runtime_env())?;
            Ok(state)
        })),
        ..SchedulerConfig::default()
    };
    let cluster = BallistaCluster::new_from_config(&configuration).await?;
    let scheduler =
        create_scheduler::<LogicalPlanNode, PhysicalPlanNode>(cluster, Arc::new(configuration));
    let scheduler = scheduler.await?;
    started(address);
    start_grpc_service_with_listener(listener, scheduler).await?;
    Ok(())
}
