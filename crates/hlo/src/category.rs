//! The grouping of instructions that profile readers know from XProf.
//!
//! TPU profiles carry a category per op, which is finer (`convolution fusion`, `all-reduce
//! fusion`) and should be preferred. This one is for the rest.

use crate::opcode::is_elementwise;
use crate::program::Instruction;

/// A category for an instruction of which only the name is known; empty where the name does not tell.
///
/// XLA names an instruction after its opcode and a fusion after its kind: `all-reduce.19`,
/// `loop_add_fusion.3`. A program may name its own instructions otherwise, so this is a guess.
pub fn inferred_category(name: &str) -> &'static str {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let stem = if stem.is_empty() { name } else { stem };
    let has_word = |word: &str| stem.split('_').any(|part| part == word);
    match stem {
        _ if stem.starts_with("loop_") && has_word("fusion") => "loop fusion",
        _ if stem.starts_with("input_") && has_word("fusion") => "input fusion",
        _ if stem.starts_with("gemm_fusion") || stem.starts_with("triton_") => "custom fusion",
        _ if has_word("fusion") || stem.starts_with("wrapped_") => "fusion",
        _ if stem.starts_with("cudnn-") || stem.starts_with("cublas-") => "custom-call",
        "transpose" | "copy" | "reshape" | "dynamic-reshape" => "data formatting",
        _ if is_elementwise(stem) => "non-fusion elementwise",
        _ => OPCODES
            .iter()
            .copied()
            .find(|&opcode| opcode == stem)
            .unwrap_or_default(),
    }
}

/// Opcodes that are their own category, of those that are executed on their own.
const OPCODES: [&str; 40] = [
    "all-gather",
    "all-gather-done",
    "all-gather-start",
    "all-reduce",
    "all-reduce-done",
    "all-reduce-start",
    "all-to-all",
    "async-done",
    "async-start",
    "broadcast",
    "call",
    "cholesky",
    "collective-broadcast",
    "collective-permute",
    "collective-permute-done",
    "collective-permute-start",
    "concatenate",
    "conditional",
    "convolution",
    "copy-done",
    "copy-start",
    "custom-call",
    "dot",
    "dynamic-slice",
    "dynamic-update-slice",
    "fft",
    "gather",
    "iota",
    "pad",
    "ragged-all-to-all",
    "reduce",
    "reduce-scatter",
    "reduce-window",
    "rng-bit-generator",
    "scatter",
    "select-and-scatter",
    "slice",
    "sort",
    "triangular-solve",
    "while",
];

impl Instruction {
    /// The category a profile reader groups by; see the crate documentation.
    pub fn category(&self) -> &str {
        category(self)
    }
}

fn category(instruction: &Instruction) -> &str {
    match instruction.opcode.as_str() {
        "transpose" | "copy" | "reshape" | "dynamic-reshape" => "data formatting",
        "fusion" => match instruction.fusion_kind.as_str() {
            "kLoop" => "loop fusion",
            "kInput" => "input fusion",
            "kOutput" => "output fusion",
            "kCustom" => "custom fusion",
            _ => "fusion",
        },
        "convolution" => convolution_category(instruction),
        opcode if is_elementwise(opcode) => "non-fusion elementwise",
        opcode => opcode,
    }
}

/// Dilated convolutions are the gradients of strided ones and run differently.
fn convolution_category(instruction: &Instruction) -> &'static str {
    let window = instruction
        .attributes()
        .map_or(&[][..], |attributes| &attributes.window);
    let is_base_dilated = window.iter().any(|dimension| dimension.base_dilation > 1);
    let is_window_dilated = window.iter().any(|dimension| dimension.window_dilation > 1);
    match (is_base_dilated, is_window_dilated) {
        (false, false) => "convolution",
        (true, false) => "convolution base-dilated",
        (false, true) => "convolution window-dilated",
        (true, true) => "convolution base-dilated window-dilated",
    }
}

#[cfg(test)]
mod tests {
    use super::inferred_category;

    #[test]
    fn names_of_xla_tell_a_category_and_other_names_none() {
        for (name, category) in [
            ("loop_transpose_fusion", "loop fusion"),
            ("loop_add_fusion.3", "loop fusion"),
            ("input_reduce_fusion.1", "input fusion"),
            ("gemm_fusion_dot_general.1", "custom fusion"),
            ("wrapped_broadcast", "fusion"),
            ("fusion.5", "fusion"),
            ("copy_bitcast_fusion", "fusion"),
            ("copy.1", "data formatting"),
            ("all-reduce-start.2", "all-reduce-start"),
            ("custom-call.1", "custom-call"),
            ("cudnn-conv.1.0", "custom-call"),
            ("add.7", "non-fusion elementwise"),
            ("layer", ""),
            ("7", ""),
            ("", ""),
        ] {
            assert_eq!(inferred_category(name), category, "{name}");
        }
    }
}
