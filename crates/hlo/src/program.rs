//! The decoded program: computations, instructions, and how to find them.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use crate::attributes::Attributes;
use crate::cost::{Cost, Needed, ProductsByComputation};
use crate::op_class::BodySummary;
use crate::opcode::is_bookkeeping;
use crate::placement::Placements;
use crate::shape::Shape;
use crate::sharding::Sharding;
use crate::source::{SourceFunction, SourceLocation};

/// Position of a computation in [`Program::computations`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ComputationIndex(pub(crate) u32);

impl ComputationIndex {
    /// As an index into [`Program::computations`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Position of an instruction among [`Program::instructions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstructionIndex(pub(crate) u32);

impl InstructionIndex {
    /// As a position in the sequence that [`Program::instructions`] yields.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One compiled XLA program. Immutable once decoded.
#[derive(Debug, Default)]
pub struct Program {
    /// Name of the module, such as `jit_step`.
    pub name: String,
    /// Id of the module as the compiler numbered it; not the program id of a profile.
    pub id: i64,
    /// Where execution begins; `None` when the stated computation does not exist.
    pub entry_computation: Option<ComputationIndex>,
    /// Python functions that were around ops while they were traced, each once, as far as the compiler
    /// kept whole stacks.
    pub functions: Vec<SourceFunction>,
    pub(crate) computations: Vec<Computation>,
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) by_name: FxHashMap<Box<str>, InstructionIndex>,
    pub(crate) by_id: FxHashMap<i64, InstructionIndex>,
    pub(crate) computation_by_id: FxHashMap<i64, ComputationIndex>,
    pub(crate) assigned_device_count: Option<u64>,
    /// Device ids by logical id.
    pub(crate) assigned_devices: Vec<i64>,
    /// Partitions of each replica.
    pub(crate) partition_count: usize,
    /// How values are divided over devices, where instructions say it: mostly inputs.
    pub(crate) shardings: FxHashMap<InstructionIndex, Sharding>,
    /// Filled on first use; per computation, callees before callers.
    pub(crate) body_summaries: OnceLock<Vec<BodySummary>>,
    /// Filled on first use; per instruction.
    pub(crate) costs: OnceLock<Vec<Cost>>,
    /// Filled on first use.
    pub(crate) products: OnceLock<ProductsByComputation>,
    /// Filled on first use; per instruction.
    pub(crate) needed: OnceLock<Vec<Needed>>,
    /// Filled on first use.
    pub(crate) placements: OnceLock<Option<Placements>>,
}

/// A function of the program: the entry, the body of a fusion or of a loop, a reducer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Computation {
    /// Name without the leading `%`.
    pub name: String,
    /// Id that instructions call it by.
    pub id: i64,
    /// Id of the instruction whose value it returns.
    pub root_id: i64,
    /// Whether it is the body of a fusion, whose instructions are never executed alone.
    pub is_fusion_body: bool,
    /// Empty or `main`, or the unit it runs on, such as `sparsecore` or `host`.
    pub execution_thread: String,
    pub(crate) range: Range<u32>,
}

/// One instruction.
#[derive(Debug, Clone, PartialEq)]
pub struct Instruction {
    /// Name without the leading `%`, unique in the program.
    pub name: String,
    /// Opcode in kebab case, such as `all-reduce-start`.
    pub opcode: String,
    /// Id that other instructions refer to it by.
    pub id: i64,
    /// Shape of its value.
    pub shape: Shape,
    /// Name stack of the framework: `jit(step)/jvp(MLP)/layer_0/dot_general`.
    pub op_name: String,
    /// Operation of the framework, where recorded.
    pub op_type: String,
    /// Line of the user's program, shared by all instructions of the same line and stack.
    pub source: Option<Arc<SourceLocation>>,
    /// Target of a custom call, else empty.
    pub custom_call_target: String,
    /// `kLoop`, `kInput`, `kOutput` or `kCustom` of a fusion, else empty.
    pub fusion_kind: String,
    /// Ids of its operands.
    pub operand_ids: Vec<i64>,
    /// Ids of the computations it calls: the body of a fusion, body and condition of a loop.
    pub called_computation_ids: Vec<i64>,
    /// Whether it repeats work to save memory.
    pub is_rematerialized: bool,
    /// Computation it belongs to.
    pub computation: ComputationIndex,
    /// Its position in the program.
    pub index: InstructionIndex,
    pub(crate) attributes: Option<Box<Attributes>>,
}

