//! A result as JUnit XML: one test case per budget.

use std::fmt::Write;

use stepscope_analysis::comparing::check::{CheckVerdict, CheckedBudget};
use stepscope_analysis::telling::escape::html as escaped;

use super::told::Told;

/// The file.
pub(super) fn text(result: &Told<'_>) -> String {
    let report = result.report;
    let count = |verdict: CheckVerdict| {
        let rows = report.rows.iter();
        rows.filter(|row| row.verdict == verdict).count()
    };
    // What may be unknown and is unknown is skipped; otherwise it is an error, not a failure.
    let unknown = count(CheckVerdict::Unknown);
    let is_allowed = report.is_passed && unknown > 0;
    let (errors, skipped) = if is_allowed {
        (0, unknown)
    } else {
        (unknown, 0)
    };
    let counts = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"0\"",
        report.rows.len(),
        count(CheckVerdict::Broken)
    );
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"stepscope check\" {counts}>\n  \
         <testsuite name=\"{}\" {counts}>\n    <properties>\n",
        escaped(&report.session)
    );
    let mut property = |name: &str, value: &str| {
        let value = escaped(value);
        let _ = writeln!(text, "      <property name=\"{name}\" value=\"{value}\"/>");
    };
    property("conclusion", &report.conclusion);
    property("baselines", &report.baselines.join(", "));
    property("command", &result.command);
    text.push_str("    </properties>\n");
    for row in &report.rows {
        push_case(&mut text, result, row, is_allowed);
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

fn push_case(text: &mut String, result: &Told<'_>, row: &CheckedBudget, is_allowed: bool) {
    let causes = &result.report.causes;
    let place = result
        .places
        .find(row, causes)
        .map_or_else(String::new, |place| {
            format!(" file=\"{}\" line=\"{}\"", escaped(&place.file), place.line)
        });
    let _ = writeln!(
        text,
        "    <testcase classname=\"stepscope.check\" name=\"{}\"{place} time=\"0\">",
        escaped(&row.budget)
    );
    let message = escaped(&row.text);
    let _ = match row.verdict {
        CheckVerdict::Passed => writeln!(text, "      <system-out>{message}</system-out>"),
        CheckVerdict::WithinNoise => {
            writeln!(
                text,
                "      <system-out>within noise: {message}</system-out>"
            )
        }
        CheckVerdict::Unknown if is_allowed => {
            writeln!(text, "      <skipped message=\"{message}\"/>")
        }
        CheckVerdict::Unknown => {
            writeln!(
                text,
                "      <error type=\"unknown\" message=\"{message}\"/>"
            )
        }
        CheckVerdict::Broken => {
            let why = causes.iter().map(|cause| escaped(&cause.text));
            let why: Vec<String> = std::iter::once(message.clone()).chain(why).collect();
            writeln!(
                text,
                "      <failure type=\"broken\" message=\"{message}\">{}</failure>",
                why.join("\n")
            )
        }
    };
    text.push_str("    </testcase>\n");
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn what_xml_reads_is_escaped() {
        assert_eq!(
            escaped("op:gemm<1,2>=\"a&b\"\u{1b}\n"),
            "op:gemm&lt;1,2&gt;=&quot;a&amp;b&quot;\\u{1b} "
        );
    }
}
