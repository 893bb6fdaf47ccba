//! Asks a server of the release for the page and the first tile of the timeline, over loopback.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// The first bytes of a tile, as `docs/internals/wire.md` has them.
const TILE: &[u8] = b"SST1";
/// The window that is asked for; the capture is shorter.
const WINDOW: &str = "start_ps=0&end_ps=1000000000000&width_px=1000";
/// How long an answer may take on a busy machine.
const WAIT: Duration = Duration::from_mins(1);

/// Starts the server, and asks it.
pub(super) fn first_tile(program: &Path, capture: &Path) -> Result<()> {
    let mut command = Command::new(program);
    command.arg("view").arg(capture);
    // As a child, it prints one line of JSON and ends when its input is closed.
    command.args(["--child", "--port", "0"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().context("cannot start the server")?;
    let asked = ask(&mut child);
    drop(child.stdin.take());
    child.wait().context("the server does not end")?;
    asked
}

fn ask(child: &mut Child) -> Result<()> {
    let stdout = child
        .stdout
        .take()
        .context("the server's output is not piped")?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    let ready: Value = serde_json::from_str(&line).with_context(|| format!("not ready: {line}"))?;
    let port = ready["port"].as_u64().context("no port")?;
    let port = u16::try_from(port).context("no port")?;
    let token = ready["token"].as_str().context("no token")?;
    let page = get(port, token, "/")?;
    ensure!(contains(&page, b"<script"), "the page has no program");
    let sessions: Value = serde_json::from_slice(&get(port, token, "/api/sessions")?)?;
    let key = sessions["sessions"][0]["key"].as_str();
    let key = key.with_context(|| format!("no session: {sessions}"))?;
    let tile = get(
        port,
        token,
        &format!("/api/sessions/{key}/timeline/tile?{WINDOW}"),
    )?;
    ensure!(tile.starts_with(TILE), "the first tile is no tile");
    ensure!(tile.len() > 1000, "the first tile has {} bytes", tile.len());
    Ok(())
}

/// The body of an answer. HTTP/1.0, so that it comes as one piece.
fn get(port: u16, token: &str, path: &str) -> Result<Vec<u8>> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).context("no server")?;
    stream.set_read_timeout(Some(WAIT))?;
    write!(
        stream,
        "GET {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\r\n"
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    let body = answer.split_off(end.context("no answer")? + 4);
    let status = String::from_utf8_lossy(answer.get(..12).unwrap_or(&answer));
    ensure!(status.ends_with(" 200"), "{path} answers {status}");
    Ok(body)
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// Answers one request with these bytes.
    fn answered(answer: &'static str) -> Result<Vec<u8>> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            // The request may come in several pieces.
            let (mut asked, mut piece) = (Vec::new(), [0; 1024]);
            while !contains(&asked, b"\r\n\r\n") {
                let count = stream.read(&mut piece).unwrap();
                assert!(count > 0, "the request ends");
                asked.extend_from_slice(&piece[..count]);
            }
            stream.write_all(answer.as_bytes()).unwrap();
            String::from_utf8_lossy(&asked).into_owned()
        });
        let body = get(port, "secret", "/api/version");
        let asked = server.join().unwrap();
        assert!(
            asked.contains("Authorization: Bearer secret\r\n"),
            "{asked}"
        );
        body
    }

    #[test]
    fn the_body_is_what_follows_the_head() {
        let answer = "HTTP/1.0 200 OK\r\ncontent-length: 4\r\n\r\nSST1";
        assert_eq!(answered(answer).unwrap(), TILE);
        assert!(answered("HTTP/1.0 404 Not Found\r\n\r\n{}").is_err());
        assert!(answered("SST1").is_err());
    }
}
