//! Fair shares of the processors: a limited number of computations run at once, and those that wait
//! have their turn by what they ask for, one each in turn. Five hundred tiles of one session keep
//! neither a report nor the tiles of another session waiting for all of them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// What is asked for: the session, if it is about one, and what of it.
pub(crate) type Kind = (u64, String);

/// Who computes, and who waits.
pub(crate) struct Shares {
    state: Mutex<State>,
}

struct State {
    /// How many more may begin.
    free: usize,
    /// Those that wait, by what they ask for; the next one to have a turn is first. None is empty.
    waiting: VecDeque<(Kind, VecDeque<oneshot::Sender<Share>>)>,
}

/// One of those that compute, until it is dropped.
pub(crate) struct Share(Arc<Shares>);

impl Shares {
    /// For so many computations at once.
    pub(crate) fn new(count: usize) -> Arc<Self> {
        let state = State {
            free: count.max(1),
            waiting: VecDeque::new(),
        };
        Arc::new(Self {
            state: Mutex::new(state),
        })
    }

    /// Waits for a turn. Giving up while it waits costs nobody a turn.
    pub(crate) async fn take(self: &Arc<Self>, kind: Kind) -> Option<Share> {
        let turn = {
            let mut state = self.state();
            if state.free > 0 {
                state.free -= 1;
                return Some(Share(Arc::clone(self)));
            }
            let (sender, turn) = oneshot::channel();
            let known = state.waiting.iter_mut().find(|(known, _)| *known == kind);
            match known {
                Some((_, queue)) => queue.push_back(sender),
                None => state.waiting.push_back((kind, [sender].into())),
            }
            turn
        };
        // Senders are dropped only after they were used.
        turn.await.ok()
    }

    /// The next one that waits; if there is none, one more may begin.
    fn next(&self) -> Option<oneshot::Sender<Share>> {
        let mut state = self.state();
        while let Some((kind, mut queue)) = state.waiting.pop_front() {
            // Those that gave up are left out.
            let live = std::iter::from_fn(|| queue.pop_front()).find(|one| !one.is_closed());
            if !queue.is_empty() {
                state.waiting.push_back((kind, queue));
            }
            if live.is_some() {
                return live;
            }
        }
        state.free += 1;
        None
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        // One that gives up at this moment gets a share, and drops it: the next one has it then.
        if let Some(next) = self.0.next() {
            let _ = next.send(Self(Arc::clone(&self.0)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn kind(name: &str) -> Kind {
        (0, name.to_owned())
    }

    /// Begins to wait, for one kind after the other. Returns the order in which they have turns.
    async fn order(shares: &Arc<Shares>, kinds: &[&'static str]) -> Vec<&'static str> {
        let first = shares.take(kind("first")).await;
        let told = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = Vec::new();
        for &name in kinds {
            let (shares, told) = (Arc::clone(shares), Arc::clone(&told));
            tasks.push(tokio::spawn(async move {
                let _share = shares.take(kind(name)).await;
                told.lock().expect("no panic").push(name);
            }));
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        drop(first);
        for task in tasks {
            task.await.expect("no panic");
        }
        std::mem::take(&mut *told.lock().expect("no panic"))
    }

    #[tokio::test]
    async fn kinds_take_turns() {
        let shares = Shares::new(1);
        let found = order(&shares, &["a", "a", "a", "a", "b", "c", "b"]).await;
        assert_eq!(found, ["a", "b", "c", "a", "b", "a", "a"]);
        let again = shares.take(kind("x")).await;
        assert!(again.is_some());
    }

    #[tokio::test]
    async fn those_that_give_up_cost_no_turn() {
        let shares = Shares::new(2);
        let held = [shares.take(kind("a")).await, shares.take(kind("a")).await];
        for _ in 0..100 {
            let waiting = shares.take(kind("a"));
            let waited = tokio::time::timeout(Duration::from_micros(100), waiting).await;
            assert!(waited.is_err());
        }
        let last = tokio::spawn({
            let shares = Arc::clone(&shares);
            async move { shares.take(kind("a")).await.is_some() }
        });
        tokio::time::sleep(Duration::from_millis(5)).await;
        drop(held);
        assert!(last.await.expect("no panic"));
        let both = [shares.take(kind("b")).await, shares.take(kind("b")).await];
        assert!(both.iter().all(Option::is_some));
        let third = shares.take(kind("b"));
        let third = tokio::time::timeout(Duration::from_millis(20), third).await;
        assert!(third.is_err(), "there are two shares");
    }
}
