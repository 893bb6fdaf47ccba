//! Files that are truncated and written again while they are open.

use std::fs::{self, OpenOptions};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use stepscope_model::{ProfileData as _, Reads};
use stepscope_storage::{NoProgress, ProfileBytes, find, open, open_session};

use crate::tree::{Tree, bytes_of, found, profile};

const MAPPED_BYTES: usize = 9 << 20;

/// Runs a test of this file again in a process of its own, with a variable set; how that ended.
fn in_a_child(test: &str, variable: &str) -> std::process::ExitStatus {
    let test = format!("rewritten::{test}");
    Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", &test, "--nocapture", "--test-threads=1"])
        .env(variable, "1")
        .output()
        .expect("it starts")
        .status
}

fn truncate(path: &Path, size_bytes: u64) {
    let file = OpenOptions::new().write(true).open(path).expect("a file");
    file.set_len(size_bytes).expect("it can be cut");
}

fn mapped(tree: &Tree) -> (std::path::PathBuf, ProfileBytes) {
    let path = tree.file("vm.xplane.pb", &profile(1, MAPPED_BYTES));
    let bytes = open(&found(&path).sessions[0].hosts[0], &NoProgress).expect("it opens");
    assert!(bytes.is_mapped());
    assert_eq!(bytes.changed(), None);
    (path, bytes)
}

fn sum(bytes: &ProfileBytes) -> u64 {
    bytes.as_ref().iter().map(|&byte| u64::from(byte)).sum()
}

#[test]
fn truncation_of_a_mapped_file_is_an_error_and_no_signal() {
    let tree = Tree::new();
    let (path, bytes) = mapped(&tree);
    truncate(&path, 100_000);
    assert!(sum(&bytes) > 0);
    let said = bytes.changed().expect("it changed");
    assert!(
        said.starts_with("the file changed while it was open: "),
        "{said}"
    );
    assert!(said.ends_with("vm.xplane.pb"), "{said}");
    // A file that is whole again is still not the one that was opened.
    fs::write(&path, profile(1, MAPPED_BYTES)).expect("a file");
    assert!(bytes.changed().is_some());
    assert_eq!(
        bytes_of(&found(&path).sessions[0].hosts[0]).len(),
        MAPPED_BYTES
    );
}

/// `cp --preserve`, or who wants to hide it: the same size, and the time of before.
#[cfg(unix)]
#[test]
fn a_rewrite_that_restores_size_and_time_is_noticed() {
    let tree = Tree::new();
    let (path, bytes) = mapped(&tree);
    let modified = fs::metadata(&path)
        .and_then(|metadata| metadata.modified())
        .expect("a time");
    std::thread::sleep(Duration::from_millis(50));
    fs::write(&path, profile(2, MAPPED_BYTES)).expect("a file");
    let file = OpenOptions::new().write(true).open(&path).expect("a file");
    file.set_modified(modified).expect("a time");
    let said = bytes.changed().expect("it changed");
    assert!(said.contains("changed while it was open"), "{said}");
}

#[test]
fn many_threads_meet_a_truncated_file() {
    let tree = Tree::new();
    let (path, bytes) = mapped(&tree);
    truncate(&path, 0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| sum(&bytes));
        }
    });
    assert!(bytes.changed().is_some());
}

#[test]
fn a_file_replaced_by_another_leaves_the_open_one_alone() {
    let tree = Tree::new();
    let (path, bytes) = mapped(&tree);
    let before = sum(&bytes);
    let other = tree.file("other", &profile(2, 1000));
    fs::rename(other, &path).expect("a rename");
    assert_eq!((bytes.changed(), sum(&bytes)), (None, before));
    fs::remove_file(&path).expect("it is there");
    assert_eq!((bytes.changed(), sum(&bytes)), (None, before));
}

#[test]
fn small_files_are_copied_so_that_nothing_can_change_them() {
    let tree = Tree::new();
    let path = tree.file("vm.xplane.pb", &profile(1, 100_000));
    let bytes = open(&found(&path).sessions[0].hosts[0], &NoProgress).expect("it opens");
    truncate(&path, 0);
    assert!(!bytes.is_mapped());
    assert_eq!(
        (bytes.changed(), bytes.as_ref()),
        (None, profile(1, 100_000).as_slice())
    );
}

