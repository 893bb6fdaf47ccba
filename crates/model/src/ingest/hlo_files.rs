//! Programs in separate files, as dumped by XLA or left by XProf.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use stepscope_hlo as hlo;

use super::describe;
use super::input::{HostInput, IngestError};
use super::memory::{MemoryInput, ingest_with_memory};
use super::programs::split_title;
use crate::program::{Program, ProgramBytes};
use crate::session::{ProfileData, Session};
use crate::warning::{Warning, WarningKind};

/// One serialized program: a file with an HloProto.
pub struct ProgramInput {
    /// Name of its file, without suffix.
    pub name: String,
    /// The file.
    pub bytes: Arc<dyn ProfileData>,
    /// Remarks of the file's reader, such as a truncated compressed stream.
    pub problem: Option<String>,
}

/// Builds a session from the files of its hosts, its memory profiles, and its programs, any of
/// which may be empty. The programs are used only if no host was profiled: a profile contains its
/// own. Damage becomes warnings; an error means that nothing at all could be decoded.
pub fn ingest_all(
    name: &str,
    hosts: Vec<HostInput>,
    memory: Vec<MemoryInput>,
    programs: Vec<ProgramInput>,
) -> Result<Session, IngestError> {
    if !hosts.is_empty() || programs.is_empty() {
        return ingest_with_memory(name, hosts, memory);
    }
    let mut session = if memory.is_empty() {
        Session {
            name: name.to_owned(),
            ..Session::default()
        }
    } else {
        ingest_with_memory(name, hosts, memory)?
    };
    let refused = add_programs(&mut session, programs);
    match refused {
        Some(refused) if session.programs.is_empty() && session.heap.snapshots.is_empty() => {
            Err(refused)
        }
        _ => Ok(session),
    }
}

/// Adds the programs that can be decoded; returns the error of the first that cannot.
fn add_programs(session: &mut Session, inputs: Vec<ProgramInput>) -> Option<IngestError> {
    let mut refused = None;
    let mut known: FxHashSet<(String, u64)> = FxHashSet::default();
    let decoded: Vec<_> = inputs
        .par_iter()
        .map(|input| hlo::Program::decode((*input.bytes).as_ref()))
        .collect();
    for (input, decoded) in inputs.into_iter().zip(decoded) {
        if let Some(problem) = &input.problem {
            session.warnings.push(Warning {
                kind: WarningKind::Truncated,
                host: input.name.clone(),
                message: format!("Incomplete: {problem}"),
                hint: String::new(),
            });
        }
        match decoded {
            Ok(hlo) => session.programs.push(program(input, hlo, &mut known)),
            Err(error) => {
                let found = match describe((*input.bytes).as_ref(), EXPECTED) {
                    found if found.contains(EXPECTED) => error.to_string(),
                    found => found,
                };
                let error = IngestError::NotAProgram {
                    name: input.name.clone(),
                    found,
                };
                session.warnings.push(Warning {
                    kind: WarningKind::Damaged,
                    host: input.name,
                    message: format!("Not shown: {error}"),
                    hint: String::new(),
                });
                refused.get_or_insert(error);
            }
        }
    }
    refused
}

const EXPECTED: &str = "HLO program that XLA writes";

/// XProf names its files `name(id)`. Other programs are named by their module, or by their file if
/// two modules have the same name.
fn program(
    input: ProgramInput,
    hlo: hlo::Program,
    known: &mut FxHashSet<(String, u64)>,
) -> Program {
    let (stem, recorded) = split_title(&input.name);
    let (name, id) = match recorded {
        Some(id) => (stem.to_owned(), id),
        None if hlo.name.is_empty() => (input.name.clone(), hlo.id.cast_unsigned()),
        None => (hlo.name.clone(), hlo.id.cast_unsigned()),
    };
    let name = if known.insert((name.clone(), id)) {
        name
    } else {
        input.name
    };
    let range = 0..(*input.bytes).as_ref().len();
    Program {
        id,
        name,
        hlo: Some(hlo),
        bytes: Some(ProgramBytes {
            file: input.bytes,
            range,
        }),
        ..Program::default()
    }
}
