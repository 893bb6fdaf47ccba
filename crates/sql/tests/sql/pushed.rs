//! Filters that are applied before rows are made: what they save, and that rows are the same.

use std::path::{Path, PathBuf};

use stepscope_analysis::{Cell, Table};
use stepscope_storage::find;

use crate::support::{Asked, fixtures};

/// Captures of several hosts: of CPUs, of GPUs, one with a host that is late.
const OF_HOSTS: [&str; 4] = [
    "hosts4-cpu",
    "nccl-h100/dp",
    "nccl-h100/pp",
    "experiments-cpu/straggler",
];

/// Whether slices in a step are kept; in none, too.
type IsKept<'a> = &'a dyn Fn(Option<i64>) -> bool;

fn asked(path: &Path) -> Asked {
    Asked::of(&[path.to_path_buf()])
}

/// Rows as text, in an order of their own: readers pass them on in any.
fn sorted(table: &Table) -> Vec<String> {
    let rows = table.rows.iter().map(|row| format!("{row:?}"));
    let mut rows: Vec<String> = rows.collect();
    rows.sort();
    rows
}

/// The rows of a query, and those of it without its filter, filtered afterwards by `is_kept` of the
/// last column, which is then left out.
fn filtered(path: &Path, query: &str, is_kept: impl Fn(&Cell) -> bool) -> Vec<String> {
    let mut all = asked(path).table(query);
    all.rows.retain(|row| is_kept(&row[row.len() - 1]));
    sorted(&all)
}

fn host_names(path: &Path) -> Vec<String> {
    let found = find(path).expect("sessions");
    let hosts = found.sessions.iter().flat_map(|files| &files.hosts);
    hosts.map(|file| file.host.clone()).collect()
}

/// Columns of a table that are the same where only some hosts are decoded; the last one is `host`.
const ALONE: [(&str, &str); 5] = [
    (
        "slices",
        "device, track, line_id, role, lane, depth, \"index\", name, kind, start_ps, duration_ps, \
         self_ps, host",
    ),
    (
        "slice_ancestors",
        "device, track, role, lane, \"index\", name, kind, start_ps, duration_ps, distance, \
         ancestor_lane, ancestor_index, ancestor, ancestor_kind, ancestor_start_ps, \
         ancestor_duration_ps, host",
    ),
    (
        "devices",
        "device, ordinal, kind, chip, peak_flops_per_second, memory_bytes, track_count, host",
    ),
    (
        "tracks",
        "device, track, line_id, role, slice_count, depth, sample_count, host",
    ),
    ("counter_samples", "device, name, time_ps, value, host"),
];

#[test]
fn a_filter_on_hosts_decodes_only_these() {
    for capture in OF_HOSTS {
        let path = fixtures().join(capture);
        let hosts = host_names(&path);
        for (table, columns) in ALONE {
            let query = format!("select {columns} from {table}");
            for host in &hosts {
                let one = asked(&path);
                let rows = sorted(&one.table(&format!("{query} where host = '{host}'")));
                let library = one.engine.library();
                assert_eq!(library.decoded_host_count(), 1, "{capture}: {table}");
                let own = Cell::from(host.as_str());
                let expected = filtered(&path, &query, |cell| *cell == own);
                assert!(rows == expected, "{capture}: {table} of {host}");
                assert!(!rows.is_empty() || table == "counter_samples");
            }
            let first = &hosts[0];
            let others = asked(&path);
            let rows = sorted(&others.table(&format!("{query} where host <> '{first}'")));
            let decoded = others.engine.library().decoded_host_count();
            assert_eq!(decoded, hosts.len() - 1, "{capture}: {table}");
            let own = Cell::from(first.as_str());
            let expected = filtered(&path, &query, |cell| *cell != own);
            assert!(rows == expected, "{capture}: {table} but {first}");
        }
    }
}

