//! Turns of opening sessions: what is opened at the same time has a limit of sessions and of bytes,
//! because columns take memory before they are finished; the rest waits in the order of the questions.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use stepscope_storage::memory_budget;
use tokio::sync::Semaphore;

/// Most sessions that are opened at the same time: each uses several processors by itself.
const MOST_AT_ONCE: usize = 6;

/// Sessions at a time for which something is computed ahead.
const MOST_SETTLING: usize = 4;

/// Files that are read at the same time have one part in so many of the memory budget: columns, and
/// what packed files hold, take several times as much.
const OPENING_PARTS: u64 = 8;

/// Work that waits for its turn. It gets the turn, and drops it where others may begin.
type Job = Box<dyn FnOnce(Turn) + Send>;

/// What opens sessions of a library.
pub(crate) struct Openings {
    pub(crate) turns: Arc<Turns>,
    /// Threads that compute something ahead for a session that was opened.
    pub(crate) settling: Semaphore,
}

impl Openings {
    /// Within the budget of the process.
    pub(crate) fn of_process() -> Self {
        Self {
            turns: Turns::new(memory_budget() / OPENING_PARTS),
            settling: Semaphore::new(MOST_SETTLING),
        }
    }
}

/// Who opens, and who waits.
pub(crate) struct Turns {
    most_bytes: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: usize,
    running_bytes: u64,
    waiting: VecDeque<(u64, String, Job)>,
}

/// One of those that open, until it is dropped.
pub(crate) struct Turn {
    turns: Arc<Turns>,
    bytes: u64,
}

impl Turns {
    /// Of files with so many bytes at the same time, or one with more.
    pub(crate) fn new(most_bytes: u64) -> Arc<Self> {
        Arc::new(Self {
            most_bytes,
            state: Mutex::default(),
        })
    }

    /// Runs the job on a thread of this name when it is its turn. A job whose thread cannot be started
    /// is dropped.
    pub(crate) fn take(
        self: &Arc<Self>,
        bytes: u64,
        name: String,
        job: impl FnOnce(Turn) + Send + 'static,
    ) {
        self.state().waiting.push_back((bytes, name, Box::new(job)));
        self.go_on();
    }

    fn go_on(self: &Arc<Self>) {
        while let Some((bytes, name, job)) = self.next() {
            let turn = Turn {
                turns: Arc::clone(self),
                bytes,
            };
            let thread = std::thread::Builder::new().name(name);
            if let Err(error) = thread.spawn(move || job(turn)) {
                // The job was dropped, and its turn with it, which lets the next one begin.
                tracing::warn!(%error, "cannot start a thread");
                return;
            }
        }
    }

    /// The first that waits, if it may begin.
    fn next(&self) -> Option<(u64, String, Job)> {
        let mut state = self.state();
        let bytes = state.waiting.front()?.0;
        let fits = state.running_bytes.saturating_add(bytes) <= self.most_bytes;
        if state.running > 0 && (state.running >= MOST_AT_ONCE || !fits) {
            return None;
        }
        state.running += 1;
        state.running_bytes = state.running_bytes.saturating_add(bytes);
        state.waiting.pop_front()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        {
            let mut state = self.turns.state();
            state.running -= 1;
            state.running_bytes = state.running_bytes.saturating_sub(self.bytes);
        }
        self.turns.go_on();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    /// Most jobs with these bytes that ran at the same time, and the order in which they began.
    fn most_of(most_bytes: u64, jobs: &[u64]) -> (usize, Vec<usize>) {
        let turns = Turns::new(most_bytes);
        let running = Arc::new(AtomicUsize::new(0));
        let (told, heard) = mpsc::channel();
        for (number, &bytes) in jobs.iter().enumerate() {
            let (running, told) = (Arc::clone(&running), told.clone());
            turns.take(bytes, format!("open-{number}"), move |_turn| {
                let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                std::thread::sleep(Duration::from_millis(20));
                running.fetch_sub(1, Ordering::SeqCst);
                told.send((number, now)).expect("somebody listens");
            });
        }
        drop(told);
        let all: Vec<(usize, usize)> = heard.iter().collect();
        let most = all.iter().map(|&(_, now)| now).max();
        (most.unwrap_or(0), all.iter().map(|&(at, _)| at).collect())
    }

    #[test]
    fn all_have_their_turn_and_never_too_many_at_once() {
        let (most, order) = most_of(u64::MAX, &[1; 40]);
        assert!((2..=MOST_AT_ONCE).contains(&most), "{most}");
        assert_eq!(order.len(), 40);
    }

    #[test]
    fn large_ones_go_one_by_one_in_order() {
        let (most, order) = most_of(100, &[60, 50, 500, 70]);
        assert_eq!((most, order), (1, vec![0, 1, 2, 3]));
    }

    #[test]
    fn one_that_panics_gives_its_turn_back() {
        let turns = Turns::new(1);
        let (told, heard) = mpsc::channel();
        for _ in 0..3 {
            turns.take(1, "open-x".to_owned(), |_turn| {
                std::panic::panic_any("as this test wants");
            });
        }
        turns.take(1, "open-y".to_owned(), move |_turn| {
            told.send(()).expect("somebody listens");
        });
        let last = heard.recv_timeout(Duration::from_secs(20));
        assert!(last.is_ok(), "it waits forever");
    }
}
