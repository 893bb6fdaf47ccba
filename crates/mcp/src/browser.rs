//! Pictures of pages, by a browser of this machine that nobody sees.
//!
//! The browser's own clock runs ahead while the page waits for timers, and stands still while it waits
//! for the server: the picture is taken when the page has nothing left to do.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use stepscope_server::redirection::page_to;
use tokio::process::Command;
use tokio::sync::Mutex;

/// The variable that names a browser.
pub(crate) const VARIABLE: &str = "STEPSCOPE_BROWSER";

/// Browsers that can do it, as they are called on the PATH.
const NAMES: [&str; 7] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "chrome",
    "msedge",
];

/// Where they are if they are not on the PATH.
const PLACES: [&str; 5] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
];

/// How far the clock of the page may run ahead.
const BUDGET_MS: u32 = 15_000;
/// How long a browser may take in all.
const PATIENCE: Duration = Duration::from_mins(1);
/// What a picture begins with.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// A browser takes hundreds of megabytes: one at a time.
static ONE: Mutex<()> = Mutex::const_new(());

/// How a page is looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    pub(crate) width_px: u32,
    pub(crate) height_px: u32,
    pub(crate) is_dark: bool,
}

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BrowserError {
    #[error("no browser was found; pictures need Chromium, Chrome or Edge")]
    NotFound,
    #[error("{} cannot be started: {source}", .browser.display())]
    NotStarted {
        browser: PathBuf,
        source: std::io::Error,
    },
    #[error("{} took no picture within {} seconds", .browser.display(), PATIENCE.as_secs())]
    TooSlow { browser: PathBuf },
    #[error("{} took no picture: {said}", .browser.display())]
    NoPicture { browser: PathBuf, said: String },
    #[error("there is no room for temporary files: {0}")]
    NoRoom(#[from] std::io::Error),
}

/// A picture of the page at an address, as PNG.
///
/// # Errors
///
/// There is no browser, or it takes no picture.
pub(crate) async fn picture(address: &str, look: Look) -> Result<Vec<u8>, BrowserError> {
    let browser = find().ok_or(BrowserError::NotFound)?;
    // Only this user may read it: the address has a token, which others must not see, not even in
    // the list of processes.
    let folder = tempfile::Builder::new().prefix("stepscope-").tempdir()?;
    let (start, shot) = (
        folder.path().join("start.html"),
        folder.path().join("page.png"),
    );
    std::fs::write(&start, page_to(address))?;
    let mut command = Command::new(&browser);
    command.args(arguments(folder.path(), &start, &shot, look));
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let _one = ONE.lock().await;
    let output = match tokio::time::timeout(PATIENCE, command.output()).await {
        Err(_) => return Err(BrowserError::TooSlow { browser }),
        Ok(Err(source)) => return Err(BrowserError::NotStarted { browser, source }),
        Ok(Ok(output)) => output,
    };
    let bytes = std::fs::read(&shot).unwrap_or_default();
    if bytes.starts_with(PNG) {
        return Ok(bytes);
    }
    let said = last_words(&output);
    Err(BrowserError::NoPicture { browser, said })
}

/// The browser: the one that the variable names, or the first one there is.
fn find() -> Option<PathBuf> {
    if let Some(given) = env::var_os(VARIABLE).filter(|given| !given.is_empty()) {
        return Some(PathBuf::from(given));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    let on_path = NAMES.iter().flat_map(|name| {
        let file = format!("{name}{}", env::consts::EXE_SUFFIX);
        folders.iter().map(move |folder| folder.join(&file))
    });
    let elsewhere = PLACES.iter().map(PathBuf::from);
    on_path.chain(elsewhere).find(|file| file.is_file())
}

fn arguments(folder: &Path, start: &Path, shot: &Path, look: Look) -> Vec<OsString> {
    let Look {
        width_px,
        height_px,
        is_dark,
    } = look;
    let with = |name: &str, path: &Path| {
        let mut argument = OsString::from(name);
        argument.push(path);
        argument
    };
    let mut arguments: Vec<OsString> = [
        "--headless=new",
        "--hide-scrollbars",
        "--disable-gpu",
        "--disable-extensions",
        "--disable-background-networking",
        "--disable-sync",
        "--no-first-run",
        "--no-default-browser-check",
        "--force-device-scale-factor=1",
    ]
    .map(OsString::from)
    .into();
    arguments.push(format!("--window-size={width_px},{height_px}").into());
    arguments.push(format!("--virtual-time-budget={BUDGET_MS}").into());
    if is_dark {
        arguments.push("--force-dark-mode".into());
    }
    if is_root() {
        // It refuses to start otherwise. The page is our own and loads nothing else.
        arguments.push("--no-sandbox".into());
    }
    arguments.push(with("--user-data-dir=", &folder.join("profile")));
    arguments.push(with("--screenshot=", shot));
    arguments.push(start.as_os_str().to_owned());
    arguments
}

/// Whether this process belongs to the administrator, who owns its entry among the processes.
#[cfg(unix)]
fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

/// What a browser said last, without the address.
fn last_words(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    let last = last.unwrap_or("it said nothing");
    let last = if last.contains("token=") {
        "it could not open the page"
    } else {
        last
    };
    format!("{last} ({})", output.status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_in_no_argument() {
        let look = Look {
            width_px: 800,
            height_px: 600,
            is_dark: true,
        };
        let all = arguments(Path::new("/t"), Path::new("/t/a"), Path::new("/t/b"), look);
        let last = all.last().expect("arguments");
        assert_eq!(last, "/t/a");
        assert!(all.contains(&"--window-size=800,600".into()));
        assert!(all.contains(&"--force-dark-mode".into()));
    }
}
