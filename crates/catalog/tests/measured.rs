//! Comparisons of sessions that were indexed are those of the open sessions, and open none.

use std::path::Path;

use stepscope_analysis::asking::{Asked, EachSession};
use stepscope_analysis::{AnalysisError, COMPARISONS, Compared};
use stepscope_catalog::{Catalog, Listener, Todo, index};
use stepscope_model::{Reads, Session};
use stepscope_storage::{NoProgress, SessionFiles, find, open_session};

struct Quiet;

impl Listener for Quiet {
    fn bytes(&self, _more: u64) {}
    fn done(&self, _name: &str, _failure: Option<&str>) {}
}

/// Sessions from a catalog; counts those that had to be opened.
struct FromCatalog<'a> {
    catalog: &'a Catalog,
    files: &'a [SessionFiles],
    names: &'a [String],
    opened_count: usize,
}

fn opened(files: &SessionFiles) -> Session {
    let opened = open_session(files, Reads::Everything, |_| NoProgress);
    opened.expect("a session").session
}

impl EachSession for FromCatalog<'_> {
    fn each(
        &mut self,
        known: Option<&'static str>,
        ask: &mut dyn FnMut(Asked<'_>) -> Result<(), AnalysisError>,
    ) -> Result<(), AnalysisError> {
        for (files, name) in self.files.iter().zip(self.names) {
            let measured = known.and_then(|comparison| self.catalog.measured(files, comparison));
            if let Some(measured) = &measured {
                ask(Asked::Measured { name, measured })?;
                continue;
            }
            self.opened_count += 1;
            let session = &opened(files);
            ask(Asked::Open(Compared { name, session }))?;
        }
        Ok(())
    }
}

#[test]
fn comparisons_of_many_sessions_are_the_same_and_open_none() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let files = find(&fixtures).expect("sessions").sessions;
    let sessions: Vec<Session> = files.iter().map(opened).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let catalog = Catalog::at(folder.path());
    let todo = files.iter().map(|files| Todo {
        location: fixtures.join(&files.location).display().to_string(),
        files: files.clone(),
    });
    let outcome = index(&catalog, &todo.collect::<Vec<_>>(), 2, &Quiet).expect("a catalog");
    assert_eq!(outcome.failed, []);
    let mut asked = 0;
    for entry in COMPARISONS.iter().filter(|entry| entry.asks_each()) {
        // Other names than when they were indexed.
        let names: Vec<String> = (0..files.len()).map(|run| format!("run-{run}")).collect();
        let pairs = names.iter().zip(&sessions);
        let open: Vec<Compared<'_>> = pairs
            .map(|(name, session)| Compared { name, session })
            .collect();
        let mut indexed = FromCatalog {
            catalog: &catalog,
            files: &files,
            names: &names,
            opened_count: 0,
        };
        for (options, expected_count) in [(vec![], 0), (vec![("steps", "1..3")], files.len())] {
            indexed.opened_count = 0;
            let expected = entry.run_pairs(&open, options.iter().copied());
            let expected = expected.expect(entry.name).json_text().expect("JSON");
            let found = entry.run_pairs_each(&mut indexed, Vec::new(), options);
            let found = found.expect(entry.name).json_text().expect("JSON");
            assert!(found == expected, "{}:\n{found}\n{expected}", entry.name);
            assert_eq!(indexed.opened_count, expected_count, "{}", entry.name);
        }
        asked += 1;
    }
    assert_eq!(asked, 2, "history and scaling");
}
