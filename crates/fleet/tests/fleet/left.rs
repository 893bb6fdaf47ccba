//! Queries that nobody waits for any more: the fleet ends them.

use std::process::Child;

use crate::lost::{QUERY, SESSIONS, copies};
#[cfg(unix)]
use crate::processes::signal;
use crate::processes::{executor, query, query_within, rows, scheduler};

/// The exit code of a query that failed, and what it said.
fn failure(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().expect("the program ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

#[test]
fn a_query_that_takes_too_long_ends_on_the_fleet() {
    let home = tempfile::tempdir().expect("a folder");
    let logs = tempfile::tempdir().expect("a folder");
    let (home, logs) = (home.path(), logs.path());
    copies(logs, SESSIONS);
    let (scheduler, address) = scheduler(home);
    // Nobody takes its tasks, so it lasts.
    let asked = query_within("1", Some(&address), logs, QUERY, home);
    let (code, said) = failure(asked);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("longer than 1 s"), "{said}");
    scheduler.says("Job cancelled");
    // The next one is answered.
    let _executor = executor(&address, 2, logs, home);
    let count = "select count(*) as n from sessions";
    let there = rows(query(Some(&address), logs, count, home));
    assert_eq!(there, rows(query(None, logs, count, home)));
}

#[cfg(unix)]
#[test]
fn a_query_that_is_interrupted_ends_on_the_fleet() {
    let home = tempfile::tempdir().expect("a folder");
    let logs = tempfile::tempdir().expect("a folder");
    let (home, logs) = (home.path(), logs.path());
    copies(logs, SESSIONS);
    let (scheduler, address) = scheduler(home);
    for name in ["-INT", "-TERM"] {
        let asked = query(Some(&address), logs, QUERY, home);
        scheduler.says("Job queued");
        signal(&asked, name);
        let (code, said) = failure(asked);
        assert_eq!(code, Some(130), "{said}");
        assert!(said.contains("interrupted"), "{said}");
        scheduler.says("Job cancelled");
    }
}
