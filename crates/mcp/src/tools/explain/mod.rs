//! `explain`: everything that is known about one finding, op, slice or gap.

mod about;
mod finding;
mod op;
mod slice;

use schemars::JsonSchema;
use serde::Deserialize;
use stepscope_analysis::{Entry, find};

use super::{Within, ask_about, borrowed, compute};
use crate::asked::Options;
use crate::page::Whole;
use crate::roots::Refusal;
use crate::tables;
use about::About;

/// Arguments of `explain`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// Handle of the session; the latest one without.
    session: Option<String>,
    /// What to explain.
    kind: Kind,
    /// Of a finding its id, of an op its name, of a slice `track/lane/index`, of a gap its number in
    /// `ask` `idle`, from 0.
    id: Id,
    /// Which part of the session, as on the command line.
    #[serde(default)]
    options: Options,
    /// Where an earlier answer to the same call ended.
    #[serde(default)]
    pub(crate) cursor: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    /// Of `report`.
    Finding,
    /// An instruction or kernel.
    Op,
    /// A slice of the timeline.
    Slice,
    /// A time in which a device did nothing.
    Gap,
}

/// A text; numbers may be given as such.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Id {
    Text(String),
    Number(u64),
}

impl Id {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
        }
    }
}

/// Explains one thing.
pub(crate) async fn run(within: &Within<'_>, asked: &Arguments) -> Result<Whole, Refusal> {
    let id = asked.id.text();
    let (analysis, view) = match asked.kind {
        Kind::Finding => ("advice", "advice"),
        Kind::Op => ("ops", "ops"),
        Kind::Slice => ("timeline", "timeline"),
        Kind::Gap => ("idle", "idle"),
    };
    let entry = find(analysis).ok_or_else(|| Refusal::new(format!("There is no {analysis}.")))?;
    let pairs = asked.options.pairs()?;
    let opened = within.open(asked.session.as_deref(), entry, &pairs).await?;
    let handle = opened.handle().to_owned();
    let (kind, selection, name) = (asked.kind, pairs.clone(), id.clone());
    let mut whole = compute("The explanation", &opened.open, move |open| {
        let about = About {
            open,
            handle: &handle,
            pairs: &selection,
        };
        match kind {
            Kind::Finding => finding::explain(&about, &name),
            Kind::Op => op::explain(&about, &name),
            Kind::Slice => slice::explain(&about, &name),
            Kind::Gap => gap(&about, &name, entry),
        }
    })
    .await?;
    let mut shown = pairs;
    if matches!(asked.kind, Kind::Op) {
        shown.push(("match".to_owned(), op::pattern(&id)));
    }
    whole.open = within.link(&opened.chosen, view, &shown);
    Ok(whole)
}

/// A gap, by its number in the list.
fn gap(about: &About<'_>, id: &str, entry: &Entry) -> Result<Whole, Refusal> {
    let again = ask_about(about.handle, "idle", "the gaps, longest first").with("table", "rows");
    let mut pairs = about.pairs.clone();
    pairs.push(("limit".to_owned(), "0".to_owned()));
    let answer = entry.run_pairs(&about.open.session, borrowed(&pairs));
    let answer = answer.map_err(|error| about.refused(error, entry))?;
    let tables = answer.tables();
    let table = tables.iter().find(|table| table.key == "rows");
    let number: Option<usize> = id.parse().ok();
    let row = table
        .zip(number)
        .and_then(|(table, number)| Some((table, table.rows.get(number)?)));
    let (table, row) = row.ok_or_else(|| {
        let count = table.map_or(0, |table| table.rows.len());
        Refusal::new(format!("{id:?} is not the number of a gap."))
            .hint(format!(
                "There are {count}, numbered from 0, longest first."
            ))
            .next(again.clone())
    })?;
    let mut whole = Whole::new(format!("gap {id}"), about.handle);
    tables::push_facts(&mut whole, &table.columns, row);
    let causes = tables.iter().find(|table| table.key == "causes");
    if let Some(causes) = causes {
        let pushed = tables::push(&mut whole, causes, &tables::Columns::Essential, Some(8));
        pushed.map_err(Refusal::new)?;
    }
    whole.next.push(again);
    Ok(whole)
}
