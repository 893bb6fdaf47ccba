//! Programs: the table of compiled executables, with their HLO if the profile contains it.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use stepscope_hlo as hlo;
use stepscope_xplane::{EventMetadata, Plane, Space, StatValue, lossy};

use super::input::HostInput;
use crate::ids::{HostId, ProgramId};
use crate::program::{Program, ProgramBytes};
use crate::session::ProfileData;
use crate::vendor::planes::{PlaneRole, plane_role};

/// Programs by id and name while the session is built.
#[derive(Default)]
pub(super) struct Programs {
    pub(super) all: Vec<Program>,
    /// The programs that each host's file contains.
    of_hosts: FxHashMap<HostId, Table>,
    /// Those of all hosts, and those that events name and no file contains.
    of_all: Table,
    /// The host whose events name programs now.
    host: Option<HostId>,
    /// What events name, and how many were named before.
    named: FxHashMap<(Option<u64>, String), usize>,
    /// Programs whose HLO could not be decoded, with the reason.
    pub(super) damaged: Vec<(String, String)>,
}

/// Programs by their IDs and by their names.
#[derive(Default)]
struct Table {
    by_id: FxHashMap<u64, Vec<ProgramId>>,
    by_name: FxHashMap<String, Vec<ProgramId>>,
}

impl Table {
    fn add(&mut self, id: u64, name: &str, program: ProgramId) {
        let by_name = self.by_name.entry(name.to_owned()).or_default();
        for list in [self.by_id.entry(id).or_default(), by_name] {
            if !list.contains(&program) {
                list.push(program);
            }
        }
    }
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

/// One program of one or more files.
struct Distinct<'a> {
    found: Found<'a>,
    hosts: Vec<HostId>,
}

/// So many programs are decoded together.
const DECODED_AT_ONCE: usize = 64;

/// Decodes the programs of all hosts, given in the order of the hosts; a program on several hosts
/// is kept once.
///
/// An ID that is a fingerprint tells which programs are one. Smaller ones are counted by each process: a
/// program of one name that lists the same instructions is the same program on another host, whatever its
/// ID, and one of the same ID that lists others is another program. What one host compiled twice stays
/// two programs.
pub(super) fn decode_programs(found: Vec<Vec<Found<'_>>>) -> Programs {
    let mut programs = Programs::default();
    let mut alike = Alike::default();
    for some in distinct(found).chunks(DECODED_AT_ONCE) {
        let decode = |one: &Distinct<'_>| hlo::Program::decode(one.found.payload);
        let decoded: Vec<_> = some.par_iter().map(decode).collect();
        for (one, decoded) in some.iter().zip(decoded) {
            let found = &one.found;
            let program = match decoded {
                Ok(decoded) => alike.find_or_add(one, decoded, &mut programs),
                Err(error) => {
                    let title = format!("{}({})", found.name, found.id);
                    programs.damaged.push((title, error.to_string()));
                    programs.add(Program::at(found, None))
                }
            };
            for &host in &one.hosts {
                let table = programs.of_hosts.entry(host).or_default();
                table.add(found.id, &found.name, program);
            }
        }
    }
    programs
}

/// Programs by their names and what they list.
#[derive(Default)]
struct Alike {
    /// In the order in which a host compiled them.
    known: FxHashMap<(String, u64), Vec<ProgramId>>,
    /// How many of them were found on a host.
    seen: FxHashMap<(HostId, String, u64), usize>,
}

impl Alike {
    /// What is the same program on another host, or a new one.
    fn find_or_add(
        &mut self,
        one: &Distinct<'_>,
        decoded: hlo::Program,
        programs: &mut Programs,
    ) -> ProgramId {
        let (found, listing) = (&one.found, hlo::listing(&decoded));
        // How many the first of its hosts compiled before.
        let mut before = 0;
        for &host in one.hosts.iter().rev() {
            let seen = self
                .seen
                .entry((host, found.name.clone(), listing))
                .or_default();
            before = *seen;
            *seen += 1;
        }
        let known = self.known.entry((found.name.clone(), listing)).or_default();
        if let Some(&same) = known.get(before) {
            programs.note_id(same, found.id);
            return same;
        }
        let new = programs.add(Program::at(found, Some(decoded)));
        known.push(new);
        new
    }
}

/// The programs that differ by ID, name or content, with the hosts that have them.
fn distinct(found: Vec<Vec<Found<'_>>>) -> Vec<Distinct<'_>> {
    let mut all: Vec<Distinct<'_>> = Vec::new();
    let mut known: FxHashMap<(u64, String), Vec<usize>> = FxHashMap::default();
    for (host, found) in found.into_iter().enumerate() {
        let host = HostId::from_index(host);
        for found in found {
            let of_name = known.entry((found.id, found.name.clone())).or_default();
            let is_same = |&&at: &&usize| {
                let Distinct {
                    found: other,
                    hosts,
                } = &all[at];
                hosts.last() == Some(&host)
                    || is_fingerprint(found.id)
                    || other.payload == found.payload
            };
            if let Some(&at) = of_name.iter().find(is_same) {
                let hosts = &mut all[at].hosts;
                if hosts.last() != Some(&host) {
                    hosts.push(host);
                }
                continue;
            }
            of_name.push(all.len());
            all.push(Distinct {
                found,
                hosts: vec![host],
            });
        }
    }
    all
}

/// Whether an ID is more than a count of what a process compiled.
const fn is_fingerprint(id: u64) -> bool {
    id > u32::MAX as u64
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

impl Program {
    /// A program with its place in a file.
    fn at(found: &Found<'_>, hlo: Option<hlo::Program>) -> Self {
        Self {
            bytes: place(found.payload, found.file),
            id: found.id,
            name: found.name.clone(),
            hlo,
            ..Self::default()
        }
    }
}

impl Programs {
    /// From here on, events of this host name programs.
    pub(super) const fn begin(&mut self, host: HostId) {
        self.host = Some(host);
    }

    fn add(&mut self, program: Program) -> ProgramId {
        let id = ProgramId::from_index(self.all.len());
        self.of_all.add(program.id, &program.name, id);
        self.all.push(program);
        id
    }

    /// Notes another ID of a program.
    fn note_id(&mut self, program: ProgramId, id: u64) {
        let known = &mut self.all[program.index()];
        if known.id != id && !known.other_ids.contains(&id) {
            known.other_ids.push(id);
        }
        self.of_all.add(id, &known.name, program);
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
        self.tables().find_map(|table| {
            let candidates = table.by_id.get(&id)?;
            if module.is_empty() {
                return candidates.first().copied();
            }
            let mut candidates = candidates.iter();
            candidates
                .find(|id| self.all[id.index()].name == module)
                .copied()
        })
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

    /// The only program of the host with this name, else the only one of all hosts.
    fn only_of_name(&self, name: &str) -> Option<ProgramId> {
        let of_name = self.tables().find_map(|table| table.by_name.get(name))?;
        match of_name.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// Where a program is looked for: that of the host comes first.
    fn tables(&self) -> impl Iterator<Item = &Table> {
        let own = self.host.and_then(|host| self.of_hosts.get(&host));
        own.into_iter().chain([&self.of_all])
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
