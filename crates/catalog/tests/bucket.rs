//! Catalogs in a bucket, which is a map in memory here: what several machines write is what each of
//! them reads, and what is damaged, gone or refused is never used.

mod memory;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memory::Memory;
use stepscope_catalog::{Catalog, CatalogError, Listener, Outcome, Todo, index};
use stepscope_storage::{SessionFiles, find};
use tempfile::TempDir;

struct Quiet;

impl Listener for Quiet {
    fn bytes(&self, _more: u64) {}
    fn done(&self, _name: &str, _failure: Option<&str>) {}
}

/// A bucket, a log directory, and machines with a cache each.
struct Lab {
    folder: TempDir,
    bucket: Arc<Memory>,
}

impl Lab {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let bucket = Arc::default();
        Self { folder, bucket }
    }

    fn logs(&self) -> PathBuf {
        self.folder.path().join("logs")
    }

    /// Runs with these numbers.
    fn runs(&self, numbers: impl IntoIterator<Item = usize>) {
        let profile = "../../fixtures/riegeli-cpu/pb/plugins/profile/pb/vm.xplane.pb.gz";
        let profile = Path::new(env!("CARGO_MANIFEST_DIR")).join(profile);
        for run in numbers {
            let folder = self.logs().join(format!("plugins/profile/run{run}"));
            fs::create_dir_all(&folder).expect("a folder");
            // Another host is another capture.
            let path = folder.join(format!("host{run}.xplane.pb.gz"));
            fs::copy(&profile, path).expect("a copy");
        }
    }

    fn sessions(&self) -> Vec<SessionFiles> {
        find(&self.logs()).expect("sessions").sessions
    }

    fn machine(&self, name: &str) -> Catalog {
        let mirror = self.folder.path().join(name);
        let objects = Arc::clone(&self.bucket);
        Catalog::in_bucket(objects, &mirror, 1 << 30)
    }

    fn try_index(&self, machine: &str) -> Result<Outcome, CatalogError> {
        let catalog = self.machine(machine);
        catalog.prepare()?;
        let todo = |files: SessionFiles| Todo {
            location: files.location.clone(),
            files,
        };
        let todo: Vec<Todo> = self.sessions().into_iter().map(todo).collect();
        index(&catalog, &todo, 2, &Quiet)
    }

    /// Sessions that were made, were copies, and were unchanged.
    fn index(&self, machine: &str) -> (usize, usize, usize) {
        let outcome = self
            .try_index(machine)
            .expect("a bucket that can be written");
        assert_eq!(outcome.failed, []);
        (
            outcome.made_count,
            outcome.copy_count,
            outcome.unchanged_count,
        )
    }

    /// How many sessions a machine has figures and measurements of.
    fn known(&self, machine: &str) -> usize {
        let catalog = self.machine(machine);
        let is_known = |files: &&SessionFiles| {
            let is_listed = catalog.summaries().entry(files).is_some();
            let measured = catalog.measured(files, "history");
            assert!(is_listed || measured.is_none());
            measured.is_some()
        };
        self.sessions().iter().filter(is_known).count()
    }

    fn lists(&self) -> Vec<String> {
        self.bucket.names("summaries-")
    }
}

#[test]
fn what_one_machine_writes_others_read_with_few_requests() {
    let lab = Lab::new();
    lab.runs(0..5);
    assert_eq!(lab.index("a"), (5, 0, 0));
    assert_eq!(lab.lists().len(), 1);
    assert_eq!(lab.bucket.names("roll-ups/").len(), 5);
    // Another machine knows all with one listing and one read, and fetches a roll-up once.
    let requests = || {
        lab.bucket.with(|state| {
            (
                std::mem::take(&mut state.lists),
                std::mem::take(&mut state.reads),
            )
        })
    };
    requests();
    let catalog = lab.machine("b");
    let all = catalog.summaries();
    assert_eq!(all.all().len(), 5);
    assert_eq!(requests(), (1, 1));
    let sessions = lab.sessions();
    catalog.bring(&sessions);
    assert_eq!(requests(), (0, 5));
    assert_eq!(lab.known("b"), 5);
    assert_eq!(requests(), (1, 0), "all is in the mirror");
    // Nothing is read again to see that nothing changed: versions say it.
    assert_eq!(lab.index("c"), (0, 0, 5));
    assert_eq!(requests().1, 1, "the list of summaries");
    // A copy is not made again.
    lab.bucket.with(|state| {
        state
            .objects
            .retain(|name, _| !name.starts_with("summaries-"));
    });
    assert_eq!(lab.known("c"), 0, "what left the bucket leaves the list");
    assert_eq!(lab.index("d"), (0, 5, 0));
    assert_eq!(lab.known("c"), 5);
}

