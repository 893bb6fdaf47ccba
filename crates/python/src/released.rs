//! Work with the GIL released, on threads that exist in this process.
//!
//! A forked child (`multiprocessing` forks on Linux before Python 3.14) has the memory of its
//! parent's threads but not the threads. Using rayon's global pool there would wait forever, so a
//! child gets its own pool.

use std::process;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// As much as a main thread has: in a child, analyses run on the pool's threads.
const STACK_BYTES: usize = 8 << 20;

/// The process that loaded this module and owns the global pool.
static LOADED_BY: OnceLock<u32> = OnceLock::new();

/// The pool of a forked child, with the child that created it.
static OF_CHILD: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Remembers which process loads this module.
pub(crate) fn remember_process() {
    LOADED_BY.get_or_init(process::id);
}

/// Runs `work` with the interpreter released.
pub(crate) fn released<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
    py.detach(|| match pool_of_child() {
        Some(pool) => pool.install(work),
        None => work(),
    })
}

/// The pool of this process, if it is a child that was forked after this module was loaded.
fn pool_of_child() -> Option<Arc<ThreadPool>> {
    let this = process::id();
    if *LOADED_BY.get_or_init(process::id) == this {
        return None;
    }
    let mut kept = OF_CHILD.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((made_by, pool)) = kept.as_ref()
        && *made_by == this
    {
        return Some(Arc::clone(pool));
    }
    let pool = ThreadPoolBuilder::new().stack_size(STACK_BYTES).build();
    let pool = Arc::new(pool.ok()?);
    // The old value belongs to a parent that was a child itself: its threads cannot be joined here.
    std::mem::forget(kept.replace((this, Arc::clone(&pool))));
    Some(pool)
}
