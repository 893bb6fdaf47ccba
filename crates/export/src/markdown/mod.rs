//! A session as a page of Markdown, short enough for an issue or a pull request.

mod cells;

use std::fmt::Write;

use stepscope_analysis::asking::Report;
use stepscope_analysis::judging::advice::{Advice, AdviceFinding, AdviceOptions, AdviceReport};
use stepscope_analysis::telling::format as figures;
use stepscope_analysis::views::overview::{Overview, OverviewOptions, OverviewReport};
use stepscope_analysis::{Analysis, AnalysisError, Note, NoteKind, Table, find};
use stepscope_model::Session;

use crate::about::{About, VERSION};
use crate::{ExportError, Pairs};
use cells::push_table;
use stepscope_analysis::telling::escape::markdown as escaped;

/// Maximum number of rows of a table.
const ROWS: usize = 15;
/// Maximum number of findings shown in full.
const FINDINGS: usize = 8;
/// Notes, warnings first.
const NOTES: usize = 12;

/// Columns that fit in a table of ops.
const OP_COLUMNS: [&str; 6] = [
    "name",
    "category",
    "occurrences",
    "self_ps",
    "self_ratio",
    "scope",
];
/// Columns that fit in a table of steps.
const STEP_COLUMNS: [&str; 8] = [
    "step",
    "duration_ps",
    "device_compute_ps",
    "collectives_ps",
    "input_wait_ps",
    "host_overhead_ps",
    "idle_ps",
    "is_outlier",
];

/// The page, for the part of a session selected by options.
///
/// # Errors
///
/// An option that is wrong or selects nothing.
pub fn markdown(session: &Session, about: &About, options: &Pairs) -> Result<String, ExportError> {
    let selection = crate::selection(options);
    let mut page = format!("# {}\n", escaped(&session.name));
    if session.is_memory_only() || session.is_program_only() {
        let name = if session.is_memory_only() {
            "heap"
        } else {
            "buffers"
        };
        push_analysis(&mut page, session, name)?;
    } else {
        let overview = Overview::run(
            session,
            &OverviewOptions {
                selection: selection.clone(),
                ..OverviewOptions::default()
            },
        )?;
        let advice = Advice::run(
            session,
            &AdviceOptions {
                selection,
                ..AdviceOptions::default()
            },
        )?;
        push_head(&mut page, &overview, options);
        push_findings(&mut page, &advice);
        let tables = overview.tables();
        push_section(
            &mut page,
            &tables,
            "step_parts",
            "Where the step time goes",
            &[],
        );
        push_section(&mut page, &tables, "devices", "Devices", &[]);
        push_section(
            &mut page,
            &tables,
            "top_ops",
            "Top ops by self time",
            &OP_COLUMNS,
        );
        push_section(&mut page, &tables, "step_series", "Steps", &STEP_COLUMNS);
        push_section(&mut page, &tables, "environment", "Environment", &[]);
        push_notes(&mut page, &overview.notes);
    }
    push_foot(&mut page, about);
    Ok(page)
}

fn push_head(page: &mut String, overview: &OverviewReport, options: &Pairs) {
    page.push_str("\n| | |\n|---|---|\n");
    let selected = options
        .iter()
        .map(|(name, value)| ("Selected".to_owned(), format!("{name} {value}")));
    let figures = overview.headline().into_iter();
    let figures = figures
        .filter(|(name, _)| name != "Session")
        .chain(selected);
    for (name, value) in figures {
        let _ = writeln!(page, "| {} | {} |", escaped(&name), escaped(&value));
    }
}

fn push_findings(page: &mut String, advice: &AdviceReport) {
    page.push_str("\n## What to change\n\n");
    if advice.findings.is_empty() {
        let _ = writeln!(
            page,
            "Nothing: {} found nothing to change.",
            figures::counted(advice.passed.len(), "check")
        );
    }
    for (number, finding) in (1..).zip(advice.findings.iter().take(FINDINGS)) {
        push_finding(page, number, finding);
    }
    if advice.findings.len() > FINDINGS {
        let more = figures::counted(advice.findings.len() - FINDINGS, "more finding");
        let _ = writeln!(page, "\n{more} with `stepscope advice`.");
    }
}

