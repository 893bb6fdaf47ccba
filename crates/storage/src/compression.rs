//! Decompressing streams: metered reading, bomb protection, collecting into memory.

use std::cell::{Cell, RefCell};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::rc::Rc;

use flate2::bufread::MultiGzDecoder;
use zstd::stream::read::Decoder as ZstdDecoder;

use crate::budget::{Reserved, Short};
use crate::encoding::Encoding;
use crate::error::{StorageError, plain_reason};
use crate::limits::Limits;
use crate::progress::Progress;

const BUFFER_BYTES: usize = 256 << 10;
/// The largest zstd window, 2 GiB, so that files made with `--long=31` open.
const ZSTD_WINDOW_LOG_MAX: u32 = if usize::BITS >= 64 { 31 } else { 30 };
/// The largest window that any file may have, 128 MiB: that of `--ultra -22` and `--long`.
const ZSTD_WINDOW_LOG_USUAL: u32 = 27;
/// Converting a trace takes about as much memory as its text, read in parts of this size.
const CHARGED_BYTES: u64 = 1 << 20;

/// What one read has consumed from disk, and whether a limit stopped it. Shared by the layers of
/// one stream, because archives wrap errors and so lose their type.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    pub(crate) consumed: Cell<u64>,
    /// The size of the file or the entry on disk, where it is known; else it is taken for small.
    pub(crate) compressed_bytes: Cell<u64>,
    pub(crate) exceeded: Cell<Option<Exceeded>>,
}

impl Meter {
    /// The meter of a file, or of bytes, of this size.
    pub(crate) fn of(compressed_bytes: u64) -> Self {
        let meter = Self::default();
        meter.compressed_bytes.set(compressed_bytes);
        meter
    }
}

/// The limit that a stream hit.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Exceeded {
    /// [`Limits::bomb_ratio`] and [`Limits::bomb_bytes`].
    Bomb { produced: u64, consumed: u64 },
    /// [`Limits::max_listing_bytes`].
    Listing { produced: u64 },
    /// The memory of this machine.
    Memory { held: u64 },
    /// The budget of the process.
    Budget(Short),
}

impl Exceeded {
    /// The error about a file.
    pub(crate) fn error(self, path: PathBuf) -> StorageError {
        let detail = self.message();
        match self {
            Self::Budget(_) => StorageError::OverBudget { path, detail },
            _ => StorageError::TooLarge { path, detail },
        }
    }

    pub(crate) fn message(self) -> String {
        match self {
            Self::Bomb { produced, consumed } => format!(
                "{consumed} bytes decompressed to {produced}, like a decompression bomb, \
                 and there is more"
            ),
            Self::Listing { produced } => {
                format!("{produced} bytes were decompressed to list it, and there is more")
            }
            Self::Memory { held } => format!("out of memory after its first {held} bytes"),
            Self::Budget(Short {
                needed,
                free,
                total,
            }) => {
                format!("{needed} bytes or more are needed, but {free} of {total} bytes are left")
            }
        }
    }
}

/// Counts what is read from disk into a meter.
pub(crate) struct Counting<'a, R> {
    inner: R,
    meter: &'a Meter,
}

impl<'a, R> Counting<'a, R> {
    pub(crate) fn new(inner: R, meter: &'a Meter) -> Self {
        Self { inner, meter }
    }
}

impl<R: Read> Read for Counting<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.meter
            .consumed
            .set(self.meter.consumed.get() + count as u64);
        Ok(count)
    }
}

impl<R: Seek> Seek for Counting<'_, R> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.inner.seek(position)
    }
}

/// Reports to the caller how much of a stream has been read.
pub(crate) struct Reporting<'a, R> {
    inner: R,
    progress: &'a dyn Progress,
    done: u64,
    total: u64,
}

impl<'a, R> Reporting<'a, R> {
    pub(crate) fn new(inner: R, progress: &'a dyn Progress, total: u64) -> Self {
        Self {
            inner,
            progress,
            done: 0,
            total,
        }
    }
}

impl<R: Read> Read for Reporting<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.done += count as u64;
        self.progress
            .bytes(self.done, Some(self.total.max(self.done)));
        Ok(count)
    }
}

/// After how many bytes a stream failed, and why.
type Failure = (u64, String);

/// Remembers where and why a stream failed, for readers that only notice that it ended.
pub(crate) struct Watched<R> {
    inner: R,
    count: u64,
    failure: Rc<RefCell<Option<Failure>>>,
}

impl<R> Watched<R> {
    /// The stream, and a cell for its failure: after how many bytes, and the reason.
    pub(crate) fn new(inner: R) -> (Self, Rc<RefCell<Option<Failure>>>) {
        let failure = Rc::new(RefCell::new(None));
        let watched = Self {
            inner,
            count: 0,
            failure: Rc::clone(&failure),
        };
        (watched, failure)
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer);
        match &read {
            Ok(count) => self.count += *count as u64,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                let mut failure = self.failure.borrow_mut();
                failure.get_or_insert_with(|| (self.count, plain_reason(error)));
            }
        }
        read
    }
}

