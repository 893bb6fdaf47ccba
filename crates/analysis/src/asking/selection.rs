//! Options that select a part of a session, the same on every surface.

use clap::Args;
use stepscope_model::Session;

use super::error::AnalysisError;
use crate::measuring::selection::{Parts, Selected, Wanted, wanted_times};

/// Which part of the session to look at.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Selection")]
pub struct Selection {
    /// Steps by number: `5`, `3..8` (8 excluded), `3..=8`, `3..`, `..8`, or a list `1,4,7..9`
    #[arg(long, value_name = "STEPS", allow_hyphen_values = true)]
    pub steps: Option<String>,
    /// Steps with this name, such as `eval`; by default the name with the most steps,
    /// evaluations aside
    #[arg(long, value_name = "NAME")]
    pub series: Option<String>,
    /// Times since the start of the session: `1.2s..1.5s`, `300ms..`, `..2s`, or a list of these;
    /// selects what begins within them
    #[arg(long, value_name = "TIME")]
    pub time: Option<String>,
    /// Devices by number in the session, or by name or part of it, ignoring case: `0`, `0,1`, `GPU:3`
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
    /// Hosts by name or part of it, ignoring case, comma-separated
    #[arg(long, value_name = "HOST")]
    pub host: Option<String>,
    /// Programs by id or by part of the name, ignoring case, comma-separated
    #[arg(long, value_name = "PROGRAM")]
    pub program: Option<String>,
    /// Rows whose name, category, scope or source matches this regular expression
    #[arg(long = "match", value_name = "REGEX")]
    pub pattern: Option<String>,
    /// Sort by this column, largest first; a leading `-` sorts smallest first
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    pub sort: Option<String>,
    /// At most this many rows; 0 means all
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

impl Selection {
    /// Resolves the selection.
    ///
    /// # Errors
    ///
    /// A part is invalid or matches nothing.
    pub fn resolve<'a>(&self, session: &'a Session) -> Result<Selected<'a>, AnalysisError> {
        Ok(self.wanted().resolve(session)?)
    }

    /// The selected part of every row of the session.
    ///
    /// # Errors
    ///
    /// A part is invalid or matches nothing.
    pub fn parts(&self, session: &Session) -> Result<Parts, AnalysisError> {
        Ok(wanted_times(session, &self.wanted())?)
    }

    /// Whether the whole session is selected.
    pub fn is_everything(&self) -> bool {
        self.wanted() == Wanted::default()
    }

    /// The text of the selection, without sort order and limit, which apply to the rows of an answer.
    pub fn wanted(&self) -> Wanted<'_> {
        Wanted {
            steps: self.steps.as_deref(),
            series: self.series.as_deref(),
            time: self.time.as_deref(),
            device: self.device.as_deref(),
            host: self.host.as_deref(),
            program: self.program.as_deref(),
            pattern: self.pattern.as_deref(),
        }
    }
}
