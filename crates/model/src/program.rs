//! Compiled programs: their HLO, and the bytes it was decoded from.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use stepscope_hlo as hlo;

use crate::profile_data::ProfileData;
use crate::vendor::jax_functions::is_jax_function;

/// One compiled program (executable).
#[derive(Debug, Default)]
pub struct Program {
    /// Id as recorded, a fingerprint that may exceed 2^63.
    pub id: u64,
    /// Module name, such as `jit_step`.
    pub name: String,
    /// Its HLO, if the profile contains it.
    pub hlo: Option<hlo::Program>,
    /// Location of the HLO, to read again what [`hlo::Program`] does not keep.
    pub(crate) bytes: Option<ProgramBytes>,
    /// Filled on first use.
    pub(crate) buffers: OnceLock<Option<hlo::BufferAssignment>>,
}

/// A range of a file with a serialized program.
#[derive(Clone)]
pub(crate) struct ProgramBytes {
    pub(crate) file: Arc<dyn ProfileData>,
    pub(crate) range: Range<usize>,
}

impl fmt::Debug for ProgramBytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.range.fmt(formatter)
    }
}

impl Program {
    /// A program of which only the name is known.
    pub fn named(id: u64, name: impl Into<String>) -> Self {
        Self {
            id,
            name: name.into(),
            ..Self::default()
        }
    }

    /// For each program of a session, whether XLA only tried it out while it compiled another one
    /// (autotuning): its kernels name a module, but it has neither an ID nor HLO, where others have IDs.
    pub fn trials(programs: &[Self]) -> Vec<bool> {
        let has_ids = programs.iter().any(|program| program.id != 0);
        let is_trial = |program: &Self| has_ids && program.id == 0 && program.hlo.is_none();
        programs.iter().map(is_trial).collect()
    }

    /// `jit_step(70)`: how programs are named in reports.
    pub fn title(&self) -> String {
        format!("{}({})", self.name, self.id)
    }

    /// Whether the program computes a single op: one instruction, several that one op of JAX became,
    /// such as a product in parts and their sum, or a function of JAX's own library, such as `jnp.sum`.
    pub fn is_single_op(&self) -> bool {
        if is_jax_function(&self.name) {
            return true;
        }
        let Some(hlo) = self.hlo.as_ref() else {
            return false;
        };
        let Some(entry) = hlo.entry() else {
            return false;
        };
        let computes = |opcode: &str| {
            !matches!(
                opcode,
                "parameter" | "constant" | "tuple" | "get-tuple-element" | "copy" | "bitcast"
            )
        };
        let instructions = hlo.instructions_of(entry).iter();
        let mut own = instructions.filter(|instruction| computes(&instruction.opcode));
        let Some(first) = own.next() else {
            return true;
        };
        own.all(|other| !first.op_name.is_empty() && other.op_name == first.op_name)
    }

    /// The serialized HLO; empty if there is none.
    pub fn hlo_bytes(&self) -> &[u8] {
        let bytes = self.bytes.as_ref();
        bytes
            .and_then(|bytes| (*bytes.file).as_ref().get(bytes.range.clone()))
            .unwrap_or_default()
    }

    /// The compiler's memory plan, if the program has one. The first call decodes it.
    pub fn buffer_assignment(&self) -> Option<&hlo::BufferAssignment> {
        let decode = || hlo::BufferAssignment::decode(self.hlo_bytes());
        self.buffers.get_or_init(decode).as_ref()
    }
}
