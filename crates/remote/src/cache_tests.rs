//! Entries of the cache that were left half-written, and folders of others.

use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::*;

/// The cache folder is one of the process, so each test has a process of its own.
fn in_a_cache(test: &str, variables: &[(&str, &str)]) -> bool {
    if std::env::var_os("STEPSCOPE_CACHE_TEST").is_some() {
        return true;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let output = child(test, folder.path())
        .envs(variables.iter().copied())
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}"
    );
    false
}

fn child(test: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command
        .args(["--exact", &format!("cache::tests::{test}"), "--nocapture"])
        .env("STEPSCOPE_CACHE_TEST", "1")
        .env("STEPSCOPE_CACHE_DIR", folder);
    command
}

fn object() -> Object {
    Object {
        url: "https://h/f.xplane.pb".to_owned(),
        name: "f.xplane.pb".to_owned(),
        size_bytes: 1000,
        modified_epoch_s: None,
        version: "1".to_owned(),
    }
}

fn write_at(entry: &Entry, range: Range<u64>) {
    let length = usize::try_from(range.end - range.start).expect("small");
    (&entry.file)
        .seek(SeekFrom::Start(range.start))
        .expect("inside");
    (&entry.file).write_all(&vec![7; length]).expect("written");
}

#[test]
fn an_entry_is_whole_or_not_there() {
    if !in_a_cache("an_entry_is_whole_or_not_there", &[]) {
        return;
    }
    let object = object();
    let mut entry = begin(&object).expect("a folder").expect("it is new");
    write_at(&entry, 0..400);
    entry.mark(0..400).expect("remembered");
    assert!(kept(&object).is_none() && !object.is_here());
    assert!(entry.finish().is_err(), "600 bytes are missing");
    assert!(kept(&object).is_none());
    let mut entry = begin(&object).expect("a folder").expect("it is not whole");
    assert_eq!(entry.missing(&(0..1000)), vec![400..1000]);
    write_at(&entry, 400..1000);
    entry.mark(400..1000).expect("remembered");
    let path = entry.finish().expect("it is whole");
    assert_eq!(fs::read(&path).expect("it is there"), vec![7; 1000]);
    assert_eq!(kept(&object), Some(path.clone()));
    // Damage by others: a file of another size is not taken for it.
    OpenOptions::new()
        .write(true)
        .open(&path)
        .and_then(|file| file.set_len(10))
        .expect("cut");
    assert!(kept(&object).is_none() && !object.is_here());
}

#[test]
fn a_file_without_a_version_is_fetched_again_after_a_while() {
    if !in_a_cache(
        "a_file_without_a_version_is_fetched_again_after_a_while",
        &[],
    ) {
        return;
    }
    let with_version = object();
    let without = Object {
        version: String::new(),
        ..object()
    };
    for object in [&with_version, &without] {
        let mut entry = begin(object).expect("a folder").expect("it is new");
        write_at(&entry, 0..1000);
        entry.mark(0..1000).expect("remembered");
        let path = entry.finish().expect("it is whole");
        assert!(kept(object).is_some() && object.is_here());
        let long_ago = SystemTime::now() - Duration::from_hours(1);
        let file = OpenOptions::new().write(true).open(path).expect("a file");
        file.set_modified(long_ago).expect("a time");
    }
    assert!(kept(&with_version).is_some() && with_version.is_here());
    assert!(kept(&without).is_none() && !without.is_here());
    assert!(kept_once(&without).is_some(), "where nobody answers");
    let entry = begin(&without).expect("a folder").expect("it is fetched");
    assert_eq!(entry.missing(&(0..1000)), vec![0..1000]);
}

#[test]
fn nothing_that_opens_a_place_is_kept() {
    if !in_a_cache("nothing_that_opens_a_place_is_kept", &[]) {
        return;
    }
    let url = "https://h/f.xplane.pb?X-Amz-Date=1&X-Amz-Signature=5ecre7";
    let signed = Object {
        url: url.to_owned(),
        ..object()
    };
    let beside = Object {
        url: "https://h/g.xplane.pb?sig=5ecre7".to_owned(),
        ..object()
    };
    let mut entry = begin(&signed).expect("a folder").expect("it is new");
    write_at(&entry, 0..1000);
    entry.mark(0..1000).expect("remembered");
    entry.finish().expect("it is whole");
    let listed = [signed.clone(), beside, object()].into_iter();
    keep_listing(&KeptListing::of(url, true, 7, listed));
    let known = kept_listing(url).expect("it is kept");
    assert_eq!(known.objects, [signed, object()]);
    assert!(kept_listing("https://h/f.xplane.pb").is_none());
    let mut folders = vec![root()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let bytes = fs::read(entry.path()).expect("a file");
            let text = String::from_utf8_lossy(&bytes);
            assert!(!text.contains("5ecre7"), "{}", entry.path().display());
            files += 1;
        }
    }
    assert!(files >= 4, "{files} files");
}

