//! A finding of `report`: why, what to change, and its evidence.

use stepscope_analysis::Analysis as _;
use stepscope_analysis::judging::advice::{Advice, AdviceEvidence, AdviceFinding};
use stepscope_analysis::judging::verdict::{Finding, Verdict, VerdictOptions};
use stepscope_analysis::telling::format::{duration_ps, percent};
use stepscope_analysis::{AnalysisError, find};

use super::about::{About, Explained};
use super::evidence::{self, shown_at};
use crate::asked::options;
use crate::page::{Next, Whole};
use crate::roots::Refusal;
use crate::tables::rounded;

/// Calls that lead to evidence.
const CALLS: usize = 4;

pub(super) fn explain(about: &About<'_>, id: &str) -> Result<Explained, Refusal> {
    let session = &about.open.session;
    let entry = find(Advice::NAME).ok_or_else(|| Refusal::new("There is no advice."))?;
    let computed = AnalysisError::unless_changed(session, || {
        let options = options::<Advice>(about.pairs)?;
        let capture = Verdict::run(session, &VerdictOptions::default())?;
        Ok((Advice::run(session, &options)?, capture))
    });
    let (advice, capture) = computed.map_err(|error| about.refused(error, entry))?;
    let mut whole = Whole::new(format!("finding {id}"), about.handle);
    // What another finding explains is asked for by its own name, too.
    let all = || {
        let findings = advice.findings.iter();
        findings.flat_map(|one| std::iter::once(one).chain(&one.also_seen_as))
    };
    let found = || all().filter(|finding| finding.id == id);
    for finding in found() {
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
        let ids = all().map(|finding| &*finding.id);
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
    let shown = found()
        .flat_map(|finding| &finding.evidence)
        .find_map(shown_at);
    let (view, parameters) = shown.unwrap_or_else(|| (Advice::NAME.to_owned(), Vec::new()));
    Ok(Explained {
        whole,
        view,
        parameters,
    })
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
    for one in &finding.also_seen_as {
        whole.line(&format!("Also seen as {}: {}", one.id, one.what));
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
    for next in evidence::calls(evidence, about) {
        if whole.next.len() < CALLS && !whole.next.contains(&next) {
            whole.next.push(next);
        }
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
