//! A session of several hosts is read by several tasks, and one that cannot be opened is left out.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use stepscope_fleet::Fleet;
use stepscope_sql::Runner;

use crate::lost::disturbed;
use crate::processes::{Running, executor, query, rows, scheduler};
use crate::support::{Asked, fixtures};

fn fleet(address: &str, hosts: usize) -> Arc<dyn Runner> {
    let address = address.parse().expect("an address");
    Arc::new(Fleet::at(address).with_hosts_per_task(hosts))
}

#[test]
fn tasks_of_one_session_have_the_same_rows_as_one_process() {
    let home = tempfile::tempdir().expect("a folder");
    let (_scheduler, address) = scheduler(home.path());
    let executors = (0..4).map(|_| executor(&address, 1, &fixtures(), home.path()));
    let executors: Vec<Running> = executors.collect();
    let path = fixtures().join("hosts4-cpu");
    let here = Asked::new(&path, None);
    let there = Asked::new(&path, Some(fleet(&address, 1)));
    for query in [
        "select * from devices",
        "select * from tracks",
        "select * from programs",
        "select host, name, count(*), sum(duration_ps) from slices group by 1, 2",
        "select host, name, start_ps from slices where host = 'host-2' and role = 'ops'",
        "select host, device, track_index, step, count(*), sum(self_ps), min(start_ps) from slices \
         group by 1, 2, 3, 4",
        "select host, union_ps(start_ps, duration_ps) from slices where role = 'ops' group by 1",
        "select name, ancestor, count(*) from slice_ancestors where distance = 1 group by 1, 2",
        "select t.track, count(*) from slices s join tracks t on s.track_index = t.track_index \
         group by 1",
        "select name, sum(self_ps) from ops group by 1",
    ] {
        let expected = here.rows(query);
        assert!(!expected.is_empty(), "{query}");
        assert_eq!(there.rows(query), expected, "{query}");
    }
    let plan = there.rows("explain select count(*) from slices").concat();
    assert!(plan.contains("sessions=1, readers=4"), "{plan}");
    for one in &executors {
        one.says("Received task");
    }
}

/// One run with the same file as each of its hosts.
fn many_hosts(folder: &Path, count: usize) {
    let found = stepscope_storage::find(&fixtures().join("mlp-cpu")).expect("a session");
    let file = &found.sessions[0].hosts[0].path;
    let name = file
        .file_name()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    let suffix = &name[name.find(".xplane").expect("a profile")..];
    let run = folder.join("run");
    fs::create_dir(&run).expect("a folder");
    for host in 0..count {
        fs::copy(file, run.join(format!("host{host:02}{suffix}"))).expect("a copy");
    }
}

#[test]
fn the_answer_over_many_hosts_is_whole_although_an_executor_is_lost() {
    let home = tempfile::tempdir().expect("a folder");
    let logs = tempfile::tempdir().expect("a folder");
    let (home, logs) = (home.path(), logs.path());
    many_hosts(logs, 40);
    let text = "select host, name, count(*) as n, min(start_ps) as start_ps, max(track_index) as \
                track from slices group by host, name order by host, name";
    let expected = rows(query(None, logs, text, home));
    assert!(expected.lines().count() > 40, "{expected}");
    disturbed(home, logs, text, &expected);
}

#[test]
fn a_session_that_cannot_be_opened_is_left_out_with_the_remark_of_one_process() {
    let home = tempfile::tempdir().expect("a folder");
    let logs = tempfile::tempdir().expect("a folder");
    crate::lost::copies(logs.path(), 3);
    for run in ["damaged", "empty"] {
        let run = logs.path().join(run);
        fs::create_dir(&run).expect("a folder");
        let text = if run.ends_with("empty") { "" } else { "text" };
        fs::write(run.join("vm.xplane.pb"), text).expect("a file");
    }
    let (_scheduler, address) = scheduler(home.path());
    let _executors = [0, 1].map(|_| executor(&address, 1, logs.path(), home.path()));
    let here = Asked::new(logs.path(), None);
    let there = Asked::new(logs.path(), Some(fleet(&address, 8)));
    // Twice: the second time, it is known.
    for query in [
        "select session, count(*) from slices group by 1",
        "select session, name, self_ps from ops",
        "select session, size_bytes from sessions",
    ] {
        assert_eq!(there.rows(query), here.rows(query), "{query}");
        let remarks = [&there, &here].map(|asked| {
            let mut remarks = asked.remarks();
            remarks.sort();
            remarks
        });
        assert_eq!(remarks[0], remarks[1], "{query}");
        let count = if query.contains("size") { 0 } else { 2 };
        assert_eq!(remarks[0].len(), count, "{remarks:?}");
    }
}
