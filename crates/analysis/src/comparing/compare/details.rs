//! What is measured of a session only where a cause asks for it: its gaps and its collectives.

use std::sync::OnceLock;

use stepscope_model::Session;

use crate::measuring::selection::Selected;
use crate::views::collectives::{CollectiveRow, exposure};
use crate::views::idle::{GapRow, StepCauses, gaps, step_causes};

/// So many gaps are explained, the longest first.
const MOST_GAPS: usize = 2000;

/// Measured when first asked for.
#[derive(Default)]
pub(super) struct Details {
    gaps: OnceLock<Vec<GapRow>>,
    causes: OnceLock<Vec<StepCauses>>,
    collectives: OnceLock<Vec<CollectiveRow>>,
}

impl Details {
    /// The longest gaps, longest first.
    pub(super) fn gaps(&self, session: &Session, selected: &Selected<'_>) -> &[GapRow] {
        let found = || gaps(session, selected, MOST_GAPS).longest;
        self.gaps.get_or_init(found)
    }

    /// What hosts did during the gaps of each step on each device.
    pub(super) fn causes(&self, session: &Session, selected: &Selected<'_>) -> &[StepCauses] {
        let found = || step_causes(session, selected);
        self.causes.get_or_init(found)
    }

    /// The collectives.
    pub(super) fn collectives(
        &self,
        session: &Session,
        selected: &Selected<'_>,
    ) -> &[CollectiveRow] {
        let found = || exposure(session, selected).rows;
        self.collectives.get_or_init(found)
    }
}