/// What is decided over all hosts: steps, numbers of tracks, what is an annotation, ops of graphs.
#[test]
fn columns_that_depend_on_all_hosts_decode_all() {
    for capture in OF_HOSTS {
        let path = fixtures().join(capture);
        let hosts = host_names(&path);
        let host = Cell::from(hosts[1].as_str());
        for columns in [
            "step, class, name, host",
            "op, scope, program, host",
            "track_index, host",
        ] {
            let query = format!("select {columns} from slices");
            let one = asked(&path);
            let rows = one.table(&format!("{query} where host = '{}'", hosts[1]));
            assert_eq!(one.engine.library().decoded_host_count(), hosts.len());
            let expected = filtered(&path, &query, |cell| *cell == host);
            assert!(sorted(&rows) == expected, "{capture}: {columns}");
        }
        // Also where only the filter needs them.
        let one = asked(&path);
        one.table(&format!(
            "select name from slices where host = '{}' and class = 'compute'",
            hosts[1]
        ));
        assert_eq!(one.engine.library().decoded_host_count(), hosts.len());
    }
}

#[test]
fn instructions_are_those_of_the_whole_session_and_decode_no_host() {
    for capture in ["hosts4-cpu", "demo-gpt-cpu", "mlp-cpu", "nccl-h100/dp"] {
        let path = fixtures().join(capture);
        let query = "select * from instructions";
        let alone = asked(&path);
        let rows = alone.table(query);
        assert_eq!(alone.engine.library().decoded_host_count(), 0, "{capture}");
        // A session that is open already is used.
        let whole = asked(&path);
        whole.table("select step_ps from sessions");
        let expected = whole.table(query);
        assert_eq!(whole.engine.library().opened_count(), 1, "{capture}");
        assert!(sorted(&rows) == sorted(&expected), "{capture}");
        assert!(!rows.rows.is_empty(), "{capture}");
    }
}

#[test]
fn a_session_of_which_only_the_memory_profile_is_readable_has_no_instructions() {
    let folder = tempfile::tempdir().expect("a folder");
    let found = stepscope_storage::find(&fixtures().join("mlp-cpu")).expect("a session");
    let memory = &found.sessions[0].memory[0].path;
    let name = memory.file_name().expect("a name");
    std::fs::copy(memory, folder.path().join(name)).expect("a copy");
    let run = folder.path().join("plugins/profile/run");
    std::fs::create_dir_all(&run).expect("a folder");
    std::fs::write(run.join("vm.xplane.pb"), "text").expect("a file");
    let asked = asked(folder.path());
    for query in ["select * from instructions", "select * from tracks"] {
        assert!(asked.table(query).rows.is_empty(), "{query}");
    }
    let remarks = asked.engine.library().take_remarks();
    assert_eq!(remarks, Vec::<String>::new());
}

#[test]
fn a_session_without_such_a_host_is_not_opened() {
    let paths = OF_HOSTS.map(|capture| fixtures().join(capture));
    let asked = Asked::of(&paths);
    let library = asked.engine.library();
    for table in asked.engine.tables() {
        if table.columns.iter().any(|one| one.column.key == "host") {
            let query = format!("select * from {} where host = 'nobody'", table.name);
            assert!(asked.table(&query).rows.is_empty(), "{query}");
            assert_eq!(library.opened_count(), 0, "{query}");
        }
    }
    // Only these sessions have a host of that name.
    let some = "select distinct session from hosts where host = 'host-3'";
    assert_eq!(asked.table(some).rows.len(), 1);
    assert_eq!(library.opened_count(), 1);
}

