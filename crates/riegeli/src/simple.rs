//! Simple chunks: sizes of records in one part, all records in another.

use crate::codec::Codec;
use crate::lost::Cause;
use crate::varint::Cursor;

/// Writes all records into `into`. Their sizes are passed over: only their sum counts here.
pub(crate) fn decode(data: &[u8], into: &mut [u8]) -> Result<(), Cause> {
    let mut cursor = Cursor(data);
    let codec = Codec::of(cursor.byte()?)?;
    let sizes_bytes = cursor.size()?;
    cursor.take(sizes_bytes)?;
    let (size, values) = codec.open(cursor.0)?;
    if size != into.len() {
        return Err(Cause::Malformed);
    }
    codec.unfold(values, into)
}
