//! One file handed to one page: a separate server that runs until the file was fetched.
//!
//! ui.perfetto.dev may fetch traces from `127.0.0.1:9001` and from no other port of this machine.
//! So this server listens there, answers only that page (`Access-Control-Allow-Origin`), under an
//! unguessable name, and exits.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use crate::access::new_token;

/// The port that ui.perfetto.dev uses.
pub const PERFETTO_PORT: u16 = 9001;
/// The page that may fetch the file.
const ORIGIN: &str = "https://ui.perfetto.dev";
/// Maximum number of bytes read of a request's head.
const MOST_HEAD_BYTES: u64 = 16 << 10;
/// A client that sends nothing for this long is disconnected.
const PATIENCE: Duration = Duration::from_secs(10);

/// A port of this machine, before there is a file to hand over.
#[derive(Debug)]
pub struct Handover {
    listener: TcpListener,
    port: u16,
}

/// A file on offer.
#[derive(Debug)]
pub struct Offer {
    listener: TcpListener,
    port: u16,
    path: String,
    link: String,
    file: File,
}

/// How an offer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The file was fetched whole.
    Fetched,
    /// Nobody fetched it in time.
    TimedOut,
}

impl Handover {
    /// Binds the port, 0 for any.
    pub fn bind(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind(SocketAddrV4::new(Ipv4Addr::LOCALHOST, port))?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, port })
    }

    /// Offers a file; the page shows this name.
    pub fn offer(self, name: &str, file: File) -> io::Result<Offer> {
        let token = new_token().map_err(io::Error::other)?;
        let name: String = name
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || "-_.".contains(c) {
                    c
                } else {
                    '_'
                }
            })
            .collect();
        let path = format!("/{token}/{name}.pftrace");
        let link = format!("{ORIGIN}/#!/?url=http://127.0.0.1:{}{path}", self.port);
        Ok(Offer {
            listener: self.listener,
            port: self.port,
            path,
            link,
            file,
        })
    }
}

impl Offer {
    /// What to open in a browser.
    pub fn link(&self) -> &str {
        &self.link
    }

    /// Answers requests until the file was fetched or the timeout has passed.
    pub fn serve(mut self, timeout: Duration) -> io::Result<Outcome> {
        self.listener.set_nonblocking(true)?;
        let deadline = Instant::now() + timeout;
        while Instant::now() < deadline {
            match self.listener.accept() {
                Ok((stream, _)) => {
                    // A client that disconnects is no reason to stop.
                    if self.answer(&stream).unwrap_or(false) {
                        return Ok(Outcome::Fetched);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(Outcome::TimedOut)
    }

    /// Answers one request. Returns true if it was for the file and the file was sent completely.
    fn answer(&mut self, stream: &TcpStream) -> io::Result<bool> {
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let head = Head::read(stream)?;
        let mut stream = stream;
        let own = [
            format!("127.0.0.1:{}", self.port),
            format!("localhost:{}", self.port),
        ];
        let is_own = own.contains(&head.host);
        // The page's requests always name it. Programs may too: what keeps them out is the name of
        // the file, which nobody sees but the browser.
        let is_page = head.origin.as_deref() == Some(ORIGIN);
        let status = match head.method.as_str() {
            _ if !is_own || !is_page => "403 Forbidden",
            "GET" | "HEAD" | "OPTIONS" if head.path == self.path => "200 OK",
            "GET" | "HEAD" | "OPTIONS" => "404 Not Found",
            _ => "405 Method Not Allowed",
        };
        let is_file = status.starts_with("200") && head.method == "GET";
        let length = self.file.metadata()?.len();
        let length = if status.starts_with("200") && head.method != "OPTIONS" {
            length
        } else {
            0
        };
        write!(
            stream,
            "HTTP/1.1 {status}\r\n\
             Access-Control-Allow-Origin: {ORIGIN}\r\n\
             Access-Control-Allow-Private-Network: true\r\n\
             Access-Control-Allow-Methods: GET, HEAD, OPTIONS\r\n\
             Vary: Origin\r\n\
             Cache-Control: no-store\r\n\
             X-Content-Type-Options: nosniff\r\n\
             Content-Type: application/octet-stream\r\n\
             Content-Length: {length}\r\n\
             Connection: close\r\n\r\n"
        )?;
        if is_file {
            self.file.seek(SeekFrom::Start(0))?;
            let sent = io::copy(&mut self.file, &mut stream)?;
            stream.flush()?;
            return Ok(sent == length);
        }
        Ok(false)
    }
}

/// The parts of a request's head that matter.
#[derive(Default)]
struct Head {
    method: String,
    path: String,
    host: String,
    origin: Option<String>,
}

impl Head {
    fn read(stream: &TcpStream) -> io::Result<Self> {
        let mut lines = BufReader::new(stream.take(MOST_HEAD_BYTES)).lines();
        let first = lines.next().unwrap_or_else(|| Ok(String::new()))?;
        let mut words = first.split(' ');
        let mut head = Self {
            method: words.next().unwrap_or_default().to_owned(),
            path: words.next().unwrap_or_default().to_owned(),
            ..Self::default()
        };
        for line in lines {
            let line = line?;
            let Some((name, value)) = line.split_once(':') else {
                break;
            };
            match name.to_ascii_lowercase().as_str() {
                "host" => value.trim().clone_into(&mut head.host),
                "origin" => head.origin = Some(value.trim().to_owned()),
                _ => {}
            }
        }
        Ok(head)
    }
}
