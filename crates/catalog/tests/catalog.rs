//! Catalogs of our own captures: what is in them is what the analyses answer, and what is damaged is
//! never used.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use stepscope_analysis::{ANALYSES, AnalysisError};
use stepscope_catalog::{Catalog, Entry, Listener, Outcome, Summary, Todo, index};
use stepscope_export::arrow::batch;
use stepscope_export::tables::every_row;
use stepscope_model::{Reads, Session};
use stepscope_storage::{NoProgress, SessionFiles, find, open_session};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures")
        .join(name)
}

struct Quiet;

impl Listener for Quiet {
    fn bytes(&self, _more: u64) {}
    fn done(&self, _name: &str, _failure: Option<&str>) {}
}

fn sessions(path: &Path) -> Vec<SessionFiles> {
    find(path).expect("sessions").sessions
}

fn indexed(catalog: &Catalog, path: &Path) -> Outcome {
    let todo = |files: SessionFiles| Todo {
        location: path.join(&files.location).display().to_string(),
        files,
    };
    let todo: Vec<Todo> = sessions(path).into_iter().map(todo).collect();
    index(catalog, &todo, 2, &Quiet).expect("a catalog that can be written")
}

fn opened(files: &SessionFiles) -> Session {
    let opened = open_session(files, Reads::Everything, |_| NoProgress);
    opened.expect("a session").session
}

/// A log directory with copies of a small capture.
fn runs(folder: &Path, count: usize) {
    let profile = fixture("riegeli-cpu/pb/plugins/profile/pb/vm.xplane.pb.gz");
    for run in 0..count {
        let run_folder = folder.join(format!("plugins/profile/run{run}"));
        fs::create_dir_all(&run_folder).expect("a folder");
        // Another host is another capture.
        let path = run_folder.join(format!("host{run}.xplane.pb.gz"));
        fs::copy(&profile, path).expect("a copy");
    }
}

fn roll_ups(catalog: &Catalog) -> Vec<PathBuf> {
    let files = fs::read_dir(catalog.folder().join("roll-ups")).expect("roll-ups");
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    paths
}

#[test]
fn a_roll_up_is_what_every_analysis_answers_cell_by_cell() {
    let folder = tempfile::tempdir().expect("a folder");
    let catalog = Catalog::at(&folder.path().join("catalog"));
    let mut rows = 0;
    for name in [
        "demo-gpt-cpu",
        "hosts4-cpu",
        "leak-cpu",
        "serving-cpu",
        "kineto-drawn",
    ] {
        let path = fixture(name);
        let outcome = indexed(&catalog, &path);
        assert_eq!(outcome.failed, [], "{name}");
        for files in sessions(&path) {
            let entry = catalog.summaries().entry(&files).expect("an entry");
            let roll_up = catalog.roll_up(&entry.address).expect("a roll-up");
            let session = opened(&files);
            assert_eq!(entry.summary, Summary::of(&session), "{name}");
            assert_eq!(*roll_up.summary(), entry.summary);
            assert_eq!(roll_up.answers().len(), ANALYSES.len());
            for analysis in ANALYSES {
                let stored = roll_up.answer(analysis.name).expect("an answer");
                let answer = match analysis.run_pairs(&session, every_row(analysis, &[])) {
                    Ok(answer) => answer,
                    Err(AnalysisError::Options(text)) => panic!("{}: {text}", analysis.name),
                    Err(error) => {
                        assert_eq!(stored.error, error.to_string());
                        assert!(stored.tables.is_empty());
                        continue;
                    }
                };
                assert_eq!(stored.error, "");
                let notes: Vec<&String> = answer.notes().iter().map(|note| &note.text).collect();
                assert_eq!(stored.notes.iter().collect::<Vec<_>>(), notes);
                let tables = answer.tables();
                let with_rows = tables.iter().filter(|table| !table.rows.is_empty());
                let with_rows: Vec<_> = with_rows.collect();
                let kept = stored.tables.len() + stored.left_out.len();
                assert_eq!(kept, with_rows.len(), "{name} {}", analysis.name);
                for table in with_rows {
                    let Some(own) = stored.tables.iter().find(|own| own.key == table.key) else {
                        assert!(stored.left_out.iter().any(|key| key == table.key));
                        continue;
                    };
                    let expected = batch(table).expect("cells of the declared types");
                    let (count, columns) = roll_up
                        .columns(own, &table.columns)
                        .expect("the stored table");
                    assert_eq!((count, own.rows), (table.rows.len(), table.rows.len()));
                    for (column, found) in table.columns.iter().zip(columns) {
                        let expected = expected.column_by_name(column.key);
                        assert_eq!(
                            found.as_ref(),
                            expected,
                            "{name} {} {}",
                            table.key,
                            column.key
                        );
                    }
                    rows += count;
                }
            }
        }
    }
    assert!(rows > 2000, "{rows} rows");
}

