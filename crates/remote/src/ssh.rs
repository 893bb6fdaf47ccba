//! Machines reached by the system's `ssh`: its configuration, agent and known hosts hold here too.
//!
//! Nothing has to be installed there: a listing is `find` and `stat`, files come as one `tar`. What
//! is to be done is sent to a plain `sh` on its standard input, so that no login shell gets to
//! interpret it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;

use crate::address::Address;
use crate::cache::{self, Entry};
use crate::error::{RemoteError, RemoteErrorKind};
use crate::object::{Interest, Listing, Object};
use crate::settings;
use crate::tar_entries::each_tar_entry;

/// Marks the lines of our scripts: a shell's start files may print others before.
const MARK: &str = "stepscope-listing";
/// Bytes that are kept of what a machine says on its standard error, and of a listing: that of
/// as many files as are looked at has less.
const MOST_SAID: u64 = 1 << 20;
const MOST_LISTED: u64 = 256 << 20;
/// Files asked for in one command line.
const FILES_AT_ONCE: usize = 500;

/// `ssh` to a machine, up to and with its name; what follows is the command there. `options` come
/// before the name.
///
/// It never asks for anything where nobody could answer: without a terminal, `BatchMode` is on.
pub fn command(place: &str, options: &[&str]) -> Command {
    let own = settings::variable("STEPSCOPE_SSH").unwrap_or_else(|| "ssh".to_owned());
    let mut words = own.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("ssh"));
    command.args(words);
    // Without these a broken line is noticed after hours.
    command.args(["-T", "-o", "ConnectTimeout=15"]);
    command.args([
        "-o",
        "ServerAliveInterval=15",
        "-o",
        "ServerAliveCountMax=3",
    ]);
    command.args(options);
    if !io::stdin().is_terminal() {
        command.args(["-o", "BatchMode=yes"]);
    }
    let (host, port) = host_and_port(place);
    if let Some(port) = port {
        command.arg("-p").arg(port.to_string());
    }
    command.arg(host);
    command
}

/// `user@host` and the port of `user@host:port`; brackets around an address go.
pub fn host_and_port(place: &str) -> (String, Option<u16>) {
    let (user, host) = match place.rsplit_once('@') {
        Some((user, host)) => (format!("{user}@"), host),
        None => (String::new(), place),
    };
    if let Some(rest) = host.strip_prefix('[')
        && let Some((address, port)) = rest.split_once(']')
    {
        let port = port.strip_prefix(':').and_then(|port| port.parse().ok());
        return (format!("{user}{address}"), port);
    }
    match host.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') && port.parse::<u16>().is_ok() => {
            (format!("{user}{name}"), port.parse().ok())
        }
        _ => (format!("{user}{host}"), None),
    }
}

/// A word for `sh` that means exactly this text.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A path for `sh`, where `~` is the home directory there.
pub fn quoted_path(path: &str) -> String {
    match path.strip_prefix('~') {
        Some(rest) => format!("\"$HOME\"{}", quoted(rest)),
        None => quoted(path),
    }
}

/// What `ssh` said when it failed, as a person is told.
pub fn failure(url: &str, place: &str, status: Option<i32>, said: &str) -> RemoteError {
    let (host, _) = host_and_port(place);
    let has = |words: &str| said.contains(words);
    let (kind, message, hint) = if has("Host key verification failed")
        || has("REMOTE HOST IDENTIFICATION HAS CHANGED")
    {
        (
            RemoteErrorKind::Refused,
            "the host key is unknown or has changed",
            format!("run `ssh {host}` once, and check the key"),
        )
    } else if has("Permission denied") {
        (
            RemoteErrorKind::Credentials,
            "ssh refused the login",
            format!(
                "make sure that `ssh {host}` works: add a key with ssh-add, or put the user into the \
                 URL (ssh://user@…)"
            ),
        )
    } else if has("Could not resolve hostname") {
        (
            RemoteErrorKind::Unreachable,
            "the host name could not be resolved",
            "check the name: DNS or ~/.ssh/config must have it".to_owned(),
        )
    } else if has("Connection refused")
        || has("timed out")
        || has("No route to host")
        || has("Network is unreachable")
    {
        (
            RemoteErrorKind::Unreachable,
            "the host did not answer",
            "check that it is running, its port (ssh://host:port/…), VPN and firewall".to_owned(),
        )
    } else {
        (
            RemoteErrorKind::Unreachable,
            "the ssh connection failed",
            String::new(),
        )
    };
    let last = said
        .lines()
        .rev()
        .map(str::trim)
        .find(|line| !line.is_empty());
    let detail = match (last, status) {
        (Some(line), _) => format!(" ({line})"),
        (None, Some(status)) => format!(" (exit code {status})"),
        (None, None) => String::new(),
    };
    RemoteError::new(kind, url, format!("{message}{detail}")).with_hint(hint)
}

