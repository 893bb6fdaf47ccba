//! `critical_path`: what each step waited for, in order, and how much room the rest has.
//!
//! | Figure | Definition |
//! |---|---|
//! | replay | every start is computed from what the work waits for ([`crate::views::replay`]), not from its recorded start |
//! | admission | the replay gives every selected step within 0.5 %; otherwise there is no answer |
//! | path | from the end of a step, on the device that finishes last, back to its start: at each instant what was waited for; its pieces sum to the step |
//! | slack | latest end with which no selected step ends later − replayed end |

pub(crate) mod collect;
mod columns;
mod report;
mod tables;
mod waits;

use clap::Args;
pub use report::{
    CriticalPathReport, PathKindRow, PathOpRow, PathRow, PathScopeRow, PathStepRow, WaitRow,
};
use stepscope_model::Session;

use self::collect::Paths;
use crate::asking::group::Group;
use crate::asking::order;
use crate::asking::selection::Selection;
use crate::asking::{Analysis, AnalysisError};
use crate::telling::Note;
use crate::views::replay::Replay;
use crate::views::replay::admission::Admission;
use crate::views::replay::effects::Effects;
use crate::views::replay::told;

/// The `critical_path` analysis.
pub struct CriticalPath;

/// Options of [`CriticalPath`].
#[derive(Debug, Clone, Default, Args)]
pub struct CriticalPathOptions {
    /// Which part of the session. `--steps` and `--device` select whose ends count; paths lead over
    /// any device and host.
    #[command(flatten)]
    pub selection: Selection,
    /// List the paths of all selected steps, not only of the one of median length
    #[arg(long)]
    pub all_steps: bool,
    /// Also say why this slice started when it did: TRACK:LANE:INDEX, as in links to the timeline
    #[arg(long, value_name = "SLICE")]
    pub slice: Option<String>,
}

/// Ops listed by default.
const MOST_OPS: usize = 100;

impl Analysis for CriticalPath {
    const NAME: &'static str = "critical_path";
    const GROUP: Group = Group::Waiting;
    const ALIASES: &'static [&'static str] = &["critical-path"];
    const SUMMARY: &'static str =
        "What each step waited for, in order: ops, transfers, launches, hosts, gaps; slack of ops";
    const EXAMPLES: &'static str = "\
# What the steps waited for
stepscope critical_path ./logs
# The path of step 12 in order, as CSV
stepscope critical_path ./logs --steps 12 --csv --limit 0
# Why a slice started when it did; its address is in the link to it
stepscope critical_path ./logs --slice 12:0:345
# Ops with no slack
stepscope critical_path ./logs --csv --table ops";
    type Options = CriticalPathOptions;
    type Report = CriticalPathReport;

    fn run(
        session: &Session,
        options: &CriticalPathOptions,
    ) -> Result<CriticalPathReport, AnalysisError> {
        let selected = options.selection.resolve(session)?;
        let replay = Replay::of(session);
        let admission = Admission::of(session, &replay, &selected);
        if let Some(refusal) = admission.refusal {
            return Ok(refused(refusal, admission.error_ratio));
        }
        let paths = Paths::of(
            session,
            &replay,
            &admission.steps,
            &Effects::none(),
            &replay.unchanged,
        );
        let kinds = paths.kinds();
        let mut notes = told::notes(session, &replay);
        let (steps, path_ps) = (&admission.steps, paths.mean_ps());
        notes.extend(told::other_steps(session, &selected, steps, path_ps));
        if let Some(share) = collect::unexplained(&kinds) {
            notes.push(Note::warning(
                "path-unexplained",
                format!(
                    "{share} of the paths are gaps that nothing recorded explains. They keep their \
                     length in every answer."
                ),
            ));
        }
        let shown = paths.median().filter(|_| !options.all_steps);
        let (shown_step, shown_device) =
            shown.map_or((None, String::new()), |position| paths.title(position));
        let mut rows: Vec<PathRow> = match shown {
            Some(position) => paths.rows(position),
            None => (0..paths.len()).flat_map(|one| paths.rows(one)).collect(),
        };
        let (why, waits) = match &options.slice {
            Some(slice) => waits::of(session, &replay, slice)?,
            None => Default::default(),
        };
        rows.retain(|row| selected.matches(&[&row.what, row.kind.name(), &row.place]));
        let row_count = order::arrange(&mut rows, &options.selection, columns::ROWS)?;
        let mut ops = paths.ops(&admission.steps);
        ops.retain(|row| {
            selected.matches(&[
                &row.name,
                row.kind.name(),
                &row.scope,
                &row.source,
                &row.program,
            ])
        });
        let op_count = ops.len();
        ops.truncate(match options.selection.limit {
            Some(0) => usize::MAX,
            Some(limit) => limit,
            None => MOST_OPS,
        });
        if let Some(step) = shown_step.filter(|_| paths.len() > 1) {
            notes.push(
                Note::info(
                    "median-step",
                    format!(
                        "The path of step {step} is listed: its length is closest to the median."
                    ),
                )
                .with_hint("`--steps N` lists the path of another step"),
            );
        }
        Ok(CriticalPathReport {
            is_admitted: true,
            refusal: String::new(),
            error_ratio: admission.error_ratio,
            path_ps,
            step_count: paths.len(),
            shown_step,
            shown_device,
            rows,
            row_count,
            kinds,
            ops,
            op_count,
            scopes: paths.scopes(),
            steps: paths.steps(),
            why,
            waits,
            notes,
        })
    }
}

fn refused(refusal: String, error_ratio: f64) -> CriticalPathReport {
    CriticalPathReport {
        is_admitted: false,
        error_ratio,
        path_ps: None,
        step_count: 0,
        shown_step: None,
        shown_device: String::new(),
        rows: Vec::new(),
        row_count: 0,
        kinds: Vec::new(),
        ops: Vec::new(),
        op_count: 0,
        scopes: Vec::new(),
        steps: Vec::new(),
        why: String::new(),
        waits: Vec::new(),
        notes: vec![told::refused(&refusal)],
        refusal,
    }
}
