//! Roles of stats, decided from their names once per plane.

use rustc_hash::FxHashMap;
use stepscope_xplane::Plane;

use super::planes::{PlaneRole, plane_role};

/// Stats that name a request or a batch, the most specific first.
pub const REQUEST_IDS: [&str; 4] = ["request_id", "batch_id", "id", "step_id"];
/// How many elements of a batch are padding.
pub const PADDING: &str = "padding_amount";
/// Number of elements in a batch, including padding.
pub const BATCH_SIZE: &str = "batch_size_after_padding";

/// The meaning of a stat for ingest. Everything else is read again when a slice's details are
/// requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatRole {
    Ignored,
    HloOp,
    HloModule,
    ProgramId,
    RunId,
    DeviceOrdinal,
    CorrelationId,
    ConsumerType,
    ConsumerId,
    ProducerType,
    ProducerId,
    RootLevel,
    StepNumber,
    /// The mark of a captured block, from Stepscope's package: its step.
    Block,
    KernelDetails,
    MemcpyDetails,
    MemsetDetails,
    FrameworkOp,
    /// The annotations around the launch of a kernel.
    Annotations,
    /// The outermost of them.
    OutermostAnnotation,
    /// Name stack of the op, or the part after the prefix.
    OpPath,
    /// The common prefix of the name stacks of all ops of the program.
    OpPathPrefix,
    AsyncMark,
    DeviceOffset,
    DeviceDuration,
    CounterValue,
    GraphId,
    GraphNodeId,
    GraphExecId,
    Flops,
    ModelFlops,
    BytesAccessed,
}

/// What threads of a host with accelerators may contain, according to the names of the stats in
/// their plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ThreadsMayHold {
    /// Ops that XLA:CPU ran.
    pub(crate) ops: bool,
    /// Annotations of steps.
    pub(crate) steps: bool,
}

impl ThreadsMayHold {
    pub(crate) fn of(stat_names: &[&[u8]]) -> Self {
        let has = |wanted| stat_names.iter().any(|name| role_of(name) == wanted);
        Self {
            ops: has(StatRole::HloOp) && has(StatRole::DeviceOrdinal),
            steps: has(StatRole::RootLevel) || has(StatRole::Block),
        }
    }
}

fn role_of(name: &[u8]) -> StatRole {
    match name {
        b"hlo_op" => StatRole::HloOp,
        b"hlo_module" => StatRole::HloModule,
        b"program_id" => StatRole::ProgramId,
        b"run_id" => StatRole::RunId,
        b"device_ordinal" => StatRole::DeviceOrdinal,
        b"correlation_id" => StatRole::CorrelationId,
        b"_ct" => StatRole::ConsumerType,
        b"_c" => StatRole::ConsumerId,
        b"_pt" => StatRole::ProducerType,
        b"_p" => StatRole::ProducerId,
        b"_r" => StatRole::RootLevel,
        b"step_num" => StatRole::StepNumber,
        b"stepscope_block" => StatRole::Block,
        b"kernel_details" => StatRole::KernelDetails,
        b"memcpy_details" => StatRole::MemcpyDetails,
        b"memset_details" | b"Memset_details" => StatRole::MemsetDetails,
        b"tf_op" => StatRole::FrameworkOp,
        b"_a" => StatRole::AsyncMark,
        b"device_offset_ps" => StatRole::DeviceOffset,
        b"device_duration_ps" => StatRole::DeviceDuration,
        b"counter_value" | b"Raw Value" | b"Scaled Value" => StatRole::CounterValue,
        b"cuda_graph_id" => StatRole::GraphId,
        b"cuda_graph_node_id" => StatRole::GraphNodeId,
        b"cuda_graph_exec_id" => StatRole::GraphExecId,
        b"flops" => StatRole::Flops,
        b"model_flops" => StatRole::ModelFlops,
        b"bytes_accessed" => StatRole::BytesAccessed,
        _ => StatRole::Ignored,
    }
}

/// Roles of stats whose names say what they mean on GPU planes only: annotations of host threads use
/// the same words for anything. XLA writes `Thunk:#name=…,hlo_op=…#` around each launch, within
/// `XlaModule:#prefix=…,hlo_module=…,program_id=…#`, and the profiler turns each pair into a stat. Older
/// profilers also write the annotations themselves, which name the ops of TensorFlow.
fn gpu_role_of(name: &[u8]) -> StatRole {
    match name {
        b"name" => StatRole::OpPath,
        b"prefix" => StatRole::OpPathPrefix,
        b"annotation" => StatRole::Annotations,
        b"level 0" => StatRole::OutermostAnnotation,
        _ => role_of(name),
    }
}

/// Stat ids of one plane with their roles.
#[derive(Debug, Default)]
pub(crate) struct StatRoles {
    /// Roles of small ids, by id.
    dense: Vec<StatRole>,
    /// Roles of the others.
    sparse: FxHashMap<i64, StatRole>,
    /// Numbers with samples of counters that are not values.
    sample_facts: Vec<i64>,
}

/// Stats that say of which register and step a sample is.
const SAMPLE_FACTS: [&[u8]; 3] = [
    b"performance_counter_id",
    b"group_id",
    b"Time Scale Multiplier",
];

/// Ids below this are looked up by position.
const DENSE_IDS: i64 = 1 << 16;
/// How many ids a table by position may have for each one that is used.
const SLACK: i64 = 16;

impl StatRoles {
    pub(crate) fn of(plane: &Plane<'_>) -> Self {
        let mut roles = Self::default();
        let is_gpu = matches!(
            plane_role(&plane.name),
            PlaneRole::Device { kind, .. } if kind.is_gpu()
        );
        let role_of = if is_gpu { gpu_role_of } else { role_of };
        // A table as long as the largest id, but never much longer than the plane's own table.
        let dense_ids = i64::try_from(plane.stat_metadata.len())
            .unwrap_or(DENSE_IDS)
            .saturating_mul(SLACK)
            .min(DENSE_IDS);
        for metadata in plane.stat_metadata.iter() {
            let role = role_of(metadata.name);
            let is_fact = SAMPLE_FACTS.contains(&metadata.name);
            roles.sample_facts.extend(is_fact.then_some(metadata.id));
            if role == StatRole::Ignored {
                continue;
            }
            match usize::try_from(metadata.id) {
                Ok(position) if metadata.id < dense_ids => {
                    if roles.dense.len() <= position {
                        roles.dense.resize(position + 1, StatRole::Ignored);
                    }
                    roles.dense[position] = role;
                }
                _ => {
                    roles.sparse.insert(metadata.id, role);
                }
            }
        }
        roles
    }

    /// A stat without a role that may be the value of a counter's sample.
    pub(crate) fn may_be_value(&self, id: i64) -> bool {
        self.get(id) == StatRole::Ignored && !self.sample_facts.contains(&id)
    }

    #[inline]
    pub(crate) fn get(&self, id: i64) -> StatRole {
        let dense = usize::try_from(id)
            .ok()
            .and_then(|position| self.dense.get(position));
        match dense {
            Some(&role) => role,
            None if self.sparse.is_empty() => StatRole::Ignored,
            None => self.sparse.get(&id).copied().unwrap_or(StatRole::Ignored),
        }
    }
}
