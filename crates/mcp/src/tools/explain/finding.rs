//! A finding of `report`: why, what to change, and its evidence.

use stepscope_analysis::Analysis as _;
use stepscope_analysis::judging::advice::{Advice, AdviceEvidence, AdviceFinding, AdviceOptions};
use stepscope_analysis::judging::verdict::{Finding, Verdict, VerdictOptions};
use stepscope_analysis::telling::format::{duration_ps, percent};
use stepscope_analysis::{AnalysisError, find};

use super::about::About;
use crate::page::{Next, Whole};
use crate::roots::Refusal;
use crate::tables::rounded;
use crate::tools::{ask_about, borrowed};

/// Calls that lead to evidence.
const CALLS: usize = 4;

pub(super) fn explain(about: &About<'_>, id: &str) -> Result<Whole, Refusal> {
    let session = &about.open.session;
    let entry = find(Advice::NAME).ok_or_else(|| Refusal::new("There is no advice."))?;
    let computed = AnalysisError::unless_changed(session, || {
        let matches = entry.matches(borrowed(about.pairs))?;
        let options = <AdviceOptions as clap::FromArgMatches>::from_arg_matches(&matches);
        let options = options.map_err(|error| AnalysisError::Options(error.to_string()))?;
        let capture = Verdict::run(session, &VerdictOptions::default())?;
        Ok((Advice::run(session, &options)?, capture))
    });
    let (advice, capture) = computed.map_err(|error| about.refused(error, entry))?;
    let mut whole = Whole::new(format!("finding {id}"), about.handle);
    for finding in advice.findings.iter().filter(|finding| finding.id == id) {
        push(&mut whole, finding, about);
    }
    if whole.blocks.is_empty() {
        for finding in capture.findings.iter().filter(|finding| finding.id == id) {
            push_of_capture(&mut whole, finding);
        }
    }
    // A check that found nothing is an answer too.
    let checks = advice.passed.iter().chain(&advice.skipped);
    for check in checks.filter(|check| check.id == id) {
        whole.line(&format!("{}: {}", check.title, check.text));
    }
    let report = Next::new("report", &[("session", about.handle)], "all findings");
    if whole.blocks.is_empty() {
        let ids = advice.findings.iter().map(|finding| &*finding.id);
        let mut ids: Vec<&str> = ids
            .chain(capture.findings.iter().map(|one| &*one.id))
            .collect();
        ids.dedup();
        let hint = match ids.len() {
            0 => "The session has no findings.".to_owned(),
            _ => format!("Its findings are {}.", ids.join(", ")),
        };
        let error = format!("Unknown finding {id:?}.");
        return Err(Refusal::new(error).hint(hint).next(report));
    }
    whole.next.push(report);
    Ok(whole)
}

fn push(whole: &mut Whole, finding: &AdviceFinding, about: &About<'_>) {
    whole.line(&format!("[{}] {}", finding.severity.word(), finding.title));
    for (name, text) in [
        ("What", &finding.what),
        ("Why", &finding.why),
        ("Change", &finding.fix),
    ] {
        if !text.is_empty() {
            whole.line(&format!("{name}: {text}"));
        }
    }
    finding
        .code
        .lines()
        .for_each(|line| whole.line(&format!("    {line}")));
    if let Some(gain) = finding.gain_ps_per_step {
        whole.fact("gain_ps_per_step", rounded(gain), &duration_ps(gain));
    }
    if let Some(ratio) = finding.gain_ratio {
        whole.fact("gain_ratio", rounded(ratio), &percent(ratio));
    }
    for (name, bound) in [
        ("low_gain_ps_per_step", finding.low_gain_ps_per_step),
        ("high_gain_ps_per_step", finding.high_gain_ps_per_step),
    ] {
        if let Some(bound) = bound {
            whole.fact(name, rounded(bound), &duration_ps(bound));
        }
    }
    whole.told("how the gain was estimated", &finding.estimate);
    whole.told("confidence", finding.confidence.name());
    if !finding.overlaps.is_empty() {
        whole.told("may be the same time as", &finding.overlaps.join(", "));
    }
    for evidence in &finding.evidence {
        push_evidence(whole, evidence, about);
    }
    if !finding.change.is_empty() {
        let next = Next::new(
            "what_if",
            &[("session", about.handle)],
            "the step time without it",
        );
        whole
            .next
            .push(next.with("changes", vec![finding.change.clone()]));
    }
}

fn push_evidence(whole: &mut Whole, evidence: &AdviceEvidence, about: &About<'_>) {
    let source = match &*evidence.source {
        "" => String::new(),
        source => format!(" ({source})"),
    };
    whole.line(&format!("Evidence: {}{source}", evidence.text));
    if whole.next.len() >= CALLS {
        return;
    }
    let next = if evidence.op.is_empty() {
        let known = find(&evidence.view).filter(|entry| entry.name != "timeline");
        known.map(|entry| ask_about(about.handle, entry.name, "the view that shows the evidence"))
    } else {
        let is_op = evidence.view != "kernels" && !evidence.program_id.is_empty();
        is_op.then(|| about.next("op", evidence.op.clone(), "the op of the evidence"))
    };
    if let Some(next) = next.filter(|next| !whole.next.contains(next)) {
        whole.next.push(next);
    }
}

fn push_of_capture(whole: &mut Whole, finding: &Finding) {
    whole.line(&format!("[{}] {}", finding.severity.word(), finding.what));
    for (name, text) in [("Why", &finding.why), ("Change", &finding.fix)] {
        if !text.is_empty() {
            whole.line(&format!("{name}: {text}"));
        }
    }
}
