//! How a capture is ended from outside: first politely, then at once.

use std::sync::Arc;

use tokio::sync::watch;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Running,
    Finishing,
    Aborted,
}

/// Ends a capture. Clones end the same one.
#[derive(Debug, Clone)]
pub struct Cancel {
    stage: Arc<watch::Sender<Stage>>,
}

impl Default for Cancel {
    fn default() -> Self {
        Self {
            stage: Arc::new(watch::Sender::new(Stage::Running)),
        }
    }
}

impl Cancel {
    /// Nothing is ended yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the recording early: the hosts are told, and what they have recorded is kept.
    pub fn finish(&self) {
        self.raise(Stage::Finishing);
    }

    /// Gives up at once: only what came already is kept.
    pub fn abort(&self) {
        self.raise(Stage::Aborted);
    }

    /// Whether the capture is to end.
    pub fn is_finishing(&self) -> bool {
        *self.stage.borrow() >= Stage::Finishing
    }

    /// Whether the capture was given up.
    pub fn is_aborted(&self) -> bool {
        *self.stage.borrow() == Stage::Aborted
    }

    /// Waits until the capture is to end.
    pub async fn finishing(&self) {
        self.reached(Stage::Finishing).await;
    }

    /// Waits until the capture is given up.
    pub async fn aborted(&self) {
        self.reached(Stage::Aborted).await;
    }

    fn raise(&self, stage: Stage) {
        self.stage.send_if_modified(|now| {
            let is_later = stage > *now;
            *now = stage.max(*now);
            is_later
        });
    }

    async fn reached(&self, stage: Stage) {
        // The sender lives as long as this, so there is no error to wait for.
        let _ = self.stage.subscribe().wait_for(|now| *now >= stage).await;
    }
}
