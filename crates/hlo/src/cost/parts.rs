//! The operations of products in parts: what the model needs, and why the rest is not needed.

use super::product_type::Products;

/// The operations of products of one execution, divided by whether the model needs them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Needed {
    /// Needed, by type.
    pub products: Products,
    /// Not needed: they repeat earlier work to save memory.
    pub repeated: f64,
    /// Not needed: a causal mask hides them, or they multiply a row with groups that it does not belong
    /// to.
    pub masked: f64,
    /// Not needed: other devices compute the same.
    pub copied: f64,
}

impl Needed {
    /// All of these operations are needed.
    pub fn all(products: Products) -> Self {
        Self {
            products,
            ..Self::default()
        }
    }

    /// None is needed: they repeat earlier work.
    #[must_use]
    pub fn as_repeated(&self) -> Self {
        Self {
            repeated: self.total(),
            ..Self::default()
        }
    }

    /// Operations of the products, needed or not.
    pub fn total(&self) -> f64 {
        let all = self.products.total() + self.repeated + self.masked + self.copied;
        all.min(f64::MAX)
    }

    /// Adds this many times those of another.
    pub fn add_times(&mut self, other: &Self, times: f64) {
        let add = |own: &mut f64, other: f64| *own = (*own + other * times).min(f64::MAX);
        self.products.add_times(&other.products, times);
        add(&mut self.repeated, other.repeated);
        add(&mut self.masked, other.masked);
        add(&mut self.copied, other.copied);
    }

    /// The same parts of `factor` times as many operations.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        let mut scaled = Self::default();
        scaled.add_times(self, factor);
        scaled
    }
}