impl Program {
    /// The instruction of this name, with or without the leading `%`.
    ///
    /// Where a name occurs twice, an instruction that is executed on its own wins over one inside
    /// a fusion.
    pub fn instruction(&self, name: &str) -> Option<&Instruction> {
        let name = name.strip_prefix('%').unwrap_or(name);
        self.instructions.get(self.by_name.get(name)?.index())
    }

    /// The instruction of this id.
    pub fn instruction_by_id(&self, id: i64) -> Option<&Instruction> {
        self.instructions.get(self.by_id.get(&id)?.index())
    }

    /// The instruction at a position of [`Program::instructions`].
    pub fn instruction_at(&self, index: InstructionIndex) -> Option<&Instruction> {
        self.instructions.get(index.index())
    }

    /// All instructions in the order of the file: computation by computation, operands before
    /// users.
    pub fn instructions(&self) -> impl ExactSizeIterator<Item = &Instruction> {
        self.instructions.iter()
    }

    /// All computations in the order of the file, callees before callers.
    pub fn computations(&self) -> &[Computation] {
        &self.computations
    }

    /// The computation where execution begins.
    pub fn entry(&self) -> Option<&Computation> {
        self.computations.get(self.entry_computation?.index())
    }

    /// The computation of this id.
    pub fn computation_by_id(&self, id: i64) -> Option<&Computation> {
        self.computations
            .get(self.computation_by_id.get(&id)?.index())
    }

    /// The instructions of one computation, operands before users.
    pub fn instructions_of(&self, computation: &Computation) -> &[Instruction] {
        let range = computation.range.start as usize..computation.range.end as usize;
        self.instructions.get(range).unwrap_or_default()
    }

    /// The parameters of a computation with their numbers, in their order.
    pub fn parameters_of(&self, computation: &Computation) -> Vec<(i64, &Instruction)> {
        let instructions = self.instructions_of(computation).iter();
        let parameters = instructions.filter(|one| one.opcode == "parameter");
        let mut numbered: Vec<(i64, &Instruction)> = parameters
            .map(|one| (one.attributes().map_or(0, |own| own.parameter_number), one))
            .collect();
        numbered.sort_by_key(|&(number, _)| number);
        numbered
    }

    /// The instruction whose value a computation returns; its last one where the id dangles.
    pub fn root(&self, computation: &Computation) -> Option<&Instruction> {
        let stated = self
            .instruction_by_id(computation.root_id)
            .filter(|root| computation.range.contains(&root.index.0));
        stated.or_else(|| self.instructions_of(computation).last())
    }

    /// Operands that exist, in order.
    pub fn operands(&self, instruction: &Instruction) -> impl Iterator<Item = &Instruction> {
        instruction
            .operand_ids
            .iter()
            .filter_map(|&id| self.instruction_by_id(id))
    }

    /// Operand number `index`.
    pub fn operand(&self, instruction: &Instruction, index: usize) -> Option<&Instruction> {
        self.instruction_by_id(*instruction.operand_ids.get(index)?)
    }

    /// Computations that exist and are called by an instruction, in order.
    pub fn called_computations(
        &self,
        instruction: &Instruction,
    ) -> impl Iterator<Item = &Computation> {
        instruction
            .called_computation_ids
            .iter()
            .filter_map(|&id| self.computation_by_id(id))
    }

    /// A custom call with this target computes nothing: it reserves, places or names values.
    pub fn is_bookkeeping_call(target: &str) -> bool {
        is_bookkeeping(target)
    }

    /// Device ids by logical id, the number that replica groups speak of: replica × partitions +
    /// partition. Empty where the program carries no assignment.
    pub fn assigned_devices(&self) -> &[i64] {
        &self.assigned_devices
    }

    /// Number of devices the program is partitioned or replicated over: from its device
    /// assignment, else the most devices that one of its collectives names; `None` if neither.
    pub fn sharding_device_count(&self) -> Option<u64> {
        self.assigned_device_count.or_else(|| {
            self.instructions
                .iter()
                .filter_map(|instruction| instruction.attributes()?.replica_groups.device_count())
                .max()
        })
    }
}

impl Computation {
    /// Number of instructions.
    pub fn instruction_count(&self) -> usize {
        self.range.len()
    }
}

impl Instruction {
    /// Opcode-specific facts; `None` when there are none at all.
    pub fn attributes(&self) -> Option<&Attributes> {
        self.attributes.as_deref()
    }
}
