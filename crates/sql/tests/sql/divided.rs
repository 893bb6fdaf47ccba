//! Several readers of one session, each of which decodes some of its hosts, give its rows.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use datafusion::common::tree_node::{Transformed, TransformedResult as _, TreeNode as _};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use datafusion::prelude::SessionConfig;
use stepscope_sql::{Library, Place, Runner, Scan};

use crate::support::{Asked, fixtures};

/// Reads every host elsewhere, after what the others need to know of it was found out.
#[derive(Default)]
struct Divided {
    readers: Mutex<Vec<Arc<Library>>>,
}

fn opened(places: &[Place]) -> Result<Library> {
    let text = serde_json::to_string(places).expect("JSON");
    let places: Vec<Place> = serde_json::from_str(&text).expect("places");
    Library::at(&places, &|_| Ok(())).map_err(DataFusionError::Execution)
}

impl Divided {
    fn scan(&self, scan: &Scan) -> Result<Arc<dyn ExecutionPlan>> {
        let survey = |place: Place| opened(&[place]).expect("a place").survey(0);
        let facts: Vec<_> = scan.surveys()?.into_iter().map(survey).collect();
        scan.learn(&facts);
        assert_eq!(scan.surveys()?, [], "each is asked once");
        let part = |places: Vec<Place>| -> Result<Arc<dyn ExecutionPlan>> {
            let library = Arc::new(opened(&places)?);
            self.readers
                .lock()
                .expect("readers")
                .push(Arc::clone(&library));
            Ok(Arc::new(scan.question().scan(library)?))
        };
        let parts = scan.places()?.into_iter().map(part);
        UnionExec::try_new(parts.collect::<Result<Vec<_>>>()?)
    }

    /// How many hosts each reader decoded since the last call.
    fn decoded(&self) -> Vec<usize> {
        let readers = std::mem::take(&mut *self.readers.lock().expect("readers"));
        readers
            .iter()
            .map(|library| library.decoded_host_count())
            .collect()
    }
}

#[async_trait]
impl Runner for Divided {
    fn configuration(&self) -> SessionConfig {
        SessionConfig::new().with_target_partitions(2)
    }

    fn most_readers(&self) -> usize {
        64
    }

    fn hosts_per_reader(&self) -> usize {
        1
    }

    async fn run(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let replaced = plan.transform_up(|node| match node.downcast_ref::<Scan>() {
            Some(scan) => Ok(Transformed::yes(self.scan(scan)?)),
            None => Ok(Transformed::no(node)),
        });
        execute_stream(replaced.data()?, context)
    }
}

/// Compares rows, and returns how many hosts each reader decoded.
#[track_caller]
fn decoded(path: &Path, query: &str) -> Vec<usize> {
    let here = Asked::of(&[path.to_path_buf()]);
    let readers = Arc::new(Divided::default());
    let runner: Arc<dyn Runner> = Arc::<Divided>::clone(&readers);
    let there = Asked::elsewhere(path, runner);
    let rows = |asked: &Asked| {
        let table = asked.table(query);
        let mut rows: Vec<String> = table.rows.iter().map(|row| format!("{row:?}")).collect();
        rows.sort();
        rows
    };
    let expected = rows(&here);
    assert!(!expected.is_empty(), "{query}");
    assert_eq!(rows(&there), expected, "{query}");
    readers.decoded()
}

#[test]
fn readers_of_rows_of_one_host_decode_their_own_hosts() {
    let path = fixtures().join("hosts4-cpu");
    for query in [
        "select * from devices",
        "select * from tracks",
        "select * from slices",
        "select host, track_index, step, sum(self_ps) from slices group by 1, 2, 3",
        "select * from slice_ancestors",
        "select step, count(*) from slices where step = 2 group by 1",
    ] {
        assert_eq!(decoded(&path, query), [1, 1, 1, 1], "{query}");
    }
    let of_two = "select name, start_ps from slices where host in ('host-1', 'host-2')";
    assert_eq!(decoded(&path, of_two), [0, 1, 1, 0]);
}

#[test]
fn rows_of_all_hosts_have_one_reader() {
    let path = fixtures().join("hosts4-cpu");
    for query in [
        "select * from ops",
        "select * from programs",
        "select host_count from sessions",
    ] {
        assert_eq!(decoded(&path, query), [4], "{query}");
    }
}

/// A run with files of other captures as its hosts.
fn run_of(folder: &Path, hosts: &[(&str, &str)]) {
    let run = folder.join("plugins/profile/run");
    fs::create_dir_all(&run).expect("a folder");
    for (name, capture) in hosts {
        let found = stepscope_storage::find(&fixtures().join(capture)).expect("a session");
        let file = &found.sessions[0].hosts[0].path;
        let own = file
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let suffix = &own[own.find(".xplane").expect("a profile")..];
        fs::copy(file, run.join(format!("{name}{suffix}"))).expect("a copy");
    }
}

#[test]
fn a_host_that_cannot_be_read_is_left_out_by_its_reader() {
    let folder = tempfile::tempdir().expect("a folder");
    let hosts = ["a", "b", "d"].map(|name| (name, "mlp-cpu"));
    run_of(folder.path(), &hosts);
    let damaged = folder.path().join("plugins/profile/run/c.xplane.pb.gz");
    fs::write(damaged, "no archive").expect("a file");
    let query = "select * from slices where kind <> 'op'";
    assert_eq!(decoded(folder.path(), query), [1, 1, 1, 1]);
}
