//! `missing_hlo`: programs ran whose HLO is not in the profile.

use stepscope_model::Program;

use super::Rule;
use crate::judging::verdict::evidence::{Evidence, listed, short};
use crate::judging::verdict::report::{Finding, Severity};
use crate::telling::format;

pub(super) const RULE: Rule = Rule {
    ids: &["missing_hlo"],
    look,
};

fn look(evidence: &Evidence<'_>, _: &[Finding]) -> Vec<Finding> {
    let session = evidence.session;
    let mut has_run = vec![false; session.programs.len()];
    for run in &session.program_runs {
        has_run[run.program.index()] = true;
    }
    for (has_run, is_trial) in has_run.iter_mut().zip(Program::trials(&session.programs)) {
        *has_run &= !is_trial;
    }
    let ran = session.programs.iter().zip(&has_run);
    let ran = ran.filter(|(_, has_run)| **has_run);
    let missing: Vec<String> = ran
        .clone()
        .filter(|(program, _)| program.hlo.is_none())
        .map(|(program, _)| short(&program.title()))
        .collect();
    if missing.is_empty() {
        return Vec::new();
    }
    let names: Vec<&str> = missing.iter().map(String::as_str).collect();
    let what = format!(
        "{} of {} ran without HLO in the profile: {}.",
        format::counted(missing.len(), "program"),
        ran.count(),
        listed(&names)
    );
    vec![
        Finding::new("missing_hlo", Severity::Warning, what)
            .why(
                "Without HLO, ops have no source line, scope or FLOPs, except for what the device \
             itself recorded.",
            )
            .fix("Keep the default, `options.enable_hlo_proto = True`."),
    ]
}
