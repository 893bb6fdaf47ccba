//! `requests`: latency, phases, batches and throughput of inference requests.
//!
//! | Figure | Definition |
//! |---|---|
//! | request | an outermost slice of a host thread whose name is a server's root, or an annotation with the word request, inference, generate, serve or predict; or whatever `--root` matches |
//! | batch | the same for `ProcessBatch`, `process_batch`, `run_batch` |
//! | its batch | the last batch on the host that started within the request and was done when the longest pause of the request's thread ended |
//! | latency | the request's duration |
//! | phases | within the batch, else the request: device work, copies, batch formation, the host before, between and after device work, in this priority order; before its batch, a request prepares or queues. Phases sum to the latency |
//! | percentile | nearest rank: the smallest latency that at least that share of requests does not exceed |
//! | throughput | requests ÷ (last end − first start) |
//! | efficiency | 1 − padding ÷ size of the batch |

mod collect;
mod columns;
mod find;
mod phases;
mod report;
pub(crate) mod summary;
mod tables;

use clap::Args;
pub(crate) use report::PHASES;
pub use report::{BatchRow, PercentileRow, PhaseRow, RequestRow, RequestsReport};
use stepscope_model::{Picos, Session};

use crate::asking::group::Group;
use crate::asking::order;
use crate::asking::selection::Selection;
use crate::asking::{Analysis, AnalysisError};
use crate::measuring::selection::{Selected, compile_pattern};
use crate::telling::Note;
use crate::telling::format;
use crate::telling::recording;

/// The `requests` analysis.
pub struct Requests;

/// Options of [`Requests`].
#[derive(Debug, Clone, Default, Args)]
pub struct RequestsOptions {
    /// Regular expression for the names of host slices that are requests
    #[arg(long, value_name = "REGEX")]
    pub root: Option<String>,
    /// Regular expression for the names of host slices that are batches
    #[arg(long, value_name = "REGEX")]
    pub batch: Option<String>,
    /// Which part of the session. `--match` selects requests whose name, id or host matches;
    /// `--device` selects the devices whose work counts.
    #[command(flatten)]
    pub selection: Selection,
}

/// Number of requests listed by default: the slowest.
const MOST_ROWS: usize = 1000;

impl Analysis for Requests {
    const NAME: &'static str = "requests";
    const GROUP: Group = Group::Waiting;
    const ALIASES: &'static [&'static str] = &["inference_profile", "inference"];
    const SUMMARY: &'static str =
        "Inference requests: latency percentiles, phases, batches with their padding, throughput";
    const EXAMPLES: &'static str = "\
# Latency, and where it goes
stepscope requests ./logs
# Requests that the program annotated under a name of its own
stepscope requests ./logs --root '^handle_query$'
# The slowest requests as CSV
stepscope requests ./logs --limit 20 --csv";
    type Options = RequestsOptions;
    type Report = RequestsReport;

    fn run(session: &Session, options: &RequestsOptions) -> Result<RequestsReport, AnalysisError> {
        let selected = options.selection.resolve(session)?;
        let root = options.root.as_deref().map(compile_pattern).transpose()?;
        let batch = options.batch.as_deref().map(compile_pattern).transpose()?;
        let found = find::find(session, &selected, root.as_ref(), batch.as_ref());
        let all = collected(session, &selected, found);
        let mut report = summary::report(&all);
        let mut rows = all.requests.clone();
        rows.sort_by_key(|row| (std::cmp::Reverse(row.latency_ps), row.start_ps));
        let row_count = rows.len();
        order::arrange(&mut rows, &options.selection, columns::ROWS)?;
        if options.selection.limit.is_none() {
            rows.truncate(MOST_ROWS);
        }
        report.notes = notes(session, &report, row_count, rows.len(), &all);
        report.rows = rows;
        report.row_count = row_count;
        Ok(report)
    }
}

/// Requests and batches of a selection, found by their usual names: the report without notes.
pub(crate) fn requests(session: &Session, selected: &Selected<'_>) -> RequestsReport {
    let found = find::find(session, selected, None, None);
    summary::report(&collected(session, selected, found))
}

fn collected(session: &Session, selected: &Selected<'_>, found: find::Roots) -> collect::Collected {
    let windows = step_windows(session, selected);
    let begins_in = |start_ps: i64| {
        let is_in = |&(start, end): &(i64, i64)| (start..end).contains(&start_ps);
        let windows = windows.as_ref();
        windows.is_none_or(|windows| windows.iter().any(is_in))
            && selected
                .time
                .as_ref()
                .is_none_or(|time| time.contains_instant(Picos(start_ps)))
    };
    let mut all = collect::collect(session, selected, found);
    all.requests.retain(|row| {
        selected.matches(&[&row.name, &row.request_id, &row.host]) && begins_in(row.start_ps)
    });
    all.keep_batches(|batch| begins_in(batch.start_ps));
    all
}

/// Times of the selected steps on any host or device; none if no steps were selected.
fn step_windows(session: &Session, selected: &Selected<'_>) -> Option<Vec<(i64, i64)>> {
    let steps = selected.steps.as_ref()?;
    let spans = steps.iter().flat_map(|&step| &session.steps[step].spans);
    Some(
        spans
            .map(|span| (span.span.start.0, span.span.end.0))
            .collect(),
    )
}

fn notes(
    session: &Session,
    report: &RequestsReport,
    row_count: usize,
    shown: usize,
    all: &collect::Collected,
) -> Vec<Note> {
    let mut notes = Vec::new();
    if row_count == 0 && all.recorded > 0 {
        return vec![Note::warning(
            "no-request-selected",
            format!(
                "No request in this selection; {} recorded on its hosts.",
                format::counted(all.recorded, "request")
            ),
        )];
    }
    if row_count == 0 {
        notes.push(
            Note::info(
                "no-request",
                "No request was recorded: no model server root, and no annotation with the word \
                 request, inference, generate, serve or predict.",
            )
            .with_code(recording::region(
                session,
                "\"inference_request\", request_id=i",
            )),
        );
        return notes;
    }
    notes.push(Note::info(
        "requests-counted",
        format!(
            "{}; percentiles use the nearest rank.",
            format::counted(row_count, "request")
        ),
    ));
    if row_count < 100 {
        notes.push(Note::info(
            "few-requests",
            "With fewer than 100 requests, the upper percentiles are just the slowest few requests.",
        ));
    }
    if report.batches.is_empty() {
        notes.push(Note::info(
            "no-batch",
            "No batch was recorded, so device work and copies are attributed by time: concurrent \
             requests share them.",
        ));
    } else {
        let unlinked = all.requests.iter().filter(|row| row.batch_id.is_none());
        let unlinked = unlinked.count();
        if unlinked > 0 {
            notes.push(Note::info(
                "requests-without-batch",
                format!(
                    "{} without a batch in the window; phases are attributed by time.",
                    format::counted(unlinked, "request")
                ),
            ));
        }
    }
    if report.batches.iter().any(|batch| batch.size.is_none()) {
        notes.push(
            Note::info(
                "batch-size-missing",
                "Size and padding are not recorded for every batch.",
            )
            .with_code(
                "TraceAnnotation(\"process_batch\", padding_amount=n, batch_size_after_padding=m)",
            ),
        );
    }
    if shown < row_count {
        notes.push(
            Note::info(
                "rows-limited",
                format!("The {shown} slowest are listed; the figures include all of them."),
            )
            .with_hint("`--limit 0` lists all"),
        );
    }
    notes
}
