//! Bytes and allocations, now and in the snapshot compared with.

use std::ops::AddAssign;

use clap::ValueEnum;

use super::report::HeapChange;

/// What rows are ranked and shared by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum HeapBy {
    /// Bytes.
    #[default]
    Bytes,
    /// Allocations.
    Allocations,
}

impl HeapBy {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Allocations => "allocations",
        }
    }
}

/// Bytes, and the number of allocations they belong to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Amount {
    pub(super) bytes: i64,
    pub(super) allocations: i64,
}

impl Amount {
    pub(super) const fn by(self, by: HeapBy) -> i64 {
        match by {
            HeapBy::Bytes => self.bytes,
            HeapBy::Allocations => self.allocations,
        }
    }

    pub(super) const fn minus(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_sub(other.bytes),
            allocations: self.allocations.saturating_sub(other.allocations),
        }
    }

    const fn is_nothing(self) -> bool {
        self.bytes == 0 && self.allocations == 0
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.allocations = self.allocations.saturating_add(other.allocations);
    }
}

/// An amount in both snapshots. Without a comparison, `then` is zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) now: Amount,
    pub(super) then: Amount,
}

impl Pair {
    pub(super) const fn change(self) -> Amount {
        self.now.minus(self.then)
    }

    /// The larger of the two amounts. The tree weighs its nodes by this, so that stacks that are new
    /// or gone count too.
    pub(super) fn weight(self, by: HeapBy) -> i64 {
        let (now, then) = (self.now.by(by), self.then.by(by));
        now.saturating_abs().max(then.saturating_abs())
    }

    pub(super) const fn state(self, by: HeapBy) -> HeapChange {
        let (now, then) = (self.now.by(by), self.then.by(by));
        if self.then.is_nothing() {
            HeapChange::New
        } else if self.now.is_nothing() {
            HeapChange::Gone
        } else if now > then {
            HeapChange::Grown
        } else if now < then {
            HeapChange::Shrunk
        } else {
            HeapChange::Same
        }
    }
}

impl AddAssign for Pair {
    fn add_assign(&mut self, other: Self) {
        self.now += other.now;
        self.then += other.then;
    }
}