#[test]
fn what_is_damaged_is_refused_and_made_anew() {
    let lab = Lab::new();
    lab.runs(0..2);
    lab.index("a");
    let roll_up = lab.bucket.names("roll-ups/").remove(0);
    let whole = lab.bucket.get(&roll_up);
    let other = lab.bucket.get(&lab.bucket.names("roll-ups/")[1]);
    let mut changed = whole.to_vec();
    changed[whole.len() / 3] ^= 1;
    let damages = [
        changed,
        whole[..whole.len() - 1].to_vec(),
        Vec::new(),
        other.to_vec(),
    ];
    for (number, damaged) in damages.into_iter().enumerate() {
        lab.bucket.put(&roll_up, damaged);
        assert_eq!(lab.known(&format!("reader {number}")), 1, "{number}");
        assert_eq!(
            lab.index(&format!("writer {number}")),
            (1, 0, 1),
            "{number}"
        );
        assert_eq!(lab.bucket.get(&roll_up), whole);
        // Whoever has a whole one in the mirror needs not open the session.
        assert_eq!(lab.known(&format!("reader {number}")), 2);
    }
    // The same content in another version is read once, and then known.
    lab.bucket.put(&roll_up, whole);
    assert_eq!(lab.index("b"), (0, 0, 2));
    lab.bucket.with(|state| state.reads = 0);
    assert_eq!(lab.index("c"), (0, 0, 2));
    let lists = lab.lists().len();
    assert_eq!(lab.bucket.with(|state| state.reads), lists, "no roll-up");

    // A list of summaries that is damaged says nothing, and goes.
    for name in lab.lists() {
        let mut broken = lab.bucket.get(&name).to_vec();
        broken[40] ^= 1;
        lab.bucket.put(&name, broken);
    }
    let before = lab.lists();
    assert_eq!(lab.known("fresh"), 0);
    assert_eq!(lab.index("fresh"), (0, 2, 0));
    assert!(lab.lists().iter().all(|name| !before.contains(name)) || lab.known("other") == 2);
    assert_eq!(lab.known("other"), 2);
}

#[test]
fn many_small_lists_become_one_and_nothing_is_lost() {
    let lab = Lab::new();
    for run in 0..12 {
        lab.runs([run]);
        assert_eq!(lab.index("a"), (1, 0, run));
        assert!(lab.lists().len() <= 9, "{:?}", lab.lists());
        assert_eq!(lab.known("b"), run + 1);
    }
    // Others at the same time: nobody waits, nobody loses anything.
    lab.runs(0..24);
    std::thread::scope(|scope| {
        for machine in ["a", "b", "c", "d"] {
            let lab = &lab;
            scope.spawn(move || lab.index(machine));
        }
    });
    assert_eq!(lab.known("e"), 24);
    assert_eq!(lab.index("e"), (0, 0, 24));
    // A file that changed has one line in the list, the newest.
    let path = lab.logs().join("plugins/profile/run3/host3.xplane.pb.gz");
    fs::copy(
        lab.logs().join("plugins/profile/run4/host4.xplane.pb.gz"),
        &path,
    )
    .expect("a copy");
    let file = fs::File::options().write(true).open(&path).expect("a file");
    file.set_modified(std::time::SystemTime::UNIX_EPOCH)
        .expect("a time");
    lab.index("a");
    assert_eq!(lab.machine("f").summaries().all().len(), 24);
}

#[test]
fn what_is_not_allowed_is_said_and_stops_no_reader() {
    let lab = Lab::new();
    lab.runs(0..2);
    for refused in ["list", "write"] {
        lab.bucket.with(|state| state.refused = refused);
        let error = lab.try_index("a").expect_err(refused);
        assert!(
            error
                .to_string()
                .contains(&format!("no permission to {refused}")),
            "{error}"
        );
        assert_eq!(error.hint(), "ask for it");
    }
    lab.bucket.with(|state| state.refused = "");
    lab.index("a");
    assert_eq!(lab.known("b"), 2);
    // Without the bucket, what was known before is known.
    lab.bucket.with(|state| state.refused = "list read");
    assert_eq!(lab.known("b"), 2);
    let catalog = lab.machine("c");
    assert!(catalog.summaries().is_empty());
    assert!(catalog.take_problem().is_some() && catalog.take_problem().is_none());
    // Whoever may not delete writes as well, and leaves more lists.
    lab.bucket.with(|state| state.refused = "remove");
    for run in 2..14 {
        lab.runs([run]);
        assert_eq!(lab.index("a").0, 1);
    }
    assert_eq!(lab.known("d"), 14);
}

