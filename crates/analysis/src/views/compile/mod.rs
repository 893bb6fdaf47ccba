//! `compile`: every compilation in the window, its phases, and what was recompiled.
//!
//! | Figure | Definition |
//! |---|---|
//! | compilation | everything that is compiled within one outermost call of a jitted function; without such a call, slices on one thread without a long pause |
//! | duration | from the start of its first slice to the end of its last |
//! | phases | a sweep over all threads of the host with the priority autotune, generate, optimize, backend, lower, trace, cache; the rest is other, so that they sum to the duration |
//! | cache | hit if the persistent cache was queried and no compiler ran, miss if one did |
//! | program | the first program with the function's name whose first run is after the start of the compilation |
//! | again | the function was compiled before in the window, or a program of it ran before |
//! | total | time spent compiling, on the host that compiled most, as in `overview` |

mod collect;
mod columns;
mod contents;
mod passes;
mod programs;
mod report;
mod tables;

use clap::Args;
pub(crate) use contents::{FORGOTTEN, OTHER_VALUES, SAME_PROGRAM, SAME_SHAPES};
pub(crate) use report::PHASES;
pub use report::{CompilationRow, CompileReport, FunctionRow, PassRow};
use rustc_hash::FxHashSet;
use stepscope_model::{Framework, HostId, Picos, SaturatingSum as _, Session, Span};

use crate::asking::group::Group;
use crate::asking::order;
use crate::asking::selection::Selection;
use crate::asking::{Analysis, AnalysisError};
use crate::measuring::activity::{compilation_ps, compilation_within_ps};
use crate::measuring::interval::Intervals;
use crate::measuring::selection::Selected;
use crate::measuring::steps::{PartKind, divide_steps, mean_parts, share_of};
use crate::telling::Note;
use crate::telling::format;
use crate::telling::recording;
use crate::telling::thresholds::{Thresholds, VerdictKind};

/// Without any compilation or compiled program.
pub(crate) const COMPILATION_UNKNOWN: &str = "No compilation was recorded, and no compiled program: whether this \
                                              program compiles anything is unknown.";

/// The `compile` analysis.
pub struct Compile;

/// Options of [`Compile`].
#[derive(Debug, Clone, Default, Args)]
pub struct CompileOptions {
    /// Which part of the session. `--steps` and `--time` select compilations that started there, `--match`
    /// those whose function, program, thread or change matches.
    #[command(flatten)]
    pub selection: Selection,
}

impl Analysis for Compile {
    const NAME: &'static str = "compile";
    const GROUP: Group = Group::Waiting;
    const ALIASES: &'static [&'static str] = &["compilation"];
    const SUMMARY: &'static str =
        "Every compilation in the window: phases, cache, program, recompilations";
    const EXAMPLES: &'static str = "\
# What was compiled while the profiler ran, longest first
stepscope compile ./logs
# In chronological order
stepscope compile ./logs --sort -start_ps
# Functions that were compiled more than once
stepscope compile ./logs --table functions --csv";
    type Options = CompileOptions;
    type Report = CompileReport;

    fn run(session: &Session, options: &CompileOptions) -> Result<CompileReport, AnalysisError> {
        let selected = options.selection.resolve(session)?;
        let mut rows = compilations(session, &selected);
        let functions = collect::functions(&rows);
        let spans = |host| spans_of(session, host, &rows);
        let is_everything = selected.is_all_time() && options.selection.pattern.is_none();
        let passes = passes::passes(session, &selected.hosts, |host| {
            (!is_everything).then(|| spans(host))
        });
        let recorded_ps = compilation_ps(session, &selected.hosts);
        let total_ps = if is_everything {
            recorded_ps
        } else {
            total_of(session, &selected, &rows)
        };
        longest_first(&mut rows);
        let in_steps_ratio = share_of(
            PartKind::Compilation,
            &mean_parts(&divide_steps(session, &selected).rows),
        );
        let (verdict, threshold) = verdict(total_ps, in_steps_ratio);
        let notes = notes(session, &rows, recorded_ps);
        let row_count = order::arrange(&mut rows, &options.selection, columns::ROWS)?;
        Ok(CompileReport {
            total_ps,
            in_steps_ratio,
            verdict,
            threshold,
            functions,
            rows,
            row_count,
            passes,
            notes,
        })
    }
}

/// Compilations that started in the selection, in chronological order.
pub(crate) fn compilations(session: &Session, selected: &Selected<'_>) -> Vec<CompilationRow> {
    let mut rows = collect::compilations(session, &selected.hosts);
    if selected.steps.is_some() {
        let positions = selected.step_positions();
        let numbers: FxHashSet<i64> = positions
            .into_iter()
            .map(|position| session.steps[position].number)
            .collect();
        rows.retain(|row| row.step.is_some_and(|step| numbers.contains(&step)));
    }
    if let Some(time) = &selected.time {
        rows.retain(|row| time.contains_instant(Picos(row.start_ps)));
    }
    rows.retain(|row| selected.matches(&[&row.function, &row.program, &row.thread, &row.change]));
    rows
}

/// Time spent compiling within these compilations, on the host that compiled most.
fn total_of(session: &Session, selected: &Selected<'_>, rows: &[CompilationRow]) -> Option<i64> {
    compilation_within_ps(session, &selected.hosts, |host| {
        spans_of(session, host, rows).into_spans()
    })
}

/// Time spent compiling in the selected steps and times, on the host that compiled most; absent if no
/// host thread was recorded.
pub(crate) fn total_ps(
    session: &Session,
    selected: &Selected<'_>,
    rows: &[CompilationRow],
) -> Option<i64> {
    if selected.is_all_time() {
        compilation_ps(session, &selected.hosts)
    } else {
        total_of(session, selected, rows)
    }
}

