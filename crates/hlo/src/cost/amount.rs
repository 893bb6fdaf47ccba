//! An amount of work: operations and bytes, and what they were found by.

/// What one execution of an instruction costs. Never negative, infinite or not a number.
///
/// A fusion or call costs what its body costs in operations. A `while` counts body and condition
/// once, whatever its trip count, because a profile has an event for every iteration of the
/// body: never add the cost of a loop, call or branch to the cost of what is inside.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cost {
    /// Operations as the mathematics has them, whatever their type: narrow types have peaks of their
    /// own.
    pub flops: f64,
    /// Elements of exponentials, logarithms, roots and the like, which are not in `flops`.
    pub transcendentals: f64,
    /// Bytes read and written in device memory, assuming nothing stays in a cache.
    pub bytes_accessed: f64,
    /// What the operations were found by; of several parts the least sure.
    pub basis: CostBasis,
}

/// What the operations of a cost were found by, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum CostBasis {
    /// The rules of the instructions' opcodes, and of library calls that say what they contract.
    #[default]
    Rules,
    /// The shapes of a call that is known by its name: attention, products of other libraries.
    Shapes,
    /// The estimate that the kernel's author put into the call.
    Estimate,
    /// An opaque call is part of it: what it computes is unknown, and counts as zero.
    Unknown,
}

impl Cost {
    /// An amount of plain operations.
    pub(super) fn of_flops(flops: f64) -> Self {
        Self {
            flops,
            ..Self::default()
        }
    }

    pub(super) fn of_transcendentals(transcendentals: f64) -> Self {
        Self {
            transcendentals,
            ..Self::default()
        }
    }

    pub(super) fn with_bytes(self, bytes_accessed: f64) -> Self {
        Self {
            bytes_accessed,
            ..self
        }
    }

    /// Property by property.
    fn map2(self, other: Self, combine: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            flops: combine(self.flops, other.flops),
            transcendentals: combine(self.transcendentals, other.transcendentals),
            bytes_accessed: combine(self.bytes_accessed, other.bytes_accessed),
            basis: self.basis.max(other.basis),
        }
    }

    /// Sum, saturating at the largest finite number.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.map2(other, |left, right| left + right).saturated()
    }

    /// The larger of each property.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        self.map2(other, f64::max)
    }

    /// The operations, not the bytes, of `count` repetitions.
    pub(super) fn operations_times(self, count: f64) -> Self {
        let times = Self::of_flops(count);
        let scaled = self.map2(
            Self {
                transcendentals: count,
                ..times
            },
            |left, right| left * right,
        );
        scaled.with_bytes(0.0).saturated()
    }

    /// Brings results of hostile sizes back among the finite numbers.
    pub(super) fn saturated(self) -> Self {
        self.map2(Self::default(), |value, _| {
            if value.is_nan() {
                0.0
            } else {
                value.clamp(0.0, f64::MAX)
            }
        })
    }
}