fn push_finding(page: &mut String, number: usize, finding: &AdviceFinding) {
    let gain = finding.gain_ps_per_step.map(|gain_ps| {
        let share = finding.gain_ratio.map(figures::percent);
        let share = share.map_or_else(String::new, |share| format!(", {share}"));
        let gain = figures::duration_ps(gain_ps);
        format!(" ({} {gain} per step{share})", finding.gain_word())
    });
    let _ = writeln!(
        page,
        "{number}. **{}**{} {}",
        escaped(&finding.title),
        gain.unwrap_or_default(),
        escaped(&finding.what)
    );
    for text in [&finding.why, &finding.fix] {
        if !text.is_empty() {
            let _ = writeln!(page, "   {}", escaped(text));
        }
    }
    for one in &finding.also_seen_as {
        let _ = writeln!(
            page,
            "   Also seen as: {}. {}",
            escaped(&one.title),
            escaped(&one.what)
        );
    }
    if !finding.code.is_empty() {
        let fence = if finding.code.contains("```") {
            "~~~~"
        } else {
            "```"
        };
        let _ = writeln!(page, "\n   {fence}python");
        for line in finding.code.lines() {
            let _ = writeln!(page, "   {line}");
        }
        let _ = writeln!(page, "   {fence}\n");
    }
}

/// A table under a heading, if it has rows.
fn push_section(page: &mut String, tables: &[Table], key: &str, title: &str, columns: &[&str]) {
    let Some(table) = tables.iter().find(|table| table.key == key) else {
        return;
    };
    if table.rows.is_empty() {
        return;
    }
    let _ = writeln!(page, "\n## {title}\n");
    push_table(page, table, columns, ROWS);
}

/// The headline, the first table and the notes of an analysis.
fn push_analysis(page: &mut String, session: &Session, name: &str) -> Result<(), AnalysisError> {
    let entry =
        find(name).ok_or_else(|| AnalysisError::Internal(format!("unknown analysis {name}")))?;
    let answer = entry.run_pairs(session, [])?;
    page.push_str("\n| | |\n|---|---|\n");
    for (name, value) in answer.headline() {
        let _ = writeln!(page, "| {} | {} |", escaped(&name), escaped(&value));
    }
    for table in answer
        .tables()
        .iter()
        .filter(|table| !table.rows.is_empty())
    {
        let _ = writeln!(page, "\n## {}\n", escaped(&table.title));
        push_table(page, table, &[], ROWS);
    }
    push_notes(page, answer.notes());
    Ok(())
}

fn push_notes(page: &mut String, notes: &[Note]) {
    if notes.is_empty() {
        return;
    }
    let mut sorted: Vec<&Note> = notes.iter().collect();
    sorted.sort_by_key(|note| note.kind);
    page.push_str("\n## Notes\n\n");
    for note in sorted.iter().take(NOTES) {
        let word = match note.kind {
            NoteKind::Warning => "**Warning:** ",
            NoteKind::Info => "",
        };
        let hint = if note.hint.is_empty() {
            String::new()
        } else {
            format!(" Hint: {}", escaped(&note.hint))
        };
        let _ = writeln!(page, "- {word}{}{hint}", escaped(&note.text));
    }
    if sorted.len() > NOTES {
        let more = figures::counted(sorted.len() - NOTES, "more note");
        let _ = writeln!(page, "- {more} with `stepscope overview`");
    }
}

fn push_foot(page: &mut String, about: &About) {
    let _ = write!(page, "\n---\n\nWritten by Stepscope {VERSION}.");
    if let Some(redacted) = &about.redacted {
        let _ = write!(page, " {}", escaped(&redacted.sentence()));
    }
    page.push('\n');
}
