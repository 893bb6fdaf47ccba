//! How the library opens its sessions, and closes others to make room.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use stepscope_model::{Reads, Session};
use stepscope_storage::{FileStamps, SessionFiles, memory_budget};

use crate::error::panic_text;
use crate::library::Library;
use crate::opening::{OpenError, OpenProgress, open_reading};
use crate::slot::{OpenSession, PartsRead, Slot, State};
use crate::turns::Turn;

/// Maximum number of open sessions.
pub(crate) const MAX_OPEN: usize = 24;

/// Maximum bytes of files and columns of open sessions, not counting the session used last.
const MAX_OPEN_BYTES: u64 = 12 << 30;

/// How long to wait before computing ahead, so that the first requests for a session go first.
const SETTLING: Duration = Duration::from_millis(500);

impl Library {
    /// Adds a session that was opened elsewhere, so that it is not opened again. Returns its key in
    /// routes; none if the library does not know these files.
    pub fn adopt(&self, files: &SessionFiles, session: Session) -> Option<String> {
        let slot = self.slot(&self.key_of(files)?)?;
        let open = Arc::new(OpenSession::of_files(session, FileStamps::of(files)));
        slot.open(&open);
        // Without the thread, tiles and searches compute what they need on request.
        let thread = std::thread::Builder::new().name(format!("fill-{}", slot.key));
        let _ = thread.spawn(move || {
            std::thread::sleep(SETTLING);
            open.timeline.fill(&open.session);
        });
        Some(slot.key.clone())
    }

    pub(crate) fn begin(self: &Arc<Self>, slot: &Arc<Slot>, reads: Reads) {
        let Some(files) = &slot.files else { return };
        let progress = Arc::new(OpenProgress::new(files));
        if !slot.begin(reads, &progress) {
            return;
        }
        let (library, begun) = (Arc::clone(self), Begun(Some(Arc::clone(slot))));
        let job = move |turn: Turn| {
            if let Some(slot) = begun.goes_on() {
                library.open_now(&slot, reads, &progress, turn);
            }
        };
        let name = format!("open-{}", slot.key);
        self.openings.turns.take(files.size_bytes, name, job);
    }

    fn open_now(&self, slot: &Slot, reads: Reads, progress: &OpenProgress, turn: Turn) {
        let Some(files) = &slot.files else { return };
        let began = Instant::now();
        let opened = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let stamps = FileStamps::of(files);
            let opened = match open_reading(files, reads, progress) {
                Err(error) if error.lacks_memory && self.close_all() => {
                    open_reading(files, reads, progress)?
                }
                opened => opened?,
            };
            let open = Arc::new(OpenSession::of_files(opened.session, stamps));
            Ok((open, opened.left_out_bytes))
        }));
        let opened =
            opened.unwrap_or_else(|panic| Err(OpenError::defect(&panic_text(panic.as_ref()))));
        match opened {
            Ok((open, left_out_bytes)) => {
                tracing::info!(name = files.name, elapsed = ?began.elapsed(), left_out_bytes, "session opened");
                open.use_now();
                if left_out_bytes > 0 {
                    slot.hold_parts(open, left_out_bytes);
                    return self.make_room();
                }
                slot.open(&open);
                // Only followed: a session that is closed meanwhile is not held open by this.
                let followed = Arc::downgrade(&open);
                drop(open);
                self.make_room();
                drop(turn);
                self.fill_later(&followed);
            }
            Err(error) => {
                tracing::warn!(name = files.name, %error, "session cannot be opened");
                slot.fail(error);
            }
        }
    }

    /// Computes what tiles and searches need, unless many sessions were just opened: then they
    /// compute it on request.
    fn fill_later(&self, followed: &Weak<OpenSession>) {
        let Ok(_settling) = self.openings.settling.try_acquire() else {
            return;
        };
        // Leave the cores to the tile request that follows.
        std::thread::sleep(SETTLING);
        if let Some(open) = followed.upgrade() {
            open.timeline.fill(&open.session);
        }
    }

    /// Open sessions that can be opened again, with their slots.
    fn held(&self) -> Vec<(Arc<OpenSession>, Arc<Slot>)> {
        let slots = self.slots().into_iter();
        let again = slots.filter(|slot| slot.files.is_some());
        let open = again.filter_map(|slot| match slot.state() {
            State::Open(open) | State::InParts(PartsRead { open, .. }) => Some((open, slot)),
            _ => None,
        });
        open.collect()
    }

    /// Closes every session for one that lacks memory. Whether there was one.
    fn close_all(&self) -> bool {
        let held = self.held();
        for (open, slot) in &held {
            slot.close(open);
        }
        !held.is_empty()
    }

    /// Closes the least recently used sessions while there are too many, but never the latest one.
    fn make_room(&self) {
        let most_bytes = MAX_OPEN_BYTES.min(memory_budget());
        let mut held = self.held();
        held.sort_by_cached_key(|(open, _)| std::cmp::Reverse(open.last_used()));
        let mut bytes = 0;
        for (position, (open, slot)) in held.iter().enumerate() {
            bytes += open.size_bytes;
            if position > 0 && (position >= MAX_OPEN || bytes > most_bytes) {
                slot.close(open);
            }
        }
    }
}

/// A session whose opening was begun. If it never has its turn, for lack of threads, it has failed:
/// somebody waits for it.
struct Begun(Option<Arc<Slot>>);

impl Begun {
    /// It has its turn.
    fn goes_on(mut self) -> Option<Arc<Slot>> {
        self.0.take()
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if let Some(slot) = self.0.take() {
            slot.fail(OpenError::defect("no thread can be started for it"));
        }
    }
}
