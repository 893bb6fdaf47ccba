//! `ask`: any analysis of one session.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use stepscope_analysis::{ANALYSES, Answer, Cell, Entry, find};

use super::{Within, ask_about, borrowed, compute, push_report, summary_of};
use crate::asked::{Options, Shape, refused};
use crate::page::{Next, Whole};
use crate::roots::Refusal;

/// Arguments of `ask`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Arguments {
    /// Handle of the session; the latest one without.
    session: Option<String>,
    /// The analysis.
    analysis: String,
    /// Its options, as on the command line.
    #[serde(default)]
    options: Options,
    /// What to show of the answer.
    #[serde(flatten)]
    pub(crate) shape: Shape,
}

/// Runs an analysis.
pub(crate) async fn run(within: &Within<'_>, asked: &Arguments) -> Result<Whole, Refusal> {
    let entry = find(&asked.analysis).ok_or_else(|| unknown(&asked.analysis))?;
    answer(
        within,
        asked.session.as_deref(),
        entry,
        &asked.options,
        &asked.shape,
    )
    .await
}

/// The answer of an analysis.
pub(super) async fn answer(
    within: &Within<'_>,
    session: Option<&str>,
    entry: &'static Entry,
    options: &Options,
    shape: &Shape,
) -> Result<Whole, Refusal> {
    let pairs = options.pairs()?;
    let opened = within.open(session, entry, &pairs).await?;
    let handle = opened.handle().to_owned();
    let again = ask_about(&handle, entry.name, "the whole answer");
    let again = if options.given().is_empty() {
        again
    } else {
        again.with("options", Value::Object(options.given().clone()))
    };
    let (shape, of) = (shape.clone(), handle.clone());
    let asked = pairs.clone();
    let place = format!("The analysis {}", entry.name);
    let mut whole = compute(&place, &opened.open, move |open| {
        let answer = entry.run_pairs(&open.session, borrowed(&asked));
        let answer = answer.map_err(|error| refused(error, entry, &of))?;
        let given: Vec<String> = asked
            .iter()
            .map(|(name, value)| format!(" --{name} {value}"))
            .collect();
        let mut whole = Whole::new(format!("{}{}", entry.name, given.concat()), &of);
        whole.line(entry.summary);
        push_report(&mut whole, &answer, &shape, &again)?;
        whole.next.extend(after(entry.name, &answer, &of));
        Ok(whole)
    })
    .await?;
    whole.open = within.link(&opened.chosen, entry.name, &pairs);
    Ok(whole)
}

/// What is worth asking after an answer.
fn after(analysis: &str, answer: &Answer, session: &str) -> Vec<Next> {
    let explain = |kind: &str, id: String, why: &str| {
        let next = Next::new("explain", &[("session", session), ("kind", kind)], why);
        next.with("id", id)
    };
    let first = |key: &str| {
        let tables = answer.tables();
        let table = tables.into_iter().find(|table| !table.rows.is_empty())?;
        let at = table.columns.iter().position(|column| column.key == key)?;
        match &table.rows[0][at] {
            Cell::Text(text) if !text.is_empty() => Some(text.clone()),
            Cell::Int(number) => Some(number.to_string()),
            _ => None,
        }
    };
    let of_first = match analysis {
        "ops" => first("name").map(|name| explain("op", name, "the op with the most time")),
        "idle" => (answer.tables().iter())
            .any(|table| table.key == "rows" && !table.rows.is_empty())
            .then(|| explain("gap", "0".to_owned(), "the longest gap")),
        _ => None,
    };
    let general = match analysis {
        "overview" | "advice" | "verdict" => None,
        _ => Some(Next::new(
            "report",
            &[("session", session)],
            "the findings of the session, by what they save",
        )),
    };
    of_first.into_iter().chain(general).collect()
}

pub(super) fn unknown(name: &str) -> Refusal {
    let names: Vec<String> = ANALYSES.iter().map(|entry| summary_of(entry)).collect();
    Refusal::new(format!("Unknown analysis {name:?}."))
        .hint(format!("Analyses: {}.", names.join("; ")))
        .next(Next::new(
            "ask",
            &[("analysis", "overview")],
            "step time, and where it goes",
        ))
}
