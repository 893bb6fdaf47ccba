//! Reading parts of a file: what came is kept, and a fetch of the whole goes on from there.

use std::io;
use std::ops::Range;

use crate::cache::{self, Entry};
use crate::error::RemoteError;
use crate::fetch::is_of_machine;
use crate::network;
use crate::object::Object;

/// A file far away that is read in parts. Others who want the file wait until it is closed or
/// dropped.
pub struct Parts {
    object: Object,
    /// Lent to a task while it fetches.
    entry: Option<Entry>,
}

impl Parts {
    /// None where [`crate::fetch`] is the way to go: the file is here already, or comes from a
    /// machine reached by ssh, which sends whole files.
    ///
    /// # Errors
    ///
    /// The cache cannot be written.
    pub fn open(object: &Object) -> Result<Option<Self>, RemoteError> {
        if is_of_machine(object) || cache::kept(object).is_some() {
            return Ok(None);
        }
        let begun = cache::begin(object);
        let entry = begun.map_err(|error| RemoteError::cache(&object.url, "write", &error))?;
        Ok(entry.map(|entry| Self {
            object: object.clone(),
            entry: Some(entry),
        }))
    }

    /// The bytes of these ranges, one range after the other. `progress` is told how many of them
    /// are here, on the calling thread.
    ///
    /// # Errors
    ///
    /// They cannot be had, or not be kept.
    pub fn read(
        &mut self,
        ranges: &[Range<u64>],
        progress: &dyn Fn(u64),
    ) -> Result<Vec<u8>, RemoteError> {
        self.fetch(ranges, progress)?;
        let Some(entry) = &self.entry else {
            return Err(network::lost(&self.object.url));
        };
        entry
            .read(ranges)
            .map_err(|error| RemoteError::cache(&self.object.url, "read", &error))
    }

    fn fetch(&mut self, ranges: &[Range<u64>], progress: &dyn Fn(u64)) -> Result<(), RemoteError> {
        let entry = self.entry.take();
        let entry = entry.ok_or_else(|| network::lost(&self.object.url))?;
        let (entry, filled) = network::fill(&self.object, entry, ranges, progress)?;
        self.entry = Some(entry);
        filled
    }

    /// Whether everything came by now: a server that knows no ranges sends whole files.
    pub fn is_whole(&self) -> bool {
        let whole = 0..self.object.size_bytes;
        let is_whole = |entry: &Entry| entry.missing(&whole).is_empty();
        self.entry.as_ref().is_some_and(is_whole)
    }

    /// Ends reading. A file of which everything came by now is a fetched file.
    ///
    /// # Errors
    ///
    /// The cache cannot be written.
    pub fn close(self) -> Result<(), RemoteError> {
        let is_whole = self.is_whole();
        let finished = match self.entry {
            Some(entry) if is_whole => entry.finish().map(drop),
            _ => io::Result::Ok(()),
        };
        cache::evict();
        finished.map_err(|error| RemoteError::cache(&self.object.url, "write", &error))
    }
}