#[test]
fn slots_of_closed_files_are_used_again() {
    let tree = Tree::new();
    let path = tree.file("vm.xplane.pb", &profile(1, MAPPED_BYTES));
    let host = found(&path).sessions[0].hosts[0].clone();
    for _ in 0..10_000 {
        assert!(open(&host, &NoProgress).expect("it opens").is_mapped());
    }
    // Beyond the number of slots, files are read instead.
    let open_at_once: Vec<ProfileBytes> = (0..4096)
        .map_while(|_| {
            open(&host, &NoProgress)
                .ok()
                .filter(ProfileBytes::is_mapped)
        })
        .collect();
    let read = open(&host, &NoProgress).expect("it opens");
    assert!(!read.is_mapped());
    assert_eq!(read.as_ref(), open_at_once[0].as_ref());
}

/// The handler is only for our mappings: a signal for anything else still ends the process.
#[cfg(unix)]
#[test]
fn a_bus_error_elsewhere_still_ends_the_process() {
    use std::os::unix::process::ExitStatusExt as _;
    if std::env::var_os("SENDS_ITSELF_A_SIGNAL").is_some() {
        let (_tree, _bytes) = {
            let tree = Tree::new();
            let (_, bytes) = mapped(&tree);
            (tree, bytes)
        };
        let me = std::process::id().to_string();
        // Rust's own handler, which was there before, returns to the default on the first.
        for _ in 0..2 {
            let _ = Command::new("kill").args(["-BUS", &me]).status();
        }
        std::thread::sleep(Duration::from_secs(5));
        return;
    }
    let ended = in_a_child(
        "a_bus_error_elsewhere_still_ends_the_process",
        "SENDS_ITSELF_A_SIGNAL",
    );
    assert_eq!(ended.signal(), Some(libc::SIGBUS), "{ended}");
}

/// What Python's `faulthandler` does: it says what happened, puts back what it found when it was
/// installed, and sends the signal again.
#[cfg(unix)]
#[expect(unsafe_code, reason = "a signal handler has no safe form")]
mod another_handler {
    use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

    pub(super) static CALLS: AtomicU32 = AtomicU32::new(0);
    static FOUND: AtomicPtr<libc::sigaction> = AtomicPtr::new(std::ptr::null_mut());

    extern "C" fn on_signal(signal: libc::c_int) {
        CALLS.fetch_add(1, Ordering::SeqCst);
        // SAFETY: only system calls that a handler may make, with what `install` left there.
        unsafe {
            libc::write(2, b"another handler\n".as_ptr().cast(), 16);
            libc::sigaction(signal, FOUND.load(Ordering::SeqCst), std::ptr::null_mut());
            libc::raise(signal);
        }
    }

    pub(super) fn install() {
        let handler: extern "C" fn(libc::c_int) = on_signal;
        // SAFETY: zeros are a valid value of both, and the handler lives as long as the process.
        unsafe {
            let mut own: libc::sigaction = std::mem::zeroed();
            own.sa_sigaction = handler as usize;
            own.sa_flags = libc::SA_NODEFER;
            let found = Box::into_raw(Box::new(std::mem::zeroed()));
            assert_eq!(libc::sigaction(libc::SIGBUS, &raw const own, found), 0);
            FOUND.store(found, Ordering::SeqCst);
        }
    }

    /// Whether the next signal ends the process.
    pub(super) fn is_over() -> bool {
        // SAFETY: zeros are a valid value, and no new action is given.
        unsafe {
            let mut current: libc::sigaction = std::mem::zeroed();
            libc::sigaction(libc::SIGBUS, std::ptr::null(), &raw mut current) == 0
                && current.sa_sigaction == libc::SIG_DFL
        }
    }
}