/// A program that could not be started: `ssh` is not there.
pub fn not_started(url: &str, error: &io::Error) -> RemoteError {
    let message = format!("could not start ssh ({error})");
    RemoteError::new(RemoteErrorKind::Other, url, message)
        .with_hint("install the OpenSSH client, or set STEPSCOPE_SSH")
}

/// A script under way in a shell there.
struct Script {
    child: Child,
    said: JoinHandle<String>,
}

impl Script {
    fn start(address: &Address, script: &str, is_large: bool) -> Result<Self, RemoteError> {
        // Profiles shrink to a fifth and less.
        let options: &[&str] = if is_large { &["-C"] } else { &[] };
        let mut command = command(&address.place, options);
        command.arg("sh");
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .map_err(|error| not_started(&address.url, &error))?;
        let (stdin, stderr) = (child.stdin.take(), child.stderr.take());
        let said = std::thread::spawn(move || {
            let mut said = String::new();
            if let Some(mut stderr) = stderr {
                let mut bytes = Vec::new();
                let _ = (&mut stderr).take(MOST_SAID).read_to_end(&mut bytes);
                let _ = io::copy(&mut stderr, &mut io::sink());
                said = String::from_utf8_lossy(&bytes).into_owned();
            }
            said
        });
        if let Some(mut stdin) = stdin {
            // A shell that is gone says why on its standard error.
            let _ = stdin.write_all(script.as_bytes());
        }
        Ok(Self { child, said })
    }

    /// Waits for the end; an error of `ssh` itself is told.
    fn end(mut self, address: &Address) -> Result<(bool, String), RemoteError> {
        drop(self.child.stdout.take());
        let status = self.child.wait();
        let said = self.said.join().unwrap_or_default();
        match status {
            Ok(status) if status.code() == Some(255) => {
                Err(failure(&address.url, &address.place, Some(255), &said))
            }
            Ok(status) => Ok((status.success(), said)),
            Err(error) => Err(not_started(&address.url, &error)),
        }
    }
}

/// The files at or below a path there.
pub(crate) fn list(address: &Address, interest: &Interest) -> Result<Listing, RemoteError> {
    let path = quoted_path(&address.path);
    let limit = interest.max_entries + 2;
    let script = format!(
        r#"p={path}
if stat -c %s / >/dev/null 2>&1; then a=-c; f='%s %Y %n'; else a=-f; f='%z %m %N'; fi
if [ -d "$p" ]; then
  echo "{MARK} folder"
  cd "$p" && find -L . \( -name '.?*' -o -name node_modules -o -name site-packages -o -name __pycache__ \) -prune -o -type f -exec stat -L $a "$f" {{}} + </dev/null 2>/dev/null | head -n {limit}
elif [ -f "$p" ]; then
  echo "{MARK} file"
  stat -L $a "$f" "$p" </dev/null
elif [ -e "$(dirname "$p")" ]; then echo "{MARK} nothing"
else echo "{MARK} nothing above"
fi
exit 0
"#
    );
    let mut running = Script::start(address, &script, false)?;
    let mut text = Vec::new();
    if let Some(stdout) = running.child.stdout.as_mut() {
        let _ = stdout.take(MOST_LISTED).read_to_end(&mut text);
    }
    running.end(address)?;
    parse_listing(&String::from_utf8_lossy(&text), address, interest)
}

