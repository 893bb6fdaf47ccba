//! The compressions of a chunk's parts.

use std::io::Read as _;

use crate::lost::Cause;
use crate::varint::Cursor;

/// How all parts of a chunk are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Codec {
    None,
    Brotli,
    Zstd,
    Snappy,
}

impl Codec {
    pub(crate) fn of(byte: u8) -> Result<Self, Cause> {
        match byte {
            0 => Ok(Self::None),
            b'b' => Ok(Self::Brotli),
            b'z' => Ok(Self::Zstd),
            b's' => Ok(Self::Snappy),
            other => Err(Cause::UnknownCompression(other)),
        }
    }

    /// The size a part unfolds to, which stands before compressed data, and the data.
    pub(crate) fn open(self, part: &[u8]) -> Result<(usize, &[u8]), Cause> {
        if self == Self::None {
            return Ok((part.len(), part));
        }
        let mut cursor = Cursor(part);
        let size = cursor.size()?;
        Ok((size, cursor.0))
    }

    /// Unfolds data into `into`, which has its size: no more and no less.
    pub(crate) fn unfold(self, data: &[u8], into: &mut [u8]) -> Result<(), Cause> {
        let is_whole = match self {
            Self::None => {
                let fits = data.len() == into.len();
                if fits {
                    into.copy_from_slice(data);
                }
                fits
            }
            Self::Brotli => unfold_brotli(data, into),
            Self::Zstd => {
                zstd::bulk::decompress_to_buffer(data, into).is_ok_and(|count| count == into.len())
            }
            Self::Snappy => {
                snap::raw::decompress_len(data).is_ok_and(|size| size == into.len())
                    && snap::raw::Decoder::new().decompress(data, into).is_ok()
            }
        };
        if is_whole {
            Ok(())
        } else {
            Err(Cause::Malformed)
        }
    }

    /// Unfolds a part into memory of its own, if that is not more than `budget`, which it takes from.
    pub(crate) fn unfold_part(self, part: &[u8], budget: &mut usize) -> Result<Vec<u8>, Cause> {
        let (size, data) = self.open(part)?;
        *budget = budget.checked_sub(size).ok_or(Cause::Malformed)?;
        let mut unfolded = zeroed(size)?;
        self.unfold(data, &mut unfolded)?;
        Ok(unfolded)
    }
}

fn unfold_brotli(data: &[u8], into: &mut [u8]) -> bool {
    let mut reader = brotli_decompressor::Decompressor::new(data, 4096);
    let is_filled = reader.read_exact(into).is_ok();
    is_filled && matches!(reader.read(&mut [0]), Ok(0))
}

/// Memory that costs nothing until it is written to.
pub(crate) fn zeroed(size: usize) -> Result<Vec<u8>, Cause> {
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(size)
        .map_err(|_| Cause::Malformed)?;
    bytes.resize(size, 0);
    Ok(bytes)
}
