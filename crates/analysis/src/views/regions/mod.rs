//! `regions`: time that host threads spent in each annotation of the program and each Python
//! function, and the device time launched within.
//!
//! | Figure | Definition |
//! |---|---|
//! | region | slices of host threads with one name: an annotation without its arguments, a function with its file and line, or a runtime event; markers and ops of XLA:CPU are excluded |
//! | kind | `annotation`, `python` or `runtime`, by name; regions within the compiler's own code are `runtime` |
//! | count | slices that start in the selection |
//! | total | Σ duration of these slices; a slice nested in another of the same region on the same thread counts once |
//! | self | Σ (duration − slices of shown regions directly within); time of hidden regions belongs to the regions around them |
//! | mean, p95 | over the durations of all occurrences, including nested ones |
//! | per step | Σ over occurrences that start within a step ÷ the steps of the hosts they ran on |
//! | device time | time of the work launched within an occurrence, whenever and wherever it ran: see [`launches`] |
//! | thread, stack | the same for each thread, and for each stack of nested regions |
//! | stack's total | what was counted at or below it; a stack around the selection has a count of 0 |
//! | fold | `layer_0` and `layer_1` become `layer_*`: replaces numbers not followed by a letter, if several names share the form |

mod collect;
mod columns;
mod durations;
mod launches;
mod names;
mod notes;
mod options;
mod report;
mod rows;
mod tables;
mod tree;

pub use options::{Fold, GroupBy, KindFilter, RegionsOptions};
pub use report::{RegionPlace, RegionRow, RegionThread, RegionsReport};
use stepscope_model::{Session, TrackId};

use self::collect::{Question, ThreadSums};
use self::launches::{Launches, Placed};
use self::names::Names;
use self::notes::Facts;
use self::rows::Scribe;
use self::tree::Tree;
use crate::asking::group::Group;
use crate::asking::order;
use crate::asking::{Analysis, AnalysisError};

/// The `regions` analysis.
pub struct Regions;

impl Analysis for Regions {
    const NAME: &'static str = "regions";
    const ALIASES: &'static [&'static str] = &["annotations"];
    const SUMMARY: &'static str =
        "Host time by annotation and Python function, with the device time launched within";
    const GROUP: Group = Group::Summary;
    const EXAMPLES: &'static str = "\
# Annotations and functions: total, self, per step, device time
stepscope regions ./logs
# Regions of a loop as one row: layer_0, layer_1, ... become layer_*
stepscope regions ./logs --kind annotation --fold numbers
# Who calls what, below the training step
stepscope regions ./logs --by stack --match train_step
# Everything on the threads, the runtime included, for one step
stepscope regions ./logs --kind all --by thread --steps 3";
    type Options = RegionsOptions;
    type Report = RegionsReport;

    fn run(session: &Session, options: &RegionsOptions) -> Result<RegionsReport, AnalysisError> {
        let selected = options.selection.resolve(session)?;
        let names = Names::of(session, &selected, options);
        let launches = Launches::of(session, &selected, &has_regions(session, &names));
        let threads = collect::threads(&Question {
            session,
            selected: &selected,
            names: &names,
            launches: &launches,
            by_stack: options.by == GroupBy::Stack,
        });
        let scribe = Scribe::new(session, &selected, &names, &launches, &threads);
        let hidden = notes::hidden(session, &selected, &names);
        let mut report = RegionsReport {
            by: options.by.name().to_owned(),
            rows: Vec::new(),
            row_count: 0,
            threads: scribe.threads(&threads),
            covered_ps: scribe.covered_ps(),
            slice_count: threads.iter().map(|thread| thread.count).sum(),
            step_count: selected.step_positions().len(),
            device_ratio: None,
            hidden_count: hidden.len(),
            notes: Vec::new(),
        };
        let found = rows(session, options, &names, &scribe, threads)?;
        (report.rows, report.row_count) = found;
        let placed = selected.hosts.iter().fold(Placed::default(), |sum, host| {
            sum.plus(launches.hosts[host.index()])
        });
        let has_share = placed.total_ps > 0 && !report.threads.is_empty();
        report.device_ratio = has_share.then(|| placed.placed_ps as f64 / placed.total_ps as f64);
        report.notes = Facts {
            session,
            selected: &selected,
            options,
            launches: &launches,
            rows: &report.rows,
            placed,
        }
        .notes(&hidden);
        Ok(report)
    }
}

/// The rows of the report, and their number without a limit.
fn rows(
    session: &Session,
    options: &RegionsOptions,
    names: &Names,
    scribe: &Scribe<'_>,
    threads: Vec<ThreadSums>,
) -> Result<(Vec<RegionRow>, usize), AnalysisError> {
    if options.by == GroupBy::Stack {
        // Report an unknown column even if there is nothing to sort.
        if let Some(sort) = &options.selection.sort {
            order::sort_by(&mut [], sort, columns::ROWS)?;
        }
        return Tree::of(session, threads).rows(scribe, &options.selection);
    }
    let mut sums = rows::sums(session, threads, options.by == GroupBy::Thread);
    sums.retain(|sum| names.region(sum.region).is_match);
    let mut rows: Vec<RegionRow> = sums.iter().map(|sum| scribe.row(sum)).collect();
    // Annotations come first, then Python functions, then regions of the runtime.
    rows.sort_by(|a, b| {
        let key = |row: &RegionRow| {
            let rank = ["annotation", "python"]
                .iter()
                .position(|kind| *kind == row.kind);
            (rank.unwrap_or(2), std::cmp::Reverse(row.total_ps))
        };
        let by_name = || (&a.name, &a.source, &a.thread).cmp(&(&b.name, &b.source, &b.thread));
        key(a).cmp(&key(b)).then_with(by_name)
    });
    let row_count = order::arrange(&mut rows, &options.selection, columns::ROWS)?;
    Ok((rows, row_count))
}

/// For each track, whether the program opened regions on it.
fn has_regions(session: &Session, names: &Names) -> Vec<bool> {
    let tracks = session.track_ids();
    let has = |track: TrackId| {
        let track = session.track(track);
        track.device.is_none() && track.may_have(|label| names.label(label).is_of_program)
    };
    tracks.map(has).collect()
}
