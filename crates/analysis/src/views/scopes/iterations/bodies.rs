//! Which ops run in the bodies of which loops.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use stepscope_model::hlo::{InLoop, Instruction, Loop, name_stack};
use stepscope_model::{OpId, ProgramId, Session};

use crate::views::ops::AllOps;

/// A loop of a program.
pub(super) struct Looped<'a> {
    pub(super) program: ProgramId,
    pub(super) instruction: &'a Instruction,
    pub(super) name: &'a str,
    pub(super) facts: Loop,
}

impl<'a> Looped<'a> {
    /// The scopes around it, as they are written: passes of one scan are different loops.
    pub(super) fn parents(&self) -> Vec<Cow<'a, str>> {
        let mut parts = name_stack::parts(&self.instruction.op_name);
        parts.pop();
        parts.into_iter().map(Cow::from).collect()
    }

    /// What the loop is known by: loops with the same path are one.
    pub(super) fn path(&self) -> String {
        let mut parts = self.parents();
        parts.push(self.name.into());
        parts.join("/")
    }
}

/// All loops of the programs that have HLO, and what runs in them.
pub(super) struct Bodies<'a> {
    pub(super) loops: Vec<Looped<'a>>,
    /// By op; positions are those of `loops`.
    around: FxHashMap<OpId, Vec<InLoop>>,
}

impl<'a> Bodies<'a> {
    pub(super) fn new(session: &'a Session) -> Self {
        let mut loops = Vec::new();
        let mut of_program = FxHashMap::default();
        for (index, program) in session.programs.iter().enumerate() {
            let Some(hlo) = &program.hlo else { continue };
            let own = hlo.loops();
            if own.loops.is_empty() {
                continue;
            }
            let id = ProgramId::from_index(index);
            let first = loops.len();
            let found = own.loops.iter().filter_map(|&facts| {
                let instruction = hlo.instruction_at(facts.instruction)?;
                Some(Looped {
                    program: id,
                    instruction,
                    name: &instruction.name,
                    facts,
                })
            });
            loops.extend(found);
            of_program.insert(id, (hlo, own, first));
        }
        let mut around = FxHashMap::default();
        for (index, op) in session.ops.iter().enumerate() {
            let Some((hlo, own, first)) = of_program.get(&op.program) else {
                continue;
            };
            let instruction = hlo.instruction(session.text(op.name));
            let within = instruction.map_or(&[][..], |instruction| own.around(instruction));
            if !within.is_empty() {
                let within = within.iter().map(|&own| InLoop {
                    position: own.position + first,
                    ..own
                });
                around.insert(OpId::from_index(index), within.collect());
            }
        }
        Self { loops, around }
    }

    /// The loops around an op, outermost first.
    pub(super) fn around(&self, op: OpId) -> &[InLoop] {
        self.around.get(&op).map_or(&[], Vec::as_slice)
    }

    /// Self time of the ops in each loop.
    pub(super) fn times(&self, all: &AllOps) -> Vec<i64> {
        let mut times = vec![0i64; self.loops.len()];
        for op in &all.ops {
            for own in op.op.map_or(&[][..], |id| self.around(id)) {
                let time = &mut times[own.position];
                *time = time.saturating_add(op.row.self_ps);
            }
        }
        times
    }
}
