//! Which results of a program take over the memory of its arguments: those that the caller donated.

use prost::Message;

use crate::outline::Outline;

/// A result that takes over the memory of an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    /// Where the result is in what the program returns: positions in tuples, outermost first.
    pub output: Vec<i64>,
    /// Number of the argument.
    pub parameter: i64,
    /// Where in the argument, if it is a tuple.
    pub parameter_index: Vec<i64>,
    /// Whether the caller insists, so that it never reads the argument again.
    pub is_required: bool,
}

impl Outline<'_> {
    /// The results that take over the memory of an argument.
    pub fn aliases(&self) -> Vec<Alias> {
        let head = ModuleHead::decode(self.module).unwrap_or_default();
        let entries = head.aliases.unwrap_or_default().entries.into_iter();
        let aliases = entries.map(|entry| Alias {
            output: entry.output,
            parameter: entry.parameter,
            parameter_index: entry.parameter_index,
            is_required: entry.kind == REQUIRED,
        });
        aliases.collect()
    }

    /// Whether the order of the instructions is that of their execution.
    pub(crate) fn is_scheduled(&self) -> bool {
        let head = ModuleHead::decode(self.module).unwrap_or_default();
        head.schedule.is_some()
    }
}

impl Alias {
    /// `{0}: (1, {}, may-alias)`, as the text of a module has it.
    pub(crate) fn text(&self) -> String {
        let index = |numbers: &[i64]| {
            let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
            numbers.join(",")
        };
        let kind = if self.is_required { "must" } else { "may" };
        format!(
            "{{{}}}: ({}, {{{}}}, {kind}-alias)",
            index(&self.output),
            self.parameter,
            index(&self.parameter_index)
        )
    }
}

const REQUIRED: i32 = 2;

/// The facts of a module beside its computations.
#[derive(Clone, PartialEq, Message)]
struct ModuleHead {
    #[prost(bytes = "vec", optional, tag = "7")]
    schedule: Option<Vec<u8>>,
    #[prost(message, optional, tag = "8")]
    aliases: Option<Aliases>,
}

#[derive(Clone, PartialEq, Message)]
struct Aliases {
    #[prost(message, repeated, tag = "1")]
    entries: Vec<Entry>,
}

#[derive(Clone, PartialEq, Message)]
struct Entry {
    #[prost(int64, repeated, tag = "1")]
    output: Vec<i64>,
    #[prost(int64, tag = "2")]
    parameter: i64,
    #[prost(int64, repeated, tag = "3")]
    parameter_index: Vec<i64>,
    #[prost(int32, tag = "4")]
    kind: i32,
}
