//! The size of an answer is checked before the answer is made: what a short request can cost has a
//! limit, and what all requests cost together comes from the budget of the process.

use std::io::{self, Write};

use axum::body::Bytes;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use stepscope_analysis::Answer;
use stepscope_storage::{Reserved, Short};

use crate::error::ApiError;

/// Maximum bytes of an answer: far more than a page asks for, and less than a machine has.
pub(crate) const MAX_ANSWER_BYTES: u64 = 256 << 20;

/// Maximum bytes of memory that one question may need besides its answer.
pub(crate) const MAX_WORK_BYTES: u64 = 2 << 30;

/// Answers grow by steps of this size, for which memory is reserved.
const STEP_BYTES: u64 = 1 << 20;

/// Memory for an answer of at most so many bytes. Rejects one that would be too large by itself, or
/// beside what other requests and open sessions use. `hint` says what to reduce.
pub(crate) fn reserve(bytes: u64, most_bytes: u64, hint: &str) -> Result<Reserved, ApiError> {
    if bytes > most_bytes {
        let error = format!(
            "The answer would take up to {} MiB; the limit is {} MiB.",
            bytes.div_ceil(1 << 20),
            most_bytes >> 20
        );
        return Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, error).with_hint(hint));
    }
    let mut reserved = Reserved::default();
    match reserved.grow_to(bytes) {
        Ok(()) => Ok(reserved),
        Err(short) => Err(full(short)),
    }
}

/// The error of a request for which others leave too little memory.
fn full(short: Short) -> ApiError {
    let error = format!(
        "The answer takes up to {} MiB, and other requests and open sessions leave {} MiB of the \
         memory budget of {} MiB.",
        short.needed.div_ceil(1 << 20),
        short.free >> 20,
        short.total >> 20
    );
    ApiError::new(StatusCode::SERVICE_UNAVAILABLE, error).with_hint(
        "Ask again in a moment, or start the server with a larger STEPSCOPE_MEMORY_BYTES.",
    )
}

/// Bytes of an answer, whose memory is reserved until they are sent.
struct Reserving {
    bytes: Vec<u8>,
    _reserved: Reserved,
}

impl AsRef<[u8]> for Reserving {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// An answer, whose memory stays reserved until it is sent.
pub(crate) fn sent(bytes: Vec<u8>, mut reserved: Reserved) -> Bytes {
    reserved.shrink_to(bytes.len() as u64);
    Bytes::from_owner(Reserving {
        bytes,
        _reserved: reserved,
    })
}

/// A value as JSON; writing stops at the limit.
pub(crate) fn json(value: &impl Serialize, hint: &str) -> Result<Response, ApiError> {
    let written = written(MAX_ANSWER_BYTES, hint, |to| {
        serde_json::to_writer(to, value)
    })?;
    Ok(([(header::CONTENT_TYPE, "application/json")], written).into_response())
}

/// A report as JSON; writing stops at the limit.
pub(crate) fn report_json(answer: &Answer) -> Result<Bytes, ApiError> {
    let hint = "Reduce limit, or select fewer steps, devices or hosts.";
    written(MAX_ANSWER_BYTES, hint, |to| answer.write_json(to))
}

fn written(
    most_bytes: u64,
    hint: &str,
    write: impl FnOnce(&mut Limited) -> Result<(), serde_json::Error>,
) -> Result<Bytes, ApiError> {
    let mut limited = Limited {
        bytes: Vec::new(),
        most_bytes,
        reserved: Reserved::default(),
        reserved_bytes: 0,
        short: None,
    };
    let result = write(&mut limited);
    if let Some(short) = limited.short {
        return Err(full(short));
    }
    match result {
        Ok(()) => Ok(sent(limited.bytes, limited.reserved)),
        // Only limits make writing to memory fail; anything else is a defect of the report.
        Err(error) if error.is_io() => {
            let error = format!(
                "The answer is larger than the limit of {} MiB.",
                most_bytes >> 20
            );
            Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, error).with_hint(hint))
        }
        Err(error) => Err(ApiError::internal("The report", &error.to_string())),
    }
}

/// Memory that takes only so much.
struct Limited {
    bytes: Vec<u8>,
    most_bytes: u64,
    reserved: Reserved,
    reserved_bytes: u64,
    /// Why no more could be reserved.
    short: Option<Short>,
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let needed = (self.bytes.len() + bytes.len()) as u64;
        if needed > self.most_bytes {
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
        }
        if needed > self.reserved_bytes {
            // A vector that grows doubles.
            let wanted = (2 * needed).max(STEP_BYTES);
            if let Err(short) = self.reserved.grow_to(wanted) {
                self.short = Some(short);
                return Err(io::Error::from(io::ErrorKind::OutOfMemory));
            }
            self.reserved_bytes = wanted;
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_stops_at_the_limit() {
        let write = |most_bytes| {
            let text = "x".repeat(1000);
            written(most_bytes, "less", |to| serde_json::to_writer(to, &text))
        };
        assert_eq!(write(1002).expect("it fits").len(), 1002);
        let error = write(1001).expect_err("too long");
        assert_eq!(error.status, StatusCode::PAYLOAD_TOO_LARGE);
        assert_eq!(error.report.hint, "less");
    }

    #[test]
    fn sizes_are_refused_with_what_to_reduce() {
        reserve(5 << 20, 5 << 20, "").expect("it fits");
        let error = reserve((5 << 20) + 1, 5 << 20, "Name fewer tracks.").expect_err("too large");
        assert_eq!(error.status, StatusCode::PAYLOAD_TOO_LARGE);
        assert!(error.report.error.contains("6 MiB; the limit is 5 MiB"));
        assert_eq!(error.report.hint, "Name fewer tracks.");
    }
}
