//! Finds the program that a compilation produced, and how it differs from the previous one.

use std::collections::BTreeMap;

use stepscope_model::host_names::{module_function, plain_function};
use stepscope_model::{HostId, Picos, ProgramId, Session, Span};

/// Maximum number of changed arguments that are listed.
const MOST_CHANGES: usize = 4;

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

    pub(super) fn title(&self, found: Match) -> String {
        self.session.program(found.0).title()
    }

    pub(super) fn id(&self, found: Match) -> String {
        self.session.program(found.0).id.to_string()
    }

    /// What differs between the arguments of two programs, in words.
    pub(super) fn change(&self, before: Match, after: Match) -> String {
        let arguments = |found: Match| -> Option<Vec<(i64, String)>> {
            let program = self.session.program(found.0).hlo.as_ref()?;
            let entry = program.entry()?;
            let mut arguments: Vec<(i64, String)> = program
                .instructions_of(entry)
                .iter()
                .filter(|instruction| instruction.opcode == "parameter")
                .map(|instruction| {
                    let number = instruction
                        .attributes()
                        .map_or(0, |attributes| attributes.parameter_number);
                    (number, without_layout(instruction.shape.to_string()))
                })
                .collect();
            arguments.sort();
            Some(arguments)
        };
        if before == after {
            return "none: the same program ran before and after".to_owned();
        }
        let (Some(before), Some(after)) = (arguments(before), arguments(after)) else {
            return "unknown: the profile lacks the HLO of one of the programs".to_owned();
        };
        if before.len() != after.len() {
            return format!("{} → {} arguments", before.len(), after.len());
        }
        let changes: Vec<String> = before
            .iter()
            .zip(&after)
            .filter(|(old, new)| old.1 != new.1)
            .map(|(old, new)| format!("argument {}: {} → {}", new.0, old.1, new.1))
            .collect();
        match changes.len() {
            0 => "same shapes: a static argument, a sharding, or a re-created function".to_owned(),
            count if count > MOST_CHANGES => format!(
                "{}, and {} more",
                changes[..MOST_CHANGES].join(", "),
                count - MOST_CHANGES
            ),
            _ => changes.join(", "),
        }
    }
}

/// `f32[32,64]` for `f32[32,64]{1,0}`.
fn without_layout(text: String) -> String {
    match text.split_once('{') {
        Some((head, _)) if !text.starts_with('(') => head.to_owned(),
        _ => text,
    }
}
