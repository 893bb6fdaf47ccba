//! Indexing many sessions at the same time.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

use stepscope_storage::{Encoding, Progress, SessionFiles, memory_budget};

use crate::catalog::Catalog;
use crate::error::CatalogError;
use crate::identity::key;
use crate::locked::lock;
use crate::making::{Made, MakeError, make};
use crate::summaries::Entry;

/// Memory that a session takes, per byte of a plain and of a compressed file. An estimate that
/// decides how many are open at a time.
const PLAIN_WEIGHT: u64 = 3;
const COMPRESSED_WEIGHT: u64 = 20;

/// A session to be indexed.
#[derive(Debug, Clone)]
pub struct Todo {
    /// Its files.
    pub files: SessionFiles,
    /// Where it is, for people.
    pub location: String,
}

impl Todo {
    /// What is known of it once its roll-up is made.
    pub(crate) fn entry(&self, made: Made) -> Entry {
        Entry {
            name: self.files.name.clone(),
            location: self.location.clone(),
            address: made.address,
            bytes: made.written.bytes,
            version: made.written.version,
            summary: made.summary,
        }
    }
}

/// Hears how far it is.
pub trait Listener: Sync {
    /// So many bytes of a session's files were read.
    fn bytes(&self, more: u64);
    /// A session is done: why it has no roll-up, if so.
    fn done(&self, name: &str, failure: Option<&str>);
}

/// What became of the sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Roll-ups that were made.
    pub made_count: usize,
    /// Sessions whose capture is a copy of one that was indexed before.
    pub copy_count: usize,
    /// Sessions that did not change since.
    pub unchanged_count: usize,
    /// Names of sessions without a roll-up, with the reason, in order.
    pub failed: Vec<(String, String)>,
}

/// Makes sure that these sessions have a roll-up: several at a time, as far as memory allows.
///
/// # Errors
///
/// The catalog cannot be written.
pub fn index(
    catalog: &Catalog,
    todo: &[Todo],
    threads: usize,
    listener: &dyn Listener,
) -> Result<Outcome, CatalogError> {
    let work = Work {
        catalog,
        listener,
        queue: Mutex::new(todo.iter().collect()),
        later: Mutex::default(),
        gate: Gate::new(memory_budget()),
        results: Mutex::new(Results {
            flushed: Instant::now(),
            fresh: Vec::new(),
            outcome: Outcome::default(),
            failed: None,
        }),
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.clamp(1, todo.len().max(1)) {
            scope.spawn(|| work.run());
        }
        work.run();
    });
    // Alone, each has all the memory there is.
    for todo in std::mem::take(&mut *lock(&work.later)) {
        work.session(todo, Retry::No);
    }
    let mut results = work
        .results
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    catalog.add(std::mem::take(&mut results.fresh))?;
    if let Some(error) = results.failed {
        return Err(error);
    }
    catalog.settle()?;
    results.outcome.failed.sort();
    Ok(results.outcome)
}

struct Work<'a> {
    catalog: &'a Catalog,
    listener: &'a dyn Listener,
    queue: Mutex<VecDeque<&'a Todo>>,
    /// What needs more memory than others leave.
    later: Mutex<Vec<&'a Todo>>,
    gate: Gate,
    results: Mutex<Results>,
}

struct Results {
    flushed: Instant,
    fresh: Vec<(String, Entry)>,
    outcome: Outcome,
    failed: Option<CatalogError>,
}

/// Whether a session that lacks memory is tried again later.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Retry {
    Yes,
    No,
}

impl<'a> Work<'a> {
    fn run(&self) {
        loop {
            if lock(&self.results).failed.is_some() {
                return;
            }
            let Some(todo) = lock(&self.queue).pop_front() else {
                return;
            };
            self.session(todo, Retry::Yes);
        }
    }

    fn session(&self, todo: &'a Todo, retry: Retry) {
        let name = &todo.files.name;
        if let Some(known) = self.catalog.summaries().entry(&todo.files)
            && let Some(checked) = self.catalog.checked(known.clone())
        {
            self.listener.bytes(todo.files.size_bytes);
            let mut results = lock(&self.results);
            results.outcome.unchanged_count += 1;
            // Another version in a bucket, which was found to be whole.
            if checked != known {
                results.fresh.push((key(&todo.files), checked));
            }
            drop(results);
            return self.listener.done(name, None);
        }
        let passed = self.gate.pass(weight(&todo.files));
        let progress = |_| Reading {
            listener: self.listener,
            done: Mutex::new(0),
        };
        let made = catch_unwind(AssertUnwindSafe(|| {
            make(self.catalog, &todo.files, progress)
        }));
        drop(passed);
        let failure = match made {
            Ok(Ok(made)) => return self.keep(todo, made),
            Ok(Err(error)) if retry == Retry::Yes && error.lacks_memory() => {
                return lock(&self.later).push(todo);
            }
            Ok(Err(MakeError::Catalog(error))) => {
                let text = error.to_string();
                lock(&self.results).failed = Some(error);
                text
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => "an analysis failed with an internal error".to_owned(),
        };
        self.listener.done(name, Some(&failure));
        lock(&self.results)
            .outcome
            .failed
            .push((name.clone(), failure));
    }

    fn keep(&self, todo: &Todo, made: Made) {
        let mut results = lock(&self.results);
        if made.is_known {
            results.outcome.copy_count += 1;
        } else {
            results.outcome.made_count += 1;
        }
        results.fresh.push((key(&todo.files), todo.entry(made)));
        if results.flushed.elapsed() > self.catalog.flushed_every() {
            results.flushed = Instant::now();
            let fresh = std::mem::take(&mut results.fresh);
            if let Err(error) = self.catalog.add(fresh) {
                results.failed = Some(error);
            }
        }
        drop(results);
        self.listener.done(&todo.files.name, None);
    }
}

fn weight(files: &SessionFiles) -> u64 {
    let of_file = |file: &stepscope_storage::HostFile| {
        let is_plain = file.encoding == Encoding::Plain && file.entry.is_none();
        let weight = if is_plain {
            PLAIN_WEIGHT
        } else {
            COMPRESSED_WEIGHT
        };
        file.size_bytes.saturating_mul(weight)
    };
    files.files().map(of_file).sum()
}

/// Lets so many pass that their weights fit; what does not fit at all passes alone.
struct Gate {
    limit: u64,
    used: Mutex<u64>,
    left: Condvar,
}

struct Passed<'a>(&'a Gate, u64);

impl Gate {
    fn new(limit: u64) -> Self {
        Self {
            limit,
            used: Mutex::default(),
            left: Condvar::new(),
        }
    }

    fn pass(&self, weight: u64) -> Passed<'_> {
        let weight = weight.min(self.limit);
        let fits = |used: &mut u64| *used + weight > self.limit;
        let used = self.left.wait_while(lock(&self.used), fits);
        *used.unwrap_or_else(PoisonError::into_inner) += weight;
        Passed(self, weight)
    }
}

impl Drop for Passed<'_> {
    fn drop(&mut self) {
        *lock(&self.0.used) -= self.1;
        self.0.left.notify_all();
    }
}

/// Hears of one file.
struct Reading<'a> {
    listener: &'a dyn Listener,
    done: Mutex<u64>,
}

impl Progress for Reading<'_> {
    fn bytes(&self, done: u64, _total: Option<u64>) {
        let mut before = lock(&self.done);
        self.listener.bytes(done.saturating_sub(*before));
        *before = done;
    }
}
