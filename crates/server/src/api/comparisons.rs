//! Reports about several sessions, from the registry of comparisons.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError};

use axum::Json;
use axum::extract::{Path, State};
use axum::response::Response;
use stepscope_analysis::asking::{Asked, Asks, EachSession, NamedText};
use stepscope_analysis::{AnalysisError, COMPARISONS, Compared, ComparisonEntry, find_comparison};
use stepscope_storage::{TextBeside, benchmarks_at, histories_at, history_at};
use tokio::runtime::Handle;

use super::analyses::{entry, options, question, respond, unknown};
use super::{opened, slot};
use crate::error::{ApiError, compute};
use crate::library::Library;
use crate::opener::MAX_OPEN;
use crate::parameters::Parameters;
use crate::reports::AnalysisEntry;
use crate::slot::{OpenSession, Slot};

pub(crate) async fn list() -> Json<Vec<AnalysisEntry>> {
    Json(COMPARISONS.iter().map(|one| entry(one)).collect())
}

/// A comparison of the sessions that `session=…&session=…` name by key, the baseline first. Without
/// them: every session, if the comparison takes all, and the benchmarks next to them. `history=…`
/// names a history of the folder, whose runs are used instead or in addition. Sessions are held
/// open until it is done, unless the comparison asks one after another.
pub(crate) async fn compare(
    State(library): State<Arc<Library>>,
    Path(name): Path<String>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let entry = find_comparison(&name).ok_or_else(|| {
        let names: Vec<&str> = COMPARISONS.iter().map(|entry| entry.name).collect();
        unknown("comparison", &name, &names)
    })?;
    let mut slots: Vec<Arc<Slot>> = Vec::new();
    // Each at most once, under whatever name, so there are no more than in the list.
    let mut named = HashSet::new();
    for (_, id) in parameters.0.iter().filter(|(name, _)| name == "session") {
        let slot = slot(&library, id)?;
        if !named.insert(slot.number) {
            let error = format!("The session {} is named several times.", slot.key);
            return Err(ApiError::bad_request(error).with_hint("Name each session once."));
        }
        slots.push(slot);
    }
    let mut files = history(&library, &parameters)?;
    let takes_all = slots.is_empty() && files.is_empty() && entry.asks == Asks::EverySession;
    if takes_all {
        files = texts(library.root_path().map(benchmarks_at).unwrap_or_default());
        // The list starts with the latest; runs are reported oldest first.
        slots = library.slots().into_iter().rev().collect();
    }
    if slots.is_empty() && files.is_empty() {
        let error = ApiError::bad_request("The parameter session is missing.");
        let hint = "Give it once for each session, the baseline first: session=0&session=1.";
        return Err(error.with_hint(hint));
    }
    let place = format!("The comparison {}", entry.name);
    if entry.asks_each() {
        let asked = OneByOne::new(library, slots, takes_all, entry);
        return compute(&place, move || asked.answer(files, entry, &parameters)).await;
    }
    if slots.len() > MAX_OPEN {
        let (count, name) = (slots.len(), entry.name);
        let error = format!("{count} sessions are too many for {name}; the limit is {MAX_OPEN}.");
        return Err(ApiError::bad_request(error).with_hint("Name fewer sessions."));
    }
    let mut sessions = Vec::new();
    for slot in slots {
        let open = opened(&library, &slot.key).await?;
        sessions.push((slot, open));
    }
    compute(&place, move || {
        answer_of_several(&sessions, files, entry, &parameters)
    })
    .await
}

/// The history that the parameters name.
fn history(library: &Library, parameters: &Parameters) -> Result<Vec<NamedText>, ApiError> {
    let Some(name) = parameters.get("history") else {
        return Ok(Vec::new());
    };
    let root = library.root_path();
    let found = root.and_then(|root| history_at(root, name));
    if found.is_none() {
        let names = root.map(histories_at).unwrap_or_default();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        return Err(unknown("history", name, &names));
    }
    Ok(texts(found))
}

fn texts(found: impl IntoIterator<Item = TextBeside>) -> Vec<NamedText> {
    let named = found
        .into_iter()
        .map(|TextBeside { name, text }| NamedText { name, text });
    named.collect()
}

fn answer_of_several(
    sessions: &[(Arc<Slot>, Arc<OpenSession>)],
    files: Vec<NamedText>,
    entry: &ComparisonEntry,
    parameters: &Parameters,
) -> Result<Response, ApiError> {
    let places = sessions
        .iter()
        .map(|(slot, open)| (open.session.name.as_str(), slot.path.as_str()));
    let names = entry.names(places);
    let compared: Vec<Compared<'_>> = names
        .iter()
        .zip(sessions)
        .map(|(name, (_, open))| Compared {
            name,
            session: &open.session,
        })
        .collect();
    // Files may change at any time, so results computed from them are not cached.
    let known = sessions.first().filter(|_| files.is_empty());
    let known = known.map(|(_, first)| &first.reports);
    let ask = || Ok(entry.run_pairs_with_files(&compared, files, options(parameters))?);
    // A session that was closed and reopened may have changed, so its opening number is part of the
    // key.
    let openings: Vec<u64> = sessions.iter().map(|(_, open)| open.opening).collect();
    let question = format!("{openings:?} {}", question(entry.name, parameters));
    respond(entry, parameters, known, question, ask)
}