/// Sessions are left out by the names of their files, so no row may name a host differently.
#[test]
fn hosts_have_the_names_of_their_files_in_every_table() {
    let all = Asked::of(&[fixtures()]);
    let mut compared = 0;
    let tables = all.engine.tables();
    let with_hosts = tables
        .iter()
        .filter(|table| table.columns.iter().any(|one| one.column.key == "host"));
    let names: Vec<(String, Option<Vec<&str>>)> = all
        .engine
        .library()
        .sources()
        .iter()
        .map(|source| (source.name.clone(), source.files.host_names()))
        .collect();
    for table in with_hosts {
        let query = format!("select distinct session, host from {}", table.name);
        for row in all.table(&query).rows {
            let Cell::Text(session) = &row[0] else {
                panic!("{query}: {row:?}");
            };
            let source = names.iter().find(|(name, _)| name == session);
            let (_, Some(hosts)) = source.expect("a session") else {
                continue;
            };
            match &row[1] {
                Cell::Missing => {}
                Cell::Text(host) => {
                    let is_known = host.is_empty() || hosts.contains(&host.as_str());
                    assert!(is_known, "{}: {session}: {host}", table.name);
                    compared += 1;
                }
                other => panic!("{query}: {other:?}"),
            }
        }
    }
    assert!(compared > 100, "{compared} hosts");
}

