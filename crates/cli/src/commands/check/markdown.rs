//! A result as Markdown, for a pull request comment: the verdict, the budgets, why, and what else
//! differs. The first line lets a bot find its own comment again.

use std::fmt::Write;

use stepscope_analysis::Cell;
use stepscope_analysis::asking::Report;
use stepscope_analysis::comparing::check::{CheckReport, CheckVerdict, CheckedBudget};
use stepscope_analysis::telling::escape::markdown as escaped;

use super::told::Told;

/// Maximum number of causes listed.
const CAUSES: usize = 8;

/// The comment.
pub(super) fn text(result: &Told<'_>) -> String {
    let report = result.report;
    let mut text = String::from("<!-- stepscope check -->\n");
    let mark = if report.is_passed { "✅" } else { "❌" };
    let _ = writeln!(text, "### {mark} {}\n", escaped(&report.conclusion));
    if !report.comparison.is_empty() {
        let _ = writeln!(text, "{}\n", escaped(&report.comparison));
    }
    push_budgets(&mut text, report);
    let noted = report
        .rows
        .iter()
        .filter(|row| row.verdict != CheckVerdict::Passed);
    let noted: Vec<&CheckedBudget> = noted.collect();
    if !noted.is_empty() {
        text.push('\n');
    }
    for row in noted {
        let _ = writeln!(text, "- `{}`: {}", code(&row.budget), escaped(&row.text));
    }
    push_causes(&mut text, report);
    push_environment(&mut text, report);
    let _ = writeln!(text, "\n<details><summary>Command</summary>\n");
    let _ = writeln!(text, "```sh\n{}\n```\n\n</details>", result.command);
    text
}

fn push_budgets(text: &mut String, report: &CheckReport) {
    text.push_str("| | Budget | Baseline | Limit | Value | Change |\n|---|---|--:|--:|--:|--:|\n");
    let tables = report.tables();
    let Some(table) = tables.first() else { return };
    let column = |key: &str| table.columns.iter().position(|column| column.key == key);
    for (row, cells) in report.rows.iter().zip(&table.rows) {
        let mark = match row.verdict {
            CheckVerdict::Passed => "✅ passed",
            CheckVerdict::WithinNoise => "⚠️ within noise",
            CheckVerdict::Unknown => "❔ unknown",
            CheckVerdict::Broken => "❌ broken",
        };
        let cell = |key: &str| match column(key).and_then(|at| cells.get(at)) {
            Some(Cell::Text(value)) => escaped(value),
            _ => "–".to_owned(),
        };
        let change = match (row.ratio, row.difference) {
            (Some(ratio), _) => {
                let sign = if ratio < 0.0 { "−" } else { "+" };
                format!(
                    "{sign}{}",
                    stepscope_analysis::telling::format::percent(ratio.abs())
                )
            }
            (None, Some(_)) => cell("difference_text"),
            (None, None) => "–".to_owned(),
        };
        let _ = writeln!(
            text,
            "| {mark} | `{}` | {} | {} | {} | {change} |",
            code(&row.budget).replace('|', "\\|"),
            cell("baseline_text"),
            cell("limit_text"),
            cell("value_text")
        );
    }
}

fn push_causes(text: &mut String, report: &CheckReport) {
    if report.causes.is_empty() || report.verdict == CheckVerdict::Passed {
        return;
    }
    text.push_str("\n**Why the step differs**\n\n");
    for cause in report.causes.iter().take(CAUSES) {
        let _ = writeln!(text, "- {}", escaped(&cause.text));
    }
    if let Some(more) = report
        .causes
        .len()
        .checked_sub(CAUSES)
        .filter(|&more| more > 0)
    {
        let _ = writeln!(text, "- and {more} more");
    }
}

fn push_environment(text: &mut String, report: &CheckReport) {
    if report.environment.is_empty() {
        return;
    }
    let facts = stepscope_analysis::telling::format::counted(report.environment.len(), "fact");
    let _ = writeln!(
        text,
        "\n<details><summary>The environment differs in {facts}</summary>\n\n\
         | Fact | Baseline | Session |\n|---|---|---|"
    );
    for fact in &report.environment {
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            escaped(&fact.name),
            escaped(&fact.baseline),
            escaped(&fact.other)
        );
    }
    text.push_str("\n</details>\n");
}

/// Text as inline code.
fn code(text: &str) -> String {
    text.replace(['`', '\n', '\r'], "'")
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn what_markdown_reads_is_escaped() {
        assert_eq!(
            escaped("a|b <i>*x*</i> @me"),
            "a\\|b &lt;i&gt;\\*x\\*&lt;/i&gt; &#64;me"
        );
    }
}