#[test]
fn clearing_removes_what_is_ours_and_nothing_else() {
    let lab = Lab::new();
    lab.runs(0..3);
    lab.index("a");
    let others = [
        "notes.txt",
        "roll-ups/readme",
        "roll-ups/../x.rollup",
        "summaries-2026/report",
    ];
    for name in others {
        lab.bucket.put(name, "mine");
    }
    let catalog = lab.machine("a");
    assert_eq!(catalog.kept().expect("a listing").len(), 3);
    let (count, bytes) = catalog.clear().expect("cleared");
    assert_eq!(count, 3);
    assert!(bytes > 3000);
    let mut left = lab.bucket.names("");
    left.sort();
    let mut others = others.map(str::to_owned).to_vec();
    others.sort();
    assert_eq!(left, others);
    assert!(catalog.summaries().is_empty());
    assert_eq!(lab.known("a"), 0);
    assert_eq!(lab.index("a"), (3, 0, 0));
}

#[test]
fn the_mirror_has_a_size_and_belongs_to_its_owner() {
    let lab = Lab::new();
    lab.runs(0..6);
    lab.index("a");
    let one = lab.bucket.get(&lab.bucket.names("roll-ups/")[0]).len() as u64;
    let mirror = lab.folder.path().join("small");
    let objects = Arc::clone(&lab.bucket);
    let catalog = Catalog::in_bucket(objects, &mirror, one * 5 / 2);
    let sessions = lab.sessions();
    catalog.bring(&sessions);
    let kept = fs::read_dir(mirror.join("roll-ups"))
        .expect("a folder")
        .count();
    assert!((1..=2).contains(&kept), "{kept}");
    // What is not kept is fetched again.
    let measured = sessions
        .iter()
        .filter_map(|files| catalog.measured(files, "history"));
    assert_eq!(measured.count(), 6);
    // A limit of the command is one of the mirror: others use the bucket.
    assert_eq!(catalog.evict(0).expect("a mirror"), 0);
    assert_eq!(lab.bucket.names("roll-ups/").len(), 6);
    assert_eq!(
        fs::read_dir(mirror.join("roll-ups"))
            .expect("a folder")
            .count(),
        0
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(&mirror)
            .expect("a folder")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}

#[test]
fn executors_write_roll_ups_and_one_process_lists_them() {
    let lab = Lab::new();
    lab.runs(0..2);
    let sessions = lab.sessions();
    let own = lab.machine("own");
    own.prepare().expect("a bucket");
    let made = sessions.iter().map(|files| {
        let executor = lab.machine("executor");
        let location = files.location.clone();
        let todo = Todo {
            files: files.clone(),
            location,
        };
        (
            files,
            executor.make_unlisted(&todo).expect("a roll-up").entry,
        )
    });
    let made: Vec<_> = made.collect();
    assert!(lab.lists().is_empty());
    lab.bucket.with(|state| state.reads = 0);
    assert_eq!(own.list(made).expect("a bucket"), [true; 2]);
    assert_eq!(
        lab.bucket.with(|state| state.reads),
        0,
        "versions say that they are whole"
    );
    assert_eq!(lab.known("reader"), 2);
    assert_eq!(lab.index("own"), (0, 0, 2));
}

#[test]
fn only_folders_and_buckets_are_catalogs() {
    for url in ["https://me:pa55@host/x", "ssh://vm/x", "ftp://host/x"] {
        let catalog = Catalog::named(Path::new(url));
        let error = catalog.prepare().expect_err(url);
        assert!(
            !error.hint().is_empty() && !error.to_string().contains("pa55"),
            "{error}"
        );
        assert!(catalog.summaries().is_empty());
        assert!(catalog.take_problem().is_some());
    }
    let bucket = Catalog::named(Path::new("s3://lab/catalog/"));
    assert_eq!(bucket.place(), "s3://lab/catalog");
    let folder = Catalog::named(Path::new("a/s3/folder"));
    assert_eq!(folder.folder(), Path::new("a/s3/folder"));
}
