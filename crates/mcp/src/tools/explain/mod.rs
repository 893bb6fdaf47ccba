//! `explain`: everything that is known about one finding, op, slice or gap.

mod about;
mod evidence;
mod finding;
mod gap;
mod op;
mod place;
mod slice;

use schemars::JsonSchema;
use serde::Deserialize;
use stepscope_analysis::find;

use super::{Within, compute};
use crate::asked::Options;
use crate::page::Whole;
use crate::roots::Refusal;
use about::About;

/// Arguments of `explain`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// Handle of the session; the latest one without.
    session: Option<String>,
    /// What to explain.
    kind: Kind,
    /// Of a finding its id, of an op its name, of a slice its address `track/lane/index` (answers have
    /// it as `slice`), of a gap its number in `ask` `idle`, from 0.
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
    let analysis = match asked.kind {
        Kind::Finding => "advice",
        Kind::Op => "ops",
        Kind::Slice => "timeline",
        Kind::Gap => "idle",
    };
    let entry = find(analysis).ok_or_else(|| Refusal::new(format!("There is no {analysis}.")))?;
    let mut pairs = asked.options.pairs()?;
    let opened = within.open(asked.session.as_deref(), entry, &pairs).await?;
    let handle = opened.handle().to_owned();
    let (kind, selection) = (asked.kind, pairs.clone());
    let explained = compute("The explanation", &opened.open, move |open| {
        let about = About {
            open,
            handle: &handle,
            pairs: &selection,
        };
        match kind {
            Kind::Finding => finding::explain(&about, &id),
            Kind::Op => op::explain(&about, &id),
            Kind::Slice => slice::explain(&about, &id),
            Kind::Gap => gap::explain(&about, &id, entry),
        }
    })
    .await?;
    pairs.extend(explained.parameters);
    let mut whole = explained.whole;
    whole.open = within.link(&opened.chosen, &explained.view, &pairs);
    Ok(whole)
}