/// Sessions that are opened one after another, however many there are: the library closes those
/// that were asked when there are too many.
struct OneByOne {
    library: Arc<Library>,
    slots: Vec<Arc<Slot>>,
    names: Vec<String>,
    /// A session that cannot be opened is left out: it says so in the list of sessions.
    leaves_out: bool,
    /// How many were.
    left_out: usize,
    runtime: Handle,
    /// Why a session that was named cannot be asked.
    failed: Option<ApiError>,
}

impl OneByOne {
    fn new(
        library: Arc<Library>,
        slots: Vec<Arc<Slot>>,
        leaves_out: bool,
        entry: &ComparisonEntry,
    ) -> Self {
        let names = entry.names(
            slots
                .iter()
                .map(|slot| (slot.name.as_str(), slot.path.as_str())),
        );
        Self {
            library,
            slots,
            names,
            leaves_out,
            left_out: 0,
            runtime: Handle::current(),
            failed: None,
        }
    }

    fn answer(
        mut self,
        files: Vec<NamedText>,
        entry: &ComparisonEntry,
        parameters: &Parameters,
    ) -> Result<Response, ApiError> {
        // A session whose files changed has another number. Other files may change at any time.
        let numbers: Vec<u64> = self.slots.iter().map(|slot| slot.number).collect();
        let question = format!("{numbers:?} {}", question(entry.name, parameters));
        let library = Arc::clone(&self.library);
        let known = files.is_empty().then_some(&library.reports);
        let ask = || {
            let answer = entry.run_pairs_each(&mut self, files, options(parameters));
            match self.failed.take() {
                Some(failed) => Err(failed),
                None => Ok(answer?),
            }
        };
        let answer = respond(entry, parameters, known, question.clone(), ask);
        if self.left_out > 0 {
            // What was left out may open next time.
            let cache = library.reports.lock();
            cache
                .unwrap_or_else(PoisonError::into_inner)
                .forget(&question);
        }
        answer
    }
}

impl EachSession for OneByOne {
    fn each(
        &mut self,
        known: Option<&'static str>,
        ask: &mut dyn FnMut(Asked<'_>) -> Result<(), AnalysisError>,
    ) -> Result<(), AnalysisError> {
        for (slot, name) in self.slots.iter().zip(&self.names) {
            let measured = known.and_then(|comparison| self.library.measured(slot, comparison));
            if let Some(measured) = &measured {
                ask(Asked::Measured { name, measured })?;
                continue;
            }
            // This runs on a thread that may block.
            let open = match self.runtime.block_on(self.library.opened(slot)) {
                Ok(open) => open,
                Err(_) if self.leaves_out => {
                    self.left_out += 1;
                    continue;
                }
                Err(error) => {
                    self.failed = Some(ApiError::from(&error));
                    return Err(AnalysisError::Internal(error.message));
                }
            };
            ask(Asked::Open(Compared {
                name,
                session: &open.session,
            }))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Weak;

    use stepscope_testing::drawing::draw;

    use super::*;
    use crate::slot::State as SlotState;

    fn library_of(count: usize, folder: &Path) -> Arc<Library> {
        let drawing = "host vm\ndevice tpu:0 v6e\nline XLA Ops\n0..5us dot.1\n";
        let bytes = draw(drawing).expect("a drawing").to_bytes();
        for number in 0..count {
            let run = folder.join(format!("run-{number}"));
            std::fs::create_dir_all(&run).expect("a folder");
            std::fs::write(run.join("vm.xplane.pb"), &bytes).expect("a file");
        }
        Library::at(folder).expect("sessions")
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_history_holds_no_more_sessions_than_may_be_open() {
        let folder = tempfile::tempdir().expect("a folder");
        let count = MAX_OPEN + 8;
        let library = library_of(count, folder.path());
        let entry = find_comparison("history").expect("it is in the list");
        let slots = library.slots();
        let followed = slots.clone();
        let mut asked = OneByOne::new(library, slots, true, entry);
        let task = tokio::task::spawn_blocking(move || {
            let (mut held, mut most): (Vec<Weak<OpenSession>>, usize) = (Vec::new(), 0);
            asked.each(None, &mut |_| {
                if let SlotState::Open(open) = followed[held.len()].state() {
                    held.push(Arc::downgrade(&open));
                }
                let alive = held.iter().filter(|open| open.strong_count() > 0);
                most = most.max(alive.count());
                Ok(())
            })?;
            Ok::<_, AnalysisError>((held.len(), most))
        });
        let (asked, most) = task.await.expect("no panic").expect("no error");
        assert_eq!(asked, count);
        // The thread that opened one still fills its timeline for a moment.
        assert!(most <= MAX_OPEN + 4, "{most} sessions at a time");
    }
}
