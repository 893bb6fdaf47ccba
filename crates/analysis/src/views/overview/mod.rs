//! `overview`: step time, where it goes, and what to look at first.
//!
//! Step time and parts come from `steps`, the top ops from `ops`; busy time is the union of work
//! intervals (`busy`). The verdicts compare these figures with [`thresholds`].

mod balance;
mod columns;
mod figures;
mod headline;
mod notes;
mod reasons;
mod report;
mod tables;
mod verdicts;

use clap::Args;
pub(crate) use figures::{NO_OCCUPANCY, compute_bound_kernels, occupancy};
pub use report::{IdleKind, IdleShare, OverviewReport, StepBalance, Verdict};
use stepscope_model::Session;
pub(crate) use verdicts::LEAST_OF_STEP;

use crate::asking::group::Group;
use crate::asking::selection::Selection;
use crate::asking::{Analysis, AnalysisError};
use crate::measuring::busy;
use crate::measuring::environment::environment;
use crate::measuring::occupation::occupation;
use crate::telling::thresholds::Thresholds;
use crate::views::glance::Glance;
use crate::views::ops::{GroupBy, OpRow, OpsOptions, OpsReport, filtered_rows, from_totals};
use crate::views::roofline::{ModelFlops, utilization};

/// The `overview` analysis.
pub struct Overview;

/// Options of [`Overview`].
#[derive(Debug, Clone, Default, Args)]
pub struct OverviewOptions {
    /// Which part of the session. `--program`, `--match`, `--sort` and `--limit` apply to the top
    /// ops.
    #[command(flatten)]
    pub selection: Selection,
    /// File with thresholds that replace the built-in ones: lines of `key = good bad`
    #[arg(long, value_name = "FILE")]
    pub thresholds: Option<String>,
    /// What the model needs, for MFU.
    #[command(flatten)]
    pub model: ModelFlops,
}

/// Number of top ops shown by default.
const TOP_OPS: usize = 10;

impl Analysis for Overview {
    const NAME: &'static str = "overview";
    const ALIASES: &'static [&'static str] = &["overview_page"];
    const SUMMARY: &'static str = "Step time, where it goes, and what to look at first";
    const GROUP: Group = Group::Summary;
    const EXAMPLES: &'static str = "\
# The whole answer
stepscope overview ./logs
# Without the steps that warm up
stepscope overview ./logs --steps 5..
# With custom thresholds, a file with lines such as: device_busy_ratio = 0.9 0.7
stepscope overview ./logs --thresholds thresholds.txt --json";
    type Options = OverviewOptions;
    type Report = OverviewReport;

    fn run(session: &Session, options: &OverviewOptions) -> Result<OverviewReport, AnalysisError> {
        let thresholds = match &options.thresholds {
            Some(text) => Thresholds::parse(text)?,
            None => Thresholds::default(),
        };
        let unfiltered = Selection {
            program: None,
            pattern: None,
            sort: None,
            limit: None,
            ..options.selection.clone()
        };
        let selected = unfiltered.resolve(session)?;
        let glance = Glance::of(session, &selected);
        let all = OpsOptions {
            selection: unfiltered,
            by: GroupBy::Op,
        };
        let ops = from_totals(session, &selected, &all, &glance.totals, Vec::new())?;
        let step_parts = glance.step_parts();
        let model_flops = options.model.checked()?;
        let utilization = utilization(session, &selected, &glance.ops.ops, model_flops);
        let facts = figures::Facts {
            session,
            selected: &selected,
            devices: &glance.devices,
            busy_ratio: glance.busy_ratio,
            step_parts: &step_parts,
            steps: &glance.steps.rows,
            ops: &ops,
            measured: &glance.ops.ops,
            totals: &glance.totals,
            utilization: &utilization,
            occupation: occupation(session, &selected, &glance.steps.rows, &glance.devices),
        };
        let verdicts = verdicts::verdicts(&facts, &thresholds);
        let mut headline =
            headline::headline(&step_parts, facts.occupation, glance.busy_ratio.is_some());
        headline.push_str(&headline::between(glance.step_time.as_ref()));
        let mut notes = notes::notes(
            session,
            &selected,
            &glance.devices,
            &ops,
            &glance.steps.rows,
        );
        notes.extend(notes::of_selection(&options.selection));
        let top_ops = top_ops(session, options, ops)?;
        Ok(OverviewReport {
            session: session.name.clone(),
            duration_ps: session
                .captured()
                .map_or(0, |captured| captured.duration().0),
            start_epoch_ns: session.epoch_ns.map(|epoch| epoch.to_string()),
            step_time_ps: glance.step_time.clone(),
            headline,
            step_parts,
            step_balance: balance::balance(session, &selected, &glance),
            step_series: glance.bars.clone(),
            device_busy_ratio: glance.busy_ratio,
            device_busy_count: busy::counted(&glance.devices, &glance.steps.rows).len(),
            devices: glance.devices.clone(),
            hfu_ratio: utilization.hfu,
            mfu_ratio: utilization.mfu,
            flops_known_ratio: utilization.known_ratio,
            utilization: utilization.derivation,
            top_ops,
            verdicts,
            environment: environment(session, &selected),
            notes,
        })
    }
}

/// The top ops, with the selection's filters and order.
fn top_ops(
    session: &Session,
    options: &OverviewOptions,
    all: OpsReport,
) -> Result<Vec<OpRow>, AnalysisError> {
    let selection = &options.selection;
    let mut rows = all.rows;
    if selection.program.is_some() || selection.pattern.is_some() || selection.sort.is_some() {
        let selection = Selection {
            limit: None,
            ..selection.clone()
        };
        rows = filtered_rows(session, &selection)?;
    }
    let limit = selection.limit.unwrap_or(TOP_OPS);
    rows.truncate(if limit == 0 { usize::MAX } else { limit });
    Ok(rows)
}
