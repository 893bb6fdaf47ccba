//! Queries run on a fleet: plans go to its scheduler, rows come back.

use std::sync::Arc;

use async_trait::async_trait;
use ballista_core::config::BALLISTA_SCHEDULER_MAX_PARTITIONS_PER_TASK;
use ballista_core::extension::SessionConfigExt as _;
use datafusion::common::tree_node::{TreeNode as _, TreeNodeRecursion};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::prelude::SessionConfig;
use futures::TryStreamExt as _;
use stepscope_sql::{NOT_OPENED, Runner, Scan, knows_too_little};

use crate::address::{Address, MOST_MESSAGE_BYTES};
use crate::scan::portable;
use crate::told::{MOST_READERS, rows, told};
use crate::work::Work;

/// Tasks of stages after the first: groups, joins and sorts.
const PARTITIONS: usize = 8;

/// Hosts that a task reads of a session that is read by several.
const HOSTS_PER_TASK: usize = 8;

/// A scheduler and its executors.
#[derive(Debug)]
pub struct Fleet {
    address: Address,
    hosts_per_task: usize,
}

impl Fleet {
    /// The fleet of a scheduler.
    pub fn at(address: Address) -> Self {
        Self {
            address,
            hosts_per_task: HOSTS_PER_TASK,
        }
    }

    /// The same, with tasks of this many hosts where a session has more than twice as many.
    #[must_use]
    pub fn with_hosts_per_task(mut self, hosts: usize) -> Self {
        self.hosts_per_task = hosts;
        self
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

    fn hosts_per_reader(&self) -> usize {
        self.hosts_per_task
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
        // A place that no plan may contain is refused before anything is sent.
        portable(Arc::clone(&plan))?;
        let (address, schema) = (self.address.clone(), plan.schema());
        // Whoever waits for rows waits for the fleet, so that limits of time hold for both.
        let answered = async move {
            let answered = answered(&address, &plan, &context).await;
            let rows = answered.map_err(|error| explained(error, &address))?;
            Ok::<_, DataFusionError>(rows.map_err(move |error| explained(error, &address)))
        };
        let rows = futures::stream::once(answered).try_flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }
}

/// The rows of a plan. Sessions that executors cannot open are left out, as on one machine: the plan
/// runs again without them.
async fn answered(
    address: &Address,
    plan: &Arc<dyn ExecutionPlan>,
    context: &TaskContext,
) -> Result<SendableRecordBatchStream> {
    let nodes = scans(plan)?;
    let scans = nodes.iter().filter_map(|node| node.downcast_ref());
    let scans: Vec<&Scan> = scans.collect();
    learn(address, &scans, context).await?;
    let mut answer = rows(address, portable(Arc::clone(plan))?, context).await;
    let is_closer = |error: &DataFusionError| {
        knows_too_little(&error.to_string())
            && scans
                .iter()
                .fold(false, |is_new, scan| scan.look_closer() | is_new)
    };
    if answer.as_ref().is_err_and(is_closer) {
        learn(address, &scans, context).await?;
        answer = rows(address, portable(Arc::clone(plan))?, context).await;
    }
    let failure = match answer {
        Err(error) if error.to_string().contains(NOT_OPENED) => error,
        answered => return answered,
    };
    let mut are_fewer = false;
    for scan in &scans {
        let places = scan.whole_places()?;
        let told = told(address, Work::Surveys, &places, context).await?;
        for (place, told) in places.iter().zip(told) {
            are_fewer |= told.is_err_and(|reason| scan.leave_out(&place.name, &reason));
        }
    }
    if !are_fewer {
        return Err(failure);
    }
    rows(address, portable(Arc::clone(plan))?, context).await
}

/// Finds out what has to be known of sessions before several tasks read one.
async fn learn(address: &Address, scans: &[&Scan], context: &TaskContext) -> Result<()> {
    for scan in scans {
        let places = scan.surveys()?;
        if !places.is_empty() {
            scan.learn(&told(address, Work::Surveys, &places, context).await?);
        }
    }
    Ok(())
}

/// The scans of a plan.
fn scans(plan: &Arc<dyn ExecutionPlan>) -> Result<Vec<Arc<dyn ExecutionPlan>>> {
    let mut scans = Vec::new();
    plan.apply(|node| {
        if node.is::<Scan>() {
            scans.push(Arc::clone(node));
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(scans)
}

/// An error without what only developers of the protocol need.
pub(crate) fn explained(error: DataFusionError, address: &Address) -> DataFusionError {
    let DataFusionError::Execution(text) = &error else {
        return error;
    };
    if text.contains("ConnectError") || text.contains("transport error") {
        let reason = format!("no scheduler answers at {address}");
        return DataFusionError::Execution(reason);
    }
    match innermost(text) {
        Some(Told::Memory) => DataFusionError::ResourcesExhausted(text.clone()),
        Some(Told::Reason(reason)) => DataFusionError::Execution(reason),
        None => error,
    }
}

/// What precedes the failure of a task, when no other attempt is worthwhile.
const FAILED_TASK: &str = "Task failed due to runtime execution error: ";

/// What a task said of its failure.
#[derive(Debug, PartialEq)]
enum Told {
    Memory,
    Reason(String),
}

/// The failure of a task inside the failures of its stage and its query, which hold it as Rust writes
/// errors for developers: `… DataFusionError(Execution("run: not found"))`.
fn innermost(text: &str) -> Option<Told> {
    if text.contains("ResourcesExhausted(") {
        return Some(Told::Memory);
    }
    let starts =
        ["Execution(\"", "Plan(\""].map(|start| text.rfind(start).map(|at| at + start.len()));
    let Some(start) = starts.into_iter().flatten().max() else {
        let (_, failure) = text.rsplit_once(FAILED_TASK)?;
        return Some(Told::Reason(format!(
            "an executor failed: {}",
            failure.trim()
        )));
    };
    let (mut reason, mut is_escaped) = (String::new(), false);
    for letter in text[start..].chars() {
        match (letter, is_escaped) {
            ('"', false) => return Some(Told::Reason(reason)),
            ('\\', false) => is_escaped = true,
            ('n', true) => (reason, is_escaped) = (reason + "\n", false),
            (letter, _) => {
                reason.push(letter);
                is_escaped = false;
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_of_a_task_is_told_without_its_wrappings() {
        let job = "Job abc failed: Job failed due to stage 1 failed: Task failed due to runtime \
                   execution error: ";
        let quoted = r#"DataFusionError(Execution("run \"a\": C:\\logs is gone"))"#;
        let reason = innermost(&format!("{job}{quoted}\n"));
        let expected = r#"run "a": C:\logs is gone"#.to_owned();
        assert_eq!(reason, Some(Told::Reason(expected)));
        let memory = format!("{job}DataFusionError(ResourcesExhausted(\"Failed to allocate\"))");
        assert_eq!(innermost(&memory), Some(Told::Memory));
        let other = innermost(&format!("{job}DataFusionError(ArrowError(DivideByZero))\n"));
        let expected = "an executor failed: DataFusionError(ArrowError(DivideByZero))".to_owned();
        assert_eq!(other, Some(Told::Reason(expected)));
        assert_eq!(innermost("Stream closed without job completing"), None);
    }
}
