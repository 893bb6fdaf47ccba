//! One scheduler, four executors, one of which is lost in the middle of a query.

use std::fs;
use std::path::Path;

use crate::processes::{executor, query, rows, scheduler};
use crate::support::fixtures;

/// Captures of the same run in this many folders.
pub(crate) const SESSIONS: usize = 48;

pub(crate) const QUERY: &str = "select session, name, count(*) as n, sum(duration_ps) as duration_ps, \
                     union_ps(start_ps, duration_ps) as busy_ps from slices group by session, name \
                     order by session, name";

/// Folders with the same run.
pub(crate) fn copies(folder: &Path, count: usize) {
    let capture = fixtures().join("mlp-cpu");
    let files = stepscope_storage::find(&capture).expect("a session");
    let file = &files.sessions[0].hosts[0].path;
    let name = file.file_name().expect("a name");
    for copy in 0..count {
        let run = folder.join(format!("run{copy:03}"));
        fs::create_dir(&run).expect("a folder");
        fs::copy(file, run.join(name)).expect("a copy");
    }
}

#[test]
fn the_answer_is_whole_although_an_executor_is_lost() {
    let home = tempfile::tempdir().expect("a folder");
    let logs = tempfile::tempdir().expect("a folder");
    let (home, logs) = (home.path(), logs.path());
    copies(logs, SESSIONS);
    let expected = rows(query(None, logs, QUERY, home));
    assert!(expected.lines().count() > SESSIONS, "{expected}");
    disturbed(home, logs, QUERY, &expected);
}

/// Compares the rows of a query that loses an executor.
pub(crate) fn disturbed(home: &Path, logs: &Path, text: &str, expected: &str) {
    let (_scheduler, address) = scheduler(home);
    let mut others: Vec<_> = (0..3).map(|_| executor(&address, 1, logs, home)).collect();
    // A query may be done before the process is killed; then the next one is disturbed.
    for _ in 0..5 {
        let mut lost = executor(&address, 1, logs, home);
        let mut asked = query(Some(&address), logs, text, home);
        lost.says("Received task");
        lost.kill();
        let is_disturbed = asked.try_wait().expect("a process").is_none();
        assert_eq!(rows(asked), expected);
        if is_disturbed {
            return;
        }
        others.push(executor(&address, 1, logs, home));
    }
    panic!("no query was disturbed");
}

/// Its last word is for the scheduler, which cannot hear it.
#[cfg(unix)]
#[test]
fn an_executor_ends_although_its_scheduler_is_gone() {
    let home = tempfile::tempdir().expect("a folder");
    let (mut scheduler, address) = scheduler(home.path());
    let mut executor = executor(&address, 1, home.path(), home.path());
    scheduler.kill();
    assert!(executor.terminate(), "it goes on");
}
