//! What a listing names: a file far away, as plain data that can be kept and compared.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

/// One file far away, in one version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Object {
    /// Where it is.
    pub url: String,
    /// Its path below the place that was listed, with `/` between the parts; its name where it was
    /// given itself.
    pub name: String,
    /// Its size.
    pub size_bytes: u64,
    /// When it was last written, in seconds since the Unix epoch.
    pub modified_epoch_s: Option<u64>,
    /// What changes when its content does: an entity tag, or the time it was written.
    pub version: String,
}

impl Object {
    /// When it was last written.
    pub fn modified(&self) -> Option<SystemTime> {
        let seconds = Duration::from_secs(self.modified_epoch_s?);
        SystemTime::UNIX_EPOCH.checked_add(seconds)
    }
}

/// What lies below a URL, or at it.
#[derive(Debug, Clone)]
pub struct Listing {
    /// Files, in the order of their names.
    pub objects: Vec<Object>,
    /// Whether the URL names the one file itself.
    pub is_file: bool,
    /// Why there may be more than is listed.
    pub cut: Option<String>,
    /// Where the place cannot be reached and this is how it was: since when, and why.
    pub offline: Option<Offline>,
}

/// That something kept stands in for what cannot be reached.
#[derive(Debug, Clone)]
pub struct Offline {
    /// When the listing was made.
    pub listed: SystemTime,
    /// Why the place cannot be reached, a sentence.
    pub reason: String,
}

/// What of a place is of interest, by names alone: of other files no more than the name is asked.
#[derive(Debug, Clone, Copy)]
pub struct Interest {
    /// Whether a file may be read.
    pub file: fn(&str) -> bool,
    /// Whether a folder is looked into.
    pub folder: fn(&str) -> bool,
    /// Files and folders looked at, at most.
    pub max_entries: usize,
    /// Levels of folders, at most.
    pub max_depth: usize,
}
