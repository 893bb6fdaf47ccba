//! How this crate locks.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Whoever panicked left it as it is.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
