//! Starting the engine on another machine: find it, start it, and test the tunnel.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use stepscope_remote::ssh::{quoted, quoted_path};

use super::line::Line;
use super::place::{Connect, Place};
use crate::exit::{Exit, Failure};

/// Marks our scripts' lines in the output, which also has what a shell's startup files print.
const MARK: &str = "stepscope-tunnel";
/// Number of remote ports to try before giving up.
const ATTEMPTS: usize = 5;
/// The port that browsers are pointed at first.
const USUAL_PORT: u16 = 6006;

/// What to show.
pub(crate) struct Wanted {
    /// Path on the remote machine, `~` for the home directory.
    pub(crate) path: String,
    pub(crate) session: Option<String>,
    /// The command that runs Stepscope there.
    pub(crate) command: Option<String>,
    pub(crate) local_port: Option<u16>,
    /// The remote port; any if `None`.
    pub(crate) remote_port: Option<u16>,
    pub(crate) token: Option<String>,
}

/// The result of looking for the engine.
pub(crate) enum Engine {
    Running(Running),
    /// It cannot be used there, with the reason.
    Missing(String),
}

/// The remote engine and the tunnel to it.
pub(crate) struct Running {
    pub(crate) line: Line,
    pub(crate) local_port: u16,
    pub(crate) remote_port: u16,
    pub(crate) token: String,
}

impl Running {
    pub(crate) fn url(&self) -> String {
        let query = stepscope_server::token_query(&self.token);
        format!("http://127.0.0.1:{}/?{query}", self.local_port)
    }
}

impl Engine {
    /// Connects, finds Stepscope there, starts it, and requests its version through the tunnel.
    pub(crate) fn start(
        place: &Place,
        connect: &Connect,
        wanted: &Wanted,
    ) -> Result<Self, Failure> {
        let local_port = free_port(wanted.local_port)?;
        let token = match &wanted.token {
            Some(token) if !token.is_empty() => token.clone(),
            _ => drawn()?,
        };
        for attempt in 0..ATTEMPTS {
            let first = wanted.remote_port.filter(|_| attempt == 0);
            let remote_port = match first {
                Some(port) => port,
                None => random_port()?,
            };
            let forward = format!("{local_port}:127.0.0.1:{remote_port}");
            let started = start(place, &mut connect(&forward), wanted, remote_port, &token)?;
            let line = match started {
                Started::Running(line) => line,
                Started::Missing(why) => return Ok(Self::Missing(why)),
                Started::PortTaken => continue,
            };
            if !answers(local_port, &token) {
                let said = line.said();
                let detail = said
                    .lines()
                    .find(|line| line.contains("open failed"))
                    .unwrap_or("");
                let why = format!(
                    "{} does not allow port forwarding ({})",
                    place.host,
                    if detail.is_empty() {
                        "the tunnel does not answer"
                    } else {
                        detail.trim()
                    }
                );
                return Ok(Self::Missing(why));
            }
            return Ok(Self::Running(Running {
                line,
                local_port,
                remote_port,
                token,
            }));
        }
        let message = format!(
            "found no free port there in {ATTEMPTS} attempts: {}",
            place.url
        );
        Err(Failure::new(Exit::Failure, message))
    }
}

enum Started {
    Running(Line),
    Missing(String),
    PortTaken,
}

fn start(
    place: &Place,
    command: &mut Command,
    wanted: &Wanted,
    remote_port: u16,
    token: &str,
) -> Result<Started, Failure> {
    let mut line = Line::start(command).map_err(|error| {
        let program = command.get_program().to_string_lossy().into_owned();
        Failure::new(
            Exit::Failure,
            format!("{program} cannot be started ({error})"),
        )
        .hint("install it, or name another program in STEPSCOPE_SSH")
    })?;
    line.send(&search(wanted.command.as_deref()));
    let Some(found) = marked(&line) else {
        return Err(broken(place, &mut line));
    };
    let Some(program) = found.strip_prefix("at ") else {
        return Ok(Started::Missing(format!(
            "Stepscope is not installed on {}",
            place.host
        )));
    };
    // By standard input and the environment: all users of the machine can see command lines.
    line.send(&format!("STEPSCOPE_TOKEN={} ", quoted(token)));
    line.send(&format!(
        "exec {program} view {} --child --no-report --host 127.0.0.1 --port {remote_port}",
        quoted_path(&wanted.path)
    ));
    if let Some(session) = &wanted.session {
        line.send(&format!(" --session {}", quoted(session)));
    }
    line.send("\n");
    while let Some(text) = line.next() {
        let Ok(told) = serde_json::from_str::<Value>(&text) else {
            continue;
        };
        let Some(port) = told.get("port").and_then(Value::as_u64) else {
            continue;
        };
        if port == u64::from(remote_port) {
            return Ok(Started::Running(line));
        }
        return Ok(Started::PortTaken);
    }
    let status = line.end().and_then(|status| status.code());
    let said = line.said();
    if status == Some(2) && said.contains("--child") {
        return Ok(Started::Missing(format!(
            "Stepscope on {} is too old for tunnels",
            place.host
        )));
    }
    if status == Some(255) || status.is_none() {
        return Err((place.failure)(&place.url, &place.host, status, &said));
    }
    Err(told_there(place, status, &said))
}

