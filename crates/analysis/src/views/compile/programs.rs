//! Finds the program that a compilation produced, and how it differs from the previous one.

use std::collections::{BTreeMap, BTreeSet};

use stepscope_model::hlo::{self, Instruction};
use stepscope_model::host_names::{module_function, plain_function};
use stepscope_model::{HostId, Picos, ProgramId, Session, Span};

use super::contents::{self, without_layout};

/// Maximum number of changed arguments that are listed.
const MOST_CHANGES: usize = 4;

/// The function of a lambda, as names of modules have it.
const LAMBDA: &str = "_lambda";

/// A program that a compilation produced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Match(ProgramId);

/// Programs by function and host, with the start of their first run.
pub(super) struct Programs<'a> {
    session: &'a Session,
    by_function: BTreeMap<(HostId, String), Vec<(Picos, ProgramId)>>,
}

impl<'a> Programs<'a> {
    pub(super) fn of(session: &'a Session) -> Self {
        let mut firsts: BTreeMap<(HostId, ProgramId), Picos> = BTreeMap::new();
        for run in &session.program_runs {
            let key = (session.device(run.device).host, run.program);
            // A launch starts with the call that compiles, so use the start of the work itself.
            let start = run.span.start;
            let first = firsts.entry(key).or_insert(start);
            *first = (*first).min(start);
        }
        let mut by_function: BTreeMap<(HostId, String), Vec<(Picos, ProgramId)>> = BTreeMap::new();
        for ((host, program), first) in firsts {
            let function = plain_function(module_function(&session.program(program).name));
            by_function
                .entry((host, function))
                .or_default()
                .push((first, program));
        }
        for programs in by_function.values_mut() {
            programs.sort_unstable();
        }
        Self {
            session,
            by_function,
        }
    }

    /// The first program of the function whose first run is after the start of the compilation.
    pub(super) fn match_of(&self, host: HostId, function: &str, span: Span) -> Option<Match> {
        let programs = self.of_function(host, function);
        let found = programs.iter().find(|(first, _)| *first >= span.start);
        found.map(|&(_, program)| Match(program))
    }

    /// The last program of the function that ran before an instant.
    pub(super) fn ran_before(&self, host: HostId, function: &str, before: Picos) -> Option<Match> {
        let programs = self.of_function(host, function);
        let found = programs.iter().rev().find(|(first, _)| *first < before);
        found.map(|&(_, program)| Match(program))
    }

    fn of_function(&self, host: HostId, function: &str) -> &[(Picos, ProgramId)] {
        self.by_function
            .get(&(host, plain_function(function)))
            .map_or(&[], Vec::as_slice)
    }

    /// Whether two compilations of this name may be of one function: programs of it have a line of code in
    /// common. Where one is unknown, the name alone tells, except that of lambdas.
    pub(super) fn may_be_same(
        &self,
        function: &str,
        before: Option<Match>,
        after: Option<Match>,
    ) -> bool {
        let Some((before, after)) = before.zip(after) else {
            return plain_function(function) != LAMBDA;
        };
        let [before, after] = [before, after].map(|found| self.lines(found));
        before.is_empty() || after.is_empty() || !before.is_disjoint(&after)
    }

    /// The lines of code that a program was traced from; none of a program of one op, which may stand
    /// anywhere.
    fn lines(&self, found: Match) -> BTreeSet<(&str, u32)> {
        let program = self.session.program(found.0);
        let hlo = program.hlo.as_ref().filter(|_| !program.is_single_op());
        let sources = hlo.into_iter().flat_map(hlo::Program::instructions);
        let sources = sources.filter_map(|one| one.source.as_deref());
        sources
            .map(|source| (source.file.as_str(), source.line))
            .collect()
    }

    pub(super) fn title(&self, found: Match) -> String {
        self.session.program(found.0).title()
    }

    pub(super) fn id(&self, found: Match) -> String {
        self.session.program(found.0).id.to_string()
    }

    /// What differs between the arguments of two programs, in words.
    pub(super) fn change(&self, old: Match, new: Match) -> String {
        if old == new {
            return "none: the same program ran before and after".to_owned();
        }
        let (Some(before), Some(after)) = (self.arguments(old), self.arguments(new)) else {
            return "unknown: the profile lacks the HLO of one of the programs".to_owned();
        };
        if before.len() != after.len() {
            return format!("{} → {} arguments", before.len(), after.len());
        }
        let changes: Vec<String> = before
            .iter()
            .zip(&after)
            .filter(|(was, is)| was.shape != is.shape)
            .map(|(was, is)| format!("argument {}: {} → {}", is.name, was.shape, is.shape))
            .collect();
        match changes.len() {
            0 => {
                let [old, new] = [old, new].map(|found| self.session.program(found.0));
                contents::change(old, new, self.session.devices.len() > 1)
            }
            count if count > MOST_CHANGES => format!(
                "{}, and {} more",
                changes[..MOST_CHANGES].join(", "),
                count - MOST_CHANGES
            ),
            _ => changes.join(", "),
        }
    }

    /// The arguments of a program in their order, if its HLO was recorded.
    fn arguments(&self, found: Match) -> Option<Vec<Argument>> {
        let program = self.session.program(found.0).hlo.as_ref()?;
        let parameters = program.parameters_of(program.entry()?).into_iter();
        Some(
            parameters
                .map(|(number, one)| Argument::of(one, number))
                .collect(),
        )
    }
}

/// An argument of a program: one array, a leaf where the function takes a tree.
struct Argument {
    /// What JAX calls it, `batch['image']` or `args[0]`; its number among the leaves elsewhere.
    name: String,
    shape: String,
}

impl Argument {
    fn of(parameter: &Instruction, number: i64) -> Self {
        // A parameter within the function has a name stack instead.
        let is_name = !parameter.op_name.is_empty() && !parameter.op_name.contains('/');
        Self {
            name: if is_name {
                parameter.op_name.clone()
            } else {
                number.to_string()
            },
            shape: without_layout(parameter.shape.to_string()),
        }
    }
}