/// The default order: longest compilation first.
pub(crate) fn longest_first(rows: &mut [CompilationRow]) {
    rows.sort_by(|a, b| (b.duration_ps, a.start_ps).cmp(&(a.duration_ps, b.start_ps)));
}

/// When the compilations of a host ran.
fn spans_of(session: &Session, host: HostId, rows: &[CompilationRow]) -> Intervals {
    let name = &session.host(host).name;
    let own = rows.iter().filter(|row| row.host == *name);
    let span = |row: &CompilationRow| {
        let start = Picos(row.start_ps);
        Span {
            start,
            end: start + Picos(row.duration_ps),
        }
    };
    Intervals::union_of(own.map(span).collect())
}

/// The verdict of the key figure, and its threshold: those of `overview`.
fn verdict(total_ps: Option<i64>, in_steps_ratio: Option<f64>) -> (VerdictKind, String) {
    let thresholds = Thresholds::default();
    let Some((entry, total)) = thresholds.get("compilation_ps").zip(total_ps) else {
        return (VerdictKind::Unknown, String::new());
    };
    let judged = entry.judge(total as f64);
    let in_steps = in_steps_ratio.and_then(|ratio| thresholds.compilation_in_steps(judged, ratio));
    match in_steps {
        Some((waited, limits)) => (waited, format!("{limits} of the mean step")),
        None => (judged, entry.text()),
    }
}

/// How to record compilations.
fn record(session: &Session) -> &'static str {
    match session.framework() {
        Framework::Jax => {
            "Start the profiler before the first call of a jitted function to see its compilation; \
             `jax.config.update('jax_log_compiles', True)` logs each."
        }
        _ => {
            "Start the profiler before the first call of a compiled function to see its \
             compilation."
        }
    }
}

fn notes(session: &Session, rows: &[CompilationRow], recorded_ps: Option<i64>) -> Vec<Note> {
    let mut notes = Vec::new();
    let Some(recorded_ps) = recorded_ps else {
        return vec![
            Note::warning(
                "host-threads-missing",
                "No host threads were recorded, so compilations are unknown.",
            )
            .with_code(recording::host_threads(session)),
        ];
    };
    if rows.is_empty() {
        if recorded_ps > 0 {
            return vec![Note::info(
                "no-compilation-selected",
                "No compilations in this selection.",
            )];
        }
        if session.programs.is_empty() {
            return vec![Note::info("no-compilation", COMPILATION_UNKNOWN)];
        }
        let text = "Nothing was compiled while the profiler ran: shapes and static arguments did \
                    not change, and every program had been compiled before.";
        return vec![Note::info("no-compilation", text).with_hint(record(session))];
    }
    let traced = rows.iter().filter(|row| row.is_only_traced()).count();
    if traced > 0 {
        notes.push(only_traced(traced, rows.len()));
    }
    let again = rows.iter().filter(|row| row.is_again).count();
    if again > 0 {
        notes.push(
            Note::warning(
                "compiled-again",
                format!(
                "{} of a function that had been compiled before: {}.",
                format::counted(again, "compilation"),
                names(rows)
            ))
            .with_hint(match session.framework() {
                Framework::Jax => {
                    "Keep shapes, dtypes and static arguments the same in every step: pad or drop the \
                     last batch, and create jitted functions once, outside of the loop."
                }
                _ => {
                    "Keep shapes and dtypes the same in every step: pad or drop the last batch, and \
                     create compiled functions once, outside of the loop."
                }
            }),
        );
    }
    let has_trace = rows.iter().any(|row| row.trace_ps > 0);
    if !has_trace {
        notes.push(
            Note::info(
                "tracing-missing",
                "Tracing was not recorded. It precedes lowering, within the call of the function.",
            )
            .with_code(recording::python_frames(session)),
        );
    }
    let unmatched = rows
        .iter()
        .filter(|row| row.program.is_empty() && !row.is_only_traced())
        .count();
    if unmatched > 0 {
        notes.push(Note::info(
            "compilations-unmatched",
            format!(
                "{} not matched with a program: no program of that name ran in the window.",
                format::counted(unmatched, "compilation"),
            ),
        ));
    }
    let sum = |figure: fn(&CompilationRow) -> i64| rows.iter().map(figure).saturating_sum();
    let (other, all) = (sum(|row| row.other_ps), sum(|row| row.duration_ps));
    if other > 0 && other.saturating_mul(100) >= all {
        notes.push(Note::info(
            "compilation-other-time",
            format!(
                "Durations include {} in which nothing was compiled (Other); the total does not.",
                format::duration_ps(other as f64)
            ),
        ));
    }
    if session.hosts.len() > 1 {
        notes.push(Note::info(
            "compilation-longest-host",
            "The total is that of the host that compiled most; every host compiles on its own.",
        ));
    }
    notes
}

fn only_traced(traced: usize, all: usize) -> Note {
    let text = format!(
        "{traced} of {all} only traced functions, and compiled nothing: `grad`, `vmap` and others \
         trace the jitted functions within what they transform in each call that is outside of jit \
         (`jax.nn.relu` is one).",
    );
    Note::info("only-traced", text)
        .with_hint("Jit the function that calls them, so that it is traced once.")
}

fn names(rows: &[CompilationRow]) -> String {
    let mut names: Vec<&str> = rows
        .iter()
        .filter(|row| row.is_again)
        .map(|row| row.function.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    let more = names.len().saturating_sub(4);
    names.truncate(4);
    let shown = names.join(", ");
    if more > 0 {
        format!("{shown} and {more} more")
    } else {
        shown
    }
}
