//! Roll-ups that other processes make in a shared folder: each writes the file of its session, and one
//! process writes all summaries. If every process wrote summaries, all would wait for one lock, and
//! the file would be written once per session.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::{Deserialize, Serialize};
use stepscope_storage::{NoProgress, SessionFiles};

use crate::catalog::Catalog;
use crate::error::CatalogError;
use crate::identity::key;
use crate::indexing::Todo;
use crate::making::make;
use crate::summaries::Entry;

/// A roll-up that is in the folder, while no summary says so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Unlisted {
    /// The line of the session among the summaries.
    pub entry: Entry,
    /// Whether a copy of the capture had its roll-up made before.
    pub is_copy: bool,
}

impl Catalog {
    /// Whether a session has a whole roll-up, and did not change since.
    pub fn is_indexed(&self, files: &SessionFiles) -> bool {
        let known = self.summaries().entry(files);
        known.and_then(|entry| self.checked(entry)).is_some()
    }

    /// Makes the roll-up of a session and leaves the summary to [`Catalog::list`].
    ///
    /// # Errors
    ///
    /// Why the session has no roll-up, as a sentence.
    pub fn make_unlisted(&self, todo: &Todo) -> Result<Unlisted, String> {
        let made = catch_unwind(AssertUnwindSafe(|| make(self, &todo.files, |_| NoProgress)));
        let made = made.map_err(|_| "an analysis failed with an internal error".to_owned())?;
        let made = made.map_err(|error| error.to_string())?;
        Ok(Unlisted {
            is_copy: made.is_known,
            entry: todo.entry(made),
        })
    }

    /// Writes the summaries of sessions whose roll-ups others made. Returns whether each one's roll-up
    /// is in this folder; the others are not listed.
    ///
    /// # Errors
    ///
    /// The folder cannot be written.
    pub fn list(&self, made: Vec<(&SessionFiles, Entry)>) -> Result<Vec<bool>, CatalogError> {
        // Others wrote since a bucket was asked.
        self.prepare()?;
        let mut listed = Vec::new();
        let here = made.into_iter().map(|(files, entry)| {
            let checked = self.checked(entry);
            let is_here = checked.is_some();
            listed.extend(checked.map(|entry| (key(files), entry)));
            is_here
        });
        let here = here.collect();
        self.add(listed)?;
        self.settle()?;
        Ok(here)
    }
}