#[test]
fn a_filter_on_steps_reads_no_other_lanes_and_changes_no_row() {
    let mut saved = 0;
    for capture in [
        "demo-gpt-cpu",
        "hosts4-cpu",
        "nccl-h100/dp",
        "experiments-cpu/straggler",
    ] {
        let path = fixtures().join(capture);
        let all = asked(&path);
        let query = "select name, track, start_ps, duration_ps, self_ps, step from slices";
        let whole = all.table(query);
        let whole_count = all.engine.library().read_slice_count();
        let steps = whole.rows.iter().filter_map(|row| match row[5] {
            Cell::Int(step) => Some(step),
            _ => None,
        });
        let (first, last) = (steps.clone().min(), steps.max());
        let (first, last) = (first.unwrap_or(0), last.unwrap_or(0));
        let step_of = |cell: &Cell| match cell {
            Cell::Int(step) => Some(*step),
            _ => None,
        };
        let middle = i64::midpoint(first, last);
        let cases: [(String, IsKept<'_>); 6] = [
            (format!("step = {middle}"), &|step| step == Some(middle)),
            (format!("step > {middle}"), &|step| {
                step.is_some_and(|step| step > middle)
            }),
            (format!("step in ({first}, {last})"), &|step| {
                step == Some(first) || step == Some(last)
            }),
            ("step is null".to_owned(), &|step| step.is_none()),
            (
                format!("step is null or step % 2 = {}", first % 2),
                &|step| step.is_none_or(|step| step % 2 == first % 2),
            ),
            ("step = -7".to_owned(), &|_| false),
        ];
        for (filter, is_kept) in cases {
            let one = asked(&path);
            let rows = sorted(&one.table(&format!("{query} where {filter}")));
            let expected = filtered(&path, query, |cell| is_kept(step_of(cell)));
            assert!(rows == expected, "{capture}: {filter}");
            let read = one.engine.library().read_slice_count();
            assert!(read <= whole_count, "{capture}: {filter}");
            if filter == "step = -7" {
                assert_eq!(read, 0, "{capture}");
            }
            saved += whole_count - read;
            // Together with a time, from the middle of a step on.
            let at = whole.rows.len() / 2;
            let Cell::Int(from) = whole.rows[at][2] else {
                panic!("a start");
            };
            let both = format!("{query} where ({filter}) and start_ps >= {from}");
            let mut late = asked(&path).table(query);
            late.rows.retain(|row| {
                matches!(row[2], Cell::Int(start) if start >= from) && is_kept(step_of(&row[5]))
            });
            assert!(
                sorted(&asked(&path).table(&both)) == sorted(&late),
                "{capture}: {both}"
            );
        }
    }
    assert!(saved > 0, "lanes outside of the steps are not read");
}

#[test]
fn times_are_ranges_in_every_form() {
    let path = fixtures().join("demo-gpt-cpu");
    let whole = asked(&path);
    let start = |what: &str| match whole.cell(&format!("select {what}(start_ps) from slices")) {
        Cell::Int(start) => start,
        other => panic!("{other:?}"),
    };
    let (first, last) = (start("min"), start("max"));
    let from = first + (last - first) / 10 * 9;
    for table in ["slices", "slice_ancestors"] {
        let all = asked(&path);
        let query = format!("select name, duration_ps, start_ps from {table}");
        all.table(&query);
        let all = all.engine.library().read_slice_count();
        for filter in [
            format!("start_ps >= {from}"),
            format!("start_ps > {from}.5"),
            format!("{:e} <= start_ps", from as f64),
            format!("start_ps between {from} and {last}"),
            format!("start_ps between {from}.0 and {last}.0"),
            format!("start_ps >= {last} or start_ps > {from}"),
        ] {
            let one = asked(&path);
            let rows = sorted(&one.table(&format!("{query} where {filter}")));
            let is_after = |cell: &Cell| match cell {
                Cell::Int(start) if filter.contains(".5") => *start > from,
                Cell::Int(start) if filter.contains(" or ") => *start > from,
                Cell::Int(start) => *start >= from,
                _ => false,
            };
            assert!(
                rows == filtered(&path, &query, is_after),
                "{table}: {filter}"
            );
            let read = one.engine.library().read_slice_count();
            assert!(read < all, "{table}: {filter}: {read} of {all}");
        }
    }
}

#[test]
fn a_filter_on_parts_asks_only_these() {
    let path = fixtures().join("hosts4-cpu");
    for (table, column, value) in [
        ("ops('per=host')", "host", "host-2"),
        ("ops('per=device')", "device", "host-1/CPU:2048"),
        ("ops('per=device')", "host", "host-3"),
        ("hosts('per=host')", "host", "host-1"),
        ("steps('per=device')", "device", "CPU:4096"),
    ] {
        let query = format!("select *, {column} as asked from {table}");
        let rows = asked(&path).table(&format!("{query} where {column} = '{value}'"));
        let own = Cell::from(value);
        assert!(!rows.rows.is_empty(), "{table}");
        assert!(
            sorted(&rows) == filtered(&path, &query, |cell| *cell == own),
            "{table} where {column} = {value}"
        );
    }
    // What is not asked leaves no remark.
    let none = asked(&path);
    none.table("select * from kernels('per=host') where host in ('host-1', 'host-2')");
    let remarks = none.engine.library().take_remarks();
    assert!(remarks.len() <= 2, "{remarks:?}");
}

#[test]
fn samples_are_filtered_by_their_counters() {
    let mut compared = 0;
    for path in captures_with_counters() {
        let query = "select device, time_ps, value, name from counter_samples";
        let all = asked(&path).table(query);
        let Some(Cell::Text(name)) = all.rows.first().map(|row| row[3].clone()) else {
            continue;
        };
        let own = Cell::from(name.as_str());
        let quoted = name.replace('\'', "''");
        let rows = asked(&path).table(&format!("{query} where name = '{quoted}'"));
        assert!(
            sorted(&rows) == filtered(&path, query, |cell| *cell == own),
            "{name}"
        );
        let Cell::Int(middle) = all.rows[all.rows.len() / 2][1] else {
            panic!("a time");
        };
        let rows = asked(&path).table(&format!("{query} where time_ps < {middle}"));
        let early = all
            .rows
            .iter()
            .filter(|row| matches!(row[1], Cell::Int(time) if time < middle));
        assert_eq!(rows.rows.len(), early.count());
        compared += rows.rows.len();
    }
    assert!(compared > 0, "no capture has counters");
}

fn captures_with_counters() -> Vec<PathBuf> {
    let asked = Asked::of(&[fixtures()]);
    let table = asked.table(
        "select distinct location from sessions join counter_samples \
         on sessions.session = counter_samples.session",
    );
    let rows = table.rows.into_iter().take(3);
    rows.map(|row| match &row[0] {
        Cell::Text(location) => PathBuf::from(location.clone()),
        other => panic!("{other:?}"),
    })
    .collect()
}
