//! Memory for replies, from a budget that the caller keeps.

use std::fmt;
use std::sync::Arc;

/// Memory of one reply. It is given back when this is dropped: once the profile is written.
pub trait Reservation: Send {
    /// Reserves until it has so many bytes.
    ///
    /// # Errors
    ///
    /// How much is left, as a person is told.
    fn grow_to(&mut self, bytes: u64) -> Result<(), String>;
}

/// Where memory for replies comes from; by default nobody counts it, and a reply may have 2 GiB.
#[derive(Clone, Default)]
pub struct Memory(Option<Arc<dyn Fn() -> Box<dyn Reservation> + Send + Sync>>);

impl Memory {
    /// Memory of a budget: `reserve` gives a reservation of nothing, which grows as a reply comes.
    pub fn of(reserve: impl Fn() -> Box<dyn Reservation> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(reserve)))
    }

    /// A reservation of nothing; none where nobody counts.
    pub(crate) fn reservation(&self) -> Option<Box<dyn Reservation>> {
        self.0.as_ref().map(|reserve| reserve())
    }
}

/// The same budget.
impl PartialEq for Memory {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (None, None) => true,
            _ => false,
        }
    }
}

impl Eq for Memory {}

impl fmt::Debug for Memory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.0.is_some() {
            "Memory(counted)"
        } else {
            "Memory"
        };
        formatter.write_str(name)
    }
}
