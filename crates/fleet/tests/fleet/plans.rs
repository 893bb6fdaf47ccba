//! A plan that was bytes gives the rows of one that was not, and opens only what it may.

use std::path::PathBuf;
use std::sync::Arc;

use stepscope_sql::Runner;

use crate::support::{Asked, QUERIES, Travelled, fixtures};

fn both(capture: &str) -> (Asked, Asked) {
    let path = fixtures().join(capture);
    let travelled = Travelled::allowing(std::slice::from_ref(&path));
    (Asked::new(&path, None), Asked::new(&path, Some(travelled)))
}

#[test]
fn options_filters_and_functions_travel() {
    let (here, there) = both("planted-cpu");
    assert!(here.sessions() > 3, "several sessions");
    for query in QUERIES {
        assert_eq!(there.rows(query), here.rows(query), "{query}");
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