#[test]
fn what_was_fetched_before_the_machine_crashed_is_fetched_again() {
    if !in_a_cache(
        "what_was_fetched_before_the_machine_crashed_is_fetched_again",
        &[],
    ) {
        return;
    }
    let object = object();
    let mut entry = begin(&object).expect("a folder").expect("it is new");
    write_at(&entry, 0..400);
    entry.mark(0..400).expect("remembered");
    let boot = entry.folder.join("boot");
    drop(entry);
    if boot.exists() {
        fs::write(&boot, "another boot").expect("a file");
        let entry = begin(&object).expect("a folder").expect("it is not whole");
        assert_eq!(entry.missing(&(0..1000)), vec![0..1000]);
    }
}

#[test]
fn a_process_killed_while_it_writes_leaves_no_whole_entry() {
    let object = object();
    if std::env::var_os("STEPSCOPE_CACHE_KILLED").is_some() {
        let mut entry = begin(&object).expect("a folder").expect("it is new");
        for start in (0..1000).step_by(10) {
            write_at(&entry, start..start + 10);
            entry.mark(start..start + 10).expect("remembered");
            std::thread::sleep(Duration::from_millis(10));
        }
        return;
    }
    if std::env::var_os("STEPSCOPE_CACHE_TEST").is_some() {
        assert!(kept(&object).is_none() && !object.is_here());
        let entry = begin(&object).expect("a folder").expect("it is not whole");
        assert!(!entry.missing(&(0..1000)).is_empty());
        return;
    }
    let test = "a_process_killed_while_it_writes_leaves_no_whole_entry";
    let folder = tempfile::tempdir().expect("a folder");
    for wait_ms in [150, 300, 450] {
        let mut writing = child(test, folder.path())
            .env("STEPSCOPE_CACHE_KILLED", "1")
            .stdout(Stdio::null())
            .spawn()
            .expect("it starts");
        std::thread::sleep(Duration::from_millis(wait_ms));
        writing.kill().expect("SIGKILL");
        writing.wait().expect("it ended");
        let checked = child(test, folder.path()).output().expect("it starts");
        let said = String::from_utf8_lossy(&checked.stdout);
        assert!(checked.status.success(), "{said}");
    }
}

#[test]
fn the_folder_of_the_cache_is_for_this_user_only() {
    if !in_a_cache("the_folder_of_the_cache_is_for_this_user_only", &[]) {
        return;
    }
    fs::create_dir_all(root()).expect("a folder");
    fs::set_permissions(root(), fs::Permissions::from_mode(0o777)).expect("open to all");
    make_private(&objects()).expect("a folder");
    let mode = |path: &Path| {
        fs::metadata(path)
            .expect("it is there")
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode(&root()), 0o700);
    fs::remove_dir_all(root()).expect("removed");
    let elsewhere = settings::cache_folder().join("elsewhere");
    fs::create_dir(&elsewhere).expect("a folder");
    std::os::unix::fs::symlink(&elsewhere, root()).expect("a link");
    assert!(make_private(&objects()).is_err(), "somebody else's folder");
}

#[test]
fn without_a_home_the_cache_has_a_name_that_nobody_can_guess() {
    let test = "without_a_home_the_cache_has_a_name_that_nobody_can_guess";
    if std::env::var_os("STEPSCOPE_CACHE_TEST").is_none() {
        let ran = child(test, Path::new(""))
            .env_remove("HOME")
            .env_remove("XDG_CACHE_HOME")
            .output()
            .expect("it starts");
        let said = String::from_utf8_lossy(&ran.stdout);
        assert!(ran.status.success(), "{said}");
        return;
    }
    let folder = settings::cache_folder();
    assert_eq!(folder, settings::cache_folder());
    assert_ne!(folder, std::env::temp_dir().join("stepscope"));
    let metadata = fs::metadata(&folder).expect("it is made");
    assert_eq!(metadata.permissions().mode() & 0o777, 0o700);
    fs::remove_dir_all(&folder).expect("removed");
}