fn parse_listing(
    text: &str,
    address: &Address,
    interest: &Interest,
) -> Result<Listing, RemoteError> {
    let url = &address.url;
    let mut lines = text.lines().skip_while(|line| !line.starts_with(MARK));
    let found = lines
        .next()
        .and_then(|line| line.split_once(' '))
        .map(|(_, found)| found);
    let mut listing = Listing {
        objects: Vec::new(),
        is_file: false,
        cut: None,
        offline: None,
    };
    match found {
        Some("folder") => {}
        Some("file") => listing.is_file = true,
        Some(_) => {
            let message = "no such file or folder on that machine";
            return Err(
                RemoteError::new(RemoteErrorKind::NotFound, url, message).with_hint(
                    "use an absolute path, or ssh://HOST/~/logs for one in the home directory",
                ),
            );
        }
        None => {
            let message = "the remote shell gave an unexpected answer";
            return Err(RemoteError::new(RemoteErrorKind::Other, url, message)
                .with_hint("Stepscope needs sh, find and stat on that machine"));
        }
    }
    for line in lines {
        let mut words = line.splitn(3, ' ');
        let numbers = (words.next(), words.next());
        let (Some(size), Some(time), Some(path)) = (numbers.0, numbers.1, words.next()) else {
            continue;
        };
        let (Ok(size_bytes), Ok(time)) = (size.parse(), time.parse::<u64>()) else {
            continue;
        };
        let name = if listing.is_file {
            path.rsplit('/').next().unwrap_or(path)
        } else {
            path.strip_prefix("./").unwrap_or(path)
        };
        let url = if listing.is_file {
            url.clone()
        } else {
            address.child(name)
        };
        listing.objects.push(Object {
            url,
            name: name.to_owned(),
            size_bytes,
            modified_epoch_s: Some(time),
            version: time.to_string(),
        });
    }
    if listing.objects.len() > interest.max_entries {
        listing.objects.truncate(interest.max_entries);
        listing.cut = Some(format!(
            "the search ended after {} files",
            interest.max_entries
        ));
    }
    listing.objects.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(listing)
}

type Fetched = Vec<(usize, Result<PathBuf, RemoteError>)>;

/// Fetches files of machines, those of one machine over one connection.
pub(crate) fn fetch(
    objects: &[Object],
    wanted: &[usize],
    progress: &dyn Fn(usize, u64),
) -> Fetched {
    let mut machines: BTreeMap<String, Vec<(usize, Address)>> = BTreeMap::new();
    let mut fetched = Vec::new();
    for &position in wanted {
        match Address::parse(&objects[position].url) {
            Ok(address) => {
                let machine = machines.entry(address.place.clone()).or_default();
                machine.push((position, address));
            }
            Err(error) => fetched.push((position, Err(error))),
        }
    }
    for files in machines.values() {
        for batch in files.chunks(FILES_AT_ONCE) {
            fetched.extend(fetch_batch(objects, batch, progress));
        }
    }
    fetched
}

fn fetch_batch(
    objects: &[Object],
    batch: &[(usize, Address)],
    progress: &dyn Fn(usize, u64),
) -> Fetched {
    let mut fetched = Fetched::new();
    // Names below `/` or below the home directory, as tar gives them back.
    let mut by_name: BTreeMap<String, (usize, Entry)> = BTreeMap::new();
    let mut arguments = String::new();
    for (position, address) in batch {
        let object = &objects[*position];
        match cache::begin(object) {
            Ok(Some(entry)) => {
                let (base, name) = match address.path.strip_prefix("~/") {
                    Some(name) => ("\"$HOME\"", name),
                    None => ("/", address.path.trim_start_matches('/')),
                };
                let word = quoted(&format!("./{name}"));
                let _ = write!(arguments, " -C {base} {word}");
                by_name.insert(name.to_owned(), (*position, entry));
            }
            Ok(None) => {
                let here = cache::kept(object).ok_or_else(|| {
                    RemoteError::cache(&object.url, "read", &io::ErrorKind::NotFound.into())
                });
                fetched.push((*position, here));
            }
            Err(error) => {
                fetched.push((
                    *position,
                    Err(RemoteError::cache(&object.url, "write", &error)),
                ));
            }
        }
    }
    let Some((_, address)) = batch.first().filter(|_| !by_name.is_empty()) else {
        return fetched;
    };
    let script = format!("exec tar -chf -{arguments} </dev/null\n");
    let outcome = Script::start(address, &script, true).and_then(|mut running| {
        if let Some(stdout) = running.child.stdout.take() {
            fetched.extend(unpack(stdout, objects, &mut by_name, progress));
        }
        running.end(address)
    });
    // What is left did not come: ssh failed, or tar could not read it.
    for (position, _) in by_name.into_values() {
        let url = &objects[position].url;
        let error = match &outcome {
            Err(error) => RemoteError {
                url: url.clone(),
                ..error.clone()
            },
            Ok((_, said)) => {
                let last = said.lines().last().unwrap_or("it was not sent").trim();
                RemoteError::new(
                    RemoteErrorKind::Other,
                    url,
                    format!("the remote machine could not read the file ({last})"),
                )
            }
        };
        fetched.push((position, Err(error)));
    }
    fetched
}