/// Stops a stream that decompresses to too much.
pub(crate) struct Guarded<'a, R> {
    inner: R,
    meter: &'a Meter,
    limits: &'a Limits,
    produced: u64,
    /// Set while listing.
    pub(crate) max_produced: Option<u64>,
}

impl<'a, R> Guarded<'a, R> {
    pub(crate) fn new(inner: R, meter: &'a Meter, limits: &'a Limits) -> Self {
        Self {
            inner,
            meter,
            limits,
            produced: 0,
            max_produced: None,
        }
    }
}

impl<R: Read> Read for Guarded<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.produced += count as u64;
        let produced = self.produced;
        let consumed = self.meter.consumed.get();
        let allowed = consumed
            .saturating_mul(self.limits.bomb_ratio)
            .max(self.limits.bomb_bytes);
        let exceeded = if produced > allowed {
            Exceeded::Bomb { produced, consumed }
        } else if self.max_produced.is_some_and(|maximum| produced > maximum) {
            Exceeded::Listing { produced }
        } else {
            return Ok(count);
        };
        self.meter.exceeded.set(Some(exceeded));
        Err(io::Error::other(exceeded.message()))
    }
}

/// The decompressed stream, guarded; the stream itself for plain data.
pub(crate) fn decoder<'a, R: Read + 'a>(
    encoding: Encoding,
    reader: R,
    meter: &'a Meter,
    limits: &'a Limits,
) -> io::Result<Box<dyn Read + 'a>> {
    let buffered = BufReader::with_capacity(BUFFER_BYTES, reader);
    Ok(match encoding {
        Encoding::Plain => Box::new(buffered),
        Encoding::Gzip => Box::new(Guarded::new(MultiGzDecoder::new(buffered), meter, limits)),
        Encoding::Zstd => {
            let mut decoder = ZstdDecoder::with_buffer(buffered)?;
            decoder.window_log_max(largest_window_log(meter, limits))?;
            Box::new(Guarded::new(decoder, meter, limits))
        }
    })
}

/// The largest zstd window of a file: the decoder allocates it before anything is decompressed, so
/// it is no larger than what the file may decompress to.
fn largest_window_log(meter: &Meter, limits: &Limits) -> u32 {
    let on_disk = meter.compressed_bytes.get();
    let most = on_disk.saturating_mul(limits.bomb_ratio);
    let log = most.checked_ilog2().unwrap_or(0) + 1;
    log.clamp(ZSTD_WINDOW_LOG_USUAL, ZSTD_WINDOW_LOG_MAX)
}

/// Memory for what a trace is converted to, reserved while it is read.
pub(crate) struct Charge<'a> {
    meter: &'a Meter,
    limits: &'a Limits,
    reserved: RefCell<Reserved>,
    /// Bytes of the trace, and those that it becomes beyond them.
    read: Cell<u64>,
    unfolded: Cell<u64>,
}

impl<'a> Charge<'a> {
    pub(crate) fn new(meter: &'a Meter, limits: &'a Limits) -> Self {
        Self {
            meter,
            limits,
            reserved: RefCell::default(),
            read: Cell::new(0),
            unfolded: Cell::new(0),
        }
    }

    /// The stream of the trace, charged as it is read.
    pub(crate) fn stream<R: Read>(&self, inner: R) -> Charged<'_, R> {
        Charged {
            inner,
            charge: self,
        }
    }

    /// Charges for bytes that are unfolded within the trace, over all of it: those that make it a
    /// decompression bomb are refused.
    pub(crate) fn unfold(&self, count: u64) -> io::Result<()> {
        self.unfolded.set(self.unfolded.get().saturating_add(count));
        let (read, unfolded) = (self.read.get(), self.unfolded.get());
        // What was decompressed already may not become so many times as large once more.
        let consumed = match self.meter.consumed.get() {
            0 => read,
            consumed => consumed.min(read),
        };
        let allowed = consumed.saturating_mul(self.limits.bomb_ratio);
        if unfolded > allowed.max(self.limits.bomb_bytes) {
            let produced = read.saturating_add(unfolded);
            return Err(self.exceeded(Exceeded::Bomb { produced, consumed }));
        }
        self.grow()
    }

    fn grow(&self) -> io::Result<()> {
        if let Some(exceeded) = self.meter.exceeded.get() {
            return Err(io::Error::other(exceeded.message()));
        }
        let all = self.read.get().saturating_add(self.unfolded.get());
        let charged = all.div_ceil(CHARGED_BYTES).saturating_mul(CHARGED_BYTES);
        let grown = self.reserved.borrow_mut().grow_to(charged);
        grown.map_err(|short| self.exceeded(Exceeded::Budget(short)))
    }

    fn exceeded(&self, exceeded: Exceeded) -> io::Error {
        self.meter.exceeded.set(Some(exceeded));
        io::Error::other(exceeded.message())
    }
}

