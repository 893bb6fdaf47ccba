//! Compiled programs: their HLO, and the bytes it was decoded from.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use stepscope_hlo as hlo;

use crate::profile_data::ProfileData;
use crate::vendor::jax_functions::{is_jax_function, is_library_op};

/// One compiled program (executable).
#[derive(Debug, Default)]
pub struct Program {
    /// Id as recorded, a fingerprint that may exceed 2^63.
    pub id: u64,
    /// Ids under which other hosts recorded it: each process counts its own.
    pub other_ids: Vec<u64>,
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
    /// A function that the compiler fused is as many ops as it was before, and a loop is none.
    pub fn is_single_op(&self) -> bool {
        if is_jax_function(&self.name) {
            return true;
        }
        let entry = self.hlo.as_ref().and_then(|hlo| Some((hlo, hlo.entry()?)));
        let Some((hlo, entry)) = entry else {
            return false;
        };
        if !is_one_op(hlo, entry) {
            return false;
        }
        is_library_op(&self.name) || {
            let mut seen = Seen::default();
            is_named_alike(hlo, entry, &mut seen)
        }
    }

    /// Whether it is a single op that the host dispatches on its own, outside of `jit`: it has the name of a
    /// function of JAX or of its op. A function of the program may be a single op, too.
    pub fn is_dispatched_op(&self) -> bool {
        let is_named_after_op = || {
            let hlo = self.hlo.as_ref()?;
            let mut all = hlo.instructions_of(hlo.entry()?).iter();
            let op = all.find(|one| computes(&one.opcode) && !one.op_name.is_empty())?;
            let name = op.op_name.rsplit('/').next()?;
            Some(self.name.strip_prefix("jit_")? == name)
        };
        self.is_single_op()
            && (is_jax_function(&self.name)
                || is_library_op(&self.name)
                || is_named_after_op().unwrap_or(false))
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

/// Whether what runs in a computation has the name of one op, fusions as a whole.
fn is_one_op(hlo: &hlo::Program, computation: &hlo::Computation) -> bool {
    let mut own = hlo
        .instructions_of(computation)
        .iter()
        .filter(|one| computes(&one.opcode));
    let Some(first) = own.next() else {
        return true;
    };
    !is_control_flow(&first.opcode)
        && own.all(|other| !first.op_name.is_empty() && other.op_name == first.op_name)
}

/// One op has no more computations.
const MOST_COMPUTATIONS: usize = 32;

/// What was seen of a program while its computations are walked, each once: a damaged file may have
/// computations that call themselves.
#[derive(Default)]
struct Seen<'a> {
    name: Option<&'a str>,
    computations: BTreeSet<i64>,
}

/// Whether all that a computation and its fusions compute has one name. What only changes how values are
/// laid out or represented may have names of its own: `x + 1` also broadcasts the 1.
fn is_named_alike<'a>(
    hlo: &'a hlo::Program,
    computation: &hlo::Computation,
    seen: &mut Seen<'a>,
) -> bool {
    if !seen.computations.insert(computation.id) {
        return true;
    }
    if seen.computations.len() > MOST_COMPUTATIONS {
        return false;
    }
    hlo.instructions_of(computation).iter().all(|one| {
        if matches!(one.opcode.as_str(), "fusion" | "call") {
            let mut called = hlo.called_computations(one);
            return called.all(|called| is_named_alike(hlo, called, seen));
        }
        if !computes(&one.opcode) || represents(&one.opcode) || one.op_name.is_empty() {
            return true;
        }
        *seen.name.get_or_insert(&one.op_name) == one.op_name
    })
}

fn computes(opcode: &str) -> bool {
    !matches!(
        opcode,
        "parameter" | "constant" | "tuple" | "get-tuple-element" | "copy" | "bitcast"
    )
}

fn represents(opcode: &str) -> bool {
    matches!(
        opcode,
        "broadcast" | "convert" | "iota" | "pad" | "reshape" | "slice" | "transpose"
    )
}

fn is_control_flow(opcode: &str) -> bool {
    matches!(opcode, "while" | "conditional")
}
