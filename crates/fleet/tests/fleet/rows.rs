//! One scheduler, four executors: the rows are those of one process.

use std::sync::Arc;
use std::thread;

use stepscope_fleet::Fleet;
use stepscope_sql::{Runner, VIEWS, tables};

use crate::processes::{executor, scheduler};
use crate::support::{Asked, QUERIES, fixtures};

/// Queries that run at the same time.
const AT_A_TIME: usize = 8;

#[test]
fn every_table_view_and_kind_of_query_has_the_same_rows_on_a_fleet() {
    let home = tempfile::tempdir().expect("a folder");
    let (_scheduler, address) = scheduler(home.path());
    let executors = (0..4).map(|_| executor(&address, 1, &fixtures(), home.path()));
    let executors: Vec<_> = executors.collect();
    let fleet = || -> Option<Arc<dyn Runner>> {
        let address = address.parse().expect("an address");
        Some(Arc::new(Fleet::at(address)))
    };
    let path = fixtures().join("hosts4-cpu");
    let (here, there) = (Asked::new(&path, None), Asked::new(&path, fleet()));
    let tables = tables().into_iter().map(|table| table.name);
    let views = VIEWS.iter().map(|view| view.name.to_owned());
    let names: Vec<String> = tables.chain(views).collect();
    let compare = |names: &[String]| -> usize {
        let has_rows = |name: &String| {
            let query = format!("select * from {name}");
            let expected = here.rows(&query);
            assert_eq!(there.rows(&query), expected, "{name}");
            !expected.is_empty()
        };
        names.iter().filter(|name| has_rows(name)).count()
    };
    // Several at a time: most of a small query is waiting for executors to ask for tasks.
    let compared: usize = thread::scope(|scope| {
        let parts = names.chunks(names.len().div_ceil(AT_A_TIME));
        let asking = parts.map(|part| scope.spawn(|| compare(part)));
        let asking: Vec<_> = asking.collect();
        let done = asking
            .into_iter()
            .map(|one| one.join().expect("the same rows"));
        done.sum()
    });
    assert!(compared > 60, "only {compared} tables have rows");
    let path = fixtures().join("planted-cpu");
    let (here, there) = (Asked::new(&path, None), Asked::new(&path, fleet()));
    for query in QUERIES {
        assert_eq!(there.rows(query), here.rows(query), "{query}");
    }
    for one in &executors {
        one.says("Received task");
    }
}

#[test]
fn what_executors_may_not_open_or_nobody_answers_is_a_sentence() {
    let home = tempfile::tempdir().expect("a folder");
    let (scheduler, address) = scheduler(home.path());
    let _executor = executor(&address, 1, &fixtures().join("hosts4-cpu"), home.path());
    let address = address.parse().expect("an address");
    let fleet: Arc<dyn Runner> = Arc::new(Fleet::at(address));
    let there = Asked::new(&fixtures().join("planted-cpu"), Some(fleet));
    let query = "select count(*) from ops";
    let error = there.try_rows(query).expect_err("refused");
    assert!(
        error.ends_with("is not below a path that this executor may open"),
        "{error}"
    );
    drop(scheduler);
    let error = there.try_rows(query).expect_err("nobody");
    assert!(
        error.starts_with("no scheduler answers at df://"),
        "{error}"
    );
}