/// Takes the files of a tar as they come.
fn unpack(
    stream: impl io::Read,
    objects: &[Object],
    by_name: &mut BTreeMap<String, (usize, Entry)>,
    progress: &dyn Fn(usize, u64),
) -> Fetched {
    let mut fetched = Fetched::new();
    // What it did not send is told by the machine itself.
    let _ = each_tar_entry(stream, |_, entry| {
        let Ok(entry) = entry else {
            return ControlFlow::Break(());
        };
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let name = name.trim_start_matches("./").trim_start_matches('/');
        let Some((position, mut target)) = by_name.remove(name) else {
            return ControlFlow::Continue(());
        };
        let object = &objects[position];
        let result = if entry.size() == object.size_bytes {
            copy(entry, target.file(), |done| progress(position, done))
                .and_then(|count| target.mark(0..count))
                .and_then(|()| target.finish())
                .map_err(|error| RemoteError::cache(&object.url, "write", &error))
        } else {
            Err(crate::error::changed(&object.url))
        };
        fetched.push((position, result));
        ControlFlow::Continue(())
    });
    fetched
}

/// Copies everything, and says how many bytes that was.
fn copy(
    from: &mut impl io::Read,
    mut to: &std::fs::File,
    progress: impl Fn(u64),
) -> io::Result<u64> {
    let mut buffer = vec![0; 1 << 18];
    let mut done = 0;
    loop {
        let count = from.read(&mut buffer)?;
        if count == 0 {
            return Ok(done);
        }
        to.write_all(&buffer[..count])?;
        done += count as u64;
        progress(done);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTEREST: Interest = Interest {
        file: |_| true,
        folder: |_| true,
        max_entries: 3,
        max_depth: 9,
    };

    #[test]
    fn hosts_and_ports_are_told_apart() {
        let host = |place: &str| host_and_port(place);
        assert_eq!(host("vm"), ("vm".to_owned(), None));
        assert_eq!(host("me@vm:2222"), ("me@vm".to_owned(), Some(2222)));
        assert_eq!(host("me@[::1]:22"), ("me@::1".to_owned(), Some(22)));
        assert_eq!(host("fe80::1"), ("fe80::1".to_owned(), None));
    }

    #[test]
    fn words_for_the_shell_mean_themselves() {
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's; rm -rf $HOME"), r"'it'\''s; rm -rf $HOME'");
        assert_eq!(quoted_path("~/x y"), "\"$HOME\"'/x y'");
    }

    #[test]
    fn listings_are_read_past_what_a_shell_prints() {
        let address = Address::parse("ssh://vm/data").expect("a URL");
        let text = "Welcome!\nstepscope-listing folder\n12 1700000000 ./a b.xplane.pb\nnoise\n\
                    5 1700000001 ./plugins/profile/r/h.xplane.pb\n";
        let listing = parse_listing(text, &address, &INTEREST).expect("a listing");
        let names: Vec<&str> = listing
            .objects
            .iter()
            .map(|object| object.name.as_str())
            .collect();
        assert_eq!(names, ["a b.xplane.pb", "plugins/profile/r/h.xplane.pb"]);
        assert_eq!(
            listing.objects[1].url,
            "ssh://vm/data/plugins/profile/r/h.xplane.pb"
        );
        assert_eq!(listing.objects[0].size_bytes, 12);
        let nothing = parse_listing("stepscope-listing nothing\n", &address, &INTEREST);
        assert_eq!(
            nothing.expect_err("nothing").kind,
            RemoteErrorKind::NotFound
        );
        let many: String = ["1 1 ./a\n"; 9].concat();
        let listing = parse_listing(
            &format!("stepscope-listing folder\n{many}"),
            &address,
            &INTEREST,
        );
        let listing = listing.expect("a listing");
        assert!(listing.cut.is_some() && listing.objects.len() == 3);
    }

    #[test]
    fn what_ssh_says_becomes_a_hint() {
        let told = |said: &str| failure("ssh://vm/x", "me@vm", Some(255), said);
        let cases = [
            (
                "me@vm: Permission denied (publickey).",
                RemoteErrorKind::Credentials,
                "ssh-add",
            ),
            (
                "ssh: Could not resolve hostname vm: Name or service not known",
                RemoteErrorKind::Unreachable,
                "config",
            ),
            (
                "ssh: connect to host vm port 22: Connection refused",
                RemoteErrorKind::Unreachable,
                "port",
            ),
            (
                "Host key verification failed.",
                RemoteErrorKind::Refused,
                "check the key",
            ),
        ];
        for (said, kind, hint) in cases {
            let error = told(said);
            assert_eq!(error.kind, kind);
            assert!(error.hint.contains(hint), "{}", error.hint);
            assert!(error.message.contains(said.trim_end()), "{error}");
        }
    }
}
