//! In what types products are computed, and amounts of operations by type.

use rustc_hash::FxHashMap;

/// In what a product is computed, as far as the program says: operand type and precision.
///
/// What a chip makes of `f32` depends on the chip: TPUs multiply in one, three or six passes of
/// bf16, newer NVIDIA GPUs in tf32 unless the highest precision is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProductType {
    /// 64-bit floats.
    F64,
    /// 32-bit floats at the default precision.
    F32,
    /// 32-bit floats at the precision `HIGH`.
    F32High,
    /// 32-bit floats at the precision `HIGHEST`, or by an algorithm that asks for f32.
    F32Highest,
    /// 32-bit floats of which 19 bits are multiplied.
    Tf32,
    /// Three products in tf32 for one in f32.
    Tf32X3,
    /// Truncated single precision.
    Bf16,
    /// Three products in bf16 for one in f32.
    Bf16X3,
    /// Six products in bf16 for one in f32.
    Bf16X6,
    /// Nine products in bf16 for one in f32.
    Bf16X9,
    /// IEEE half precision.
    F16,
    /// 8-bit floats of any kind.
    F8,
    /// 4-bit floats.
    F4,
    /// 8-bit integers.
    Int8,
    /// 4-bit integers.
    Int4,
    /// Operands whose type is unknown, or that no matrix unit multiplies.
    Unknown,
}

impl ProductType {
    /// All of them, in this order everywhere.
    pub const ALL: [Self; 16] = [
        Self::F64,
        Self::F32,
        Self::F32High,
        Self::F32Highest,
        Self::Tf32,
        Self::Tf32X3,
        Self::Bf16,
        Self::Bf16X3,
        Self::Bf16X6,
        Self::Bf16X9,
        Self::F16,
        Self::F8,
        Self::F4,
        Self::Int8,
        Self::Int4,
        Self::Unknown,
    ];

    /// Position in [`Self::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// Operations of products by type, as the mathematics has them: two per multiply-add.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Products([f64; ProductType::ALL.len()]);

impl Products {
    /// Operations of one type.
    pub fn of(product: ProductType, flops: f64) -> Self {
        let mut products = Self::default();
        products.0[product.index()] = flops;
        products
    }

    /// Operations of a type.
    pub fn get(&self, product: ProductType) -> f64 {
        self.0[product.index()]
    }

    /// Adds this many times those of another, saturating at the largest finite number.
    pub fn add_times(&mut self, other: &Self, times: f64) {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            *own = (*own + other * times).min(f64::MAX);
        }
    }

    /// The same parts of `factor` times as many operations.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        for own in &mut self.0 {
            *own *= factor;
        }
        self
    }

    /// All operations together.
    pub fn total(&self) -> f64 {
        self.0.iter().sum::<f64>().min(f64::MAX)
    }

    /// Types with operations, in the order of [`ProductType::ALL`].
    pub fn parts(&self) -> impl Iterator<Item = (ProductType, f64)> + '_ {
        let all = ProductType::ALL.into_iter().zip(self.0);
        all.filter(|(_, flops)| *flops > 0.0)
    }

    /// The larger of each type.
    #[must_use]
    pub(super) fn larger(mut self, other: &Self) -> Self {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            *own = own.max(other);
        }
        self
    }
}

/// By position of the computation; computations without products are left out.
pub(crate) type ProductsByComputation = FxHashMap<usize, Products>;
