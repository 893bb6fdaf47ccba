//! `buffers`: the memory plan of a program, as the compiler laid it out.
//!
//! | Figure | Definition |
//! |---|---|
//! | point | a moment of the schedule: point *i* is the state after *i* events of the heap trace |
//! | held at a point | live buffers in the heap, counting each shared block once, and all other allocations in full |
//! | peak | the largest sum over all points; the first point that has it |
//! | unpadded | Π dimensions × bytes of an element, at most the buffer's own size |
//! | reserved | Σ sizes of allocations: the memory that the program occupies while it runs |
//! | fragmentation | reserved − peak: unused bytes of the heap between buffers |
//! | category | first that applies of parameter, output, thread-local, constant, temporary |
//! | would free | peak − peak without the bytes that the remedy removes |

mod columns;
mod compose;
mod copies;
mod lifetimes;
mod plan;
mod replay;
mod report;
mod scoped;
mod shrink;
mod space;
mod tables;

use clap::Args;
pub(crate) use copies::CopiedArguments;
use rayon::prelude::*;
pub use report::{
    BufferCategory, BufferLifetime, BufferPadding, BufferPoint, BufferProgram, BufferRow,
    BufferSaving, BufferSpace, BuffersReport,
};
use stepscope_model::hlo::Outline;
use stepscope_model::{Framework, ProgramId, Reads, Session};

use crate::asking::group::Group;
use crate::asking::order;
use crate::asking::selection::Selection;
use crate::asking::{Analysis, AnalysisError};
use crate::measuring::selection::Selected;
use crate::telling::Note;
use plan::Plan;
use replay::Replay;

/// The `buffers` analysis.
pub struct Buffers;

/// Options of [`Buffers`].
#[derive(Debug, Clone, Default, Args)]
pub struct BuffersOptions {
    /// Which part of the session. `--program` selects the program (if several match, the one with the
    /// largest peak), `--match` selects rows; steps, devices and hosts have no effect on a plan.
    #[command(flatten)]
    pub selection: Selection,
    /// Memory space by number or part of its name, ignoring case; default: the device's own memory
    #[arg(long, value_name = "SPACE")]
    pub space: Option<String>,
    /// Show what is held at this point of the schedule instead of at the peak
    #[arg(long, value_name = "POSITION")]
    pub at: Option<usize>,
}

impl Analysis for Buffers {
    const NAME: &'static str = "buffers";
    const ALIASES: &'static [&'static str] = &["memory_viewer"];
    const SUMMARY: &'static str =
        "The memory plan of a program: buffers at the peak, their lifetimes, and what to shrink";
    const EXAMPLES: &'static str = "\
# What the program with the largest peak holds, and what to shrink to fit
stepscope buffers ./logs
# One program, without a capture
stepscope buffers train_step.hlo_proto.pb
# Temporaries of the backward pass at the peak
stepscope buffers ./logs --program jit_step --match 'transpose\\(' --limit 20
# Buffers in VMEM
stepscope buffers ./logs --space vmem";
    const GROUP: Group = Group::Memory;
    const NEEDS_EVENTS: bool = false;
    const READS: Reads = Reads::Devices;
    type Options = BuffersOptions;
    type Report = BuffersReport;

    fn run(session: &Session, options: &BuffersOptions) -> Result<BuffersReport, AnalysisError> {
        let selected = options.selection.resolve(session)?;
        let plans: Vec<(ProgramId, Plan<'_>)> = (0..session.programs.len())
            .into_par_iter()
            .map(ProgramId::from_index)
            .filter_map(|id| Some((id, Plan::of(session.program(id))?)))
            .collect();
        let mut programs: Vec<(usize, BufferProgram)> = plans
            .par_iter()
            .map(|(id, plan)| program(session, *id, plan))
            .enumerate()
            .collect();
        programs.sort_by(|(_, a), (_, b)| {
            (b.peak_bytes, b.run_count)
                .cmp(&(a.peak_bytes, a.run_count))
                .then_with(|| a.program.cmp(&b.program))
        });
        let chosen = programs
            .iter()
            .map(|&(position, _)| &plans[position])
            .find(|(id, _)| selected.has_program(Some(*id)));
        let rows = programs.into_iter().map(|(_, row)| row).collect();
        match chosen {
            Some((_, plan)) => of_program(session, options, &selected, plan, rows),
            None => Ok(tables::without_plan(rows, no_plan(session, options))),
        }
    }
}

/// Device memory that a program needs, by its memory plan.
pub(crate) struct PlanFigures {
    /// Most bytes held at any point, padding included.
    pub(crate) peak_bytes: i64,
    /// Bytes held at the same point, without padding.
    pub(crate) unpadded_bytes: i64,
    /// What to shrink, largest effect first.
    pub(crate) savings: Vec<BufferSaving>,
    /// Bytes lost to padding at the peak, by shape, largest first.
    pub(crate) padding: Vec<BufferPadding>,
}

