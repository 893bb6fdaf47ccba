//! From labels of kernels to nodes: the op name of a kernel, and its program.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use stepscope_hlo as hlo;

use super::candidates::{Node, NodeWork};
use super::collect::{Collected, Launch, StandIns};
use super::schedule::Kernels;
use crate::attribution::Attribution;
use crate::ids::{LabelId, OpId, ProgramId};
use crate::label::{Direction, Label, SliceKind};
use crate::session::Session;
use crate::vendor::graphs::{LibraryWork, kernel_name_of, library_work, own_name, without_suffix};

/// A program that launched graphs is recognized by at least this share of the names of its kernels.
const RECOGNISED: (usize, usize) = (1, 2);

/// The programs that launched graphs, and the instructions of ops that ran.
pub(super) struct Programs {
    kernels: FxHashMap<ProgramId, Kernels>,
    /// Program and position of the instruction of each op that has one.
    instructions: Vec<Option<(ProgramId, u32)>>,
    /// The names of kernels that the programs may have, once a launch must be recognized by them.
    names: Option<Vec<(ProgramId, FxHashSet<String>)>>,
    /// Launches by their labels, and the program recognized.
    recognized: FxHashMap<Vec<LabelId>, Option<ProgramId>>,
}

impl Programs {
    pub(super) fn of(session: &Session) -> Self {
        let instructions = session.ops.iter().map(|op| {
            let hlo = session.programs[op.program.index()].hlo.as_ref()?;
            let instruction = hlo.instruction(session.strings.get(op.name))?;
            Some((op.program, position(instruction)))
        });
        Self {
            kernels: FxHashMap::default(),
            instructions: instructions.collect(),
            names: None,
            recognized: FxHashMap::default(),
        }
    }

    /// Adds the programs that launched something, if they are new, and finds those of launches that do
    /// not say it.
    pub(super) fn add_launching(&mut self, session: &Session, collected: &mut Collected) {
        let launching = collected.launches.iter().filter_map(|it| it.program);
        let mut new: BTreeSet<ProgramId> = launching.collect();
        new.retain(|program| !self.kernels.contains_key(program));
        if !new.is_empty() {
            let seen = seen_names(session, collected);
            let empty = FxHashSet::default();
            for program in new {
                self.add(session, program, seen.get(&program).unwrap_or(&empty));
            }
        }
        self.find_for(session, &mut collected.launches);
    }

    fn add(&mut self, session: &Session, id: ProgramId, seen: &FxHashSet<String>) {
        let program = &session.programs[id.index()];
        if let Some(hlo) = &program.hlo {
            let has_kernel = |name: &str| seen.contains(name);
            let kernels = Kernels::of(hlo, program.hlo_bytes(), has_kernel);
            self.kernels.insert(id, kernels);
        }
    }

    /// The kernels of a program; `None` if its HLO is unknown.
    pub(super) fn kernels(&self, program: ProgramId) -> Option<&Kernels> {
        self.kernels.get(&program)
    }

    /// Program and instruction of an op.
    pub(super) fn instruction_of(&self, op: OpId) -> Option<(ProgramId, u32)> {
        self.instructions.get(op.index()).copied().flatten()
    }

    /// Assigns launches with an unknown program to the program whose kernels they have, if it is
    /// unique.
    fn find_for(&mut self, session: &Session, launches: &mut [Launch]) {
        let unknown = launches.iter_mut().filter(|it| it.program.is_none());
        for launch in unknown {
            let mut labels: Vec<LabelId> = launch.kernels.iter().map(|k| k.label).collect();
            labels.sort_unstable();
            labels.dedup();
            let names = self.names.get_or_insert_with(|| kernel_names(session));
            let found = self.recognized.entry(labels);
            launch.program = *found.or_insert_with_key(|own| recognize(session, own, names));
            if let Some(program) = launch.program
                && !self.kernels.contains_key(&program)
            {
                let own = launch.kernels.iter();
                let own = own.filter_map(|kernel| kernel_name(session, kernel.label));
                self.add(session, program, &own.collect());
            }
        }
    }