#[test]
fn a_column_that_is_not_asked_for_is_not_decoded_and_an_unknown_one_is_missing() {
    let folder = tempfile::tempdir().expect("a folder");
    let catalog = Catalog::at(folder.path());
    let path = fixture("demo-gpt-cpu");
    indexed(&catalog, &path);
    let files = &sessions(&path)[0];
    let address = catalog.summaries().entry(files).expect("an entry").address;
    let roll_up = catalog.roll_up(&address).expect("a roll-up");
    let table = &roll_up.answer("ops").expect("ops").tables[0];
    let unknown = stepscope_analysis::Column::new("nothing", "", stepscope_analysis::Unit::Text);
    let (count, columns) = roll_up.columns(table, &[unknown]).expect("a table");
    assert_eq!((count, columns), (table.rows, vec![None]));
}

#[test]
fn what_is_unchanged_is_not_made_again_and_what_changed_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let (logs, catalog) = (
        folder.path().join("logs"),
        Catalog::at(&folder.path().join("c")),
    );
    runs(&logs, 3);
    assert_eq!(indexed(&catalog, &logs).made_count, 3);
    let again = indexed(&catalog, &logs);
    assert_eq!((again.made_count, again.unchanged_count), (0, 3));
    let before = catalog.summaries();
    // The same content at another time: it is read, and found.
    let run = logs.join("plugins/profile/run1/host1.xplane.pb.gz");
    let file = fs::File::options().write(true).open(&run).expect("a file");
    let earlier = SystemTime::now() - Duration::from_hours(1);
    file.set_modified(earlier).expect("another time");
    let files = sessions(&logs);
    assert!(
        catalog.summaries().entry(&files[1]).is_none(),
        "it may have changed"
    );
    let touched = indexed(&catalog, &logs);
    assert_eq!((touched.copy_count, touched.unchanged_count), (1, 2));
    assert_eq!(
        before.entry(&files[0]),
        catalog.summaries().entry(&files[0])
    );
    assert_eq!(catalog.summaries().len(), 3, "the old entry went");
    // Another content.
    fs::copy(
        fixture("serving-cpu/plugins/profile/serving/vm.xplane.pb.gz"),
        &run,
    )
    .expect("a copy");
    assert_eq!(indexed(&catalog, &logs).made_count, 1);
    // A copy elsewhere.
    let copy = folder.path().join("other/plugins/profile/copy");
    fs::create_dir_all(&copy).expect("a folder");
    fs::copy(
        logs.join("plugins/profile/run2/host2.xplane.pb.gz"),
        copy.join("host2.xplane.pb.gz"),
    )
    .expect("a copy");
    let copied = indexed(&catalog, &folder.path().join("other"));
    assert_eq!((copied.made_count, copied.copy_count), (0, 1));
}

#[test]
fn a_damaged_roll_up_is_never_used_and_made_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let (logs, catalog) = (
        folder.path().join("logs"),
        Catalog::at(&folder.path().join("c")),
    );
    runs(&logs, 1);
    indexed(&catalog, &logs);
    let files = &sessions(&logs)[0];
    let address = catalog.summaries().entry(files).expect("an entry").address;
    let path = &roll_ups(&catalog)[0];
    let whole = fs::read(path).expect("a roll-up");
    // Whether anything can be read from it that was not written.
    let is_refused = || {
        let Some(roll_up) = catalog.roll_up(&address) else {
            return true;
        };
        let mut tables = roll_up.answers().iter().flat_map(|answer| &answer.tables);
        tables.any(|table| roll_up.columns(table, &[]).is_err())
    };
    assert!(!is_refused());
    // The first bytes and those between tables are of no table and of no footer: there are none.
    for at in (8..whole.len()).step_by(97).chain([whole.len() - 1]) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        fs::write(path, damaged).expect("written");
        assert!(is_refused(), "byte {at} of {}", whole.len());
    }
    for length in (0..whole.len()).step_by(1999) {
        fs::write(path, &whole[..length]).expect("written");
        assert!(is_refused(), "the first {length} of {}", whole.len());
    }
    let again = indexed(&catalog, &logs);
    assert_eq!((again.made_count, again.unchanged_count), (1, 0));
    assert_eq!(
        fs::read(path).expect("a roll-up"),
        whole,
        "the same capture, the same roll-up"
    );
    // That of another capture under its name.
    runs(&logs, 2);
    indexed(&catalog, &logs);
    let other = roll_ups(&catalog).into_iter().find(|other| other != path);
    fs::copy(other.expect("another"), path).expect("a copy");
    assert!(is_refused());
}

