//! Several readers of one session, each of which decodes some of its hosts, give its rows.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use datafusion::common::tree_node::{
    Transformed, TransformedResult as _, TreeNode as _, TreeNodeRecursion,
};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::SessionConfig;
use stepscope_sql::{Library, Place, Runner, Scan, knows_too_little};

use crate::support::{Asked, fixtures};

/// Reads hosts elsewhere, so many together, after what the others need to know of them was found out.
struct Divided {
    hosts: usize,
    readers: Mutex<Vec<Arc<Library>>>,
    /// How many hosts each survey decoded.
    surveys: Mutex<Vec<usize>>,
}

fn opened(places: &[Place]) -> Result<Library> {
    let text = serde_json::to_string(places).expect("JSON");
    let places: Vec<Place> = serde_json::from_str(&text).expect("places");
    Library::at(&places, &|_| Ok(())).map_err(DataFusionError::Execution)
}

impl Divided {
    fn survey(&self, place: Place) -> std::result::Result<String, String> {
        let library = opened(&[place]).expect("a place");
        let told = library.survey(0);
        let decoded = library.decoded_host_count();
        self.surveys.lock().expect("surveys").push(decoded);
        told
    }

    fn scan(&self, scan: &Scan) -> Result<Arc<dyn ExecutionPlan>> {
        let surveys = scan.surveys()?.into_iter();
        let facts: Vec<_> = surveys.map(|place| self.survey(place)).collect();
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

    /// The same plan over readers elsewhere.
    fn portable(&self, plan: &Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        let replaced = Arc::clone(plan).transform_up(|node| match node.downcast_ref::<Scan>() {
            Some(scan) => Ok(Transformed::yes(self.scan(scan)?)),
            None => Ok(Transformed::no(node)),
        });
        replaced.data()
    }

    /// How many hosts the surveys decoded since the last call.
    fn surveyed(&self) -> Vec<usize> {
        std::mem::take(&mut *self.surveys.lock().expect("surveys"))
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
        self.hosts
    }

    async fn run(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let tried = self.portable(&plan)?;
        let mut rows = collect(tried, Arc::clone(&context)).await;
        if let Err(error) = &rows {
            assert!(knows_too_little(&error.to_string()), "{error}");
            let look_closer = |node: &Arc<dyn ExecutionPlan>| {
                let scan = node.downcast_ref::<Scan>();
                scan.inspect(|scan| assert!(scan.look_closer(), "once"));
                Ok(TreeNodeRecursion::Continue)
            };
            plan.apply(look_closer)?;
            self.decoded();
            rows = collect(self.portable(&plan)?, context).await;
        }
        let rows = futures::stream::iter(rows?.into_iter().map(Ok));
        Ok(Box::pin(RecordBatchStreamAdapter::new(plan.schema(), rows)))
    }
}

/// Compares rows, and returns how many hosts each survey and each reader decoded.
#[track_caller]
fn decoded_by(hosts: usize, path: &Path, query: &str) -> (Vec<usize>, Vec<usize>) {
    let here = Asked::of(&[path.to_path_buf()]);
    let readers = Arc::new(Divided {
        hosts,
        readers: Mutex::default(),
        surveys: Mutex::default(),
    });
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
    (readers.surveyed(), readers.decoded())
}

/// The same where each host has a reader.
#[track_caller]
fn decoded(path: &Path, query: &str) -> (Vec<usize>, Vec<usize>) {
    decoded_by(1, path, query)
}

const EACH: [usize; 4] = [1; 4];
const NO_HOST: [usize; 4] = [0; 4];

/// A run of so many hosts with the same file.
fn hosts(count: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let names: Vec<String> = (0..count).map(|number| format!("host-{number}")).collect();
    let hosts: Vec<_> = names
        .iter()
        .map(|name| (name.as_str(), "mlp-cpu"))
        .collect();
    run_of(folder.path(), &hosts);
    folder
}

#[test]
fn hosts_are_decoded_twice_only_where_rows_need_to_know_of_the_others() {
    let folder = hosts(4);
    let path = folder.path();
    for query in [
        "select * from tracks",
        "select * from slices",
        "select host, track_index, step, sum(self_ps) from slices group by 1, 2, 3",
        "select * from slice_ancestors",
        "select step, count(*) from slices where step = 2 group by 1",
    ] {
        assert_eq!(decoded(path, query), (EACH.into(), EACH.into()), "{query}");
    }
    // Which host began first stands before the events.
    let of_times = "select host, min(start_ps) from slices group by 1";
    let both = (NO_HOST.into(), EACH.into());
    assert_eq!(decoded(path, of_times), both);
    for query in [
        "select * from devices",
        "select count(*) from slices",
        "select host, device, track, name, sum(self_ps) from slices where role = 'ops' group by \
         1, 2, 3, 4",
        "select ancestor, sum(duration_ps) from slice_ancestors group by 1",
        "select host, role, sum(slice_count) from tracks group by 1, 2",
    ] {
        assert_eq!(decoded(path, query), (vec![], EACH.into()), "{query}");
    }
}

#[test]
fn filters_on_hosts_leave_out_readers_and_what_they_would_look_at() {
    let folder = hosts(4);
    let path = folder.path();
    let of_two = "host in ('host-1', 'host-2')";
    let names = format!("select host, name, duration_ps from slices where {of_two}");
    assert_eq!(decoded(path, &names), (vec![], vec![1, 1]));
    let times = format!("select name, start_ps from slices where {of_two}");
    assert_eq!(decoded(path, &times), (NO_HOST.into(), vec![1, 1]));
    let steps = format!("select host, step, count(*) from slices where {of_two} group by 1, 2");
    assert_eq!(decoded(path, &steps), (EACH.into(), vec![1, 1]));
    assert_eq!(decoded_by(2, path, &names), (vec![], vec![2]));
    // A reader of two hosts decodes the one that is kept.
    let one = "select host, name, start_ps from slices where host = 'host-3'";
    let both = (vec![0, 0, 0], vec![1]);
    assert_eq!(decoded_by(2, hosts(5).path(), one), both);
    let none = "select count(*) from slices where host = 'nobody'";
    assert_eq!(decoded(path, none), (vec![], vec![0]));
}

#[test]
fn programs_are_read_where_they_are_first_and_instructions_without_slices() {
    let folder = tempfile::tempdir().expect("a folder");
    let hosts = [
        ("a", "mlp-cpu"),
        ("b", "mlp-cpu"),
        ("c", "planted-cpu"),
        ("d", "mlp-cpu"),
    ];
    run_of(folder.path(), &hosts);
    let programs = decoded(folder.path(), "select * from programs");
    assert_eq!(programs, (EACH.into(), vec![1, 0, 1, 0]));
    let instructions = decoded(folder.path(), "select * from instructions");
    assert_eq!(instructions, (vec![], vec![0]));
}

#[test]
fn rows_of_all_hosts_have_one_reader() {
    let path = fixtures().join("hosts4-cpu");
    for query in ["select * from ops", "select host_count from sessions"] {
        assert_eq!(decoded(&path, query), (vec![], vec![4]), "{query}");
    }
}

/// Programs of a persistent cache have no ID: which one a name means follows from all hosts.
#[test]
fn hosts_with_programs_without_an_id_are_looked_at_after_all() {
    let path = fixtures().join("hosts4-cpu");
    let query = "select host, name, duration_ps from slices";
    assert_eq!(decoded(&path, query), (EACH.into(), EACH.into()));
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
    // How many hosts there are follows from all files then.
    assert_eq!(decoded(folder.path(), query), (EACH.into(), EACH.into()));
}
