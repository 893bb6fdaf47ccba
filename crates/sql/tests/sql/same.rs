//! What SQL answers is what the analyses answer: every table of every session of ours, cell by cell.

use std::path::Path;

use crate::support::{Asked, fixtures};
use stepscope_analysis::{ANALYSES, AnalysisError, Cell, Table};
use stepscope_export::tables::every_row;
use stepscope_model::{Reads, Session};
use stepscope_storage::{NoProgress, find, open_session};

fn sessions(path: &Path) -> Vec<(String, Session)> {
    let found = find(path).expect("sessions");
    let open = |files: &stepscope_storage::SessionFiles| {
        let opened = open_session(files, Reads::Everything, |_| NoProgress);
        (files.name.clone(), opened.expect("a session").session)
    };
    found.sessions.iter().map(open).collect()
}

/// The table of an analysis with the columns of another one, which has all that are declared.
fn rows_as(table: &Table, wanted: &Table) -> Vec<Vec<Cell>> {
    let position = |key: &str| table.columns.iter().position(|column| column.key == key);
    let positions: Vec<Option<usize>> =
        wanted.columns.iter().map(|one| position(one.key)).collect();
    let row = |row: &Vec<Cell>| {
        let cells = positions.iter();
        cells
            .map(|at| at.map_or(Cell::Missing, |at| row[at].clone()))
            .collect()
    };
    table.rows.iter().map(row).collect()
}

#[test]
fn every_table_of_every_session_is_that_of_its_analysis() {
    let mut compared = 0;
    for capture in ["demo-gpt-cpu", "hosts4-cpu", "leak-cpu"] {
        let path = fixtures().join(capture);
        let asked = Asked::of(std::slice::from_ref(&path));
        for (name, session) in sessions(&path) {
            for entry in ANALYSES {
                let answer = match entry.run_pairs(&session, every_row(entry, &[])) {
                    Ok(answer) => answer,
                    Err(AnalysisError::Options(text)) => panic!("{}: {text}", entry.name),
                    Err(_) => continue,
                };
                for (position, table) in answer.tables().iter().enumerate() {
                    let own = match position {
                        0 => entry.name.to_owned(),
                        _ => format!("{}_{}", entry.name, table.key),
                    };
                    let query = format!("select * from {own} where session = '{name}'");
                    let mut found = asked.table(&query);
                    assert_eq!(found.columns[0].key, "session");
                    found.columns.remove(0);
                    for row in &mut found.rows {
                        assert_eq!(row.remove(0), Cell::from(name.as_str()));
                    }
                    assert_eq!(found.rows, rows_as(table, &found), "{capture}: {own}");
                    compared += found.rows.len();
                }
            }
        }
    }
    assert!(compared > 2000, "{compared} rows");
}

/// Every slice at depth n has n slices around it, which contain it, one in each lane above.
#[test]
fn ancestors_are_the_slices_around() {
    for capture in ["demo-gpt-cpu", "hosts4-cpu"] {
        let asked = Asked::of(&[fixtures().join(capture)]);
        let depths = asked.cell("select sum(depth) from slices");
        assert_ne!(depths, Cell::Int(0), "{capture}");
        assert_eq!(
            asked.cell("select count(*) from slice_ancestors"),
            depths,
            "{capture}"
        );
        let contained = "select count(*) from slice_ancestors where ancestor_start_ps <= start_ps \
                         and ancestor_start_ps + ancestor_duration_ps >= start_ps + duration_ps \
                         and ancestor_lane = lane - distance";
        assert_eq!(asked.cell(contained), depths, "{capture}");
        // The columns of both slices are those of `slices`.
        let joined = "select count(*) from slice_ancestors a \
                      join slices s on s.session = a.session and s.track_index = a.track_index \
                      and s.lane = a.lane and s.\"index\" = a.\"index\" and s.name = a.name \
                      and s.class = a.class and s.start_ps = a.start_ps \
                      join slices o on o.session = a.session and o.track_index = a.track_index \
                      and o.lane = a.ancestor_lane and o.\"index\" = a.ancestor_index \
                      and o.name = a.ancestor and o.duration_ps = a.ancestor_duration_ps";
        assert_eq!(asked.cell(joined), depths, "{capture}");
        let named = "select count(*) from slice_ancestors where name like 'dot%' and role = 'ops'";
        let expected =
            "select coalesce(sum(depth), 0) from slices where name like 'dot%' and role = 'ops'";
        assert_eq!(asked.cell(named), asked.cell(expected), "{capture}");
    }
}

#[test]
fn slices_are_those_of_the_session() {
    let path = fixtures().join("demo-gpt-cpu");
    let asked = Asked::of(std::slice::from_ref(&path));
    let (_, session) = sessions(&path).remove(0);
    let count = i64::try_from(session.slice_count()).expect("a count");
    assert_eq!(asked.cell("select count(*) from slices"), Cell::Int(count));
    // A brute-force pass over all lanes.
    let (mut total, mut long) = (0, 0);
    for track in &session.tracks {
        for lane in &track.lanes {
            total += lane.durations().iter().sum::<i64>();
            long += lane
                .durations()
                .iter()
                .filter(|&&duration| duration > 1_000_000_000)
                .count();
        }
    }
    assert_eq!(
        asked.cell("select sum(duration_ps) from slices"),
        Cell::Int(total)
    );
    let long = i64::try_from(long).expect("a count");
    let query = "select count(*) from slices where ms(duration_ps) > 1";
    assert_eq!(asked.cell(query), Cell::Int(long));
    // Filters that are applied early give what late ones give.
    for filter in [
        "device is not null",
        "track like '%XLA%' and role <> 'thread'",
        "name like '%dot%' or class = 'collective'",
        "kind = 'op' and device is not null and step between 1 and 2",
        "start_ps >= 100000000000 and start_ps < 200000000000",
        "session = 'nobody'",
        "session like 'demo%' and scope is null",
    ] {
        let early = asked.cell(&format!("select count(*) from slices where {filter}"));
        let late = asked.cell(&format!(
            "select sum(case when {filter} then 1 else 0 end) from \
             (select *, random() as anything from slices)"
        ));
        let late = if late == Cell::Missing {
            Cell::Int(0)
        } else {
            late
        };
        assert_eq!(early, late, "{filter}");
    }
    // Other queries in a filter.
    let within = asked.cell("select count(*) from slices where name in (select name from ops)");
    let names = "(select distinct name as wanted from ops) as ops";
    let joined = format!("select count(*) from slices join {names} on wanted = slices.name");
    assert_eq!(within, asked.cell(&joined));
    assert_ne!(within, Cell::Int(0));
}

