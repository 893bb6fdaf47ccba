//! `report`: what a session says on one page, and what to change first.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use stepscope_analysis::asking::Report as _;
use stepscope_analysis::judging::advice::{Advice, AdviceFinding, AdviceOptions};
use stepscope_analysis::judging::verdict::{Finding, Verdict as Capture, VerdictOptions};
use stepscope_analysis::telling::format::{duration_ps, percent};
use stepscope_analysis::telling::thresholds::VerdictKind;
use stepscope_analysis::views::overview::{Overview, OverviewOptions};
use stepscope_analysis::{Analysis, AnalysisError, find};
use stepscope_model::Session;

use super::{Pairs, Within, ask_about, borrowed, compute, figures, push_notes};
use crate::asked::{Options, options, refused};
use crate::page::{Block, Next, Whole, plain};
use crate::roots::Refusal;
use crate::tables::{self, Columns, rounded};

/// Arguments of `report`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Arguments {
    /// Handle of the session; the latest one without.
    session: Option<String>,
    /// Which part of it, as on the command line.
    options: Options,
    /// Where an earlier answer to the same call ended.
    pub(crate) cursor: Option<String>,
}

/// Findings of which the next call is named.
const NAMED: usize = 3;

/// Says what a session says.
pub(crate) async fn run(within: &Within<'_>, asked: &Arguments) -> Result<Whole, Refusal> {
    let pairs = asked.options.pairs()?;
    let entry = find(Overview::NAME).ok_or_else(|| Refusal::new("There is no overview."))?;
    let opened = within.open(asked.session.as_deref(), entry, &pairs).await?;
    let handle = opened.handle().to_owned();
    let selection = pairs.clone();
    let mut whole = compute("The report", &opened.open, move |open| {
        let matches = entry.matches(borrowed(&selection));
        let built = matches.and_then(|_| build(&open.session, &handle, &selection));
        built.map_err(|error| refused(error, entry, &handle))
    })
    .await?;
    whole.open = within.link(&opened.chosen, Overview::NAME, &pairs);
    Ok(whole)
}

fn build(session: &Session, handle: &str, pairs: &Pairs) -> Result<Whole, AnalysisError> {
    let mut whole = Whole::new(format!("report of {}", session.name), handle);
    let has_time = !session.is_memory_only() && !session.is_program_only();
    if has_time {
        let options: OverviewOptions = options::<Overview>(pairs)?;
        let overview = AnalysisError::unless_changed(session, || Overview::run(session, &options))?;
        if !overview.headline.is_empty() {
            whole.line(&overview.headline);
        }
        for (name, value) in overview.headline() {
            whole.told(&name, &value);
        }
        for verdict in &overview.verdicts {
            let word = word(verdict.verdict);
            if let Some((value, word)) = verdict.value.zip(word) {
                let shown = figures::shown(&verdict.key, value);
                whole.line(&format!(
                    "{word}: {} {shown} ({})",
                    verdict.title,
                    verdict.judged_in_words()
                ));
            }
        }
        push_findings(&mut whole, session, handle, pairs)?;
        for table in overview.tables() {
            if ["step_parts", "top_ops"].contains(&table.key) {
                let pushed = tables::push(&mut whole, &table, &Columns::Essential, Some(10));
                pushed.map_err(AnalysisError::Internal)?;
            }
        }
        push_notes(&mut whole, &overview.notes);
        whole
            .next
            .push(ask_about(handle, "ops", "the ops by self time"));
    } else {
        let analysis = if session.is_memory_only() {
            "heap"
        } else {
            "buffers"
        };
        push_findings(&mut whole, session, handle, pairs)?;
        whole
            .next
            .push(ask_about(handle, analysis, "memory, by who holds it"));
    }
    Ok(whole)
}

const fn word(verdict: VerdictKind) -> Option<&'static str> {
    match verdict {
        VerdictKind::Bad => Some("bad"),
        VerdictKind::Warning => Some("warning"),
        VerdictKind::Good => Some("good"),
        VerdictKind::Unknown | VerdictKind::Neutral => None,
    }
}

/// What is wrong with the capture, and what to change in the program.
fn push_findings(
    whole: &mut Whole,
    session: &Session,
    handle: &str,
    pairs: &Pairs,
) -> Result<(), AnalysisError> {
    let of_program: AdviceOptions = options::<Advice>(pairs)?;
    let of_capture: VerdictOptions = options::<Capture>(&Vec::new())?;
    let (advice, capture) = AnalysisError::unless_changed(session, || {
        Ok((
            Advice::run(session, &of_program)?,
            Capture::run(session, &of_capture)?,
        ))
    })?;
    for finding in &advice.findings {
        whole.blocks.push(advised(finding));
    }
    let known = |one: &&Finding| !advice.findings.iter().any(|other| other.id == one.id);
    for finding in capture.findings.iter().filter(known) {
        whole.blocks.push(of_the_capture(finding));
    }
    if advice.findings.is_empty() {
        whole.line(&format!(
            "Nothing to change was found by {} checks.",
            advice.passed.len()
        ));
    }
    let explain = |id: &str| {
        let next = Next::new("explain", &[("session", handle), ("kind", "finding")], "");
        Next {
            why: format!("why, what to change, and the evidence of {id}"),
            ..next.with("id", id)
        }
    };
    let mut named: Vec<&str> = advice.findings.iter().map(|finding| &*finding.id).collect();
    named.dedup();
    whole
        .next
        .extend(named.into_iter().take(NAMED).map(explain));
    let change = advice
        .findings
        .iter()
        .find(|finding| !finding.change.is_empty());
    if let Some(finding) = change {
        let next = Next::new(
            "what_if",
            &[("session", handle)],
            "the step time without this cause",
        );
        whole
            .next
            .push(next.with("changes", json!([finding.change])));
    }
    Ok(())
}

fn advised(finding: &AdviceFinding) -> Block {
    let severity = finding.severity.word();
    let mut json = Map::new();
    let mut put = |name: &str, value: Value| drop(json.insert(name.to_owned(), value));
    let (title, what) = (plain(&finding.title, 120), plain(&finding.what, 500));
    put("id", Value::from(finding.id.as_str()));
    put("of", Value::from("program"));
    put("severity", Value::from(severity));
    put("title", Value::from(title.as_str()));
    put("what", Value::from(what.as_str()));
    let mut text = format!("[{severity}] {title} (finding {}): {what}", finding.id);
    if let Some(gain) = finding.gain_ps_per_step {
        put("gain_ps_per_step", rounded(gain));
        put("is_replayed", Value::from(finding.is_replayed));
        let share = finding
            .gain_ratio
            .map(|ratio| format!(", {}", percent(ratio)));
        let how = match finding.gain_word() {
            "saves" => "saves",
            _ => "saves up to",
        };
        let _ = write!(
            text,
            " {how} {} per step{}",
            duration_ps(gain),
            share.unwrap_or_default()
        );
    }
    if !finding.change.is_empty() {
        put("change", Value::from(finding.change.as_str()));
    }
    Block::Finding(Value::Object(json), text)
}

fn of_the_capture(finding: &Finding) -> Block {
    let severity = finding.severity.word();
    let what = plain(&finding.what, 500);
    let json = json!({ "id": finding.id, "of": "capture", "severity": severity, "what": what });
    Block::Finding(
        json,
        format!(
            "[{severity}] of the capture (finding {}): {what}",
            finding.id
        ),
    )
}
