//! Sessions for comparisons that ask one after another: any number of them.

use stepscope_analysis::asking::{Asked, EachSession};
use stepscope_analysis::{AnalysisError, Compared};
use stepscope_catalog::Catalog;
use stepscope_model::Reads;
use stepscope_storage::SessionFiles;

use crate::open;
use crate::output::Output;

/// Sessions that are open only while they are asked. What is in the catalog is not opened; what
/// cannot be opened is left out with a warning.
pub(super) struct OneByOne<'a> {
    /// Each with its name.
    pub(super) sessions: Vec<(&'a str, &'a SessionFiles)>,
    pub(super) output: &'a Output,
}

impl EachSession for OneByOne<'_> {
    fn each(
        &mut self,
        known: Option<&'static str>,
        ask: &mut dyn FnMut(Asked<'_>) -> Result<(), AnalysisError>,
    ) -> Result<(), AnalysisError> {
        let catalog = Catalog::of_user();
        if known.is_some() {
            catalog.bring(self.sessions.iter().map(|(_, files)| *files));
            open::warn_of_catalog(&catalog, self.output);
        }
        for &(name, files) in &self.sessions {
            let measured = known.and_then(|comparison| catalog.measured(files, comparison));
            if let Some(measured) = &measured {
                ask(Asked::Measured { name, measured })?;
                continue;
            }
            match open::open_owned(files, Reads::Everything, self.output) {
                Ok(session) => {
                    open::warn(&session, &[], self.output);
                    ask(Asked::Open(Compared {
                        name,
                        session: &session,
                    }))?;
                }
                Err(failure) => self.output.warn(&format!("left out: {failure}"), ""),
            }
        }
        Ok(())
    }
}
