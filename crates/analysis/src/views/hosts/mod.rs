//! `hosts`: hosts and devices side by side, which ones are late, and why.
//!
//! | Figure | Definition |
//! |---|---|
//! | parts of a step | those of `steps` |
//! | lateness | own arrival − median arrival at matched collectives, on aligned clocks |
//! | waiting | for the last one at a matched collective, while the device computes nothing ([`waits`]) |
//! | caused | Σ over collectives of the mean time that the others waited for the last one |
//! | blame | per step, the device that caused the most waiting, and what it did before ([`blame`]) |
//! | clocks | offset and drift from the ends of matched collectives ([`crate::views::collectives::clocks`]) |
//! | straggler | last in more steps than chance explains ([`stragglers`]), with a significant lateness |
//!
//! Times in rows are as recorded; only lateness and waiting are measured on aligned clocks.

mod blame;
mod clocks;
mod columns;
mod places;
mod report;
mod rows;
mod stragglers;
mod tables;
mod waits;

use std::collections::BTreeSet;

use clap::Args;
pub use report::{BlameRow, ClockRow, HostCell, HostDeviceRow, HostRow, HostStepRow, HostsReport};
use stepscope_model::Session;

use crate::asking::group::Group;
use crate::asking::order;
use crate::asking::selection::Selection;
use crate::asking::{Analysis, AnalysisError};
use crate::measuring::selection::Selected;
use crate::measuring::steps::{divide_steps, step_time};
use crate::telling::Note;
use crate::telling::format;
use crate::telling::recording;
use crate::telling::steps::step_notes;
use crate::views::collectives::Evidence;
use crate::views::collectives::participants::Grouping;
use crate::views::collectives::step_index::StepIndex;

/// The `hosts` analysis.
pub struct Hosts;

/// Options of [`Hosts`].
#[derive(Debug, Clone, Default, Args)]
pub struct HostsOptions {
    /// Which part of the session. `--match` selects hosts by name; `--program` selects the steps in
    /// which the program ran on the device.
    #[command(flatten)]
    pub selection: Selection,
}

impl Analysis for Hosts {
    const NAME: &'static str = "hosts";
    const GROUP: Group = Group::Waiting;
    const ALIASES: &'static [&'static str] = &["pod_viewer"];
    const SUMMARY: &'static str = "Hosts and devices side by side: step times, stragglers and why they are late, load, clocks";
    const EXAMPLES: &'static str = "\
# Which host the others wait for, and what makes it late
stepscope hosts ./logs
# Lateness step by step
stepscope hosts ./logs --csv --table steps
# How well the clocks of the hosts agree
stepscope hosts ./logs --csv --table clocks";
    type Options = HostsOptions;
    type Report = HostsReport;

    fn run(session: &Session, options: &HostsOptions) -> Result<HostsReport, AnalysisError> {
        let selected = options.selection.resolve(session)?;
        let divided = divide_steps(session, &selected);
        let evidence = Evidence::of(session, &selected);
        let Blamed {
            waits,
            steps: blamed,
            stragglers,
        } = blamed(&evidence, &selected);
        let lateness = places::Lateness::of(&evidence, &waits, &blamed);
        let places = places::places(session, &selected, &divided.rows);
        let mean_step_ps = step_time(session, &selected);
        let mut rows = rows::hosts(session, &selected, &divided.rows, &lateness, &stragglers);
        rows.retain(|row| selected.matches(&[&row.host]));
        let notes = notes(&evidence, &selected, &lateness, &stragglers);
        let row_count = order::arrange(&mut rows, &options.selection, columns::ROWS)?;
        let step_rows = rows::steps(session, &evidence, &divided.rows, &blamed);
        let (cells, cell_count) = rows::cells(&divided.rows, &places, &lateness);
        Ok(HostsReport {
            step_time_ps: mean_step_ps,
            rows,
            row_count,
            blame: rows::blame(session, &blamed),
            devices: places::rows(session, &places, &divided.rows, &lateness),
            steps: step_rows,
            cells,
            cell_count,
            clocks: clocks::rows(session, &selected, &evidence.clocks),
            notes,
        })
    }
}

