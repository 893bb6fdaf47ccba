//! Comparisons that measure every session by itself, so that they can ask more sessions than can be
//! open at a time, and sessions that were measured before without opening them.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::comparison::{Compared, Comparison};
use super::error::AnalysisError;
use super::selection::Selection;

/// A session that a comparison asks.
#[derive(Clone, Copy)]
pub enum Asked<'a> {
    /// It is open.
    Open(Compared<'a>),
    /// It was measured before.
    Measured {
        /// Name that the reader knows, unique within the comparison.
        name: &'a str,
        /// What [`ComparisonEntry::measured`](super::ComparisonEntry::measured) returned.
        measured: &'a str,
    },
}

/// Sessions that are asked one after another: each has to be open only while it is asked.
pub trait EachSession {
    /// Calls `ask` with every session, in order; stops at the first error. If `known` names a
    /// comparison, a session that it measured before need not be open.
    fn each(
        &mut self,
        known: Option<&'static str>,
        ask: &mut dyn FnMut(Asked<'_>) -> Result<(), AnalysisError>,
    ) -> Result<(), AnalysisError>;
}

/// Sessions that are open anyway.
impl EachSession for &[Compared<'_>] {
    fn each(
        &mut self,
        _known: Option<&'static str>,
        ask: &mut dyn FnMut(Asked<'_>) -> Result<(), AnalysisError>,
    ) -> Result<(), AnalysisError> {
        self.iter().copied().map(Asked::Open).try_for_each(ask)
    }
}

/// A comparison that measures every session by itself and then compares what it measured.
pub trait AsksEach: Comparison {
    /// What it measures of a session.
    type Measured: Serialize + DeserializeOwned;

    /// The part of each session that is measured.
    fn selection(options: &Self::Options) -> &Selection;

    /// What is wrong with the options, before any session is opened.
    fn check(options: &Self::Options) -> Result<(), AnalysisError>;

    /// Measures a session. A session that the comparison skips is no error.
    fn measure(one: Compared<'_>, selection: &Selection) -> Result<Self::Measured, AnalysisError>;

    /// The report on sessions by name, in the given order.
    fn report(
        measured: Vec<(String, Self::Measured)>,
        options: &Self::Options,
    ) -> Result<Self::Report, AnalysisError>;

    /// The computation, as [`Comparison::run`].
    fn run_each(
        sessions: &mut dyn EachSession,
        options: &Self::Options,
    ) -> Result<Self::Report, AnalysisError> {
        Self::check(options)?;
        let selection = Self::selection(options);
        let known = selection.is_everything().then_some(Self::NAME);
        let mut found = Vec::new();
        sessions.each(known, &mut |asked| {
            found.push(match asked {
                Asked::Open(one) => (one.name.to_owned(), measured::<Self>(one, selection)?),
                Asked::Measured { name, measured } => (name.to_owned(), read(measured)?),
            });
            Ok(())
        })?;
        Self::report(found, options)
    }
}

/// What a comparison measures of a whole session, as JSON.
pub(super) fn measured_text<C: AsksEach + ?Sized>(
    one: Compared<'_>,
) -> Result<String, AnalysisError> {
    let measured = measured::<C>(one, &Selection::default())?;
    serde_json::to_string(&measured).map_err(|error| internal(&error))
}

fn measured<C: AsksEach + ?Sized>(
    one: Compared<'_>,
    selection: &Selection,
) -> Result<C::Measured, AnalysisError> {
    let measured = AnalysisError::unless_changed(one.session, || C::measure(one, selection));
    measured.map_err(|error| error.of_session(one.name))
}

fn read<T: DeserializeOwned>(measured: &str) -> Result<T, AnalysisError> {
    serde_json::from_str(measured).map_err(|error| internal(&error))
}

fn internal(error: &serde_json::Error) -> AnalysisError {
    AnalysisError::Internal(error.to_string())
}
