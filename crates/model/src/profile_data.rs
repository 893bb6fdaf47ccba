//! The bytes of profile files, which sessions and programs keep.

use std::ops::Range;

/// The bytes of a profile file, however they are held.
pub trait ProfileData: AsRef<[u8]> + Send + Sync {
    /// The range has been read and will rarely be read again: a mapped file can release its pages,
    /// which the system reads again when they are accessed.
    fn release(&self, _range: Range<usize>) {}

    /// [`Self::release`] of the whole file.
    fn release_all(&self) {
        self.release(0..self.as_ref().len());
    }

    /// Why these are no longer the bytes that were opened, if so: a mapped file was written, or can
    /// no longer be read. A sentence that ends with the path.
    fn changed(&self) -> Option<String> {
        None
    }
}

impl ProfileData for Vec<u8> {}
impl ProfileData for &'static [u8] {}