/// A stream that charges for what is read of it.
pub(crate) struct Charged<'a, R> {
    inner: R,
    charge: &'a Charge<'a>,
}

impl<R: Read> Read for Charged<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.charge.read.set(self.charge.read.get() + count as u64);
        self.charge.grow()?;
        Ok(count)
    }
}

/// What a stream produced before it ended or failed.
#[derive(Default)]
pub(crate) struct Collected {
    pub(crate) bytes: Vec<u8>,
    pub(crate) reserved: Reserved,
    pub(crate) failure: Option<io::Error>,
}

/// Reads a stream into memory, keeping what came before a failure. `expected` bytes are reserved at
/// first; memory that is never written to costs nothing.
pub(crate) fn collect(mut reader: impl Read, expected: usize, meter: &Meter) -> Collected {
    let mut collected = Collected::default();
    // One more than expected, so that the end is reached without growing.
    let first = expected.saturating_add(1);
    if collected.reserved.grow_to(first as u64).is_ok()
        && collected.bytes.try_reserve_exact(first).is_err()
    {
        collected.reserved.shrink_to(0);
    }
    loop {
        if collected.bytes.len() == collected.bytes.capacity()
            && let Err(exceeded) = grow(&mut collected)
        {
            meter.exceeded.set(Some(exceeded));
            collected.failure = Some(io::ErrorKind::OutOfMemory.into());
            return collected;
        }
        let bytes = &mut collected.bytes;
        let room = (bytes.capacity() - bytes.len()) as u64;
        match reader.by_ref().take(room).read_to_end(bytes) {
            Ok(count) if (count as u64) == room => {}
            ended => {
                collected.failure = ended.err();
                // What was never written to costs nothing.
                collected.reserved.shrink_to(collected.bytes.len() as u64);
                return collected;
            }
        }
    }
}

fn grow(collected: &mut Collected) -> Result<(), Exceeded> {
    let Collected {
        bytes, reserved, ..
    } = collected;
    let growth = (bytes.len() / 2).max(BUFFER_BYTES);
    let capacity = bytes.len().saturating_add(growth) as u64;
    reserved.grow_to(capacity).map_err(Exceeded::Budget)?;
    let held = bytes.len() as u64;
    let grown = bytes.try_reserve_exact(growth);
    grown.map_err(|_| Exceeded::Memory { held })
}

/// How many bytes a compressed stream will decompress to, according to its head and tail. Hostile
/// values are limited to what real data reaches.
pub(crate) fn expected_bytes(
    encoding: Encoding,
    head: &[u8],
    tail: Option<[u8; 4]>,
    compressed_bytes: u64,
) -> usize {
    let claimed = match encoding {
        Encoding::Plain => Some(compressed_bytes),
        // The size modulo 4 GiB, of the last member: if it is smaller than the input, it is
        // useless.
        Encoding::Gzip => tail.map(|tail| u64::from(u32::from_le_bytes(tail))),
        Encoding::Zstd => zstd::zstd_safe::get_frame_content_size(head).ok().flatten(),
    };
    let least = compressed_bytes.saturating_mul(2);
    let most = compressed_bytes.saturating_mul(64);
    let expected = match (encoding, claimed) {
        (Encoding::Plain, _) => compressed_bytes,
        (_, Some(claimed)) => claimed.clamp(compressed_bytes.min(most), most),
        (_, None) => least,
    };
    usize::try_from(expected).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collecting_keeps_what_came_before_a_failure() {
        struct Failing(usize);
        impl Read for Failing {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                if self.0 == 0 {
                    return Err(io::Error::other("gone"));
                }
                let count = buffer.len().min(self.0);
                buffer[..count].fill(7);
                self.0 -= count;
                Ok(count)
            }
        }
        let meter = Meter::default();
        for expected in [0, 10, 1_000_000, 2_000_000] {
            let collected = collect(Failing(1_000_000), expected, &meter);
            assert_eq!(collected.bytes, vec![7; 1_000_000]);
            assert_eq!(collected.failure.unwrap().to_string(), "gone");
        }
        let exact = collect(io::repeat(1).take(1_000_000), 1_000_000, &meter);
        assert!(exact.failure.is_none());
        assert_eq!(
            exact.bytes.capacity(),
            1_000_001,
            "no growth where the size was known"
        );
    }

    #[test]
    fn claims_about_sizes_are_held_to_reason() {
        let tail = u32::MAX.to_le_bytes();
        assert_eq!(expected_bytes(Encoding::Gzip, &[], Some(tail), 100), 6_400);
        assert_eq!(
            expected_bytes(Encoding::Gzip, &[], Some([1, 0, 0, 0]), 100),
            100
        );
        assert_eq!(expected_bytes(Encoding::Plain, &[], None, 100), 100);
    }
}
