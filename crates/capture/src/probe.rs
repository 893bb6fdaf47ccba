//! What listens at an address that does not answer as a profiler should: two short questions of
//! other protocols, only asked after a call failed.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::address::Address;

/// Servers answer these at once or never.
const WAIT: Duration = Duration::from_millis(1500);

/// The first bytes of a client that wants TLS 1.2: a record with a hello that offers two ciphers.
/// Any TLS server answers with a record of its own: a hello, or an alert.
const CLIENT_HELLO: [u8; 52] = {
    let mut hello = [0x5a; 52];
    let head = [0x16, 3, 1, 0, 47, 1, 0, 0, 43, 3, 3];
    let tail = [0, 0, 4, 0xc0, 0x2f, 0, 0x2f, 1, 0];
    let mut index = 0;
    while index < head.len() {
        hello[index] = head[index];
        index += 1;
    }
    // 32 random bytes stand in between; any will do.
    index = 0;
    while index < tail.len() {
        hello[head.len() + 32 + index] = tail[index];
        index += 1;
    }
    hello
};

/// What listens there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listener {
    /// Nobody, not any more.
    Nobody,
    /// A server of web pages.
    Web,
    /// A server that wants encryption.
    Tls,
    /// A server of HTTP/2, and so of gRPC.
    Http2,
    /// Something else.
    Unknown,
}

/// Finds out what listens at an address.
pub(crate) async fn probe(address: &Address) -> Listener {
    let question = format!("GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let Some(answer) = ask(address, question.as_bytes()).await else {
        return Listener::Nobody;
    };
    if answer.starts_with(b"HTTP/1") {
        let text = String::from_utf8_lossy(&answer).to_ascii_lowercase();
        // What servers of encrypted pages say to those who come without.
        let is_tls = text.contains("https server") || text.contains("https port");
        return if is_tls { Listener::Tls } else { Listener::Web };
    }
    // An HTTP/2 server sends its settings first: three bytes of length, then type 4 or, when it
    // has had enough of us, 7.
    if answer.len() >= 9 && answer[0] == 0 && matches!(answer[3], 4 | 7) {
        return Listener::Http2;
    }
    let hello = ask(address, &CLIENT_HELLO).await.unwrap_or_default();
    match hello.as_slice() {
        [0x15 | 0x16, 3, ..] => Listener::Tls,
        _ => Listener::Unknown,
    }
}

/// The beginning of what is answered; none where no connection is taken.
async fn ask(address: &Address, question: &[u8]) -> Option<Vec<u8>> {
    let place = (address.host(), address.port());
    let connected = tokio::time::timeout(WAIT, TcpStream::connect(place)).await;
    let mut stream = connected.ok()?.ok()?;
    let mut answer = Vec::new();
    let talk = async {
        stream.write_all(question).await?;
        let mut buffer = [0; 512];
        while answer.len() < 512 {
            match stream.read(&mut buffer).await? {
                0 => break,
                count => answer.extend_from_slice(&buffer[..count]),
            }
        }
        std::io::Result::Ok(())
    };
    // What came until the time was over, or the connection broke, is the answer.
    let _ = tokio::time::timeout(WAIT, talk).await;
    Some(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hello_is_as_long_as_it_says() {
        // Record: 5 bytes of head; handshake: 4 more.
        assert_eq!(usize::from(CLIENT_HELLO[4]), CLIENT_HELLO.len() - 5);
        assert_eq!(usize::from(CLIENT_HELLO[8]), CLIENT_HELLO.len() - 9);
    }
}
