//! Results that are computed once per session and stored with it.
//!
//! A session never changes once built, so results that depend only on it can be kept: the next view
//! needs the same busy times and totals again.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Results = HashMap<TypeId, Arc<dyn Any + Send + Sync>>;

/// Results by their type.
#[derive(Default)]
pub struct Memo {
    results: Mutex<Results>,
}

impl Memo {
    /// The result of this type, computed if it does not exist yet.
    ///
    /// Nothing is locked during the computation: two callers at the same time may both compute it,
    /// and one result is kept. Waiting instead could deadlock, since computations share a thread
    /// pool, and a thread that waits for its parts may be given the other caller.
    pub fn get_or_compute<T: Send + Sync + 'static>(&self, compute: impl FnOnce() -> T) -> Arc<T> {
        if let Some(known) = self.get() {
            return known;
        }
        let fresh = Arc::new(compute());
        let mut results = self.lock();
        let kept = results
            .entry(TypeId::of::<T>())
            .or_insert_with(|| Arc::clone(&fresh) as Arc<dyn Any + Send + Sync>);
        Arc::clone(kept).downcast().unwrap_or(fresh)
    }

    fn get<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        let known = self.lock().get(&TypeId::of::<T>()).cloned()?;
        known.downcast().ok()
    }

    fn lock(&self) -> MutexGuard<'_, Results> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Memo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Memo({} results)", self.lock().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_computed_once_and_types_do_not_meet() {
        let memo = Memo::default();
        assert_eq!(*memo.get_or_compute(|| 5u32), 5);
        assert_eq!(*memo.get_or_compute(|| 6u32), 5);
        assert_eq!(*memo.get_or_compute(|| "other"), "other");
        assert_eq!(format!("{memo:?}"), "Memo(2 results)");
    }
}
