//! Minimal HTTP: one request, one complete answer, without compression.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};

use anyhow::{Context, Result, ensure};

/// Whether a server accepts connections.
pub fn listens(port: u16) -> bool {
    TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
}

/// The body of the answer.
///
/// # Errors
///
/// No complete answer, or one with another status than 200.
pub fn get(port: u16, path: &str) -> Result<Vec<u8>> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nAccept-Encoding: identity\r\n\
         Connection: close\r\n\r\n"
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    body(&answer).with_context(|| format!("GET {path}"))
}

fn body(answer: &[u8]) -> Result<Vec<u8>> {
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    let end = end.context("the answer has no end of its head")?;
    let head = String::from_utf8_lossy(&answer[..end]).to_ascii_lowercase();
    let status = head.lines().next().unwrap_or_default();
    ensure!(
        status.split(' ').nth(1) == Some("200"),
        "the answer is {status}"
    );
    let body = &answer[end + 4..];
    if head
        .lines()
        .any(|line| line.starts_with("transfer-encoding:") && line.ends_with("chunked"))
    {
        return joined(body);
    }
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"));
    if let Some(length) = length {
        ensure!(
            length.trim().parse() == Ok(body.len()),
            "the answer is cut off"
        );
    }
    Ok(body.to_vec())
}

/// The chunks of a chunked body, without their sizes.
fn joined(mut rest: &[u8]) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|bytes| bytes == b"\r\n");
        let end = end.context("a chunk has no size")?;
        let size = String::from_utf8_lossy(&rest[..end]);
        let size = size.split(';').next().unwrap_or_default().trim();
        let size =
            usize::from_str_radix(size, 16).context("the size of a chunk is not a number")?;
        if size == 0 {
            return Ok(body);
        }
        let chunk = rest
            .get(end + 2..end + 2 + size)
            .context("a chunk is cut off")?;
        body.extend_from_slice(chunk);
        rest = rest
            .get(end + 2 + size + 2..)
            .context("a chunk has no end")?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_come_whole_or_not_at_all() {
        let plain = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc";
        assert_eq!(body(plain).expect("whole"), b"abc");
        assert!(body(&plain[..plain.len() - 1]).is_err());
        let chunked =
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n";
        assert_eq!(body(chunked).expect("whole"), b"abc");
        assert!(body(&chunked[..chunked.len() - 6]).is_err());
        assert!(body(b"HTTP/1.1 404 Not Found\r\n\r\n").is_err());
    }
}
