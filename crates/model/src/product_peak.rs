//! What a chip makes of the products of a program: the types it multiplies, and their peaks.
//!
//! | Product | TPU | NVIDIA, 8.0 and up | others |
//! |---|---|---|---|
//! | f32, default precision | one pass of bf16 | tf32 | f32 |
//! | f32, `HIGH` | three passes of bf16 | tf32 | f32 |
//! | f32, `HIGHEST` | six passes of bf16 | f32 | f32 |
//!
//! Sources: JAX's documentation of `jax.default_matmul_precision`, and the choice of the type of
//! computation in XLA's calls of cuBLAS (tf32 unless the precision is the highest). An operand type
//! that the chip does not multiply is widened to one that it does.

use stepscope_hlo::ProductType;

use crate::operand_type::OperandType;
use crate::session::{Chip, DeviceKind, Peak};

/// How a chip computes products of one type, and its peak.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProductPeak {
    /// Operations of the product per second: the peak of the type ÷ passes.
    pub per_second: f64,
    /// The type that is multiplied; none if it is unknown, where the peak is the chip's stated one.
    pub computed_in: Option<OperandType>,
    /// Products of that type for one product of the program.
    pub passes: u32,
}

impl Chip {
    /// The peak of products of an operand type, if the chip multiplies it.
    pub fn operand_peak(&self, operand: OperandType) -> Option<&Peak> {
        let mut peaks = self.operand_peaks.iter();
        let found = peaks.find(|(known, _)| *known == operand)?;
        Some(&found.1)
    }

    /// How products of one type are computed on this chip; none if no peak is known at all.
    pub fn product_peak(&self, kind: DeviceKind, product: ProductType) -> Option<ProductPeak> {
        let stated = self.peak_flops.as_ref()?.per_second;
        let unknown = ProductPeak {
            per_second: stated,
            computed_in: None,
            passes: 1,
        };
        let Some((operand, passes)) = self.computed_in(kind, product) else {
            return Some(unknown);
        };
        let found = operand.widened().iter();
        let found = found.filter_map(|&operand| Some((operand, self.operand_peak(operand)?)));
        Some(
            found
                .take(1)
                .fold(unknown, |_, (operand, peak)| ProductPeak {
                    per_second: peak.per_second / f64::from(passes),
                    computed_in: Some(operand),
                    passes,
                }),
        )
    }

    /// The operand type and how often it is multiplied.
    fn computed_in(&self, kind: DeviceKind, product: ProductType) -> Option<(OperandType, u32)> {
        let is_tpu = matches!(kind, DeviceKind::Tpu | DeviceKind::SparseCore);
        let has_tf32 =
            kind == DeviceKind::NvidiaGpu && self.operand_peak(OperandType::Tf32).is_some();
        Some(match product {
            ProductType::F32 if is_tpu => (OperandType::Bf16, 1),
            ProductType::F32High if is_tpu => (OperandType::Bf16, 3),
            ProductType::F32Highest if is_tpu => (OperandType::Bf16, 6),
            ProductType::F32 | ProductType::F32High if has_tf32 => (OperandType::Tf32, 1),
            ProductType::F32 | ProductType::F32High | ProductType::F32Highest => {
                (OperandType::F32, 1)
            }
            ProductType::F64 => (OperandType::F64, 1),
            ProductType::Tf32 => (OperandType::Tf32, 1),
            ProductType::Tf32X3 => (OperandType::Tf32, 3),
            ProductType::Bf16 => (OperandType::Bf16, 1),
            ProductType::Bf16X3 => (OperandType::Bf16, 3),
            ProductType::Bf16X6 => (OperandType::Bf16, 6),
            ProductType::Bf16X9 => (OperandType::Bf16, 9),
            ProductType::F16 => (OperandType::F16, 1),
            ProductType::F8 => (OperandType::F8, 1),
            ProductType::F4 => (OperandType::F4, 1),
            ProductType::Int8 => (OperandType::Int8, 1),
            ProductType::Int4 => (OperandType::Int4, 1),
            ProductType::Unknown => return None,
        })
    }
}

/// The operand type of a product as programs have it; empty if unknown.
pub const fn product_name(product: ProductType) -> &'static str {
    match product {
        ProductType::F64 => "f64",
        ProductType::F32
        | ProductType::F32High
        | ProductType::F32Highest
        | ProductType::Bf16X3
        | ProductType::Bf16X6
        | ProductType::Bf16X9
        | ProductType::Tf32X3 => "f32",
        ProductType::Tf32 => "tf32",
        ProductType::Bf16 => "bf16",
        ProductType::F16 => "f16",
        ProductType::F8 => "fp8",
        ProductType::F4 => "fp4",
        ProductType::Int8 => "int8",
        ProductType::Int4 => "int4",
        ProductType::Unknown => "",
    }
}
