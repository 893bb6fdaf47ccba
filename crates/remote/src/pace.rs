//! How fast a server has to send at least.

use std::time::{Duration, Instant};

use crate::error::{RemoteError, RemoteErrorKind};

/// Bytes that have to come within a window: 512 bytes per second, a tenth of the slowest modems.
const LEAST_BYTES: u64 = 15 << 10;
const WINDOW: Duration = Duration::from_secs(30);

/// What came of one answer, window by window. A server that sends a byte now and then keeps every
/// timeout of single reads from passing.
pub(crate) struct Pace {
    began: Instant,
    bytes: u64,
}

impl Pace {
    pub(crate) const fn new(now: Instant) -> Self {
        Self {
            began: now,
            bytes: 0,
        }
    }

    /// Counts bytes that came; an error once a window passed with too few.
    pub(crate) fn take(&mut self, bytes: u64, now: Instant, url: &str) -> Result<(), RemoteError> {
        self.bytes += bytes;
        if now.duration_since(self.began) < WINDOW {
            return Ok(());
        }
        if self.bytes < LEAST_BYTES {
            let seconds = now.duration_since(self.began).as_secs();
            let message = format!(
                "the server sends too slowly: {} bytes in {seconds} s",
                self.bytes
            );
            return Err(RemoteError::new(RemoteErrorKind::Unreachable, url, message)
                .with_hint("try again later, or copy the files another way"));
        }
        *self = Self::new(now);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_per_second_is_given_up_and_a_slow_line_is_not() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut pace = Pace::new(start);
        let mut ended = None;
        for second in 1..=100 {
            if let Err(error) = pace.take(1, after(second), "http://h/f") {
                ended = Some((second, error.message));
                break;
            }
        }
        let (second, said) = ended.expect("it is given up");
        assert_eq!(
            (second, said.as_str()),
            (30, "the server sends too slowly: 30 bytes in 30 s")
        );
        let mut slow = Pace::new(start);
        assert!((1..=600).all(|second| slow.take(1000, after(second), "http://h/f").is_ok()));
    }
}
