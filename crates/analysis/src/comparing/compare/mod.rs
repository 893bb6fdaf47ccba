//! `compare`: what changed between sessions, and whether it is more than noise.
//!
//! The first session is the baseline; every other session is compared with it.
//!
//! | Figure | Definition |
//! |---|---|
//! | step | for each step, the mean over hosts of the mean over the host's devices, as in `overview` |
//! | typical steps | the selected steps except outliers, by the rule of `steps` |
//! | effect | mean of the typical steps − that of the baseline, its interval as in [`noise`] |
//! | beyond noise | the interval excludes 0 and the ranks agree; for ops, after the Benjamini-Hochberg procedure; or no steps overlap and different work ran ([`ranges`]) |
//! | op | matched by meaning: [`pairing`], [`matching`] |
//! | waterfall | the difference of the mean over all steps, as a sum: [`waterfall`] |

mod cause;
mod causes;
mod columns;
mod conclusion;
mod details;
mod figures;
mod given;
mod groups;
mod host_time;
pub(crate) mod items;
mod joined;
mod kernels;
mod lone_programs;
mod loops;
mod matching;
mod memory;
mod nodes;
pub(crate) mod noise;
mod notes;
mod options;
pub(crate) mod pair;
mod pairing;
mod program_runs;
mod programs;
mod ranges;
mod report;
pub(crate) mod side;
mod sizes;
mod surroundings;
mod tables;
mod unit;
pub(crate) mod waterfall;

pub use options::CompareOptions;
pub(crate) use options::{CONFIDENCE, checked_confidence, run_noise};
pub use report::{
    BarKind, CompareReport, ComparedCause, ComparedFact, ComparedKernel, ComparedMethod,
    ComparedOp, ComparedOpSide, ComparedOpcode, ComparedPart, ComparedProgram, ComparedSession,
    ComparedStep, Evidence, MethodUnit, SessionDifference, TimeDifference, WaterfallBar,
};

use crate::asking::group::Group;
use crate::asking::order;
use crate::asking::selection::Selection;
use crate::asking::{AnalysisError, Compared, Comparison};
use crate::measuring::steps::parts::PARTS;
pub(crate) use conclusion::other_unit;
use pair::Both;
pub(crate) use ranges::{are_far_apart, effect_of_ranges};
use side::{Side, listed};

/// The `compare` comparison.
pub struct Compare;

impl Comparison for Compare {
    const NAME: &'static str = "compare";
    const ALIASES: &'static [&'static str] = &["diff_sessions"];
    const SUMMARY: &'static str =
        "What changed between sessions, and whether it is more than noise";
    const EXAMPLES: &'static str = "\
# The last two sessions of a log directory
stepscope compare ./logs
# Before and after, the baseline first
stepscope compare ./before ./after
# Sessions of one log directory, as Git names commits
stepscope compare ./logs latest~3 latest
# Three optimizers, compared with the first
stepscope compare ./logs/adam ./logs/manifold_muon ./logs/hyperspherical_descent
# Two implementations in one capture, by name scope, kernel by kernel
stepscope compare ./logs --scope lcam,tad --table kernels
# Without warm-up steps, as JSON
stepscope compare ./before ./after --steps 5.. --json";
    const GROUP: Group = Group::Summary;
    const LEAST_SESSIONS: usize = 2;
    type Options = CompareOptions;
    type Report = CompareReport;

    fn least_sessions(options: &CompareOptions) -> usize {
        match options.scopes().len() {
            0 | 1 => Self::LEAST_SESSIONS,
            _ => 1,
        }
    }

    fn run(
        sessions: &[Compared<'_>],
        options: &CompareOptions,
    ) -> Result<CompareReport, AnalysisError> {
        let noise = options.noise()?;
        let sides = Side::all(sessions, &options.selection, options.model)?;
        let Some((baseline, others)) = sides.split_first() else {
            return Err(AnalysisError::Internal("no session was given".to_owned()));
        };
        let mut differences = Vec::new();
        let mut ops = Vec::new();
        for (index, other) in others.iter().enumerate() {
            let both = Both::of([baseline, other], index + 1, noise, options.confidence);
            differences.push(difference(&both));
            ops.extend(selected_ops(&both, &options.selection)?);
        }
        if others.len() > 1 {
            ops.sort_by(|a, b| {
                let weight = |op: &ComparedOp| op.step_difference_ps.abs();
                weight(b).total_cmp(&weight(a))
            });
        }
        let op_count = order::arrange(&mut ops, &options.selection, columns::OPS)?;
        let (mut methods, mut kernels) = kernels::methods(sessions, options)?;
        kernels::set_ratios(&mut methods);
        let kernel_count = kernels.len();
        if let Some(limit) = options.selection.limit.filter(|&limit| limit > 0) {
            kernels.truncate(limit);
        }
        Ok(CompareReport {
            notes: notes::notes(&sides, &differences, options),
            sessions: sides.iter().map(Side::report).collect(),
            differences,
            ops,
            op_count,
            methods,
            kernels,
            kernel_count,
            confidence_ratio: options.confidence,
        })
    }
}

pub(crate) fn difference(both: &Both<'_, '_>) -> SessionDifference {
    let parts: Vec<ComparedPart> = PARTS
        .into_iter()
        .map(|part| ComparedPart {
            part,
            time: both.part(part),
        })
        .collect();
    let of_part = |part| {
        let found = parts.iter().find(|one| one.part == part);
        found.map_or(Evidence::TooFewSteps, |one| one.time.evidence)
    };
    let waterfall = waterfall::bars(
        both.sides,
        &both.changes,
        |op| both.name(op).to_owned(),
        |op| both.evidence(op),
        of_part,
    );
    let step = both.step();
    let (parts, waterfall, outliers) = match step {
        Some(_) => (parts, waterfall, waterfall::outliers(both.sides)),
        // Without steps of one unit on both sides, nothing can be told per step.
        None => (Vec::new(), Vec::new(), Vec::new()),
    };
    let programs = programs::programs(both);
    let environment = surroundings::environment(both.sides);
    SessionDifference {
        session: both.session,
        conclusion: conclusion::conclusion(both, step.as_ref()),
        causes: causes::causes(
            both,
            step.as_ref(),
            waterfall.iter().chain(&outliers),
            &programs,
            &environment,
        ),
        step,
        parts,
        waterfall,
        outliers,
        programs,
        environment,
    }
}

/// The ops that pass `--program` and `--match` on at least one side.
fn selected_ops(
    both: &Both<'_, '_>,
    selection: &Selection,
) -> Result<Vec<ComparedOp>, AnalysisError> {
    let patterns = listed(both.sides[0], selection)?;
    let wanted = selection.program.as_deref();
    let has_program = |side: &ComparedOpSide| {
        let mut names = wanted.into_iter().flat_map(|wanted| wanted.split(','));
        let name = side.program.to_lowercase();
        wanted.is_none()
            || names.any(|part| {
                let part = part.trim();
                !part.is_empty() && (side.program_id == part || name.contains(&part.to_lowercase()))
            })
    };
    let passes = |side: &ComparedOpSide| {
        has_program(side)
            && patterns.matches(&[&side.name, &side.category, &side.scope, &side.source])
    };
    let mut ops = both.ops();
    ops.retain(|op| [&op.baseline, &op.other].into_iter().flatten().any(passes));
    Ok(ops)
}
