//! What to change first: the findings of `advice` that save the most time, as a section of the
//! report.

use stepscope_analysis::Analysis;
use stepscope_analysis::judging::advice::{Advice, AdviceFinding, AdviceOptions};
use stepscope_analysis::telling::format as figures;
use stepscope_model::Session;

use crate::format::{self, Charset};
use crate::page::{self, BOLD, FAINT};

/// Maximum number of findings on the screen.
const FINDINGS: usize = 3;
/// `up to 12.34 ms  ` before a finding.
const GAIN_WIDTH: usize = 16;

/// The section; empty where there is nothing to change.
pub(super) fn findings(
    session: &Session,
    options: &AdviceOptions,
    width: usize,
    charset: Charset,
) -> Vec<String> {
    // A selection that the overview accepts is one that advice accepts: errors were already
    // reported.
    let Ok(report) = Advice::run(session, options) else {
        return Vec::new();
    };
    let all = report.findings.len();
    if all == 0 {
        return Vec::new();
    }
    let more = match all.saturating_sub(FINDINGS) {
        0 => String::new(),
        more => format!("  {FAINT}{more} more with `stepscope advice`{FAINT:#}"),
    };
    let mut lines = vec![format!("{}{more}", page::heading("What to change first"))];
    for finding in report.findings.iter().take(FINDINGS) {
        lines.push(finding_line(finding, width, charset));
    }
    lines
}

/// `  saves 12.34 ms  Input: host-2 waits for its data …`
fn finding_line(finding: &AdviceFinding, width: usize, charset: Charset) -> String {
    let gain = finding
        .gain_ps_per_step
        .filter(|&gain| gain > 0.0)
        .map(|gain| {
            let word = if finding.is_replayed {
                "saves"
            } else {
                "up to"
            };
            charset.text(&format!("{word} {}", figures::duration_ps(gain)))
        })
        .unwrap_or_default();
    let gap = " ".repeat(GAIN_WIDTH.saturating_sub(format::width(&gain)));
    let room = width.saturating_sub(GAIN_WIDTH + 2).max(20);
    let text = format!("{}: {}", finding.title, finding.what);
    let text = format::ended(&charset.text(&format::one_line(&text)), room, charset);
    format!("  {BOLD}{gain}{BOLD:#}{gap}{text}")
}
