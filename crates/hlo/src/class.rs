//! What kind of work an instruction does, looking into fusions and asynchronous wrappers.

use crate::callees::callees_first;
use crate::op_class::{BodySummary, OpClass};
use crate::opcode::{
    is_collective, is_convolution_target, is_free, is_matmul_target, without_async_suffix,
};
use crate::program::{Computation, Instruction, Program};

/// Longest chain from an `async-done` back to its `async-start` that is followed.
const MAX_ASYNC_CHAIN: usize = 16;

impl Program {
    /// What kind of work an instruction does; see [`OpClass`].
    pub fn class(&self, instruction: &Instruction) -> OpClass {
        self::class(self, instruction)
    }
}

fn class(program: &Program, instruction: &Instruction) -> OpClass {
    let start = async_start(program, instruction);
    match (start.opcode.as_str(), summary_of_callees(program, start)) {
        ("fusion" | "async-start", Some(summary)) => {
            let class = summary.class();
            let is_marked = class == OpClass::Matmul && names_attention(&start.op_name);
            if is_marked { OpClass::Attention } else { class }
        }
        _ => class_alone(start),
    }
}

/// The instruction that began what an `async-done`, `async-update`, `send-done` or `recv-done` ends.
fn async_start<'a>(program: &'a Program, instruction: &'a Instruction) -> &'a Instruction {
    let mut current = instruction;
    for _ in 0..MAX_ASYNC_CHAIN {
        let is_end = matches!(
            current.opcode.as_str(),
            "async-update" | "async-done" | "send-done" | "recv-done"
        );
        if !is_end {
            break;
        }
        match program.operand(current, 0) {
            Some(previous) => current = previous,
            None => break,
        }
    }
    current
}

/// Class by opcode, call target and scope alone.
fn class_alone(instruction: &Instruction) -> OpClass {
    match instruction.opcode.as_str() {
        "dot" | "ragged-dot" | "scaled-dot" | "convolution" => {
            if names_attention(&instruction.op_name) {
                OpClass::Attention
            } else {
                OpClass::Matmul
            }
        }
        "custom-call" => custom_call_class(instruction),
        "infeed" | "outfeed" => OpClass::HostTransfer,
        "while" | "conditional" | "call" => OpClass::Control,
        "transpose" | "reshape" | "dynamic-reshape" | "bitcast-convert" | "reverse" => {
            OpClass::DataFormatting
        }
        opcode if without_async_suffix(opcode) == "copy" => OpClass::Copy,
        opcode if is_collective(opcode) => {
            let is_host_transfer = instruction
                .attributes()
                .is_some_and(|own| own.is_host_transfer && !own.is_between_slices);
            if is_host_transfer && is_exchange_of_callback(&instruction.op_name) {
                OpClass::HostCallback
            } else if is_host_transfer {
                OpClass::HostTransfer
            } else {
                OpClass::Collective
            }
        }
        _ => OpClass::Other,
    }
}

fn custom_call_class(instruction: &Instruction) -> OpClass {
    let target = instruction.custom_call_target.as_str();
    if is_python_callback(target) {
        OpClass::HostCallback
    } else if names_attention(target) || names_attention(&instruction.op_name) {
        OpClass::Attention
    } else if is_matmul_target(target) || is_convolution_target(target) || is_engine_gemm(target) {
        OpClass::Matmul
    } else {
        OpClass::Other
    }
}

/// What `jax.pure_callback`, `io_callback` and `jax.debug.callback` become on CPU and GPU:
/// `xla_ffi_python_cpu_callback`, `xla_python_gpu_callback` and their like.
fn is_python_callback(target: &str) -> bool {
    target.starts_with("xla_") && target.contains("python") && target.ends_with("callback")
}

/// What they become on a TPU: an exchange with the host under the primitive's name.
fn is_exchange_of_callback(op_name: &str) -> bool {
    const PRIMITIVES: [&str; 4] = [
        "pure_callback",
        "io_callback",
        "debug_callback",
        "python_callback",
    ];
    let innermost = op_name.rsplit('/').next().unwrap_or_default();
    PRIMITIVES.contains(&innermost)
}

/// A matrix product of Transformer Engine, one or several.
fn is_engine_gemm(target: &str) -> bool {
    target.starts_with("te_gemm") || target.starts_with("te_grouped_gemm")
}

/// Whether a call target or scope says that an attention kernel was asked for.
pub(crate) fn names_attention(name: &str) -> bool {
    const MARKS: [&str; 9] = [
        "flash_attention",
        "flashattention",
        "flash_attn",
        "flash-attention",
        "fmha",
        "fused_attn",
        "splash",
        "paged_attention",
        "mosaic_attention",
    ];
    let name = name.to_ascii_lowercase();
    MARKS.iter().any(|mark| name.contains(mark))
}

fn summary_of_callees(program: &Program, instruction: &Instruction) -> Option<BodySummary> {
    let summaries = program
        .body_summaries
        .get_or_init(|| body_summaries(program));
    merged_summary(program, summaries, instruction)
}

fn merged_summary(
    program: &Program,
    summaries: &[BodySummary],
    instruction: &Instruction,
) -> Option<BodySummary> {
    let called = instruction.called_computation_ids.iter();
    called
        .filter_map(|id| summaries.get(program.computation_by_id.get(id)?.index()))
        .copied()
        .reduce(BodySummary::merge)
}

fn body_summaries(program: &Program) -> Vec<BodySummary> {
    let mut summaries = vec![BodySummary::default(); program.computations.len()];
    for index in callees_first(program) {
        let Some(computation) = program.computations.get(index) else {
            continue;
        };
        summaries[index] = body_summary(program, &summaries, computation);
    }
    summaries
}

fn body_summary(
    program: &Program,
    summaries: &[BodySummary],
    computation: &Computation,
) -> BodySummary {
    let instructions = program.instructions_of(computation).iter();
    instructions
        .filter(|instruction| !is_free(&instruction.opcode) && instruction.opcode != "tuple")
        .map(|instruction| {
            // Only wrappers stand for what they call; a reduce is more than its adder.
            let called = match instruction.opcode.as_str() {
                "fusion" | "call" | "async-start" => {
                    merged_summary(program, summaries, instruction)
                }
                _ => None,
            };
            called.unwrap_or_else(|| BodySummary::of(class_alone(instruction)))
        })
        .fold(BodySummary::default(), BodySummary::merge)
}
