//! What a program's schedule says about kernels: which ops launch any, in which order, and XLA's
//! names for the kernels it makes.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use stepscope_hlo::{Computation, Fingerprints, Instruction, OpClass, Program, Schedule};

use super::candidates::{Contents, OpKind, ScopeOp};
use crate::vendor::graphs::{kernel_name_of, names_command_buffer};

/// A computation whose instructions are executed one after the other.
#[derive(Debug, Default)]
pub(super) struct Sequence {
    /// Name of the computation.
    pub(super) name: String,
    pub(super) ops: Vec<ScopeOp>,
    /// Sequences that its ops run: the body and condition of a loop, by the op's position.
    pub(super) nested: FxHashMap<usize, Nested>,
    /// How many sequences it is nested in.
    pub(super) depth: usize,
    /// XLA made it for one graph.
    pub(super) is_command_buffer: bool,
}

/// What a loop, a branch, or a call runs.
#[derive(Debug)]
pub(super) struct Nested {
    pub(super) opcode: NestedOpcode,
    /// Body and condition of a loop, the branches of a branch.
    pub(super) sequences: Vec<usize>,
}

/// Which of these it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NestedOpcode {
    While,
    Conditional,
    Call,
}

/// The kernels of one program.
#[derive(Debug, Default)]
pub(super) struct Kernels {
    pub(super) sequences: Vec<Sequence>,
    /// Sequence and position of an instruction.
    pub(super) places: FxHashMap<u32, (usize, usize)>,
    /// The meaning of a kernel name.
    names: FxHashMap<String, Named>,
    /// Sequences of command buffers by the names of the calls that run them.
    calls: FxHashMap<String, usize>,
}

/// The meaning of a kernel name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Named {
    /// Shared by all ops that this kernel may belong to.
    pub(super) symbol: u32,
    /// The op, if it is unique.
    pub(super) only: Option<u32>,
}

impl Kernels {
    /// From a program and its bytes. XLA reuses a kernel for ops that compute the same:
    /// `has_kernel` says whether a kernel with a name was seen, because an op with its own kernel
    /// uses no other.
    pub(super) fn of(program: &Program, bytes: &[u8], has_kernel: impl Fn(&str) -> bool) -> Self {
        let schedule = Schedule::decode(bytes);
        let mut kernels = Self::default();
        let Some(entry) = program.entry() else {
            return kernels;
        };
        let mut seen = FxHashSet::default();
        kernels.add(program, &schedule, entry, 0, &mut seen);
        kernels.name(program, has_kernel);
        kernels
    }

    /// The meaning of a kernel name.
    pub(super) fn named(&self, kernel: &str) -> Option<Named> {
        self.names.get(kernel).copied()
    }

    /// The command buffer run by a call with this name, or with this name itself.
    pub(super) fn command_buffer(&self, name: &str) -> Option<usize> {
        self.calls.get(name).copied()
    }

    /// Adds a computation and those it runs; returns its number.
    fn add(
        &mut self,
        program: &Program,
        schedule: &Schedule,
        computation: &Computation,
        depth: usize,
        seen: &mut FxHashSet<i64>,
    ) -> Option<usize> {
        if depth > MAX_DEPTH || !seen.insert(computation.id) {
            return None;
        }
        let number = self.sequences.len();
        let is_command_buffer = names_command_buffer(&computation.name);
        self.sequences.push(Sequence {
            name: computation.name.clone(),
            depth,
            is_command_buffer,
            ..Sequence::default()
        });
        for instruction in schedule.sequence(program, computation) {
            let Some(kind) = kind(program, instruction) else {
                continue;
            };
            let position = self.sequences[number].ops.len();
            let index = u32::try_from(instruction.index.index()).unwrap_or(u32::MAX);
            self.sequences[number].ops.push(ScopeOp {
                instruction: index,
                symbol: None,
                kind,
                bytes: (
                    instruction.shape.byte_size(),
                    instruction.shape.first_leaf().byte_size(),
                ),
            });
            self.places.insert(index, (number, position));
            if kind == OpKind::Control {
                let called = program.called_computations(instruction);
                let nested: Vec<usize> = called
                    .filter_map(|callee| self.add(program, schedule, callee, depth + 1, seen))
                    .collect();
                self.calls_of(instruction, &nested);
                let opcode = match instruction.opcode.as_str() {
                    "while" => NestedOpcode::While,
                    "conditional" => NestedOpcode::Conditional,
                    _ => NestedOpcode::Call,
                };
                let nested = Nested {
                    opcode,
                    sequences: nested,
                };
                self.sequences[number].nested.insert(position, nested);
            }
        }
        Some(number)
    }

    fn calls_of(&mut self, call: &Instruction, nested: &[usize]) {
        for &sequence in nested {
            if self.sequences[sequence].is_command_buffer {
                self.calls.insert(call.name.clone(), sequence);
                let name = self.sequences[sequence].name.clone();
                self.calls.insert(name, sequence);
            }
        }
    }

