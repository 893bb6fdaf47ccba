//! `steps`: every step on every device, its parts, and outliers.
//!
//! | Figure | Definition |
//! |---|---|
//! | row | one step on one device that recorded work; on a host without devices, the host |
//! | duration | the step's span on that device, or else the host's annotation |
//! | busy | union of the device's work within the span |
//! | parts | the duration divided by priority ([`parts`]); they sum to it exactly |
//! | step time | for each step, the host's annotation (mean over hosts), or else the mean over devices |
//! | outlier | 0.6745·abs(x − median) ÷ MAD > 3.5 and at least 5 % of the median, with at least 5 steps; or above twice the median, with a gap below it wider than the range of all others, with at least 3 steps |

mod columns;
mod report;
mod rows;
mod tables;

use clap::Args;
pub use report::{StepRow, StepsReport};
use stepscope_model::Session;

use crate::asking::group::Group;
use crate::asking::order;
use crate::asking::selection::Selection;
use crate::asking::{Analysis, AnalysisError};
use crate::measuring::steps::StepSource;

use crate::measuring::steps::{divide_steps, step_time};
use crate::telling::steps::step_notes;
use crate::telling::unknown_copies;

/// The `steps` analysis.
pub struct Steps;

/// Options of [`Steps`].
#[derive(Debug, Clone, Default, Args)]
pub struct StepsOptions {
    /// Which part of the session. `--program` selects the steps in which the program ran on the
    /// device; `--match` those whose host or device matches.
    #[command(flatten)]
    pub selection: Selection,
}

impl Analysis for Steps {
    const NAME: &'static str = "steps";
    const ALIASES: &'static [&'static str] = &["step_stats"];
    const SUMMARY: &'static str =
        "Each step on each device: its parts, which sum to it, and outliers";
    const GROUP: Group = Group::Summary;
    const EXAMPLES: &'static str = "\
# All steps with their parts
stepscope steps ./logs
# The longest steps of one host
stepscope steps ./logs --host host-2 --sort duration_ps --limit 5
# Steps 10 to 19 as CSV
stepscope steps ./logs --steps 10..20 --csv";
    type Options = StepsOptions;
    type Report = StepsReport;

    fn run(session: &Session, options: &StepsOptions) -> Result<StepsReport, AnalysisError> {
        let selected = options.selection.resolve(session)?;
        let all = divide_steps(session, &selected);
        let mut rows = rows::report_rows(session, &all.rows);
        rows.retain(|row| selected.matches(&[&row.host, &row.device]));
        let row_count = order::arrange(&mut rows, &options.selection, columns::ROWS)?;
        let mut notes = step_notes(session, Some(&selected));
        notes.extend(unknown_copies(session, &selected));
        Ok(StepsReport {
            source: session
                .step_origin
                .map(StepSource::from)
                .filter(|_| !session.steps.is_empty()),
            step_time_ps: step_time(session, &selected),
            rows,
            row_count,
            notes,
        })
    }
}
