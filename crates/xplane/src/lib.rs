//! Lazy typed views over the bytes of an XSpace profile.