    /// The nodes with these labels.
    pub(super) fn nodes(
        &self,
        session: &Session,
        program: ProgramId,
        labels: &[LabelId],
        stand_ins: &StandIns,
    ) -> Vec<Node> {
        let kernels = self.kernels(program);
        let mut known: FxHashMap<LabelId, Node> = FxHashMap::default();
        let node = |&label: &LabelId| {
            *known.entry(label).or_insert_with(|| {
                let label = &session.labels[label.index()];
                let op = label.op.filter(|&op| !stand_ins.contains(op));
                let mut node = self::node(session, kernels, label);
                let recorded = op.and_then(|op| self.instruction_of(op));
                if let Some((_, op)) = recorded.filter(|&(of, _)| of == program) {
                    node.known = Some((op, Attribution::Recorded));
                }
                node
            })
        };
        labels.iter().map(node).collect()
    }
}

fn node(session: &Session, kernels: Option<&Kernels>, label: &Label) -> Node {
    let plain = |work| Node { work, known: None };
    if let Some(transfer) = label.transfer {
        return plain(match transfer.direction {
            Direction::Memset => NodeWork::Fill(transfer.bytes),
            _ => NodeWork::Copy(transfer.bytes),
        });
    }
    let name = session.strings.get(label.name);
    if let Some((own, kernels)) = own_name(name).zip(kernels) {
        if let Some(named) = kernels.named(&own) {
            return Node {
                work: NodeWork::Own {
                    symbol: named.symbol,
                    is_further: false,
                },
                known: named.only.map(|op| (op, Attribution::ExactName)),
            };
        }
        if let Some(named) = without_suffix(&own).and_then(|stem| kernels.named(stem)) {
            return plain(NodeWork::Own {
                symbol: named.symbol,
                is_further: true,
            });
        }
    }
    plain(match library_work(name) {
        LibraryWork::Copy => NodeWork::Copy(None),
        LibraryWork::Fill => NodeWork::Fill(None),
        work => NodeWork::Library(work),
    })
}

/// The names that kernels of each program with HLO may have.
fn kernel_names(session: &Session) -> Vec<(ProgramId, FxHashSet<String>)> {
    let programs = (0..session.programs.len()).filter_map(|position| {
        let hlo = session.programs[position].hlo.as_ref()?;
        let names = hlo.instructions().map(|op| kernel_name_of(&op.name));
        Some((ProgramId::from_index(position), names.collect()))
    });
    programs.collect()
}

/// A kernel name as given by XLA.
fn kernel_name(session: &Session, label: LabelId) -> Option<String> {
    let label = &session.labels[label.index()];
    (label.kind == SliceKind::Kernel).then_some(())?;
    Some(own_name(session.strings.get(label.name))?.into_owned())
}

/// Names of all kernels seen for each program.
fn seen_names(session: &Session, collected: &Collected) -> FxHashMap<ProgramId, FxHashSet<String>> {
    let mut seen: FxHashMap<ProgramId, FxHashSet<String>> = FxHashMap::default();
    let labels = (0..session.labels.len()).map(LabelId::from_index);
    let of_labels = labels.map(|label| (session.labels[label.index()].program, label));
    let of_launches = collected.launches.iter().flat_map(|launch| {
        let kernels = launch.kernels.iter();
        kernels.map(|kernel| (launch.program, kernel.label))
    });
    let pairs: BTreeSet<(Option<ProgramId>, LabelId)> = of_labels.chain(of_launches).collect();
    for (program, label) in pairs {
        if let Some((program, name)) = program.zip(kernel_name(session, label)) {
            seen.entry(program).or_default().insert(name);
        }
    }
    seen
}

/// The only program with most of the names, and enough of them.
fn recognize(
    session: &Session,
    labels: &[LabelId],
    programs: &[(ProgramId, FxHashSet<String>)],
) -> Option<ProgramId> {
    let own: FxHashSet<String> = labels
        .iter()
        .filter_map(|&label| kernel_name(session, label))
        .collect();
    let shared = programs.iter().map(|(program, names)| {
        let shared = own.iter().filter(|name| names.contains(*name)).count();
        (shared, *program)
    });
    let shared: Vec<(usize, ProgramId)> = shared.collect();
    let &(most, found) = shared.iter().max_by_key(|(count, _)| *count)?;
    let is_only = shared.iter().filter(|(count, _)| *count == most).count() == 1;
    let is_enough = most > 0 && most * RECOGNISED.1 >= own.len() * RECOGNISED.0;
    (is_only && is_enough).then_some(found)
}

fn position(instruction: &hlo::Instruction) -> u32 {
    u32::try_from(instruction.index.index()).unwrap_or(u32::MAX)
}
