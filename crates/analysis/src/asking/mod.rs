//! Asking: how a question is declared, how its options are parsed, and the form of its answer.

pub mod analysis;
mod answer;
pub mod comparison;
mod comparison_entry;
mod each;
pub mod error;
pub mod group;
mod names;
pub mod order;
mod refusal;
mod report;
pub mod selection;

pub use analysis::{Analysis, Declaration, Entry};
pub use answer::Answer;
pub use comparison::{Asks, Compared, Comparison, NamedText};
pub use comparison_entry::{ComparisonEntry, ask};
pub use each::{Asked, AsksEach, EachSession};
pub use error::AnalysisError;
pub use group::Group;
pub use names::distinct_names;
pub use report::Report;
pub use selection::Selection;