    /// Assigns symbols to ops. Ops that compute the same share one, unless each is known to have
    /// its own kernel; so do ops whose kernels would have the same name.
    fn name(&mut self, program: &Program, has_kernel: impl Fn(&str) -> bool) {
        let prints = Fingerprints::of(program);
        let listed: Vec<&Instruction> = self
            .sequences
            .iter()
            .flat_map(|sequence| &sequence.ops)
            .filter(|op| op.kind != OpKind::Control)
            .filter_map(|op| program.instructions().nth(op.instruction as usize))
            .collect();
        let names: Vec<String> = listed.iter().map(|op| kernel_name_of(&op.name)).collect();
        let mut sets = Sets::new(listed.len());
        let mut first_of_name: FxHashMap<&str, usize> = FxHashMap::default();
        let mut alike: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (position, name) in names.iter().enumerate() {
            let first = *first_of_name.entry(name).or_insert(position);
            sets.join(first, position);
            let print = prints.instruction(program, listed[position]);
            alike.entry(print).or_default().push(position);
        }
        for group in alike.values() {
            if !group.iter().all(|&position| has_kernel(&names[position])) {
                group
                    .windows(2)
                    .for_each(|pair| sets.join(pair[0], pair[1]));
            }
        }
        let roots: Vec<usize> = (0..listed.len())
            .map(|position| sets.root(position))
            .collect();
        let mut sizes = vec![0usize; listed.len()];
        for &root in &roots {
            sizes[root] += 1;
        }
        let mut symbols: FxHashMap<u32, u32> = FxHashMap::default();
        for (position, instruction) in listed.iter().enumerate() {
            let index = u32::try_from(instruction.index.index()).unwrap_or(u32::MAX);
            let symbol = u32::try_from(roots[position]).unwrap_or(u32::MAX);
            symbols.insert(index, symbol);
            let only = (sizes[roots[position]] == 1).then_some(index);
            self.names
                .entry(names[position].clone())
                .or_insert(Named { symbol, only });
        }
        for op in self
            .sequences
            .iter_mut()
            .flat_map(|sequence| &mut sequence.ops)
        {
            op.symbol = symbols.get(&op.instruction).copied();
        }
    }
}

/// Loops within loops beyond this are noise.
const MAX_DEPTH: usize = 32;

/// What an instruction may launch; `None` if nothing.
fn kind(program: &Program, instruction: &Instruction) -> Option<OpKind> {
    let opcode = instruction.opcode.as_str();
    match opcode {
        "parameter"
        | "constant"
        | "get-tuple-element"
        | "bitcast"
        | "tuple"
        | "after-all"
        | "add-dependency"
        | "domain"
        | "opt-barrier"
        | "optimization-barrier" => return None,
        "while" | "conditional" | "call" => return Some(OpKind::Control),
        "sort" | "topk" => return Some(OpKind::Sort),
        "copy" | "copy-start" => return Some(OpKind::Copy),
        _ if opcode.ends_with("-done") || opcode.ends_with("-update") => return None,
        _ => {}
    }
    if let Some(collective) = program.collective(instruction) {
        return Some(OpKind::Collective(collective.kind));
    }
    let target = instruction.custom_call_target.as_str();
    Some(match program.class(instruction) {
        OpClass::Attention => OpKind::Attention,
        // A matrix product compiled by XLA or Triton has its own kernel, named after the op.
        OpClass::Matmul if target.contains("conv") || opcode == "convolution" => {
            OpKind::Convolution
        }
        OpClass::Matmul => OpKind::Matmul,
        OpClass::Copy if opcode != "fusion" => OpKind::Copy,
        _ if opcode == "custom-call" && names_sort(target) => OpKind::Sort,
        _ if opcode == "custom-call" => OpKind::Custom,
        _ if instruction.fusion_kind == "kCustom" => OpKind::Custom,
        _ => OpKind::Fusion(contents(program, instruction)),
    })
}

fn names_sort(target: &str) -> bool {
    target.contains("Sort") || target.contains("TopK") || target.contains("SelectK")
}

fn contents(program: &Program, instruction: &Instruction) -> Contents {
    let mut opcodes = Vec::new();
    innermost(program, instruction, 0, &mut opcodes);
    let has_only = |allowed: &[&str]| opcodes.iter().all(|opcode| allowed.contains(opcode));
    let is_slice = |opcode: &&str| matches!(*opcode, "dynamic-slice" | "dynamic-update-slice");
    if opcodes.len() > MAX_OPCODES {
        Contents::Computed
    } else if has_only(&["constant", "broadcast", "bitcast"]) {
        Contents::Constant
    } else if has_only(SLICING) && opcodes.iter().any(is_slice) {
        Contents::Slice
    } else {
        Contents::Computed
    }
}

/// The opcodes of what an instruction computes, through fusions and what wraps them to be
/// asynchronous.
fn innermost<'a>(
    program: &'a Program,
    instruction: &'a Instruction,
    depth: usize,
    opcodes: &mut Vec<&'a str>,
) {
    let body = program.called_computations(instruction).next();
    let Some(body) = body.filter(|_| depth < MAX_WRAPPED) else {
        opcodes.push(&instruction.opcode);
        return;
    };
    for inner in program.instructions_of(body) {
        // What a hostile program nests is not followed any further.
        if opcodes.len() > MAX_OPCODES {
            return;
        }
        if inner.opcode == "fusion" {
            innermost(program, inner, depth + 1, opcodes);
        } else {
            opcodes.push(&inner.opcode);
        }
    }
}

/// Fusions within fusions beyond this are noise.
const MAX_WRAPPED: usize = 4;
/// A fusion of more instructions is not one that a memset or a copy does.
const MAX_OPCODES: usize = 1 << 10;

/// What only moves data, and computes where to.
const SLICING: &[&str] = &[
    "parameter",
    "constant",
    "bitcast",
    "dynamic-slice",
    "dynamic-update-slice",
    "compare",
    "add",
    "subtract",
    "select",
    "clamp",
    "convert",
];

/// Disjoint sets of positions that are merged.
struct Sets(Vec<usize>);

impl Sets {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn root(&mut self, position: usize) -> usize {
        let mut at = position;
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }
}
