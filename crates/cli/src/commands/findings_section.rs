//! What to change first: the findings of `advice` that save the most time, as a section of the
//! report.

use stepscope_analysis::Analysis;
use stepscope_analysis::judging::advice::{Advice, AdviceFinding, AdviceOptions};
use stepscope_analysis::telling::format as figures;
use stepscope_model::Session;

use crate::format::{self, Charset};
use crate::page::{self, BOLD, FAINT};
use crate::pasted::Pasted;

/// Maximum number of findings on the screen.
const FINDINGS: usize = 3;
/// Share of the step below which a gain is not worth a line of the first screen.
const CRUMB: f64 = 0.01;
/// `up to 12.34 ms  ` before a finding.
const GAIN_WIDTH: usize = 16;

const TITLE: &str = "What to change first";

/// The section; empty where there is nothing to change.
pub(super) fn findings(
    session: &Session,
    options: &AdviceOptions,
    (width, charset): (usize, Charset),
    pasted: &Pasted,
) -> Vec<String> {
    // A selection that the overview accepts is one that advice accepts: errors were already
    // reported.
    let Ok(report) = Advice::run(session, options) else {
        return Vec::new();
    };
    let shown = first(&report.findings);
    let more = match report.findings.len() - shown.len() {
        0 if shown.is_empty() => return Vec::new(),
        0 => String::new(),
        more => {
            let more = pasted.line(&format!("{more} more with"), "advice");
            format!("  {FAINT}{more}{FAINT:#}")
        }
    };
    let mut lines = vec![format!("{}{more}", page::heading(TITLE))];
    if shown.is_empty() {
        lines.push(format!("  Nothing that saves {}.", figures::percent(CRUMB)));
    }
    for finding in shown {
        lines.push(finding_line(finding, width, charset));
    }
    lines
}

/// The findings for the first screen: none whose gain is a crumb. Some, such as full memory, have no
/// gain.
fn first(findings: &[AdviceFinding]) -> Vec<&AdviceFinding> {
    let counts = |finding: &&AdviceFinding| finding.gain_ratio.is_none_or(|ratio| ratio >= CRUMB);
    findings.iter().filter(counts).take(FINDINGS).collect()
}

/// `  saves 12.34 ms  Input: host-2 waits for its data …`
fn finding_line(finding: &AdviceFinding, width: usize, charset: Charset) -> String {
    let gain = finding
        .gain_ps_per_step
        .filter(|&gain| gain > 0.0)
        .map(|gain| {
            let word = finding.gain_word();
            charset.text(&format!("{word} {}", figures::duration_ps(gain)))
        })
        .unwrap_or_default();
    let gap = " ".repeat(GAIN_WIDTH.saturating_sub(format::width(&gain)));
    let room = width.saturating_sub(GAIN_WIDTH + 2).max(20);
    let text = format!("{}: {}", finding.title, finding.what);
    let text = format::ended(&charset.text(&format::one_line(&text)), room, charset);
    format!("  {BOLD}{gain}{BOLD:#}{gap}{text}")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use stepscope_model::ingest::{HostInput, ingest};
    use stepscope_testing::drawing;

    use super::*;

    /// Steps that wait for data, and a product of f32 that takes half a percent of them.
    const PROFILE: &str = "host vm
        plane /host:metadata [jax_version=\"0.10.2\" gpu_version=\"cuda 12090\"]
        device gpu:0 nvidia H100
        stream 7 Compute
        each [hlo_op=$name hlo_module=jit_step program_id=5 correlation_id=$i]
        repeat 6 every 1000us
          2..6us dot.1
        end
        thread python
        repeat 6 every 1000us
          0..999us train #step_num=$i,_r=1#
          0..1us cuLaunchKernel [correlation_id=$i]
          10..998us data_loading
        end
        program 5 jit_step
          p.0 = f32[64,64] parameter(0)
          dot.1 = f32[64,64] dot(p.0, p.0)";

    #[test]
    fn crumbs_are_not_on_the_first_screen() {
        let host = HostInput {
            host: "vm".to_owned(),
            bytes: Arc::new(drawing::draw(PROFILE).expect("well formed").to_bytes()),
            problem: None,
        };
        let session = ingest("drawing", vec![host]).expect("a profile");
        let options = AdviceOptions::default();
        let all = Advice::run(&session, &options).expect("a report").findings;
        assert!(all.iter().any(|one| one.id == "float32_matmul"));
        let lines = findings(
            &session,
            &options,
            (100, Charset::Unicode),
            &Pasted::default(),
        );
        assert!(lines[1].contains("Waiting for input"), "{lines:?}");
        assert!(!lines.concat().contains("f32"), "{lines:?}");
        assert!(lines[0].contains("more with"), "{lines:?}");
    }
}
