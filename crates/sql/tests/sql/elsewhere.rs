//! A question and the places of sessions are all that another process needs to give the same rows.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::common::tree_node::{Transformed, TransformedResult as _, TreeNode as _};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use datafusion::prelude::SessionConfig;
use stepscope_sql::{Library, Place, Runner, Scan, VIEWS, tables};

use crate::support::{Asked, fixtures};

/// Replaces every scan by what another process would make of it.
struct Elsewhere {
    may_open: PathBuf,
}

impl Elsewhere {
    fn below(path: &Path) -> Arc<dyn Runner> {
        Arc::new(Self {
            may_open: path.to_path_buf(),
        })
    }

    fn scan(&self, scan: &Scan) -> Result<Arc<dyn ExecutionPlan>> {
        let part = |places: Vec<Place>| -> Result<Arc<dyn ExecutionPlan>> {
            let text = serde_json::to_string(&places).expect("JSON");
            let places: Vec<Place> = serde_json::from_str(&text).expect("places");
            let library = Library::at(&places, &|path| {
                let is_below = path.starts_with(&self.may_open);
                is_below
                    .then_some(())
                    .ok_or_else(|| "not allowed".to_owned())
            });
            let library = library.map_err(DataFusionError::Execution)?;
            Ok(Arc::new(scan.question().scan(Arc::new(library))?))
        };
        let parts = scan.places()?.into_iter().map(part);
        let parts = parts.collect::<Result<Vec<_>>>()?;
        UnionExec::try_new(parts)
    }
}

#[async_trait]
impl Runner for Elsewhere {
    fn configuration(&self) -> SessionConfig {
        SessionConfig::new().with_target_partitions(2)
    }

    fn most_readers(&self) -> usize {
        64
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

/// The rows as text, sorted.
fn rows(asked: &Asked, query: &str) -> Vec<String> {
    let table = asked.table(query);
    let mut rows: Vec<String> = table.rows.iter().map(|row| format!("{row:?}")).collect();
    rows.sort();
    rows
}

#[test]
fn every_table_and_view_has_the_same_rows_elsewhere() {
    let path = fixtures().join("hosts4-cpu");
    let here = Asked::of(std::slice::from_ref(&path));
    let there = Asked::elsewhere(&path, Elsewhere::below(&path));
    let mut compared = 0;
    let tables = tables().into_iter().map(|table| table.name);
    let views = VIEWS.iter().map(|view| view.name.to_owned());
    for name in tables.chain(views) {
        let query = format!("select * from {name}");
        let expected = rows(&here, &query);
        assert_eq!(rows(&there, &query), expected, "{name}");
        compared += usize::from(!expected.is_empty());
    }
    assert!(compared > 30, "only {compared} tables have rows");
}

#[test]
fn options_filters_and_several_sessions_are_asked_elsewhere() {
    let path = fixtures().join("planted-cpu");
    let here = Asked::of(std::slice::from_ref(&path));
    let there = Asked::elsewhere(&path, Elsewhere::below(&path));
    for query in [
        "select session, device, name, self_ps from ops('per=device', 'steps=1..1')",
        "select name from ops('match=dot') where self_ps > 1000 and name like '%dot%'",
        "select count(*) from slices where ms(duration_ps) > 0.1 and class = 'compute'",
        "select session, name, start_ps from slices where start_ps between 0 and 20000000000",
        "select session, step_ps from sessions where session like '%s%' order by step_ps limit 2",
        "select count(*) from slices where session = 'nobody'",
        "select 1 + 1",
    ] {
        assert_eq!(rows(&there, query), rows(&here, query), "{query}");
    }
}

#[test]
fn what_is_refused_missing_or_changed_is_an_error_elsewhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let capture = |name: &str| {
        let run = format!("planted-cpu/{name}/plugins/profile/{name}/vm.xplane.pb.gz");
        fixtures().join(run)
    };
    let file = folder.path().join("run/vm.xplane.pb.gz");
    std::fs::create_dir(folder.path().join("run")).expect("a folder");
    std::fs::copy(capture("base"), &file).expect("a copy");
    let query = "select count(*) from slices";
    let refused = Asked::elsewhere(folder.path(), Elsewhere::below(Path::new("/nowhere")));
    let error = refused.try_table(query).expect_err("refused");
    assert!(error.contains("not allowed"), "{error}");
    let there = Asked::elsewhere(folder.path(), Elsewhere::below(folder.path()));
    assert_eq!(there.table(query).rows.len(), 1);
    std::fs::copy(capture("slower"), &file).expect("another capture");
    let error = there.try_table(query).expect_err("not the same");
    assert!(
        error.contains("not those that the query was planned for"),
        "{error}"
    );
    std::fs::remove_file(&file).expect("removed");
    let error = there.try_table(query).expect_err("missing");
    assert!(error.starts_with("run"), "{error}");
}
