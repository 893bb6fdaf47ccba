//! The session, and the part of it, that something is explained of.

use stepscope_analysis::{AnalysisError, Entry};
use stepscope_server::OpenSession;

use crate::asked::refused;
use crate::page::Next;
use crate::roots::Refusal;
use crate::tools::Pairs;

pub(super) struct About<'a> {
    pub(super) open: &'a OpenSession,
    pub(super) handle: &'a str,
    pub(super) pairs: &'a Pairs,
}

impl About<'_> {
    pub(super) fn refused(&self, error: AnalysisError, entry: &Entry) -> Refusal {
        refused(error, entry, self.handle)
    }

    pub(super) fn next(&self, kind: &str, id: String, why: &str) -> Next {
        let next = Next::new("explain", &[("session", self.handle), ("kind", kind)], why);
        next.with("id", id)
    }
}
