//! A plan that was bytes gives the rows of one that was not.

use std::path::PathBuf;
use std::sync::Arc;

use stepscope_sql::{Runner, VIEWS, tables};

use crate::support::{Asked, Travelled, fixtures};

fn both(capture: &str) -> (Asked, Asked) {
    let path = fixtures().join(capture);
    let travelled = Travelled::allowing(std::slice::from_ref(&path));
    (Asked::new(&path, None), Asked::new(&path, Some(travelled)))
}

#[test]
fn every_table_and_view_has_the_same_rows() {
    let (here, there) = both("hosts4-cpu");
    let mut compared = 0;
    let tables = tables().into_iter().map(|table| table.name);
    let views = VIEWS.iter().map(|view| view.name.to_owned());
    for name in tables.chain(views) {
        let query = format!("select * from {name}");
        let expected = here.rows(&query);
        assert_eq!(there.rows(&query), expected, "{name}");
        compared += usize::from(!expected.is_empty());
    }
    assert!(compared > 30, "only {compared} tables have rows");
}

#[test]
fn options_filters_and_functions_travel() {
    let (here, there) = both("planted-cpu");
    assert!(here.sessions() > 3, "several sessions");
    for query in [
        "select session, device, name, self_ps from ops('per=device', 'steps=1..1')",
        "select name from ops('match=dot') where self_ps > 1000 and name like '%dot%'",
        "select count(*), sum(duration_ps) from slices where ms(duration_ps) > 0.1 and class = 'compute'",
        "select session, name, start_ps from slices where start_ps between 0 and 20000000000",
        "select session, device, union_ps(start_ps, duration_ps) from slices where role = 'ops' \
         group by session, device",
        "select scope_prefix(scope, 1), sum(self_ps) from slices group by 1",
        "select session, step_ps from sessions where session like '%s%' order by step_ps limit 2",
        "select a.session, a.name, b.self_ps from ops a join ops b on a.name = b.name and \
         a.session < b.session",
        "select name from slices where duration_ps > (select avg(duration_ps) from slices)",
        "select session, rank() over (partition by session order by self_ps desc, name), name from ops",
        "select count(*) from slices where session = 'nobody'",
        "select 1 + 1",
    ] {
        let expected = here.rows(query);
        assert_eq!(there.rows(query), expected, "{query}");
    }
}

#[test]
fn a_plan_names_places_and_an_executor_opens_only_what_it_may() {
    let path = fixtures().join("planted-cpu");
    let travelled = Travelled::allowing(&[fixtures().join("hosts4-cpu")]);
    let runner: Arc<dyn Runner> = Arc::<Travelled>::clone(&travelled);
    let there = Asked::new(&path, Some(runner));
    let error = there
        .try_rows("select count(*) from ops")
        .expect_err("refused");
    assert!(error.contains("may open"), "{error}");
    let bytes = travelled.bytes.lock().expect("bytes").clone();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("planted-cpu/slower"), "{text}");
}

#[test]
fn a_session_that_changed_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = fixtures().join("planted-cpu/base/plugins/profile/base/vm.xplane.pb.gz");
    let file = folder.path().join("run/vm.xplane.pb.gz");
    std::fs::create_dir(folder.path().join("run")).expect("a folder");
    std::fs::copy(&whole, &file).expect("a copy");
    let roots: Vec<PathBuf> = vec![folder.path().to_path_buf()];
    let there = Asked::new(folder.path(), Some(Travelled::allowing(&roots)));
    let query = "select count(*) from slices";
    assert_eq!(there.rows(query).len(), 1);
    let other = fixtures().join("planted-cpu/slower/plugins/profile/slower/vm.xplane.pb.gz");
    std::fs::copy(other, &file).expect("another capture");
    let error = there.try_rows(query).expect_err("not the same");
    assert!(
        error.contains("not those that the query was planned for"),
        "{error}"
    );
    std::fs::remove_file(&file).expect("removed");
    let error = there.try_rows(query).expect_err("missing");
    assert!(error.starts_with("run"), "{error}");
}
