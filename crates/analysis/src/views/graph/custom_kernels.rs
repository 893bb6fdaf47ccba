//! Kernels that custom calls of a program contain, as far as their configuration describes them.

use rustc_hash::FxHashMap;
use stepscope_model::OpId;
use stepscope_model::hlo::{Instruction, Kernel, KernelBuffer, Outline, Program};

use super::report::{GraphKernel, GraphKernelBlock};
use crate::measuring::totals::Totals;

/// Kernels that are described.
const MAX_KERNELS: usize = 200;

/// The kernels of a program, that of `op` first, then most time first; and how many there are.
pub(super) fn kernels(
    program: &Program,
    outline: &Outline<'_>,
    times: &FxHashMap<&str, (OpId, Totals)>,
    op: &Instruction,
) -> (Vec<GraphKernel>, usize) {
    let self_ps = |call: &Instruction| times.get(call.name.as_str()).map(|(_, sum)| sum.self_ps);
    let mut calls: Vec<&Instruction> = program
        .instructions()
        .filter(|instruction| Kernel::is_call(instruction))
        .collect();
    calls.sort_by_key(|call| {
        let is_other = call.index != op.index;
        (is_other, std::cmp::Reverse(self_ps(call)), call.index)
    });
    let count = calls.len();
    let described = calls.into_iter().take(MAX_KERNELS).filter_map(|call| {
        let operands: Vec<&Instruction> = program.operands(call).collect();
        let kernel = program.details(outline, call).kernel(call, &operands)?;
        Some(described(call, kernel, self_ps(call)))
    });
    (described.collect(), count)
}

fn described(call: &Instruction, kernel: Kernel, self_ps: Option<i64>) -> GraphKernel {
    let cost = kernel.cost_estimate;
    GraphKernel {
        op: call.name.clone(),
        kernel: kernel.name,
        language: kernel.language.to_owned(),
        grid: kernel.grid.as_deref().map(grid).unwrap_or_default(),
        dimension_semantics: kernel.dimension_semantics,
        blocks: kernel
            .blocks
            .into_iter()
            .map(|block| GraphKernelBlock {
                of: block.of,
                array: block.array,
                block: block.buffer.shape,
                space: block.buffer.space,
                bytes: block
                    .buffer
                    .byte_count
                    .and_then(|bytes| bytes.try_into().ok()),
                index_map: block.index_map,
            })
            .collect(),
        scratch: kernel.scratch.iter().map(told).collect(),
        self_ps,
        flops: cost.map(|cost| cost.flops as f64),
        bytes: cost.map(|cost| cost.bytes_accessed as f64),
        transcendentals: cost.map(|cost| cost.transcendentals as f64),
        vmem_bytes: kernel.vmem_bytes.and_then(|bytes| bytes.try_into().ok()),
        vmem_limit_bytes: kernel
            .vmem_limit_bytes
            .and_then(|bytes| bytes.try_into().ok()),
        warps: kernel.warps.and_then(|count| count.try_into().ok()),
        stages: kernel.stages.and_then(|count| count.try_into().ok()),
        scope: call.op_name.clone(),
        source: call
            .source
            .as_deref()
            .map(stepscope_model::hlo::SourceLocation::label)
            .unwrap_or_default(),
        unknown: kernel.unknown,
    }
}

/// `4 × 2 × 8`; a question mark for a size that is known only at run time.
fn grid(sizes: &[Option<u64>]) -> String {
    if sizes.is_empty() {
        return "none".to_owned();
    }
    let sizes: Vec<String> = sizes
        .iter()
        .map(|size| size.map_or_else(|| "?".to_owned(), |size| size.to_string()))
        .collect();
    sizes.join(" × ")
}

/// `vmem f32[256,512]`.
fn told(buffer: &KernelBuffer) -> String {
    format!("{} {}", buffer.space, buffer.shape)
        .trim()
        .to_owned()
}

impl GraphKernelBlock {
    /// `operand 0: vmem bf16[256,128] at (i, k) of bf16[1024,1024]`.
    pub(super) fn text(&self) -> String {
        let mut text = format!("{}: {} {}", self.of, self.space, self.block);
        if !self.index_map.is_empty() {
            text = format!("{text} at {}", self.index_map);
        }
        if !self.array.is_empty() {
            text = format!("{text} of {}", self.array);
        }
        text
    }
}
