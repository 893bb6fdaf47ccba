//! The session, and the part of it, that something is explained of; and the explanation.

use serde_json::{Map, Value};
use stepscope_analysis::views::timeline::SliceRefReport;
use stepscope_analysis::{AnalysisError, Entry};
use stepscope_server::OpenSession;

use crate::asked::{options_of, refused};
use crate::page::{Next, Whole};
use crate::roots::Refusal;
use crate::tools::{Pairs, ask_about};

pub(super) struct About<'a> {
    pub(super) open: &'a OpenSession,
    pub(super) handle: &'a str,
    pub(super) pairs: &'a Pairs,
}

/// What is said, and where a person sees it.
pub(super) struct Explained {
    pub(super) whole: Whole,
    pub(super) view: String,
    /// Parameters of the page, beside the selection that was asked for.
    pub(super) parameters: Pairs,
}

impl About<'_> {
    pub(super) fn refused(&self, error: AnalysisError, entry: &Entry) -> Refusal {
        refused(error, entry, self.handle)
    }

    pub(super) fn next(&self, kind: &str, id: String, why: &str) -> Next {
        let next = Next::new("explain", &[("session", self.handle), ("kind", kind)], why);
        next.with("id", id)
    }

    pub(super) fn slice(&self, slice: SliceRefReport, why: &str) -> Next {
        self.next("slice", address(slice), why)
    }

    /// A call of `ask` for the part that was asked for, narrowed to another one; without the options
    /// that the analysis does not have.
    pub(super) fn ask(&self, entry: &Entry, narrower: Pairs, why: &str) -> Next {
        let known = options_of(entry);
        let all = self.pairs.iter().cloned().chain(narrower);
        let options: Map<String, Value> = all
            .filter(|(name, value)| known.contains(name) && !value.is_empty())
            .map(|(name, value)| (name, Value::from(value)))
            .collect();
        let next = ask_about(self.handle, entry.name, why);
        if options.is_empty() {
            return next;
        }
        next.with("options", Value::Object(options))
    }
}

/// The address of a slice, as answers write it.
pub(super) fn address(slice: SliceRefReport) -> String {
    format!("{}/{}/{}", slice.track, slice.lane, slice.index)
}
