//! The grouping of instructions that profile readers know from XProf.
//!
//! TPU profiles carry a category per op, which is finer (`convolution fusion`, `all-reduce
//! fusion`) and should be preferred. This one is for the rest.

use crate::opcode::is_elementwise;
use crate::program::Instruction;

pub(crate) fn category(instruction: &Instruction) -> &str {
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