/// Who is late, and who is a straggler.
struct Blamed {
    waits: Vec<waits::WaitsAt>,
    steps: Vec<blame::StepBlame>,
    stragglers: stragglers::Stragglers,
}

fn blamed(evidence: &Evidence<'_>, selected: &Selected<'_>) -> Blamed {
    let session = evidence.session;
    let waits = waits::waits(evidence);
    let mut blamed = blame::blame(evidence, &waits, &StepIndex::of(session));
    // A step that is cut off has no length that the waits could be a share of.
    let counted: BTreeSet<usize> = selected.step_positions().into_iter().collect();
    blamed.retain(|of| counted.contains(&of.step));
    let mean_step_ps = step_time(session, selected).map(|time| time.mean);
    let stragglers = stragglers::stragglers(session, &blamed, mean_step_ps);
    Blamed {
        waits,
        steps: blamed,
        stragglers,
    }
}

/// A host that the others wait for. With one host, a device.
pub(crate) struct Late {
    /// Host or device.
    pub(crate) name: String,
    /// Number of steps in which it arrived last, by more than clocks may be wrong.
    pub(crate) last_count: usize,
    /// Number of steps in which some place did.
    pub(crate) clear_count: usize,
    /// Number of steps with a matched collective.
    pub(crate) step_count: usize,
    /// Mean time per step that it made the others wait.
    pub(crate) cost_ps: f64,
    /// The blame row with most of that waiting: what it did before, and when.
    pub(crate) blame: BlameRow,
}

/// A host that is last in most steps and no straggler. With one host, a device.
pub(crate) struct Often {
    pub(crate) name: String,
    /// Of all steps with a matched collective.
    pub(crate) last_count: usize,
    pub(crate) step_count: usize,
    /// Of those, the ones in which it is later than clocks may be wrong.
    pub(crate) clear_last_count: usize,
}

/// What the others waited for in one step.
pub(crate) struct LateStep {
    /// Position in `Session::steps`.
    pub(crate) step: usize,
    /// The host that caused the most waiting. With one host, the device.
    pub(crate) name: String,
    /// The collective at which it caused the most.
    pub(crate) collective: String,
    /// Its arrival there − the median arrival.
    pub(crate) lateness_ps: i64,
    /// Time that the others waited for it in the step, as their mean.
    pub(crate) caused_ps: i64,
    /// What it or its host did before; empty if nothing recorded explains it.
    pub(crate) activity: String,
}

/// Who was late.
pub(crate) struct WhoWasLate {
    /// In more steps than chance explains, costliest first.
    pub(crate) stragglers: Vec<Late>,
    /// Where there are none, who was last in most steps all the same.
    pub(crate) often: Option<Often>,
    /// In each step with a matched collective, in order of time.
    pub(crate) steps: Vec<LateStep>,
}

/// Who was late, in one step or in many.
pub(crate) fn who_was_late(session: &Session, selected: &Selected<'_>) -> WhoWasLate {
    let evidence = Evidence::of(session, selected);
    let Blamed {
        steps: blamed,
        stragglers,
        ..
    } = blamed(&evidence, selected);
    let steps = blamed.iter().map(|of| LateStep {
        step: of.step,
        name: stragglers.name_of(session, of.device).to_owned(),
        collective: evidence.survey.ops[of.op].name.clone(),
        lateness_ps: of.lateness_ps,
        caused_ps: of.caused_ps,
        activity: of.activity.text.clone(),
    });
    WhoWasLate {
        steps: steps.collect(),
        stragglers: late(session, &blamed, &stragglers),
        often: stragglers.often.as_ref().map(|one| Often {
            name: stragglers.name_at(session, one.place).to_owned(),
            last_count: one.last_count,
            step_count: one.step_count,
            clear_last_count: one.clear_last_count,
        }),
    }
}

