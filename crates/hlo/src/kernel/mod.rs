//! Kernels that somebody wrote by hand (Pallas, Triton) and that a custom call contains.
//!
//! | language | where | read |
//! |---|---|---|
//! | Mosaic (TPU) | JSON with MLIR bytecode in base64 | grid, blocks, index maps, scratch: [`mosaic`] |
//! | Triton (GPU) | a dictionary of MLIR attributes with the module | grid, warps, stages: [`triton`] |
//! | Mosaic GPU | a dictionary of MLIR attributes with the module | its name and form |
//!
//! Whatever has another form is named and otherwise unknown: nothing is guessed.

mod body;
mod description;
mod index_map;
mod mosaic;
mod triton;

#[cfg(test)]
mod tests;

pub use body::KernelBody;
pub use description::{Kernel, KernelBlock, KernelBuffer};

use crate::details::Details;
use crate::program::Instruction;

impl Details {
    /// The kernel that an instruction contains; `operands` are the shapes of its operands.
    pub fn kernel(&self, instruction: &Instruction, operands: &[&Instruction]) -> Option<Kernel> {
        let config = self.backend_config.as_str();
        let mut kernel = match instruction.custom_call_target.as_str() {
            "tpu_custom_call" => mosaic::read(config, instruction, operands),
            "__gpu$xla.gpu.triton" => triton::read(config),
            "triton_kernel_call" => Kernel {
                language: "Triton",
                unknown: "The call contains a compiled kernel, whose form is not read.".to_owned(),
                ..Kernel::default()
            },
            "mosaic_gpu" | "mosaic_gpu_v2" => Kernel {
                language: "Mosaic GPU",
                unknown: "Grid and blocks of Mosaic GPU are not read.".to_owned(),
                ..Kernel::default()
            },
            _ => return None,
        };
        let cost = instruction.attributes();
        let cost = cost.and_then(|attributes| attributes.cost_estimate.as_deref());
        kernel.cost_estimate = cost.copied();
        Some(kernel)
    }
}

/// The bytecode in the configuration of a Mosaic kernel.
#[cfg(test)]
pub(crate) fn mosaic_body(config: &str) -> Option<Vec<u8>> {
    body::json_string(config, "\"body\"").and_then(|body| body::base64(&body))
}
