//! Scans of sessions as bytes, and the functions of queries by their names.

use std::sync::{Arc, LazyLock};

use ballista_core::serde::BallistaPhysicalExtensionCodec;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{AggregateUDF, Expr, ScalarUDF};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::SessionContext;
use datafusion_proto::bytes::Serializeable as _;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use prost::Message;
use stepscope_sql::{Question, aggregates, scalars};

use crate::scan::SessionScan;
use crate::work::{Opener, Work};

/// What the bytes of a scan begin with; those of Ballista's own nodes never do.
const MARK: &[u8] = b"stepscope-scan\n";

/// Scans of sessions, and all nodes of Ballista.
#[derive(Debug, Default)]
pub struct Codec {
    ballista: BallistaPhysicalExtensionCodec,
    opener: Option<Arc<Opener>>,
}

/// A scan without its input.
#[derive(Clone, PartialEq, Message)]
struct ScanMessage {
    #[prost(string, tag = "1")]
    release: String,
    /// None for roll-ups and surveys.
    #[prost(string, optional, tag = "2")]
    table: Option<String>,
    #[prost(string, repeated, tag = "3")]
    options: Vec<String>,
    #[prost(string, repeated, tag = "4")]
    columns: Vec<String>,
    #[prost(bytes = "vec", repeated, tag = "5")]
    filters: Vec<Vec<u8>>,
    /// Whether it is a survey.
    #[prost(bool, tag = "6")]
    is_survey: bool,
}

/// Resolves the functions in filters.
static FUNCTIONS: LazyLock<Arc<TaskContext>> = LazyLock::new(|| {
    let context = SessionContext::new();
    for function in scalars() {
        context.register_udf(function);
    }
    context.task_ctx()
});

impl Codec {
    /// For executors: scans that it reads open sessions.
    pub fn opening(opener: Arc<Opener>) -> Self {
        Self {
            opener: Some(opener),
            ..Self::default()
        }
    }

    fn decode(&self, bytes: &[u8], inputs: &[Arc<dyn ExecutionPlan>]) -> Result<SessionScan> {
        let message = ScanMessage::decode(bytes)
            .map_err(|error| DataFusionError::Plan(format!("not a scan: {error}")))?;
        let own = env!("CARGO_PKG_VERSION");
        if message.release != own {
            let other = message.release;
            return Err(DataFusionError::Plan(format!(
                "the plan was made by stepscope {other}, and this is {own}: all machines need one release"
            )));
        }
        let [places] = inputs else {
            return Err(DataFusionError::Plan("a scan has one input".to_owned()));
        };
        let filters = message.filters.iter();
        let filters = filters.map(|bytes| Expr::from_bytes_with_ctx(bytes, &FUNCTIONS));
        let work = match message.table {
            None if message.is_survey => Work::Surveys,
            None => Work::RollUps,
            Some(table) => Work::Rows(Question {
                table,
                options: message.options,
                columns: message.columns,
                filters: filters.collect::<Result<_>>()?,
            }),
        };
        let schema = work.schema()?;
        let (places, opener) = (Arc::clone(places), self.opener.clone());
        Ok(SessionScan::new(work, schema, places, opener))
    }
}

fn encode(work: &Work, bytes: &mut Vec<u8>) -> Result<()> {
    let release = env!("CARGO_PKG_VERSION").to_owned();
    let message = match work {
        Work::RollUps | Work::Surveys => ScanMessage {
            release,
            is_survey: matches!(work, Work::Surveys),
            ..ScanMessage::default()
        },
        Work::Rows(question) => {
            let filters = question.filters.iter();
            let filters = filters.map(|filter| Ok(filter.to_bytes()?.to_vec()));
            ScanMessage {
                release,
                table: Some(question.table.clone()),
                options: question.options.clone(),
                columns: question.columns.clone(),
                filters: filters.collect::<Result<_>>()?,
                ..ScanMessage::default()
            }
        }
    };
    bytes.extend_from_slice(MARK);
    bytes.extend_from_slice(&message.encode_to_vec());
    Ok(())
}

impl PhysicalExtensionCodec for Codec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match bytes.strip_prefix(MARK) {
            Some(own) => Ok(Arc::new(self.decode(own, inputs)?)),
            None => self.ballista.try_decode(bytes, inputs, context, converter),
        }
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        bytes: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        match node.downcast_ref::<SessionScan>() {
            Some(scan) => encode(scan.work(), bytes),
            None => self.ballista.try_encode(node, bytes, converter),
        }
    }

    fn try_decode_udf(&self, name: &str, _: &[u8]) -> Result<Arc<ScalarUDF>> {
        let own = scalars()
            .into_iter()
            .find(|function| function.name() == name);
        own.map(Arc::new).ok_or_else(|| unknown(name))
    }

    fn try_decode_udaf(&self, name: &str, _: &[u8]) -> Result<Arc<AggregateUDF>> {
        let own = aggregates()
            .into_iter()
            .find(|function| function.name() == name);
        own.map(Arc::new).ok_or_else(|| unknown(name))
    }
}

fn unknown(name: &str) -> DataFusionError {
    DataFusionError::Plan(format!("there is no function {name}"))
}