fn late(
    session: &Session,
    blamed: &[blame::StepBlame],
    stragglers: &stragglers::Stragglers,
) -> Vec<Late> {
    let rows = rows::blame(session, blamed);
    let mut found: Vec<Late> = stragglers
        .found
        .iter()
        .filter_map(|one| {
            let name = stragglers.name(session, one);
            let is_own = |row: &&BlameRow| {
                name == if stragglers.are_hosts {
                    row.host.as_str()
                } else {
                    row.device.as_str()
                }
            };
            Some(Late {
                last_count: one.last_count,
                clear_count: one.clear_count,
                step_count: one.step_count,
                cost_ps: one.cost_ps,
                blame: rows.iter().find(is_own)?.clone(),
                name: name.to_owned(),
            })
        })
        .collect();
    found.sort_by(|a, b| b.cost_ps.total_cmp(&a.cost_ps));
    found
}

fn notes(
    evidence: &Evidence<'_>,
    selected: &Selected<'_>,
    lateness: &places::Lateness,
    stragglers: &stragglers::Stragglers,
) -> Vec<Note> {
    let session = evidence.session;
    let mut notes = Vec::new();
    if let Some(text) = stragglers.sentence(session) {
        notes.push(Note::warning("blame-unknown", text));
    }
    notes.extend(step_notes(session, Some(selected)));
    if lateness.has_any() {
        let mut ops: Vec<usize> = evidence.instances().map(|(_, one)| one.op).collect();
        let count = ops.len();
        ops.sort_unstable();
        ops.dedup();
        notes.push(Note::info(
            "occurrences-matched",
            format!(
                "{} of {} {} matched across participants; their arrival times show who was late.",
                format::counted(count, "occurrence"),
                format::counted(ops.len(), "collective"),
                if count == 1 { "was" } else { "were" },
            ),
        ));
    } else if session.devices.len() > 1 || session.hosts.len() > 1 {
        notes.push(unmatched(evidence));
    }
    if session.hosts.len() == 1 {
        notes.push(Note::info(
            "one-host",
            if session.devices.len() > 1 {
                "The session has one host, so its devices are compared with each other."
            } else {
                "The session has one host and one device, so there is nothing to compare."
            },
        ));
    } else if !evidence.clocks.has_any() {
        notes.push(Note::info(
            "clocks-not-aligned",
            "Clocks could not be aligned, because no two hosts have a collective in common. Times of \
             each host are by its own clock.",
        ));
    }
    notes
}

/// Why it is unknown which participants waited for which.
fn unmatched(evidence: &Evidence<'_>) -> Note {
    const REST: &str = "so hosts and devices are compared by step time only.";
    const ALL_HOSTS: &str = "Capture all hosts of the job at the same time.";
    let executed = evidence.executed_ops();
    if evidence.survey.ops.is_empty() {
        let text = "No collective was recorded";
        return Note::info("blame-unknown", format!("{text}, {REST}")).with_hint(ALL_HOSTS);
    }
    if executed.is_empty() {
        return Note::info(
            "blame-unknown",
            format!("No collective was executed in this selection, {REST}"),
        );
    }
    let participants = &evidence.matched.participants;
    let is_unknown = |&op: &usize| participants[op].grouping == Grouping::Unknown;
    if executed.iter().any(is_unknown) {
        return Note::info(
            "blame-unknown",
            format!(
                "The profile does not record which devices take part in each collective, {REST}"
            ),
        )
        .with_hint(recording::programs(evidence.session));
    }
    Note::info(
        "blame-unknown",
        format!(
        "The recorded collectives could not be matched across the devices of this session, {REST}"
    ))
    .with_hint(ALL_HOSTS)
}