/// Figures of a program's memory plan; none if it has no plan.
pub(crate) fn plan_figures(session: &Session, id: ProgramId) -> Option<PlanFigures> {
    let plan = Plan::of(session.program(id))?;
    let replay = Replay::of(&plan, space::DEVICE);
    let at_peak = compose::held_at(&plan, space::DEVICE, &replay, replay.peak);
    let outline = Outline::of(plan.program.hlo_bytes());
    Some(PlanFigures {
        peak_bytes: space::signed(replay.peak_bytes()),
        unpadded_bytes: space::signed(replay.unpadded[replay.peak]),
        savings: shrink::savings(session.framework(), &plan, &replay, &outline, &at_peak),
        padding: shrink::padding(&plan, &at_peak),
    })
}

/// What a program's memory plan holds in device memory at its peak, largest first; none if it has no
/// plan.
pub(crate) fn held_at_peak(session: &Session, id: ProgramId) -> Option<Vec<BufferRow>> {
    let plan = Plan::of(session.program(id))?;
    let replay = Replay::of(&plan, space::DEVICE);
    let at_peak = compose::held_at(&plan, space::DEVICE, &replay, replay.peak);
    let outline = Outline::of(plan.program.hlo_bytes());
    Some(compose::rows(&plan, &replay, &outline, &at_peak))
}

fn program(session: &Session, id: ProgramId, plan: &Plan<'_>) -> BufferProgram {
    let replay = Replay::of(plan, space::DEVICE);
    let totals = space::totals(plan, space::DEVICE, String::new(), &replay);
    let runs = session.program_runs.iter();
    BufferProgram {
        program: plan.program.title(),
        program_id: plan.program.id.to_string(),
        peak_bytes: totals.peak_bytes,
        allocation_bytes: totals.allocation_bytes,
        parameter_bytes: totals.parameter_bytes,
        live_out_bytes: totals.live_out_bytes,
        temporary_bytes: totals.temporary_bytes,
        instruction_count: plan.hlo.instructions().len(),
        has_heap_trace: replay.trace.is_some(),
        run_count: runs.filter(|run| run.program == id).count(),
    }
}

/// One memory space of the program, replayed.
struct Space<'a> {
    color: i64,
    name: String,
    replay: Replay<'a>,
    totals: BufferSpace,
}

fn of_program(
    session: &Session,
    options: &BuffersOptions,
    selected: &Selected<'_>,
    plan: &Plan<'_>,
    programs: Vec<BufferProgram>,
) -> Result<BuffersReport, AnalysisError> {
    let spaces = spaces(session, plan);
    let chosen = choose_space(&spaces, options.space.as_deref())?;
    let Space {
        color,
        name,
        replay,
        totals,
    } = &spaces[chosen];
    let point_count = replay.bytes.len();
    let position = options.at.unwrap_or(replay.peak).min(point_count - 1);
    let outline = Outline::of(plan.program.hlo_bytes());
    let at_peak = compose::held_at(plan, *color, replay, replay.peak);
    let held = compose::held_at(plan, *color, replay, position);
    let categories = compose::categories(&held);
    let mut rows = compose::rows(plan, replay, &outline, &held);
    rows.retain(|row| selected.matches(&[&row.name, &row.category, &row.scope, &row.source]));
    let row_count = order::arrange(&mut rows, &options.selection, columns::ROWS)?;
    let scoped = scoped::largest(plan.program, &outline);
    let instruction = replay.instruction_at(position);
    let scope = plan.hlo.instruction(instruction);
    let mut report = BuffersReport {
        rows,
        row_count,
        program: plan.program.title(),
        program_id: plan.program.id.to_string(),
        memory_space: name.clone(),
        memory_space_color: *color,
        peak_bytes: totals.peak_bytes,
        peak_unpadded_bytes: space::signed(replay.unpadded[replay.peak]),
        peak_position: replay.peak,
        point_count,
        position,
        position_instruction: instruction.to_owned(),
        position_scope: scope
            .map(|found| compose::origin(plan, found).0)
            .unwrap_or_default(),
        position_bytes: space::signed(replay.bytes[position]),
        categories,
        curve: lifetimes::curve(replay),
        heap_bytes: replay
            .allocation
            .map(|index| space::signed(plan.assignment.allocations[index].size)),
        lifetimes: lifetimes::lifetimes(plan, replay),
        lifetime_count: replay.lives.len(),
        savings: shrink::savings(session.framework(), plan, replay, &outline, &at_peak),
        padding: shrink::padding(plan, &at_peak),
        spaces: spaces.iter().map(|space| space.totals.clone()).collect(),
        programs,
        scoped_vmem_bytes: scoped.as_ref().map(|(bytes, _)| space::signed(*bytes)),
        scoped_vmem_instruction: scoped.map(|(_, name)| name).unwrap_or_default(),
        notes: Vec::new(),
    };
    report.notes = notes(options, &report, replay);
    Ok(report)
}

