//! Programs: the table of compiled executables, with their HLO if the profile contains it.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use stepscope_hlo as hlo;
use stepscope_xplane::{EventMetadata, Plane, Space, StatValue, lossy};

use super::input::HostInput;
use crate::ids::ProgramId;
use crate::program::{Program, ProgramBytes};
use crate::session::ProfileData;
use crate::vendor::planes::{PlaneRole, plane_role};

/// Programs by id and name while the session is built.
#[derive(Default)]
pub(super) struct Programs {
    pub(super) all: Vec<Program>,
    by_id: FxHashMap<u64, Vec<ProgramId>>,
    by_name: FxHashMap<String, Vec<ProgramId>>,
    /// What events name, and how many were named before.
    named: FxHashMap<(Option<u64>, String), usize>,
    /// Programs whose HLO could not be decoded, with the reason.
    pub(super) damaged: Vec<(String, String)>,
}

/// One program as found in a file.
pub(super) struct Found<'a> {
    id: u64,
    name: String,
    payload: &'a [u8],
    file: &'a Arc<dyn ProfileData>,
}

/// The programs in a host's file.
pub(super) fn find_programs<'a>(space: &Space<'a>, input: &'a HostInput) -> Vec<Found<'a>> {
    let planes = space
        .planes
        .iter()
        .filter(|plane| plane_role(&plane.name) == PlaneRole::Programs);
    planes
        .flat_map(|plane| {
            let entries = plane.event_metadata.iter();
            entries.filter_map(|entry| program(plane, entry, &input.bytes))
        })
        .collect()
}

/// Decodes the programs of all hosts, given in the order of the hosts; a program on several hosts
/// is kept once.
pub(super) fn decode_programs<'a>(found: impl Iterator<Item = Found<'a>>) -> Programs {
    let mut seen: FxHashSet<(u64, String)> = FxHashSet::default();
    let found: Vec<Found<'_>> = found
        .filter(|program| seen.insert((program.id, program.name.clone())))
        .collect();
    let decoded: Vec<_> = found
        .par_iter()
        .map(|found| hlo::Program::decode(found.payload))
        .collect();
    let mut programs = Programs::default();
    for (found, decoded) in found.into_iter().zip(decoded) {
        if let Err(error) = &decoded {
            programs
                .damaged
                .push((format!("{}({})", found.name, found.id), error.to_string()));
        }
        programs.add(Program {
            bytes: place(found.payload, found.file),
            id: found.id,
            name: found.name,
            hlo: decoded.ok(),
            ..Program::default()
        });
    }
    programs
}

/// Entries without the payload are not programs.
fn program<'a>(
    plane: &Plane<'a>,
    entry: &EventMetadata<'a>,
    file: &'a Arc<dyn ProfileData>,
) -> Option<Found<'a>> {
    let (mut payload, mut recorded_id) = (None, None);
    for stat in entry.stats() {
        match plane.stat_name(&stat).as_ref() {
            "Hlo Proto" | "HLO Proto" => match stat.value() {
                StatValue::Bytes(bytes) | StatValue::Text(bytes) => payload = Some(bytes),
                _ => {}
            },
            "program_id" => recorded_id = stat.value().as_int().map(i64::cast_unsigned),
            _ => {}
        }
    }
    let title = lossy(entry.name);
    let (name, digits) = split_title(&title);
    let id = digits.or(recorded_id).unwrap_or(entry.id.cast_unsigned());
    Some(Found {
        id,
        name: name.to_owned(),
        payload: payload?,
        file,
    })
}

/// The location of a payload in its file.
fn place(payload: &[u8], file: &Arc<dyn ProfileData>) -> Option<ProgramBytes> {
    let start = payload
        .as_ptr()
        .addr()
        .checked_sub((**file).as_ref().as_ptr().addr())?;
    Some(ProgramBytes {
        range: start..start.checked_add(payload.len())?,
        file: Arc::clone(file),
    })
}

/// `jit_step(70)` → `jit_step`, 70. A negative number is the same fingerprint read as signed.
pub(super) fn split_title(title: &str) -> (&str, Option<u64>) {
    let Some((name, digits)) = title
        .strip_suffix(')')
        .and_then(|rest| rest.rsplit_once('('))
    else {
        return (title, None);
    };
    let id = digits.parse::<u64>().ok();
    let id = id.or_else(|| digits.parse::<i64>().ok().map(i64::cast_unsigned));
    if id.is_some() {
        (name, id)
    } else {
        (title, None)
    }
}

impl Programs {
    fn add(&mut self, program: Program) -> ProgramId {
        let id = ProgramId::from_index(self.all.len());
        self.by_id.entry(program.id).or_default().push(id);
        self.by_name
            .entry(program.name.clone())
            .or_default()
            .push(id);
        self.all.push(program);
        id
    }

    /// The program with this id and module name, added without HLO when unknown.
    ///
    /// XLA:CPU runs programs from the persistent cache under the ID 0, whatever ID the program has
    /// in the table: then the name decides, if only one program has it.
    pub(super) fn find_or_add(&mut self, id: Option<u64>, module: &str) -> ProgramId {
        self.note(id, module);
        if let Some(found) = id.and_then(|id| self.find(id, module)) {
            return found;
        }
        if id.unwrap_or(0) == 0
            && let Some(found) = self.only_of_name(module)
        {
            return found;
        }
        let name = if module.is_empty() { "unknown" } else { module };
        self.add(Program::named(id.unwrap_or(0), name))
    }

    /// Small IDs are reassigned by every process, so a program with another name is another
    /// program.
    fn find(&self, id: u64, module: &str) -> Option<ProgramId> {
        let candidates = self.by_id.get(&id)?;
        if module.is_empty() {
            return candidates.first().copied();
        }
        let mut candidates = candidates.iter();
        candidates
            .find(|id| self.all[id.index()].name == module)
            .copied()
    }

    /// The only program with this name.
    pub(super) fn find_by_name(&mut self, name: &str) -> Option<ProgramId> {
        self.note(None, name);
        self.only_of_name(name)
    }

    /// The IDs and names by which programs were looked for, each once, in that order.
    pub(super) fn named(&self) -> Vec<(Option<u64>, String)> {
        let mut named: Vec<_> = self.named.iter().collect();
        named.sort_unstable_by_key(|(_, position)| **position);
        named.into_iter().map(|(named, _)| named.clone()).collect()
    }

    fn note(&mut self, id: Option<u64>, name: &str) {
        let next = self.named.len();
        self.named.entry((id, name.to_owned())).or_insert(next);
    }

    fn only_of_name(&self, name: &str) -> Option<ProgramId> {
        match self.by_name.get(name)?.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::split_title;

    #[test]
    fn titles() {
        assert_eq!(split_title("jit_step(70)"), ("jit_step", Some(70)));
        assert_eq!(
            split_title("a(b)(18446744073709551615)"),
            ("a(b)", Some(u64::MAX))
        );
        assert_eq!(split_title("f(-1)"), ("f", Some(u64::MAX)));
        assert_eq!(split_title("main"), ("main", None));
        assert_eq!(split_title("f(x)"), ("f(x)", None));
    }
}
