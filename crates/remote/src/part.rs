//! Part of a file on its way here.

use bytes::Bytes;
use futures_util::stream::BoxStream;

use crate::error::RemoteError;

/// Part of a file as it arrives.
pub(crate) struct Part {
    /// Whether it is the part asked for, and not the whole file.
    pub(crate) is_part: bool,
    pub(crate) bytes: BoxStream<'static, Result<Bytes, RemoteError>>,
}