fn spaces<'a>(session: &Session, plan: &Plan<'a>) -> Vec<Space<'a>> {
    let kind = space::device_kind(session, plan);
    let colors = plan.colors();
    colors
        .into_par_iter()
        .map(|color| {
            let replay = Replay::of(plan, color);
            let name = space::name(color, kind);
            let totals = space::totals(plan, color, name.clone(), &replay);
            Space {
                color,
                name,
                replay,
                totals,
            }
        })
        .collect()
}

/// The requested space; else the device's own memory, or the fullest space if it is not used.
fn choose_space(spaces: &[Space<'_>], wanted: Option<&str>) -> Result<usize, AnalysisError> {
    let Some(wanted) = wanted else {
        let first = spaces.iter().position(|space| space.color == space::DEVICE);
        let fullest = (0..spaces.len()).max_by_key(|&index| spaces[index].totals.peak_bytes);
        return Ok(first.or(fullest).unwrap_or(0));
    };
    let number = wanted.parse::<i64>().ok();
    let part = wanted.to_lowercase();
    let found = spaces.iter().position(|space| match number {
        Some(number) => space.color == number,
        None => space.name.to_lowercase().contains(&part),
    });
    found.ok_or_else(|| AnalysisError::NothingSelected {
        what: format!("--space {wanted}"),
        available: spaces
            .iter()
            .map(|space| format!("{} {}", space.color, space.name))
            .collect::<Vec<_>>()
            .join(", "),
    })
}

fn no_plan(session: &Session, options: &BuffersOptions) -> Note {
    let hint = "`XLA_FLAGS=\"--xla_dump_to=/tmp/hlo --xla_dump_hlo_as_proto\"` writes programs with \
                their plans; `stepscope buffers /tmp/hlo` shows them";
    let text = match (session.programs.as_slice(), &options.selection.program) {
        ([], _) => "The capture contains no programs, so there is no memory plan to show.",
        (_, Some(_)) => "None of the selected programs has a memory plan.",
        (_, None) => "None of the programs in the capture has a memory plan.",
    };
    let note = Note::warning("no-memory-plan", text);
    // PyTorch without XLA runs no HLO programs.
    if session.framework() == Framework::PyTorch {
        return note;
    }
    note.with_hint(hint)
}

fn notes(options: &BuffersOptions, report: &BuffersReport, replay: &Replay<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    let selection = &options.selection;
    let meaningless = [
        ("--steps", &selection.steps),
        ("--device", &selection.device),
        ("--host", &selection.host),
    ];
    for (option, _) in meaningless.iter().filter(|(_, value)| value.is_some()) {
        notes.push(Note::info(
            "option-without-effect",
            format!(
            "{option} has no effect here: the plan is the same in every step and on every device."
        )));
    }
    if replay.trace.is_none() {
        notes.push(Note::info(
            "no-heap-trace",
            format!(
            "The compiler recorded no heap trace for {} of this program, so lifetimes of buffers are \
             unknown: arguments, results, constants and totals are shown, and every allocation \
             counts as held from start to end.",
            report.memory_space
        )));
    } else {
        notes.push(Note::info(
            "plan-not-measured",
            "This is the compiler's plan for one device, not a measurement: other programs, the framework \
             and the allocator need additional memory.",
        ));
    }
    if replay.other_traces > 0 {
        notes.push(Note::info(
            "other-heap-traces",
            format!(
            "{} more heap traces of this memory are not replayed; their allocations count as held \
             from start to end.",
            replay.other_traces
        )));
    }
    if replay.odd_events > 0 {
        notes.push(Note::warning(
            "heap-trace-contradicts",
            format!(
                "{} of {} events of the heap trace contradict earlier ones and are skipped.",
                replay.odd_events,
                replay.trace.map_or(0, |trace| trace.events.len())
            ),
        ));
    }
    if options.at.is_some_and(|at| at != report.position) {
        notes.push(Note::info(
            "schedule-ends",
            format!(
                "The schedule ends at point {}; showing that point.",
                report.position
            ),
        ));
    }
    if !report.savings.is_empty() {
        notes.push(Note::info(
            "savings-estimated",
            "What a remedy would free is an estimate: how much the peak falls if only these bytes are \
             removed. The compiler may choose another plan for the changed program.",
        ));
    }
    if report.lifetimes.len() < report.lifetime_count {
        notes.push(Note::info(
            "lifetimes-limited",
            format!(
                "Of {} buffers, the {} largest by bytes × time are drawn.",
                report.lifetime_count,
                report.lifetimes.len()
            ),
        ));
    }
    notes
}
