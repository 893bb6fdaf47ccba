//! `compare`: questions about several sessions.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use stepscope_analysis::asking::{Asked, EachSession};
use stepscope_analysis::{AnalysisError, COMPARISONS, Compared, ComparisonEntry, find_comparison};
use stepscope_model::Reads;
use stepscope_server::{Library, OpenSession};

use super::{Pairs, Within, borrowed, push_report, summary_of};
use crate::asked::{Options, Shape, refused};
use crate::page::{Next, Whole};
use crate::roots::Refusal;

/// Most sessions of a comparison.
const MOST: usize = 16;

/// Arguments of `compare`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Arguments {
    /// Handles of the sessions, the baseline first.
    sessions: Vec<String>,
    /// What to compare.
    #[serde(default = "usual")]
    question: String,
    /// Options, as on the command line.
    #[serde(default)]
    options: Options,
    /// What to show of the answer.
    #[serde(flatten)]
    pub(crate) shape: Shape,
}

fn usual() -> String {
    "compare".to_owned()
}

/// Sessions that are held open, with the names that the reader knows.
struct Held(Vec<(String, Arc<OpenSession>)>);

impl EachSession for Held {
    fn each(
        &mut self,
        _known: Option<&'static str>,
        ask: &mut dyn FnMut(Asked<'_>) -> Result<(), AnalysisError>,
    ) -> Result<(), AnalysisError> {
        self.compared()
            .into_iter()
            .try_for_each(|one| ask(Asked::Open(one)))
    }
}

impl Held {
    fn compared(&self) -> Vec<Compared<'_>> {
        let named = self.0.iter().map(|(name, open)| Compared {
            name,
            session: &open.session,
        });
        named.collect()
    }
}

/// Compares sessions.
pub(crate) async fn run(within: &Within<'_>, asked: &Arguments) -> Result<Whole, Refusal> {
    let entry = find_comparison(&asked.question).ok_or_else(|| unknown(&asked.question))?;
    let pairs = asked.options.pairs()?;
    let sessions = Next::new("sessions", &[], "the handles of all sessions");
    if asked.sessions.len() > MOST {
        let count = asked.sessions.len();
        return Err(Refusal::new(format!(
            "{count} sessions are too many; the limit is {MOST}."
        ))
        .next(sessions));
    }
    if let Err(error) = entry.matches(borrowed(&pairs)) {
        let first = asked.sessions.first().map_or("", String::as_str);
        return Err(refused(error, entry, first).without_whole().next(sessions));
    }
    let mut opened = Vec::new();
    for handle in &asked.sessions {
        let chosen = within.roots.choose(Some(handle))?;
        let open = within.roots.open(&chosen, Reads::Everything).await?;
        opened.push((chosen, open));
    }
    let Some((last, _)) = opened.last() else {
        return Err(Refusal::new("`sessions` is empty.")
            .hint("Name several sessions, the baseline first.")
            .next(sessions));
    };
    // Of two sessions, the page shows the second with the first as its baseline.
    let link = match &opened[..] {
        [(base, _), (now, _)] if base.root.name == now.root.name => {
            let mut link = within.link(now, "overview", &Vec::new());
            link.push_str("?baseline=");
            link.push_str(&base.summary.key);
            link
        }
        _ => within.link(last, "overview", &Vec::new()),
    };
    let again = Next::new("compare", &[], "the whole answer")
        .with("sessions", json!(asked.sessions))
        .with("question", asked.question.as_str())
        .with("options", Value::Object(asked.options.given().clone()));
    let report = Next::new(
        "report",
        &[("session", &last.handle)],
        "what the last one says",
    );
    let places = opened
        .iter()
        .map(|(chosen, open)| (open.session.name.as_str(), chosen.summary.location.as_str()));
    let names = entry.names(places);
    let held = names
        .into_iter()
        .zip(opened.iter().map(|(_, open)| Arc::clone(open)));
    let held = Held(held.collect());
    let shape = asked.shape.clone();
    let mut whole = Library::compute("The comparison", move || {
        Ok(answer(entry, held, &pairs, &shape, &again))
    })
    .await??;
    whole.next.push(report);
    whole.open = link;
    Ok(whole)
}

fn answer(
    entry: &ComparisonEntry,
    mut held: Held,
    pairs: &Pairs,
    shape: &Shape,
    again: &Next,
) -> Result<Whole, Refusal> {
    let answer = if entry.asks_each() {
        entry.run_pairs_each(&mut held, Vec::new(), borrowed(pairs))
    } else {
        entry.run_pairs(&held.compared(), borrowed(pairs))
    };
    let answer = answer.map_err(|error| {
        refused(error, entry, "").without_whole().next(Next::new(
            "sessions",
            &[],
            "the handles of all sessions",
        ))
    })?;
    let names: Vec<&str> = held.0.iter().map(|(name, _)| name.as_str()).collect();
    let mut whole = Whole::new(format!("{}: {}", entry.name, names.join(", ")), "");
    whole.line(entry.summary);
    push_report(&mut whole, &answer, shape, again)?;
    Ok(whole)
}

fn unknown(name: &str) -> Refusal {
    let names: Vec<String> = COMPARISONS.iter().map(|entry| summary_of(entry)).collect();
    Refusal::new(format!("Unknown question {name:?}."))
        .hint(format!("Questions: {}.", names.join("; ")))
        .next(Next::new("sessions", &[], "the handles of all sessions"))
}
