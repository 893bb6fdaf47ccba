//! Roll-ups in a bucket are fetched many at a time, and only those that a query reads.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use stepscope_catalog::Catalog;

use crate::indexed::index_all;
use crate::memory::Memory;
use crate::support::{Asked, fixtures};

const RUNS: usize = 40;

#[test]
fn roll_ups_come_together_and_only_as_far_as_rows_are_needed() {
    let folder = tempfile::tempdir().expect("a folder");
    let logs = folder.path().join("logs");
    for run in 0..RUNS {
        let own = logs.join(format!("plugins/profile/run{run:02}"));
        fs::create_dir_all(&own).expect("a folder");
        let profile = fixtures().join("riegeli-cpu/pb/plugins/profile/pb/vm.xplane.pb.gz");
        fs::copy(profile, own.join(format!("host{run}.xplane.pb.gz"))).expect("a copy");
    }
    let paths: [PathBuf; 1] = [logs];
    let bucket: Arc<Memory> = Arc::default();
    let machine = |name: &str| {
        let mirror = folder.path().join(name);
        let objects = Arc::clone(&bucket);
        Catalog::in_bucket(objects, &mirror, 1 << 30)
    };
    let writer = machine("writer");
    writer.prepare().expect("a bucket that can be written");
    index_all(&writer, &paths);

    let fetched = |name: &str, query: &str| {
        let asked = Asked::with_catalog(&paths, machine(name));
        // The lists are read by now.
        bucket.with(|state| state.together.clear());
        let rows = asked.table(query).rows.len();
        assert_eq!(asked.engine.library().opened_count(), 0, "{query}");
        (rows, bucket.with(|state| state.together.clone()))
    };
    let (rows, all) = fetched("reader", "select * from steps");
    assert!(rows >= RUNS, "{rows} rows");
    assert_eq!(all.iter().sum::<usize>(), RUNS);
    // Readers side by side fetch more each time: 1, 2, 4 and so on.
    assert!(all.len() <= RUNS / 3, "{all:?}");
    // What was fetched is kept.
    assert!(fetched("reader", "select * from steps").1.is_empty());
    let one = "select * from steps where session = 'run07'";
    assert_eq!(fetched("another", one).1, [1]);
}