/// What the remote engine printed before it ended.
fn told_there(place: &Place, status: Option<i32>, said: &str) -> Failure {
    let line = |word: &str| {
        let found = said.lines().find_map(|line| line.trim().strip_prefix(word));
        found.map(|text| text.trim().to_owned())
    };
    let message = line("error:").unwrap_or_else(|| {
        let last = said.lines().rev().find(|line| !line.trim().is_empty());
        last.unwrap_or("Stepscope ended without a message")
            .trim()
            .to_owned()
    });
    let exit = match status {
        Some(2) => Exit::Usage,
        Some(3) => Exit::Path,
        _ => Exit::Failure,
    };
    Failure::new(exit, format!("on {}: {message}", place.host))
        .hint(line("hint:").unwrap_or_default())
}

fn broken(place: &Place, line: &mut Line) -> Failure {
    let status = line.end().and_then(|status| status.code());
    (place.failure)(&place.url, &place.host, status, &line.said())
}

/// A script that prints where Stepscope is. `own` is the command that the user gave for it.
fn search(own: Option<&str>) -> String {
    if let Some(own) = own {
        return format!("echo {}\n", quoted(&format!("{MARK} at {own}")));
    }
    let places = [
        "stepscope",
        "$HOME/.local/bin/stepscope",
        "$HOME/.cargo/bin/stepscope",
    ];
    let mut script = String::new();
    for place in places {
        // Writing to a string cannot fail.
        let _ = write!(
            script,
            "command -v \"{place}\" >/dev/null 2>&1 && echo \"{MARK} at $(command -v \"{place}\")\" || "
        );
    }
    let _ = writeln!(script, "echo \"{MARK} nowhere\"");
    script
}

fn marked(line: &Line) -> Option<String> {
    while let Some(text) = line.next() {
        if let Some(found) = text.strip_prefix(MARK) {
            return Some(found.trim().to_owned());
        }
    }
    None
}

/// Whether the engine answers through the tunnel.
fn answers(port: u16, token: &str) -> bool {
    for _ in 0..20 {
        if asked(port, token).is_some_and(|answer| answer.starts_with("HTTP/1.1 200")) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    false
}

fn asked(port: u16, token: &str) -> Option<String> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect(address).ok()?;
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .ok()?;
    let request = format!(
        "GET /api/version HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
         Connection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

/// The requested local port, or the next free one; 0 for any.
pub(crate) fn free_port(wanted: Option<u16>) -> Result<u16, Failure> {
    let first = wanted.unwrap_or(USUAL_PORT);
    let last = if first == 0 {
        0
    } else {
        first.saturating_add(50)
    };
    for port in first..=last {
        if let Ok(listener) = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            && let Ok(address) = listener.local_addr()
        {
            return Ok(address.port());
        }
    }
    Err(Failure::new(
        Exit::Failure,
        format!("no free local port from {first} to {last}"),
    )
    .hint("choose another one with --port"))
}

fn drawn() -> Result<String, Failure> {
    stepscope_server::new_token().map_err(|error| Failure::new(Exit::Failure, error.to_string()))
}

/// A random port from a range that is rarely used.
fn random_port() -> Result<u16, Failure> {
    let digits = drawn()?;
    let number = u16::from_str_radix(&digits[..4], 16).unwrap_or(0);
    Ok(20_000 + number % 40_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_there_is_told_here() {
        let place = Place {
            url: "ssh://vm/x".to_owned(),
            host: "vm".to_owned(),
            failure: |_, _, _, _| Failure::new(Exit::Failure, "ssh"),
        };
        let said = "banner\nerror: no such file or folder: /x\nhint: look in /y\n";
        let Failure::Told {
            exit,
            message,
            hint,
        } = told_there(&place, Some(3), said)
        else {
            panic!("expected a failure with a message");
        };
        assert_eq!(exit, Exit::Path);
        assert_eq!(message, "on vm: no such file or folder: /x");
        assert_eq!(hint, "look in /y");
    }

    #[test]
    fn random_ports_are_no_usual_ones() {
        for _ in 0..100 {
            let port = random_port().expect("random digits");
            assert!((20_000..60_000).contains(&port));
        }
    }

    #[test]
    fn a_command_of_ones_own_is_taken_as_it_is() {
        assert_eq!(
            search(Some("uvx stepscope")),
            "echo 'stepscope-tunnel at uvx stepscope'\n"
        );
        assert!(search(None).contains(".local/bin/stepscope"));
    }
}
