//! Finds instructions by a part of their name, opcode, name stack or source.

use regex::{Regex, RegexBuilder};
use rustc_hash::FxHashMap;
use stepscope_model::OpId;
use stepscope_model::hlo::{Instruction, Program};

use super::report::GraphMatch;
use crate::asking::AnalysisError;
use crate::measuring::totals::Totals;

/// Searches all four texts of an instruction, ignoring case.
struct Needle(Regex);

impl Needle {
    fn found_in(&self, instruction: &Instruction) -> Option<&'static str> {
        let source = instruction.source.as_deref();
        if self.0.is_match(&instruction.name) {
            Some("name")
        } else if self.0.is_match(&instruction.opcode) {
            Some("opcode")
        } else if self.0.is_match(&instruction.op_name) {
            Some("scope")
        } else if source.is_some_and(|source| self.0.is_match(&source.file)) {
            Some("source")
        } else {
            None
        }
    }
}

/// Instructions that match, at most `limit`, and their number before the limit.
pub(super) fn matches(
    program: &Program,
    times: &FxHashMap<&str, (OpId, Totals)>,
    wanted: &str,
    limit: usize,
) -> Result<(Vec<GraphMatch>, usize), AnalysisError> {
    let (wanted, line) = with_line(wanted);
    let needle = RegexBuilder::new(&regex::escape(wanted))
        .case_insensitive(true)
        .build()
        .map_err(|error| AnalysisError::Options(error.to_string()))?;
    let needle = Needle(needle);
    let mut found: Vec<(&Instruction, &'static str, bool, Option<i64>)> = program
        .instructions()
        .filter_map(|instruction| {
            let found_in = needle.found_in(instruction)?;
            let is_at = |line| {
                instruction
                    .source
                    .as_deref()
                    .is_some_and(|s| s.line == line)
            };
            if line.is_some_and(|line| !is_at(line)) {
                return None;
            }
            let own = program.computations().get(instruction.computation.index());
            let is_fused = own.is_some_and(|computation| computation.is_fusion_body);
            let time = times.get(instruction.name.as_str()).filter(|_| !is_fused);
            Some((
                instruction,
                found_in,
                is_fused,
                time.map(|(_, totals)| totals.self_ps),
            ))
        })
        .collect();
    let count = found.len();
    found.sort_by_key(|&(instruction, found_in, is_fused, self_ps)| {
        let rank = closeness(instruction, wanted, found_in);
        (
            rank,
            is_fused,
            std::cmp::Reverse(self_ps),
            instruction.index,
        )
    });
    found.truncate(limit);
    let rows = found
        .into_iter()
        .map(|(instruction, found_in, is_fused, self_ps)| GraphMatch {
            name: instruction.name.clone(),
            opcode: instruction.opcode.clone(),
            shape: instruction.shape.to_string(),
            scope: instruction.op_name.clone(),
            source: instruction
                .source
                .as_deref()
                .map(stepscope_model::hlo::SourceLocation::label)
                .unwrap_or_default(),
            computation: program
                .computations()
                .get(instruction.computation.index())
                .map(|own| own.name.clone())
                .unwrap_or_default(),
            is_fused,
            self_ps,
            found_in: found_in.to_owned(),
        });
    Ok((rows.collect(), count))
}

/// How close a match is to what was typed, closest first: the name itself, the name without its
/// number, the start of a name, a part of a name, then other texts.
fn closeness(instruction: &Instruction, wanted: &str, found_in: &str) -> usize {
    let name = instruction.name.as_bytes();
    let starts = name
        .get(..wanted.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(wanted.as_bytes()));
    let rest = name.get(wanted.len()..).unwrap_or_default();
    let is_number = rest
        .iter()
        .all(|byte| byte.is_ascii_digit() || *byte == b'.');
    match found_in {
        "name" if starts && rest.is_empty() => 0,
        "name" if starts && is_number => 1,
        "name" if starts => 2,
        "name" => 3,
        "opcode" => 4,
        "scope" => 5,
        _ => 6,
    }
}

/// Splits `model.py:12` into file and line.
fn with_line(wanted: &str) -> (&str, Option<u32>) {
    let split = wanted.rsplit_once(':');
    match split.and_then(|(file, line)| Some((file, line.parse().ok()?))) {
        Some((file, line)) if file.contains('.') => (file, Some(line)),
        _ => (wanted, None),
    }
}