#[test]
fn only_sessions_that_a_filter_keeps_are_opened() {
    let asked = Asked::of(&[fixtures()]);
    let all = asked.engine.library().sources().len();
    assert!(all > 5, "{all} sessions");
    let count = i64::try_from(all).expect("a count");
    let files = asked.cell("select count(*) from (select session, size_bytes from sessions)");
    assert_eq!(files, Cell::Int(count));
    assert_eq!(asked.engine.library().opened_count(), 0, "its files tell");
    let kinds = "select min(session) from sessions where kind = 'trace'";
    let Cell::Text(name) = asked.cell(kinds) else {
        panic!("a session of a trace");
    };
    let some = asked.table(&format!(
        "select session, count(*) as n from steps where session = '{name}' group by 1"
    ));
    let opened = asked.engine.library().opened_count();
    assert!(!some.rows.is_empty());
    assert_eq!(opened, 1, "only {name}");
}

#[test]
fn options_are_those_of_the_command_line() {
    let asked = Asked::of(&[fixtures().join("hosts4-cpu")]);
    let per_host = asked.table("select distinct host from ops('per=host')");
    assert_eq!(per_host.rows.len(), 4);
    let whole = asked.cell("select sum(self_ps) from ops");
    let parts = asked.cell("select sum(self_ps) from ops('per=device')");
    assert_eq!(whole, parts, "the parts add up");
    let first = asked.table("select * from steps('steps=1..1')");
    assert!(first.rows.len() < asked.table("select * from steps").rows.len());
    for (query, told) in [
        ("select * from ops('nonsense=1')", "nonsense"),
        ("select * from ops('per=core')", "available: host, device"),
        ("select * from slices('steps=1')", "takes no options"),
        ("select * from ops(3)", "options are texts"),
        ("select * from opps", "did you mean ops?"),
        ("drop table ops", "DDL not supported"),
        ("insert into ops select * from ops", "DML not supported"),
        ("copy ops to '/tmp/stepscope-ops.csv'", "DML not supported"),
        (
            "set datafusion.execution.batch_size = 1",
            "Statement not supported",
        ),
        ("select * from '/etc/passwd'", "not found"),
    ] {
        let error = asked.try_table(query).expect_err(query);
        assert!(
            error.to_lowercase().contains(&told.to_lowercase()),
            "{query}: {error}"
        );
    }
}

#[test]
fn views_and_functions_have_the_figures_of_the_analyses() {
    let asked = Asked::of(&[fixtures().join("demo-gpt-cpu")]);
    for view in stepscope_sql::VIEWS {
        let rows = asked.table(&format!("select * from {}", view.name)).rows;
        assert!(!rows.is_empty(), "{} has rows", view.name);
    }
    // The parts of the mean step add up to the mean of the steps.
    let mean = asked.cell("select avg(duration_ps) from step_times");
    let parts = asked.cell("select sum(mean_ps) from step_parts");
    let (Cell::Float(mean), Cell::Float(parts)) = (&mean, &parts) else {
        panic!("{mean:?}, {parts:?}");
    };
    assert!((mean - parts).abs() < 1e-6 * mean, "{mean} and {parts}");
    // Busy time is the union of work; as in the overview.
    let union = "select sum(busy_ps) from (select device, union_ps(start_ps, duration_ps) as busy_ps \
                 from slices where role = 'ops' and depth = 0 group by device)";
    let busy = asked.cell("select sum(busy_ps) from overview_devices");
    let whole = asked.cell(union);
    let (Cell::Int(whole), Cell::Int(busy)) = (&whole, &busy) else {
        panic!("{whole:?}, {busy:?}");
    };
    assert!(whole >= busy, "{whole} and {busy}");
    assert_eq!(asked.cell("select overlap_ps(0, 10, 5, 10)"), Cell::Int(5));
    assert_eq!(asked.cell("select overlap_ps(0, 10, 20, 10)"), Cell::Int(0));
    assert_eq!(asked.cell("select ms(1500000000)"), Cell::Float(1.5));
    let prefix = asked.cell("select scope_prefix('jit(step)/layer_0/dot', 2)");
    assert_eq!(prefix, Cell::from("jit(step)/layer_0"));
}

#[test]
fn a_query_that_needs_too_much_memory_is_refused() {
    let asked = Asked::within(&[fixtures().join("demo-gpt-cpu")], 64 << 10);
    let query = "select start_ps, name, count(*) from slices group by 1, 2 order by 2, 1";
    let error = asked.try_table(query).expect_err("64 KiB are not enough");
    assert!(error.contains("memory"), "{error}");
}