#[test]
fn damaged_summaries_are_made_anew_from_the_roll_ups() {
    let folder = tempfile::tempdir().expect("a folder");
    let (logs, catalog) = (
        folder.path().join("logs"),
        Catalog::at(&folder.path().join("c")),
    );
    runs(&logs, 2);
    indexed(&catalog, &logs);
    let files = fs::read_dir(catalog.folder()).expect("a folder").flatten();
    let mut paths = files.map(|file| file.path());
    let path = paths.find(|path| path.to_string_lossy().contains("summaries-"));
    let path = path.expect("summaries");
    fs::write(&path, "stepscope summaries").expect("written");
    assert!(catalog.summaries().is_empty());
    let again = indexed(&catalog, &logs);
    assert_eq!(
        (again.made_count, again.copy_count),
        (0, 2),
        "the roll-ups are still there"
    );
    assert_eq!(catalog.summaries().len(), 2);
}

#[cfg(unix)]
#[test]
fn pipes_and_holes_in_the_place_of_its_files_stop_nobody() {
    let folder = tempfile::tempdir().expect("a folder");
    let (logs, place) = (folder.path().join("logs"), folder.path().join("catalog"));
    runs(&logs, 1);
    let catalog = Catalog::at(&place);
    indexed(&catalog, &logs);
    let roll_up = roll_ups(&catalog).remove(0);
    let name_of = |name: &str| {
        let files = fs::read_dir(&place).expect("a folder").flatten();
        let mut paths = files.map(|file| file.path());
        paths.find(|path| path.to_string_lossy().contains(name))
    };
    let summaries = name_of("summaries-").expect("it is written");
    let in_the_place_of = |path: &Path, is_hole: bool| {
        fs::remove_file(path).expect("it is there");
        if is_hole {
            let hole = fs::File::create(path).expect("a file");
            hole.set_len(100 << 30).expect("a hole");
        } else {
            let made = std::process::Command::new("mkfifo").arg(path).status();
            assert!(made.expect("mkfifo").success());
        }
    };
    for is_hole in [false, true] {
        in_the_place_of(&summaries, is_hole);
        in_the_place_of(&roll_up, is_hole);
        let (place, logs) = (place.clone(), logs.clone());
        let (answer, answered) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let catalog = Catalog::at(&place);
            let known = catalog.summaries().len();
            let made = indexed(&catalog, &logs).made_count;
            let _ = answer.send((known, made));
        });
        let answered = answered.recv_timeout(Duration::from_mins(1));
        assert_eq!(answered.expect("nobody waits"), (0, 1));
    }
    let lock = name_of("lock").expect("it is there");
    in_the_place_of(&lock, false);
    let (answer, answered) = std::sync::mpsc::channel();
    std::thread::spawn(move || answer.send(catalog.clear().map_err(|error| error.to_string())));
    let answered = answered.recv_timeout(Duration::from_mins(1));
    let said = answered.expect("nobody waits").expect_err("it is refused");
    assert!(said.contains("it is a named pipe"), "{said}");
}

#[test]
fn several_writers_at_a_time_lose_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let logs = folder.path().join("logs");
    runs(&logs, 8);
    let shared = folder.path().join("c");
    let all = sessions(&logs);
    std::thread::scope(|scope| {
        for part in all.chunks(3) {
            let shared = &shared;
            // Each has its own view of the folder, as processes have, and the first session.
            let mine: Vec<Todo> = part
                .iter()
                .chain(&all[..1])
                .map(|files| Todo {
                    files: files.clone(),
                    location: files.location.clone(),
                })
                .collect();
            scope.spawn(move || {
                let outcome = index(&Catalog::at(shared), &mine, 2, &Quiet).expect("written");
                assert_eq!(outcome.failed, []);
            });
        }
    });
    let catalog = Catalog::at(&shared);
    let summaries = catalog.summaries();
    assert_eq!(summaries.len(), 8);
    for files in &all {
        let entry = summaries.entry(files).expect("an entry");
        assert!(catalog.roll_up(&entry.address).is_some());
    }
}

