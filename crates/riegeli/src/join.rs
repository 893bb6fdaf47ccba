//! All records of a file, one after the other.

use rayon::prelude::*;

use crate::chunk::{Chunk, Chunks, claimed_bytes};
use crate::codec::zeroed;
use crate::lost::{Cause, Losses};

/// Chunks are decoded side by side until their records have this size.
const BATCH_BYTES: u64 = 64 << 20;
const BATCH_CHUNKS: usize = 1024;

/// The records of a file.
#[derive(Debug, Default)]
pub struct Joined {
    /// All records that could be read, in the order of the file.
    pub bytes: Vec<u8>,
    /// How many they are.
    pub records: u64,
    /// What could not be read.
    pub lost: Losses,
}

/// Why the records of a file were not joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JoinError {
    /// They are more than the limit.
    #[error("its records have {claimed} bytes or more")]
    TooLarge {
        /// Bytes of the records up to there.
        claimed: u64,
    },
    /// The caller has no memory for them.
    #[error("its records need {needed} bytes or more")]
    Refused {
        /// Bytes that were asked for.
        needed: u64,
    },
    /// They do not fit into memory.
    #[error("no memory left beyond its first {held} bytes")]
    Memory {
        /// Bytes of the records that did.
        held: u64,
    },
}

/// Joins the records of a file, which together have no more than `limit` bytes. `told` hears up to
/// which byte of the file it has come.
///
/// # Errors
///
/// [`JoinError`]. Damage is no error: see [`Joined::lost`].
pub fn join(file: &[u8], limit: u64, told: &dyn Fn(u64)) -> Result<Joined, JoinError> {
    join_within(file, limit, told, &mut |_| true)
}

/// [`join`], where `reserve` is asked for as much memory as is needed in all before any of it is
/// taken, chunk by chunk. Where it says no, joining ends.
///
/// # Errors
///
/// [`JoinError`].
pub fn join_within(
    file: &[u8],
    limit: u64,
    told: &dyn Fn(u64),
    reserve: &mut dyn FnMut(u64) -> bool,
) -> Result<Joined, JoinError> {
    let mut joined = Joined::default();
    // Grown once if the headers are right; memory that is never written to costs nothing.
    let expected = usize::try_from(claimed_bytes(file).min(limit)).unwrap_or(0);
    if joined.bytes.try_reserve_exact(expected).is_err() {
        joined.bytes = Vec::new();
    }
    let (mut batch, mut batch_bytes, mut claimed) = (Vec::new(), 0, 0_u64);
    for chunk in Chunks::new(file) {
        match chunk {
            Ok(chunk) if chunk.header.has_records() => {
                claimed = claimed.saturating_add(chunk.header.decoded_bytes);
                if claimed > limit {
                    return Err(JoinError::TooLarge { claimed });
                }
                batch_bytes += chunk.header.decoded_bytes;
                // Chunks that are decoded side by side are copied to their place.
                let needed = claimed.saturating_add(batch_bytes);
                if !reserve(needed) {
                    return Err(JoinError::Refused { needed });
                }
                batch.push(chunk);
            }
            Ok(_) => {}
            Err(lost) => {
                // So that losses stand in the order of the file.
                joined.decode(&mut batch, told)?;
                batch_bytes = 0;
                joined.lost.add(lost);
            }
        }
        if batch_bytes >= BATCH_BYTES || batch.len() >= BATCH_CHUNKS {
            joined.decode(&mut batch, told)?;
            batch_bytes = 0;
        }
    }
    joined.decode(&mut batch, told)?;
    Ok(joined)
}

impl Joined {
    fn decode(&mut self, batch: &mut Vec<Chunk<'_>>, told: &dyn Fn(u64)) -> Result<(), JoinError> {
        let end = batch.last().map(Chunk::end);
        if let [only] = batch.as_slice() {
            self.decode_one(only)?;
        } else {
            let decoded: Vec<Result<Vec<u8>, Cause>> = batch
                .par_iter()
                .map(|chunk| {
                    let size = usize::try_from(chunk.header.decoded_bytes);
                    let mut bytes = zeroed(size.map_err(|_| Cause::Malformed)?)?;
                    chunk.decode(&mut bytes).map(|()| bytes)
                })
                .collect();
            for (chunk, decoded) in batch.iter().zip(decoded) {
                match decoded {
                    Ok(bytes) => {
                        self.reserve(bytes.len())?;
                        self.bytes.extend_from_slice(&bytes);
                        self.records += chunk.header.records;
                    }
                    Err(cause) => self.lost.add(chunk.lost(cause)),
                }
            }
        }
        batch.clear();
        end.into_iter().for_each(told);
        Ok(())
    }

    /// Decodes a chunk into its place: the largest stand alone.
    fn decode_one(&mut self, chunk: &Chunk<'_>) -> Result<(), JoinError> {
        let start = self.bytes.len();
        let size = usize::try_from(chunk.header.decoded_bytes).unwrap_or(usize::MAX);
        self.reserve(size)?;
        self.bytes.resize(start + size, 0);
        match chunk.decode(&mut self.bytes[start..]) {
            Ok(()) => self.records += chunk.header.records,
            Err(cause) => {
                self.bytes.truncate(start);
                self.lost.add(chunk.lost(cause));
            }
        }
        Ok(())
    }

    fn reserve(&mut self, size: usize) -> Result<(), JoinError> {
        let held = self.bytes.len() as u64;
        let reserved = self.bytes.try_reserve(size);
        reserved.map_err(|_| JoinError::Memory { held })
    }
}
