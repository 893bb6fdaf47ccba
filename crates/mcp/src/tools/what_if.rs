//! `what_if`: how long steps would take with changes.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use stepscope_analysis::find;

use super::Within;
use super::ask::answer;
use crate::asked::{Options, Shape, read};
use crate::page::Whole;
use crate::roots::Refusal;

/// Arguments of `what_if`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Arguments {
    /// Handle of the session; the latest one without.
    session: Option<String>,
    /// What would be different: `remove:PATTERN`, `hide:PATTERN`, `scale:PATTERN:FACTOR` (ops whose
    /// name, category, scope or source matches; or `collectives`, `copies`, `compute`),
    /// `expected:PATTERN`, `overlap`, `network:FACTOR`, `align`, `no-input-wait`, `no-waits` (hosts
    /// launch ahead of devices), `no-launch-gaps`, `no-host:CAUSE`. Without: the largest single
    /// causes.
    #[serde(default)]
    changes: Vec<String>,
    /// Which part of the session.
    #[serde(default)]
    options: Options,
    /// What to show of the answer.
    #[serde(flatten)]
    pub(crate) shape: Shape,
}

/// Replays the session with the changes.
pub(crate) async fn run(within: &Within<'_>, asked: &Arguments) -> Result<Whole, Refusal> {
    let entry = find("what_if")
        .ok_or_else(|| Refusal::new("This version of Stepscope does not replay changes."))?;
    let mut given = asked.options.given().clone();
    if !asked.changes.is_empty() {
        given.insert("change".to_owned(), json!(asked.changes));
    }
    let options: Options = read(given)?;
    answer(
        within,
        asked.session.as_deref(),
        entry,
        &options,
        &asked.shape,
    )
    .await
}
