//! With a catalog, answers are the same and no session is opened; what changed since is computed.

use std::fs;
use std::path::{Path, PathBuf};

use stepscope_analysis::{Cell, Table};
use stepscope_catalog::{Catalog, Listener, Todo, index};
use stepscope_storage::{SessionFiles, find};

use crate::support::{Asked, fixtures};

struct Quiet;

impl Listener for Quiet {
    fn bytes(&self, _more: u64) {}
    fn done(&self, name: &str, failure: Option<&str>) {
        assert_eq!(failure, None, "{name}");
    }
}

fn indexed(folder: &Path, paths: &[PathBuf]) -> Catalog {
    let catalog = Catalog::at(folder);
    index_all(&catalog, paths);
    catalog
}

/// Indexes every session below some paths.
pub(crate) fn index_all(catalog: &Catalog, paths: &[PathBuf]) {
    let todo = |path: &Path, files: SessionFiles| Todo {
        location: path.join(&files.location).display().to_string(),
        files,
    };
    let todo: Vec<Todo> = paths
        .iter()
        .flat_map(|path| {
            let found = find(path).expect("sessions").sessions;
            found.into_iter().map(|files| todo(path, files))
        })
        .collect();
    let outcome = index(catalog, &todo, 2, &Quiet).expect("a catalog");
    assert_eq!(outcome.made_count + outcome.copy_count, todo.len());
}

/// Whether two tables have the same rows; sessions come in any order.
fn are_same(one: &Table, other: &Table) -> bool {
    let sorted = |table: &Table| {
        let rows = table.rows.iter().map(|row| format!("{row:?}"));
        let mut rows: Vec<String> = rows.collect();
        rows.sort();
        rows
    };
    sorted(one) == sorted(other)
}

#[test]
fn every_table_is_the_same_and_no_session_is_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = ["demo-gpt-cpu", "hosts4-cpu", "leak-cpu"].map(|name| fixtures().join(name));
    let fast = Asked::with_catalog(&paths, indexed(folder.path(), &paths));
    let slow = Asked::of(&paths);
    let (mut from_roll_ups, mut rows) = (0, 0);
    for table in fast.engine.tables() {
        let query = format!("select * from {}", table.name);
        let before = fast.engine.library().opened_count();
        let found = fast.table(&query);
        let opened = fast.engine.library().opened_count() - before;
        assert!(are_same(&found, &slow.table(&query)), "{}", table.name);
        let mut said = fast.engine.library().take_remarks();
        let mut expected = slow.engine.library().take_remarks();
        said.sort();
        expected.sort();
        assert_eq!(said, expected, "{}", table.name);
        if opened == 0 {
            from_roll_ups += 1;
            rows += found.rows.len();
        }
    }
    // All but what is larger than a roll-up holds (slices, instructions, the largest tables).
    let all = fast.engine.tables().len();
    assert!(from_roll_ups + 12 > all, "{from_roll_ups} of {all} tables");
    assert!(rows > 2000, "{rows} rows");
}

#[test]
fn facts_of_hosts_are_those_of_the_tables_and_open_no_session() {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = ["demo-gpt-cpu", "hosts4-cpu", "nccl-h100/dp"].map(|name| fixtures().join(name));
    let fast = Asked::with_catalog(&paths, indexed(folder.path(), &paths));
    let slow = Asked::of(&paths);
    let facts = fast.table("select * from host_facts");
    assert!(are_same(&facts, &slow.table("select * from host_facts")));
    assert_eq!(facts.rows.len(), 7);
    for (own, expected) in [
        (
            "select session, host, step_count, step_ps, wait_ps, is_straggler from host_facts",
            "select session, host, step_count, step_ps, wait_ps, is_straggler from hosts",
        ),
        (
            "select session, host, clock_offset_ps, started_after_ps from host_facts \
             where clock_offset_ps is not null",
            "select session, host, offset_ps, recorded_ps from hosts_clocks \
             where offset_ps is not null",
        ),
    ] {
        assert!(are_same(&fast.table(own), &fast.table(expected)), "{own}");
    }
    let sums = "select min(captured_at), count(distinct jax_version), count(driver_version), \
                max(wait_ratio) < 1 from host_facts where host like 'gpu-host-%'";
    let recorded = "select captured_at from sessions where chip like 'NVIDIA%'";
    let (row, recorded) = (fast.table(sums).rows.remove(0), fast.cell(recorded));
    assert_eq!(row, [recorded, Cell::Int(1), Cell::Int(2), true.into()]);
    assert_eq!(fast.engine.library().opened_count(), 0);
}