#[cfg(unix)]
#[test]
fn a_handler_that_others_install_later_does_not_bring_the_signal_back() {
    use std::os::unix::process::ExitStatusExt as _;
    use std::sync::atomic::Ordering;
    let name = "a_handler_that_others_install_later_does_not_bring_the_signal_back";
    if std::env::var_os("HAS_ANOTHER_HANDLER").is_some() {
        let tree = Tree::new();
        let (_, first) = mapped(&tree);
        another_handler::install();
        let path = tree.file("other/vm.xplane.pb", &profile(3, MAPPED_BYTES));
        let bytes = open(&found(&path).sessions[0].hosts[0], &NoProgress).expect("it opens");
        truncate(&path, 100_000);
        truncate(&tree.at("vm.xplane.pb"), 100_000);
        assert!(sum(&bytes) > 0 && sum(&first) > 0);
        assert!(bytes.changed().is_some());
        assert_eq!(another_handler::CALLS.load(Ordering::SeqCst), 0);
        // A signal that is not ours is theirs, once; then it ends the process.
        let me = std::process::id().to_string();
        let _ = Command::new("kill").args(["-BUS", &me]).status();
        // Until then a second one may reach another thread and be theirs as well.
        while !another_handler::is_over() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = Command::new("kill").args(["-BUS", &me]).status();
        std::thread::sleep(Duration::from_secs(5));
        return;
    }
    let test = format!("rewritten::{name}");
    let output = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", &test, "--nocapture", "--test-threads=1"])
        .env("HAS_ANOTHER_HANDLER", "1")
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.signal(), Some(libc::SIGBUS), "{said}");
    assert_eq!(said.matches("another handler").count(), 1, "{said}");
}

/// A real profile, large enough to be mapped: protobuf joins messages that follow each other.
fn capture() -> Vec<u8> {
    let fixture = stepscope_testing::corpus::fixture("demo-gpt-cpu").expect("the fixture");
    let one = stepscope_testing::corpus::read_bytes(&fixture.hosts[0]).expect("it is readable");
    one.repeat(6)
}

#[test]
fn a_session_is_opened_ten_times_while_its_file_is_written_again_and_again() {
    let tree = Tree::new();
    let whole = capture();
    assert!(
        whole.len() > 4 << 20,
        "{} bytes are not mapped",
        whole.len()
    );
    let path = tree.file("log/plugins/profile/run/vm.xplane.pb", &whole);
    let events = |session: &stepscope_model::Session| session.hosts[0].event_count;
    let files = find(&path).expect("it is there").sessions.remove(0);
    let expected = events(
        &open_session(&files, Reads::Everything, |_| NoProgress)
            .expect("it opens")
            .session,
    );
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                // As `cp` does: cut to nothing, then written from the beginning.
                fs::write(&path, &whole).expect("a file");
                std::thread::sleep(Duration::from_millis(7));
                truncate(&path, 3 << 20);
                std::thread::sleep(Duration::from_millis(7));
            }
        });
        for trial in 0..10 {
            let opened = open_session(&files, Reads::Everything, |_| NoProgress);
            match opened {
                // Whole, or as far as it was there, with a notice.
                Ok(opened) => {
                    let session = opened.session;
                    let is_told = !session.warnings.is_empty() || session.changed().is_some();
                    assert!(events(&session) == expected || is_told, "trial {trial}");
                    let _ = session.slice_count();
                }
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    fs::write(&path, &whole).expect("a file");
    let opened = open_session(&files, Reads::Everything, |_| NoProgress).expect("it opens");
    assert_eq!(events(&opened.session), expected);
    assert_eq!(opened.session.changed(), None);
}

#[test]
fn a_file_that_grows_is_opened_as_far_as_it_is_there_and_again() {
    let tree = Tree::new();
    let whole = capture();
    let path = tree.file("log/plugins/profile/run/vm.xplane.pb", &whole[..5 << 20]);
    let files = find(&path).expect("it is there").sessions.remove(0);
    let is_over = AtomicBool::new(false);
    let mut problems = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = OpenOptions::new().append(true).open(&path).expect("a file");
            let began = Instant::now();
            let mut rest = whole[5 << 20..].chunks(2000);
            while !is_over.load(Ordering::Relaxed) && began.elapsed() < Duration::from_secs(20) {
                let Some(part) = rest.next() else { break };
                std::io::Write::write_all(&mut file, part).expect("it is written");
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let opened = open_session(&files, Reads::Everything, |_| NoProgress).expect("it opens");
        problems.extend(
            opened
                .session
                .warnings
                .into_iter()
                .map(|warning| warning.message),
        );
        is_over.store(true, Ordering::Relaxed);
    });
    let is_said = |text: &String| text.contains("the file was still being written: its first ");
    assert!(problems.iter().any(is_said), "{problems:?}");
    fs::write(&path, &whole).expect("a file");
    let opened = open_session(&files, Reads::Everything, |_| NoProgress).expect("it opens");
    let problems: Vec<String> = opened
        .session
        .warnings
        .into_iter()
        .map(|warning| warning.message)
        .collect();
    assert!(!problems.iter().any(is_said), "{problems:?}");
}