#[test]
fn the_ones_unused_for_longest_go_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let (logs, catalog) = (
        folder.path().join("logs"),
        Catalog::at(&folder.path().join("c")),
    );
    runs(&logs, 3);
    indexed(&catalog, &logs);
    let files = sessions(&logs);
    let address = |at: usize| {
        catalog
            .summaries()
            .entry(&files[at])
            .map(|entry| entry.address)
    };
    for (at, days) in [(0, 2), (1, 9), (2, 5)] {
        let name = format!("roll-ups/{}.rollup", address(at).expect("an entry"));
        let file = fs::File::options()
            .write(true)
            .open(catalog.folder().join(name));
        let used = SystemTime::now() - Duration::from_secs(days * 24 * 3600);
        file.expect("a roll-up").set_modified(used).expect("a time");
    }
    let bytes: u64 = catalog
        .kept()
        .expect("a folder")
        .iter()
        .map(|kept| kept.bytes)
        .sum();
    assert_eq!(catalog.evict(bytes).expect("evicted"), 0);
    // Reading it is a use.
    assert!(catalog.roll_up(&address(1).expect("an entry")).is_some());
    assert_eq!(catalog.evict(bytes - 1).expect("evicted"), 1);
    let left = [0, 1, 2].map(|at| address(at).is_some());
    assert_eq!(left, [true, true, false]);
    // What others put there stays.
    fs::write(catalog.folder().join("notes.txt"), "mine").expect("written");
    let (count, _) = catalog.clear().expect("cleared");
    assert_eq!(
        (
            count,
            catalog.kept().expect("a folder").len(),
            catalog.summaries().len()
        ),
        (2, 0, 0)
    );
    assert!(catalog.folder().join("notes.txt").exists());
}

#[test]
fn a_session_that_cannot_be_read_has_no_roll_up_and_stops_no_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let (logs, catalog) = (
        folder.path().join("logs"),
        Catalog::at(&folder.path().join("c")),
    );
    runs(&logs, 2);
    let broken = logs.join("plugins/profile/run0/host0.xplane.pb.gz");
    fs::write(&broken, b"\x1f\x8b\x08garbage").expect("written");
    let outcome = indexed(&catalog, &logs);
    assert_eq!(outcome.made_count, 1);
    let names: Vec<&str> = outcome
        .failed
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["run0"]);
    // One host of two: figures would be those of a part.
    let second = logs.join("plugins/profile/run1/other.xplane.pb.gz");
    fs::copy(&broken, second).expect("a copy");
    let outcome = indexed(&catalog, &logs);
    assert_eq!(outcome.failed.len(), 2, "{:?}", outcome.failed);
}

#[cfg(unix)]
#[test]
fn the_folder_of_the_cache_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("cache/catalog");
    let catalog = Catalog::private(&root);
    let logs = folder.path().join("logs");
    runs(&logs, 1);
    indexed(&catalog, &logs);
    let mode = fs::metadata(&root).expect("a folder").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn what_other_processes_made_is_listed_if_it_is_in_the_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let logs = folder.path().join("logs");
    runs(&logs, 2);
    let sessions = sessions(&logs);
    let (other, own) = (folder.path().join("catalog"), folder.path().join("own"));
    let other = Catalog::at(&other);
    let made: Vec<Entry> = sessions
        .iter()
        .map(|files| {
            let todo = Todo {
                files: files.clone(),
                location: files.name.clone(),
            };
            let made = other.make_unlisted(&todo).expect("a roll-up");
            assert!(!made.is_copy && !other.is_indexed(files), "{made:?}");
            made.entry
        })
        .collect();
    let all = || sessions.iter().zip(made.clone()).collect::<Vec<_>>();
    assert_eq!(Catalog::at(&own).list(all()).expect("written"), [false; 2]);
    assert!(!Catalog::at(&own).is_indexed(&sessions[0]));
    // A name that leads to the same file by another way is none that a digest can be.
    let mut astray = made[0].clone();
    astray.address = format!("../roll-ups/{}", astray.address);
    let listed = other.list(vec![(&sessions[0], astray)]);
    assert_eq!(listed.expect("written"), [false]);
    let same_folder = Catalog::at(other.folder());
    assert_eq!(same_folder.list(all()).expect("written"), [true; 2]);
    assert!(sessions.iter().all(|files| same_folder.is_indexed(files)));
    assert_eq!(indexed(&same_folder, &logs).unchanged_count, 2);
}
