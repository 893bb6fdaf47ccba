//! The size of an answer is checked before the answer is made: what a short request can cost has a
//! limit.

use std::io::{self, Write};

use axum::body::Bytes;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use stepscope_analysis::Answer;

use crate::error::ApiError;

/// Maximum bytes of an answer: far more than a page asks for, and less than a machine has.
pub(crate) const MAX_ANSWER_BYTES: u64 = 256 << 20;

/// Maximum bytes of memory that one question may need besides its answer.
pub(crate) const MAX_WORK_BYTES: u64 = 2 << 30;

/// Rejects an answer that would be too large. `hint` says what to reduce.
pub(crate) fn check(bytes: u64, most_bytes: u64, hint: &str) -> Result<(), ApiError> {
    if bytes <= most_bytes {
        return Ok(());
    }
    let error = format!(
        "The answer would take up to {} MiB; the limit is {} MiB.",
        bytes.div_ceil(1 << 20),
        most_bytes >> 20
    );
    Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, error).with_hint(hint))
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
    };
    match write(&mut limited) {
        Ok(()) => Ok(Bytes::from(limited.bytes)),
        // Only the limit makes writing to memory fail; anything else is a defect of the report.
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
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if (self.bytes.len() + bytes.len()) as u64 > self.most_bytes {
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
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
        assert_eq!(check(5 << 20, 5 << 20, ""), Ok(()));
        let error = check((5 << 20) + 1, 5 << 20, "Name fewer tracks.").expect_err("too large");
        assert_eq!(error.status, StatusCode::PAYLOAD_TOO_LARGE);
        assert!(error.report.error.contains("6 MiB; the limit is 5 MiB"));
        assert_eq!(error.report.hint, "Name fewer tracks.");
    }
}