#[test]
fn options_and_changed_files_are_computed() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("runs/plugins/profile/one");
    fs::create_dir_all(&run).expect("a folder");
    let file = run.join("vm.xplane.pb.gz");
    let capture = |name: &str| fixtures().join(name);
    let profile = capture("riegeli-cpu/pb/plugins/profile/pb/vm.xplane.pb.gz");
    fs::copy(profile, &file).expect("a copy");
    let runs = [folder.path().join("runs")];
    let catalog = || indexed(&folder.path().join("catalog"), &runs);
    let asked = Asked::with_catalog(&runs, catalog());
    let count = "select count(*) from ops";
    let first = asked.cell(count);
    assert_eq!(asked.engine.library().opened_count(), 0);
    assert_eq!(first, asked.cell("select count(*) from ops('per=host')"));
    assert_eq!(
        asked.engine.library().opened_count(),
        1,
        "options are computed"
    );

    // Another capture in its place: what is known of the first one is not told of it.
    let other = capture("demo-gpt-cpu/plugins/profile/demo/vm.xplane.pb.gz");
    fs::copy(other, &file).expect("a copy");
    let asked = Asked::with_catalog(&runs, Catalog::at(&folder.path().join("catalog")));
    let second = asked.cell(count);
    assert_eq!(asked.engine.library().opened_count(), 1, "it changed");
    assert_ne!(first, second);
    assert_eq!(second, Asked::of(&runs).cell(count));
}

#[test]
fn a_damaged_roll_up_is_computed() {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = [fixtures().join("demo-gpt-cpu")];
    let catalog = indexed(folder.path(), &paths);
    let roll_ups = fs::read_dir(catalog.folder().join("roll-ups")).expect("roll-ups");
    for file in roll_ups {
        let path = file.expect("a file").path();
        let mut bytes = fs::read(&path).expect("bytes");
        // The middle of a table; the footer stays as it is.
        let middle = bytes.len() / 4;
        bytes[middle..middle + 64].fill(0xaa);
        fs::write(&path, bytes).expect("a damaged file");
    }
    let (damaged, whole) = (Asked::with_catalog(&paths, catalog), Asked::of(&paths));
    let mut computed = 0;
    for table in damaged.engine.tables() {
        let query = format!("select count(*) from {}", table.name);
        let all = format!("select * from {}", table.name);
        let before = damaged.engine.library().opened_count();
        let (found, expected) = (damaged.table(&all), whole.table(&all));
        assert!(are_same(&found, &expected), "{}", table.name);
        assert_eq!(damaged.cell(&query), whole.cell(&query), "{}", table.name);
        computed += damaged.engine.library().opened_count() - before;
    }
    assert!(computed > 0, "a damaged table is not read");
}

#[test]
fn the_page_knows_tables_by_their_names() {
    let file = "../../ui/src/wire/generated/queries.ts";
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = fs::read_to_string(path).expect("the generated names");
    let tables = stepscope_sql::tables();
    let names = text.lines().filter_map(|line| {
        let (_, name) = line.strip_prefix("  \"")?.split_once(": \"")?;
        name.strip_suffix("\",")
    });
    let mut count = 0;
    for name in names {
        assert!(tables.iter().any(|table| table.name == name), "{name}");
        count += 1;
    }
    assert!(count > 30, "{count} tables");
}
